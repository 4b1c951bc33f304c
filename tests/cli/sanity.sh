#!/bin/bash
# What may be meant and need not be: one warning line each, in the table, in run.json and in `sprint check`, and none
# where there is no reason. Tables keep their columns whatever the names and numbers are.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { print "a,b,class,word,low,high,share"
  for (i = 0; i < 40; i++) {
    a = (i * 7) % 11; b = (i * 5) % 13; up = a + b > 10
    print a "," b "," up "," (up ? "yes" : "no") "," a - 5 "," 2 + b "," a / 10
  } }' >t.csv
cat >t.yaml <<'END'
data: {kind: csv, path: t.csv, label: class, features: [a, b]}
method: {kind: sgd, batch: 8}
stop: {epochs: 3}
END

# doubts KIND SENTENCE SETTING...: a run warns so, once, below the table and in run.json, and so does a check, before it.
doubts() {
  local kind=$1 sentence=$2 settings=()
  shift 2
  for setting in "$@"; do settings+=(--set "$setting"); done
  rm -rf out
  runs run t.yaml --out out "${settings[@]}"
  equal "$*: lines" 1 "$(grep -cF -- "warning: sgd: $sentence" stdout)"
  check "$*: run.json" grep -qF -- "\"$kind\": \"$sentence" out/run.json
  runs check t.yaml --effort 1e6 "${settings[@]}"
  equal "$*: check" 1 "$(grep -cF -- "warning: $sentence" stdout)"
  runs check t.yaml --effort 1e6 --json "${settings[@]}"
  check "$*: check --json" grep -qF -- "\"$sentence" stdout
}

# trusts SETTING...: neither of the two is doubted.
trusts() {
  local settings=()
  for setting in "$@"; do settings+=(--set "$setting"); done
  rm -rf out
  runs run t.yaml --out out "${settings[@]}"
  check "$*: no doubt" sh -c '! grep -Eq "last layer|learns values|a step draws" stdout out/run.json'
  runs check t.yaml --effort 1e6 "${settings[@]}"
  check "$*: no doubt of check" sh -c '! grep -q warning stdout'
}

### Classes: scores may be any numbers
trusts
trusts 'model.layers=dense 4, sigmoid, dense 1'
trusts 'model.layers=dense 4, relu, dense 2' model.loss=softmax
# 1 / (1 + exp(-1)), and exp(1) / (exp(1) + exp(-1)) of two outputs; for c = 3 the log-odds are 3 f
doubts model "the last layer, 'tanh', keeps scores within -1 .. 1: no probability is beyond 0.7311;" 'model.layers=dense 1, tanh'
doubts model "the last layer, 'tanh', keeps scores within -1 .. 1: no probability is beyond 0.9526;" \
  'model.layers=dense 1, tanh' 'model.loss={kind: sigmoid, c: 3}'
doubts model "the last layer, 'tanh', keeps scores within -1 .. 1: no probability is beyond 0.8808;" \
  'model.layers=dense 2, tanh' model.loss=softmax
# 1 / (1 + exp(-0.17))
doubts model "the last layer, 'gelu', keeps log-odds at -0.17 or more: nobody is of class 0 with a probability beyond 0.5424;" \
  'model.layers=dense 1, gelu'
doubts model "the last layer, 'relu', keeps scores from going below 0, which the loss 'softmax' has no need of;" \
  'model.layers=dense 2, relu' model.loss=softmax

### Values
values=(data.target=value model.loss=squared step.size=0.01)
trusts "${values[@]}" data.label=low
trusts "${values[@]}" data.label=high 'model.layers=dense 1, relu'
trusts "${values[@]}" data.label=share 'model.layers=dense 1, sigmoid'
trusts "${values[@]}" data.label=low 'model.layers=dense 3, relu, dense 1'
trusts model.loss=squared step.size=0.01
doubts model "the loss 'squared' learns values: 0 where word is no, 1 where it is yes; loss: logistic" \
  data.label=word model.loss=squared step.size=0.01
below=$(awk -F, 'NR > 1 { n++; low += $5 < 0 } END { printf "%.3g", 100 * low / n }' t.csv)
doubts model "the last layer, 'relu', puts out nothing below 0, where $below % of the labels are (-5 to 5);" \
  "${values[@]}" data.label=low 'model.layers=dense 1, relu'
beyond=$(awk -F, 'NR > 1 { n++; low += $5 < -1 || $5 > 1 } END { printf "%.3g", 100 * low / n }' t.csv)
doubts model "the last layer, 'tanh', puts out nothing beyond -1 .. 1, where $beyond % of the labels are (-5 to 5);" \
  "${values[@]}" data.label=low 'model.layers=dense 1, tanh'

