#!/bin/bash
# --plugin: kinds of one's own in every command that takes a config, and plugins that do not fit.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
: "${SPRINT_PLUGINS:?the folder of the plugins that the build made}"
method=$SPRINT_PLUGINS/sprint/plugin_method.so shift=$SPRINT_PLUGINS/sprint/plugin_shift.so
twins=$SPRINT_PLUGINS/sprint/twins.so

# refused CODE WORDS ARGUMENT...: sprint ends with the code and one line that has the words, and prints nothing else.
refused() {
  local code=$1 words=$2
  shift 2
  "$SPRINT" "$@" >stdout 2>stderr </dev/null
  local got=$?
  n_checks=$((n_checks + 1))
  [ $got = "$code" ] || wrong "sprint $*: exit code $got instead of $code"
  grep -qF -- "$words" stderr || wrong "sprint $*: '$(cat stderr)' does not say '$words'"
  [ "$(wc -l <stderr)" = 1 ] && [ ! -s stdout ] || wrong "sprint $*: more than one sentence"
}

### Both examples in one run
cat >c.yaml <<'END'
data: {n: 400}
model: {layers: 'dense 8, tanh, dense 1', loss: {kind: hinge, width: 0.25}}
shift: {kind: gaming, reach: 0.3}
method: {kind: normalized, batch: 20}
step: {kind: sign, size: 0.02}
stop: {epochs: 4}
seeds: [3]
END
runs run c.yaml --plugin "$method" --plugin "$shift" --out out
check "the model learns" awk -v a="$(cell out/trace.csv loss 0)" -v b="$(cell out/trace.csv loss -1)" 'BEGIN { exit !(b < a / 2) }'
equal "per-sample gradients: b for each step" 1600 "$(cell out/trace.csv ifo -1)"
equal "evaluations of the shift: one for each record drawn" 1600 "$(cell out/trace.csv shift_evals -1)"
check "records move, and not further than reach" awk -v a="$(cell out/trace.csv displacement -1)" 'BEGIN { exit !(a > 0 && a <= 0.3) }'
equal "run.json: the engine" plain "$(json out/run.json engine)"
equal "run.json: both plugins" 2 "$(grep -c '"crc32": "[0-9a-f]\{8\}"' out/run.json)"
check "run.json: their paths" grep -qF "\"path\": \"$shift\"" out/run.json
cp -r out first
runs run c.yaml --plugin="$shift" --plugin="$method" --threads 2 --out out
check "the same bytes by another number of threads" cmp out/model.safetensors first/model.safetensors
check "and the same trace" cmp out/trace.csv first/trace.csv

### A path without a slash is a file that is here
cp "$shift" here.so
runs list shifts --plugin here.so
check "listed" grep -q '^  gaming: ' stdout
check "with its parameters" grep -q '^      reach  *number from 0 to 1000000, default 0.5$' stdout
refused 1 "plugin ./libm.so.6: cannot be read: No such file or directory" list --plugin libm.so.6

### Listed with the others, and nowhere without
runs list --plugin "$method" --plugin "$shift"
for kind in gaming hinge normalized plain-svrg sign; do check "$kind is listed" grep -q "^  $kind: " stdout; done
runs list
check "not without the plugin" sh -c "! grep -qE '^  (gaming|hinge|normalized|plain-svrg|sign): ' stdout"

### Every command that takes a config
runs init c.yaml --plugin "$method" --plugin "$shift" --out theta.npy
runs grad c.yaml --plugin "$method" --plugin "$shift" --params theta.npy --out g.npy
close "grad has the loss of the trace's first row" "$(cell out/trace.csv loss 0)" "$(sed -n 's/^loss //p' stdout)" 1e-6
runs data export c.yaml --plugin "$method" --plugin "$shift" --deployed theta.npy --out people
check "the deployed population" test -s people-x.npy
columns=$(tr ',' '\n' <out/model.safetensors | LC_ALL=C grep -ao 'name\\": \?\\"[a-z_A-Z0-9]*' | sed 's/.*"//' | paste -sd, -)
{ echo "$columns"; sed 's/[^,]*/1/g' <<<"$columns"; } >people.csv
runs predict out/model.safetensors people.csv --plugin "$shift"
equal "predict: a row" 2 "$(wc -l <stdout)"
refused 1 "'hinge' is not a kind of model.loss" predict out/model.safetensors people.csv
"$SPRINT" theory c.yaml --plugin "$method" --plugin "$shift" --sample 50 --probes 2 >stdout 2>stderr
check "theory: constants of the problem, whatever they allow" grep -qE 'gamma = 0\.02' stdout stderr
refused 2 "unknown option '--plugin'" verify --plugin "$shift"

### Suggestions
refused 1 "did you mean 'gaming'?" run c.yaml --plugin "$method" --plugin "$shift" --set shift.kind=gamig
refused 1 "did you mean 'normalized'?" run c.yaml --plugin "$method" --plugin "$shift" --set method.kind=normalised
refused 1 "did you mean 'hinge'?" run c.yaml --plugin "$method" --plugin "$shift" --set model.loss=hing
refused 1 "unknown key 'shift.raech'; did you mean 'reach'?" run c.yaml --plugin "$method" --plugin "$shift" --set shift.raech=1
refused 1 "c.yaml:4: key 'method.kind': 'normalized' is not a kind of method" run c.yaml --plugin "$shift"
refused 1 "there is no class 7; the data has 2" run c.yaml --plugin "$method" --plugin "$shift" --set shift.good=7
refused 1 "'-1' is out of range" run c.yaml --plugin "$method" --plugin "$shift" --set shift.reach=-1

