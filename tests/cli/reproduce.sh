#!/bin/bash
# sprint reproduce: grids, jobs, what is finished and skipped, interrupts, failures; and grids that are refused.
. "$(dirname "$0")/lib.sh"

mkdir experiments
export SPRINT_EXPERIMENTS=$PWD/experiments
cat >experiments/credit.yaml <<'END'
name: tiny
data: {kind: lending, n: 200}
model: {layers: "dense 4, relu, dense 1"}
shift: {kind: strategic, good: 0, alpha: 0.5}
method: {batch: 20}
stop: {epochs: 3}
seeds: [1, 2]
grid: {shift.alpha: [0.01, 0.2], step.size: [0.1]}
compare:
  - {name: sgd-gd, method: {kind: sgd}}
  - {name: sprint, method: {kind: sprint, correction: paper}}
quick: {data: {n: 100}, stop: {epochs: 1}}
END

# reproduces ARGUMENT...: it succeeds; progress is in ./stderr.
reproduces() {
  "$SPRINT" reproduce "$@" >stdout 2>stderr </dev/null || fail "reproduce $* failed with $?: $(cat stderr)"
}

# traces FOLDER: one sum over all its traces, by name.
traces() { (cd "$1" && find . -name trace.csv -exec cksum {} + | sort -k 3); }

### Folders, files and tables
reproduces credit --out out
equal "folders" "alpha-0.01_size-0.1/sgd-gd/seed-1 alpha-0.01_size-0.1/sgd-gd/seed-2 \
alpha-0.01_size-0.1/sprint/seed-1 alpha-0.01_size-0.1/sprint/seed-2 alpha-0.2_size-0.1/sgd-gd/seed-1 \
alpha-0.2_size-0.1/sgd-gd/seed-2 alpha-0.2_size-0.1/sprint/seed-1 alpha-0.2_size-0.1/sprint/seed-2" "$(cd out && echo */*/*)"
equal "files" "model.safetensors run.json timing.csv trace.csv" "$(cd out/alpha-0.2_size-0.1/sprint/seed-2 && echo *)"
check "an estimate first" grep -q '^8 runs, about [0-9.]* s, ' stdout
equal "a table per point" "alpha-0.01_size-0.1 alpha-0.2_size-0.1" "$(grep '^alpha' stdout | xargs)"
equal "a line per method and point" 4 "$(awk '/^method/ { counts = /IFO/ } counts && /^(sgd-gd|sprint) / { n++ } END { print n }' stdout)"
check "IFO, samples, deployments" grep -q '^sprint .* 1800  *1200  *30 ' stdout
equal "a start and an end per job" "8 8" "$(grep -c ': started$' stderr) $(grep -c ': done in .*, loss ' stderr)"
check "the value of the point is in run.json" grep -q '"alpha": 0.2' out/alpha-0.2_size-0.1/sprint/seed-1/run.json
check "the grid is not" test -z "$(grep -l 'shift.alpha' out/*/*/*/run.json)"
check "no temporary files" no_parts out

equal "the summary of all" 4 "$(rows out/summary.csv)"

### The same by `sprint run`, by any number of jobs, and threads
runs run experiments/credit.yaml --out by-run
equal "sprint run: the same folders and traces" "$(traces out)" "$(traces by-run)"
reproduces credit --out jobs-1 --jobs 1 --threads 2
check "one at a time" grep -q '^8 runs, .*, one at a time on 2 threads$' stdout
reproduces credit --out jobs-2 --jobs 2 --threads 1
check "two at a time" grep -q '^8 runs, .*, 2 at a time$' stdout
equal "--jobs 1 and the default" "$(traces out)" "$(traces jobs-1)"
equal "--jobs 1 and 2" "$(traces jobs-1)" "$(traces jobs-2)"

