#!/bin/bash
# Every method by a second implementation in plain Python, draw by draw: parameters and counters after some epochs, under
# shifts that move features, reweight strata, and do both.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
SPRINT=$SPRINT_F64

# The methods, as a config has them and as the second implementation does.
cat >methods.yaml <<'END'
compare:
  - {name: sgd, method: {kind: sgd}}
  - {name: lazy, method: {kind: sgd}, deploy: {kind: every, steps: 3}}
  - {name: paper, method: {kind: sprint, correction: paper}}
  - {name: coupled, method: {kind: sprint, correction: coupled}}
  - {name: stratified, method: {kind: sprint, correction: stratified}}
  - {name: unbiased, method: {kind: sprint, correction: unbiased}}
  - {name: fixed, method: {kind: sprint, correction: unbiased, snapshot: fixed, sample: 9}}
  - {name: growing, method: {kind: sprint, correction: unbiased, snapshot: growing, sample: 5, growth: 2.5}}
  - {name: saga, method: {kind: saga}}
  - {name: sarah, method: {kind: sarah}}
  - {name: sarah-fixed, method: {kind: sarah, snapshot: fixed, sample: 9}}
  - {name: sarah-paper, method: {kind: sarah, correction: paper}}
  - {name: spider, method: {kind: spider, length: 0.2}}
  - {name: page, method: {kind: page}}
  - {name: clipped, method: {kind: clipped, length: 0.3}}
  - {name: momentum, method: {kind: sgd}, step: {kind: momentum, beta: 0.8}}
  - {name: adam, method: {kind: saga}, step: {kind: adam, beta1: 0.9, beta2: 0.99, epsilon: 1e-3}}
END
cat >methods.json <<'END'
{"sgd": {"kind": "sgd"},
 "lazy": {"kind": "sgd", "every": 3},
 "paper": {"kind": "sprint", "correction": "paper"},
 "coupled": {"kind": "sprint", "correction": "coupled"},
 "stratified": {"kind": "sprint", "correction": "stratified"},
 "unbiased": {"kind": "sprint"},
 "fixed": {"kind": "sprint", "sample": 9},
 "growing": {"kind": "sprint", "sample": 5, "growth": 2.5},
 "saga": {"kind": "saga"},
 "sarah": {"kind": "sarah"},
 "sarah-fixed": {"kind": "sarah", "sample": 9},
 "sarah-paper": {"kind": "sarah", "correction": "paper"},
 "spider": {"kind": "spider", "length": 0.2},
 "page": {"kind": "page"},
 "clipped": {"kind": "clipped", "length": 0.3},
 "momentum": {"kind": "sgd", "rule": "momentum"},
 "adam": {"kind": "saga", "rule": "adam"}}
END

# agree HIDDEN LAYERS SHIFT-AS-YAML SHIFT-AS-JSON. 24 steps of some hundred roundings each, of numbers about 1: 1e-12.
agree() {
  { cat methods.yaml && cat <<END; } >c.yaml
data: {kind: lending, n: 2000, select: balanced, size: 40}
model: {layers: '$2', l2: 0.2}
shift: $3
method: {batch: 5, inner: 7}
step: {size: 0.1}
stop: {epochs: 0, steps: 24}
eval: {every: 100, bias: false}
seeds: 7
END
  cat >c.json <<END
{"hidden": $1, "l2": 0.2, "steps": 24, "shift": $4, "methods": $(cat methods.json),
 "all": {"seed": 7, "batch": 5, "inner": 7, "size": 0.1}}
END
  rm -rf runs
  runs data export c.yaml --out people
  runs init c.yaml --seed 7 --out start.npy
  runs run c.yaml --out runs
  python3 "$here/../fixtures/check_methods.py" people start.npy runs c.json >second || fail "the second implementation failed"
  equal "methods compared" 17 "$(wc -l <second)"
  while read -r name error counters; do
    close "$3: $name" 0 "$error" 1e-12
    equal "$3: $name: counters" same "$counters"
  done <second
}

agree 3 'dense 3, tanh, dense 1' '{kind: strategic, good: 0, alpha: 0.3}' '{"alpha": 0.3}'
agree 3 'dense 3, tanh, dense 1' \
  '{kind: both, response: {kind: strategic, good: 0, alpha: 0.3}, strata: {kind: retention, alpha: 2}}' '{"alpha": 0.3, "retention": 2}'
agree 0 'dense 1' '{kind: retention, alpha: 2}' '{"retention": 2}'
agree 0 'dense 1' '{kind: linear, epsilon: 0.5}' '{"epsilon": 0.5}'
done_testing