### In a comparison and a grid
cat >compare.yaml <<'END'
data: {n: 200}
shift: {kind: linear, epsilon: 0.2}
stop: {epochs: 2}
compare: [{name: ours, method: sgd}, {name: twin, method: sgd-twin}]
grid: {method.batch: [10, 20]}
END
runs run compare.yaml --plugin "$twins" --out both
for point in batch-10 batch-20; do
  check "$point: a plugin's sgd is ours, to the byte" cmp both/$point/ours/seed-1/model.safetensors both/$point/twin/seed-1/model.safetensors
  check "$point: and so is its trace" cmp both/$point/ours/seed-1/trace.csv both/$point/twin/seed-1/trace.csv
done
runs run compare.yaml --plugin "$twins" --set shift.kind=linear-twin --out twins
check "a plugin's linear response is ours, to the byte" cmp both/batch-10/ours/seed-1/trace.csv twins/batch-10/ours/seed-1/trace.csv
"$SPRINT" compare compare.yaml --plugin "$twins" --methods sgd,sgd-twin,sprint --budget ifo=2000 --seeds 2 --set 'grid={}' \
  --out ranked >stdout 2>stderr || fail "compare: $(cat stderr)"
check "compare ranks it" grep -q 'sgd-twin' stdout
refused 1 "did you mean 'sgd-twin'?" compare compare.yaml --plugin "$twins" --methods sgd-twim --budget ifo=2000 --set 'grid={}'

### A finished run is kept, unless the plugin has changed
mkdir experiments
echo '{name: credit, data: {n: 200}, method: sgd-twin, stop: {epochs: 1}}' >experiments/credit.yaml
cp "$twins" mine.so
again() { SPRINT_EXPERIMENTS=experiments "$SPRINT" reproduce credit --plugin mine.so --jobs 1 --out kept 2>&1; }
check "a first time" grep -q 'sgd-twin/seed-1: done' <<<"$(again)"
check "kept" grep -q '1 run is in kept finished before and kept' <<<"$(again)"
echo >>mine.so
check "done again with another file" grep -q 'sgd-twin/seed-1: done' <<<"$(again)"

### The other precision
refused 1 "was compiled for double numbers; this library has float, for which there is \`pkg-config --cflags sprint\`" \
  list --plugin "$SPRINT_PLUGINS/sprint-f64/twins.so"
"$SPRINT_F64" run c.yaml --plugin "$SPRINT_PLUGINS/sprint-f64/plugin_method.so" \
  --plugin "$SPRINT_PLUGINS/sprint-f64/plugin_shift.so" --out f64 >stdout 2>stderr
equal "the double build with its own plugins" 0 $?

### What is no plugin
echo 'int main;' >text.so
echo 'int something;' >empty.c
echo '#include "sprint.h"
void sprint_of_tomorrow(void);
static void batch(void *user, sprint_method_step *step, sprint_real *v) { (void)user, (void)step, (void)v; sprint_of_tomorrow(); }
static const sprint_method_kind method = {.size = sizeof method, .name = "late", .help = "", .batch = batch};
static const sprint_method_kind *const methods[] = {&method};
static const sprint_plugin plugin = {SPRINT_PLUGIN_HEAD, .methods = methods, .n_methods = 1};
const sprint_plugin *sprint_plugin_entry(void) { return &plugin; }' >late.c
build() { ${CC:-cc} -shared -fPIC -I"$source/include" "$@" || fail "$* does not compile"; }
build empty.c -o empty.so
build late.c -o late.so
build "$source/examples/plugin_method.c" -lm -o same.so
sed 's/^#define SPRINT_VERSION .*/#define SPRINT_VERSION "0.2.0"/' "$source/include/sprint.h" >sprint.h
${CC:-cc} -shared -fPIC -I. late.c -o newer.so || fail "newer.so does not compile"
${CC:-cc} -shared -fPIC -I. "$source/examples/plugin_method.c" -lm -o next.so || fail "next.so does not compile"
refused 1 "plugin ./text.so: cannot be loaded as a shared object: ./text.so: " run c.yaml --plugin text.so
refused 1 "plugin ./nope.so: cannot be read: No such file or directory" run c.yaml --plugin nope.so
refused 1 "plugin ./empty.so: has no entry point; a function sprint_plugin_entry was expected" run c.yaml --plugin empty.so
refused 1 "plugin ./next.so: was compiled for version 0.2.0; this is version" run c.yaml --plugin next.so
refused 1 "plugin ./newer.so: was compiled for version 0.2.0; this is version" run c.yaml --plugin newer.so
refused 1 "plugin ./late.so: cannot be loaded as a shared object: ./late.so: undefined symbol: sprint_of_tomorrow" run c.yaml --plugin late.so
refused 1 "the name of the method 'normalized' is taken by $method; another name was expected" list --plugin "$method" --plugin same.so
refused 1 "the name of the method 'normalized' is taken by $method" list --plugin "$method" --plugin "$method"
refused 2 "option '--plugin' needs a value" run c.yaml --plugin
refused 2 "option '--plugin' needs a value" run c.yaml --plugin=
runs run c.yaml --plugin same.so --plugin "$shift" --out out
equal "a plugin that was compiled with the header alone" 1600 "$(cell out/trace.csv ifo -1)"

### The plugin that docs/plugins.md writes
sed -n '/^```c$/,/^```$/{/^```/d;p}' "$source/docs/plugins.md" >drift.c
build -O2 -Wall -Wextra -Werror drift.c -o drift.so
echo '{data: {n: 200}, shift: {kind: linear, epsilon: 0.2, only_label: 1}, method: sgd, stop: {epochs: 2}}' >d.yaml
runs run d.yaml --out ours
runs run d.yaml --plugin drift.so --set 'shift={kind: drift, share: 0.2}' --out theirs
check "it does what it says" cmp ours/trace.csv theirs/trace.csv

done_testing