### Finished runs are skipped
sums() { (cd "$1" && find . -type f -printf '%p %T@\n' | sort); }
before=$(sums out | grep -v -e summary -e report.html)
# tables: all that is said of the points, but for the seconds.
tables() { sed -n '/^alpha/,/^(final/p' stdout | sed '/deployments/,/^$/s/ [^ ]*$//'; }
table=$(tables)
reproduces credit --out out
equal "nothing is touched but the summary and the page" "$before" "$(sums out | grep -v -e summary -e report.html)"
check "it says so" grep -q '^8 runs are in out finished before and kept$' stdout
equal "the same table, from the files" "$table" "$(tables)"
rm out/alpha-0.2_size-0.1/sprint/seed-2/run.json
reproduces credit --out out
check "one run is missing" grep -q '^1 run, ' stdout
equal "one run is done" "alpha-0.2_size-0.1/sprint/seed-2: started" "$(grep started stderr)"
equal "and is the same" "$(traces jobs-1)" "$(traces out)"
sed -i 's/"stop": "epochs"/"stop": "requested"/' out/alpha-0.2_size-0.1/sprint/seed-1/run.json
echo '{' >out/alpha-0.2_size-0.1/sprint/seed-2/run.json
rm out/alpha-0.2_size-0.1/sgd-gd/seed-1/trace.csv
: >out/alpha-0.2_size-0.1/sgd-gd/seed-2/model.safetensors
reproduces credit --out out
check "a run that was stopped, a broken record, a lost trace, an empty model" grep -q '^4 runs, ' stdout
check "the trace is there again" test -s out/alpha-0.2_size-0.1/sgd-gd/seed-1/trace.csv
reproduces credit --out out --set stop.epochs=2
check "other settings" grep -q '^8 runs, ' stdout
reproduces credit --out out --set stop.epochs=2 --seeds 2,1
check "the order of the seeds does not matter" grep -q '^8 runs are in out' stdout
"$SPRINT_F64" reproduce credit --out out --set stop.epochs=2 >stdout 2>stderr || fail "double: $(cat stderr)"
check "another precision" grep -q '^8 runs, ' stdout

### --seeds, --quick, --set on a key of the grid
reproduces credit --out seeds --seeds 7,8,9 --set shift.alpha=0.3
equal "--seeds, --set of a grid's key" "alpha-0.3_size-0.1/sgd-gd/seed-7 alpha-0.3_size-0.1/sgd-gd/seed-8 \
alpha-0.3_size-0.1/sgd-gd/seed-9 alpha-0.3_size-0.1/sprint/seed-7 alpha-0.3_size-0.1/sprint/seed-8 \
alpha-0.3_size-0.1/sprint/seed-9" "$(cd seeds && echo */*/*)"
reproduces credit --out list --set 'shift.alpha=[1, 2, 3]' --set step=constant --seeds 1
equal "--set of a list; of a section" "alpha-1 alpha-2 alpha-3" "$(cd list && echo alpha-*)"
runs run experiments/credit.yaml --out one --set shift.alpha=0.2
equal "sprint run at one point: no folder for it" "sgd-gd sprint" "$(cd one && ls -d */ | tr -d / | xargs)"
check "and the same trace" cmp -s one/sprint/seed-1/trace.csv by-run/alpha-0.2_size-0.1/sprint/seed-1/trace.csv
reproduces credit --quick
equal "--quick: fewer epochs" 2 "$(rows runs/credit-quick/alpha-0.2_size-0.1/sprint/seed-1/trace.csv)"
equal "--quick: fewer rows" 100 "$(json runs/credit-quick/alpha-0.2_size-0.1/sprint/seed-1/run.json rows)"
reproduces credit --quick --out over --set stop.epochs=2 --seeds 1
equal "--set goes over --quick" 3 "$(rows over/alpha-0.2_size-0.1/sprint/seed-1/trace.csv)"

### By path, in the folder of that name; --only some methods, in the folders that all have
reproduces ./experiments/credit.yaml --quick --only sprint --seeds 1
equal "--only" "alpha-0.01_size-0.1/sprint/seed-1 alpha-0.2_size-0.1/sprint/seed-1" "$(cd runs/credit-quick && echo */*/seed-1 | tr ' ' '\n' | grep sprint | xargs)"
check "in the table" test "$(grep -c '^sgd-gd' stdout)" = 0
cp experiments/credit.yaml here.yaml
reproduces here.yaml --quick --only sgd-gd,sprint --seeds 1
equal "by a file of the working folder" "alpha-0.01_size-0.1 alpha-0.2_size-0.1 summary.csv summary.json" "$(files runs/here-quick)"

### all: the three, each in its folder; one that cannot be loaded does not stop the others
cp experiments/credit.yaml experiments/cifar10.yaml
sed 's/n: 200/n: 0/' experiments/credit.yaml >experiments/mnist.yaml
"$SPRINT" reproduce all --seeds 1 --out three >stdout 2>stderr
equal "all: exit code" 1 $?
equal "all: folders" "cifar10 credit" "$(cd three && echo *)"
check "all: what failed" grep -q "^sprint: .*mnist.yaml:2: key 'data.n'" stderr

