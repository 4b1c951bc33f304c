#!/usr/bin/env bash
# Runs that diverge: an exit code of their own, no model to act on by mistake, and the last sound parameters.
. "$(dirname "$0")/lib.sh"

cat >c.yaml <<'C'
data: {kind: lending, n: 200}
model: {layers: dense 1, loss: squared}
shift: none
method: {kind: sgd, batch: 8}
step: {size: 1e6}
stop: {epochs: 3}
C

# ends CODE ARGUMENT...: sprint ends with this code.
ends() {
  local code=$1
  shift
  "$SPRINT" "$@" >stdout 2>stderr </dev/null
  equal "sprint $*: exit code" "$code" $?
}

### Exit codes, and what is left of a run
ends 0 run c.yaml --out both --set step.size=0.01
equal "files of a run" "model.safetensors run.json summary.csv summary.json timing.csv trace.csv" "$(files both)"
ends 3 run c.yaml --out both
equal "said in run.json" diverged "$(json both/run.json stop)"
equal "no model of an older run stays" "last-finite.safetensors run.json summary.csv summary.json timing.csv trace.csv" "$(files both)"
ends 0 run c.yaml --out good --set step.size=0.01
mkdir here && cp c.yaml here/mine.yaml
SPRINT_EXPERIMENTS=here ends 3 reproduce mine --out again
SPRINT_EXPERIMENTS=here ends 3 reproduce mine --out again # kept, and still diverged
ends 0 compare c.yaml --methods sgd,rgd --budget epochs=2 --out ranked --seeds 2


### Nothing is predicted with what diverged, unless somebody insists
ends 1 predict both/last-finite.safetensors nobody.csv
check "says so, and what to do: $(cat stderr)" grep -q 'both/last-finite.safetensors: its run diverged.*--anyway' stderr
ends 1 predict both/last-finite.safetensors nobody.csv --anyway
check "then it is about the data: $(cat stderr)" grep -q '^sprint: nobody.csv: ' stderr
ends 2 predict both/last-finite.safetensors nobody.csv --anyway=yes

### A run is finished if its files are there
SPRINT_EXPERIMENTS=here ends 0 reproduce mine --out kept --set step.size=0.01
SPRINT_EXPERIMENTS=here ends 0 reproduce mine --out kept --set step.size=0.01
check "kept" grep -q 'finished before and kept' stdout
for file in trace.csv timing.csv model.safetensors; do
  rm "kept/sgd/seed-1/$file"
  SPRINT_EXPERIMENTS=here ends 0 reproduce mine --out kept --set step.size=0.01
  check "run again without its $file" test -e "kept/sgd/seed-1/$file"
done

done_testing
