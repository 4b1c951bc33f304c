#!/usr/bin/env python3
"""Every allocation, and every call about a file, of small commands failed once, the libraries' too: a sentence and an exit
code that is not 0, or the same bytes as without a failure; no crash, and no file half written. What goes on in a folder
is as it was, or as it should be.

usage: faults.py BUILD [--all | --depth N]      without --all: the first one from each place alone, which is told by the nearest
                                               N calls of the program (2)
"""
import os, re, shutil, subprocess, sys, tempfile

UNFILTERED = 120  # exit code of fail_calls.c where the kernel does not let it
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


NEED_FOLDER = ("predict", "plot", "report", "grad", "landscape", "theory", "data", "fit-shift")
# Folders that commands go on with, as they are before.
BEFORE = {"tell": "asked", "ask": "told"}


def make_solvers(build):
    def sprint(*arguments):
        subprocess.run([build + "/sprint", *arguments], stdout=subprocess.DEVNULL, check=True)

    sprint("ask", "asked", "--config", "c.yaml")
    shutil.copytree("asked", "told")
    sprint("tell", "told", "told.csv")


class Allocations:
    """What is made to fail, by which library, and how it is told which one, and where to list them."""
    name, library = "allocations", "fail_malloc.so"

    @staticmethod
    def environment(number, listing):
        return dict(SPRINT_FAIL=str(number), **({"SPRINT_COUNT": listing} if listing else {}))


class Calls:
    name, library = "calls", "fail_calls.so"

    @staticmethod
    def environment(number, listing):
        with open("state", "wb") as out:
            out.write(bytes(256))
        return dict(SPRINT_CALLS_UNDER=os.getcwd(), SPRINT_CALLS_STATE="state", SPRINT_CALLS_DO="EIO", SPRINT_CALLS_AT=str(number),
                    **({"SPRINT_CALLS_LIST": listing} if listing else {}))


def run(build, way, arguments, fail=0, depth=1, listing=None):
    environment = dict(os.environ, LD_PRELOAD=build + "/tests/" + way.library, GOMP_SPINCOUNT="1000",
                       OPENBLAS_NUM_THREADS="1", LC_ALL="C", SPRINT_DEPTH=str(depth), **way.environment(fail, listing))
    shutil.rmtree("out", ignore_errors=True)
    if arguments[0] in NEED_FOLDER:
        os.mkdir("out")
    if arguments[0] in BEFORE:
        shutil.copytree(BEFORE[arguments[0]], "out/solver")
    before = outputs()
    done = subprocess.run([build + "/sprint"] + arguments, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    text = re.sub(r"(, about )?[0-9.]+ (ms|s|min)\b", "", TIMES.sub("", done.stdout.decode()))
    return done.returncode, text, done.stderr, outputs(), before


TOLERANT = ("plot", "report")  # they go on without what they say they cannot read


def judge(command, good, got):
    code, out, err, files, before = got
    if code < 0 or code >= 128:
        return "killed by %d" % code
    if code == good[0] and command in TOLERANT and "cannot be read" in out + err.decode():
        return None
    if code == good[0] and (out != good[1] or files != good[3]):
        return "exit %d, and other bytes: %s" % (code, ", ".join(
            [path for path in set(files) | set(good[3]) if files.get(path) != good[3].get(path)] or ["standard output"]))
    if code != good[0] and not err.strip():
        return "exit %d without a word" % code
    for path, data in files.items():
        if path in good[3] and data not in (good[3][path], before.get(path)):
            return "exit %d, and %s is another" % (code, path)
    return None


def chances(build, way, arguments, depth):
    """What comes of the command, and what may fail in it: number and place of each."""
    if os.path.exists("listing"):
        os.remove("listing")
    good = run(build, way, arguments, depth=depth, listing="listing")
    if not os.path.exists("listing"):
        return good, []
    with open("listing") as lines:
        return good, [(int(number), place) for number, place in map(str.split, lines)]


def torture(build, way, arguments, depth, seen):
    good, all_of_them = chances(build, way, arguments, depth or 1)
    if good[0] == UNFILTERED or b"built without" in good[2]:
        print("%-60s cannot be looked at here" % " ".join(arguments)[:60])
        return True
    assert good[0] == 0, good
    chosen = {}
    for number, place in all_of_them:
        if not depth or place not in seen:
            chosen[number] = place
        seen.add(place)
    wrong, failed = {}, 0
    for k in sorted(chosen):
        got = run(build, way, arguments, fail=k)
        failed += got[0] != 0
        complaint = judge(arguments[0], good, got)
        if complaint:
            wrong.setdefault(complaint, []).append(k)
    print("%-60s %6d %s, %d made to fail: %d refused, %d wrong" % (
        " ".join(arguments)[:60], len(all_of_them), way.name, len(chosen), failed, sum(map(len, wrong.values()))), flush=True)
    for complaint, where in sorted(wrong.items()):
        print("  %s: %d, such as number %d" % (complaint, len(where), where[0]))
    return not wrong


def commands(model):
    """Those that run no other program, then those that do: calls of these cannot be filtered."""
    return [["run", "c.yaml", "--out", "out", "--threads", "1"], ["predict", model, "data.csv", "--out", "out/scores.csv"],
            ["predict", model, "data.csv"], ["tell", "out/solver", "told.csv", "--request", "1"], ["ask", "out/solver", "--json"],
            ["data", "info", "data.csv"], ["data", "info", model], ["data", "info", "data.csv", "--config"],
            ["check", "c.yaml", "--threads", "1", "--json"], ["grad", "c.yaml", "--params", model, "--out", "out/gradient.npy"],
            ["data", "export", "c.yaml", "--out", "out/data"], ["plot", "model"],
            ["report", "model", "--out", "out/report.html"],
            ["fit-shift", "--log", "data.csv=none", "--log", "data.csv=" + model, "--good", "0", "--bootstrap", "100", "--out", "out/shift.yaml"],
            ["compare", "c.yaml", "--budget", "epochs=1", "--methods", "sgd,sprint", "--jobs", "1", "--out", "out"],
            ["reproduce", "c.yaml", "--jobs", "1", "--out", "out"], ["list"], ["completion", "bash"]], [
            ["plot", "model", "--out", "out/figure.svg"],
            ["theory", "--L", "1", "--kappa", "0.1", "--m", "10", "--n", "100", "--delta0", "1", "--delta", "1", "--out", "out/theory.svg"],
            ["landscape", "c.yaml", "--model", model, "--grid", "5", "--out", "out/figure.svg"]]


def main():
    build, seen = os.path.abspath(sys.argv[1]), set()
    depth = 0 if "--all" in sys.argv else int(sys.argv[3]) if "--depth" in sys.argv else 2
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    good = True
    try:
        make_inputs()
        trained = ["run", "c.yaml", "--out", "model"]
        assert subprocess.run([build + "/sprint"] + trained, stdout=subprocess.DEVNULL).returncode == 0
        make_solvers(build)
        [model] = [os.path.join(at, "model.safetensors") for at, _, names in os.walk("model") if "model.safetensors" in names]
        alone, others = commands(model)
        for arguments in alone + others:
            good = torture(build, Allocations, arguments, depth, seen) and good
        for arguments in alone if os.path.exists(build + "/tests/" + Calls.library) else []:
            good = torture(build, Calls, arguments, depth, seen) and good
    finally:
        shutil.rmtree(folder)
    sys.exit(not good)


main()