### A job that fails is told by name, and the others go on
mkdir -p fails/alpha-0.2_size-0.1
echo >fails/alpha-0.2_size-0.1/sgd-gd
"$SPRINT" reproduce credit --out fails >stdout 2>stderr
equal "failures: exit code" 1 $?
equal "failures: a sentence each" 2 "$(grep -c '^sprint: alpha-0.2_size-0.1/sgd-gd/seed-[12]: fails/.*: ' stderr)"
check "failures: how many" grep -q '^2 of 8 runs failed; the others are in fails$' stdout
equal "failures: the others are there" 6 "$(find fails -name run.json | wc -l)"

### Interrupted: finished runs are kept, and what was under way is marked as such; then it goes on
sed -e 's/epochs: 3/epochs: 3000/' -e 's/compare:/eval: {every: 1000}\ncompare:/' experiments/credit.yaml >experiments/long.yaml
# interrupt SIGNAL [GROUP]: the parent, or with - its children too, once a run is done and another one is under way.
interrupt() {
  rm -rf cut stdout stderr
  set -m # a process group of its own, as on a terminal
  "$SPRINT" reproduce long --jobs 1 --threads 1 --out cut >stdout 2>stderr &
  set +m
  local pid=$! tries=0
  until grep -q ': done in' stderr 2>/dev/null && [ "$(grep -c started stderr)" -gt "$(grep -c 'done in' stderr)" ]; do
    kill -0 $pid 2>/dev/null || fail "it ended by itself: $(cat stderr)"
    tries=$((tries + 1))
    [ $tries -lt 3000 ] || fail "no run was ever done"
    sleep 0.02
  done
  kill -s "$1" -- "${2:-}$pid"
  wait $pid
  local code=$?
  equal "$1: exit code" $((128 + $(kill -l "$1"))) $code
  check "$1: it says so" grep -q '^interrupted; what was done is in cut, and the same command goes on from there$' stdout
  done=$(grep -c ': done in' stderr)
  equal "$1: what is done is kept" "$done" "$(find cut -name run.json | wc -l)"
  equal "$1: what was stopped has a checkpoint" "$(grep -c ': stopped' stderr)" "$(find cut -name checkpoint | wc -l)"
  check "$1: no temporary files" no_parts cut
}
interrupt TERM
interrupt INT -
interrupt INT
if [ "$done" -lt 8 ]; then
  before=$(cd cut && find . -name run.json -exec stat -c '%n %Y' {} + | sort)
  reproduces long --jobs 2 --out cut
  check "it goes on where it was" grep -q ': goes on from epoch ' stderr
  check "it goes on" grep -q "^$((8 - done)) runs\?, " stdout
  check "what was done is not touched" test -z "$(comm -23 <(echo "$before") <(cd cut && find . -name run.json -exec stat -c '%n %Y' {} + | sort))"
fi
equal "all are there" 8 "$(find cut -name run.json | wc -l)"

### On a terminal: lines that fit, drawn over, none left behind
if command -v script >/dev/null; then
  script -qec "stty cols 30 rows 5; '$SPRINT' reproduce long --seeds 1 --jobs 2 --out tty 2>&1 >/dev/null" typed </dev/null >/dev/null ||
    fail "on a terminal: $(cat typed)"
  sed -i -e '/^Script/d' -e 's/\r//g' -e 's/\x1b\[[0-9]*[AJ]//g' typed
  check "a bar" grep -q '^\[[#.]\{24\}\] ' typed
  check "no line is wider than the terminal" test "$(awk '{ print length }' typed | sort -n | tail -n 1)" -lt 30
fi

