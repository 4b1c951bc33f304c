#!/bin/bash
# sprint predict --label: how good a model is on new data, as a user sees it. The numbers themselves are held against
# scikit-learn in tests/unit/test_predict_label.c.
. "$(dirname "$0")/lib.sh"

# metrics FILE KEY: the first number of the key from the metrics on.
metric() { sed -n '/"metrics"/,$p' "$1" >metrics.part && json metrics.part "$2"; }
# base KEY: what the run said of its own records, as if nobody had reacted.
base() { sed -n '/"base": {/,$p' out/run.json >base.part && json base.part "$1"; }

# A table with all that a model file must remember: an id, a category, weights, decimal commas, a word for missing.
awk 'BEGIN { srand(5); print "who;income;job;w;bad"
  for (i = 0; i < 200; i++) { bad = rand() < 0.3
    income = i == 5 ? "none" : int(1000 * rand() + 400 * !bad) ",5"
    print "p" i ";" income ";" (rand() < 0.5 ? "a" : "b") ";" int(rand() * 4) ",5;" (bad ? "yes" : "no") } }' >d.csv
cat >c.yaml <<'END'
data: {kind: csv, path: d.csv, label: bad, id: who, weight: w, categories: [job], missing: median, missing_words: [none]}
model: {layers: "dense 1", l2: 0.01}
method: {kind: sgd, batch: 10}
stop: {epochs: 5}
eval: {positive: "no", threshold: 0.6}
END
runs run c.yaml --out out
model=out/model.safetensors

### The same records: the same numbers, to the last digit
runs predict $model d.csv --label bad --json
cp stdout found.json
for key in loss accuracy majority auc recall precision brier calibration_error people; do
  equal "$key as the run has it" "$(base $key)" "$(metric found.json $key)"
done
equal "the model's threshold" 0.59999999999999998 "$(json found.json threshold)"
equal "the model's positive class" no "$(json found.json positive)"
equal "the model's weights" w "$(json found.json weight)"
check "nothing but JSON" python3 -c 'import json, sys; json.load(open("found.json"))'
runs predict $model d.csv --label bad --json --threads 1
check "at any number of threads" cmp -s found.json stdout

### The page for people
runs predict $model d.csv --label bad
cp stdout page
for words in "d.csv: 200 rows that stand for" "(column 'w')" "^loss  " "^accuracy  .* %" "^majority .*largest class" \
  "^AUC  *0\." "^recall  .* %" "^precision  .* %" "^Brier score" "^calibration error" \
  "of class 'no', said from a probability of 0.6 on" "said to be" "^60 to 70 %"; do
  check "the page says '$words'" grep -q -- "$words" page
done
check "no rows on it" bash -c '! grep -q ^row page'

### Where the rows go
runs predict $model d.csv --label bad --out rows.csv
check "the page stays where it is" cmp -s page stdout
equal "all rows are in the file" 200 "$(rows rows.csv)"
equal "with ids" "row,who,prediction,p_no,p_yes" "$(head -n 1 rows.csv)"
"$SPRINT" predict $model d.csv --label bad --out - >stdout 2>stderr || fail "--out -: $(cat stderr)"
check "--out -: rows on standard output" cmp -s rows.csv stdout
check "and the page on standard error" cmp -s page stderr
check "predictions go by the threshold" awk -F, 'NR > 1 && ($3 == "no") != ($4 >= 0.6) { exit 1 }' rows.csv
"$SPRINT" predict $model d.csv >stdout 2>stderr || fail "without --label: $(cat stderr)"
check "without --label the same rows" cmp -s rows.csv stdout
check "which says what they go by" grep -q "the prediction is 'no' from a probability of 0.6 on" stderr
runs data info $model
check "and so does data info" grep -q "^predicts *no from a probability of 0.6" stdout

