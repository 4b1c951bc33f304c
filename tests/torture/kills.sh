#!/bin/bash
# kills.sh BUILD --all: 200 kills of a run and of a tell at random moments, and every method under every shift by every engine, stopped and
# taken up again.
set -eu
build=$(cd "$1" && pwd)
tests=$(cd "$(dirname "$0")/.." && pwd)
SPRINT=$build/sprint SPRINT_F64=$build/sprint-f64 SPRINT_KILLS=200 bash "$tests/cli/resume.sh"
SPRINT=$build/sprint SPRINT_F64=$build/sprint-f64 SPRINT_LOOP=$build/tests/sprint-ask-tell-loop \
  SPRINT_F64_LOOP=$build/tests/sprint-f64-ask-tell-loop SPRINT_KILLS=200 bash "$tests/cli/ask_tell.sh"
for program in sprint sprint-f64; do SPRINT_TORTURE=1 "$build/tests/$program-test_resume"; done
