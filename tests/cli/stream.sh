#!/bin/bash
# Records that come one after the other: from a pipe, from a file that is being written, from a generator.
. "$(dirname "$0")/lib.sh"

# people FIRST LAST: rows of borrowers, a function of their numbers.
people() {
  awk -v first="$1" -v last="$2" 'BEGIN {
    for (i = first; i <= last; i++) {
      a = (i * 7919) % 1000 / 500 - 1
      b = (i * 104729) % 1009 / 504.5 - 1
      printf "%.4f,%.4f,%s\n", a, b, (a + b / 2 + (i * 31) % 101 / 101 > 0.5 ? "bad" : "good")
    }
  }'
}
header=debt,income,outcome
{ echo $header && people 1 3000; } >all.csv
cat >stream.yaml <<'YAML'
name: stream
data: {kind: stream, path: all.csv, label: outcome, window: 500, patience: 60}
model: {layers: "dense 4, relu, dense 1"}
shift: {kind: strategic, alpha: 0.2, good: good}
method: {kind: sgd, batch: 10, inner: 20}
step: {size: 0.1}
stop: {epochs: 5}
YAML

### A file, the same through a pipe, from standard input by name, through a FIFO: the same bytes
runs run stream.yaml --out file
check "its window is said" grep -q "without end, evaluated on a window of 500 rows" stdout
equal "stop" epochs "$(json file/run.json stop)"
equal "samples" 1000 "$(cell file/trace.csv samples -1)"
check "training has helped" awk -v a="$(cell file/trace.csv accuracy -1)" 'BEGIN { exit !(a > 0.7) }'
cat all.csv | "$SPRINT" run stream.yaml --set data.path=- --out pipe >stdout 2>stderr || fail "pipe: $(cat stderr)"
check "a pipe" cmp file/trace.csv pipe/trace.csv
check "and its model" cmp file/model.safetensors pipe/model.safetensors
"$SPRINT" run stream.yaml --set data.path=- --out given --threads 1 <all.csv >stdout 2>stderr || fail "$(cat stderr)"
check "standard input, one thread" cmp file/trace.csv given/trace.csv
mkfifo fifo
(cat all.csv >fifo) &
"$SPRINT" run stream.yaml --set data.path=fifo --out fifo.out </dev/null >stdout 2>stderr || fail "fifo: $(cat stderr)"
wait $!
check "a FIFO" cmp file/trace.csv fifo.out/trace.csv

### A writer who takes pieces in the middle of lines, quotes and all, changes nothing
sed 's/good/"good"/' all.csv | dd bs=7 2>/dev/null | "$SPRINT" run stream.yaml --set data.path=- --out slow >stdout 2>stderr ||
  fail "pieces: $(cat stderr)"
check "pieces" cmp file/trace.csv slow/trace.csv

### Several runs read a file each for themselves, also at the same time
runs run stream.yaml --set seeds='[1, 2]' --out seeds
check "the first of two" cmp file/trace.csv seeds/sgd/seed-1/trace.csv
SPRINT_EXPERIMENTS=. "$SPRINT" reproduce stream --set seeds='[1, 2]' --out jobs --jobs 2 </dev/null >stdout 2>stderr ||
  fail "reproduce: $(cat stderr)"
check "side by side" cmp file/trace.csv jobs/sgd/seed-1/trace.csv
check "side by side" cmp seeds/sgd/seed-2/trace.csv jobs/sgd/seed-2/trace.csv

### A file that grows: whoever follows it waits for what is being written, and no part of a line is a record
{ echo $header && people 1 600; } >growing.csv
(
  people 601 3000 | while read -r line; do
    printf '%s' "${line:0:5}"
    printf '%s\n' "${line:5}"
  done >>growing.csv
) &
"$SPRINT" run stream.yaml --set data.path=growing.csv --set data.follow=true --out growing </dev/null >stdout 2>stderr ||
  fail "follow: $(cat stderr)"