### What the caller says instead
runs predict $model d.csv --label bad --positive yes --threshold 0.5 --unweighted --json
equal "positive" yes "$(json stdout positive)"
equal "threshold" 0.5 "$(json stdout threshold)"
equal "unweighted" null "$(json stdout weight)"
equal "people are rows" 200.0 "$(metric stdout people)"
"$SPRINT" predict $model d.csv --label bad --positive yes --threshold 0.5 --out - >half.csv 2>page
check "from one half on the likelier class" awk -F, 'NR > 1 && ($3 == "yes") != ($5 >= 0.5) { exit 1 }' half.csv
# another column of weights, and no column w
sed 's/;w;/;times;/' d.csv >times.csv
runs predict $model times.csv --label bad --json
equal "no such column: every row is one" 200.0 "$(metric stdout people)"
runs predict $model times.csv --label bad --weight times --json
equal "another column" "$(base auc)" "$(metric stdout auc)"

### Values, and more than two classes
awk 'BEGIN { OFS = ","; print "x,y"; for (i = 0; i < 20; i++) print i, 3 * i + 1 + (i % 2) }' >line.csv
cat >line.yaml <<'END'
data: {kind: csv, path: line.csv, label: y, target: value}
model: {layers: dense 1, loss: squared}
method: {kind: rgd}
step: {size: 0.5}
stop: {epochs: 100}
END
runs run line.yaml --out line
runs predict line/model.safetensors line.csv --label y
check "RMSE and R^2 of values" grep -q "^RMSE  *0.4" stdout
check "and R^2" grep -q "^R^2  *0.99" stdout
check "no classes of values" bash -c '! grep -qi "recall\|threshold" stdout'
awk 'BEGIN { OFS = ","; srand(4); print "x,z,y"
  for (i = 0; i < 90; i++) { c = i % 3; print c + rand() / 2, rand(), c } }' >three.csv
cat >three.yaml <<'END'
data: {kind: csv, path: three.csv, label: y}
model: {layers: dense 3, loss: softmax}
method: {kind: rgd}
step: {size: 1}
stop: {epochs: 50}
END
runs run three.yaml --out three
runs predict three/model.safetensors three.csv --label y
cp stdout page
check "means over three classes" grep -q "means over classes; the likeliest class is said" page
sed 's/,2$/,2.0/; s/,1$/,1e0/' three.csv >spelt.csv
runs predict three/model.safetensors spelt.csv --label y
equal "classes that are numbers, spelt in another way" "$(sed 1d page)" "$(sed 1d stdout)"
sed 's/,0$/,9/; s/,1$/,0/; s/,9$/,1/' three.csv >wrong.csv
runs predict three/model.safetensors wrong.csv --label y
check "a warning where it is no better than the largest class" grep -q "^warning: its accuracy here, .* no better" stdout

### One sentence
refused "no column 'worse'" predict $model d.csv --label worse
sed '4s/;[a-z]*$/;perhaps/' d.csv >unknown.csv
refused "unknown.csv:4: column 5 'bad': 'perhaps' is none of the 2 classes of the model (no, yes)" \
  predict $model unknown.csv --label bad
sed '4s/;[a-z]*$/;/' d.csv >missing.csv
refused "missing.csv:4: column 5 'bad': the label is missing" predict $model missing.csv --label bad
misused() {
  "$SPRINT" predict "${@:2}" >stdout 2>stderr
  equal "$1: the exit code" 2 $?
  check "$1: said" grep -qF -- "$1" stderr
}
misused "--json goes with --label" $model d.csv --json
misused "--weight goes with --label" $model d.csv --weight w
misused "two answers" $model d.csv --label bad --weight w --unweighted
misused "'1.5' is not a probability within 0 .. 1" $model d.csv --threshold 1.5
misused "'nan' is not a probability" $model d.csv --threshold nan
refused "'maybe' cannot be the positive class" predict $model d.csv --positive maybe
refused "has more" predict three/model.safetensors three.csv --threshold 0.3
refused "predicts values" predict line/model.safetensors line.csv --threshold 0.3
refused "no column 'times'" predict $model d.csv --label bad --weight times
cp d.csv keep.csv
refused "keep.csv" predict $model keep.csv --label bad --out keep.csv
check "the data is as it was" cmp -s d.csv keep.csv

done_testing
