#!/bin/bash
# sprint predict: a saved model scores raw rows by nothing but its file.
. "$(dirname "$0")/lib.sh"

# Two clouds that a line tells apart; class names with a comma and a quote; a gap that the median fills.
awk 'BEGIN {
  srand(3)
  print "income,age,answer"
  for (i = 0; i < 60; i++) {
    bad = i % 2
    printf "%s,%.3f,%s\n", i == 7 ? "NA" : 1000 * (bad ? 1 : 3) + 500 * rand(), 40 + 10 * rand(),
           bad ? "\"no, \"\"never\"\"\"" : "yes"
  }
}' >train.csv
cat >train.yaml <<'END'
data: {kind: csv, path: train.csv, label: answer, missing: median}
model: {layers: "dense 4, tanh, dense 1"}
method: {kind: sgd, batch: 10}
step: {size: 0.5}
stop: {epochs: 30}
END
runs run train.yaml --out out

cat >people.csv <<'END'
age,name,income
41,Ada,3200
44,"Bo, jr.",1200
47,Cy,NA
END
runs predict out/model.safetensors people.csv
cp stdout scores.csv
equal "header: classes in their order, quoted as CSV" 'row,prediction,"p_no, ""never""",p_yes' \
  "$(sed 's/p_"no/"p_no/' <scores.csv | head -n 1)"
equal "rows" 3 "$(rows scores.csv)"
check "the clear cases" awk 'NR == 2 && !/^1,yes,/ { exit 1 } NR == 3 && !/^2,"no, ""never""",/ { exit 1 }' scores.csv
check "probabilities are two and add up to 1" awk -F, 'NR > 1 {
  p = $(NF - 1); q = $NF; if (p < 0 || q < 0 || p + q - 1 > 1e-6 || 1 - p - q > 1e-6) exit 1 }' scores.csv

### Where it goes
runs predict out/model.safetensors people.csv --out scored.csv
check "--out FILE has what stdout had" cmp -s scores.csv scored.csv
check "and stdout has nothing" test ! -s stdout
runs predict out/model.safetensors people.csv --out -
check "--out - is stdout" cmp -s scores.csv stdout
check "no temporary files" no_parts .

"$SPRINT" predict out/model.safetensors - <people.csv >stdout || fail "- is standard input"
check "- is standard input" cmp -s scores.csv stdout
refused "out: is a folder; a file was expected, such as the model.safetensors of a run" predict out people.csv

### What does not matter: the order of columns and rows, other columns, line ends, threads
awk -F, -v OFS=, '{ sub(/,"Bo, jr\."/, ",Bo"); print }' people.csv | awk -F, -v OFS=, '{ print $3, $1 }' >less.csv
runs predict out/model.safetensors less.csv
check "columns in another order" cmp -s scores.csv stdout
sed 's/$/\r/' people.csv >crlf.csv
runs predict out/model.safetensors crlf.csv --threads 1
check "CRLF" cmp -s scores.csv stdout
{ sed -n 1p people.csv && sed -n 3p people.csv && sed -n 2p people.csv; } >turned.csv
runs predict out/model.safetensors turned.csv
equal "rows in another order" "$(sed -n '2s/^1,//p;3s/^2,//p' scores.csv | sort)" \
  "$(sed -n '2,3s/^[12],//p' stdout | sort)"
# A missing income is the median of the training rows: the same score as with the number itself.
median=$(awk -F, 'NR > 1 && $1 != "NA" { print $1 }' train.csv | sort -g | sed -n 30p)
printf 'age,income\n47,%s\n' "$median" >median.csv
runs predict out/model.safetensors median.csv
equal "the fill is the median" "$(sed -n '4s/^3,//p' scores.csv)" "$(sed -n '2s/^1,//p' stdout)"

### More rows than are scored at once
{ echo income,age; for i in $(seq 2500); do echo "$((1000 + i)),45"; done; } >many.csv
runs predict out/model.safetensors many.csv
equal "many rows" 2500 "$(rows stdout)"
equal "a row near the end is scored as it is alone" "$(sed -n '2400s/^[0-9]*,//p' stdout)" \
  "$(printf 'income,age\n3399,45\n' >one.csv && "$SPRINT" predict out/model.safetensors one.csv | sed -n '2s/^1,//p')"

### The other precision reads the same file
"$SPRINT_F64" predict out/model.safetensors people.csv >double.csv || fail "sprint-f64 does not read a float model"
for row in 0 1 2; do
  single=$(sed -n "$((row + 2))s/.*,//p" scores.csv)
  close "row $row in double" "$single" "$(sed -n "$((row + 2))s/.*,//p" double.csv)" 1e-5
done

### More classes, and values
awk 'BEGIN { OFS = ","; srand(4); print "x,z,y"; for (i = 0; i < 90; i++) { c = i % 3; print c + rand() / 2, rand(), c } }' >three.csv
cat >three.yaml <<'END'
data: {kind: csv, path: three.csv, label: y}
model: {layers: dense 3, loss: softmax}
method: {kind: rgd}
step: {size: 1}
stop: {epochs: 50}
END
runs run three.yaml --out three
runs predict three/model.safetensors three.csv
equal "three classes" "row,prediction,p_0,p_1,p_2" "$(head -n 1 stdout)"
check "the prediction is the likeliest class, and probabilities add up" awk -F, 'NR > 1 {
  best = 0; for (c = 1; c < 3; c++) if ($(3 + c) > $(3 + best)) best = c
  sum = $3 + $4 + $5; if ($2 != best || sum < 0.999999 || sum > 1.000001) exit 1 }' stdout
# y = 3 x + 1, which a linear model learns to rounding.
awk 'BEGIN { OFS = ","; print "x,y"; for (i = 0; i < 20; i++) print i, 3 * i + 1 }' >line.csv
cat >line.yaml <<'END'
data: {kind: csv, path: line.csv, label: y, target: value}
model: {layers: dense 1, loss: squared}
method: {kind: rgd}
step: {size: 0.5}
stop: {epochs: 100}
END
runs run line.yaml --out line
printf 'x\n7\n100\n' >asked.csv
runs predict line/model.safetensors asked.csv
equal "values have no classes" "row,prediction" "$(head -n 1 stdout)"
close "3 x 7 + 1" 22 "$(cell stdout prediction 0)" 1e-3
close "3 x 100 + 1" 301 "$(cell stdout prediction 1)" 1e-2

done_testing
