#!/bin/sh
# Installs into a scratch folder and builds the examples against it as a C user would; then moves the folder, and again.
#   install.sh BUILD_FOLDER SOURCE_FOLDER
set -eu
build=$1 source=$2
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
unset LD_LIBRARY_PATH

fail() { echo "install: $1" >&2; exit 1; }

# Nothing is loaded from the working folder: no search path has an empty part.
no_empty_path() {
  for file in "$@"; do
    path=$(readelf -d "$file" | sed -n 's/.*\(RPATH\|RUNPATH\).*\[\(.*\)\]/:\2:/p')
    case $path in '' | '::') ;; *::*) fail "$file: its search path has an empty part: $path" ;; esac
  done
}

DESTDIR=$root/stage cmake --install "$build" --prefix /opt/sprint >/dev/null
prefix=$root/stage/opt/sprint
lib=$(dirname "$(find "$prefix" -name libsprint.so)")
for file in bin/sprint bin/sprint-f64 bin/sprint-fetch include/sprint.h share/man/man1/sprint.1 \
  share/doc/sprint/plugins.md share/doc/sprint/config.md share/sprint/examples/plugin_shift.c share/sprint/examples/ask_tell.c \
  share/sprint/experiments/credit.yaml share/bash-completion/completions/sprint share/bash-completion/completions/sprint-f64 \
  share/zsh/site-functions/_sprint share/fish/vendor_completions.d/sprint.fish; do
  [ -s "$prefix/$file" ] || fail "$file is missing"
done
[ -s "$lib/libsprint.a" ] || fail "libsprint.a is missing"
grep -rlF -e "$source" -e "$build" "$lib/pkgconfig" "$lib/cmake" && fail "a file names the folder it was built in"
no_empty_path "$prefix"/bin/* "$lib"/libsprint*.so "$build/sprint" "$build/sprint-f64" "$build/sprint-fetch" \
  "$build"/examples/example-* "$build"/libsprint*.so

# As in the README: the flags of pkg-config alone.
by_pkg_config() {
  for precision in sprint sprint-f64; do
    (cd "$work" && ${CC:-cc} "$1/share/sprint/examples/$2.c" $(PKG_CONFIG_PATH=$3/pkgconfig pkg-config --cflags --libs $precision) -o "$2") ||
      fail "$precision: $2 does not compile by pkg-config"
    "$work/$2" | grep -q "$4" || fail "$precision: $2 does not run by pkg-config"
  done
}

by_cmake() {
  mkdir "$work/project"
  cat >"$work/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(sprint 0.1 REQUIRED)
foreach(precision sprint sprint-f64)
  add_executable(with-\${precision} $1/share/sprint/examples/own_shift.c)
  target_link_libraries(with-\${precision} PRIVATE sprint::\${precision})
endforeach()
END
  cmake -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$1" >"$work/log" 2>&1 &&
    cmake --build "$work/project/build" >>"$work/log" 2>&1 || fail "find_package: $(cat "$work/log")"
  for precision in sprint sprint-f64; do
    "$work/project/build/with-$precision" | grep -q 'grad J' || fail "$precision: own_shift does not run by CMake"
  done
}

# Plugins are built against the installed header alone, and run by the installed command.
with_plugins() {
  echo '{data: {n: 200}, model: {loss: hinge}, shift: gaming, method: normalized, step: sign, stop: {epochs: 1}}' >"$work/c.yaml"
  for precision in sprint sprint-f64; do
    flags=$(PKG_CONFIG_PATH=$2/pkgconfig pkg-config --cflags $precision)
    for plugin in plugin_method plugin_shift; do
      ${CC:-cc} -shared -fPIC $flags "$1/share/sprint/examples/$plugin.c" -lm -o "$work/$plugin.so" ||
        fail "$precision: $plugin does not compile"
    done
    "$1/bin/$precision" run "$work/c.yaml" --plugin "$work/plugin_method.so" --plugin "$work/plugin_shift.so" \
      --out "$work/out" >"$work/log" 2>&1 || fail "$precision: a run with plugins failed: $(cat "$work/log")"
  done
}

# Experiments are found from the program's own place, whatever the working folder.
finds_experiments() {
  (cd "$work" && "$1/bin/sprint" reproduce demo --seeds 1 --set stop.epochs=1 --out found >log 2>&1) ||
    fail "the demo is not found: $(cat "$work/log")"
  "$1/bin/sprint" --help | grep -qF "examples and experiments are in $1/" || fail "--help does not say where examples are"
}

try() {
  work=$(mktemp -d "$root/work-XXXXXX")
  by_pkg_config "$1" ask_tell "$2" 'after 600 steps'
  by_pkg_config "$1" own_shift "$2" 'grad J'
  by_cmake "$1"
  with_plugins "$1" "$2"
  finds_experiments "$1"
}
try "$prefix" "$lib"
mv "$prefix" "$root/moved"
try "$root/moved" "$root/moved${lib#"$prefix"}"

# Mixing the header of one precision with the library of the other must not link.
prefix=$root/moved lib=$root/moved${lib#"$prefix"}
if ${CC:-cc} -DSPRINT_DOUBLE "$source/examples/ask_tell.c" -I"$prefix/include" -L"$lib" -lsprint -o "$root/mixed" 2>/dev/null; then
  fail "a double program linked against the float library"
fi
echo "install: ok"