wait $!
check "a file that grows" cmp file/trace.csv growing/trace.csv

### The end of the stream: what was trained is kept, and it is said
{ echo $header && people 1 1203; } >short.csv
runs run stream.yaml --set data.path=short.csv --out short
check "the end is said" grep -q "^warning: sgd: the stream of records ended at epoch 3.5, before any of the bounds" stdout
equal "stop" stream "$(json short/run.json stop)"
equal "70 steps of 10, and three records that are no batch" 70 "$(cell short/trace.csv step -1)"
head -n 4 file/trace.csv >before
head -n 4 short/trace.csv | check "as far as it came" cmp before -
runs run stream.yaml --set data.path=short.csv --set method='{kind: sprint, snapshot: fixed, sample: 100, batch: 10, inner: 20}' --out short
equal "stop" stream "$(json short/run.json stop)"
# A snapshot of 100 and 20 batches of 10 are an epoch: 703 records are two of them and 103 more, all but 3 a snapshot.
equal "ended within the third snapshot's epoch" 40 "$(cell short/trace.csv step -1)"

# refused WORDS ARGUMENT...: sprint run stream.yaml fails with one sentence that has the words.
refused() {
  local words=$1
  shift
  n_checks=$((n_checks + 1))
  if "$SPRINT" run stream.yaml --out refused "$@" >stdout 2>stderr </dev/null; then
    wrong "run $* succeeded; '$words' was expected"
  elif [ "$(wc -l <stderr)" != 1 ] || ! grep -qF -- "$words" stderr; then
    wrong "run $*: '$(cat stderr)' does not say '$words'"
  fi
}

{ echo $header && people 1 300; } >tiny.csv
refused "tiny.csv: the stream ended after 300 records; the window alone takes 500" --set data.path=tiny.csv
{ echo $header && people 1 505; } >scant.csv
refused "after 500 records of the window and 5 more, before the first step: 5 of the 10" --set data.path=scant.csv
refused "standard input: the file is empty" --set data.path=-
(cat all.csv >fifo 2>/dev/null) &
refused "can be read by one run, and there are 2" --set data.path=fifo --set seeds='[1, 2]'
wait $!
refused "fifo: nothing has come for 0.2 seconds, after 0 records; the window alone takes 500" \
  --set data.path=fifo --set data.patience=0.2
refused "a pipe goes on until its writer closes it" --set data.path=fifo --set data.follow=true --set data.patience=0.2
refused "nothing has come for 0.2 seconds, after 300 records" --set data.path=tiny.csv --set data.follow=true \
  --set data.patience=0.2
refused "nosuch.csv: cannot be read" --set data.path=nosuch.csv
refused "there is no column 'outcom'; did you mean 'outcome'?" --set data.label=outcom

### What is wrong further down is found where it is: FILE:LINE
{ echo $header && people 1 700 && echo 0.1,0.2,unsure && people 701 3000; } >unseen.csv
refused "unseen.csv:702: column 3 'outcome': 'unsure' is none of the 2 classes of the window" --set data.path=unseen.csv
runs run stream.yaml --set data.path=unseen.csv --set 'data.classes=[good, bad, unsure]' \
  --set 'model.layers=dense 3' --set model.loss=softmax --out listed
equal "a class that is listed need not be in the window" epochs "$(json listed/run.json stop)"
refused "class 'unsure' is not in the window of 500 records" --set data.path=unseen.csv \
  --set 'data.classes=[good, bad, unsure]' --set 'model.layers=dense 3' --set model.loss=softmax --set shift=retention
