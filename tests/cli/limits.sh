#!/bin/bash
# Limits of the process: address space (ulimit -v) and threads (ulimit -u). A sentence or the right result, and soon;
# OpenBLAS asks for ever for memory that it cannot have, and OpenMP ends the process.
. "$(dirname "$0")/lib.sh"
[ "$SPRINT_SANITIZE" != ON ] || { echo "$me: left out, the sanitizers need the address space"; exit 0; }

cat >c.yaml <<'END'
data: {kind: lending, n: 2000}
model: {layers: 'dense 512, relu, dense 512, relu, dense 1'}
method: {kind: sgd, batch: 256}
stop: {epochs: 1}
END
runs run c.yaml --out good --threads 2
good=$(find good -name model.safetensors)

n_refused=0 n_done=0
for mb in 90 150 200 250 300 400 700; do
  rm -rf out
  (
    ulimit -v $((mb * 1024))
    timeout -s KILL 60 "$SPRINT" run c.yaml --out out --threads 2 >stdout 2>stderr </dev/null
  )
  code=$?
  n_checks=$((n_checks + 1))
  if [ $code = 0 ]; then
    n_done=$((n_done + 1))
    cmp -s "$good" "${good/good/out}" || wrong "with $mb MB: another model"
  elif [ $code = 1 ] && grep -qE '^sprint: .*(out of memory|ulimit -v)' stderr; then
    n_refused=$((n_refused + 1))
  else
    wrong "with $mb MB: exit code $code: $(head -c 300 stderr)"
  fi
done
check "some limits are too small" test $n_refused -gt 0
check "and some are enough" test $n_done -gt 0

### No threads to be had: one works alone. The limit does not hold for root; OpenBLAS, which wants threads of its own before
### the program begins, is told that it needs none.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  runs init c.yaml --out t.npy
  runs grad c.yaml --params t.npy --out g.npy --threads 2
  chmod 777 .
  timeout -s KILL 60 setpriv --reuid 65534 --clear-groups bash -c "ulimit -u 1; export OPENBLAS_NUM_THREADS=1; exec '$SPRINT' grad c.yaml --params t.npy --out few.npy --threads 2" \
    >stdout 2>stderr </dev/null || fail "without threads: $(cat stderr)"
  check "without threads: the same gradient" cmp -s g.npy few.npy
fi
done_testing
