#!/bin/bash
# Killed, at any moment, and started again: the finished files are those of a run that was never stopped. SPRINT_KILLS
# says how many kills there are (default 20; `make torture` has 200).
. "$(dirname "$0")/lib.sh"

kills=${SPRINT_KILLS:-20}
[ "${SPRINT_SANITIZE:-OFF}" = OFF ] || kills=6
cat >c.yaml <<'END'
data: {kind: lending, n: 3000, holdout: 0.2}
model: {layers: "dense 16, relu, dense 1"}
shift: {kind: strategic, good: 0, alpha: 0.3, memory: accumulating}
method: {batch: 8}
stop: {epochs: 6}
compare:
  - {name: unbiased, method: {kind: sprint}}
  - {name: saga, method: {kind: saga}}
  - {name: page, method: {kind: page, correction: stratified}, step: {kind: momentum}}
END
runs run c.yaml --out whole --jobs 1
names=$(cd whole && echo */seed-1/trace.csv */seed-1/model.safetensors)

# same FOLDER: its files are those of the run that was never stopped, and nothing is left over.
same() {
  local name
  for name in $names; do
    check "$1/$name differs from that of a run that was never stopped" cmp -s whole/$name "$1/$name"
  done
  check "$1: something unfinished was left" test -z "$(find "$1" -name unfinished -o -name saving -o -name complete)"
  check "$1: temporary files" no_parts "$1"
}

### Killed again and again, until it is done
killed=0 folder=0
while [ $killed -lt $kills ]; do
  folder=$((folder + 1))
  for _ in $(seq 100); do
    setsid "$SPRINT" run c.yaml --out parts-$folder --jobs 1 --checkpoint 0.0005 >stdout 2>stderr </dev/null &
    pid=$!
    sleep 0.$((RANDOM % 6))$((RANDOM % 10))
    kill -KILL -- -$pid 2>/dev/null && [ $killed -lt $kills ] || break
    wait $pid 2>/dev/null
    killed=$((killed + 1))
  done
  wait
  runs run c.yaml --out parts-$folder --jobs 1 --threads 1
  same parts-$folder
done

### Folders within that of a run are cleared: links in their place lead to what is somebody else's
for within in saving complete unfinished; do
  mkdir -p linked-$within/saga/seed-1 others
  echo precious >others/thesis.tex
  ln -s "$PWD/others" linked-$within/saga/seed-1/$within
  "$SPRINT" run c.yaml --only saga --out linked-$within >stdout 2>stderr
  equal "a link as '$within': exit code" 1 $?
  check "a link as '$within': '$(cat stderr)'" grep -q "/$within: is a link; a folder was expected" stderr
  equal "a link as '$within': what it leads to" thesis.tex "$(ls others)"
  rm linked-$within/saga/seed-1/$within
  runs run c.yaml --only saga --out linked-$within
done