### Bad calls
# misuse CODE WORDS ARGUMENT...
misuse() {
  local code=$1 words=$2
  shift 2
  "$SPRINT" reproduce "$@" >stdout 2>stderr </dev/null
  equal "reproduce $*: exit code" "$code" $?
  equal "reproduce $*: one sentence" 1 "$(wc -l <stderr)"
  check "reproduce $*: '$words' in '$(cat stderr)'" grep -q -e "$words" stderr
}
misuse 1 "'credits' is not an experiment: there is no credits.yaml in $SPRINT_EXPERIMENTS, experiments or " credits
misuse 1 '../credit: cannot be read' ../credit
misuse 2 "'all' is three experiments" all --json
misuse 1 "only: 'sgd' is not a method of this config; there are sgd-gd, sprint" credit --only sprint,sgd
misuse 2 "jobs: '0' is not a whole number within 1" credit --jobs 0
misuse 2 "takes no value" credit --quick=yes
misuse 2 'an argument is missing'
misuse 1 "seeds: '1,x' is not a list of whole numbers" credit --seeds 1,x
misuse 1 'seeds' credit --seeds 1,1
misuse 1 'is not a folder' credit --out experiments/credit.yaml

### What came with the program is found from any folder
mkdir elsewhere
(cd elsewhere && unset SPRINT_EXPERIMENTS && "$SPRINT" reproduce demo --seeds 1 --set stop.epochs=1 --out found) >stdout 2>stderr ||
  fail "reproduce demo from another folder: $(cat stderr)"
check "reproduce demo from another folder: its runs" test -f elsewhere/found/sprint-paper/seed-1/run.json

### Bad grids, one sentence each
# refused WORDS GRID [QUICK]
refused() {
  printf 'data: {n: 20}\nshift: retention\ngrid: %s\nquick: %s\n' "$2" "${3:-{\}}" >experiments/bad.yaml
  misuse 1 "$1" bad
  misuse 1 "$1" bad --quick
}
refused "bad.yaml:3: key 'grid': a map from keys to lists" '[1]'
refused "bad.yaml:3: key 'grid.step.size': a list of values" '{step.size: 1}'
refused "bad.yaml:3: key 'grid.step.size': a list of values" '{step.size: []}'
refused "bad.yaml:3: key 'grid.step.size': a list of single values" '{step.size: [[1]]}'
refused "bad.yaml:3: key 'grid.data.n': all points share one population" '{data.n: [10, 20]}'
for key in seeds compare name out grid.x quick; do
  refused "bad.yaml:3: key 'grid.$key': is not a setting of a run" "{$key: [1]}"
done
refused "bad.yaml:3: key 'grid.step.size': two values would have the same folder" '{step.size: [1, 2, 1]}'
refused "bad.yaml:3: unknown key 'stpe'; did you mean 'step'?" '{stpe.size: [1]}'
refused "bad.yaml:3: unknown key 'step.sise'; did you mean 'size'?" '{step.sise: [1]}'
refused "bad.yaml:3: key 'step.size': 'x' is not a number" '{step.size: [1, x]}'
refused "bad.yaml:3: 'shift' is a single value, so it has no key 'alpha'" '{shift.alpha: [1]}'
refused "bad.yaml:3: the key has an empty part" '{step..size: [1]}'
refused "there are more than 4096 points" "{step.size: [$(seq -s, 65)], stop.epochs: [$(seq -s, 65)]}"
refused "bad.yaml:4: key 'quick': a map of keys was expected" '{}' 7
refused "bad.yaml:4: key 'quick.quick': is within itself" '{}' '{quick: {}}'
refused "bad.yaml:4: unknown key 'stopp'; did you mean 'stop'?" '{}' '{stopp: {epochs: 1}}'
refused "bad.yaml:4: key 'stop.epochs'" '{}' '{stop: {epochs: -1}}'
refused "key 'grid.step': a list of values was expected, such as \[0.1, 0.2\]; keys within it are written 'step.size: \[...\]'" \
  '{step: {size: [1]}}'
misuse 1 "set grid.step.size=3: key 'grid.step': .*--set step.size=... gives all points one value" credit --set grid.step.size=3
cat >experiments/bad.yaml <<'END'
data: {n: 20}
grid: {step.size: [1, 2]}
compare: [{name: a, method: sgd}, {name: b, step: {size: 3}}]
END
misuse 1 "bad.yaml:3: key 'compare': the key 'step.size' is in the grid too" bad
misuse 1 "set quick={}: key 'quick': is a matter of the file" bad --set 'quick={}'

### Steps that take long are reckoned from gradients
echo "{data: {kind: gaussian, n: 1000, d: 100}, model: {layers: 'dense 300, relu, dense 1', loss: squared}, method: rgd, stop: {epochs: 2}}" >heavy.yaml
runs reproduce heavy.yaml --jobs 1 --out heavy
check "how long it may take" grep -qE '^1 run, about [0-9.]+ s, one at a time' stdout

done_testing
