#!/bin/bash
# `sprint data info`: a first config that runs for tables as people have them, what a model file is, and names from
# files that cannot reach the terminal as control codes.
. "$(dirname "$0")/lib.sh"

# says WHAT LINE: c.yaml has this line.
says() { check "$1" grep -qxF -- "$2" c.yaml; }
# drafts FILE [OPTION...]: the config of the file is c.yaml.
drafts() {
  runs data info "$@" --config
  cp stdout c.yaml
}
# trains: an epoch of c.yaml as it was written succeeds.
trains() {
  "$SPRINT" run c.yaml --set stop.epochs=1 --out out >stdout 2>stderr || fail "$1: $? $(cat stderr) $(cat c.yaml)"
  n_checks=$((n_checks + 1))
}

### A table with everything: names that YAML would read otherwise, categories, dates, booleans, words for nothing, ids
awk -v OFS=, 'BEGIN {
  srand(11); split("car house study N/A", purpose, " ")
  printf "customer,\"income: \"\"net\"\" #1\", debt,purpose,since,active,\"two\nlines\",constant,nothing,"
  print "gr\303\266\303\237e,\047q\047,-,{a: [b,#x,back\\slash,\033[31mred,y"
  for (i = 1; i <= 300; i++) {
    debt = rand(); p = purpose[1 + i % 4]
    print "C" 1000 + i, i % 23 ? 2000 * rand() : "NULL", debt, p,
      sprintf("20%02d-%02d-%02d", 10 + i % 14, 1 + i % 12, 1 + i % 28), i % 3 ? "yes" : "No", i % 7, "EUR", "",
      i % 5 / 2, i * 7919 % 100003, i % 2 ? "?" : rand(), rand(), rand(), rand(), i % 2 ? "\033[5mon" : "x: #y",
      (debt + (p == "car") / 2 + rand() > 1.2 ? "bad" : "good")
  }
}' >people.csv
drafts people.csv --label y
check "no control codes" sh -c '! grep -q "$(printf "\033")" c.yaml'
says label '  label: "y"  # 2 classes: bad, good'
says id '  id: "customer"  # no value comes twice: C1001, C1002, C1003, ...'
says categories '    - "purpose"  # 3 levels: car, house, study; 75 missing'
says booleans '    - "active"  # 2 values: No, yes'
says dates '    - "since"  # dates: 2010-01-01, 2010-03-15, 2010-05-01, ...'
says constant '    - "constant"  # one value throughout: EUR'
says empty '    - "nothing"  # every field is missing; 300 missing'
says missing '  missing: median  # 238 values in 3 columns; or drop: rows that lack any are left out'
says words "    - \"NULL\"  # in column 'income: \"net\" #1'"
says question "    - \"?\"  # in column '-'"
says shift 'shift: none'
says good '#   good: FILL_IN  # the class that people want to be in: bad, good'
says model 'model: {layers: "dense 16, relu, dense 1", loss: logistic}  # two classes'
says escape '    - "\x1b[31mred"  # 2 levels: \x1b[5mon, x: #y'
trains "a table with everything"
equal "12 number features, purpose 4 levels, red 2, since, active" 17 "$(json out/run.json features)"
runs predict out/model.safetensors people.csv
equal "ids" "row,customer,prediction,p_bad,p_good" "$(head -n 1 stdout)"

### The label: guessed with a reason, or left open, or refused
drafts people.csv
says "by its name" '  label: "y"  # guessed, by its name; 2 classes: bad, good'
cut -d, -f1-3 <<'END' >open.csv
a,b,c
1.5,2,x
2.5,3,y
1.25,2,z
7,5,z
END
drafts open.csv
check "a placeholder" grep -q '^  label: FILL_IN  # ' c.yaml
"$SPRINT" run c.yaml --out open >stdout 2>stderr && fail "a label to be filled in was taken"
check "its columns are named" grep -qF "open.csv:1: there is no column 'FILL_IN'; there are a, b, c" stderr
refused "open.csv: there is no column 'd'; there are a, b, c" data info open.csv --config --label d
refused "column 'constant' has one value throughout" data info people.csv --config --label constant
refused "column 'customer' has another text in every row" data info people.csv --config --label customer
check "and nothing was written" test ! -s stdout
refused "--label goes with --config" data info open.csv --label a

