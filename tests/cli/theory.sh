#!/bin/bash
# sprint theory: certificates from given constants and from a config's problem; refusals; figures.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

# row NAME COLUMN: a word of the line of ./stdout that begins with the name.
row() { awk -v name="$1" -v at="$2" 'index($0, name) == 1 { $0 = substr($0, length(name) + 1); print $at; exit }' stdout; }

# fails CODE SENTENCE ARGUMENT...: the code, and one line on stderr that has the sentence; ./stdout has what was said.
fails() {
  local code=$1 sentence=$2 got
  shift 2
  "$SPRINT" theory "$@" >stdout 2>stderr </dev/null
  got=$?
  n_checks=$((n_checks + 1))
  [ $got = "$code" ] || fail "sprint theory $*: exit code $got, not $code: $(cat stderr)"
  [ "$(wc -l <stderr)" = 1 ] || fail "sprint theory $*: not one line on stderr: $(cat stderr)"
  grep -qF -- "$sentence" stderr || fail "sprint theory $*: expected: $sentence; but it said: $(cat stderr)"
}

# Given constants. m = 1, kappa = 0: Gamma = gamma (3/4 - 2 gamma), 9/128 at its top, 3/16; 1/31 in closed form.
runs theory --L 1 --kappa 0 --m 1 --n 1000 --delta0 2 --delta 0.5 --sigma0 1
close "closed form" 0.03226 "$(row '  closed form' 1)" 5e-6
close "largest Gamma, gamma" 0.1875 "$(row '  largest Gamma' 1)" 1e-6
close "largest Gamma" 0.07031 "$(row '  largest Gamma' 4)" 5e-6
close "edge" 0.375 "$(row '  largest gamma (the edge)' 1)" 1e-6
# T = 2 / (9/128 * 0.5) = 56.9, IFO T (2 + 1000); 16 (2 + 1/2)^2 / 0.25
equal "steps of SPRINT" 57 "$(row '  SPRINT' 1)"
equal "IFO of SPRINT" 57114 "$(row '  SPRINT' 2)"
equal "steps of SGD-GD" 400 "$(row '  SGD-GD' 1)"
check "which is cheaper" grep -q '1st term: SGD-GD is cheaper, by 142.8' stdout
check "the paper's own figure is there too" grep -q 'delta^2 = 25, a factor 16 short' stdout
runs theory --L 1 --L0 0.5 --epsilon 0.2 --m 100 --n 10000 --batch 4 --delta0 1 --gamma 0.001 --beta 3 --rounds 5000
check "kappa is the product" grep -q 'kappa 0.1 = L0 x epsilon = 0.5 x 0.2' stdout
check "the bound is of the step given" grep -q '^bound at --gamma = 0.001 after T = 5000 steps$' stdout
check "chart of c_k" grep -q '^c_k at gamma = 0.001' stdout
check "n^alpha" awk '/^schedule/ { on = 1 } on && $1 == "1/2" && $2 == 100 { found = 1 } END { exit !found }' stdout
first=$(row '  Delta_0 / (T Gamma)' 1) rest=$(sed -n 's/.*gamma\/Gamma *\([^ ]*\) .*/\1/p' stdout)
close "the bound is the sum" "$(awk "BEGIN { print $first + $rest }")" "$(row '  mean |grad J|^2 is at most' 1)" 5e-4

runs theory --L 1 --kappa 0.1 --m 100 --n 10000 --delta0 1 --delta 0.1 --sigma0 1
check "what never gets there is no factor" grep -q '^  all: SPRINT alone gets there$' stdout

