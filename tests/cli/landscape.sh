#!/bin/bash
# Landscapes: the points of the ridge bed, docs/math.md section 6, as the command prints them; paths, figures, refusals.
. "$(dirname "$0")/lib.sh"

cat >c.yaml <<'END'
data: {kind: gaussian, n: 500, d: 1, mean: 2, standardize: none}
model: {loss: mean, l2: 0.25}
shift: {kind: location, epsilon: 0.5}
step: {size: 0.2}
stop: {epochs: 12}
seeds: [1, 2]
compare: [{name: rgd, method: {kind: rgd}}, {name: lazy, method: {kind: sgd, batch: 10}, deploy: {kind: every, steps: 5}}]
END
runs run c.yaml --out out
"$SPRINT" data export c.yaml --out base >/dev/null || fail "no export"
mu=$(python3 - <<'END'
import struct
raw = open("base-x.npy", "rb").read()
size = struct.unpack("<H", raw[8:10])[0]
kind = "<f" if b"<f4" in raw[:10 + size] else "<d"
values = [v[0] for v in struct.iter_unpack(kind, raw[10 + size:])]
print("%.12g" % (sum(values) / len(values)))
END
)
runs landscape c.yaml --model out/rgd/seed-2/model.safetensors
cp stdout said
at() { awk -v what="$1" '$1 == what { print $3; exit }' said; }
# theta = model (1 - t), as the run starts at 0; t is printed with four digits.
model=$(awk '/distance is/ { print $NF }' said)
close "theta_PS = mu / (1 - eps + lambda)" "$(awk -v m="$mu" 'BEGIN { print m / 0.75 }')" \
  "$(awk -v m="$model" -v t="$(at stable)" 'BEGIN { print m * (1 - t) }')" 0.002
close "theta_PO = (1 - eps) mu / ((1 - eps)^2 + lambda)" "$(awk -v m="$mu" 'BEGIN { print 0.5 * m / 0.5 }')" \
  "$(awk -v m="$model" -v t="$(at optimum)" 'BEGIN { print m * (1 - t) }')" 0.002
check "the folder's run is the path" grep -q '^path of rgd, seed 2: 13 rows, the last 0 from the model$' said
check "one parameter has no plane" test -z "$(grep plane said)"
runs landscape c.yaml --model out/rgd/seed-2/model.safetensors --method lazy --seed 1
check "another method's path" grep -q '^path of lazy, seed 1: 13 rows' stdout
runs landscape c.yaml --model out/rgd/seed-2/model.safetensors --method none --grid 9
check "no path" test -z "$(grep path stdout)"
runs landscape c.yaml --model out/rgd/seed-2/model.safetensors --towards out/lazy/seed-1/model.safetensors --grid 9
check "another model" grep -q '^theta = model + t (the other model - model)' stdout

### Two parameters: a plane, to the same bytes at any number of threads
runs run c.yaml --set data.d=2 --out two
for threads in 1 3; do
  runs landscape c.yaml --set data.d=2 --model two/lazy/seed-1/model.safetensors --grid 15 --threads $threads
  cp stdout with-$threads
done
check "a plane" grep -q '^on the plane' with-1
check "the same at any number of threads" cmp -s with-1 with-3

### Figures
if command -v gnuplot >/dev/null; then
  for ending in svg png pdf; do
    runs landscape c.yaml --set data.d=2 --model two/lazy/seed-1/model.safetensors --grid 9 --out pic/two.$ending
    check ".$ending" test -s pic/two.$ending
    check "is told" grep -q "^figure in pic/two.$ending$" stdout
  done
  check "both maps and the path" test "$(grep -c '^# index' pic/two.dat)" = 3
  check "labels" grep -qF 'V(θ) = J(θ;θ) on the plane' pic/two.gp
  check "what is in range is just named" grep -q "^set label 'stable' at screen" pic/two.gp
  python3 - <<'END'
import struct
head = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }".ljust(117) + "\n"
for name, theta in (("far.npy", 100.0), ("further.npy", 101.0)):
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<d", theta))
END
  runs landscape c.yaml --model far.npy --towards further.npy --method none --grid 9 --out pic/far.svg
  check "far from both points" grep -q '^  stable   not within the range$' stdout
  check "what is not drawn is not promised" test -z "$(grep "^set label '\(stable\|optimum\)'" pic/far.gp)"
  check "but told of" grep -q '; length 1; stable, optimum: out of range' pic/far.gp
else
  echo "$me: gnuplot is not there, its figures were not drawn"
fi

### Refusals
refused "--model FILE is needed" landscape c.yaml
refused "missing.npy: cannot be read" landscape c.yaml --model missing.npy
refused "'sgd' is no method of the config" landscape c.yaml --model out/rgd/seed-1/model.safetensors --method sgd
refused "--grid: 'x' is not a whole number" landscape c.yaml --model out/rgd/seed-1/model.safetensors --grid x
refused "there is no direction" landscape c.yaml --model out/rgd/seed-1/model.safetensors --towards out/rgd/seed-1/model.safetensors
refused "a figure's name ending in .svg, .png or .pdf was expected" landscape c.yaml --model out/rgd/seed-1/model.safetensors --out x.gif
done_testing
