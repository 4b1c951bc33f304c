#!/bin/bash
# sprint ask and sprint tell: a solver in a folder, by processes that end between any two calls, some of them killed.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
: "${SPRINT_LOOP:?one process that never ends}" "${SPRINT_F64_LOOP:?}"
nightly=$here/../../examples/nightly.py
spec='{method: {kind: sprint, correction: coupled, batch: 40}, step: {size: 0.3}, deploy: {kind: every, steps: 2}, stop: {epochs: 3}}'

# killed_after SECONDS COMMAND...: killed then, if it has not ended, and gone with all that it held; its exit code.
export KILLER=$PWD/killer
cat >killer <<'END'
killed_after() {
  local seconds=$1 pid
  shift
  "$@" &
  pid=$!
  sleep "$seconds"
  kill -KILL $pid 2>/dev/null
  wait $pid 2>/dev/null
}
END
. ./killer

# spy: the command as nightly.py calls it. Notes what was asked; with KILLS, kills what tells, and looks what came of it.
cat >spy <<'END'
#!/bin/bash
. "$KILLER"
where() { "$PROGRAM" ask "$1" --json | grep -E '"(want|request|told)"' | paste -sd ' ' -; }
if [ "$1" = tell ] && [ -n "${KILLS:-}" ]; then
  before=$(where "$2")
  for most in 10 100; do # milliseconds: a quick machine tells within the first, a slow one within the second
    killed_after "$(printf '0.%04d' $((RANDOM % (10 * most))))" "$PROGRAM" "$@" >told.json && break
    echo >>kills
    [ "$(where "$2")" = "$before" ] || { echo '{}'; exit 0; } # it was told, though the command did not live to say so
    rm -f told.json
  done
  if [ -s told.json ]; then cat told.json; exit 0; fi
fi
if [ "$1" = ask ]; then "$PROGRAM" "$@" | tee -a "$ASKED"; exit "${PIPESTATUS[0]}"; fi
exec "$PROGRAM" "$@"
END
chmod +x spy

# train NAME PROGRAM LOOP BYTES: a whole training by night; what it comes to is what one process comes to, to the byte.
train() {
  PROGRAM=$2 ASKED=$PWD/$1.asked python3 "$nightly" ./spy "$1" >stdout || fail "$1: the nightly job failed"
  check "$1: it came to its end" grep -q '^done after' stdout
  python3 "$here/ask_tell_replay.py" "$1" "$1.asked" "$1.told" || fail "$1: the replay"
  "$3" "$1/solver/start.safetensors" "$spec" 200 2 "$1.told" "$1.safetensors" || fail "$1: the loop"
  equal "$1: theta, bytes" "$(tail -c "$4" "$1.safetensors" | od -An -tx1)" \
    "$(tail -c "$4" "$1/solver/model.safetensors" | od -An -tx1)"
  check "$1: theta has moved" test "$(tail -c "$4" "$1/solver/start.safetensors" | od -An -tx1)" != \
    "$(tail -c "$4" "$1.safetensors" | od -An -tx1)"
  check "$1: no parts are left" no_parts "$1"
}
train nights "$SPRINT" "$SPRINT_LOOP" 12
train nights64 "$SPRINT_F64" "$SPRINT_F64_LOOP" 24
KILLS=1 train killed "$SPRINT" "$SPRINT_LOOP" 12
check "some were killed" test -s kills
cp nights/solver/model.safetensors whole.safetensors
check "killed or not, the same model" cmp -s whole.safetensors killed/solver/model.safetensors
runs predict nights/solver/model.safetensors nights/people.csv
equal "the model scores raw rows" 200 "$(rows stdout)"
runs predict nights/solver/deployment-1.safetensors nights/people.csv

### Begin: by hand, with what is wanted
cp nights/people.csv nights/lender.yaml .
runs ask s --config lender.yaml
equal "what is wanted" "request 1: everybody's record, 200, under deployment 1|deploy: s/deployment-1.safetensors|told: 0, missing: 200" \
  "$(paste -sd '|' stdout)"
