#!/bin/bash
# From a CSV as people have them to predictions: quotes, CRLF, gaps, a constant column, columns to leave out.
. "$(dirname "$0")/lib.sh"

# A byte order mark, CRLF throughout, a nameless first column of row numbers, a comment with commas, quotes and line
# ends, a quoted number, a column that never varies, and gaps written in three ways.
awk 'BEGIN {
  srand(5)
  printf "\357\273\277\"\",\"income, monthly\",debt,branch,comment,defaulted\r\n"
  for (i = 1; i <= 120; i++) {
    debt = 100 * rand()
    income = 2000 + 1000 * rand()
    bad = debt / 100 - (income - 2000) / 1000 + rand() - 0.5 > 0
    gap = i % 30 == 0 ? "NA" : i % 31 == 0 ? "" : i % 37 == 0 ? "NaN" : sprintf("%.2f", income)
    number = i % 3 ? sprintf("%.4f", debt) : sprintf("\"%.4f\"", debt)
    printf "%d,%s,%s,12,\"%s\",%s\r\n", i, gap, number, i % 10 ? "ok, \"\"fine\"\"" : "two\r\nlines", bad ? "yes" : "no"
  }
}' >people.csv
cat >credit.yaml <<'END'
data:
  kind: csv
  path: people.csv
  label: defaulted
  ignore: ["", comment]
  missing: median
model: {layers: "dense 6, relu, dense 1"}
shift: {kind: strategic, alpha: 0.3, good: "no", columns: ["income, monthly"]}
method: {kind: sprint, batch: 12}
step: {size: 0.2}
stop: {epochs: 20}
END

# agrees WHAT ROWS: the predictions of people.csv agree with the trace's accuracy on the base population.
agrees() {
  local right
  runs predict out/model.safetensors people.csv
  equal "$1: as many predictions as people" 120 "$(rows stdout)"
  equal "$1: header" "row,prediction,p_no,p_yes" "$(head -n 1 stdout)"
  # The label is the last field of a line that ends in CRLF and yes or no.
  sed -n 's/.*,\(yes\|no\)\r$/\1/p' people.csv >labels
  equal "$1: labels" 120 "$(wc -l <labels)"
  right=$(awk -F, 'NR > 1 { print $2 }' stdout | paste -d ' ' labels - | awk '$1 == $2 { n++ } END { print n + 0 }')
  close "$1: accuracy on the base population" "$(cell out/trace.csv accuracy_base -1)" \
    "$(awk -v n="$right" 'BEGIN { print n / 120 }')" 1e-6
}

runs run credit.yaml --out out
equal "rows" 120 "$(json out/run.json rows)"
equal "features: income, debt, branch" 3 "$(json out/run.json features)"
check "the constant column is named" grep -A1 '"constant_columns"' out/run.json >constant
check "and is the branch" grep -q branch constant
check "training has helped" awk -v a="$(cell out/trace.csv accuracy_base -1)" 'BEGIN { exit !(a > 0.65) }'
check "people have moved" awk -v d="$(cell out/trace.csv displacement -1)" 'BEGIN { exit !(d > 0) }'
agrees "median"

### The same with gaps dropped: fewer people to learn from, and no fill for the missing
runs run credit.yaml --out dropped --set data.missing=drop
gaps=$(awk -F, 'NR > 1 && /^[0-9]+,(NA|NaN|),/ { n++ } END { print n }' people.csv)
equal "missing: drop" $((120 - gaps)) "$(json dropped/run.json rows)"
"$SPRINT" predict dropped/model.safetensors people.csv >stdout 2>stderr
equal "no fill: exit code" 1 $?
check "no fill: the sentence, at the line where the row with the gap starts" grep -q \
  "people.csv:$(awk -F, '/^[0-9]+,(NA|NaN|),/ { print NR; exit }' people.csv): column 2 'income, monthly': the value is" stderr
check "no fill: nothing on stdout" test ! -s stdout

### Tabs instead of commas, LF instead of CRLF: the same population, so the same trace
awk 'BEGIN { OFS = ","; srand(6); print "a,b,c,y"; for (i = 0; i < 50; i++) print rand(), rand(), rand(), i % 2 }' >plain.csv
tr , '\t' <plain.csv >plain.tsv
cat >plain.yaml <<'END'
data: {kind: csv, path: plain.csv, label: y}
stop: {epochs: 2}
END
runs run plain.yaml --out comma
runs run plain.yaml --out tab --set data.path=plain.tsv --set data.separator=tab
check "tabs" cmp -s comma/trace.csv tab/trace.csv
check "tabs: the same model" cmp -s comma/model.safetensors tab/model.safetensors
sed 's/$/\r/' plain.csv >dos.csv
runs run plain.yaml --out dos --set data.path=dos.csv
check "CRLF" cmp -s comma/trace.csv dos/trace.csv
runs run plain.yaml --out named --set 'data.features=[a, b, c]'
check "features by name" cmp -s comma/trace.csv named/trace.csv
runs run plain.yaml --out two --set 'data.features=[c, a]'
equal "two of the features" 2 "$(json two/run.json features)"

done_testing
