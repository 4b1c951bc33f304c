#!/bin/bash
# sprint fit-shift: of every kind that it fits, in every form, the `shift:` section that it prints is taken by a config,
# and what is then simulated has the numbers that were fitted (six digits of them are printed).
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || fail "python3 is needed"

# Four tables of 200 people; in the first, columns have mean 0, in the others they differ.
awk 'BEGIN {
  split("0 0 0;1 0 0;0 1 0;0.5 0 2", means, ";")
  for (k = 0; k < 4; k++) {
    srand(100 + k); split(means[k + 1], m, " "); file = "t" k ".csv"
    print "who,\"u, first\",v,w,y" >file
    for (i = 0; i < 200; i++) {
      u = m[1] + rand() - 0.5; v = m[2] + rand() - 0.5; w = m[3] + rand() - 0.5
      printf "p%d,%.6f,%.6f,%.6f,%s\n", i, u, v, w, (u + v + rand() > 0.5 ? "yes" : "no") >file
    }
  } }'

# paste NAME OPTION...: fits, lays the section over the config c.yaml and runs it; NAME.json is the fit, NAME/run.json
# the run. `shifted KEY` is then what the run's own settings say.
paste() {
  local name=$1
  shift
  runs fit-shift "$@" --json
  cp stdout "$name.json"
  runs fit-shift "$@" --out "$name.yaml"
  check "$name: a response" grep -q '"response": true' "$name.json"
  check "$name: its kind is in the section" grep -q "^  kind: ${name%%-*}" "$name.yaml"
  cat "$name.yaml" c.yaml >pasted.yaml
  runs run pasted.yaml --out "$name" # a warning would be on stderr
}
# numbers NAME PYTHON: an expression of the fit (a list of values by parameter) and of the settings of the pasted shift.
numbers() {
  n_checks=$((n_checks + 1))
  python3 - "$1" "$2" <<'END' || fail "$1: the run does not have what was fitted: $(cat "$1.yaml")"
import json, math, sys
name, expression = sys.argv[1:]
fit = json.load(open(name + ".json"))
shift = json.load(open(name + "/run.json"))["settings"]["shift"]
value = [p["value"] for p in fit["parameters"]]
def same(a, b): return math.isclose(a, b, rel_tol=5e-6)  # half a unit of the sixth digit
if not eval("(" + expression + ")"):
    print(name, expression, "is false:", value, shift, file=sys.stderr)
    sys.exit(1)
END
}

### Strategic and linear: a logistic model, people move along its slopes
cat >c.yaml <<'END'
data: {kind: csv, path: t0.csv, label: y, id: who}
model: {layers: dense 1}
method: {kind: rgd}
step: {size: 1}
stop: {epochs: 20}
END
runs run c.yaml --out model
model=model/model.safetensors
# moved U V: the first table, "u, first" and v moved by these, with some noise.
moved() {
  awk -F, -v OFS=, -v u="$1" -v v="$2" 'BEGIN { srand(9) }
    NR > 1 { $2 += u + 0.02 * (rand() - 0.5); $3 += v + 0.02 * (rand() - 0.5); $4 += 0.02 * (rand() - 0.5) } { print }' t0.csv
}
moved 0.10 0.05 >up.csv
moved -0.10 -0.05 >down.csv
logs=(--log t0.csv=none --log up.csv=$model --id who)
paste strategic "${logs[@]}" --good yes
numbers strategic 'shift["kind"] == "strategic" and shift["good"] == "yes" and
  all(same(shift["alpha_raw"][c], v) for c, v in zip(["u, first", "v"], value)) and shift["score"] == "logit"'
paste strategic-columns "${logs[@]}" --good yes --columns "v" --score probability
numbers strategic-columns 'shift["columns"] == ["v"] and same(shift["alpha_raw"]["v"], value[0]) and
  shift["score"] == "probability"'
paste strategic-away --log t0.csv=none --log down.csv=$model --id who --good yes
numbers strategic-away 'shift["sign"] in ("-", "minus") and
  all(same(shift["alpha_raw"][c], -v) for c, v in zip(["u, first", "v"], value))'
