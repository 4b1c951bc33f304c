# What the scripts of tests/cli share. Each one is called with SPRINT and SPRINT_F64 in its environment (the programs
# under test), sources this file, and then stands in an empty folder that goes away with it.
set -u
: "${SPRINT:?the path of the sprint program}"
: "${SPRINT_F64:?the path of the sprint-f64 program}"
# Threads that wait do not spin: ctest runs several tests at once on few cores.
export LC_ALL=C OMP_WAIT_POLICY=passive
me=$(basename "$0" .sh)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
n_checks=0 n_wrong=0

fail() {
  echo "$me: $*" >&2
  exit 1
}

# As fail, but the cases that follow do not depend on this one.
wrong() {
  echo "$me: $*" >&2
  n_wrong=$((n_wrong + 1))
}

# check WHAT COMMAND...: the command succeeds, else the test fails.
check() {
  local what=$1
  shift
  n_checks=$((n_checks + 1))
  "$@" || fail "$what"
}

# equal WHAT EXPECTED GOT
equal() {
  n_checks=$((n_checks + 1))
  [ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"
}

# close WHAT EXPECTED GOT TOLERANCE
close() {
  n_checks=$((n_checks + 1))
  awk -v a="$2" -v b="$3" -v t="$4" 'BEGIN { d = a - b; exit !(a != "" && b != "" && d <= t && -d <= t) }' ||
    fail "$1: expected $2, got $3 (tolerance $4)"
}

# The lines by which a long run shows how far it is: a machine under load may make any run a long one.
progress='^\[[#.]*\] [0-9]+ of [0-9]+ runs|: (started|done in .*|goes on from epoch .*)$|^[^ ]+ +[0-9]+ %.* epoch '

# runs ARGUMENT...: sprint succeeds and says nothing on stderr but progress; its output is in ./stdout.
runs() {
  "$SPRINT" "$@" >stdout 2>stderr </dev/null || fail "sprint $* failed with $?: $(cat stderr)"
  n_checks=$((n_checks + 1))
  ! grep -qvE "$progress" stderr || fail "sprint $* succeeded, and yet said: $(cat stderr)"
}

# refused WORDS COMMAND...: fails with one sentence that has the words, and no predictions.
refused() {
  local words=$1
  shift
  n_checks=$((n_checks + 1))
  if "$SPRINT" "$@" >stdout 2>stderr </dev/null; then
    wrong "$* succeeded; '$words' was expected"
  elif [ "$(wc -l <stderr)" != 1 ] || ! grep -qF -- "$words" stderr || grep -q ^row stdout; then
    wrong "$*: '$(cat stderr)' does not say '$words', alone"
  fi
}

# cell FILE COLUMN ROW: a field of a CSV by the name of its column; rows count from 0, -1 is the last one.
cell() {
  awk -F, -v name="$2" -v row="$3" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
    { value[NR - 2] = $at; n = NR - 1 }
    END { if (!at) exit 1; print value[row < 0 ? n + row : row] }' "$1"
}

# rows FILE: data rows of a CSV without line ends in fields.
rows() { awk 'END { print NR - 1 }' "$1"; }

# json FILE KEY: the first value of the key, which is a text, a number or null.
json() { sed -n 's/^ *"'"$2"'": "\{0,1\}\([^",]*\)"\{0,1\},\{0,1\}$/\1/p' "$1" | head -n 1; }

# files FOLDER: the names in it, but for the page, which a build without npm does not write.
files() { (cd "$1" && find . -mindepth 1 -maxdepth 1 ! -name report.html -printf '%f\n' | sort | paste -sd ' ' -); }

# no_parts FOLDER: no temporary file was left behind.
no_parts() { [ -z "$(find "$1" -name '*.part-*')" ]; }

# hand_run FOLDER RECORD HEAD ROW...: a run's files by hand, with a second of training an epoch. RECORD is what run.json holds;
# "": the run goes on, and has none.
hand_run() {
  local folder=$1 record=$2
  shift 2
  mkdir -p "$folder"
  printf '%s\n' "$@" >"$folder/trace.csv"
  shift
  { echo epoch,seconds
    for row; do echo "${row%%,*},${row%%,*}"; done; } >"$folder/timing.csv"
  [ -z "$record" ] || echo "$record" >"$folder/run.json"
}

# train_small: a table data.csv, a config c.yaml and what a run of it leaves in out/; $model is its model.
train_small() {
  awk 'BEGIN { srand(3); print "income,age,bad"
    for (i = 0; i < 40; i++) print 1000 * rand() "," 40 + 10 * rand() "," i % 2 }' >data.csv
  cat >c.yaml <<'END'
data: {kind: csv, path: data.csv, label: bad}
model: {layers: dense 1}
method: {kind: sgd, batch: 10}
stop: {epochs: 1}
END
  runs run c.yaml --out out
  model=out/model.safetensors
}

done_testing() {
  echo "$me: $n_checks checks, $n_wrong failed"
  [ $n_wrong = 0 ] || exit 1
}
