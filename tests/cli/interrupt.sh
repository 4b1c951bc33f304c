#!/bin/bash
# Ctrl-C and TERM: the run stops, keeps what it has, and says so by its exit code.
. "$(dirname "$0")/lib.sh"

cat >long.yaml <<'END'
data: {kind: lending, n: 500}
method: {kind: sgd, batch: 10}
stop: {epochs: 100000000}
eval: {every: 100}
compare:
  - {name: first, method: {kind: sgd}}
  - {name: second, method: {kind: sgd}}
END

# Whether the process listens for SIGINT yet: it is no longer the shell that started it, and bit 1 of its caught signals
# is set.
listens() {
  local caught
  [ "$(readlink "/proc/$1/exe")" = "$(readlink -f "$SPRINT")" ] || return 1
  caught=$(awk '/^SigCgt/ { print $2 }' "/proc/$1/status" 2>/dev/null)
  [ -n "$caught" ] && (((16#$caught & 2) != 0))
}

# interrupt SIGNAL CODE
interrupt() {
  rm -rf out
  "$SPRINT" run long.yaml --jobs 1 --out out >stdout 2>stderr &
  local pid=$! code tries=0
  while ! { listens $pid && test -s out/first/seed-1/unfinished/trace.csv; }; do # before that there is nothing to keep
    kill -0 $pid 2>/dev/null || fail "the run ended by itself: $(cat stderr)"
    tries=$((tries + 1))
    [ $tries -lt 600 ] || fail "the run never listened, or never began"
    sleep 0.1
  done
  kill -s "$1" $pid
  wait $pid
  code=$?
  equal "$1: exit code" "$2" $code
  check "$1: nothing on stderr" test ! -s stderr
  check "$1: it says so" grep -q '^interrupted; what was done is in out, and the same command goes on from there$' stdout
  equal "$1: the run under way is kept, the next one not begun" "first/seed-1" "$(cd out && echo */*)"
  equal "$1: as what it is" "unfinished" "$(cd out/first/seed-1 && echo *)"
  equal "$1: files" "checkpoint timing.csv trace.csv" "$(cd out/first/seed-1/unfinished && echo * | sed 's/ checkpoint.before//')"
  check "$1: no temporary files" no_parts out
  check "$1: the trace has rows" test "$(rows out/first/seed-1/unfinished/trace.csv)" -ge 1
  equal "$1: every row is whole" 24 "$(awk -F, '{ print NF }' out/first/seed-1/unfinished/trace.csv | sort -u)"
}
interrupt INT 130
interrupt TERM 143

### What was interrupted is no finished run: the same command takes it up again
sed -i 's/epochs: 100000000/epochs: 3/' long.yaml
"$SPRINT" run long.yaml --out out >stdout 2>stderr || fail "other settings: $(cat stderr)"
check "other settings begin anew" grep -q '^first/seed-1: begins anew: ' stderr
check "both are trained" grep -q '^2 runs' stdout
sed -i 's/"stop": "epochs"/"stop": "requested"/' out/first/seed-1/run.json
runs run long.yaml --out out
check "one is kept" grep -q '^1 run is in out finished before and kept$' stdout
check "and one trained" grep -q '^1 run, ' stdout
equal "to its end" epochs "$(json out/first/seed-1/run.json stop)"

done_testing
