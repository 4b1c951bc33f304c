#!/bin/bash
# The public data sets, where they are at hand: they load as what they are, and the experiments do what docs/ says.
#   real_data.sh SPRINT DATA_FOLDER
set -euo pipefail
sprint=$1 data=$2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0 passed=0

check() { # NAME COMMAND...
  local name=$1
  shift
  if "$@"; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAILED: $name"
  fi
}

# Column NAME of the last row of a trace.
last() { awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } END { print $c }' "$1"; }
less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }

has() { grep -q -- "$2" <<<"$1"; } # TEXT PATTERN

info=$("$sprint" data info "$data/credit/cs-training.csv")
check "credit: 150,000 rows" has "$info" '150,*000'
info=$("$sprint" data info "$data/mnist/train-labels-idx1-ubyte.gz")
check "mnist: 6,742 ones" has "$info" '6,*742'
info=$("$sprint" data info "$data/cifar-10-batches-bin/data_batch_1.bin")
check "cifar10: 10,000 records a batch" has "$info" '10,*000'

"$sprint" reproduce credit --data "$data" --out "$out/credit" >"$out/log" 2>&1 || { cat "$out/log"; exit 1; }
tail -n 22 "$out/log"
for alpha in 0.01 0.2 0.4; do
  for seed in 2024 2025 2026; do
    of() { last "$out/credit/alpha-$alpha/$1/seed-$seed/trace.csv" "$2"; }
    check "alpha $alpha, seed $seed: unbiased has a third of SGD-GD's mean gradient norm" \
      less "$(of sprint-unbiased gradient_sq_mean)" "$(awk -v g="$(of sgd-gd gradient_sq_mean)" 'BEGIN { print g / 3 }')"
    check "alpha $alpha, seed $seed: unbiased has no bias" less "$(of sprint-unbiased bias)" 1e-5
    check "alpha $alpha, seed $seed: paper has one" less 1e-5 "$(of sprint-paper bias)"
  done
done

"$sprint" reproduce mnist --quick --seeds 2024 --data "$data" --out "$out/mnist" >"$out/log" 2>&1 || { cat "$out/log"; exit 1; }
tail -n 22 "$out/log"
check "mnist: one class is left at alpha 80" \
  less "$(last "$out/mnist/alpha-80/sprint-unbiased/seed-2024/trace.csv" effective_classes)" 2

"$sprint" run experiments/cifar10.yaml --data "$data" --set data.select=balanced --set data.size=500 \
  --set stop.epochs=2 --set shift.alpha=0.5 --set 'seeds=[1]' --out "$out/cifar10" | tail -n 8
trace=$out/cifar10/sprint-unbiased/seed-1/trace.csv
check "cifar10: two epochs lower the loss" less "$(last "$trace" loss)" 2.30

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
