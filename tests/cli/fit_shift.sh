#!/bin/bash
# sprint fit-shift: people who are simulated here, by the slopes of `sprint predict`, and what it makes of their logs.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN {
  srand(7)
  print "customer,income,debt,age,repaid"
  for (i = 0; i < 300; i++) {
    u = sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()); v = sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand())
    printf "c%d,%.6f,%.6f,%.6f,%d\n", i, 3000 + 1000 * u, 0.5 + 0.2 * v, 30 + 30 * rand(), rand() < 1 / (1 + exp(v - u))
  }
}' >base.csv
cat >model.yaml <<'END'
data: {kind: csv, path: base.csv, label: repaid, ignore: [customer]}
model: {layers: dense 1}
method: {kind: rgd}
step: {size: 1}
stop: {epochs: 60}
END
runs run model.yaml --out one
runs run model.yaml --set stop.epochs=4 --out two
one=one/model.safetensors two=two/model.safetensors

# slopes MODEL: of the log-odds of class 1, by a unit of income, of debt and of age.
slopes() {
  printf 'income,debt,age\n3000,0.5,40\n3001,0.5,40\n3000,0.501,40\n3000,0.5,41\n' >points.csv
  "$SPRINT_F64" predict "$1" points.csv | awk -F, '
    NR > 1 { odds[NR] = log($4 / $3) }
    END { printf "%.9g %.9g %.9g\n", odds[3] - odds[2], (odds[4] - odds[2]) * 1000, odds[5] - odds[2] }'
}
# log SEED DRIFT INCOME DEBT "SLOPES": the base, INCOME and DEBT alpha_raw, a drift in income, noise of a tenth of a deviation.
log() {
  awk -F, -v OFS=, -v seed="$1" -v drift="$2" -v a="$3" -v b="$4" -v slopes="$5" '
    BEGIN { srand(seed); split(slopes, s, " ") }
    function noise() { return 0.1 * sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
    NR > 1 { $2 += a * s[1] + drift + 1000 * noise(); $3 += b * s[2] + 0.2 * noise(); $4 += 3 * noise() }
    { print }' base.csv
}
slopes_one=$(slopes $one) slopes_two=$(slopes $two)
log 1 0 200000 0.004 "$slopes_one" >one.csv
log 2 0 200000 0.004 "$slopes_two" >two.csv

# number KEY COLUMN: from the parameters of ./stdout, a JSON.
number() { sed -n 's/.*"column": "'"$2"'".* "'"$1"'": \([^,}]*\).*/\1/p' stdout; }
# tells COLUMN TRUTH: within three standard errors (one draw: P = 0.997).
tells() {
  close "$1" "$2" "$(number value "$1")" "$(awk -v e="$(number error "$1")" 'BEGIN { print 3 * e }')"
}

### Paired, from the base; and between two models
runs fit-shift --log base.csv=none --log one.csv=$one --id customer --good 1 --json
tells income 200000
tells debt 0.004
check "a response" grep -q '"response": true' stdout
check "nobody is missing" grep -q '"people": 300' stdout
runs fit-shift --log one.csv=$one --log two.csv=$two --id customer --good 1 --columns income,debt --json
tells income 200000
tells debt 0.004
cp stdout first.json
runs fit-shift --log one.csv=$one --log two.csv=$two --id customer --good 1 --columns income,debt --json --threads 1
check "the same at any number of threads" cmp -s first.json stdout
runs fit-shift --log one.csv=$one --log two.csv=$two --id customer --good 1 --columns income,debt --json --seed 2
check "another seed, other errors" test "$(cksum <first.json)" != "$(cksum <stdout)"
# The good class turned round turns alpha round.
runs fit-shift --log base.csv=none --log one.csv=$one --id customer --good 0 --json
tells income -200000

### Not paired
runs fit-shift --log base.csv=none --log one.csv=$one --log two.csv=$two --good 1 --columns income,debt --json
tells income 200000
tells debt 0.004
check "not paired" grep -q '"paired": false' stdout

### What people read, and the section
runs fit-shift --log base.csv=none --log one.csv=$one --id customer --good 1 --columns income,debt --out shift.yaml
check "the section is there" grep -q '^shift:$' stdout
check "with what was given" grep -q '^  good: "1"$' stdout
check "and columns" grep -q '^  columns: \[income, debt\]$' stdout
check "alpha by column" grep -Eq '^    income: [12][0-9]*' stdout
check "no placebo is said" grep -q 'note: there is no placebo' stdout
equal "all else is a comment" 0 "$(sed '/^shift:/,$d' stdout | grep -vc '^#\|^$')"
equal "--out has the section" "$(sed -n '/^shift:/,$p' stdout)" "$(cat shift.yaml)"

### Drift, and the placebo: everybody's income rises by 100 a log, and nobody responds
log 3 100 0 0 "0 0 0" >later.csv
log 4 200 0 0 "0 0 0" >last.csv
log 5 200 200000 0.004 "$slopes_one" >moved.csv
runs fit-shift --log base.csv=none --log later.csv=none --log last.csv=$one --id customer --good 1
check "no response" grep -q '^# response: no response' stdout
check "drift is seen" grep -q '^# placebo: drift between' stdout
equal "shift: none" "shift: none" "$(sed -n 's/  #.*//; /^shift/p' stdout)"
runs fit-shift --log base.csv=none --log last.csv=$one --id customer --good 1
check "without a placebo drift passes for a response" grep -q '^# response: people respond' stdout
runs fit-shift --log base.csv=none --log later.csv=none --log moved.csv=$one --id customer --good 1 --json
tells income 200000
# The same with times instead of the order, in the wrong order.
runs fit-shift --log moved.csv=$one@20 --log later.csv=none@10 --log base.csv=none@0 --id customer --good 1 --json
tells income 200000

### Linear: epsilon of x - epsilon w is -alpha for one alpha in features, and its section can be run
runs fit-shift --log base.csv=none --log one.csv=$one --id customer --kind linear --columns income --out linear.yaml
check "epsilon is negative: people raise what pays" grep -Eq '^  epsilon: -' linear.yaml
cat linear.yaml model.yaml >pasted.yaml
runs run pasted.yaml --out pasted

### Location: three parameters of a test bed, one deployment: A is not told, epsilon I is
sed 's/^model:.*/model: {loss: mean}/; s/epochs: 60/epochs: 1/' model.yaml >bed.yaml
runs run bed.yaml --set step.size=0.5 --set data.standardize=none --out bed
log 6 100 0 0 "0 0 0" >bed.csv
runs fit-shift --log base.csv=none --log bed.csv=bed/model.safetensors --id customer --kind location
check "A is not told" grep -q 'note: A as a whole cannot be told: it has 3 columns' stdout

### Retention: the same people under both models, so that nobody left
runs fit-shift --log one.csv=$one --log two.csv=$two --kind retention
check "nobody left" grep -q '^# response: no response' stdout

### People who come and go, gaps
{ sed -n '1,200p' one.csv && echo 'new,3000,0.4,50,1'; } >fewer.csv
sed '3s/,[^,]*,/,NA,/' base.csv >gaps.csv
runs fit-shift --log gaps.csv=none --log fewer.csv=$one --id customer --good 1 --json
check "those in one log are counted" grep -q '"alone": 103' stdout # 101 of the base, c1 whose gap is left out, new
check "and gaps" grep -q '"missing": 1' stdout
check "the rest is used" grep -q '"people": 198' stdout

### Refused, in a sentence
refused() {
  "$SPRINT" fit-shift "${@:2}" >stdout 2>stderr </dev/null && wrong "taken: $*"
  n_checks=$((n_checks + 1))
  grep -Fq -- "$1" stderr || wrong "'$1' is not said: $(cat stderr)"
  [ ! -s stdout ] || wrong "refused, and yet printed: $*"
}
pair=(--log base.csv=none --log one.csv=$one --id customer)
refused "which class do people want to be in? It is not guessed; say 0 or 1" "${pair[@]}"
refused "'2' is no class of the models; it is 0 or 1" "${pair[@]}" --good 2
refused "'incom' is no feature of" "${pair[@]}" --good 1 --columns incom
refused "there is no column 'custome'; did you mean 'customer'?" --log base.csv=none --log one.csv=$one --id custome --good 1
refused "is not DATA.csv=MODEL" --log base.csv --log one.csv=$one --good 1
refused "two or more logs" --log one.csv=$one --good 1
refused "no log was collected under a model" --log base.csv=none --log one.csv=none --good 1
refused "one and the same model" --log one.csv=$one --log two.csv=$one --good 1
refused "say their time" --log base.csv=none --log one.csv=$one@3 --good 1
refused "means nothing to 'strategic'" "${pair[@]}" --good 1 --form scalar
refused "means nothing to 'linear'" "${pair[@]}" --good 1 --kind linear
refused "decay" "${pair[@]}" --kind decay
refused "100 .. 1000000" "${pair[@]}" --good 1 --bootstrap 5
{ cat base.csv && sed -n 2p base.csv; } >twice.csv
refused "twice.csv:302: customer 'c0' is there already, on line 2" --log twice.csv=none --log one.csv=$one --id customer --good 1
sed 's/^c\([0-9]\)/d\1/' one.csv >others.csv
refused "no customer is in two logs" --log base.csv=none --log others.csv=$one --id customer --good 1
cut -d, -f1,2,4,5 one.csv >lacks.csv
refused "there is no column 'debt'" --log base.csv=none --log lacks.csv=$one --id customer --good 1
sed '5s/,[^,]*,/,much,/' one.csv >words.csv
refused "words.csv:5: column 2 'income': 'much' is not a number" --log base.csv=none --log words.csv=$one --good 1
refused "nowhere.csv" --log base.csv=none --log nowhere.csv=$one --good 1
refused "nowhere.safetensors" --log base.csv=none --log one.csv=nowhere.safetensors --good 1
sed 's/ignore: .customer./ignore: [customer, age]/' model.yaml >small.yaml
runs run small.yaml --out small
refused "different numbers of features" --log one.csv=$one --log two.csv=small/model.safetensors --good 1
sed 's/dense 1/"dense 2, tanh, dense 1"/' model.yaml >net.yaml
runs run net.yaml --out net
refused "'linear' is a response to linear models" --log base.csv=none --log one.csv=net/model.safetensors --kind linear
refused "A has 4 columns" --log base.csv=none --log one.csv=$one --kind location
refused "needs as many parameters as features" --log base.csv=none --log one.csv=$one --kind location --form scalar
sed '2s/.$/9/' one.csv >nine.csv
refused "'9' is no class of the models: 0 or 1" --log base.csv=none --log nine.csv=$one --kind retention
refused "cannot be written" "${pair[@]}" --good 1 --out nowhere/shift.yaml
check "no temporary files" no_parts .
refused "form: 'square' is not one of matrix, diagonal, scalar" "${pair[@]}" --kind location --form square
refused "columns: 'debt' is there twice" "${pair[@]}" --good 1 --columns debt,income,debt
refused "has an empty name" "${pair[@]}" --good 1 --columns income,,debt
refused "label: means nothing to 'strategic'" "${pair[@]}" --good 1 --label repaid
refused "score: means nothing to 'linear'" "${pair[@]}" --kind linear --score logit
refused "columns: means nothing to 'location'" "${pair[@]}" --kind location --columns income
refused "--seed: 'x' is not a whole number" "${pair[@]}" --good 1 --seed x
refused "--bootstrap: '0' is not within 100 .. 1000000" "${pair[@]}" --good 1 --bootstrap 0
refused "is not DATA.csv=MODEL" --log "=$one" --log one.csv=$one --good 1
refused "is not DATA.csv=MODEL" --log one.csv= --log one.csv=$one --good 1
refused "one.csv@noon" --log base.csv=none --log "one.csv=one.csv@noon" --good 1
head -n 3 one.csv >few.csv
refused "few.csv: 2 of its rows can be used" --log base.csv=none --log few.csv=$one --good 1
awk -F, -v OFS=, 'NR > 1 { $2 = "NA" } { print }' one.csv >gone.csv
refused "gone.csv: every one of its 300 rows has a missing value" --log base.csv=none --log gone.csv=$one --good 1
sed '4s/^[^,]*//' one.csv >nameless.csv
refused "nameless.csv:4: column 1 'customer': the id is missing" --log base.csv=none --log nameless.csv=$one --id customer --good 1

### Models of values, which people want higher or lower
sed 's/label: repaid/label: repaid, target: value/; s/dense 1/dense 1, loss: squared/; s/size: 1/size: 0.1/' model.yaml >value.yaml
runs run value.yaml --out value
value=value/model.safetensors
runs run value.yaml --set model.l2=0.5 --out value-two
log 1 0 200000 0.004 "$slopes_one" >value.csv
two_values=(--log base.csv=none --log value.csv=$value --id customer)
refused "do people want the models' value to be higher or lower?" "${two_values[@]}"
refused "good: 'upwards' is not what a value can be; say higher or lower" "${two_values[@]}" --good upwards
refused "score: a probability needs classes" "${two_values[@]}" --good higher --score probability
refused "score: 'odds' is not one of logit, probability" "${two_values[@]}" --good higher --score odds
refused "'retention' is about classes, and $value has none" "${two_values[@]:0:4}" --kind retention --label repaid
refused "one is of classes, the other of values" --log one.csv=$one --log value.csv=$value --good 1
runs fit-shift "${two_values[@]}" --good higher --columns income,debt --json
higher=$(number value income)
runs fit-shift "${two_values[@]}" --good lower --columns income,debt --json
equal "who wants it lower moves the other way" "$(awk -v a="$higher" 'BEGIN { printf "%.6g", -a }')" \
  "$(awk -v a="$(number value income)" 'BEGIN { printf "%.6g", a }')"
runs fit-shift --log value.csv=$value --log two.csv=value-two/model.safetensors --good higher --columns income

### Other classes, other features
sed 's/,1$/,yes/; s/,0$/,no/' base.csv >yes.csv
sed 's/base.csv/yes.csv/' model.yaml >yes.yaml
runs run yes.yaml --set stop.epochs=4 --out yes
refused "they have different classes" --log one.csv=$one --log two.csv=yes/model.safetensors --good 1
sed '1s/debt/dept/' base.csv >dept.csv
sed 's/base.csv/dept.csv/' model.yaml >dept.yaml
runs run dept.yaml --out dept
refused "they have different features" --log one.csv=$one --log two.csv=dept/model.safetensors --good 1
# The same model in another file is the same; one whose columns are in another order is not refused.
cp $one copy.safetensors
refused "one and the same model" --log one.csv=$one --log two.csv=copy.safetensors --good 1
awk -F, -v OFS=, '{ print $1, $3, $2, $4, $5 }' base.csv >turned.csv
sed 's/base.csv/turned.csv/' model.yaml >turned.yaml
runs run turned.yaml --set stop.epochs=4 --out turned
runs fit-shift --log one.csv=$one --log two.csv=turned/model.safetensors --id customer --good 1 --columns income,debt --json
tells income 200000
tells debt 0.004

### A probability as the score, whose slope is that of the log-odds times p (1 - p): more is needed for the same move
runs fit-shift "${pair[@]}" --good 1 --score probability --columns income,debt --json
check "a response by probability" grep -q '"response": true' stdout

### Retention: classes that left, and came, and are not there
awk -F, 'NR == 1 || $5 == 1 || NR % 3 == 0' base.csv >left.csv
runs fit-shift --log base.csv=none --log left.csv=$one --kind retention
check "one model only" grep -q 'note: there is one model only' stdout
runs fit-shift --log base.csv=none --log base.csv=$one --log left.csv=$two --kind retention
awk -F, 'NR == 1 || $5 == 1' base.csv >ones.csv
refused "class '0' is in no log under a model" --log base.csv=none --log ones.csv=$one --kind retention
refused "there is no base record of class '0'" --log ones.csv=none --log base.csv=$one --kind retention

done_testing