### Other labels: several classes, values however large, with some missing; other ways of writing; few rows
awk 'BEGIN { srand(2); print "a;b;k;v;m;w"; for (i = 0; i < 200; i++) { a = rand(); b = rand()
  v = sprintf("%.2f", 40000 * a + 9000 * b); s = a "" b; sub(/\./, ",", v); gsub(/\./, ",", a); gsub(/\./, ",", b)
  print a ";" b ";" int(3 * rand()) ";" v ";" (i % 9 ? i % 2 : "") ";" (i % 11 ? "u" i % 2 : "NA") } }' >de.csv
drafts de.csv --label k
says separator '  separator: ";"  # found'
says decimal '  decimal: comma  # found'
says softmax 'model: {layers: "dense 16, relu, dense 3", loss: softmax}  # one output for each class'
trains "three classes"
drafts de.csv --label v
says target '  target: value  # not classes: there are too many different numbers'
says higher '#   good: FILL_IN  # higher or lower'
trains "values"
"$SPRINT" run c.yaml --out long >stdout 2>stderr || fail "values of order 1e4, all epochs: $? $(cat stderr)"
drafts de.csv --label m
says drop '  missing: drop  # 42 values in 2 columns, the label too: such rows are left out'
trains "a label that some lack"
awk 'BEGIN { srand(4); print "a,y"; for (i = 0; i < 200; i++) print rand() "," (i ? "k" i % 3 : "\"k1 \"") }' >rare.csv
drafts rare.csv
check "a class of one row leaves nobody to hold out" sh -c '! grep -q holdout c.yaml'
trains "a rare class, spelt with a blank"
printf 'x,y\n1,0\n2,1\n3,0\n4,1\n' >toy.csv
drafts toy.csv
trains "four rows"
printf 'a,a,,b,y\n1,2,3,4.5,u\n5,1,2,2.5,v\n2,2,2,3.25,u\n1,1,5,2,v\n' >twice.csv
drafts twice.csv
check "a name that is there twice is ignored, once" test "$(grep -c '"a"' c.yaml)" = 1
trains "names that are there twice, or not at all"
printf 'a,caf\351\n1,2\n' >latin.csv
refused "has a name that is not UTF-8" data info latin.csv --config
refused "--config is for CSVs" data info out/model.safetensors --config

### Hints at what a column might be, and none where there is no reason
awk 'BEGIN { print "opened,rate,amount,score,age,limit,range,day,y"
  for (i = 0; i < 60; i++)
    printf "%02d/%02d/20%02d,%d.5%%,\"$%d,%03d\",%d,%d,%d,%d-%d,%02d.01.2020,%d\n", 1 + i % 12, 1 + i % 28, i % 20, i % 7, 1 + i % 9,
      7 * i % 1000, i % 9 ? 500 + i : -999, 20 + i % 50, i % 8 ? 10 * i : 99999, i % 3, i % 3 + 5, 1 + i % 30, i % 2 }' >hints.csv
runs data info hints.csv --config --label y
hints() { check "$1: $2" grep -q "\"$1\"  # .*$2\$" stdout; }
hints opened '; dates, if they were written 2023-05-17 or 17.05.2023'
hints rate '; numbers, if they were written without marks'
hints amount '; numbers, if they were written without marks'
hints score '; if -999 means that nothing is known, it is one of missing_words'
hints limit '; if 99999 means that nothing is known, it is one of missing_words'
hints age '50 different: a category, if they are codes\|from 20 to 69'
hints range '3 levels: 0-5, 1-6, 2-7'
hints day 'dates: 01.01.2020, 02.01.2020, 03.01.2020, ...'

### A model, and one whose numbers are broken
runs data info out/model.safetensors
check "parameters" grep -qx "out/model.safetensors: a model, [0-9]* parameters in 4 tensors, all finite" stdout
for line in "layers      dense 16, relu, dense 1" "loss        logistic" "label       y" "classes     2: u, v" \
  "features    1: b" "run ended   epochs, at epoch 1"; do
  check "$line" grep -qxF "$line" stdout
done
size=$(wc -c <out/model.safetensors)
head -c $((size - 4)) out/model.safetensors >nan.safetensors
printf '\000\000\300\177' >>nan.safetensors
runs data info nan.safetensors
check "a NaN is counted" grep -q "tensors, 1 of them not finite" stdout
head -c $((size - 4)) out/model.safetensors >cut.safetensors
refused "cut.safetensors: tensor" data info cut.safetensors

### What is in a file reaches the terminal clean
runs data info people.csv
check "no control codes" sh -c '! grep -q "$(printf "\033")" stdout'
check "shown as text" grep -qF '\x1b[31mred, 2 values: \x1b[5mon 150, x: #y 150' stdout

done_testing
