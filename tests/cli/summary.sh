#!/bin/bash
# What runs came to, as a user sees it: the table, verdicts and warnings, summary.csv, summary.json and --json.
. "$(dirname "$0")/lib.sh"

cat >base.yaml <<'END'
name: small
data: {kind: lending, n: 400, default_rate: 0.4, holdout: 0.25}
model: {layers: "dense 4, relu, dense 1"}
shift: {kind: strategic, alpha: 0.2, good: "0"}
method: {kind: sprint, batch: 20}
step: {size: 0.3}
stop: {epochs: 20}
seeds: [1, 2, 3]
END

# python PROGRAM: with the summary in `summary` and the only method in `method`.
python() {
  python3 -c "
import csv, json, math, sys
summary = json.load(open('out/summary.json'))
method = summary['points'][0]['methods'][0]
$1" || fail "python: $1"
}

### The table
runs run base.yaml --out out
equal "columns of the first block" "method loss on D(theta) held-out loss accuracy, % majority, % AUC recall, % precision, %" \
  "$(grep -m 1 '^method' stdout | sed 's/   */ /g')"
for title in '|grad J|^2' 'its mean' 'people moved' 'shift costs' IFO samples deployments seconds; do
  check "column $title" grep -qF "  $title" stdout
done
# A line is counted in bytes here: each ± has two.
check "no line of a table is wider than 120" awk '/^(method|sprint )/ && length - gsub("±", "") > 120 { exit 1 }' stdout
check "mean and error" grep -Eq '^sprint  0\.[0-9]+ ± [0-9.]+ ' stdout
check "the verdict in words" grep -Eq '^sprint: (near a stable point|not at a stable point yet) in [1-3] of 3 runs' stdout
check "what recall is about" grep -qF "recall and precision are of class '1', said from a probability of 0.5 on" stdout
check "no temporary files" no_parts out

### How people moved, column by column in the units of the data
check "whose moves" grep -Eq '^ +sprint$' stdout
check "the columns" grep -Eq "^people's moves  +median move  +95 %  +left, %$" stdout
check "a column" grep -Eq '^monthly_income  +-?[0-9.]+  +[0-9.]+  +[0-9.]+$' stdout
check "who left the data" grep -Eq '^warning: sprint, 3 of 3 runs: people left the range of the data: ' stdout
python "
for run, seed in zip(method['runs'], (1, 2, 3)):
    own = json.load(open(f'out/sprint/seed-{seed}/run.json'))['assessment']['moves']
    assert len(own) == len(run['moves']) == 10
    for a, b in zip(own, run['moves']): assert all(a[key] == b[key] for key in ('median', 'q95', 'left', 'median_after')), (a, b)
rows = {line.split()[0]: line.split()[1:] for line in open('stdout') if line.startswith(('age', 'monthly_income', 'late_'))}
for i, m in enumerate(method['runs'][0]['moves']):
    if m['column'] not in rows: continue
    mean = sum(r['moves'][i]['median'] for r in method['runs']) / 3
    assert abs(float(rows[m['column']][0]) - mean) <= 1e-3 * abs(mean), m['column'] # four digits are shown
assert len(rows) == 5"

### Files: the numbers of run.json, their means and errors
python "
runs = [json.load(open(f'out/sprint/seed-{s}/run.json')) for s in (1, 2, 3)]
assert summary['classes'] == ['0', '1'] and summary['positive'] == '1' and summary['threshold'] == 0.5
assert (method['method'], method['kind'], method['counted'], method['diverged']) == ('sprint', 'sprint', 3, 0)
assert [r['seed'] for r in method['runs']] == [1, 2, 3] and {r['stop'] for r in method['runs']} == {'epochs'}
for name, of in {
    'loss': lambda r: r['final']['loss'], 'loss_base': lambda r: r['final']['loss_base'],
    'loss_heldout': lambda r: r['final']['loss_heldout'], 'displacement': lambda r: r['final']['displacement'],
    'gradient_sq': lambda r: r['final']['gradient_sq'],
    'gradient_sq_mean_after_start': lambda r: r['assessment']['gradient_sq_mean_after_start'],
    'shift_cost': lambda r: r['final']['loss'] - r['final']['loss_base'],
    'auc': lambda r: r['assessment']['sets']['deployed']['auc'],
    'auc_base': lambda r: r['assessment']['sets']['base']['auc'],
    'recall_heldout': lambda r: r['assessment']['sets']['heldout']['recall'],
    'brier_heldout_base': lambda r: r['assessment']['sets']['heldout_base']['brier'],
    'calibration_error': lambda r: r['assessment']['sets']['deployed']['calibration_error'],
    'precision': lambda r: r['assessment']['sets']['deployed']['precision'],
    'shift_cost_heldout': lambda r: r['final']['loss_heldout'] - r['assessment']['sets']['heldout_base']['loss'],
}.items():
    own = [of(r) for r in runs]
    assert [r[name] for r in method['runs']] == own, name
    mean = sum(own) / 3
    error = math.sqrt(sum((x - mean) ** 2 for x in own) / 2 / 3)
    # sums of three in double: a few units in the last of 16 digits
    assert abs(method['mean'][name] - mean) <= 1e-14 * max(abs(x) for x in own), name
    assert abs(method['standard_error'][name] - error) <= 1e-13 * max(abs(x) for x in own), name