# No guarantee: a result, with one sentence and exit code 1.
fails 1 'no guarantee at gamma = 0.5: Gamma > 0 fails, Gamma = Gamma_0 - gamma/4 = -' --L 1 --kappa 0.1 --m 100 --n 1000 --delta0 1 --gamma 0.5
check "what can be said is said" grep -q '^bound at the largest Gamma' stdout
fails 1 'delta > 4/3 (kappa^4 + 2 kappa^2 L^2 + 2 kappa^2) = 0.05347 fails' --L 1 --kappa 0.1 --m 100 --n 1000 --delta0 1 --delta 0.05
fails 1 'at gamma = 0.004: delta > Delta_1 = ' --L 1 --kappa 0.1 --m 100 --n 1000 --delta0 1 --delta 0.06 --gamma 0.004
runs theory --L 1 --kappa 7 --m 10 --n 1000 --delta0 1
check "no closed form, and why" grep -q 'closed form: none, as kappa < 6 L fails: 7 >= 6' stdout

# Called wrongly.
fails 2 'without a CONFIG, --L is needed' --kappa 1
fails 2 "--L: 'abc' is not a number above 0" --L abc
fails 2 "--m: '2.5' is not a whole number of at least 1" --L 1 --m 2.5
fails 2 "--kappa: 'nan' is not a number" --kappa nan
fails 2 '--kappa stands for --L0 times --epsilon' --L 1 --kappa 1 --L0 1 --epsilon 1
fails 2 '--L0 and --epsilon are needed together' --L 1 --L0 1
fails 2 "option '--L' is there twice" --L 1 --L 2
fails 2 '--beta is nothing without --gamma' --L 1 --kappa 1 --m 1 --n 1 --delta0 1 --beta 2
fails 2 '--check is nothing without a CONFIG' --L 1 --kappa 1 --m 1 --n 1 --delta0 1 --check run
fails 1 'missing.yaml' missing.yaml
runs theory --help
check "help says what is estimated" grep -q -- '--model FILE' stdout

# A problem whose constants are known: l = |z - theta|^2 / 2, z + 0.3 theta.
cat >bed.yaml <<'END'
data: {kind: gaussian, n: 400, mean: 1, standardize: none}
model: {loss: mean}
shift: {kind: location, epsilon: 0.3}
method: {kind: sprint, batch: 1, inner: 20}
step: {size: 0.002}
stop: {epochs: 30}
END
runs theory bed.yaml
close "L" 1 "$(row '  L ' 1)" 1e-3
close "epsilon" 0.3 "$(row '  epsilon (W1)' 1)" 1e-4
close "sliced on a line" 0.3 "$(row '  epsilon sliced' 1)" 1e-4
close "kappa_g" 0.3 "$(row '  kappa_g' 1)" 1e-4
check "m, n, batch are the config's" grep -q 'm 20, n 400, batch 1,' stdout
cp stdout all
runs theory bed.yaml --threads 1
check "the same at one thread" cmp -s all stdout
runs theory bed.yaml --L 2 --sigma0 5
check "given constants go first" grep -q '^L 2, .*sigma_0 5' stdout

# A run against its bound.
runs run bed.yaml --out saved
runs theory bed.yaml --check saved
close "the run's own mean" "$(cell saved/trace.csv gradient_sq_mean -1)" "$(row '  mean |grad J|^2 over its trace' 1)" 1e-3
check "kept" grep -q 'bound  .*: kept' stdout
check "said honestly" grep -q 'local estimates from below' stdout
runs theory bed.yaml --model saved/model.safetensors
check "where" grep -q 'at saved/model.safetensors' stdout
fails 1 'saved: is no finished run of this config' bed.yaml --check saved --set shift.epsilon=0.4
fails 1 'nowhere/run.json' bed.yaml --check nowhere
runs run bed.yaml --set stop.gradient=0.8 --out early
made=$(cell early/trace.csv step -1)
check "it ended before its 600 steps" test "$made" -lt 600 -a "$made" -gt 0
runs theory bed.yaml --set stop.gradient=0.8 --check early
check "T is what the run made" grep -q "after T = $made steps$" stdout
fails 1 'bed.yaml: a population without end has no n; --n, the records that a snapshot takes, was expected' bed.yaml \
  --set 'data={kind: gaussian, endless: true, window: 100, standardize: none}' --set method.kind=sgd
