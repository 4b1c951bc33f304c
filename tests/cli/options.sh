#!/bin/bash
# Values of options that do not fit, and options that do not go together: exit code 2, or 1 where the library refuses, and one
# sentence; nothing is written.
. "$(dirname "$0")/lib.sh"
train_small
cp out/run.json before.json

# misused CODE WORDS ARGUMENT...
misused() {
  local code=$1 words=$2
  shift 2
  "$SPRINT" "$@" >stdout 2>stderr </dev/null
  local got=$?
  [ $got = "$code" ] || wrong "sprint $*: exit code $got, not $code"
  n_checks=$((n_checks + 1))
  [ "$(wc -l <stderr)" = 1 ] && grep -qF -- "$words" stderr || wrong "sprint $*: '$(cat stderr)' does not say '$words', alone"
  [ ! -e made ] || wrong "sprint $*: refused, and yet wrote"
}

for text in x 0 -1 inf nan 5s; do
  misused 2 "--checkpoint: '$text' is not a number of seconds above 0" run c.yaml --out made --checkpoint $text
done
for text in x 0 -1 1.5 99999999999; do
  misused 2 "--memory: '$text' is not a whole number of MB" predict $model data.csv --out made --memory $text
done
runs predict $model data.csv --memory 512
for text in x '' 2000 -1; do misused 2 "--threads: '$text'" run c.yaml --out made --threads "$text"; done
for text in x '' -3 123456789012345678901; do misused 1 "--seed: '$text' is not a whole number" run c.yaml --out made --seed "$text"; done
for text in x 1.5 "$(seq -s, 200)"; do misused 1 "is not a list of whole numbers" reproduce c.yaml --out made --seeds "$text"; done
for text in x 0 -1; do misused 2 "--jobs:" reproduce c.yaml --out made --jobs $text; done
for text in x -0.1 1.1 nan 0.5x ''; do misused 2 "--threshold:" predict $model data.csv --out made --threshold "$text"; done
for text in x 0 inf 1e5x; do misused 2 "--effort:" check c.yaml --effort $text; done
for text in x 4 2000; do misused 2 "--grid:" landscape c.yaml --model $model --grid $text; done
misused 2 "more than 63 options" run c.yaml --out made $(for ((i = 0; i < 64; i++)); do echo "--set stop.epochs=1"; done)

### theory
constants=(--L 1 --kappa 0.1 --m 10 --n 100 --delta0 1)
for pair in L=x L=0 L=-1 L=inf L= kappa=-1 m=1.5 m=0 m=1e16 n=0.5 delta=0 gamma=0 beta=0 batch=0 rounds=0.5; do
  misused 2 "--${pair%%=*}:" theory "--${pair%%=*}" "${pair#*=}"
done
misused 2 "--set is nothing without a CONFIG" theory "${constants[@]}" --set step.size=1
misused 2 "--kappa stands for --L0 times --epsilon" theory "${constants[@]}" --L0 1 --epsilon 0.1
misused 2 "--kappa stands for --L0 times --epsilon" theory "${constants[@]}" --epsilon 0.1

### What does not go together
misused 2 "--paper says what is drawn, and --y is nothing beside it" plot out --paper credit --y loss
misused 2 "--paper says what is drawn, and --log is nothing beside it" plot out --paper credit --log
misused 2 "--set goes with --config" ask made --set stop.epochs=2
misused 2 "--discard takes no records" tell made data.csv --discard
for text in x -1 1.5; do misused 2 "--request:" tell made data.csv --request $text; done
for text in x -1; do misused 2 "--stale:" tell made data.csv --stale $text; done
"$SPRINT" '' >stdout 2>stderr
equal "an empty word: exit code" 2 $?
check "an empty word: the list of commands" grep -q '^usage\|^sprint' stderr
check "nothing has changed" cmp -s before.json out/run.json

### Without its settings of the environment the program starts once more, and does the same
env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT -u OPENBLAS_NUM_THREADS "$SPRINT" list methods >again 2>stderr || fail "started once more: $(cat stderr)"
runs list methods
check "started once more" cmp -s again stdout

### Where OpenBLAS does not know the processor, and takes kernels for those without AVX2, it is told better; unless somebody chose
# blas_of FOLDER: the kernels that a run had.
blas_of() { sed -n 's/.*"blas": "\([^"]*\)".*/\1/p' "$1/run.json"; }
env -u OPENBLAS_CORETYPE "$SPRINT" run c.yaml --out core >stdout 2>stderr || fail "a core: $(cat stderr)"
check "what a run had is said" test -n "$(blas_of core)"
if grep -qw avx2 /proc/cpuinfo; then
  check "kernels for this processor, not $(blas_of core)" test "$(blas_of core)" != Prescott
  OPENBLAS_CORETYPE=Prescott "$SPRINT" run c.yaml --out chosen >stdout 2>stderr || fail "a chosen core: $(cat stderr)"
  equal "those that were chosen" Prescott "$(blas_of chosen)"
fi
done_testing