refused "'bad' is none of the 2 classes under data.classes" --set 'data.classes=[good, ok]'
{ echo $header && people 1 800 && echo 0.1,abc,good && people 801 3000; } >cell.csv
refused "cell.csv:802: column 2 'income': 'abc' is not a number" --set data.path=cell.csv
{ echo $header && people 1 800 && echo 0.1,,good && people 801 3000; } >gap.csv
refused "gap.csv:802: column 2 'income': the value is missing" --set data.path=gap.csv
runs run stream.yaml --set data.path=gap.csv --set data.missing=drop --out dropped
check "a row that is dropped is not drawn" cmp file/trace.csv dropped/trace.csv
runs run stream.yaml --set data.path=gap.csv --set data.missing=median --out filled
{ echo $header && people 1 800 && echo 0.1,0.2 && people 801 3000; } >ragged.csv
refused "ragged.csv:802: 2 fields, the header has 3" --set data.path=ragged.csv

### A stall after training has begun: what was trained is kept, and the exit code is not 0
"$SPRINT" run stream.yaml --set data.path=short.csv --set data.follow=true --set data.patience=0.2 --out stalled \
  </dev/null >stdout 2>stderr
equal "exit code of a stall" 1 $?
check "one sentence" grep -q "no record came within the stream's patience in 1 run(s)" stderr
equal "stop" stalled "$(json stalled/run.json stop)"
equal "as many steps" 70 "$(cell stalled/trace.csv step -1)"

### What a population without end does not go with
endless="data={kind: lending, endless: true, window: 500}"
refused "'full' looks at everybody" --set "$endless" --set method.kind=sprint --set shift=none
refused "looks at everybody, and this population has no end" --set "$endless" --set method.kind=rgd --set shift=none
refused "people keep what they answered with" --set "$endless" --set 'shift={kind: strategic, good: 0, memory: accumulating}'
refused "who is replaced, and by whom" --set "$endless" --set 'shift={kind: chain, first: {kind: strategic, good: 0}, then: {kind: mixture, good: 0}}'
refused "has no n/b" --set "$endless" --set 'method={kind: sgd}' --set shift=none
refused "the population has no end" --set "$endless" --set engine=pixels --set shift=none
refused "has no n; its window has a size" --set 'data={kind: lending, endless: true, n: 100}'
refused "endless: true was expected" --set 'data={kind: lending, window: 100}'
refused "no mean over a population without end" --set 'data={kind: gaussian, endless: true, exact: true}'
refused "is held out already" --set data.holdout=0.2
refused "are not selected" --set data.select=balanced --set data.size=20

### A generator: the same bytes at any number of threads
for threads in 1 4; do
  runs run stream.yaml --set "$endless" --set "shift={kind: strategic, good: 0}" --set method.batch=64 --set eval.every=5 --out made-$threads --threads $threads
done
check "threads" cmp made-1/trace.csv made-4/trace.csv
check "threads" cmp made-1/model.safetensors made-4/model.safetensors

### Memory does not grow with the records seen: twenty times as many within the same bound
# peak ARGUMENT...: kilobytes that sprint run took at most.
peak() {
  python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$SPRINT" run stream.yaml --out many \
    --set method.inner=1000000 --set stop.epochs=0 --set shift=none "$@"
}
# steady WHAT FEW MANY: kilobytes; half a megabyte is what two runs of the same differ by, and 1.9 million records more
# would take 15 megabytes at a byte per feature.
steady() { check "$1: $2 and $3 kB" test "$3" -lt $(($2 + 512)); }
if [ "${SPRINT_SANITIZE:-}" != ON ]; then
  normal='data={kind: gaussian, endless: true, window: 500}'
  few=$(peak --set "$normal" --set 'model={loss: mean}' --set stop.samples=100000) || fail "a generator"
  many=$(peak --set "$normal" --set 'model={loss: mean}' --set stop.samples=2000000) || fail "a generator"
  steady "a generator" "$few" "$many"
  lines() { head -n 601 all.csv && yes 0.1,0.2,good | head -n "$1"; }
  few=$(lines 100000 | peak --set data.path=- --set stop.samples=100000) || fail "a pipe"
  many=$(lines 2000000 | peak --set data.path=- --set stop.samples=2000000) || fail "a pipe"
  steady "a pipe" "$few" "$many"
fi
done_testing
