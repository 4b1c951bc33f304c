#!/bin/bash
# Tables as people have them, from the file to predictions: categories, dates, booleans, weights, ids, words for nothing,
# semicolons and decimal commas, gzip; and the same people written in another way give the same numbers.
. "$(dirname "$0")/lib.sh"

# Fields are functions of the row's number; a quarter of the purposes are missing, so are some incomes.
people() {
  awk -v n="$1" -v sep="${2:-,}" -v comma="${3:-}" 'BEGIN {
    srand(11)
    split("car house study N/A", purpose, " ")
    OFS = sep
    print "customer", "income", "debt", "purpose", "since", "active", "people", "outcome"
    for (i = 1; i <= n; i++) {
      income = 2000 + 2000 * rand(); debt = rand(); p = purpose[1 + i % 4]
      bad = debt * 2 - income / 4000 + (p == "car") / 2 + rand() > 1.2
      money = i % 23 == 0 ? "NULL" : sprintf("%.2f", income); owed = sprintf("%.4f", debt)
      if (comma) { sub(/\./, ",", money); sub(/\./, ",", owed) }
      print "C" 1000 + i, money, owed, p, sprintf("20%02d-%02d-%02d", 10 + i % 14, 1 + i % 12, 1 + i % 28),
            i % 3 ? "yes" : "No", 1 + i % 3, bad ? "bad" : "good"
    }
  }'
}
people 300 >people.csv
cat >people.yaml <<'YAML'
data:
  kind: csv
  path: people.csv
  label: outcome
  id: customer
  weight: people
  categories: [purpose]
  dates: [since]
  booleans: [active]
  missing: median
  missing_words: [NULL, N/A]
model: {layers: "dense 3, tanh, dense 1"}
shift: {kind: strategic, alpha: 0.1, good: good, columns: [income, debt]}
method: {kind: rgd}
step: {size: 0.5}
stop: {epochs: 20}
YAML
runs run people.yaml --out out
equal "income, debt, four levels, since, active" 8 "$(json out/run.json features)"
runs predict out/model.safetensors people.csv
cp stdout scores.csv
equal "header" "row,customer,prediction,p_bad,p_good" "$(head -n 1 scores.csv)"
check "ids are carried through" awk -F, 'NR > 1 && $2 != "C" 1000 + $1 { exit 1 }' scores.csv
right=$(paste -d, scores.csv people.csv | awk -F, 'NR > 1 { n += $12; if ($3 == $13) k += $12 } END { print k / n }')
close "accuracy on the base population, people counted" "$(cell out/trace.csv accuracy_base -1)" "$right" 1e-6

### The same people in other ways of writing: the same numbers, and the one model scores the other's file
people 300 ';' comma >de.csv
people 300 "$(printf '\t')" >people.tsv
people 300 '|' >people.psv
gzip -c people.csv >people.csv.gz
for file in de.csv people.tsv people.psv people.csv.gz; do
  runs run people.yaml --out other --set data.path=$file
  check "$file: the same trace" cmp -s out/trace.csv other/trace.csv
  runs predict out/model.safetensors $file
  check "$file: scored by the model of the plain file" cmp -s scores.csv stdout
  runs predict other/model.safetensors people.csv
  check "people.csv: scored by the model of $file" cmp -s scores.csv stdout
done
runs run people.yaml --out told --set data.path=de.csv --set 'data.separator=;' --set data.decimal=comma
check "told instead of found" cmp -s out/trace.csv told/trace.csv
# A comma in a name does not mislead: the rows have more of them than the header.
sed 's/income/income, monthly/' de.csv >both.csv
sed 's/columns: .*/columns: ["income, monthly", debt]}/' people.yaml >both.yaml
runs run both.yaml --out both --set data.path=both.csv
runs predict both/model.safetensors both.csv
check "a name with a comma" cmp -s scores.csv stdout

### Where the rows do not tell, the separator is told once, and the model keeps it
awk 'BEGIN { srand(6); print "a, b;y"; for (i = 0; i < 50; i++) printf "0,%d;%d\n", 1000 * rand(), i % 2 }' >unclear.csv
printf 'data: {kind: csv, path: unclear.csv, label: y}\nstop: {epochs: 2}\n' >unclear.yaml
"$SPRINT" run unclear.yaml --out unclear >stdout 2>stderr && fail "two separators that fit were not refused"
check "both are named" grep -qF "separated by ',' or by ';'; data.separator says which" stderr
runs run unclear.yaml --out unclear --set 'data.separator=;'
runs predict unclear/model.safetensors unclear.csv
equal "scored" 50 "$(rows stdout)"

