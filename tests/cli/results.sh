#!/bin/bash
# scripts/results: tables of runs that are written by hand, against numbers worked out here; and of a real run, against its
# summary.csv.
results=$(cd "$(dirname "$0")/../.." && pwd)/scripts/results
. "$(dirname "$0")/lib.sh"

# run_of FOLDER STOP EPOCH,IFO,LOSS...: a run's files, whose gradient is its loss; STOP "": it goes on.
run_of() {
  local folder=$1 stop=$2 rows=() record=
  shift 2
  for row; do rows+=("$row,0.5,0.25,2,${row##*,},0"); done
  [ -z "$stop" ] || record="{\"stop\": \"$stop\"}"
  hand_run "$folder" "$record" epoch,ifo,loss,accuracy,accuracy_base,effective_classes,gradient_sq,bias "${rows[@]}"
}
# has LINE: of the tables.
has() { check "a line: $1" grep -qxF -- "$1" stdout; }

### Losses 1, 2, 6 have the mean 3 and the error sqrt(7/3) = 1.53; what diverged or goes on is left out, and said
run_of r/alpha-5/sgd-gd/seed-1 epochs 0,0,9 1,10,4 2,20,1
run_of r/alpha-5/sgd-gd/seed-2 epochs 0,0,9 1,10,4 2,20,2
run_of r/alpha-5/sgd-gd/seed-3 epochs 0,0,9 1,10,4 2,20,6
run_of r/alpha-5/sgd-gd/seed-4 diverged 0,0,9 1,10,1e9
run_of r/alpha-5/sgd-gd/seed-5/unfinished "" 0,0,9 1,10,100
run_of r/alpha-5/sgd-gd/seed-6 requested 0,0,9 1,10,100
run_of r/alpha-20/mine/seed-1 epochs 0,0,9 1,30,5
run_of r/alpha-20/mine/seed-2 epochs 0,0,9 1,30,5
"$results" r >stdout 2>stderr || fail "results: $(cat stderr)"
has '| α | method | loss on D(θ) | accuracy on D(θ), % | accuracy on the base data, % | effective classes | final ‖∇J(θ;θ)‖² | its mean, first row left out | bias in epoch 1 |'
has '| 5 | SGD-GD (1 of 6 diverged, 2 of 6 unfinished) | 3.0 ± 1.5 | 50 | 25 | 2 | 3.0 ± 1.5 | 3.5 ± 0.8 | 0 |'
has '| 20 | `mine` | 5 | 50 | 25 | 2 | 5 | 5 | 0 |'
has 'At equal IFO, the last row within 20:'
has '| 5 | SGD-GD (1 of 6 diverged, 2 of 6 unfinished) | 2 | 3.0 ± 1.5 | 50 | 3.0 ± 1.5 |'
has '| 20 | `mine` | 0 | 9 | 50 | 9 |'
has '| 5 | SGD-GD (1 of 6 diverged, 2 of 6 unfinished) | 3 | 2 | 20 | 1 |'
check "points in the order of numbers" test "$(grep -n '^| 5 ' stdout | head -n 1 | cut -d: -f1)" -lt "$(grep -n '^| 20 ' stdout | head -n 1 | cut -d: -f1)"

### What cannot be read is a sentence
"$results" "$(mkdir -p empty && echo empty)" >stdout 2>stderr && wrong "an empty folder was accepted"
check "nothing there" grep -q '^empty: no run is here' stderr
echo 1,x >>r/alpha-20/mine/seed-2/trace.csv
"$results" r >stdout 2>stderr && wrong "a broken trace was accepted"
check "a broken trace" grep -q '^r/alpha-20/mine/seed-2: its files cannot be read as those of a run: rows of one length' stderr
equal "one line" 1 "$(wc -l <stderr)"

### A real run: the same as its summary
cat >c.yaml <<'END2'
data: {kind: lending, n: 300}
model: {layers: dense 1}
shift: {kind: strategic, good: 0, alpha: 0.2}
method: {kind: sgd, batch: 20}
stop: {epochs: 3}
seeds: [1, 2, 3]
compare: [{name: sgd-gd, method: {kind: sgd}}, {name: sprint-paper, method: {kind: sprint, correction: paper}}]
END2
runs run c.yaml --out out
"$results" out >stdout 2>stderr || fail "results out: $(cat stderr)"
for row in 0 1; do
  mean=$(cell out/summary.csv loss $row) error=$(cell out/summary.csv loss_error $row)
  got=$(grep -A3 '^| method | loss' stdout | sed -n "$((row + 3))p" | cut -d'|' -f3)
  close "mean of row $row" "$mean" "${got% ±*}" "$(awk -v e="$error" 'BEGIN { print e / 4 }')"
  close "error of row $row" "$error" "${got#*± }" "$(awk -v e="$error" 'BEGIN { print e / 4 }')"
done
done_testing