cp s/state state.1
runs ask s
runs ask s --config lender.yaml --json
check "asking changes nothing" cmp -s state.1 s/state
equal "missing" 200 "$(json stdout missing)"
refused "was begun by another config, or lender.yaml has changed" ask s --config lender.yaml --set step.size=0.1
refused "there is no solver; \`sprint ask nowhere --config CONFIG.yaml\` begins one" ask nowhere
refused "there is no solver" tell nowhere people.csv
check "and no folder is made" test ! -e nowhere
refused "one of each was expected" ask t --config lender.yaml --set "seeds=[1, 2]"
refused "its data weighs classes" ask t --config lender.yaml --set data.class_weights=balanced
mkdir -p of-a-run && touch of-a-run/model.safetensors
refused "of-a-run/model.safetensors: is there already, of a run" ask of-a-run --config lender.yaml
refused "needs to know everybody by number" ask t --config lender.yaml --set "method={kind: saga, batch: 40}"
runs ask u --config lender.yaml --set method.batch=3

### A population in parts, and all that can be wrong, which leaves the state as it is
part() { # FIRST LAST DEPLOYMENT: rows of people.csv, as they are under a deployment
  awk -F, -v OFS=, -v a="$1" -v b="$2" -v d="$3" 'NR == 1 { print $0, "deployment" } NR > a && NR <= b + 1 { print $0, d }' \
    people.csv
}
# keeps WORDS ARGUMENT...: refused, and the state is the same byte by byte.
keeps() {
  cp s/state before
  refused "$@"
  check "$1: the state is as it was" cmp -s before s/state
}
part 1 50 1 >a.csv
part 51 200 1 >b.csv
runs tell s a.csv --request 1
equal "told" "told 50 records of request 1: 150 are missing" "$(cat stdout)"
keeps "record 0 is of id 'C0000', of whom a record was told already" tell s a.csv
keeps "records for request 2 were told; those for request 1 were wanted" tell s b.csv --request 2
part 51 60 2 >stale.csv
keeps "record 0 (id 'C0050'): one of deployment 2 was told; those of deployment 1 were wanted" tell s stale.csv
keeps "a population of 250 records was told, 200 of them now; 200 were wanted, so that 150 are left" \
  tell s people.csv --deployment 1
keeps "has no column 'deployment'" tell s people.csv
cut -d, -f2- a.csv >noid.csv
keeps "has no column 'customer'" tell s noid.csv
sed '2s/^[^,]*/ /;2s/^ //' b.csv >empty.csv
keeps "row 1: the id is missing" tell s empty.csv
sed '3s/,[0-9.]*,/,nan,/' b.csv >nan.csv
keeps "the value is missing" tell s nan.csv
sed '3s/,[0-9.]*,/,inf,/' b.csv >inf.csv
keeps "inf" tell s inf.csv
sed '3s/,1$/,one/' b.csv >word.csv
keeps "row 2: column 'deployment': 'one' is not the number of a deployment" tell s word.csv
sed '3s/,[01],1$/,7,1/' b.csv >class.csv
keeps "'7' is none of the 2 classes" tell s class.csv
keeps "each once; \`repeats\` is for batches and samples" tell s b.csv --repeats
keeps "nothere.csv" tell s nothere.csv
keeps "records are missing" tell s
keeps "--request: 'x' is not a number" tell s b.csv --request x
runs tell s --discard
runs ask s --json
equal "all is forgotten" 200 "$(json stdout missing)"
runs tell s b.csv a.csv # several files are one part
equal "complete" "told 200 records of request 1: it is complete, after 0 steps" "$(cat stdout)"
keeps "nothing is asked for; \`sprint ask s\`" tell s a.csv

### Batches, with records under the snapshot's deployment beside them
for request in 2 3; do # of deployment 1, which is the snapshot's own
  runs ask s --json
  equal "request" "$request null false" "$(json stdout request) $(json stdout reference) $(json stdout deploy)"
  part 1 40 1 >batch.csv
  runs tell s batch.csv --request $request
done
runs ask s --json
equal "a new deployment, with references" "4 2 1 true" \
  "$(json stdout request) $(json stdout deployment) $(json stdout reference) $(json stdout deploy)"
