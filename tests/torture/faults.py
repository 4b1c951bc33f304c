#!/usr/bin/env python3
"""Every allocation of small commands failed once, the libraries' too: a sentence and an exit code that is not 0, or the
same bytes as without a failure; no crash, and no file half written. What goes on in a folder is as it was, or as it
should be.

usage: faults.py BUILD [--all]      without --all: a sample of the allocations
"""
import json, os, re, shutil, subprocess, sys, tempfile

SAMPLE = 40  # allocations of each command, spread evenly, without --all
CONFIG = """data: {kind: csv, path: data.csv, label: bad, categories: [job]}
model: {layers: 'dense 3, relu, dense 1'}
shift: {kind: strategic, good: 0, alpha: 0.1}
method: {kind: sprint, batch: 10}
stop: {epochs: 1}
"""


def make_inputs():
    with open("data.csv", "w") as out:
        out.write("income,age,job,bad\n")
        for i in range(40):
            out.write("%d,%d,%s,%d\n" % (1000 + 37 * i % 501, 20 + 13 * i % 41, "abc"[i % 3], i * i % 3 == 1))
    with open("data.csv") as rows, open("told.csv", "w") as out:
        for i, row in enumerate(rows):
            out.write(row.strip() + (",p%d,1\n" % i if i else ",id,deployment\n"))
    with open("c.yaml", "w") as out:
        out.write(CONFIG)


# What two runs never share.
TIMES = re.compile(r'"(seconds|started|finished|host|pid|time|memory|ended|wall|date|timing)[a-z_.]*": [^,\n]*')


def outputs():
    """Bytes of all that is in out/, by name, but for times."""
    found = {}
    for folder, _, names in os.walk("out"):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as stream:
                data = stream.read()
            if name.endswith(".json"):
                data = TIMES.sub("", data.decode()).encode()
            if name == "report.html":
                data = b"whole" if data.rstrip().endswith(b"</html>") else b"cut"  # times are packed into it
            if name != "timing.csv" and ".part-" not in name:
                found[path] = data
    return found


# Folders that commands go on with, as they are before.
BEFORE = {"tell": "asked", "ask": "told"}


def make_solvers(build):
    def sprint(*arguments):
        subprocess.run([build + "/sprint", *arguments], stdout=subprocess.DEVNULL, check=True)

    sprint("ask", "asked", "--config", "c.yaml")
    shutil.copytree("asked", "told")
    sprint("tell", "told", "told.csv")


def run(build, arguments, fail=None, count=None):
    environment = dict(os.environ, LD_PRELOAD=build + "/tests/fail_malloc.so", GOMP_SPINCOUNT="1000",
                       OPENBLAS_NUM_THREADS="1", LC_ALL="C")
    environment["SPRINT_FAIL"] = str(fail or 0)
    if count:
        environment["SPRINT_COUNT"] = count
    shutil.rmtree("out", ignore_errors=True)
    if arguments[0] == "predict":
        os.mkdir("out")
    if arguments[0] in BEFORE:
        shutil.copytree(BEFORE[arguments[0]], "out/solver")
    before = outputs()
    done = subprocess.run([build + "/sprint"] + arguments, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    text = re.sub(r"[0-9.]+ (ms|s|min)\b", "", TIMES.sub("", done.stdout.decode()))
    return done.returncode, text, done.stderr, outputs(), before


def judge(good, got):
    code, out, err, files, before = got
    if code < 0 or code >= 128:
        return "killed by %d" % code
    if code == good[0] and (out != good[1] or files != good[3]):
        return "exit %d, and other bytes: %s" % (code, ", ".join(
            [path for path in set(files) | set(good[3]) if files.get(path) != good[3].get(path)] or ["standard output"]))
    if code != good[0] and not err.strip():
        return "exit %d without a word" % code
    for path, data in files.items():
        if path in good[3] and data not in (good[3][path], before.get(path)):
            return "exit %d, and %s is another" % (code, path)
    return None


def torture(build, arguments, everything):
    good = run(build, arguments, count="count")
    assert good[0] == 0, good
    n = int(open("count").read())
    step = 1 if everything else max(1, n // SAMPLE)
    wrong, failed = {}, 0
    for k in range(1 + (0 if everything else step // 2), n + 1, step):
        got = run(build, arguments, fail=k)
        failed += got[0] != 0
        complaint = judge(good, got)
        if complaint:
            wrong.setdefault(complaint, []).append(k)
    print("%-60s %6d allocations, every %d. failed: %d refused, %d wrong" % (
        " ".join(arguments)[:60], n, step, failed, sum(map(len, wrong.values()))), flush=True)
    for complaint, where in sorted(wrong.items()):
        print("  %s: %d, such as allocation %d" % (complaint, len(where), where[0]))
    return not wrong


def main():
    build, everything = os.path.abspath(sys.argv[1]), "--all" in sys.argv
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    good = True
    try:
        make_inputs()
        trained = ["run", "c.yaml", "--out", "model"]
        assert subprocess.run([build + "/sprint"] + trained, stdout=subprocess.DEVNULL).returncode == 0
        make_solvers(build)
        [model] = [os.path.join(at, "model.safetensors") for at, _, names in os.walk("model") if "model.safetensors" in names]
        for arguments in (["run", "c.yaml", "--out", "out", "--threads", "1"],
                          ["predict", model, "data.csv", "--out", "out/scores.csv"],
                          ["predict", model, "data.csv"],
                          ["tell", "out/solver", "told.csv", "--request", "1"], ["ask", "out/solver", "--json"],
                          ["data", "info", "data.csv"], ["data", "info", model], ["data", "info", "data.csv", "--config"],
                          ["check", "c.yaml", "--threads", "1", "--json"]):
            good = torture(build, arguments, everything) and good
    finally:
        shutil.rmtree(folder)
    sys.exit(not good)


main()
