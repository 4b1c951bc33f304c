#!/bin/bash
# What the programs are protected by: no library is loaded from the working folder, tables of addresses are read-only,
# stacks are guarded; checked arguments of libc's functions where outside bytes come in.
. "$(dirname "$0")/lib.sh"
command -v readelf >/dev/null || { echo "$me: left out, there is no readelf"; exit 0; }
build=$(dirname "$SPRINT")

programs=$(find "$build" -maxdepth 2 -type f -perm -u+x ! -name '*.sh' ! -name '*.o' -exec sh -c 'head -c 4 "$1" | grep -q ELF && echo "$1"' _ {} \;)
check "there are programs" test "$(echo "$programs" | wc -l)" -gt 3

for program in $programs; do
  name=${program#"$build"/}
  readelf -W -d -l "$program" >elf 2>/dev/null
  path=$(sed -n 's/.*(R\(UN\)\{0,1\}PATH).*\[\(.*\)\]/\2/p' elf)
  n_checks=$((n_checks + 1))
  case ":$path:" in
    :: | :*/*: ) ;;
    *) wrong "$name: RUNPATH '$path'" ;;
  esac
  [ -z "$path" ] || case ":$path:" in *::* | *:.:*) wrong "$name: RUNPATH '$path' has the working folder" ;; esac
  case $name in tests/fail_malloc.so) continue ;; esac
  grep -q GNU_RELRO elf || wrong "$name: no RELRO"
  grep -qE 'BIND_NOW|FLAGS_1.*NOW' elf || wrong "$name: functions are not bound before it starts"
  grep -qE 'GNU_STACK.* RW ' elf || wrong "$name: its stack can be executed"
done

# needs PROGRAM FUNCTION
needs() {
  n_checks=$((n_checks + 1))
  readelf -W --dyn-syms "$1" | grep -q "UND $2" || wrong "$(basename "$1"): does not call $2"
}
if [ "$SPRINT_SANITIZE" != ON ]; then
  for program in "$SPRINT" "$SPRINT_F64" "$build/sprint-fetch" "$build/libsprint.so"; do
    needs "$program" __stack_chk_fail
    [ "$SPRINT_FORTIFIES" = OFF ] || needs "$program" __snprintf_chk
  done
fi

### A planted library is not loaded
if command -v cc >/dev/null; then
  mkdir planted
  echo '#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void run(void) { puts("planted"); exit(77); }' >planted/p.c
  cc -shared -fPIC -o planted/libplanted.so planted/p.c || fail "the planted library"
  readelf -W -d "$SPRINT" "$build/sprint-fetch" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u | grep -v '^libc\.so\|^ld-' >libraries
  check "libraries are needed" test -s libraries
  for library in $(cat libraries) libsprint.so.0; do cp planted/libplanted.so "planted/$library"; done
  cp planted/libplanted.so planted/sprint-fetch
  chmod +x planted/sprint-fetch
  cd planted || exit 1
  for program in "$SPRINT" "$SPRINT_F64" "$build/sprint-fetch" "$build"/tests/sprint-test_names; do
    [ -x "$program" ] || continue
    n_checks=$((n_checks + 1))
    timeout 60 "$program" --version >out 2>&1
    ! grep -q planted out || wrong "$(basename "$program"): runs a library of the working folder"
  done
  cd .. || exit 1
fi

### Without /proc nobody knows where sprint-fetch is: that of the working folder is not run
if [ "$(id -u)" = 0 ] && command -v unshare >/dev/null && unshare -m true 2>/dev/null; then
  mkdir here
  printf '#!/bin/sh\necho planted\n' >here/sprint-fetch
  chmod +x here/sprint-fetch
  unshare -m bash -c "mount -t tmpfs none /proc && cd here && OPENBLAS_NUM_THREADS=1 GOMP_SPINCOUNT=1 '$SPRINT' data get mnist --dir x" >stdout 2>stderr </dev/null
  equal "data get without /proc: exit code" 1 $?
  check "data get without /proc: the sentence" grep -q 'sprint-fetch.*cannot be found out without /proc' stderr
  check "data get without /proc: nothing planted runs" test ! -s stdout
fi
done_testing