runs theory bed.yaml --set 'data={kind: gaussian, endless: true, window: 100, standardize: none}' --set method.kind=sgd --n 1000
check "its window" grep -q 'from 100 of 100 individuals, the window of a population without end$' stdout
fails 1 "key 'grid': it has 2 points, and one was expected here; --set shift.epsilon=0.2 or 0.3 chooses" bed.yaml \
  --set 'grid={shift.epsilon: [0.2, 0.3]}'
runs run bed.yaml --set 'grid={shift.epsilon: [0.2, 0.3]}' --out points
runs theory bed.yaml --set 'grid={shift.epsilon: [0.2, 0.3]}' --check points/epsilon-0.3/sprint/seed-1
check "the point of a run" grep -q 'epsilon-0.3' stdout
fails 1 'no guarantee at gamma = 0.9' bed.yaml --set step.size=0.9
fails 1 '--delta0 was expected' bed.yaml --model saved/model.safetensors --set model.loss=linear

# The same numbers from a second implementation, on records in ten dimensions.
cat >linear.yaml <<'END'
data: {kind: lending, n: 300, standardize: after}
model: {layers: dense 1, loss: squared}
shift: {kind: linear, epsilon: 0.3}
step: {size: 1.0e-5}
seeds: [3]
END
SPRINT=$SPRINT_F64
runs data export linear.yaml --out people
runs init linear.yaml --seed 3 --out theta.npy
runs theory linear.yaml --sample 300 --probes 40
python3 "$here/../fixtures/check_theory.py" people-x.npy theta.npy 0.3 >second || fail "the second implementation failed"
second() { awk -v name="$1" -v at="$2" '$1 == name { print $at }' second; }
relative() { awk -v a="$1" -v b="$2" 'BEGIN { print a * b }'; }
# four digits are printed
close "L, second" "$(second L 2)" "$(row '  L ' 1)" "$(relative "$(second L 2)" 6e-4)"
close "L of J, second" "$(second risk 2)" "$(row '  L of J' 1)" "$(relative "$(second risk 2)" 6e-4)"
# means over 40 random directions there and 40 others here: their difference has 2/40 of the variance; four deviations
for name in paired sliced; do
  label='  epsilon (W1)'
  [ $name = paired ] || label='  epsilon sliced'
  close "$name, second" "$(second $name 2)" "$(row "$label" 2)" "$(awk -v s="$(second $name 3)" 'BEGIN { print 4 * s * sqrt(2 / 40) }')"
done

# Figures: image, script and numbers; and without gnuplot.
given="--L 1 --kappa 0.1 --m 50 --n 1000 --delta0 1"
fails 1 'L is 1e+300; a number above 0, and at most 1e+50, was expected' --L 1e300 --kappa 0.1 --m 10 --n 100 --batch 1 --delta0 1
fails 1 'fig.jpg: a figure'"'"'s name ending in .svg, .png or .pdf was expected' $given --out fig.jpg
if command -v gnuplot >/dev/null; then
  runs theory $given --out "pic/it's.svg"
  check "svg" grep -q '<svg' "pic/it's.svg"
  check "numbers" test "$(grep -vc '#' "pic/it's.dat")" = 50
  (cd pic && rm "it's.svg" && gnuplot "it's.gp") || fail "the script does not draw again by itself"
  check "drawn again" test -s "pic/it's.svg"
  runs theory $given --out a.png
  check "png" test "$(head -c 4 a.png | tail -c 3)" = PNG
  runs theory $given --out a.pdf
  check "pdf" test "$(head -c 4 a.pdf)" = %PDF
  check "nothing half-written" no_parts .
fi
mkdir empty
PATH_BEFORE=$PATH
sprint_path=$(realpath "$SPRINT")
PATH=$PWD/empty "$sprint_path" theory $given --out none.svg >stdout 2>stderr
equal "exit code without gnuplot" 1 $?
PATH=$PATH_BEFORE
check "gnuplot is named" grep -q 'gnuplot is not installed (Debian: gnuplot-nox); the figure.s script is ready in none.gp' stderr

done_testing