first = method['runs'][0]['sets']
assert first['deployed']['confusion'] == runs[0]['assessment']['sets']['deployed']['confusion']
assert sum(map(sum, first['heldout']['confusion'])) == first['heldout']['records']
assert len(first['base']['calibration']) == 10
rows = list(csv.DictReader(open('out/summary.csv')))
assert len(rows) == 1
row = rows[0]
assert (row['method'], row['seeds'], row['stops']) == ('sprint', '1 2 3', 'epochs epochs epochs')
for name, mean in method['mean'].items():
    assert float(row[name]) == mean if mean is not None else row[name] == 'nan', name
    error = method['standard_error'][name]
    assert float(row[name + '_error']) == error if error is not None else row[name + '_error'] == 'nan', name
assert not any('seconds' in name for name in row), 'times would make the file differ from run to run'
"
check "the mean leaves the first row out" python3 -c "
import csv, json
rows = list(csv.DictReader(open('out/sprint/seed-1/trace.csv')))[1:]
mean = sum(float(r['gradient_sq']) for r in rows) / len(rows)
own = json.load(open('out/summary.json'))['points'][0]['methods'][0]['runs'][0]['gradient_sq_mean_after_start']
assert abs(mean - own) < 1e-7 * own # the trace has nine digits"
cp out/summary.csv before.csv

### Kept runs: the same numbers, the same bytes
runs run base.yaml --out out
check "kept" grep -q '^3 runs are in out finished before and kept$' stdout
check "the same summary.csv" cmp -s before.csv out/summary.csv
rm -r out
runs run base.yaml --out out --jobs 3 --threads 1
check "and trained again, three at a time" cmp -s before.csv out/summary.csv
check "said so" grep -q '^3 runs, 3 at a time$' stdout
rm out/sprint/seed-2/trace.csv
runs run base.yaml --out out
check "a lost trace is trained again" grep -q '^2 runs are in out finished before and kept$' stdout
check "to the same" cmp -s before.csv out/summary.csv

### --json: the summary alone on stdout, the rest on stderr
"$SPRINT" run base.yaml --out out --json >stdout 2>stderr || fail "--json: $(cat stderr)"
check "--json is summary.json" cmp -s stdout out/summary.json
check "the table is on stderr" grep -q '^sprint  0\.' stderr
"$SPRINT" run base.yaml --out out --json 2>&1 >/dev/full | grep -q 'standard output cannot be written' || fail "--json to a full disk"

### One run: no errors, the verdict as a sentence, null for what there is none of
runs run base.yaml --out out --seed 1 --set data.holdout=0
check "no errors" test "$(grep -c '±' stdout)" = 0
check "a sentence" grep -Eq '^sprint: .*: \|grad J\|\^2 = .* of what it was at the start' stdout
check "no column without a number" test "$(grep -c 'held-out' stdout)" = 0
python "
assert method['mean']['loss_heldout'] is None and method['runs'][0]['auc_heldout'] is None
assert method['standard_error']['loss'] is None
assert 'NaN' not in open('out/summary.json').read()"

### Nobody reacts: nothing moved, nothing costs
runs run base.yaml --out out --seed 1 --set shift=none
check "no columns of it" test "$(grep -c 'people moved\|shift costs' stdout)" = 0
python "assert method['mean']['displacement'] == 0 and method['mean']['shift_cost'] == 0"

### Values: RMSE and R^2; more than two classes: no recall, but the classes that are left
awk 'BEGIN { srand(1); OFS = ","; print "x,z,y"; for (i = 0; i < 90; i++) { x = rand(); print x, rand(), 3 * x + rand() / 10 } }' >line.csv
runs run base.yaml --out out --seed 1 --set 'data={kind: csv, path: line.csv, label: y, target: value}' \
  --set 'model={layers: dense 1, loss: squared}' --set shift=none
equal "columns of values" "method loss on D(theta) RMSE R^2" "$(grep -m 1 '^method' stdout | sed 's/   */ /g' | cut -d ' ' -f 1-6)"
python "
m = method['mean']
assert m['auc'] is None and m['accuracy'] is None and m['r2'] > 0.9
assert summary['positive'] is None and summary['classes'] == [] and method['runs'][0]['sets']['deployed']['confusion'] == []"
awk 'BEGIN { srand(1); OFS = ","; print "x,z,y"; for (i = 0; i < 90; i++) { c = i % 3; print c + rand(), rand(), "c" c } }' >three.csv
runs run base.yaml --out out --seed 1 --set 'data={kind: csv, path: three.csv, label: y}' \
  --set 'model={layers: dense 3, loss: softmax}' --set 'shift={kind: retention, alpha: 1}'
