#!/bin/bash
# The same config and seed give the same bytes at any number of threads, for every method, in both precisions.
. "$(dirname "$0")/lib.sh"

# Rows by the thousand on 769 parameters: batches of 2000 are worth several lanes (src/base/lanes.c), and so is a pass.
# Under sanitizers fewer people, still in several lanes, of whom all remember.
n=20000 batch=2000 memories="stateless accumulating"
[ "${SPRINT_SANITIZE:-OFF}" = OFF ] || n=2000 batch=1000 memories=accumulating
cat >base.yaml <<END
data: {kind: lending, n: $n}
model: {layers: "dense 64, relu, dense 1"}
shift: {kind: strategic, good: 0, alpha: 0.3}
method: {batch: $batch, inner: 4}
step: {size: 0.1}
stop: {epochs: 2}
compare:
  - {name: sgd, method: {kind: sgd}}
  - {name: rgd, method: {kind: rgd}}
  - {name: paper, method: {kind: sprint, correction: paper}}
  - {name: coupled, method: {kind: sprint, correction: coupled}}
  - {name: stratified, method: {kind: sprint, correction: stratified}}
  - {name: unbiased, method: {kind: sprint, correction: unbiased}}
  - {name: lazy, method: {kind: sprint}, deploy: {kind: every, steps: 3}}
  - {name: lazy-sgd, method: {kind: sgd}, deploy: {kind: every, steps: 3}}
  - {name: rrm, method: {kind: rrm, inner: 1, steps: 4}}
  - {name: dfo, method: {kind: dfo}, step: {size: 0.001}}
END
methods="sgd rgd paper coupled stratified unbiased lazy lazy-sgd rrm dfo"
# Those that go by the shift's derivative, or fit it.
cat >derived.yaml <<END
data: {kind: lending, n: $n}
model: {layers: "dense 1", l2: 0.01}
shift: {kind: strategic, good: 0, alpha: 0.3}
method: {batch: $batch, inner: 4}
stop: {epochs: 2}
compare:
  - {name: perfgd, method: {kind: perfgd}}
  - {name: perfgd-full, method: {kind: perfgd-full}}
  - {name: two-stage, method: {kind: two-stage, probes: 15}}
END

# same WHAT FOLDER FOLDER: every method's trace and model, byte for byte.
same() {
  local method file
  for method in $methods; do
    for file in trace.csv model.safetensors; do
      check "$1: $method/$file differs" cmp -s "$2/$method/seed-1/$file" "$3/$method/seed-1/$file"
    done
  done
}

for program in "$SPRINT" "$SPRINT_F64"; do
  SPRINT=$program
  for memory in $memories; do
    what="$(basename "$program") $memory"
    rm -rf out
    for threads in 1 2 3; do
      runs run base.yaml --out out/$threads --threads $threads --set shift.memory=$memory
    done
    runs run base.yaml --out out/again --threads 2 --set shift.memory=$memory
    same "$what, 1 and 2 threads" out/1 out/2
    same "$what, 1 and 3 threads" out/1 out/3
    same "$what, twice" out/2 out/again
  done
  for threads in 1 3; do runs run derived.yaml --out out/derived-$threads --threads $threads; done
  methods="perfgd perfgd-full two-stage" same "$(basename "$program"), derived, 1 and 3 threads" out/derived-1 out/derived-3
  runs run base.yaml --out out/other --seed 2
  for method in $methods; do
    check "$(basename "$program"): $method does not depend on the seed" test \
      "$(tail -n 1 out/1/$method/seed-1/trace.csv)" != "$(tail -n 1 out/other/$method/seed-2/trace.csv)"
  done
done

done_testing
