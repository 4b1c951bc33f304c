#!/bin/bash
# sprint report: the page that it writes, and folders that are not what they should be. What a reader sees of it is tested in
# tests/page; here the data in it is read by another program.
. "$(dirname "$0")/lib.sh"

cat >two.yaml <<'END'
name: two
data: {kind: lending, n: 400}
model: {layers: dense 1}
shift: {kind: retention, alpha: 1}
method: {batch: 40}
stop: {epochs: 3}
seeds: [1, 9007199254740991]
compare:
  - {name: sgd-gd, method: {kind: sgd}}
  - {name: paper, method: {kind: sprint, correction: paper}}
END
runs run two.yaml --out two
if grep '^(no page about them' stdout >why; then
  refused "was built without the page's chart library" report two
  check "nothing was written" test ! -e two/report.html
  echo "$me: this build has no page: $(cat why)"
  done_testing
  exit
fi

### `run` ends with it, and says where it is
equal "the last line" "a page about them, for a browser, is two/report.html" "$(tail -n 1 stdout)"
check "it is there" test -s two/report.html
"$SPRINT" run two.yaml --out two --json >stdout 2>stderr || fail "run --json"
check "the page is told of on standard error" grep -q "is two/report.html" stderr
check "JSON alone on standard output" python3 -c 'import json; json.load(open("stdout"))'

# holds PAGE FOLDER...: what is packed into the page is what the runs' files say; to nine digits, which is half a unit of the ninth.
cat >holds.py <<'END'
import base64, csv, json, math, re, sys, zlib
page = open(sys.argv[1], encoding="utf-8").read()
block = re.search(r'<script type="application/json" id="data">(.*?)</script>', page).group(1)
data, traces = json.loads(zlib.decompress(base64.b64decode(json.loads(block)["packed"])))
assert len(data["runs"]) == len(traces) == len(sys.argv) - 2, len(traces)
for folder in sys.argv[2:]:
    i = [run["folder"] for run in data["runs"]].index(folder)
    run, trace, record = data["runs"][i], traces[i], json.load(open(folder + "/run.json"))
    rows = list(csv.DictReader(open(folder + "/trace.csv")))
    assert run["rows"] == len(rows) and folder.split("/")[-1] == "seed-" + run["seed"], run
    assert data["methods"][run["method"]]["name"] == record["name"]
    assert json.loads(data["configs"][run["config"]]) == record["config"]
    assert run["record"]["stop"] == record["stop"] and run["record"]["engine"] == record["engine"]
    for name in rows[0]:
        expected = [float(row[name]) for row in rows]
        if name in trace["whole"]:
            got = [sum(trace["whole"][name][:r + 1]) for r in range(len(rows))]
        else:
            got = trace["real"].get(name, [None] * len(rows))
        for a, b in zip(got, expected):
            assert math.isnan(b) if a is None else abs(a - b) <= 5e-9 * abs(b), (folder, name, a, b)
assert page.count("<script") == 2 and page.count("</script") == 2
for address in re.findall(r'(?:src|href|url)\s*[=(]\s*["\']?(https?:[^"\')> ]*)', page):
    sys.exit("the page names an address: " + address)
END
folders="two/paper/seed-1 two/paper/seed-9007199254740991 two/sgd-gd/seed-1 two/sgd-gd/seed-9007199254740991"
check "the data in the page" python3 holds.py two/report.html $folders
runs report two/ --out elsewhere.html
equal "what it says" "elsewhere.html: a page about 4 runs" "$(cat stdout)"
check "the same data" python3 holds.py elsewhere.html $folders
cp -r two/paper/seed-1 alone
runs report alone
equal "one run's own folder" "alone/report.html: a page about 1 run" "$(cat stdout)"

### Folders that hold nothing to show: a sentence, and no page
mkdir empty bare bare/paper bare/paper/seed-1
refused "nowhere: cannot be read: No such file or directory" report nowhere
refused "two.yaml: is not a folder" report two.yaml
refused "empty: no run is here" report empty
refused "bare: none of its runs can be shown: bare/paper/seed-1: has no trace.csv yet" report bare
check "no page" test ! -e empty/report.html -a ! -e bare/report.html
refused "no/such/folder/page.html: cannot be written" report two --out no/such/folder/page.html
refused "unknown option '--nonsense'" report two --nonsense
"$SPRINT" report >stdout 2>stderr && wrong "no folder was accepted"

### What can be shown is, and the rest is said
# notes WORDS: the page is written, and standard error has a line with the words.
notes() {
  n_checks=$((n_checks + 1))
  "$SPRINT" report broken >stdout 2>stderr </dev/null || wrong "report failed: $(cat stderr)"
  grep -qF -- "$1" stderr || wrong "'$(cat stderr)' does not say '$1'"
  [ -s broken/report.html ] || wrong "no page beside: $1"
}
again() { rm -rf broken && cp -r two broken && rm broken/report.html; }
again
rm broken/paper/seed-1/run.json
notes "of 4 runs, 1 not finished"
again
printf '{' >broken/paper/seed-1/run.json
notes "broken/paper/seed-1/run.json: cannot be read as the record of a run"
again
sed -i '3s/,[^,]*$/,what/' broken/paper/seed-1/trace.csv
notes "broken/paper/seed-1/trace.csv:3: column 'p_1': 'what' is not a number"
again
sed -i 's/"sprint": "[^"]*"/"sprint": "0.0.7"/' broken/paper/seed-1/run.json
notes "the runs are of different versions: 0.0.7 (as broken/paper/seed-1)"
again
runs run two.yaml --set shift.alpha=2 --seed 1 --out broken
notes "differ in more than the seed: a mean over them says little"
again
rm -rf broken/sgd-gd/*
runs report broken
equal "a method without runs" "broken/report.html: a page about 2 runs" "$(cat stdout)"

no_parts . || fail "a temporary file was left behind"
done_testing