part 1 40 2 >batch.csv
part 1 40 1 >then.csv
keeps "row 1: id 'C0000' has no record under deployment 1, which is wanted beside it" tell s batch.csv
head -n 40 batch.csv >fewer.csv
keeps "row 40: id 'C0039' has a record under deployment 1 and none under deployment 2" tell s fewer.csv then.csv
keeps "has two records under deployment 1" tell s batch.csv then.csv then.csv
awk -F, -v OFS=, 'NR == 5 { $4 = 1 - $4 } { print }' then.csv >other.csv
keeps "id 'C0003' has another label than under deployment 1" tell s batch.csv other.csv
sed '1s/$/,no_reference/;2,$s/$/,no/;3s/no$/yes/' batch.csv >lacking.csv
keeps "'no_reference' is true of id 'C0001', who has a record" tell s lacking.csv then.csv
sed '3s/yes$/perhaps/' lacking.csv >perhaps.csv
keeps "row 2: column 'no_reference': 'perhaps' is not a boolean" tell s perhaps.csv then.csv
sed 3d then.csv >some.csv
runs tell s lacking.csv some.csv --request 4 --json
equal "who lacks one is counted" "0 1" "$(json stdout missing) $(json stdout lacking)"

### Older records: refused, or taken as such
runs ask s --json
equal "deployment" 2 "$(json stdout deployment)"
runs tell s batch.csv then.csv --request 5
runs ask s --json
equal "deployment" 3 "$(json stdout deployment)"
part 1 40 2 >old.csv
keeps "record 0 (id 'C0000'): one of deployment 2 was told; those of deployment 3 were wanted" tell s old.csv then.csv
runs tell s old.csv then.csv --stale 2 --json
equal "older ones are counted" 40 "$(json stdout stale)"
runs ask s

### One process at a time; files that are not what they were
mkfifo pipe
"$SPRINT" tell s pipe >/dev/null 2>&1 & # holds the folder until it has read its records
writer=$!
exec 3>pipe
refused "another process is writing there" ask s
exec 3>&-
wait $writer
cp s/state good
printf x | dd of=s/state bs=1 seek=200 conv=notrunc 2>/dev/null
refused "s/state: is damaged, or no state of a solver" ask s
cp good s/state
cp s/start.safetensors start
cp u/start.safetensors s/start.safetensors
printf x >>s/start.safetensors
n_checks=$((n_checks + 1))
"$SPRINT" ask s >stdout 2>stderr && wrong "another start was taken"
cp start s/start.safetensors
cp u/solver.json s/solver.json
refused "is of another version of sprint, or start.safetensors or solver.json is not its own" ask s

### Killed at any moment, tell leaves the old state or the new one
runs ask k --config lender.yaml
part 1 200 1 >all.csv
cp k/state old
from=${EPOCHREALTIME/./}
runs tell k all.csv
took=$((${EPOCHREALTIME/./} - from)) # microseconds
cp k/state new
n_old=0 n_new=0
for ((i = 0; i < ${SPRINT_KILLS:-20}; i++)); do
  cp old k/state
  after=$((RANDOM * took / 24576)) # up to a third longer than it takes
  killed_after "$(printf '%d.%06d' $((after / 1000000)) $((after % 1000000)))" "$SPRINT" tell k all.csv >/dev/null 2>&1
  if cmp -s k/state old; then n_old=$((n_old + 1)); elif cmp -s k/state new; then n_new=$((n_new + 1)); fi
done
equal "old or new" "${SPRINT_KILLS:-20}" $((n_old + n_new))
echo "killed while telling: $n_old as before, $n_new as after"
cp old k/state
runs tell k all.csv
check "parts of the dead are swept" no_parts k

### Diverging is an end with a code of its own
runs ask v --config lender.yaml --set "method={kind: sgd, batch: 40}" --set step.size=1000000 --set deploy=greedy
code=0
for deployment in 1 2 3 4 5 6; do # steps this large leave at once
  [ $code = 0 ] || break
  part 1 40 $deployment >batch.csv
  runs tell v batch.csv
  "$SPRINT" ask v >stdout
  code=$?
done
equal "exit code of a solver that diverged" 3 $code
check "it says so" grep -q "non-finite or the loss exploded" stdout
done_testing
