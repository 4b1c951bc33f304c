#!/bin/bash
# Names, headers, classes, paths and messages with escape codes and line ends: none of them reaches a terminal as it is.
. "$(dirname "$0")/lib.sh"

esc=$'\e[31m' csi=$'\xc2\x9b31m' del=$'\x7f' bell=$'\a' # a colour by ESC, by U+009B; delete; a bell
fake=$'\nwarning: all is well'                          # a line that nobody of ours wrote

# clean WHAT FILE...: no control byte but line ends, and no line that was made up.
clean() {
  local what=$1
  shift
  n_checks=$((n_checks + 1))
  if grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$@"; then
    wrong "$what: control characters: $(cat -v "$@" | grep -m 3 '\^\|M-B')"
  fi
  if grep -q '^warning: all is well' "$@"; then wrong "$what: a line that a name made up"; fi
}

# shown WHAT COMMAND...: whatever comes of it, what it prints is clean, and shows the escape code as text.
shown() {
  local what=$1
  shift
  "$SPRINT" "$@" >stdout 2>stderr </dev/null
  clean "$what" stdout stderr
  n_checks=$((n_checks + 1))
  grep -qF '\x1b' stdout stderr || wrong "$what: '$*' shows no \\x1b: $(cat stdout stderr)"
}

# quiet WHAT COMMAND...: the same of one that shows no name.
quiet() {
  local what=$1
  shift
  "$SPRINT" "$@" >stdout 2>stderr </dev/null
  clean "$what" stdout stderr
}

### A table and a config that are full of them
folder="d$esc$bell"
mkdir "$folder"
data="$folder/t$csi.csv"
{
  printf '"who%s","income%s%s","debt%s%s","bad%s"\n' "$esc" "$esc" "$fake" "$csi" "$del" "$esc"
  awk -v esc="$esc" -v fake="$fake" -v q='"' 'BEGIN { srand(3)
    for (i = 0; i < 60; i++) { bad = i % 2
      print q "p" i esc q "," 1000 * rand() + 500 * !bad "," 10 * rand() "," q (bad ? "yes" esc fake : "no" esc) q } }'
} >"$data"
cat >c.yaml <<'END'
name: "n\x9b31m"
data: {kind: csv, path: "d\e[31m\a/t\x9b31m.csv", label: "bad\e[31m", id: "who\e[31m"}
model: {layers: dense 1}
shift: {kind: strategic, good: "no\e[31m", columns: ["debt\x9b31m\x7f"], alpha: 0.1}
compare:
  - {name: "one\x9b31m", method: {kind: sgd, batch: 10}}
  - {name: "two\x9b31m", method: {kind: sprint, batch: 10}}
step: {size: 0.05}
stop: {epochs: 3}
seeds: [1, 2]
END
out="o$esc"
shown "run" run c.yaml --out "$out"
model=$(find "$out" -name model.safetensors | sort | head -n 1)
check "the run left a model" test -s "$model"
quiet "run, again" run c.yaml --out "$out"
shown "check" check c.yaml --starts 1
shown "compare" compare c.yaml --budget epochs=2 --out "c$esc"
quiet "theory" theory c.yaml --sample 30 --probes 2 --seed 1
cp c.yaml "$folder/e$csi.yaml"
shown "reproduce, a path" reproduce "$folder/e$csi.yaml" --seeds 1 --out "r$esc"

### What is in files
shown "data info" data info "$data"
shown "data info of a model" data info "$model"
shown "data info --config" data info "$data" --config
shown "data info, no such column" data info "$data" --config --label "x$esc$fake"
shown "data list" data list --data "$folder"

### Predictions
label="bad$esc"
shown "predict --label" predict "$model" "$data" --label "$label"
shown "predict --label --json" predict "$model" "$data" --label "$label" --out scores.csv --threshold 0.3
"$SPRINT" predict "$model" "$data" --out scores.csv 2>stderr || fail "predict: $(cat stderr)"
"$SPRINT" predict "$model" "$data" >piped.csv 2>stderr || fail "predict: $(cat stderr)"
check "a pipe gets every byte" cmp -s scores.csv piped.csv
check "of which some are escape codes" grep -q $'\e' piped.csv
# A terminal is no pipe: script(1) makes one, which writes \r\n for every line end.
terminal() {
  printf '%q ' "$SPRINT" "$@" >command
  script -qec "bash command 2>/dev/null" /dev/null </dev/null | tr -d '\r' >stdout
}
terminal predict "$model" "$data"
clean "predict on a terminal" stdout
check "predict on a terminal shows them" grep -qF 'p0\x1b[31m' stdout
equal "and all rows" 60 "$(grep -c '^[0-9]*,' stdout)"
terminal predict "$model" "$data" --label "$label" --json
clean "JSON on a terminal" stdout
terminal run c.yaml --out "t$esc" --json
clean "the JSON of a run on a terminal" stdout

### Responses from logs
shown "fit-shift" fit-shift --log "$data=none" --log "$data=$model" --kind strategic --good "no$esc" --id "who$esc" \
  --bootstrap 100
quiet "fit-shift --json" fit-shift --log "$data=none" --log "$data=$model" --kind linear --id "who$esc" \
  --bootstrap 100 --json

### Complaints
shown "no such command" "x$esc$fake"
shown "no such option" run "--x$esc"
shown "no such file" run "nothing$esc$fake.yaml"
shown "no such model" predict "nothing$esc$fake" "$data"
shown "no such column" predict "$model" "$data" --label "x$esc$fake"
shown "no such class" predict "$model" "$data" --positive "x$esc$fake"
shown "a bad threshold" predict "$model" "$data" --threshold "1$esc"
shown "a bad number" run c.yaml --jobs "x$esc"
shown "no such key" run c.yaml --set "x$esc=1"
shown "no such kind" run c.yaml --set "method.kind=x$esc"
shown "no such set" data get "x$esc$fake"
shown "no such family" list "x$esc$fake"
shown "no such experiment" reproduce "x$esc"
shown "too many arguments" list a "b$esc"
sed '3s/"[^"]*"$/"x\x1b[31m"/' "$data" >other.csv
shown "an unknown label" predict "$model" other.csv --label "$label"

done_testing
