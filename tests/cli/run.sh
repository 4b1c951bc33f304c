#!/bin/bash
# sprint run: the files of a run, the rows and counters of its trace, the folders of a comparison, every stop reason.
. "$(dirname "$0")/lib.sh"

# 200 people, batches of 20: 10 steps an epoch.
cat >base.yaml <<'END'
name: small
data: {kind: lending, n: 200, default_rate: 0.4}
model: {layers: "dense 4, relu, dense 1"}
shift: {kind: strategic, good: 0, alpha: 0.2}
method: {kind: sgd, batch: 20}
step: {size: 0.05}
stop: {epochs: 3}
seeds: 7
END

### The files
runs run base.yaml --out out
equal "files of a run" "model.safetensors run.json summary.csv summary.json timing.csv trace.csv" "$(files out)"
equal "header of trace.csv" "epoch,step,ifo,samples,deployments,shift_evals,loss,accuracy,loss_base,accuracy_base,\
loss_heldout,accuracy_heldout,gradient_sq,gradient_sq_mean,moved,displacement,entropy,effective_classes,bias,drift,drift_noise,kappa,distance,bias_deployed" "$(head -n 1 out/trace.csv)"
equal "header of timing.csv" "epoch,seconds" "$(head -n 1 out/timing.csv)"
equal "rows of trace.csv: one at the start and one per epoch" 4 "$(rows out/trace.csv)"
equal "rows of timing.csv" 4 "$(rows out/timing.csv)"
equal "fields of every row" 24 "$(awk -F, '{ print NF }' out/trace.csv | sort -u)"
check "table on stdout" grep -q '^sgd .* 600  *600  *30  *[0-9.]*$' stdout
check "where the results are" grep -q 'traces and models are in out$' stdout
equal "run.json: seed" 7 "$(json out/run.json seed)"
equal "run.json: name of the method" sgd "$(json out/run.json name)"
equal "run.json: precision" float "$(json out/run.json precision)"
equal "run.json: steps of an epoch" 10 "$(json out/run.json inner)"
equal "run.json: rows" 200 "$(json out/run.json rows)"
equal "run.json: parameters, 10 x 4 + 4 + 4 + 1" 49 "$(json out/run.json parameters)"
if [ "${SPRINT_SANITIZE:-OFF}${SPRINT_PORTABLE:-OFF}" != OFFOFF ]; then # hot loops are built for any x86-64 alone
  equal "run.json: kernels of this build" portable "$(json out/run.json kernels)"
fi
for key in loss accuracy gradient_sq ifo; do
  equal "run.json: final $key is the trace's" "$(cell out/trace.csv $key -1)" "$(json out/run.json $key)"
done
equal "no held-out part" nan "$(cell out/trace.csv loss_heldout -1)"
check "no temporary files" no_parts .

### Running again replaces the files of the run and no others
echo mine >out/notes.txt
runs run base.yaml --out out --seed 8
equal "--seed" 8 "$(json out/run.json seed)"
equal "a file of the user's own" mine "$(cat out/notes.txt)"

### --set, --out, and where results go without it
runs run base.yaml --out set --set stop.epochs=1 --set 'step={size: 0.01}' --set=method.batch=50
equal "--set stop.epochs" 2 "$(rows set/trace.csv)"
equal "--set method.batch" 4 "$(json set/run.json inner)"
equal "--set of a section" 0.01 "$(json set/run.json size)"
runs run base.yaml
check "runs/NAME by default" test -s runs/small/trace.csv
runs run base.yaml --set out=elsewhere/deep
check "the config's out" test -s elsewhere/deep/trace.csv
runs run --out=equals -- base.yaml
check "--out=DIR and --" test -s equals/trace.csv
runs run base.yaml --out holdout --set data.holdout=0.25
heldout=$((200 - $(json holdout/run.json rows)))
check "about a quarter is held out" test $heldout -ge 49 -a $heldout -le 51
close "held-out accuracy is a fraction of those" 0 \
  "$(cell holdout/trace.csv accuracy_heldout -1 | awk -v n=$heldout '{ x = n * $1; print x - int(x + 0.5) }')" 1e-9
