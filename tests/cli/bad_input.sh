#!/bin/bash
# Broken input of every sort: each case has one sentence on stderr that names the place and what was expected, exit
# code 1 (2 where the command was called wrongly), and leaves every file as it was.
. "$(dirname "$0")/lib.sh"

put() { cat >"$1"; } # put FILE <<'END'

# Every file of the folder with its checksum. What the command itself says is kept elsewhere.
heard=$(mktemp -d) || exit 1
trap 'rm -rf "$folder" "$heard"' EXIT
census() { find . -type d -o -type f -exec cksum {} + | sort; }

# refuses CODE SENTENCE ARGUMENT...: sprint ends with the code and one line on stderr that has the sentence in it.
refuses() {
  local code=$1 sentence=$2 got
  shift 2
  census >"$heard/before"
  "$SPRINT" "$@" >"$heard/stdout" 2>"$heard/stderr" </dev/null
  got=$?
  census >"$heard/after"
  n_checks=$((n_checks + 1))
  if [ $got != "$code" ]; then
    wrong "sprint $*: exit code $got, not $code; it said: $(cat "$heard/stderr")"
  elif [ "$(wc -l <"$heard/stderr")" != 1 ]; then
    wrong "sprint $*: not one line on stderr: $(cat "$heard/stderr")"
  elif ! grep -qF -- "$sentence" "$heard/stderr"; then
    wrong "sprint $*: expected: $sentence"$'\n'"  but it said: $(cat "$heard/stderr")"
  elif ! cmp -s "$heard/before" "$heard/after"; then
    wrong "sprint $*: files have changed: $(diff "$heard/before" "$heard/after")"
  fi
}

# The config on stdin is refused as c.yaml; the CSV on stdin as bad.csv of csv.yaml (and further --set options).
refuses_config() {
  put c.yaml
  refuses 1 "$1" run c.yaml --out out
}
refuses_csv() {
  local sentence=$1
  shift
  put bad.csv
  refuses 1 "$sentence" run csv.yaml --out out "$@"
}
refuses_set() { refuses 1 "$1" run good.yaml --out out --set "$2"; }

put good.csv <<'END'
a,b,y
1,2,0
2,1,1
3,5,0
4,4,1
5,3,0
6,0,1
END
put values.csv <<'END'
a,five,low,high
1,5,-1,2
2,5,-3,4
END
put good.yaml <<'END'
data: {kind: csv, path: good.csv, label: y}
stop: {epochs: 1}
END
put csv.yaml <<'END'
data:
  kind: csv
  path: bad.csv
  label: y
stop: {epochs: 1}
END
# What is there already must survive.
runs run good.yaml --out out

# Parameter files and arrays that fit, to be bent.
runs init good.yaml --out theta.npy
runs init good.yaml --out theta.safetensors
runs init good.yaml --out deep.npy --set 'model.layers=[dense 3, relu, dense 1]'
runs init good.yaml --out deep.safetensors --set 'model.layers=[dense 3, relu, dense 1]'
runs data export good.yaml --out good
rm stdout stderr

### Command lines
refuses 2 "'fly' is not a command; \`sprint --help\` lists them" fly
refuses 2 "unknown option '--loud'; usage: sprint run CONFIG.yaml" run --loud good.yaml
refuses 2 "unknown option '-x'" run -x good.yaml
refuses 2 "unknown option '--=3'" run --=3 good.yaml
refuses 2 "unknown option '--params'" run good.yaml --params a.npy
refuses 2 "an argument is missing; usage: sprint run" run
refuses 2 "'two.yaml' is one argument too many" run good.yaml two.yaml
refuses 2 "option '--out' needs a value" run good.yaml --out
refuses 2 "--threads: 'many' is not a whole number within 0 .. 1024" run good.yaml --threads many
refuses 2 "--threads: '-1' is not a whole number within 0 .. 1024" run good.yaml --threads -1
refuses 2 "--threads: '1025' is not a whole number within 0 .. 1024" run good.yaml --threads=1025
refuses 2 "--threads: '' is not a whole number" run good.yaml --threads=
refuses 2 "--threads: '2x' is not a whole number" run good.yaml --threads 2x
refuses 2 "--params FILE and --out FILE are needed; usage: sprint grad" grad good.yaml --out g.npy
refuses 2 "--out FILE is needed; usage: sprint init" init good.yaml
refuses 2 "an argument is missing; usage: sprint predict MODEL.safetensors DATA.csv" predict out/model.safetensors
refuses 2 "'data import' is not a command; did you mean 'data export'? 'data' goes with get, list, check, info or export" data import good.yaml --out x
refuses 2 "--out PREFIX is needed" data export good.yaml
refuses 2 "'animals' is not a family of kinds" list animals

### Seeds
refuses 1 "--seed: '1.5' is not a whole number of at least 0" run good.yaml --out out --seed 1.5
refuses 1 "--seed: '-1' is not a whole number of at least 0" run good.yaml --out out --seed -1
refuses 1 "--seed: '' is not a whole number" run good.yaml --out out --seed=
refuses 1 "'99999999999999999999' is out of range" run good.yaml --out out --seed 99999999999999999999
refuses_config "c.yaml:1: key 'seeds': the list is empty; at least one seed was expected" <<'END'
seeds: []
END
refuses_config "c.yaml:1: key 'seeds': 3 is there twice" <<'END'
seeds: [3, 4, 3]
END
refuses_config "c.yaml:1: key 'seeds': 2.5 is not a whole number" <<'END'
seeds: [1, 2.5]
END
refuses_config "c.yaml:1: key 'seeds': '-4' is out of range" <<'END'
seeds: -4
END

