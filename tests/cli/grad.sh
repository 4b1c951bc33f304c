#!/bin/bash
# sprint init, grad and data: the numbers of a run, had one at a time.
. "$(dirname "$0")/lib.sh"

cat >c.yaml <<'END'
data: {kind: lending, n: 300, default_rate: 0.4}
model: {layers: "dense 5, tanh, dense 1"}
shift: {kind: strategic, good: 0, alpha: 0.4}
method: {kind: sgd, batch: 30}
step: {size: 0.5}
stop: {epochs: 2}
seeds: [11, 12]
END

# said NAME: the number that grad printed under the name.
said() { awk -v name="$1" '$1 == name { print $2 }' stdout; }
size() { wc -c <"$1"; }

for program in "$SPRINT" "$SPRINT_F64"; do
  SPRINT=$program
  what=$(basename "$program")
  runs run c.yaml --out run --seed 12
  runs init c.yaml --out theta.npy --seed 12
  runs init c.yaml --out theta.safetensors --seed 12
  runs init c.yaml --out first.npy
  runs init c.yaml --out eleven.npy --seed 11
  check "$what: the first seed of the config is the default" cmp -s first.npy eleven.npy
  check "$what: another seed is another starting point" test "$(cksum <first.npy)" != "$(cksum <theta.npy)"

  ### J(theta; theta) is the first row of the trace
  runs grad c.yaml --params theta.npy --out g.npy
  for name in loss accuracy gradient_sq; do
    equal "$what: $name of the starting point" "$(cell run/trace.csv $name 0)" "$(said $name)"
  done
  cp stdout npy.txt
  runs grad c.yaml --params theta.safetensors --out g.safetensors
  check "$what: .npy and .safetensors hold the same theta" cmp -s npy.txt stdout
  runs grad c.yaml --params theta.npy --out again.npy --threads 1
  check "$what: the same bytes at any number of threads" cmp -s g.npy again.npy
  runs grad c.yaml --params theta.npy --deployed theta.safetensors --out again.npy
  check "$what: theta' is theta unless told otherwise" cmp -s g.npy again.npy

  ### and at the end of the run the last row
  runs grad c.yaml --params run/model.safetensors --out last.npy
  for name in loss accuracy gradient_sq; do
    equal "$what: $name of the trained model" "$(cell run/trace.csv $name -1)" "$(said $name)"
  done

  ### Another deployment, other records
  runs grad c.yaml --params theta.npy --deployed run/model.safetensors --out other.npy
  check "$what: --deployed changes the loss" test "$(said loss)" != "$(awk '/^loss/ { print $2 }' npy.txt)"
  check "$what: --deployed changes the gradient" test "$(cksum <other.npy)" != "$(cksum <g.npy)"
  runs grad c.yaml --params theta.npy --out none.npy --set shift=none
  equal "$what: without a shift it is the loss on the base population" "$(cell run/trace.csv loss_base 0)" "$(said loss)"
  runs grad c.yaml --params theta.npy --deployed run/model.safetensors --out none2.npy --set shift=none
  check "$what: without a shift the deployment does not matter" cmp -s none.npy none2.npy

  ### The population, as base records and under a deployment
  runs data export c.yaml --out p --deployed theta.npy
  equal "$what: files of data export" "p-x-deployed.npy p-x.npy p-y.npy" "$(echo p-*)"
  equal "$what: 300 records of ten features" "$(size p-x.npy)" "$(size p-x-deployed.npy)"
  check "$what: people have moved" test "$(cksum <p-x.npy)" != "$(cksum <p-x-deployed.npy)"
  cat >npy.yaml <<'END'
data: {kind: npy, x: p-x.npy, y: p-y.npy, standardize: none}
model: {layers: "dense 5, tanh, dense 1"}
shift: {kind: strategic, good: 0, alpha: 0.4}
END
  runs grad npy.yaml --params theta.npy --out from-npy.npy
  check "$what: the exported population is the population" cmp -s npy.txt stdout
  sed 's/p-x/p-x-deployed/; /shift/d' npy.yaml >deployed.yaml
  runs grad deployed.yaml --params theta.npy --out from-deployed.npy
  close "$what: the exported D(theta') has the loss J(theta; theta')" "$(awk '/^loss/ { print $2 }' npy.txt)" \
    "$(said loss)" 1e-12
  check "$what: no temporary files" no_parts .
done

# In double both forms of a gradient hold doubles: their last 8 x 61 bytes are the same numbers.
check "gradient as .npy and as .safetensors" cmp -s <(tail -c 488 g.npy) <(tail -c 488 g.safetensors)
check "starting point as .npy and as .safetensors" cmp -s <(tail -c 488 theta.npy) <(tail -c 488 theta.safetensors)

done_testing