runs run base.yaml --out sparse --set stop.epochs=5 --set eval.every=2 --set eval.bias=false
equal "eval.every: rows at 0, 2, 4 and the end" "0 2 4 5" "$(for i in 0 1 2 3; do cell sparse/trace.csv epoch $i; done | xargs)"
equal "eval.bias: off" nan "$(cell sparse/trace.csv bias -1)"

### Counters: docs/math.md section 3, n = 200, b = 20, m = 10
# counters WHAT STEPS IFO SAMPLES DEPLOYMENTS SHIFT_EVALS --set...: after two epochs; after one they are half, and
# before the first all 0.
counters() {
  local what=$1 steps=$2 ifo=$3 samples=$4 deployments=$5 shift_evals=$6 name
  shift 6
  runs run base.yaml --out count --set stop.epochs=2 "$@"
  for name in step ifo samples deployments shift_evals; do
    local expected=${!name-$steps}
    equal "$what: $name at the start" 0 "$(cell count/trace.csv $name 0)"
    equal "$what: $name after one epoch" $((expected / 2)) "$(cell count/trace.csv $name 1)"
    equal "$what: $name after two epochs" "$expected" "$(cell count/trace.csv $name 2)"
  done
}
unset step
counters "sgd: n IFO an epoch" 20 400 400 20 400
counters "sprint, paper: n + 2bm IFO" 20 1200 800 20 800 --set method.kind=sprint --set method.correction=paper
counters "sprint, unbiased: everybody's record at the snapshot is simulated too" 20 1200 800 20 1200 \
  --set method.kind=sprint --set method.correction=unbiased
counters "rgd: n IFO a step" 2 400 400 2 400 --set method.kind=rgd
counters "nobody reacts: nothing to simulate" 20 400 400 20 0 --set shift=none
counters "b does not divide n: m is rounded up" 14 448 448 14 448 --set method.batch=32
counters "sprint, inner length" 6 640 520 6 520 --set method.kind=sprint --set method.correction=paper --set method.inner=3
counters "sprint, lazy: at the snapshot and after 4 and 8 steps" 20 1200 800 6 800 \
  --set method.kind=sprint --set method.correction=paper --set 'deploy={kind: every, steps: 4}'
counters "sgd, lazy" 20 400 400 4 400 --set 'deploy={kind: every, steps: 5}'
runs run base.yaml --out count --set stop.epochs=2 --set 'deploy={kind: every, steps: 3}'
equal "sgd, lazy: every third of 20 steps, across epochs" 7 "$(cell count/trace.csv deployments 2)"

### Comparing: a folder for each method and seed, and the same starting point for the methods of a seed
cat base.yaml - >compare.yaml <<'END'
compare:
  - {name: plain, method: {kind: sgd}}
  - {name: reduced, method: {kind: sprint}}
  - {name: lazy, method: {kind: sprint, correction: coupled}, deploy: {kind: every, steps: 5}, step: {size: 0.2}}
END
runs run compare.yaml --out many --set 'seeds=[1, 2]'
equal "folders" "lazy/seed-1 lazy/seed-2 plain/seed-1 plain/seed-2 reduced/seed-1 reduced/seed-2" \
  "$(cd many && echo */*)"
equal "and the summary" "lazy plain reduced summary.csv summary.json" "$(files many)"
for seed in 1 2; do
  for method in plain reduced lazy; do
    at=many/$method/seed-$seed
    equal "$at: name" $method "$(json $at/run.json name)"
    equal "$at: seed" $seed "$(json $at/run.json seed)"
    equal "$at: rows" 4 "$(rows $at/trace.csv)"
    equal "$at: the same theta_0" "$(sed -n 2p many/plain/seed-$seed/trace.csv)" "$(sed -n 2p $at/trace.csv)"
  done
  check "seed $seed: methods differ" test "$(sed -n 3p many/plain/seed-$seed/trace.csv)" != \
    "$(sed -n 3p many/reduced/seed-$seed/trace.csv)"
done
check "seeds differ" test "$(sed -n 2p many/plain/seed-1/trace.csv)" != "$(sed -n 2p many/plain/seed-2/trace.csv)"
equal "lines of the table" "plain reduced lazy" "$(awk '/^method/ { blocks++ } blocks == 1 && / ± / { print $1 }' stdout | xargs)"
runs run compare.yaml --out alone --seed 3 --set 'compare=[]' --set method=saga
check "without its entries, the config's own method is run" test -e alone/trace.csv
runs run base.yaml --out huge --set 'model={layers: dense 1, loss: squared}' --set step.size=1000 --set stop.steps=2 \
  --set shift=none --set stop.explosion=1e30
