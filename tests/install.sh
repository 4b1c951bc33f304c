#!/bin/sh
# Installs into a scratch folder and builds the examples against it as a C user would.
#   install.sh BUILD_FOLDER SOURCE_FOLDER
set -eu
build=$1 source=$2
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cmake --install "$build" --prefix "$root" >/dev/null

fail() { echo "install: $1" >&2; exit 1; }
for file in bin/sprint bin/sprint-f64 bin/sprint-fetch include/sprint.h share/man/man1/sprint.1 \
  share/doc/sprint/plugins.md share/doc/sprint/examples/plugin_shift.c; do
  [ -s "$root/$file" ] || fail "$file is missing"
done
lib=$(dirname "$(find "$root" -name libsprint.so)")
[ -s "$lib/libsprint.a" ] || fail "libsprint.a is missing"

# The pkg-config file names the prefix that was configured; here it is moved.
PKG_CONFIG_PATH=$lib/pkgconfig
export PKG_CONFIG_PATH
LD_LIBRARY_PATH=$lib
export LD_LIBRARY_PATH
for precision in sprint sprint-f64; do
  flags=$(pkg-config --define-variable=prefix="$root" --define-variable=libdir="$lib" \
    --define-variable=includedir="$root/include" --cflags --libs $precision)
  ${CC:-cc} "$source/examples/ask_tell.c" $flags ${SANITIZE:-} -o "$root/ask_tell" || fail "$precision: does not compile"
  "$root/ask_tell" | grep -q 'after 600 steps' || fail "$precision: the example does not run"
done

# Plugins are built against the installed header alone, and run by the installed command.
examples=$root/share/doc/sprint/examples
echo '{data: {n: 200}, model: {loss: hinge}, shift: gaming, method: normalized, step: sign, stop: {epochs: 1}}' >"$root/c.yaml"
for precision in sprint sprint-f64; do
  flags=$(pkg-config --define-variable=includedir="$root/include" --cflags $precision)
  for plugin in plugin_method plugin_shift; do
    ${CC:-cc} -shared -fPIC $flags "$examples/$plugin.c" -lm -o "$root/$plugin.so" || fail "$precision: $plugin does not compile"
  done
  "$root/bin/$precision" run "$root/c.yaml" --plugin "$root/plugin_method.so" --plugin "$root/plugin_shift.so" \
    --out "$root/out" >"$root/log" 2>&1 || fail "$precision: a run with plugins failed: $(cat "$root/log")"
done

# Mixing the header of one precision with the library of the other must not link.
if ${CC:-cc} -DSPRINT_DOUBLE "$source/examples/ask_tell.c" -I"$root/include" -L"$lib" -lsprint -o "$root/mixed" 2>/dev/null; then
  fail "a double program linked against the float library"
fi
echo "install: ok"
