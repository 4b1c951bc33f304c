#!/bin/bash
# Fetching, against a server on loopback that cuts, lies and goes away; and `sprint data get` itself.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
: "${SPRINT_FETCH_TOOL:?the path of fetch_tool}"
unset SPRINT_MIRROR SPRINT_DATA XDG_DATA_HOME http_proxy https_proxy all_proxy
export HOME=$folder/home

mkdir served served/credit served/mnist
awk 'BEGIN { srand(3); for (i = 0; i < 9000; i++) printf "%d,%.6f\n", i, rand() }' >served/numbers.csv
size=$(wc -c <served/numbers.csv)
sum=$(sha256sum <served/numbers.csv | cut -d ' ' -f 1)
mkdir -p packed/inner
printf 'first\n' >packed/inner/a.txt
printf 'second one\n' >packed/inner/b.txt
printf 'not wanted\n' >packed/inner/c.txt
tar -C packed -czf served/made.tar.gz inner
tar_size=$(wc -c <served/made.tar.gz)
tar_sum=$(sha256sum <served/made.tar.gz | cut -d ' ' -f 1)
python3 - <<'END'
import zipfile
with zipfile.ZipFile("served/made.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("credit_data.csv", "a,b\n1,2\n")
END
zip_size=$(wc -c <served/made.zip)
zip_sum=$(sha256sum <served/made.zip | cut -d ' ' -f 1)
head -c 5000 served/numbers.csv >served/mnist/train-images-idx3-ubyte.gz
head -c 2740055 /dev/zero >served/credit/credit_data.zip

: >log
python3 "$here/server.py" served port log 2000 &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$folder"' EXIT
for _ in $(seq 100); do
  [ -s port ] && break
  read -r -t 0.1 <> <(:)
done
[ -s port ] || fail "the server did not start"
at=http://127.0.0.1:$(cat port)

# fetch HOW FOLDER: the file of numbers; fetches and fails_to_fetch say what is expected.
fetch() { "$SPRINT_FETCH_TOOL" "$2" numbers.csv "$size" "$sum" "$at/$1/" >stdout 2>stderr </dev/null; }
fetches() {
  fetch "$1" "$2" || fail "$1: $(cat stderr)"
  check "$1: nothing on stderr" test ! -s stderr
  check "$1: the bytes" cmp -s served/numbers.csv "$2/numbers.csv"
  equal "$1: nothing else is left" numbers.csv "$(ls "$2")"
}
fails_to_fetch() {
  local how=$1 to=$2 words=$3
  fetch "$how" "$to"
  equal "$how: exit code" 1 $?
  check "$how: '$words' in '$(cat stderr)'" grep -qF "$words" stderr
  equal "$how: one line" 1 "$(wc -l <stderr)"
  check "$how: nothing under the final name" test ! -e "$to/numbers.csv"
}
requests() { grep -c "^/$1/" log; }

fetches plain plain
fetches moved moved

### Already there: checked, not fetched again; something else is left alone
n=$(requests plain)
fetch plain plain || fail "already there: $(cat stderr)"
check "already there: is said" grep -q 'is there already' stdout
equal "already there: no request" "$n" "$(requests plain)"
mkdir other
echo mine >other/numbers.csv
fetch plain other
equal "another file: exit code" 1 $?
check "another file: the sentence" grep -q 'SHA-256 sum .* was expected; it was there already and is left' stderr
equal "another file: left as it is" mine "$(cat other/numbers.csv)"

### Cuts: resumed within a call as long as more comes, and in the next call
fetches cut-30000 cut
check "cut: asked for the rest" grep -q '^/cut-30000/numbers.csv bytes=30000-$' log
mkdir later
head -c 70000 served/numbers.csv >later/numbers.csv.part
fetches plain later
check "later: asked for the rest alone" grep -q '^/plain/numbers.csv bytes=70000-$' log
check "later: is said" grep -q '^resuming' stdout
fetches norange-20000 norange
check "norange: a range was asked for" grep -q '^/norange-20000/numbers.csv bytes=20000-$' log
fails_to_fetch nolength-1000 nolength "gives 1000 bytes, $size were expected"
check "nolength: what came is kept for the next time" test -s nolength/numbers.csv.part
fetches plain nolength

### A part that is not of this file, or too long, or answered with another range
mkdir stale long liar
head -c 70000 /dev/zero >stale/numbers.csv.part
fetches plain stale
head -c $((size + 10)) /dev/zero >long/numbers.csv.part
fetches plain long
head -c 70000 served/numbers.csv >liar/numbers.csv.part
fetches liar liar

### Wrong bytes, too many, none
fails_to_fetch wrong wrong "SHA-256 sum"
equal "wrong: removed" "" "$(ls wrong)"
fails_to_fetch long toolong "gives more than the $size bytes"
fails_to_fetch missing missing "the server answers 404"
check "missing: where to put it" grep -qF "without a network, put the file numbers.csv at missing/numbers.csv" stderr
equal "missing: nothing is left" "" "$(ls missing)"

### Mirrors in order: gone, 404, wrong bytes, then a good one
"$SPRINT_FETCH_TOOL" mirrors numbers.csv "$size" "$sum" \
  "http://127.0.0.1:9/,$at/missing/,$at/wrong/,$at/plain/" >stdout 2>stderr || fail "mirrors: $(cat stderr)"
check "mirrors: the bytes" cmp -s served/numbers.csv mirrors/numbers.csv
check "mirrors: the first failure is said" grep -q '^http://127.0.0.1:9/numbers.csv: cannot be fetched: ' stdout

### Archives
"$SPRINT_FETCH_TOOL" tar made.tar.gz "$tar_size" "$tar_sum" "$at/cut-100/" inner/a.txt deep/er/a.txt 6 \
  inner/b.txt b.txt 11 >stdout 2>stderr || fail "tar: $(cat stderr)"
equal "tar: a" first "$(cat tar/deep/er/a.txt)"
equal "tar: b" "second one" "$(cat tar/b.txt)"
equal "tar: nothing else" "b.txt deep deep/er deep/er/a.txt made-up.sha256" "$(cd tar && find . -mindepth 1 | sed 's,^./,,' | sort | xargs)"
n=$(requests cut-100)
"$SPRINT_FETCH_TOOL" tar made.tar.gz "$tar_size" "$tar_sum" "$at/cut-100/" inner/a.txt deep/er/a.txt 6 \
  inner/b.txt b.txt 11 >stdout 2>stderr || fail "tar again: $(cat stderr)"
equal "tar again: no request" "$n" "$(requests cut-100)"
"$SPRINT_FETCH_TOOL" zip made.zip "$zip_size" "$zip_sum" "$at/plain/" credit_data.csv credit/cs-training.csv 8 \
  >stdout 2>stderr || fail "zip: $(cat stderr)"
equal "zip" "a,b 1,2" "$(xargs <zip/credit/cs-training.csv)"
unpacks_not() {
  local what=$1 words=$2
  shift 2
  "$SPRINT_FETCH_TOOL" "$what" "$@" >stdout 2>stderr
  equal "$what: exit code" 1 $?
  check "$what: '$words' in '$(cat stderr)'" grep -qF "$words" stderr
  check "$what: no half file" test -z "$(find "$what" -name '*.txt*')"
}
unpacks_not lacks "has no member inner/z.txt" made.tar.gz "$tar_size" "$tar_sum" "$at/plain/" inner/a.txt a.txt 6 \
  inner/z.txt z.txt 5
unpacks_not sizes "member inner/a.txt does not have the 7 bytes" made.tar.gz "$tar_size" "$tar_sum" "$at/plain/" \
  inner/a.txt a.txt 7
head -c $((tar_size - 40)) served/made.tar.gz >served/short.tar.gz
unpacks_not broken "cannot be unpacked" short.tar.gz $((tar_size - 40)) "$(sha256sum <served/short.tar.gz | cut -d ' ' -f 1)" \
  "$at/plain/" inner/a.txt a.txt 6 inner/b.txt b.txt 11
unpacks_not plainfile "cannot be unpacked" numbers.csv "$size" "$sum" "$at/plain/" inner/a.txt a.txt 6

### A second program that fetches the same
mkdir locked
(
  flock 9
  echo begun >&9
  fails_to_fetch plain locked "is being fetched by another program"
  equal "the other program's part is left alone" begun "$(cat locked/numbers.csv.part)"
) 9>locked/numbers.csv.part || exit 1

### The command: the mirror of SPRINT_MIRROR has other bytes, or nothing, or is gone
refuses() {
  local words=$1
  shift
  "$SPRINT" "$@" >stdout 2>stderr </dev/null
  equal "sprint $*: exit code" 1 $?
  check "sprint $*: '$words' in '$(cat stderr)'" grep -qF "$words" stderr
  equal "sprint $*: one line" 1 "$(wc -l <stderr)"
}
export SPRINT_MIRROR=$at/plain
refuses "gives 5000 bytes, 9912422 were expected" data get mnist --dir sets
check "mnist: nothing is left" test -z "$(find sets/mnist -type f)"
check "mnist: below the set's name" grep -q '^/plain/mnist/train-images-idx3-ubyte.gz ' log
refuses "has the SHA-256 sum" data get credit --dir sets
check "credit: nothing is left" test -z "$(find sets/credit -type f)"
refuses "the server answers 404" data get cifar10 --dir sets
check "cifar10: where to put it" grep -qF "put the file cifar-10-binary.tar.gz at sets/cifar-10-binary.tar.gz" stderr
SPRINT_MIRROR=http://127.0.0.1:9/ refuses "cannot be fetched" data get fashion-mnist
check "fashion: the default folder" grep -qF "at $HOME/.local/share/sprint/fashion-mnist/train-images-idx3-ubyte.gz" stderr

cp "$SPRINT" alone
./alone data get mnist >stdout 2>stderr
equal "without sprint-fetch: exit code" 1 $?
check "without sprint-fetch" grep -q "/sprint-fetch, which does the fetching, cannot be run: No such file" stderr

### Complete by what is in them: sizes alone do not do. Batches of made-up images with ten classes stand for CIFAR-10's
mkdir -p zeros/cifar-10-batches-bin whole/cifar-10-batches-bin
python3 - <<'END'
import random
r = random.Random(4)
for name in [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]:
    pixels = r.randbytes(3072 + 10000)
    with open(f"whole/cifar-10-batches-bin/{name}.bin", "wb") as out:
        for i in range(10000):
            out.write(bytes([i % 10]) + pixels[i:i + 3072])
END
for batch in whole/cifar-10-batches-bin/*.bin; do truncate -s 30730000 zeros/cifar-10-batches-bin/"$(basename "$batch")"; done
n=$(wc -l <log)
runs data get cifar10 --dir whole
runs data check whole
equal "check: six batches, right by what is in them" 6 "$(grep -c 'right, by its labels and images; there is no sum' stdout)"
refuses "zeros/cifar-10-batches-bin/data_batch_1.bin: does not have ten classes" data get cifar10 --dir zeros
check "zeros: what to do" grep -q 'left as it is: move it away' stderr
equal "whole: no request" "$n" "$(wc -l <log)"
"$SPRINT" data check zeros >stdout 2>stderr
equal "check zeros: exit code" 1 $?
equal "check zeros: each is named" 6 "$(grep -c 'does not have ten classes' stderr)"
runs data list --data zeros
check "list: zeros are not complete" grep -q '^cifar10 *not complete in zeros: cifar-10-batches-bin/data_batch_1.bin is missing, or' stdout
mkdir zeros/credit
truncate -s 7564965 zeros/credit/cs-training.csv
refuses "zeros/credit/cs-training.csv: has the SHA-256 sum" data get credit --dir zeros
rm -r zeros
runs data list --data whole
check "list: cifar10" grep -q '^cifar10 *complete in whole$' stdout
check "list: mnist" grep -q '^mnist *not here; `sprint data get mnist` fetches it$' stdout
check "list: where" grep -q '^looked for in the working folder, then in the data folder whole$' stdout
(cd whole && sha256sum cifar-10-batches-bin/*.bin >cifar10.sha256)
runs data check cifar10 --data whole
equal "check: by the sums noted" 6 "$(grep -c 'right, by the sum noted when it was unpacked' stdout)"
printf x | dd of=whole/cifar-10-batches-bin/data_batch_3.bin bs=1 seek=5000000 conv=notrunc 2>/dev/null
refuses "data_batch_3.bin: has the SHA-256 sum" data check whole
printf '\377' | dd of=whole/cifar-10-batches-bin/data_batch_3.bin bs=1 seek=3073 conv=notrunc 2>/dev/null
rm whole/cifar10.sha256
refuses "data_batch_3.bin: does not have ten classes" data check whole
dd if=/dev/zero of=whole/cifar-10-batches-bin/data_batch_4.bin bs=3072 seek=1 count=1 oflag=seek_bytes conv=notrunc 2>/dev/null
dd if=/dev/zero of=whole/cifar-10-batches-bin/data_batch_4.bin bs=3072 seek=30731 count=1 oflag=seek_bytes conv=notrunc 2>/dev/null
"$SPRINT" data check whole >stdout 2>stderr
check "check: an image of zeros" grep -q 'data_batch_4.bin: image 0 is one value throughout' stderr
truncate -s 30730001 whole/cifar-10-batches-bin/test_batch.bin
SPRINT_DATA=whole runs data list
check "list: a wrong size" grep -q '^cifar10 *not complete in whole: cifar-10-batches-bin/data_batch_3.bin is missing, or' stdout
"$SPRINT" data check nosuch >stdout 2>stderr
equal "check: neither a set nor a folder" 2 $?
mkdir empty
refuses "any public set is not in empty" data check empty
refuses "mnist is not in the working folder" data check mnist

### Sums are noted by get
equal "noted sums" "$(cd tar && sha256sum deep/er/a.txt b.txt)" "$(cat tar/made-up.sha256)"

### Links and others' files under the names of parts are not written to
unset SPRINT_MIRROR
echo precious >precious
mkdir linked hardlinked
ln -s ../precious linked/numbers.csv.part
fails_to_fetch plain linked "is a link; move it away"
ln precious hardlinked/numbers.csv.part
fails_to_fetch plain hardlinked "is not a regular file of our own"
mkdir linktar linktar/deep linktar/deep/er
ln -s ../../../precious linktar/deep/er/a.txt.part
"$SPRINT_FETCH_TOOL" linktar made.tar.gz "$tar_size" "$tar_sum" "$at/plain/" inner/a.txt deep/er/a.txt 6 >stdout 2>stderr
equal "unpacking over a link: exit code" 1 $?
check "unpacking over a link: the sentence" grep -q 'deep/er/a.txt.part: is a link' stderr
equal "precious is" precious "$(cat precious)"
mkdir -p left
echo left over >left/a.txt.part
"$SPRINT_FETCH_TOOL" left made.tar.gz "$tar_size" "$tar_sum" "$at/plain/" inner/a.txt a.txt 6 >stdout 2>stderr || fail "left: $(cat stderr)"
equal "a part left over from a dead process is begun anew" first "$(cat left/a.txt)"
check "and is gone" test ! -e left/a.txt.part

### What is there, held against its sums: of the file, of what gzip packed, of members, or their sizes alone
looks_at() { # WORDS CODE ARGUMENT...
  local words=$1 code=$2
  shift 2
  "$SPRINT_FETCH_TOOL" "$@" >stdout 2>stderr
  equal "check $*: exit code" "$code" $?
  check "check $*: '$words' in '$(cat stdout stderr)'" grep -qF -- "$words" stdout stderr
}
mkdir looked
cp served/numbers.csv looked
gzip -n -9 <served/numbers.csv >looked/packed.gz
head -c 3000 looked/packed.gz >looked/cut.gz
looks_at "looked/numbers.csv: right, by its SHA-256 sum" 0 looked numbers.csv "$size" "$sum" check
looks_at "packed.gz: has the SHA-256 sum" 1 looked packed.gz 1 "$tar_sum" check
looks_at "the SHA-256 sum of its contents, which are packed otherwise" 0 looked packed.gz 1 "$tar_sum" "check=$sum"
looks_at "packed.gz: has the SHA-256 sum" 1 looked packed.gz 1 "$tar_sum" "check=$tar_sum"
looks_at "cut.gz: is damaged: it cannot be unpacked to its end" 1 looked cut.gz 1 "$tar_sum" "check=$sum"
looks_at "nothing.gz: cannot be read" 1 looked nothing.gz 1 "$tar_sum" "check=$sum"
looks_at "tar/b.txt: right, by the sum noted" 0 tar made.tar.gz "$tar_size" "$tar_sum" check inner/b.txt b.txt 11
looks_at "tar/b.txt: has 11 bytes, 12 were expected" 1 tar made.tar.gz "$tar_size" "$tar_sum" check inner/b.txt b.txt 12
looks_at "tar/c.txt: is missing" 1 tar made.tar.gz "$tar_size" "$tar_sum" check inner/c.txt c.txt 12
rm tar/made-up.sha256
looks_at "tar/b.txt: right, by its size; there is no sum" 0 tar made.tar.gz "$tar_size" "$tar_sum" check inner/b.txt b.txt 11

### Archives whose names begin with ./, and that have a member twice
tar -C packed -czf served/dotted.tar.gz ./inner
dotted=(dotted.tar.gz "$(wc -c <served/dotted.tar.gz)" "$(sha256sum <served/dotted.tar.gz | cut -d ' ' -f 1)" "$at/plain/")
"$SPRINT_FETCH_TOOL" dotted "${dotted[@]}" inner/a.txt a.txt 6 >stdout 2>stderr || fail "dotted: $(cat stderr)"
equal "dotted" first "$(cat dotted/a.txt)"
tar -C packed -cf served/twice.tar inner/a.txt
tar -C packed -rf served/twice.tar inner/a.txt
unpacks_not twice "has two members inner/a.txt" twice.tar "$(wc -c <served/twice.tar)" \
  "$(sha256sum <served/twice.tar | cut -d ' ' -f 1)" "$at/plain/" inner/a.txt a.txt 6

### A file where a folder should be
echo file >file
fails_to_fetch plain file/sub "the folder cannot be made"

### A bar, on a terminal alone
if command -v script >/dev/null; then
  script -qec "'$SPRINT_FETCH_TOOL' bar numbers.csv $size $sum $at/cut-30000/" /dev/null </dev/null >typed || fail "bar: $(cat typed)"
  check "bar" grep -q 'numbers.csv \[#* *\] *[0-9]* %  0.[0-9] of 0.1 MB  [0-9.]* MB/s' typed
  check "bar: the bytes" cmp -s served/numbers.csv bar/numbers.csv
fi

### Every call about a file fails once: a sentence and nothing under the final names, or all of it
calls=$(dirname "$SPRINT_FETCH_TOOL")/fail_calls.so
fetch_failing() { # NUMBER
  rm -rf failing
  head -c 256 /dev/zero >state
  LD_PRELOAD=$calls SPRINT_CALLS_UNDER=/failing SPRINT_CALLS_STATE=state SPRINT_CALLS_DO=EIO SPRINT_CALLS_AT=$1 \
    "$SPRINT_FETCH_TOOL" failing made.tar.gz "$tar_size" "$tar_sum" "$at/cut-100/" inner/a.txt a.txt 6 inner/b.txt b.txt 11 >stdout 2>stderr
}
filtered=no
if [ "$SPRINT_SANITIZE" != ON ] && [ -e "$calls" ]; then
  fetch_failing 100000 && filtered=yes # exit 120: the kernel does not let us
fi
if [ $filtered = yes ]; then
  n=$(od -An -tu4 -N4 state | tr -d ' ')
  check "calls are counted" test "$n" -gt 20
  for ((k = 1; k <= n; k++)); do
    fetch_failing $k
    code=$?
    [ $code -le 1 ] || wrong "call $k: exit $code: $(cat stderr)"
    [ $code = 0 ] || [ -s stderr ] || wrong "call $k: exit 1 without a word"
    [ $code = 1 ] || [ "$(cat failing/a.txt failing/b.txt)" = "first
second one" ] || wrong "call $k: exit 0 and not all of it"
    [ ! -e failing/a.txt ] || [ "$(cat failing/a.txt)" = first ] || wrong "call $k: half a file"
  done
fi

kill $server 2>/dev/null
wait $server 2>/dev/null
fails_to_fetch plain gone "cannot be fetched"
done_testing
