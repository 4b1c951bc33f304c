#!/bin/bash
# sprint compare: closed forms at equal budgets, rankings, ties, divergence, tuning, what is finished and skipped; and
# what is refused. The double program computes wherever numbers are compared with closed forms.
. "$(dirname "$0")/lib.sh"

# 40 people of mean 3, l = (z - theta)^2 / 2, z + 0.5 theta: theta_PS = 3 / (1 - 0.5) = 6, theta_0 = 0.
{ echo z,y && for i in 1 2 3 4 5 6 7 8 9 10; do printf '1,0\n2,0\n3,0\n6,0\n'; done; } >z.csv
cat >bed.yaml <<'END'
name: bed
data: {kind: csv, path: z.csv, label: y, target: value, standardize: none}
model: {loss: mean}
shift: {kind: location, epsilon: 0.5}
method: {kind: sprint, correction: paper, batch: 4}
step: {size: 0.2}
stop: {epochs: 1, gradient: 1e9}
eval: {reference: stable.npy}
seeds: [1, 2, 3]
compare:
  - {name: slow, method: rgd}
  - {name: paper}
  - {name: coupled, method: {correction: coupled}}
END
# stable.npy: one double, 6, behind a header of 128 bytes (magic, version, size 118).
{
  printf '\223NUMPY\001\000\166\000'
  printf '%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }"
  printf '\000\000\000\000\000\000\030\100'
} >stable.npy

# compares ARGUMENT...: it succeeds; progress is in ./stderr.
compares() {
  "$SPRINT_F64" compare "$@" >stdout 2>stderr </dev/null || fail "compare $* failed with $?: $(cat stderr)"
}