### Batches: as many as there are people, by weight; what was asked for is refused in bad_input.sh
head -n 31 t.csv >few.csv
trusts method.batch=40
trusts data.path=few.csv method.batch=30
doubts batch "a step draws 64 records, the default, of 30 people; \`method.batch\` says how many, and rgd looks at everybody" \
  data.path=few.csv 'method={kind: sgd}'
trusts data.path=few.csv method=rgd
trusts data.path=few.csv 'method={kind: sgd}' data.weight=high # 2 to 14 people a row
trusts 'data={kind: lending, endless: true, window: 20}' 'method={kind: sgd, batch: 30, inner: 4}'

### Budgets too small for a single step, which leave the random start as the model
for budget in '{ifo: 40}' '{samples: 40}'; do # the snapshot alone takes as much
  runs run t.yaml --out small --set 'method={kind: sprint, batch: 8}' --set "stop=$budget"
  check "$budget" grep -q '^warning: sprint: made no step, as its budget was used up before the first one (.*): the model is the random start$' stdout
  check "$budget, run.json" grep -q '"untrained": "made no step' small/run.json
done
for budget in '{ifo: 41}' '{samples: 41}' '{gradient: 1000}'; do
  runs run t.yaml --out small --set 'method={kind: sprint, batch: 8}' --set "stop=$budget"
  check "$budget is enough" sh -c '! grep -q "made no step" stdout small/run.json'
done

### People who are made up, as nobody said which data
echo 'stop: {epochs: 1}' >none.yaml
for command in run 'check --effort 1e6'; do
  runs $command none.yaml
  check "$command: made up" grep -q '^the config has no `data`: these people are made up' stdout
  runs $command none.yaml --set data=lending
  check "$command: asked for" sh -c '! grep -q "made up" stdout'
done

### One point of a grid
cat >grid.yaml <<'END'
data: {kind: csv, path: t.csv, label: class, features: [a, b]}
shift: {kind: strategic, good: 0}
grid: {shift.alpha: [0.1, 0.2], method.batch: [8]}
END
runs init grid.yaml --out theta.npy --set shift.alpha=0.2
runs data export grid.yaml --out one --deployed theta.npy --set shift.alpha=0.2
runs data export grid.yaml --out other --deployed theta.npy --set shift.alpha=0.1
check "another point is another population" sh -c '! cmp -s one-x-deployed.npy other-x-deployed.npy'
runs grad grid.yaml --params theta.npy --out g.npy --set 'grid={}'

### Columns of tables, whatever the names
# aligned HEADER NAME...: in ./stdout, below the line that begins with the header, numbers begin where its second word does.
aligned() {
  local header=$1
  shift
  python3 - "$header" "$@" <<'END' || fail "columns are not aligned: $(cat stdout)"
import sys, unicodedata

def width(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in 'WF' else 1 for c in text)

lines = open('stdout', encoding='utf-8').read().split('\n')
head = next(i for i, line in enumerate(lines) if line.strip().startswith(sys.argv[1]))
line = lines[head]
start = len(line) - len(line.lstrip())
column = line.index('  ', start + len(sys.argv[1].split()[0])) + 2
while line[column] == ' ':
    column += 1
for name in sys.argv[2:]:
    row = next(l for l in lines[head + 1:] if l.strip().startswith(name))
    text = row.lstrip()
    rest = text[len(name):]
    begins = len(row) - len(text) + width(name) + len(rest) - len(rest.lstrip())
    assert begins == column, (name, begins, column)
END
  n_checks=$((n_checks + 1))
}
cat >names.yaml <<'END'
data: {kind: csv, path: t.csv, label: class, features: [a, b]}
method: {batch: 8}
stop: {epochs: 1, explosion: 1e300}
compare:
  - {name: "Größe-µ", method: sgd}
  - {name: "日本語", method: sgd}
  - {name: "e\u0301te\u0301", method: sgd}
  - {name: huge, method: sgd, step: {size: 1e6}}
  - {name: tiny, method: sgd, step: {size: 1e-300}}
END
export LC_ALL=C.UTF-8
names=($'Größe-µ' $'日本語' $'e\u0301te\u0301' huge tiny)
runs run names.yaml --out names
aligned 'method  ' "${names[@]}"
runs check names.yaml --effort 1e6
aligned 'method  ' "${names[@]}"
export LC_ALL=C
done_testing
