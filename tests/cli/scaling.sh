#!/bin/bash
# data.scaling and data.clip from the file to predictions: what is trained on is what predict makes of the same rows.
. "$(dirname "$0")/lib.sh"

# Two in a hundred incomes are far off, most of `late` is 0, some debts are missing; rows count for one to three.
awk 'BEGIN { srand(5); print "income,debt,late,car,people,bad"
  for (i = 0; i < 200; i++)
    print (i % 50 == 7 ? 1e7 * rand() : 2000 + 2000 * rand()) "," (i % 17 == 3 ? "NA" : rand()) "," \
          (i % 10 == 4 ? int(9 * rand()) : 0) "," (i % 3 ? "yes" : "no") "," 1 + i % 3 "," i % 2 }' >data.csv
cat >c.yaml <<'END'
data: {kind: csv, path: data.csv, label: bad, missing: median, booleans: [car], weight: people, scaling: quartiles, clip: 0.02}
model: {layers: dense 1}
method: {kind: rgd}
step: {size: 0.1}
stop: {epochs: 20}
END

# The probabilities of class 1 that a model's tensors give to exported features. A record per line.
cat >score.py <<'END'
import json, math, struct, sys
def npy(path):
    data = open(path, "rb").read()
    size = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:10 + size])
    code = header["descr"][1:]
    numbers = struct.unpack("<%d%s" % (math.prod(header["shape"]), {"f4": "f", "f8": "d"}[code]), data[10 + size:])
    d = header["shape"][1]
    return [numbers[i:i + d] for i in range(0, len(numbers), d)]
data = open(sys.argv[1], "rb").read()
size = struct.unpack("<Q", data[:8])[0]
tensors = json.loads(data[8:8 + size])
tensors.pop("__metadata__")
def tensor(t):
    a, b = t["data_offsets"]
    code = {"F32": "f", "F64": "d"}[t["dtype"]]
    return struct.unpack("<%d%s" % ((b - a) // struct.calcsize(code), code), data[8 + size + a:8 + size + b])
parts = sorted((tensor(t) for t in tensors.values()), key=len)
(bias,), weights = parts
for x in npy(sys.argv[2]):
    print("%.9g" % (1 / (1 + math.exp(-bias - sum(w * v for w, v in zip(weights, x))))))
END

# agree: sums of five terms of order 1 in single precision, a few roundings of 6e-8 each, and as many in the logistic.
agree() { # PROGRAM
  "$1" run c.yaml --out out >stdout 2>stderr || fail "run: $(cat stderr)"
  "$1" data export c.yaml --out all >stdout 2>stderr || fail "export: $(cat stderr)"
  "$1" predict out/model.safetensors data.csv >predicted.csv 2>stderr || fail "predict: $(cat stderr)"
  /usr/bin/python3 score.py out/model.safetensors all-x.npy >expected || fail "score.py failed"
  equal "scored rows" 200 "$(rows predicted.csv)"
  tail -n +2 predicted.csv | cut -d, -f4 | paste -d' ' - expected >both
  check "predict scores the features that were trained on" \
    awk 'NF != 2 || ($1 - $2)^2 > 1e-12 { print; bad = 1 } END { exit bad || NR != 200 }' both
}
agree "$SPRINT"
agree "$SPRINT_F64"
check "the model has limits" grep -aq '\\"low\\"' out/model.safetensors
check "scores differ" test "$(sort -u expected | wc -l)" -gt 100

# Beyond the limits everybody is at the limit, and within them nobody is.
printf '%s\n' income,debt,late,car 1e8,0.5,0,yes 1e9,0.5,0,yes 3500,0.5,0,yes >far.csv
runs run c.yaml --out out
runs predict out/model.safetensors far.csv --out far_scores.csv
equal "a far income and one further" "$(cell far_scores.csv p_1 0)" "$(cell far_scores.csv p_1 1)"
check "a near one" test "$(cell far_scores.csv p_1 0)" != "$(cell far_scores.csv p_1 2)"

# Without the keys a model says nothing of limits, and loads.
sed 's/, scaling.*}/}/' c.yaml >plain.yaml
runs run plain.yaml --out plain
check "no limits" sh -c '! grep -aq "\\\\\"low\\\\\"" plain/model.safetensors'
runs predict plain/model.safetensors data.csv

refused() { # WHAT SENTENCE ARGUMENT...
  local what=$1 sentence=$2
  shift 2
  n_checks=$((n_checks + 1))
  "$SPRINT" "$@" >stdout 2>stderr </dev/null && fail "$what was taken"
  grep -q "$sentence" stderr || fail "$what: $(cat stderr)"
  equal "$what: lines" 1 "$(wc -l <stderr)"
}
# Limits that cannot be; the header stays as long.
sed 's/\\"low\\"/\\"L\\"/g; s/\\"high\\"/\\"low\\"/g; s/\\"L\\"/\\"high\\"/g' out/model.safetensors >swapped.safetensors
refused "limits the wrong way round" "'income' has a 'low' above its 'high'" predict swapped.safetensors data.csv
refused "scaling of nothing" 'scaling.*`standardize: none`' data export c.yaml --out no --set data.standardize=none
refused "clip beyond the quartiles" 'clip.*0.25' data export c.yaml --out no --set data.clip=0.3
refused "an unknown scaling" 'scaling.*quartiles' data export c.yaml --out no --set data.scaling=median
printf '\0\0\10\3\0\0\0\2\0\0\0\2\0\0\0\2abcdefgh' >x.idx
printf '\0\0\10\1\0\0\0\2\0\1' >y.idx
cat >image.yaml <<'END'
data: {kind: idx, images: x.idx, labels: y.idx}
model: {layers: dense 1}
END
runs data export image.yaml --out image
refused "clipped images" 'clip.*images' data export image.yaml --out no --set data.clip=0.1
refused "quartiles of images" 'scaling.*images' data export image.yaml --out no --set data.scaling=quartiles
check "nothing was written" sh -c '! ls no* 2>/dev/null'
done_testing