### --set
refuses_set "there is no '='; key.path=value was expected" stop.epochs
refuses_set "the key has an empty part" stop..epochs=1
refuses_set "the key has an empty part" =1
refuses_set "--set stop.epochs=many: key 'stop.epochs': 'many' is not a whole number" stop.epochs=many
refuses_set "unknown key 'stop.epoch'; did you mean 'epochs'?" stop.epoch=3
refuses_set "unknown key 'stpo'; did you mean 'stop'?" stpo.epochs=3
refuses_set "'data.path' is a single value, so it has no key 'deep'" data.path.deep=3
refuses_set "the YAML is malformed" 'data.features=[a, b'
refuses_set "key 'stop.epochs' has no value" stop.epochs=

### Files that are not there, or not files
mkdir folder
refuses 1 "missing.yaml: cannot be read: No such file or directory" run missing.yaml --out out
refuses 1 "folder: is a folder, a file was expected" run folder --out out
refuses 1 "missing.csv: cannot be read: No such file or directory" run good.yaml --out out --set data.path=missing.csv
refuses 1 "folder: is a folder, a file was expected" run good.yaml --out out --set data.path=folder
refuses 1 "nowhere.safetensors: cannot be read: No such file" predict nowhere.safetensors good.csv
refuses 1 "folder: is a folder, a file was expected" predict out/model.safetensors folder

### Outputs that cannot be written
# Found before training: these runs would never end.
refuses 1 "good.csv: is not a folder" run good.yaml --out good.csv --set stop.epochs=1000000000000
refuses 1 "good.csv: is not a folder" run good.yaml --out good.csv/deeper --set stop.epochs=1000000000000
refuses 1 "/proc/nothing: the folder cannot be made" run good.yaml --out /proc/nothing
refuses 2 "option '--out' needs a value" run good.yaml --out ''
refuses 1 "nowhere/p.csv: cannot be written: No such file or directory" \
  predict out/model.safetensors good.csv --out nowhere/p.csv
refuses 1 "folder: is a folder, a file was expected" predict out/model.safetensors good.csv --out folder
refuses 1 "theta.txt: a file ending in .npy or .safetensors was expected" init good.yaml --out theta.txt
refuses 1 "nowhere/t.npy: cannot be written: No such file" init good.yaml --out nowhere/t.npy
refuses 1 "nowhere/p-x.npy: cannot be written: No such file" data export good.yaml --out nowhere/p