# field FILE METHOD COLUMN: of the method's first row in a CSV.
field() {
  awk -F, -v method="$2" -v name="$3" '
    NR == 1 { for (i = 1; i <= NF; i++) { if ($i == name) at = i; if ($i == "method") m = i } next }
    $m == method { print $at; exit }' "$1"
}
column() { awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' "$1" | xargs; }
power() { awk -v a="$1" -v n="$2" -v c="$3" 'BEGIN { printf "%.17g", c * a ^ n }'; }

### Closed forms (docs/math.md, section 6). An epoch of sprint is n + 2bm = 40 + 80 IFO, so 360 are three; of rgd, nine
### steps. gamma (1 - epsilon) = 0.1, q = 0.8^10: |e| = 6 * 0.9^9, 6 * (q + (1 - q) / 2)^3, 6 * 0.9^30, whatever is drawn.
compares bed.yaml --budget ifo=360 --by distance --out out
q=$(power 0.8 10 1)
close "slow: distance" "$(power 0.9 9 6)" "$(field out/compare.csv slow distance)" 1e-12
close "paper: distance" "$(power "$(awk -v q="$q" 'BEGIN { printf "%.17g", (1 + q) / 2 }')" 3 6)" "$(field out/compare.csv paper distance)" 1e-12
close "coupled: distance" "$(power 0.9 30 6)" "$(field out/compare.csv coupled distance)" 1e-12
equal "order" "coupled paper slow" "$(column out/ranking.csv method)"
equal "ranks" "1 2 3" "$(column out/ranking.csv rank)"
equal "verdicts" "best worse worse" "$(column out/ranking.csv verdict)"
equal "scale" "log10 log10 log10" "$(column out/ranking.csv scale)"
equal "on every seed" "0 3 3" "$(column out/ranking.csv losses)"
close "the ratio to the best, 0.9^-21" "$(awk 'BEGIN { printf "%.17g", -21 * log(0.9) / log(10) }')" "$(field out/ranking.csv slow difference)" 1e-11
check "it is said" grep -q '^coupled beats paper, slow$' stdout
equal "all to the same budget" "360 360 360 360 360 360 360 360 360" "$(column out/compare.csv ifo)"
equal "nothing else stops them" "ifo" "$(column out/compare.csv stop | tr ' ' '\n' | sort -u)"
equal "files" "compare.csv ifo-360 ranking.csv ranking.json timing.csv" "$(cd out && echo *)"
equal "runs are saved" "coupled/seed-1 coupled/seed-2 coupled/seed-3 paper/seed-1 paper/seed-2 paper/seed-3 slow/seed-1 slow/seed-2 slow/seed-3" \
  "$(cd out/ifo-360 && echo */*)"
equal "ranking.json: the criterion" distance "$(json out/ranking.json criterion)"
equal "ranking.json: the first" coupled "$(json out/ranking.json method)"
equal "a start and an end per job" "9 9" "$(grep -c ': started$' stderr) $(grep -c ': done in ' stderr)"
check "no temporary files" no_parts out
"$SPRINT_F64" run bed.yaml --out alone --seed 2 --set stop.epochs=0 --set stop.ifo=360 --set stop.gradient=0 >/dev/null
check "a run is what sprint run trains" cmp -s alone/paper/seed-2/trace.csv out/ifo-360/paper/seed-2/trace.csv

### Finished runs are kept, and the tables are the same; also by other numbers of jobs and threads
cp -r out before
compares bed.yaml --budget ifo=360 --by distance --out out
check "it says so" grep -q '^ranking to ifo=360: 0 runs (9 finished before and kept)$' stdout
equal "nothing starts" 0 "$(grep -c started stderr)"
for file in compare.csv ranking.csv ranking.json timing.csv; do check "$file is the same" cmp -s before/$file out/$file; done
rm out/ifo-360/slow/seed-2/run.json
compares bed.yaml --budget ifo=360 --by distance --out out
equal "one run is done again" "slow/seed-2: started" "$(grep started stderr)"
check "compare.csv is the same" cmp -s before/compare.csv out/compare.csv
compares bed.yaml --budget ifo=360 --by distance --out jobs --jobs 2 --threads 1
check "ranking.json by any number of jobs" cmp -s before/ranking.json jobs/ranking.json

printf '\000\000\000\000\000\000\034\100' | dd of=stable.npy bs=1 seek=128 conv=notrunc 2>/dev/null # 7 in place of 6
compares bed.yaml --budget ifo=360 --by distance --out out
equal "the point has changed, and with it all distances" 9 "$(grep -c started stderr)"
printf '\000\000\000\000\000\000\030\100' | dd of=stable.npy bs=1 seek=128 conv=notrunc 2>/dev/null

### Other budgets, several at once, and the other criteria
compares bed.yaml --budget deployments=10 --budget samples=120 --budget epochs=2 --budget steps=3 --out many --by loss --seeds 1,
equal "a ranking for each" "deployments deployments deployments samples samples samples epochs epochs epochs steps steps steps" \
  "$(column many/ranking.csv budget)"
equal "deployments" 10 "$(field many/compare.csv slow deployments)"
equal "steps" "3 3 3" "$(awk -F, '$1 == "steps" { print $9 }' many/compare.csv | xargs)"
check "one seed: it says so" grep -q '^one seed: there are no intervals' stdout
check "one seed: nothing beats anything" test -z "$(grep beats stdout)"
equal "one seed: verdicts" "best unknown unknown" "$(column many/ranking.csv verdict | cut -d ' ' -f 1-3)"
equal "one seed: no interval" nan "$(field many/ranking.csv slow low)"
equal "loss is compared as it is" linear "$(field many/ranking.csv slow scale)"
compares bed.yaml --budget steps=3 --methods slow,perfgd --seeds 2 --out goals
check "another goal is said" grep -q '^note: perfgd seeks the performative optimum, where |grad J|^2 need not be small' stdout
compares bed.yaml --budget steps=3 --methods slow,perfgd --seeds 2 --out goals --by loss
check "by loss there is nothing to say" test -z "$(grep seeks stdout)"
compares bed.yaml --budget seconds=0.01 --methods slow --seeds 2 --out time
equal "seconds" "seconds seconds" "$(column time/compare.csv stop)"
check "one at a time, so that they do not share the machine" grep -q '^ranking to seconds=0.01: 2 runs, one at a time' stdout
compares bed.yaml --budget ifo=10 --methods paper,sgd --out small
check "a budget below the first snapshot" grep -q '^warning: paper made no step: the budget is too small' stdout
check "not of sgd" test -z "$(grep 'warning: sgd' stdout)"

### Methods by name and settings; the same method twice is a tie, the interval is 0 .. 0
compares bed.yaml --budget ifo=200 --out twins --by grad --methods 'sgd,sgd:name=twin,sgd:step.size=50:name=wild,coupled:deploy={kind: every, steps: 10}'
equal "names" "coupled-deploy--kind--every--steps--10- sgd twin wild" "$(column twins/compare.csv method | tr ' ' '\n' | sort -u | xargs)"
equal "a tie" tie "$(field twins/ranking.csv twin verdict)$(field twins/ranking.csv sgd verdict | sed s/best//)"
check "a tie is said" grep -q '^sgd is tied with .*twin.*holds 1$' stdout
equal "diverged: verdict" diverged "$(field twins/ranking.csv wild verdict)"
equal "diverged: below all others" 4 "$(field twins/ranking.csv wild rank)"
equal "diverged: counted" 3 "$(field twins/ranking.csv wild diverged)"
equal "diverged: not in a mean" nan "$(field twins/ranking.csv wild mean)"
check "diverged: named" grep -q '^wild diverged, and is ranked below all that did not; seed 1, 2, 3$' stdout

### A grid: a ranking for each point
compares bed.yaml --budget ifo=120 --out points --by grad --set 'grid={shift.epsilon: [0.5, -1]}' --seeds 2
equal "points" "epsilon-0.5 epsilon--1" "$(column points/ranking.csv point | tr ' ' '\n' | uniq | xargs)"
# One epoch: e = (q + (1 - q) epsilon) e_0 of paper, (1 - 0.2 * 2)^10 e_0 of coupled; e_0 = 1.5 at epsilon -1, and grad J = 2 e.
close "coupled at -1" "$(power 0.6 20 9)" "$(awk -F, '$3 == "epsilon--1" && $4 == "coupled" { print $(NF - 2); exit }' points/compare.csv)" 1e-12

### Tuning. |e| shrinks by |1 - gamma / 2| a step: 1.5 is best of 0.5, 1, 1.5, 5, and 5 diverges in 20 steps.
compares bed.yaml --budget ifo=240 --methods coupled,slow --by distance --tune 5,0.5,1,1.5 --out tuned --seeds 4
equal "picks" "1.5 1.5" "$(column tuned/ranking.csv step_size)"
close "tuned" "$(power 0.25 20 6)" "$(field tuned/compare.csv coupled distance)" 1e-12
equal "seeds of the ranking: the config's, and further ones" "1 2 3 4" "$(awk -F, '$4 == "slow" { print $6 }' tuned/compare.csv | xargs)"
equal "seeds of the tuning are others" "5 6 7" "$(awk -F, 'NR > 1 { print $6 }' tuned/tune.csv | sort -u | xargs)"
check "which ones is said" grep -q 'mean over seeds 5, 6, 7 (not ranked by)' stdout
equal "the whole grid" 24 "$(rows tuned/tune.csv)"
equal "diverged cells" diverged "$(awk -F, '$4 == "coupled" && $5 == 5 { print $7 }' tuned/tune.csv | sort -u)"
check "diverged cells are marked, the pick too" grep -q '^coupled .* 5.722e-06  *5.457e-12\*  *3 of 3 diverged *$' stdout
check "no warning" test -z "$(grep warning stdout)"
equal "folders" "coupled-step-0.5 coupled-step-1 coupled-step-1.5 slow-step-0.5 slow-step-1 slow-step-1.5 slow-step-5" \
  "$(cd tuned/ifo-240 && ls -d -- *-step-[01s]* *-step-5 2>/dev/null | grep -v '^coupled-step-5$' | sort -u | xargs)"
compares bed.yaml --budget ifo=120 --methods slow --by distance --tune=steps=0.1,0.2 --out edge
check "an edge" grep -q '^warning: slow: the pick, 0.2, is at the edge of the grid: larger steps may do better$' stdout
compares bed.yaml --budget ifo=120 --methods slow --tune --out usual --seeds 1
equal "the usual grid" "0.001 0.003 0.01 0.03 0.1 0.3 1" "$(column usual/tune.csv step_size)"

compares bed.yaml --budget ifo=4000 --methods rrm,coupled --tune 0.1,0.2 --out alike --seeds 2
check "no step size matters to rrm: it says so" grep -q '^warning: rrm: every step size gives the same: it does not go by' stdout
check "and names no better one" test -z "$(grep 'rrm.*edge of the grid' stdout)"

### What a budget leaves undone is said: a minimisation that it cut off, a stream that ended before it was used up
compares bed.yaml --budget ifo=200 --methods two-stage,coupled --out cutoff --seeds 2
check "a minimisation that was cut off" grep -q '^warning: two-stage: 2 minimisation(s) ended short of their tolerance, or of the budget' stdout
{ echo z,y && for i in $(seq 100); do echo "$((i % 7)),0"; done; } >brief.csv
compares bed.yaml --set 'data={kind: stream, path: brief.csv, label: y, target: value, standardize: none, window: 20}' \
  --set method.inner=5 --budget samples=1000 --methods sgd --out brief --seeds 2
check "what it is measured on" grep -q '^bed: a population without end, evaluated on a window of 20 rows' stdout
check "a stream that ended" grep -q '^warning: sgd: the stream of records ended in 2 of 2 run(s), before the budget was used up$' stdout

compares bed.yaml --set 'data={kind: lending, n: 100}' --set model.loss=logistic --set 'shift={kind: retention, alpha: 50}' \
  --set eval={} --budget ifo=3000 --methods sgd --out lost --seeds 2
check "a population that collapsed" grep -q '^warning: sgd: the population collapsed onto few classes in 2 of 2 run(s)$' stdout

### The table's columns are where their titles are, however long a ratio is
compares bed.yaml --budget ifo=4000 --methods coupled,sgd:step.size=0.0001,slow:step.size=0.3 --out wide
verdicts() { sed 's/×÷/ab/; s/±/a/' stdout | awk '/^rank/ { at = index($0, "verdict") } /^[123] / { print match(substr($0, at - 1), /[a-z]/) }'; }
equal "verdicts are below their title" "2 2 2" "$(verdicts | xargs)"

### Interrupted: what was done is kept, and nothing is ranked
"$SPRINT_F64" compare bed.yaml --budget steps=1000000000 --methods sgd --set eval.every=100000000 --out cut >stdout 2>cut.stderr </dev/null &
pid=$!
for _ in $(seq 200); do grep -qs started cut.stderr && break; sleep 0.05; done
kill -TERM $pid
wait $pid
equal "interrupted: exit code" 143 $?
check "interrupted: it says so" grep -q '^interrupted; finished runs are in cut' stdout
check "interrupted: no ranking" test ! -e cut/ranking.csv

### Refusals: exit code, one sentence
misuse() {
  local code=$1 sentence=$2
  shift 2
  "$SPRINT" compare "$@" >stdout 2>stderr </dev/null
  local got=$?
  n_checks=$((n_checks + 1))
  [ $got = "$code" ] || wrong "compare $*: exit code $got, not $code"
  [ "$(wc -l <stderr)" = 1 ] || wrong "compare $*: not one line: $(cat stderr)"
  grep -qF -- "$sentence" stderr || wrong "compare $*: expected '$sentence', got '$(cat stderr)'"
}
misuse 2 "--budget KEY=AMOUNT is needed" bed.yaml
for budget in ifo=0 ifo=-3 ifo=1.5 ifo=1e16 ifo=x ifo= ifo seconds=0 seconds=inf seconds=nan ifo=0x10 hours=3 =3 "ifo=3 "; do
  misuse 2 "--budget: '$budget' is not ifo, deployments, samples, epochs or steps" bed.yaml --budget "$budget"
done
misuse 2 "ifo=100 is there twice" bed.yaml --budget ifo=100 --budget ifo=1e2
misuse 2 "--by: 'speed' is not grad" bed.yaml --budget ifo=9 --by speed
misuse 2 "--seeds: '0' is neither" bed.yaml --budget ifo=9 --seeds 0
misuse 2 "--seeds: '1,,2' is neither" bed.yaml --budget ifo=9 --seeds 1,,2
misuse 2 "--tune: '0,1' is not a list" bed.yaml --budget ifo=9 --tune 0,1
misuse 2 "--tune: '1,1' is not a list" bed.yaml --budget ifo=9 --tune 1,1
misuse 2 "--tune: 'x' is not a list" bed.yaml --budget ifo=9 --tune=x
misuse 2 "--jobs: '0' is not" bed.yaml --budget ifo=9 --jobs 0
misuse 2 "an argument is missing" --budget ifo=9
misuse 1 "missing.yaml: " missing.yaml --budget ifo=9
misuse 1 "--methods sgdd: 'sgdd' is neither an entry of the config's \`compare\` nor a kind of method; did you mean 'sgd'?" bed.yaml --budget ifo=9 --methods slow,sgdd
misuse 1 "did you mean 'coupled'?" bed.yaml --budget ifo=9 --methods cuopled
misuse 1 "unknown key 'method.corection'; did you mean 'correction'?" bed.yaml --budget ifo=9 --methods sprint:corection=paper
misuse 1 "two entries have the same name" bed.yaml --budget ifo=9 --methods sgd,sgd
misuse 1 "cannot be ranked by accuracy: the model does not classify" bed.yaml --budget ifo=9 --by accuracy
misuse 1 "cannot be ranked by distance: eval.reference names no point" bed.yaml --budget ifo=9 --by distance --set 'eval={}'
misuse 1 "key 'eval.reference': nowhere.npy" bed.yaml --budget ifo=9 --set eval.reference=nowhere.npy
printf 'data: {n: 20}\neval: {reference: stable.npy}\n' >wide.yaml
misuse 1 "wide.yaml:2: key 'eval.reference': stable.npy: holds 1 number" wide.yaml --budget ifo=9
misuse 1 "unknown key 'step.size'" bed.yaml --budget ifo=9 --set 'step={kind: piecewise, sizes: 0.1}' --tune --out x
misuse 1 "is in the grid too" bed.yaml --budget ifo=9 --set 'grid={step.size: [0.1, 0.2]}' --tune --out x
misuse 1 "z.csv: is not a folder" bed.yaml --budget ifo=9 --out z.csv
check "nothing was written" test ! -e x -a ! -e runs

done_testing
