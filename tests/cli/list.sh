#!/bin/bash
# sprint list: every kind with its parameters; and the other ways to ask for help.
. "$(dirname "$0")/lib.sh"

# has WORD: a kind or parameter of the list.
has() { grep -q "^ *$1[: ]" stdout; }

runs list
cp stdout all
families="config data models layers losses inits shifts methods steps deployments stops evals engines"
equal "families, in the order of a config" "$families" "$(sed -n 's/^\([a-z]*\): .*/\1/p' all | xargs)"

# kinds FAMILY KIND...: the family alone lists these kinds, and is its part of the whole list.
kinds() {
  local family=$1 kind
  shift
  runs list "$family"
  check "$family: its heading" grep -q "^$family: " stdout
  for kind in "$@"; do check "$family: $kind" grep -q "^  $kind: " stdout; done
  awk -v family="$family" '/^[a-z]+: / { on = $1 == family ":" || (family == "models" && $1 == "layers:") } on' all |
    sed '${/^$/d}' >part
  check "$family: as in the whole list" cmp -s part stdout
}
kinds data csv npy lending gaussian
kinds layers dense relu tanh sigmoid softplus gelu
kinds losses softmax logistic sigmoid squared mean linear
kinds inits torch kaiming-uniform kaiming-normal xavier-uniform xavier-normal zeros
kinds shifts none strategic linear location mixture replicator decay opinion
kinds methods sprint sgd rgd rrm perfgd perfgd-full dfo two-stage
kinds steps constant inverse-root inverse-time piecewise
kinds deployments greedy every
kinds config
check "config: its sections" has compare
kinds stops
check "stops: budgets" has deployments
kinds evals
check "evals: how often" has every
kinds models
check "models come with their layers" grep -q '^layers: ' stdout

### Every parameter is told with its type, and a default or that it is required
runs list
check "required" grep -q '^      path  *text, required$' stdout
check "default" grep -q '^      alpha  *number from 0 to 1000000, default 0.2$' stdout
check "choice" grep -q '^      memory  *one of stateless|accumulating, default stateless$' stdout
check "open below" grep -q '^      size  *number above 0 to 1000000, default 0.1$' stdout
check "every parameter has a line of help" awk '/^      [a-z]/ { if (getline <= 0 || !/^ +[^ ]/) exit 1 }' stdout

### What the list names, a config takes
for kind in torch kaiming-uniform kaiming-normal xavier-uniform xavier-normal zeros; do
  echo "{data: {n: 20}, model: {init: $kind}, stop: {steps: 1}}" >c.yaml
  runs run c.yaml --out out
done
for kind in relu tanh sigmoid softplus gelu; do
  echo "{data: {n: 20}, model: {layers: 'dense 2, $kind, dense 1'}, stop: {steps: 1}}" >c.yaml
  runs run c.yaml --out out
done
for kind in constant inverse-root inverse-time '{kind: piecewise, sizes: 1}'; do
  echo "{data: {n: 20}, step: $kind, stop: {steps: 1}}" >c.yaml
  runs run c.yaml --out out
done
for kind in softmax logistic sigmoid squared; do
  outputs=1
  [ $kind != softmax ] || outputs=2
  echo "{data: {n: 20}, model: {layers: dense $outputs, loss: $kind}, stop: {steps: 1}}" >c.yaml
  runs run c.yaml --out out
done
for kind in mean linear; do
  echo "{data: gaussian, model: {loss: $kind}, shift: {kind: location, epsilon: 0.5}, stop: {steps: 1}}" >c.yaml
  runs run c.yaml --out out
done

### Help and version
runs --version
check "version and precision" grep -q '^sprint [0-9.]* (float)$' stdout
check "precision of the other program" grep -q '(double)$' <<<"$("$SPRINT_F64" --version)"
for word in help --help -h; do
  runs $word
  for command in run predict grad init verify list data; do check "$word: $command" has "$command"; done
done
for command in run predict grad init verify list data; do
  runs $command --help
  check "$command --help" grep -q "^usage: sprint $command" stdout
done
"$SPRINT" >stdout 2>stderr
equal "no command: exit code" 2 $?
check "no command: help on stderr" grep -q '^usage: sprint COMMAND' stderr
"$SPRINT" list methodes >stdout 2>stderr
equal "unknown family: exit code" 2 $?
check "unknown family: the sentence" grep -q "'methodes' is not a family of kinds; did you mean 'methods'? (one of config, data," stderr
check "unknown family: nothing on stdout" test ! -s stdout
for family in $families; do
  check "the sentence names $family" grep -q "[ ]$family[,)]" stderr
done

### A family by its name, by one of it, by its config key
while read -r family words; do
  "$SPRINT" list "$family" >expected
  for word in $words; do
    runs list "$word"
    check "list $word is list $family" cmp -s expected stdout
  done
done <<'END'
config configs
models model
layers layer model.layers
losses loss model.loss
inits init model.init
shifts shift
methods method
steps step
deployments deployment deploy
stops stop
evals eval
engines engine
END

### Output that cannot be written
"$SPRINT" list >/dev/full 2>stderr
equal "a full disk: exit code" 1 $?
equal "a full disk: the sentence" "sprint: standard output cannot be written: No space left on device" "$(cat stderr)"

done_testing
