#!/bin/bash
# What people want, can change, and did: said before a run, kept within limits, and told after it in raw units.
. "$(dirname "$0")/lib.sh"

# refused WORDS ARGUMENT...
refused() {
  local words=$1
  shift
  "$SPRINT" run "$@" --out refused >stdout 2>stderr && fail "sprint run $* succeeded"
  n_checks=$((n_checks + 1))
  grep -qF -- "$words" stderr || fail "sprint run $*: expected '$words', it said: $(cat stderr)"
  [ ! -e refused ] || fail "sprint run $*: refused, and left a folder"
}

# 400 people: an income in hundreds, cards 0 .. 5, a share of 0 .. 1; whoever repays earns more and uses less.
awk 'BEGIN {
  srand(3)
  print "income,cards,share,repaid,value"
  for (i = 0; i < 400; i++) {
    income = int(1000 + 4000 * rand()); share = int(rand() * 1000) / 1000; cards = int(6 * rand())
    repaid = income / 5000 - share / 2 + rand() / 2 > 0.6
    print income "," cards "," share "," repaid "," income / 1000 - share
  }
}' >people.csv
cat >config.yaml <<'END'
data: {kind: csv, path: people.csv, label: repaid, ignore: [value]}
model: {layers: dense 1, loss: logistic}
shift:
  kind: strategic
  good: 1
  alpha: 1
method: {kind: sgd, batch: 20}
step: {size: 0.1}
stop: {epochs: 10}
END

### The opening line, and what is asked for
runs run config.yaml --out free
check "the wish" grep -qx "people want repaid = 1; they can change income, cards, share" stdout
check "a warning in run.json" grep -q '"range": "people left the range of the data: ' free/run.json
check "what helps" grep -q 'bounds: observed. of the shift keeps them in it' free/run.json
limits='{share: [0, 1], income: [~, 6000], cards: observed}'
runs run config.yaml --out kept --set "shift.bounds=$limits" --set 'shift.integers=cards' --set shift.only_up=income
check "the limits" grep -qxF \
  "people want repaid = 1; they can change income (at most 6000, only up), cards (0 to 5, whole numbers), share (0 to 1)" stdout
runs run config.yaml --out observed --set shift.bounds=observed
check "no warning" sh -c '! grep -q "people left the range" observed/run.json'
runs run config.yaml --out none --set shift=none
check "nobody" grep -qx "nobody reacts" stdout
runs run config.yaml --out two --set 'grid={shift.good: [0, 1]}' --set shift.columns=share
check "each its own" grep -qx "good-0/sgd: people want repaid = 0; they can change share" stdout
check "each its own" grep -qx "good-1/sgd: people want repaid = 1; they can change share" stdout
grep -v good config.yaml >silent.yaml
refused "silent.yaml:3: key 'shift.good': what do people want 'repaid' to be? One of 0, 1 was expected" silent.yaml
refused "key 'shift.columns': the list is empty; some of income, cards, share were expected" config.yaml --set 'shift.columns=[]'
refused "key 'shift.good': 'yes' is not a class of the data (one of 0, 1)" config.yaml --set shift.good=yes

### Of values
values="--set data.label=value --set data.ignore=repaid --set data.target=value --set model.loss=squared"
refused "'1' is not what a value can be; higher or lower was expected" config.yaml $values
refused "'nonsense' is not what a value can be" config.yaml $values --set shift.good=nonsense
refused "do people want the model's value of 'value' to be higher or lower?" config.yaml $values --set 'shift.good=""'
runs run config.yaml $values --set shift.good=lower --set shift.alpha=0.1 --out lower
check "lower" grep -qx "people want a lower value; they can change income, cards, share" stdout

### The sign, however it is typed
for sign in "shift.sign=-" "shift.sign='-'" "shift.sign=minus"; do
  runs run config.yaml --out signed --set "$sign" --set stop.epochs=1
  check "$sign" grep -q "people want to get away from repaid = 1" stdout
done
sed 's/alpha: 1/sign: -/' config.yaml >dash.yaml
refused "dash.yaml:6: the YAML is malformed: block sequence entries are not allowed in this context (a '-' that is a value of its own is quoted)" dash.yaml

### The numbers: raw values from the model's own mean and scale, by a reader of its files
runs data export config.yaml --out free --deployed free/model.safetensors
runs data export config.yaml --out kept --deployed kept/model.safetensors --set "shift.bounds=$limits" \
  --set 'shift.integers=cards' --set shift.only_up=income
cat >check.py <<'END'
import array, ast, json, struct
def npy(path):
    raw = open(path, "rb").read()
    n = struct.unpack("<H", raw[8:10])[0]
    head = ast.literal_eval(raw[10:10 + n].decode())
    return array.array("f", raw[10 + n:]), head["shape"]
def look(folder):
    model = open(folder + "/model.safetensors", "rb").read()
    n = struct.unpack("<Q", model[:8])[0]
    features = json.loads(json.loads(model[8:8 + n])["__metadata__"]["features"])
    (before, (rows, d)), (after, _) = npy(folder + "-x.npy"), npy(folder + "-x-deployed.npy")
    assert [f["name"] for f in features] == ["income", "cards", "share"]
    def column(x, j):
        return [features[j]["mean"] + features[j]["scale"] * x[i * d + j] for i in range(rows)]
    moves = {m["column"]: m for m in json.load(open(folder + "/run.json"))["assessment"]["moves"]}
    for j, name in ((0, "income"), (2, "share")):
        a, b, told, scale = column(before, j), column(after, j), moves[name], features[j]["scale"]
        change = sorted(y - x for x, y in zip(a, b))
        size = sorted(map(abs, change))
        median, q95 = (change[199] + change[200]) / 2, (size[379] + size[380]) / 2
        slack = 1e-5 * scale  # features of up to 10 are rounded to seven digits
        left = sum(y > told["observed_greatest"] + slack or y < told["observed_least"] - slack for y in b)
        assert median != 0 and abs(told["median"] - median) < slack and abs(told["q95"] - q95) < slack
        assert abs(told["least"] - min(b)) < slack and abs(told["greatest"] - max(b)) < slack
        assert told["people_left"] == left and (left > 4 or name == "share")
    return before, after, [column(after, j) for j in range(3)]
look("free")
before, after, (income, cards, share) = look("kept")
assert all(y >= x for x, y in zip(before[::3], after[::3])) and max(income) <= 6000
assert all(0 <= c <= 5 and abs(c - round(c)) < 1e-5 for c in cards) and all(0 <= s <= 1 for s in share)
END
check "numbers of the files" python3 check.py

done_testing