### YAML itself
refuses_config "c.yaml:2: the YAML is malformed" <<'END'
name: broken
data: {kind: lending, n: 100
END
refuses_config "c.yaml:3:" <<'END'
name: tabs
stop:
	epochs: 3
END
refuses_config "c.yaml:4: the key 'epochs' is given twice" <<'END'
stop:
  epochs: 3
  steps: 2
  epochs: 4
END
refuses_config "c.yaml:1: a map of keys was expected, not a list" <<'END'
- name: list
END
refuses_config "c.yaml:1: a map of keys was expected, not a single value" <<'END'
hello
END
printf 'name: caf\351\n' >c.yaml
refuses 1 "c.yaml:1: the byte 0xe9 is not UTF-8 text" run c.yaml --out out
printf 'name: a\nout: b\000c\n' >c.yaml
refuses 1 "c.yaml:2: a NUL byte is not text" run c.yaml --out out
### Configs that say nothing
refuses_config "c.yaml: is empty; sections such as \`data\` and \`model\` were expected" </dev/null
refuses_config "c.yaml: is empty; sections" <<'END'
# nothing but a comment
END
refuses_config "c.yaml: is empty; sections" <<'END'
---
{}
END
refuses_config "c.yaml:2: key 'data' is an empty map; its keys were expected, or to leave it out" <<'END'
name: x
data: {}
END
refuses_config "c.yaml:1: key 'stop' is an empty map" <<'END'
stop: {}
END
refuses 1 "/dev/null: is empty" run /dev/null --out out
refuses_config "c.yaml:2: a second document starts here; one was expected" <<'END'
name: one
---
name: two
END
refuses_config "c.yaml:1: key 'stop' has no value; a map was expected" <<'END'
stop:
END

### Unknown keys, in every section, with the nearest name
refuses_config "c.yaml:2: unknown key 'modle'; did you mean 'model'?" <<'END'
name: x
modle: {layers: dense 1}
END
refuses_config "c.yaml:1: unknown key 'data.defualt_rate'; did you mean 'default_rate'?" <<'END'
data: {kind: lending, defualt_rate: 0.1}
END
refuses_config "c.yaml:2: unknown key 'data.fractional'; the keys here are kind, select, " <<'END'
data:
  fractional: 3
END
refuses_config "c.yaml:1: unknown key 'model.layer'; did you mean 'layers'?" <<'END'
model: {layer: dense 1}
END
refuses_config "c.yaml:1: unknown key 'model.loss.cc'; did you mean 'c'?" <<'END'
model: {loss: {kind: sigmoid, cc: 2}}
END
refuses_config "c.yaml:3: unknown key 'shift.aplha'; did you mean 'alpha'?" <<'END'
shift:
  kind: strategic
  aplha: 0.3
END
refuses_config "c.yaml:1: unknown key 'method.corection'; did you mean 'correction'?" <<'END'
method: {kind: sprint, corection: paper}
END
refuses_config "c.yaml:1: unknown key 'method.correction'" <<'END'
method: {kind: sgd, correction: paper}
END
refuses_config "c.yaml:1: unknown key 'step.sise'; did you mean 'size'?" <<'END'
step: {sise: 0.1}
END
refuses_config "c.yaml:1: unknown key 'deploy.step'; did you mean 'steps'?" <<'END'
deploy: {kind: every, step: 4}
END
refuses_config "c.yaml:1: unknown key 'stop.epoch'; did you mean 'epochs'?" <<'END'
stop: {epoch: 4}
END
refuses_config "c.yaml:1: unknown key 'eval.evry'; did you mean 'every'?" <<'END'
eval: {evry: 4}
END

### Unknown kinds and choices
refuses_config "c.yaml:1: key 'data.kind': 'lendign' is not a kind of data; did you mean 'lending'? (one of csv, npy," <<'END'
data: {kind: lendign}
END
refuses_config "c.yaml:1: key 'method': 'sprnt' is not a kind of method; did you mean 'sprint'?" <<'END'
method: sprnt
END
refuses_config "c.yaml:1: key 'model.loss': 'hinge' is not a kind of model.loss" <<'END'
model: {loss: hinge}
END
refuses_config "c.yaml:1: key 'model.init': 'zero' is not a kind of model.init; did you mean 'zeros'?" <<'END'
model: {init: zero}
END
refuses_config "c.yaml:1: key 'method.correction': 'papr' is not a choice; did you mean 'paper'?" <<'END'
method: {correction: papr}
END
refuses_config "c.yaml:1: key 'shift.memory': 'stateful' is not a choice" <<'END'
shift: {kind: strategic, good: 0, memory: stateful}
END

### Wrong types and ranges
refuses_config "c.yaml:1: key 'method.batch': 'ten' is not a whole number; a whole number within 1 .. 10000000 was" <<'END'
method: {batch: ten}
END
refuses_config "c.yaml:1: key 'method.batch': '2.5' is not a whole number" <<'END'
method: {batch: 2.5}
END
refuses_config "c.yaml:1: key 'method.batch': '0' is out of range; a whole number within 1 .. 10000000 was expected" <<'END'
method: {batch: 0}
END
refuses_config "c.yaml:1: key 'step.size': '0' is out of range; a number greater than 0 and at most 1000000 was" <<'END'
step: {size: 0}
END
refuses_config "c.yaml:1: key 'step.size': '-0.1' is out of range" <<'END'
step: {size: -0.1}
END
refuses_config "c.yaml:1: key 'step.size': '1e999' is out of range" <<'END'
step: {size: 1e999}
END
refuses_config "c.yaml:1: key 'step.size': a list is not a number" <<'END'
step: {size: [0.1, 0.2]}
END
refuses_config "c.yaml:1: key 'step.size': '0.1' is not a number" <<'END'
step: {size: "0.1"}
END
refuses_config "c.yaml:1: key 'data.holdout': '0.95' is out of range; a number within 0 .. 0.9 was expected" <<'END'
data: {holdout: 0.95}
END
refuses_config "c.yaml:1: key 'eval.bias': 'maybe' is not a boolean; true or false was expected" <<'END'
eval: {bias: maybe}
END
refuses_config "c.yaml:1: key 'name': a map is not a text" <<'END'
name: {first: a}
END
refuses_config "c.yaml:1: key 'stop' is a list; a map was expected" <<'END'
stop: [1, 2]
END
refuses_config "c.yaml:1: key 'stop.explosion': '0.5' is out of range" <<'END'
stop: {explosion: 0.5}
END

### What is required
refuses_config "c.yaml:1: section 'data': key 'path' is required" <<'END'
data: {kind: csv}
END
refuses_config "c.yaml:1: section 'data': key 'label' is required" <<'END'
data: {kind: csv, path: good.csv}
END
refuses_config "c.yaml:1: section 'deploy': key 'steps' is required" <<'END'
deploy: every
END
refuses_config "c.yaml:1: section 'step': key 'sizes' is required" <<'END'
step: {kind: piecewise}
END

### CSV files
refuses_csv "bad.csv:3: 2 fields, the header has 3" <<'END'
a,b,y
1,2,0
1,2
END
refuses_csv "bad.csv:2: 4 fields, the header has 3" <<'END'
a,b,y
1,2,0,9
END
refuses_csv "bad.csv:3: column 2 'b': 'abc' is not a number" <<'END'
a,b,y
1,2,0
1,abc,1
END
refuses_csv "bad.csv:2: column 1 'a': '0x10' is not a number" <<'END'
a,b,y
0x10,2,0
END
refuses_csv "bad.csv:2: column 1 'a': '1,5' is not a number" <<'END'
a,b,y
"1,5",2,0
END
refuses_csv "bad.csv:2: column 1 'a': 'inf' is not a finite number" <<'END'
a,b,y
inf,2,0
END
refuses_csv "bad.csv:2: column 1 'a': '1e60' is too large for single precision" <<'END'
a,b,y
1e60,2,0
END
refuses_csv "bad.csv:3: column 1 'a': the value is missing; missing: drop or missing: median deals with it" <<'END'
a,b,y
1,2,0
NA,2,1
END
refuses_csv "bad.csv:3: column 2 'b': the value is missing" <<'END'
a,b,y
1,2,0
1,,1
END
refuses_csv "bad.csv:3: column 3 'y': the label is missing; missing: drop leaves such rows out" \
  --set data.missing=median <<'END'
a,b,y
1,2,0
1,2,
END
refuses_csv "bad.csv: every row has a missing value, and none is left" --set data.missing=drop <<'END'
a,b,y
1,,0
NA,2,1
END
refuses_csv "column 'b': every value is missing, so there is no median to fill in" --set data.missing=median <<'END'
a,b,y
1,,0
2,NA,1
END
refuses_csv "bad.csv: the file is empty" </dev/null
refuses_csv "bad.csv: there are no rows below the header" <<'END'
a,b,y
END
refuses_csv "bad.csv:1: there is no column 'y'; there are a, b, z (key 'data.label' of csv.yaml:4)" <<'END'
a,b,z
1,2,0
END
refuses_csv "bad.csv:1: there is no column 'w'; there are a, b, y (key 'data.weight' of --set data.weight=w)" \
  --set data.weight=w <<'END'
a,b,y
1,2,0
END
refuses_csv "bad.csv:1: there is no column 'y'; the header is one column alone, 'a b y': nothing in it is separated by ','" <<'END'
a b y
1 2 0
END
refuses_csv "bad.csv:1: there is no column 'y'; the header is one column alone, 'a;y': nothing in it is separated by tabs" \
  --set data.separator=tab <<'END'
a;y
1;0
END
refuses_csv "bad.csv: column 'w': class 1: all weights are 0" --set data.weight=w <<'END'
a,y,w
1,0,2
2,1,0
END
refuses_csv "bad.csv: column 'w': the rows: all weights are 0" --set data.weight=w \
  --set data.target=value --set model.loss=squared <<'END'
a,y,w
1,0,0
2,1,0
END
refuses_csv "bad.csv:2: column 1 'a': 'ja' is not a boolean; true/false, yes/no, t/f, y/n, on/off or 1/0 was expected (other words go under categories)" \
  --set data.booleans=a <<'END'
a,y
ja,0
nein,1
END
refuses_csv "bad.csv:1: there is no column 'label'; did you mean 'lable'?" --set data.label=label <<'END'
a,b,lable
1,2,0
END
refuses_csv "bad.csv:1: columns 1 and 2 are both called 'a'" <<'END'
a,a,y
1,2,0
END
refuses_csv "bad.csv:1: column 1 has no name; leave it out by ignore: [\"\"], or give it one" <<'END'
,a,y
1,2,0
END
refuses_csv "bad.csv:1: there is no column 'incme'; did you mean 'income'?" --set 'data.features=[incme]' <<'END'
income,y
1,0
END
refuses_csv "key 'data.features': column 'y' is the label and cannot be a feature" --set 'data.features=[a, y]' <<'END'
a,y
1,0
END
refuses_csv "key 'data.features': column 'a' is listed twice" --set 'data.features=[a, a]' <<'END'
a,y
1,0
END
refuses_csv "bad.csv:1: there is no column 'q'" --set data.ignore=q <<'END'
a,y
1,0
END
refuses_csv "key 'data.ignore': column 'y' is also the label" --set data.ignore=y <<'END'
a,y
1,0
END
refuses_csv "bad.csv:1: no column is left to be a feature" <<'END'
y
1
END
refuses_csv "bad.csv: every label is '1'; at least two classes are needed" <<'END'
a,y
1,1
2,1
END
refuses_csv "bad.csv:3: a quote is opened in this row and never closed" <<'END'
a,y
1,0
"2,1
END
refuses_csv "bad.csv:2: a quote in the middle of a field" <<'END'
a,y
1"2,0
END
refuses_csv "key 'data.separator': 'ab' is not one character, 'tab' or 'auto'" --set data.separator=ab <<'END'
a,y
1,0
END
printf 'a,y\n1,0\n\0,1\n' >bad.csv
refuses 1 "bad.csv:3: a NUL byte; the file is not UTF-8 text" run csv.yaml --out out
printf '"a\nb",c,y\nx,2,0\n' >bad.csv
refuses 1 "bad.csv:3: column 1 'a b': 'x' is not a number" run csv.yaml --out out

### Rows
refuses_config "c.yaml:1: key 'data.size': needs 4 rows of class 0, and there are 3" <<'END'
data: {kind: csv, path: good.csv, label: y, select: balanced, size: 8}
END
refuses_config "c.yaml:2: key 'data.select': 'balanced' needs \`size\`, how many rows in all, which is not there" <<'END'
data: {kind: csv, path: good.csv, label: y,
       select: balanced}
END
refuses_config "c.yaml:1: key 'data.select': 'first' needs \`per_class\`, how many rows of each class, which is not there" <<'END'
data: {kind: csv, path: good.csv, label: y, select: first}
END
refuses_config "c.yaml:1: key 'data.size': select: balanced needs at least 2 here, got 1" <<'END'
data: {kind: csv, path: good.csv, label: y, select: balanced, size: 1}
END
refuses_config "c.yaml:1: key 'data.features': the list is empty; names of columns were expected, or to leave it out" <<'END'
data: {kind: csv, path: good.csv, label: y, features: []}
END
refuses_config "c.yaml:2: key 'method.batch': 7 records a step are more than the 6 people that are learnt from" <<'END'
data: {kind: csv, path: good.csv, label: y}
method: {kind: sgd, batch: 7}
END
refuses_config "c.yaml:2: key 'method.batch': 5 records a step are more than the 4 people" <<'END'
data: {kind: csv, path: good.csv, label: y, holdout: 0.3}
method: {batch: 5}
END
refuses_config "c.yaml:1: key 'data.size': is for select: balanced alone" <<'END'
data: {kind: csv, path: good.csv, label: y, size: 4}
END
refuses_config "c.yaml:1: key 'data.per_class': needs 9 rows of class 0, and there are 3" <<'END'
data: {kind: csv, path: good.csv, label: y, select: first, per_class: 9}
END
refuses_config "c.yaml:1: key 'data.select': 'balanced' is for class labels, and the target here is a value" <<'END'
data: {kind: csv, path: good.csv, label: y, target: value, select: balanced, size: 4}
END
refuses_config "c.yaml:1: key 'data.holdout': of the 3 rows of class 0 it leaves none to hold out" <<'END'
data: {kind: csv, path: good.csv, label: y, holdout: 0.1}
END

### Models
refuses_config "c.yaml:1: key 'model.layers': 'denze' is not a layer; did you mean 'dense'?" <<'END'
model: {layers: "denze 4, relu, dense 1"}
END
refuses_config "c.yaml:1: key 'model.layers': layer 'dense': its number is missing" <<'END'
model: {layers: dense}
END
refuses_config "c.yaml:1: key 'model.layers': layer 'dense': '-3' does not fit" <<'END'
model: {layers: dense -3}
END
refuses_config "c.yaml:1: key 'model.layers': layer 'relu': '4' is one word too many" <<'END'
model: {layers: "dense 4, relu 4, dense 1"}
END
refuses_config "c.yaml:1: key 'model.layers': a layer is empty" <<'END'
model: {layers: "dense 4,, dense 1"}
END
refuses_config "c.yaml:1: key 'model.layers': a layer is empty" <<'END'
model: {layers: []}
END
refuses_config "c.yaml:1: key 'model.layers': the last layer has 2 outputs; the loss 'logistic' needs 1 for this data" <<'END'
model: {layers: dense 2}
END
refuses_config "c.yaml:1: key 'model.layers': the last layer has 1 outputs; the loss 'softmax' needs 2 for this data" <<'END'
model: {layers: dense 1, loss: softmax}
END
put three.csv <<'END'
a,b,y
1,2,red
2,1,blue
3,5,green
4,4,red
END
refuses_config "c.yaml: key 'model.loss': 'logistic' needs two classes and one output; the data has 3 classes: loss: softmax and \`dense 3\` tell them apart" <<'END'
data: {kind: csv, path: three.csv, label: y}
END
refuses_config "c.yaml:2: key 'model.loss': 'logistic' needs two classes and one output; the data has 0 classes: its labels are values, which loss: squared learns" <<'END'
data: gaussian
model: {loss: logistic}
END
refuses_config "key 'model.layers': no layer has parameters; a dense one was expected" <<'END'
data: {kind: csv, path: good.csv, label: y, features: a}
model: {layers: relu}
END
refuses_config "c.yaml:2: key 'model.layers': the loss 'mean' is a function of record and theta and takes no layers" <<'END'
data: gaussian
model: {layers: dense 1, loss: mean}
END

### Models that cannot learn what the labels are
refuses_layers() {
  refuses 1 "key 'model.layers': $1" run good.yaml --out out --set model.layers="$2" "${@:3}"
}
double="makes probabilities itself, and would make them of the probabilities that 'sigmoid' puts out; a dense layer"
for loss in logistic sigmoid; do
  refuses_layers "the loss '$loss' $double" 'dense 1, sigmoid' --set model.loss=$loss
  for layer in relu softplus; do
    refuses_layers "the loss '$loss' takes log-odds of either sign, and those of '$layer' are never below 0: nobody would be of class 0" \
      "dense 1, $layer" --set model.loss=$loss
  done
done
refuses_layers "the loss 'softmax' $double" 'dense 2, sigmoid, flatten' --set model.loss=softmax
refuses_layers "'softmax' is a loss and not a layer: model.loss applies it to what the last layer puts out" 'dense 2, softmax'
no_image="images were expected, and what comes in has no rows and columns (a table takes dense layers); its input is"
refuses_layers "layer 'conv': $no_image 2 x 1 x 1" 'conv 4 3x3, relu, dense 1'
refuses_layers "layer 'conv': $no_image 2 x 1 x 1" 'conv 4 3x3 valid, dense 1'
refuses_layers "layer 'maxpool': $no_image 8 x 1 x 1" 'dense 8, maxpool 1, dense 1'
put signs.csv <<'END'
a,b,y
1,2,-1
2,1,+1
3,5,-1
4,4,+1
END
refuses_config "c.yaml:2: key 'model.loss': 'squared' would learn the class numbers 0 .. 1 in place of the labels -1, +1; data.target: value reads these as they are" <<'END'
data: {kind: csv, path: signs.csv, label: y}
model: {loss: squared}
END
refuses_config "c.yaml:2: key 'model.loss': 'squared' would take the classes blue, green, red for the values 0 .. 2; loss: softmax and \`dense 3\` tell classes apart" <<'END'
data: {kind: csv, path: three.csv, label: y}
model: {loss: squared}
END
refuses_config "c.yaml:2: key 'model.loss': 'squared' has nothing to learn: every label is 5" <<'END'
data: {kind: csv, path: values.csv, label: five, target: value}
model: {loss: squared}
END
refuses_config "c.yaml:2: key 'model.layers': the last layer, 'relu', puts out nothing below 0, where all labels are (-3 to -1)" <<'END'
data: {kind: csv, path: values.csv, label: low, target: value}
model: {layers: "dense 1, relu", loss: squared}
END
refuses_config "c.yaml:2: key 'model.layers': the last layer, 'sigmoid', puts out nothing beyond 0 .. 1, where all labels are (2 to 4)" <<'END'
data: {kind: csv, path: values.csv, label: high, target: value}
model: {layers: "dense 1, sigmoid", loss: squared}
END

### One point of a grid
put grid.yaml <<'END'
data: {kind: csv, path: good.csv, label: y}
shift: {kind: strategic, good: 0}
grid: {shift.alpha: [0.1, 0.2, 0.4], step.size: [0.1], method.inner: [2, 3]}
END
points="grid.yaml:3: key 'grid': it has 6 points, and one was expected here; --set shift.alpha=0.1, 0.2 or 0.4, --set method.inner=2 or 3 chooses"
refuses 1 "$points" init grid.yaml --out t.npy
refuses 1 "$points" grad grid.yaml --params theta.npy --out g.npy
refuses 1 "$points" data export grid.yaml --out p
refuses 1 "$points" data export grid.yaml --out p --deployed theta.npy
refuses 1 "$points" theory grid.yaml
refuses 1 "it has 2 points, and one was expected here; --set method.inner=2 or 3 chooses" \
  init grid.yaml --out t.npy --set shift.alpha=0.2

### Shifts
refuses_config "c.yaml:2: key 'shift.kind': 'linear' needs a linear model (layers: dense 1); this one has" <<'END'
model: {layers: "dense 4, relu, dense 1"}
shift: {kind: linear}
END
refuses_config "c.yaml:1: key 'shift.epsilon': A = epsilon I needs as many parameters as features" <<'END'
shift: {kind: location, epsilon: 0.1}
END
refuses_config "c.yaml:1: key 'shift.columns': 'salary' is not a feature of the data; there are utilization, age, " <<'END'
shift: {kind: strategic, good: 0, columns: salary}
END
refuses_config "c.yaml:1: key 'shift.cost': 'salary' is not a feature of the data; there are utilization, age, " <<'END'
shift: {kind: strategic, good: 0, cost: {salary: 2}}
END
refuses_config "c.yaml:1: key 'shift.columns': 'incom' is not a feature of the data" <<'END'
shift: {kind: strategic, good: 0, columns: incom}
END
refuses_config "c.yaml:1: key 'shift.good': '7' is not a class of the data (one of 0, 1)" <<'END'
shift: {kind: strategic, good: 7}
END
refuses_config "c.yaml:3: key 'shift.kind': 'strategic' needs a model with a score; this one has none" <<'END'
data: gaussian
model: {loss: mean}
shift: {kind: strategic, good: 0}
END
refuses_config "matrix.npy: cannot be read: No such file" <<'END'
shift: {kind: location, matrix: matrix.npy}
END
refuses_config "c.yaml:1: key 'shift.matrix': theta.npy: its shape does not fit; (10, 11), features by parameters, was" <<'END'
shift: {kind: location, matrix: theta.npy}
END

### Steps and stops
refuses_config "c.yaml:1: key 'step.at': 3 sizes need 2 epochs to change at; there are 1" <<'END'
step: {kind: piecewise, sizes: [0.3, 0.2, 0.1], at: 4}
END
refuses_config "c.yaml:1: key 'step.at': 3 is not after the epoch before it; rising epochs were expected" <<'END'
step: {kind: piecewise, sizes: [0.3, 0.2, 0.1], at: [4, 3]}
END
refuses_config "key 'step.kind': 'inverse-root' needs T: a stop by epochs or steps was expected" <<'END'
step: inverse-root
stop: {epochs: 0, ifo: 100}
END
refuses_config "c.yaml:1: key 'stop.epochs': nothing would ever end the run; at least one bound above 0 was expected" <<'END'
stop: {epochs: 0}
END

### methods that do not take every shift or model
refuses_config "key 'method.kind': 'perfgd' needs the derivative of the shift, which this one does not have; location," <<'END'
{method: perfgd, shift: retention}
END
refuses_config "key 'method.kind': 'perfgd-full' needs the derivative of the shift" <<'END'
{method: perfgd-full, shift: {kind: strategic, good: 0, memory: accumulating}}
END
refuses_config "key 'method.probes': 3 deployments cannot settle A: for 11 parameters at least 12 were expected" <<'END'
{method: {kind: two-stage, probes: 3}, model: {layers: dense 1}}
END
refuses_config "key 'method.kind': 'two-stage' fits how features move; a shift that does not reweight was expected" <<'END'
{method: two-stage, model: {layers: dense 1}, shift: retention}
END
refuses_config "c.yaml:1: key 'method.delta': '0' is out of range" <<'END'
method: {kind: dfo, delta: 0}
END
refuses_config "c.yaml:1: key 'method.inner_solver': 'lbgfs' is not a choice; did you mean 'lbfgs'?" <<'END'
method: {kind: rrm, inner_solver: lbgfs}
END
refuses_config "c.yaml:1: key 'method.proximal': '-1' is out of range" <<'END'
method: {kind: rrm, proximal: -1}
END

### names that become folders
refuses_config "c.yaml:1: key 'name': it is also a folder's" <<'END'
name: a/../../b
END
refuses_config "c.yaml:1: key 'name': it is also a folder's" <<'END'
name: ""
END
refuses_config "c.yaml:2: key 'compare': a name is also a folder's" <<'END'
compare:
  - {name: "a\nb", method: sgd}
END

### retention and images
refuses_config "c.yaml:1: key 'shift.losses': 'exactly' is not a choice; did you mean 'exact'?" <<'END'
shift: {kind: retention, losses: exactly}
END
refuses_config "c.yaml:1: key 'model.layers': layer 'conv': images were expected" <<'END'
model: {layers: "conv 4 3x3 valid, dense 1"}
END
refuses_config "c.yaml:1: key 'shift.response': a shift that moves features, and does no more, was expected" <<'END'
shift: {kind: both, response: retention}
END

### shifts with memory, and networks
refuses_config "c.yaml:1: key 'shift.of': a shift whose people do not remember where they stand was expected" <<'END'
shift: {kind: decay, of: {kind: strategic, good: 0, memory: accumulating}}
END
refuses_config "c.yaml:1: key 'shift.then': people who remember where they stand come first in a chain" <<'END'
shift: {kind: chain, first: {kind: strategic, good: 0}, then: {kind: opinion, of: {kind: strategic, good: 0}}}
END
put edges.csv <<'END'
listener,speaker,weight
0,1,1
1,7000,1
END
refuses_config "c.yaml:2: key 'shift.network': edges.csv: row 2: speaker 7000 is not one of the individuals 0 .." <<'END'
data: {kind: lending, n: 20}
shift: {kind: opinion, network: edges.csv, of: {kind: strategic, good: 0}}
END
refuses_config "c.yaml:2: key 'shift.kind': 'mixture' needs a network that tells classes apart; this model does not" <<'END'
model: {loss: mean}
shift: mixture
END
refuses_config "c.yaml:3: key 'shift.kind': 'replicator' needs classes to grow and shrink; the data has none" <<'END'
data: {kind: gaussian, n: 20}
model: {loss: mean}
shift: replicator
END

refuses_config "c.yaml:2: key 'shift.rounds': people talk until nothing changes; until: rounds was expected" <<'END'
data: {kind: csv, path: good.csv, label: y}
shift: {kind: opinion, rounds: 3}
END
refuses_config "c.yaml:2: key 'shift.threshold': people are rejected by their probability; rejects: threshold was expected" <<'END'
data: {kind: csv, path: good.csv, label: y}
shift: {kind: mixture, good: 0, threshold: 0.3}
END
printf 'listener,speaker,weight\n0,1,nan\n' >unweighed.csv
refuses_config "unweighed.csv:2: column 3 'weight': the value is missing, and there is nothing to fill it with" <<'END'
data: {kind: csv, path: good.csv, label: y}
shift: {kind: opinion, network: unweighed.csv, of: {kind: strategic, good: 0}}
END

### compare
refuses_config "c.yaml:3: key 'compare': two entries have the same name" <<'END'
compare:
  - {name: a, method: sgd}
  - {name: a, method: rgd}
END
refuses_config "c.yaml:2: unknown key 'compare.stop'; one of name, method, step, deploy was expected" <<'END'
compare:
  - {name: a, stop: {epochs: 3}}
END
refuses_config "c.yaml:2: key 'compare': an entry is not a mapping with a name" <<'END'
compare:
  - {method: sgd}
END
refuses_config "c.yaml:2: key 'compare': an entry is not a mapping with a name" <<'END'
compare:
  - sgd
END
refuses_config "c.yaml:1: unknown key 'step.lengths'; the keys here are kind, radius, sizes, at" <<'END'
step: {kind: piecewise, sizes: [1, 2], lengths: [3]}
compare:
  - {name: a, step: {kind: adam}}
END
refuses_config "c.yaml:1: unknown key 'method.corection'; did you mean 'correction'?" <<'END'
method: {kind: sprint, corection: paper}
compare:
  - {name: a, method: sgd}
END
refuses_config "c.yaml:3: unknown key 'method.correction'" <<'END'
method: {kind: sprint, correction: paper}
compare:
  - {name: a, method: {kind: sgd, correction: paper}}
END
refuses_config "c.yaml:1: key 'compare': a list of {name: ..., method: ...} was expected" <<'END'
compare: sgd
END
refuses_config "c.yaml:2: key 'compare': a name is also a folder's" <<'END'
compare:
  - {name: ../up, method: sgd}
END
refuses_config "c.yaml:3: key 'method.batch': '0' is out of range" <<'END'
compare:
  - {name: a, method: {kind: sgd}}
  - {name: b, method: {kind: sgd, batch: 0}}
END

put pair.yaml <<'END'
data: {kind: csv, path: good.csv, label: y}
stop: {epochs: 1}
compare:
  - {name: a, method: sgd, step: {size: 0.2}}
  - {name: b, method: {kind: rgd}}
END
refuses 1 "--set method=saga: key 'method': 'saga' would not be used, as every entry of \`compare\` names a kind of its own" \
  run pair.yaml --out out --set method=saga
refuses 1 "key 'method': 'saga' would not be used" run pair.yaml --out out --set method.kind=saga
refuses 1 "key 'method': 'saga' would not be used" run pair.yaml --out out --set 'method={batch: 2, kind: saga}'

### Sentences that name the method, and where it is
refuses_config "c.yaml:2: key 'method.kind': 'sarah' refers to people's records under the deployment before, which are gone" <<'END'
data: {kind: csv, path: good.csv, label: y}
method: sarah
shift: {kind: strategic, good: 0, memory: accumulating}
END
refuses_config "c.yaml:2: key 'method.kind': 'perfgd' goes by who each individual is, and in a population without end" <<'END'
data: {kind: lending, endless: true, window: 50}
method: {kind: perfgd, inner: 5}
shift: {kind: strategic, good: 0}
END
refuses_config "c.yaml:2: key 'stop.ifo': 'dfo' takes no gradients" <<'END'
method: dfo
stop: {epochs: 0, ifo: 100}
END
refuses_config "c.yaml:2: key 'method.memory': a table of 6 gradients of 3 parameters takes" <<'END'
data: {kind: csv, path: good.csv, label: y}
method: {kind: saga, memory: 0}
END
n_checks=$((n_checks + 1))
grep -q 'takes 0 megabytes' "$heard/stderr" && wrong "saga: a table that takes nothing does not fit: $(cat "$heard/stderr")"

### Parameter files
head -c 136 theta.npy >short.npy # 128 bytes of header, two of three numbers
head -c 90 theta.npy >header.npy
{ cat theta.npy; printf x; } >long.npy
printf '\223NUMPY\003\000' | cat - theta.npy >version.npy
printf 'hello, this is no array\n' >text.npy
sed "s/<f[48]/<c8/" theta.npy >complex.npy
head -c 70 theta.safetensors >header.safetensors
head -c "$(($(wc -c <theta.safetensors) - 3))" theta.safetensors >short.safetensors
sed 's/\[8,12\]/[9,13]/' theta.safetensors >beyond.safetensors
sed 's/\[8,12\]/[-4,0]/' theta.safetensors >before.safetensors
sed 's/F32/I32/; s/F64/I64/' theta.safetensors >whole.safetensors
sed 's/0.weight/9.weight/' theta.safetensors >named.safetensors
printf '\004\000\000\000\000\000\000\000[1]\n' >list.safetensors
: >empty.npy
: >empty.safetensors
refuses_params() { refuses 1 "$2" grad good.yaml --params "$1" --out out/gradient.npy; }
refuses_params missing.npy "missing.npy: cannot be read: No such file or directory"
refuses_params good.csv "good.csv: a file ending in .npy or .safetensors was expected"
refuses_params short.npy "short.npy: is cut short: "
refuses_params header.npy "header.npy: ends within its header"
refuses_params long.npy "long.npy: has bytes after its end: "
refuses_params version.npy "version.npy: NPY version 3 is not read, 1 and 2 are"
refuses_params text.npy "text.npy: is not an NPY file"
refuses_params empty.npy "empty.npy: is not an NPY file"
refuses_params complex.npy "complex.npy: elements of type '<c8' are not read"
refuses_params deep.npy "deep.npy: holds 13 numbers; the model has 3 parameters"
refuses_params header.safetensors "header.safetensors: is not a safetensors file: its header does not fit its 70 bytes"
refuses_params empty.safetensors "empty.safetensors: is not a safetensors file: its header does not fit its 0 bytes"
refuses_params short.safetensors "short.safetensors: tensor '0.bias' does not lie within the file"
refuses_params beyond.safetensors "beyond.safetensors: tensor '0.bias' does not lie within the file: it ends at byte 13 of 12"
refuses_params before.safetensors "before.safetensors: tensor '0.bias' has data_offsets that cannot be read"
refuses_params whole.safetensors "whole.safetensors: tensor '0.weight' is of type I32; F32 or F64 was expected"
refuses_params named.safetensors "named.safetensors: has no tensor '0.weight', which this model needs"
refuses_params deep.safetensors "deep.safetensors: tensor '0.weight' has the shape (3, 2); this model's is (1, 2)"
refuses_params list.safetensors "list.safetensors: is not a safetensors file: its header is not a JSON object"
refuses 1 "deep.npy: holds 13 numbers" grad good.yaml --params theta.npy --deployed deep.npy --out out/gradient.npy
refuses 1 "gradient.txt: a file ending in .npy or .safetensors was expected" \
  grad good.yaml --params theta.npy --out out/gradient.txt
refuses_config "c.yaml:1: key 'data.features': 3 names for the 2 features of good-x.npy" <<'END'
data: {kind: npy, x: good-x.npy, y: good-y.npy, features: [a, b, c]}
END
refuses_config "theta.npy: holds 3 labels for the 6 rows of good-x.npy" <<'END'
data: {kind: npy, x: good-x.npy, y: theta.npy}
END

### Scoring
refuses_predict() { refuses 1 "$1" predict "${2:-out/model.safetensors}" "${3:-bad.csv}" --out out/predicted.csv; }
put bad.csv <<'END'
a,c
1,2
END
refuses_predict "bad.csv:1: there is no column 'b'"
put bad.csv <<'END'
b,a
1,2
2,two
END
refuses_predict "bad.csv:3: column 2 'a': 'two' is not a number"
put bad.csv <<'END'
a,b
1,NA
END
refuses_predict "bad.csv:2: column 2 'b': the value is missing, and there is nothing to fill it with"
: >bad.csv
refuses_predict "bad.csv: the file is empty"
refuses_predict "theta.safetensors: its metadata 'features' is missing or broken; a model.safetensors of" \
  theta.safetensors good.csv
refuses_predict "good.csv: is not a safetensors file" good.csv good.csv
sed 's/"layers":"dense 1"/"layers":"dense 2"/' out/model.safetensors >other.safetensors
refuses_predict "other.safetensors: its layers have 6 parameters, its tensors 12 bytes" other.safetensors good.csv
sed 's/\\"scale\\":/\\"scael\\":/' out/model.safetensors >other.safetensors
refuses_predict "other.safetensors: in its metadata the feature 'a' has no number above 0 as its 'scale'" other.safetensors good.csv

# A seed that cannot be kept exactly is not another one.
refuses 1 "'9007199254740993' is out of range" run "$(ls ./*.yaml | head -n 1)" --seed 9007199254740993
refuses 1 "'18446744073709551615' is out of range" run "$(ls ./*.yaml | head -n 1)" --seed 18446744073709551615

done_testing