### A weight of 3 is three rows: trace and metrics to rounding. Sums of 600 numbers of order 1 in single precision.
awk -F, 'NR == 1 { print } NR > 1 { for (k = 0; k < $7; k++) { $1 = NR "-" k; print } }' OFS=, people.csv >copies.csv
runs run people.yaml --out copies --set data.path=copies.csv --set 'data.ignore=[people]' --set data.weight='""'
for column in loss accuracy loss_base gradient_sq displacement; do
  for row in 0 -1; do
    close "copies: $column" "$(cell out/trace.csv $column $row)" "$(cell copies/trace.csv $column $row)" 2e-5
  done
done
for metric in auc brier log_loss; do
  [ -z "$(json out/run.json $metric)" ] && continue
  close "copies: $metric" "$(json out/run.json $metric)" "$(json copies/run.json $metric)" 2e-5
done

### What training would refuse, predict refuses, with the place
model=out/model.safetensors
sed '5s/house\|car\|study\|N\/A/yacht/' people.csv >yacht.csv
refused "yacht.csv:5: column 4 'purpose': 'yacht' is none of the 4 levels of the training rows (car, house, missing, study)" \
  predict $model yacht.csv
sed '6s/20[0-9]*-[0-9]*-[0-9]*/2023-02-30/' people.csv >day.csv
refused "day.csv:6: column 5 'since': '2023-02-30' is not a day of the calendar" predict $model day.csv
sed '7s/yes\|No/perhaps/' people.csv >perhaps.csv
refused "perhaps.csv:7: column 6 'active': 'perhaps' is not a boolean" predict $model perhaps.csv
sed '3s/C1002,[^,]*/C1002,n\/a/' people.csv >word.csv
refused "word.csv:3: column 2 'income': 'n/a' is not a number" predict $model word.csv
cut -d, -f1-3,5- people.csv >less.csv
refused "less.csv:1: there is no column 'purpose'" predict $model less.csv

### Unseen levels as none of the levels: the same score whichever it is
runs run people.yaml --out zeros --set data.unseen=zeros
sed 's/N\/A\|car/boat/' people.csv >boats.csv
sed 's/N\/A\|car/yacht/' people.csv >yachts.csv
runs predict zeros/model.safetensors boats.csv
cp stdout boats
runs predict zeros/model.safetensors yachts.csv
check "unseen: zeros" cmp -s boats stdout

### Without ids, and with a model that knows nothing of tables
cut -d, -f2- people.csv >nameless.csv
runs predict $model nameless.csv
equal "no id, no column" "row,prediction,p_bad,p_good" "$(head -n 1 stdout)"
awk 'BEGIN { OFS = ","; srand(6); print "a,b,y"; for (i = 0; i < 50; i++) print rand(), rand(), i % 2 }' >plain.csv
printf 'data: {kind: csv, path: plain.csv, label: y}\nstop: {epochs: 2}\n' >plain.yaml
runs run plain.yaml --out plain
check "a table of numbers needs no more than its features" sh -c '! grep -q "\"table\"" plain/model.safetensors'

### A stream: levels are those of the window
sed 's/kind: csv/kind: stream/; s/weight: people/ignore: [people]/; s/method: .*/method: {kind: sgd, batch: 10, inner: 5}/' \
  people.yaml >stream.yaml
runs run stream.yaml --set data.window=100 --set stop.epochs=3 --out stream
runs predict stream/model.safetensors people.csv
equal "a stream's model scores the file" 300 "$(rows stdout)"
runs run stream.yaml --set data.window=100 --set stop.epochs=3 --out semicolons --set data.path=de.csv
check "a stream with semicolons" cmp -s stream/trace.csv semicolons/trace.csv
sed '120s/house\|car\|study\|N\/A/yacht/' people.csv >late.csv
refused "late.csv:120: column 4 'purpose': 'yacht' is none of the 4 levels" run stream.yaml --set data.window=100 \
  --set data.path=late.csv --out late
refused "a population without end takes no weights" run stream.yaml --set data.window=100 --set 'data.ignore=[]' \
  --set data.weight=people --out late
refused "is gzip'd, which a stream is not" run stream.yaml --set data.window=100 --set data.path=people.csv.gz --out late

### data info reads them too
runs data info de.csv
check "a decimal comma is a number" awk '$1 == "debt" && $3 == 0 { found = 1 } END { exit !found }' stdout
runs data info people.csv.gz
check "gzip" grep -q "people.csv.gz: csv, 300 rows, 8 columns" stdout

done_testing
