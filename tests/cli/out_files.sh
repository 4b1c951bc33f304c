#!/bin/bash
# --out: what is written to, and what is left alone. Devices and FIFOs are written through, links stay links, inputs stay.
. "$(dirname "$0")/lib.sh"

train_small
runs predict $model data.csv
cp stdout scores.csv

# says CODE WORDS ARGUMENT...: sprint fails with the code, and its one sentence has the words.
says() {
  local code=$1 words=$2
  shift 2
  timeout 60 "$SPRINT" "$@" >stdout 2>stderr </dev/null
  local got=$?
  n_checks=$((n_checks + 1))
  [ $got = "$code" ] && [ "$(wc -l <stderr)" = 1 ] && grep -qF -- "$words" stderr ||
    wrong "sprint $*: exit code $got (expected $code): $(cat stderr) (expected '$words')"
}

### A FIFO is written to, and stays one
mkfifo pipe
timeout 60 cat pipe >through.csv &
reader=$!
runs predict $model data.csv --out pipe
check "the FIFO is still one" test -p pipe
wait $reader
check "what the reader got" cmp -s scores.csv through.csv
mkfifo substituted
timeout 60 cat substituted >substituted.csv &
reader=$!
runs predict $model data.csv --out /dev/fd/7 7>substituted
wait $reader
check "a descriptor, as bash's >(...) hands it over" cmp -s scores.csv substituted.csv

### A device too: one of our own, where we may make them
if mknod null c 1 3 2>/dev/null && : 2>/dev/null >null; then
  mknod full c 1 7
  chmod 666 null full
  runs predict $model data.csv --out null
  check "the device is still one" test -c null
  says 1 "full: cannot be written: No space left on device" predict $model data.csv --out full
  check "and so is this" test -c full
  ln -s full full.npy
  says 1 "full.npy: cannot be written: No space left on device" init c.yaml --out full.npy
  check "the link is still one" test -L full.npy
else
  echo "$me: devices cannot be made here; those checks are left out"
fi

### A file that may not grow: one sentence that says why, and nothing is left, whether stdio meets the limit early or last.
# Not where coverage is counted, whose own files would be too large.
if [ "$SPRINT_COVERAGE" != ON ]; then
  for rows in 200 20000; do
    (head -1 data.csv && yes "$(sed -n 2p data.csv)" | head -$rows) >long.csv
    (
      ulimit -f 1
      "$SPRINT" predict $model long.csv --out limited.csv
    ) >stdout 2>stderr
    equal "$rows rows into a file of 1 kB: exit code" 1 $?
    equal "$rows rows into a file of 1 kB" "sprint: limited.csv: cannot be written: File too large" "$(cat stderr)"
    check "$rows rows into a file of 1 kB: nothing is left" test -z "$(find . -name 'limited.csv*')"
  done
  (
    ulimit -f 1
    "$SPRINT" run c.yaml --out limited
  ) >stdout 2>stderr
  equal "a run whose files may not grow: exit code" 1 $?
  check "a run whose files may not grow: '$(cat stderr)'" grep -q 'cannot be written: File too large' stderr
  runs run c.yaml --out limited
fi

### Standard output by its other names: what is there already stays there
"$SPRINT" predict $model data.csv --out /dev/stdout >stdout.csv || fail "/dev/stdout"
check "/dev/stdout in a file" cmp -s scores.csv stdout.csv
echo before >appended.csv
"$SPRINT" predict $model data.csv --out /dev/stdout >>appended.csv || fail "/dev/stdout, appended to"
check "/dev/stdout, appended to" cmp -s <(echo before && cat scores.csv) appended.csv
"$SPRINT" predict $model data.csv --out /dev/stdout | cmp -s scores.csv - || fail "/dev/stdout in a pipe"
says 1 "/dev/fd/77: cannot be written" predict $model data.csv --out /dev/fd/77

### Parts that dead processes left are swept; one that is being written is not, nor is what only looks like one
mkdir parts
: >parts/a.csv.part-0123456789abcdef
: >parts/b.csv.part-0123456789abcdef
: >parts/a.csv.part-mine
ln -s ../scores.csv parts/a.csv.part-00000000000000ff
(
  flock 9
  runs predict $model data.csv --out parts/a.csv
) 9>parts/a.csv.part-fedcba9876543210 || exit 1
equal "swept" "a.csv a.csv.part-00000000000000ff a.csv.part-fedcba9876543210 a.csv.part-mine b.csv.part-0123456789abcdef" \
  "$(cd parts && echo *)"
check "the scores" cmp -s scores.csv parts/a.csv
rm -r parts

### A link stays, and what it leads to is replaced
mkdir elsewhere
echo old >elsewhere/target.csv
ln -s elsewhere/target.csv link.csv
ln -s link.csv link-to-link.csv
runs predict $model data.csv --out link-to-link.csv
check "both links are still links" test -L link.csv -a -L link-to-link.csv
check "the target has the scores" cmp -s scores.csv elsewhere/target.csv
ln -s elsewhere/not-there.csv dangling.csv
runs predict $model data.csv --out dangling.csv
check "a link to what is not there yet" test -L dangling.csv -a ! -L elsewhere/not-there.csv
check "and what it leads to now" cmp -s scores.csv elsewhere/not-there.csv
ln -s "$PWD/elsewhere/absolute.csv" absolute.csv
runs predict $model data.csv --out absolute.csv
check "an absolute link" cmp -s scores.csv elsewhere/absolute.csv
ln -s loop-b loop-a
ln -s loop-a loop-b
says 1 "loop-a: cannot be written: Too many levels of symbolic links" predict $model data.csv --out loop-a
says 1 "elsewhere: is a folder, a file was expected" predict $model data.csv --out elsewhere
says 1 "elsewhere/: is a folder, a file was expected" predict $model data.csv --out elsewhere/
says 1 "nowhere/x.csv: cannot be written: No such file" predict $model data.csv --out nowhere/x.csv

### Who may read it stays as it was
(umask 077 && echo mine >private.csv)
runs predict $model data.csv --out private.csv
equal "the permissions of a file that was there" "-rw-------" "$(ls -l private.csv | cut -c1-10)"
(umask 027 && "$SPRINT" predict $model data.csv --out masked.csv)
equal "and of a new one" "-rw-r-----" "$(ls -l masked.csv | cut -c1-10)"

### Inputs are not overwritten, by whatever name
ln data.csv hard.csv
ln -s data.csv soft.csv
cp data.csv kept.csv && cp $model kept.safetensors && cp c.yaml kept.yaml
for name in data.csv ./data.csv hard.csv soft.csv; do
  says 1 "$name: is the same file as data.csv, which is read" predict $model data.csv --out $name
done
says 1 "$model: is the same file as $model, which is read" predict $model data.csv --out $model
runs init c.yaml --out theta.npy
cp theta.npy kept.npy
says 1 "theta.npy: has been read, and would be overwritten" grad c.yaml --params theta.npy --out theta.npy
ln -s c.yaml config.npy
says 1 "config.npy: has been read, and would be overwritten" init c.yaml --out config.npy
runs data export c.yaml --out all
cat >npy.yaml <<'END'
data: {kind: npy, x: all-x.npy, y: all-y.npy}
model: {layers: dense 1}
END
cp all-x.npy kept-x.npy
says 1 "all-x.npy: has been read, and would be overwritten" data export npy.yaml --out all
for pair in "data.csv kept.csv" "$model kept.safetensors" "c.yaml kept.yaml" "theta.npy kept.npy" "all-x.npy kept-x.npy"; do
  check "unchanged: $pair" cmp -s $pair
done

check "no temporary files" no_parts .

done_testing