check "a loss that has no place in its column: $(grep '^s' stdout)" grep -Eq '^[a-z]+ +[0-9.]+e\+[0-9]+ ' stdout
runs run compare.yaml --out one-seed --seed 3
equal "--seed with a comparison" "lazy/seed-3 plain/seed-3 reduced/seed-3" "$(cd one-seed && echo */*)"
# What a comparison trains is what the method alone would have trained.
runs run base.yaml --out alone --seed 2
check "a method alone and in a comparison" cmp -s alone/trace.csv many/plain/seed-2/trace.csv

### Stop reasons
# stops REASON --set...: which one run.json names, and whether the table of the run is there.
stops() {
  local reason=$1
  shift
  rm -rf stop
  runs run base.yaml --out stop --set stop.epochs=0 "$@"
  equal "stop reason of $*" "$reason" "$(json stop/run.json stop)"
  check "$reason: a sentence about it" test -n "$(json stop/run.json stop_reason)"
}
stops epochs --set stop.epochs=2
stops steps --set stop.steps=25
equal "the last epoch is cut at T" "25 2.5" "$(cell stop/trace.csv step -1) $(cell stop/trace.csv epoch -1)"
equal "a row for the cut epoch" 4 "$(rows stop/trace.csv)"
stops steps --set stop.steps=25 --set method.kind=sprint --set method.correction=paper
equal "sprint: the last epoch is cut at T" "25 2.5" "$(cell stop/trace.csv step -1) $(cell stop/trace.csv epoch -1)"
equal "sprint: 3 snapshots and 25 steps" $((3 * 200 + 25 * 40)) "$(cell stop/trace.csv ifo -1)"
stops ifo --set stop.ifo=500
equal "ifo at the end" 500 "$(cell stop/trace.csv ifo -1)"
stops samples --set stop.samples=310
equal "samples at the end, a whole batch" 320 "$(cell stop/trace.csv samples -1)"
stops deployments --set stop.deployments=12
equal "deployments at the end" 12 "$(cell stop/trace.csv deployments -1)"
stops gradient --set stop.gradient=1e9
equal "a small gradient ends it at once" 1 "$(rows stop/trace.csv)"
stops gradient --set stop.gradient=0.05 --set stop.epochs=500 --set step.size=0.3
check "the gradient is as small as asked for" awk -v g="$(cell stop/trace.csv gradient_sq -1)" 'BEGIN { exit !(g <= 0.05) }'
stops epochs --set stop.epochs=2 --set stop.ifo=100000
# More steps are planned than 64 bits count; 2^40 epochs of 2^24 steps would wrap to none.
stops ifo --set stop.ifo=100 --set stop.epochs=1099511627776 --set method.inner=16777216 --set step=inverse-root
# Methods that find their theta by minimising: one that is done then, and one that is cut short.
stops finished --set stop.epochs=40 --set 'model.layers=dense 1' --set 'method={kind: two-stage, batch: 20, probes: 60}'
equal "two-stage: one step after 60 deployments" "1 60" "$(cell stop/trace.csv step -1) $(cell stop/trace.csv deployments -1)"
equal "two-stage: solved" 0 "$(json stop/run.json unsolved)"
stops epochs --set stop.epochs=2 --set 'method={kind: rrm, steps: 1}'
equal "rrm: what was not solved is counted" 2 "$(json stop/run.json unsolved)"
check "rrm: the table says so" grep -q '^warning: rrm: 2 minimisations ended short of the tolerance' stdout
"$SPRINT" run base.yaml --out stop --set stop.epochs=2000 --set step.size=1000 --set model.loss=squared >stdout 2>stderr
equal "diverged: exit code" 3 $?
equal "diverged: stop reason" diverged "$(json stop/run.json stop)"
check "diverged: the trace is kept" test "$(rows stop/trace.csv)" -ge 2
check "diverged: the table says so" grep -q '1 of 1 diverged' stdout
check "diverged: nothing was left half written" no_parts .

done_testing