check "columns of classes" grep -q '^method  loss on D(theta)  accuracy, %  majority, %  AUC' stdout
check "classes left" grep -q '  classes left' stdout
check "no recall" test "$(grep -c 'recall' stdout)" = 0

### Diverged runs are counted, and left out of the means
cat >some.yaml <<'END'
name: some
data: {kind: gaussian, n: 100, d: 3}
model: {loss: mean}
method: {kind: rgd}
stop: {epochs: 60}
compare:
  - {name: calm, step: {size: 0.1}}
  - {name: wild, step: {size: 5}}
END
"$SPRINT" run some.yaml --out out >stdout 2>stderr
equal "exit code of divergence" 3 $?
check "it is said" grep -q '^wild: 1 of 1 diverged, left out$' stdout
check "with its warning" grep -q '^warning: wild: diverged at epoch ' stdout
check "no number of it" grep -Eq '^wild +- ' stdout
python "
wild = summary['points'][0]['methods'][1]
assert (wild['counted'], wild['diverged'], wild['mean']['loss']) == (0, 1, None)
assert list(wild['warnings']) == ['diverged'] and wild['runs'][0]['stop'] == 'diverged'"
# Of several seeds the mean is over the others: one that is marked as diverged is not in it.
runs run some.yaml --out out --seeds 1,2,3 --only calm
others=$(python3 -c "
import json
r = json.load(open('out/summary.json'))['points'][0]['methods'][0]['runs']
print((r[0]['loss'] + r[2]['loss']) / 2)")
sed -i 's/"stop": "epochs"/"stop": "diverged"/' out/calm/seed-2/run.json
"$SPRINT" run some.yaml --out out --seeds 1,2,3 --only calm >stdout 2>stderr
equal "exit code" 3 $?
check "one of three is left out" grep -q '^calm: 1 of 3 diverged, left out$' stdout
close "the mean of the others" "$others" "$(cell out/summary.csv loss 0)" 1e-14
sed -i 's/"stop": "diverged"/"stop": "requested"/' out/calm/seed-2/run.json
runs run some.yaml --out out --seeds 1,2,3 --only calm
check "one that was interrupted is no finished run" grep -q '^2 runs are in out finished before and kept$' stdout
equal "nor has it a column" point,method,runs,counted,diverged,seeds "$(head -n 1 out/summary.csv | cut -d, -f 1-6)"

### Warnings: one line each, with how many of how many runs
runs run base.yaml --out out --set shift=none --set data.default_rate=0.02 --set stop.epochs=1 --set step.size=0.001
check "no better than the majority" grep -Eq '^warning: sprint, [1-3] of 3 runs: its accuracy on D\(theta\), .* is no better than .* \(seed 1\)$' stdout
check "a precision of nobody" grep -q 'precision, %' stdout
python "assert method['warnings']['majority'] >= 1 and 'majority' in method['runs'][0]['warnings']"
equal "in summary.csv" "majority $(grep -c majority out/sprint/seed-*/run.json | grep -vc ':0$')" "$(cell out/summary.csv warnings 0)"

### Names of any kind and numbers of any size keep the table and the JSON whole
awk 'BEGIN { srand(1); OFS = ","; print "é,\"a,\"\"b\",answer"
  for (i = 0; i < 80; i++) print rand() + i % 2, 1e6 * rand(), i % 2 ? "\"ja, \"\"immer\"\"\"" : "nein ☃" }' >names.csv
long=$(printf 'm%.0s' $(seq 90))
cat >names.yaml <<END
name: names
data: {kind: csv, path: names.csv, label: answer}
model: {layers: dense 1}
shift: none
method: {kind: sgd, batch: 10}
stop: {epochs: 2}
compare:
  - {name: ${long}1, step: {size: 0.1}}
  - {name: ${long}2, step: {size: 0.2}}
END
runs run names.yaml --out out
python "assert summary['classes'] == ['ja, \"immer\"', 'nein ☃'], summary['classes']
assert len(list(csv.DictReader(open('out/summary.csv')))) == 2"
check "long names are cut in the middle, and told apart" test "$(grep -c '^m*…m*[12]  ' stdout)" -ge 2
check "they fit" awk '/^(method|m+…)/ && length - 2 * gsub("…", "") > 120 { exit 1 }' stdout
"$SPRINT" run base.yaml --out out --seed 1 --set 'data={kind: csv, path: line.csv, label: y, target: value, standardize: none}' \
  --set 'model={layers: dense 1, loss: squared}' --set shift=none --set method=rgd --set step.size=1e15 --set stop.steps=2 --set stop.explosion=1e300 >stdout 2>stderr
check "huge numbers: $(sed -n '/^rgd/p' stdout)" awk '/^(method|rgd )/ { if (length > 120) exit 1 }' stdout

done_testing