paste linear "${logs[@]}" --kind linear
numbers linear 'shift["kind"] == "linear" and same(shift["epsilon"], value[0])'
paste linear-columns "${logs[@]}" --kind linear --columns "v"
numbers linear-columns 'shift["columns"] == ["v"] and same(shift["epsilon"], value[0])'

### Retention: the class that is served badly comes less often under the model
cat >c.yaml <<'END'
data: {kind: csv, path: t0.csv, label: y, id: who}
model: {layers: dense 1}
method: {kind: rgd}
step: {size: 1}
stop: {epochs: 2}
END
runs run c.yaml --set stop.epochs=1 --set data.class_weights='{yes: 20}' --out lopsided
awk -F, 'NR == 1 || $5 == "yes" || NR % 3 == 0' t0.csv >left.csv
paste retention --log t0.csv=none --log left.csv=lopsided/model.safetensors --kind retention
numbers retention 'shift["kind"] == "retention" and same(shift["alpha"], value[0]) and value[0] > 0'

### Location: a test bed whose parameters are the columns' means; A is known
cat >c.yaml <<'END'
data: {kind: csv, path: t0.csv, label: y, id: who, standardize: none}
model: {loss: mean}
method: {kind: rgd}
step: {size: 0.5}
stop: {epochs: 2}
END
for k in 1 2 3; do runs run c.yaml --set data.path=t$k.csv --set step.size=1 --set stop.epochs=1 --out bed$k; done
# answer K "A": the first table moved by A theta_K, theta_K being the means of table K up to the rounding of the run.
answer() {
  awk -F, -v OFS=, -v A="$2" 'BEGIN { srand(20); split(A, a, " ") }
    FNR == 1 { if (NR > 1) print; next }
    FNR == NR { for (j = 1; j <= 3; j++) m[j] += $(j + 1) / 200; next }
    { for (i = 1; i <= 3; i++) { s = 0; for (j = 1; j <= 3; j++) s += a[3 * (i - 1) + j] * m[j]
        $(i + 1) += s + 0.01 * (rand() - 0.5) }
      print }' "t$1.csv" t0.csv
}
A="0.5 0.1 0 -0.2 0.3 0 0.05 0 0.4"
for k in 1 2 3; do answer $k "$A" >a$k.csv; done
three=(--log t0.csv=none --log a1.csv=bed1/model.safetensors --log a2.csv=bed2/model.safetensors
  --log a3.csv=bed3/model.safetensors --id who --kind location)
runs fit-shift "${three[@]}" --matrix A.npy
paste location "${three[@]}"
numbers location 'shift["matrix"] == "A.npy" and len(value) == 9'
n_checks=$((n_checks + 1))
python3 - <<'END' || fail "A.npy is not what was fitted"
import ast, json, struct, sys
raw = open("A.npy", "rb").read()
start = 10 + struct.unpack("<H", raw[8:10])[0]
header = ast.literal_eval(raw[10:start].decode())
assert header["shape"] == (3, 3) and header["descr"] == "<f8" and not header["fortran_order"], header
A = struct.unpack("<9d", raw[start:])
value = [p["value"] for p in json.load(open("location.json"))["parameters"]]
true = [0.5, 0.1, 0, -0.2, 0.3, 0, 0.05, 0, 0.4]
assert list(A) == value, (A, value)
assert all(abs(a - t) < 0.02 for a, t in zip(A, true)), A
END
for k in 1 2 3; do answer $k "0.5 0 0 0 0.5 0 0 0 0.5" >a$k.csv; done
paste location-scalar "${three[@]}" --form scalar
numbers location-scalar 'same(shift["epsilon"], value[0]) and abs(value[0] - 0.5) < 0.02'
for k in 1 2 3; do answer $k "0.5 0 0 0 -0.2 0 0 0 0.4" >a$k.csv; done
runs fit-shift "${three[@]}" --form diagonal --matrix A.npy
paste location-diagonal "${three[@]}" --form diagonal
numbers location-diagonal 'shift["matrix"] == "A.npy" and all(abs(a - t) < 0.02 for a, t in zip(value, [0.5, -0.2, 0.4]))'

### No response: nobody reacts
runs fit-shift --log t0.csv=none --log t0.csv=$model --id who --good yes --out none.yaml
cat none.yaml c.yaml >pasted.yaml
runs run pasted.yaml --out none
check "shift: none" grep -q "nobody reacts" stdout

done_testing
