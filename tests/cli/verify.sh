#!/bin/bash
# sprint verify: every closed form holds, in both precisions.
. "$(dirname "$0")/lib.sh"

for program in "$SPRINT" "$SPRINT_F64"; do
  SPRINT=$program
  what=$(basename "$program")
  runs verify
  check "$what: header" grep -q '^case  *expected  *got  *tolerance  *ok$' stdout
  check "$what: cases" test "$(rows stdout)" -ge 10
  check "$what: every case is ok, and no number is missing" awk 'NR > 1 && ($NF != "ok" || /nan|inf/) { exit 1 }' stdout
  check "$what: the numbers are within their tolerance" awk 'NR > 1 {
    d = $(NF - 3) - $(NF - 2); if (d > $(NF - 1) || -d > $(NF - 1)) exit 1 }' stdout
  cp stdout all
  runs verify --threads 1
  check "$what: the same at one thread" cmp -s all stdout
done

done_testing