### A signal: what was done is kept, exit code 128 and the signal
sed 's/epochs: 6/epochs: 2000/' c.yaml >long.yaml
for signal in HUP:129 INT:130 USR1:138 PIPE:141 TERM:143 XCPU:152 XFSZ:153; do
  rm -rf stopped
  "$SPRINT" run long.yaml --out stopped --jobs 1 >stdout 2>stderr &
  pid=$!
  until grep -q . stopped/unbiased/seed-1/unfinished/trace.csv 2>/dev/null; do sleep 0.05; done
  sleep 0.3
  kill -s ${signal%:*} $pid
  wait $pid
  equal "$signal: exit code" ${signal#*:} $?
  check "$signal: a checkpoint" test -s stopped/unbiased/seed-1/unfinished/checkpoint
  check "$signal: no half of a run" test ! -e stopped/unbiased/seed-1/run.json
  check "$signal: it says so" grep -q '^interrupted; ' stdout
done

### The same signal to the command and to its group, as `timeout` sends it, is one; the parent still waits for its child
sed 's/epochs: 6/epochs: 1000000/' c.yaml >longer.yaml
for turn in first second; do # nobody is left in the folder, or the second were refused
  timeout -s TERM 3 "$SPRINT" run longer.yaml --out grouped --jobs 1 >stdout 2>stderr
  check "a group's signal, $turn: it says so" grep -q '^interrupted; ' stdout
done

### Nobody reads what it prints
"$SPRINT" run c.yaml --out piped --jobs 1 | head -n 1 >/dev/null
runs run c.yaml --out piped --jobs 1
same piped

### A damaged checkpoint: the one before, and a word of it; both damaged: from the start
# A run of its own, long enough to be stopped.
sed -e 's/epochs: 6/epochs: 60/' c.yaml >hurt.yaml
runs run hurt.yaml --out unhurt --jobs 1 --only saga
stop_in_the_middle() {
  rm -rf hurt
  "$SPRINT" run hurt.yaml --out hurt --jobs 1 --only saga --checkpoint 0.0005 >stdout 2>stderr &
  pid=$!
  until [ -s hurt/saga/seed-1/unfinished/checkpoint.before ]; do sleep 0.01; done
  kill -TERM $pid
  wait $pid
  equal "stopped" 143 $?
  unfinished=hurt/saga/seed-1/unfinished
}
goes_on() {
  "$SPRINT" run hurt.yaml --out hurt --jobs 1 --only saga >stdout 2>stderr || fail "did not go on: $(cat stderr)"
  check "says '$1': $(cat stderr)" grep -q "$1" stderr
  check "the same model" cmp -s unhurt/saga/seed-1/model.safetensors hurt/saga/seed-1/model.safetensors
  check "the same trace" cmp -s unhurt/saga/seed-1/trace.csv hurt/saga/seed-1/trace.csv
}
stop_in_the_middle
goes_on ': goes on from epoch '
stop_in_the_middle
printf 'x' | dd of=$unfinished/checkpoint bs=1 seek=1000 conv=notrunc 2>/dev/null
goes_on ': the newest checkpoint is damaged, the one before is whole: goes on from epoch '
stop_in_the_middle
truncate -s 100 $unfinished/checkpoint
: >$unfinished/checkpoint.before
goes_on ': begins anew: its checkpoint in .* is damaged'
stop_in_the_middle
sed -i 's/alpha: 0.3/alpha: 0.2/' hurt.yaml
"$SPRINT" run hurt.yaml --out hurt --jobs 1 --only saga >stdout 2>stderr || fail "other settings: $(cat stderr)"
check "other settings begin anew" grep -q ': begins anew: what is unfinished is of other settings' stderr
check "and what was begun is set aside" test -s hurt/saga/seed-1/unfinished-before/checkpoint

### On another kind of processor, as OpenBLAS sees it: it goes on, and a word says that bytes may be others
sed -i 's/alpha: 0.2/alpha: 0.3/' hurt.yaml
stop_in_the_middle
OPENBLAS_CORETYPE=Prescott "$SPRINT" run hurt.yaml --out hurt --jobs 1 --only saga >stdout 2>stderr || fail "elsewhere: $(cat stderr)"
check "says where it was begun: $(cat stderr)" grep -q ': goes on from epoch .*, which was reached on another kind of processor (.*): the last digits may be others' stderr
stop_in_the_middle
goes_on ': goes on from epoch [0-9.]*$'

### One writer to a folder
"$SPRINT" run long.yaml --out busy --jobs 1 >stdout.1 2>&1 &
pid=$!
until [ -e busy/unbiased/seed-1/unfinished/trace.csv ]; do sleep 0.05; done
refused "busy: another process is writing there" run long.yaml --out busy
kill -TERM $pid
wait $pid

### A finished run whose files were changed is no finished run
rm -rf out && cp -r whole out
runs run c.yaml --out out --jobs 1
check "kept" grep -q '^3 runs are in out finished before and kept$' stdout
: >out/saga/seed-1/trace.csv
rm out/page/seed-1/model.safetensors
runs run c.yaml --out out --jobs 1
check "two are done again" grep -q '^1 run is in out finished before and kept$' stdout
same out

### A child whose parent dies ends, and nothing is lost
"$SPRINT" run long.yaml --out orphan --jobs 2 >stdout 2>stderr &
pid=$!
until [ -e orphan/saga/seed-1/unfinished/trace.csv ]; do sleep 0.05; done
kill -KILL $pid
wait $pid 2>/dev/null
all_ended() { ! pgrep -f "run long.yaml --out orphan" >/dev/null; }
for _ in $(seq 60); do
  all_ended && break
  sleep 0.1
done
check "children outlive their parent" all_ended

done_testing
