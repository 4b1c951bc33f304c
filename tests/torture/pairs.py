#!/usr/bin/env python3
"""Two commands with different settings write to one folder at the same time, again and again: it holds one of the two runs
afterwards, whole, and whoever was not let in says so.

usage: pairs.py BUILD [--all]      500 pairs; without --all: 20
"""
import hashlib, json, os, random, shutil, subprocess, sys, tempfile, time

CONFIG = """data: {kind: lending, n: 60}
model: {layers: 'dense 2, relu, dense 1'}
shift: {kind: strategic, good: 0, alpha: 0.1}
method: {kind: sprint, batch: %d}
stop: {epochs: %d}
"""
# settings of the two: batch, epochs. One is over sooner than the other.
SETTINGS = {"a": (6, 2), "b": (10, 5)}
NAMES = ("trace.csv", "model.safetensors")
REFUSED = "another process is writing there"
MOST_APART = 0.05  # seconds between two starts


def read(path):
    with open(path, "rb") as stream:
        return stream.read()


def start(build, which, out):
    return subprocess.Popen([build + "/sprint", "run", which + ".yaml", "--out", out, "--threads", "1"],
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def run_in(folder, whole):
    """Which run the folder holds, or what is wrong with it."""
    if not os.path.exists(folder + "/run.json"):
        return "no run"
    for name, expected in json.loads(read(folder + "/run.json"))["files"].items():
        if hashlib.sha256(read(folder + "/" + name)).hexdigest() != expected:
            return "mixed: run.json does not speak of this %s" % name
    for which, files in whole.items():
        if all(read(folder + "/" + name) == data for name, data in files.items()):
            return which
    return "mixed: neither of the two"


def one_pair(build, whole, chance):
    """The outcome, and what is wrong with it, if anything."""
    shutil.rmtree("out", ignore_errors=True)
    order = chance.sample(sorted(SETTINGS), 2)
    first = start(build, order[0], "out")
    time.sleep(chance.random() * MOST_APART)
    second = start(build, order[1], "out")
    ends = {which: (child.communicate()[1].decode().strip(), child.returncode) for which, child in zip(order, (first, second))}
    done = [which for which in order if ends[which][1] == 0]
    for which, (said, code) in ends.items():
        if code != 0 and (code != 1 or REFUSED not in said):
            return None, "exit %d: %s" % (code, said)
    found = run_in("out", whole)
    if not done:
        return None, "neither was let in"
    if found not in done:
        return None, "%s ended well, and the folder has: %s" % (" and ".join(done), found)
    left = [name for name in os.listdir("out") if name in ("saving", "complete", "unfinished") or ".part-" in name]
    return ("one refused" if len(done) == 1 else "one after the other"), "left over: " + ", ".join(left) if left else None


def main():
    build, n = os.path.abspath(sys.argv[1]), 500 if "--all" in sys.argv else 20
    folder, outcomes, wrong, chance = tempfile.mkdtemp(), {}, [], random.Random(1)
    os.chdir(folder)
    try:
        whole = {}
        for which, settings in SETTINGS.items():
            with open(which + ".yaml", "w") as out:
                out.write(CONFIG % settings)
            assert start(build, which, "whole-" + which).wait() == 0
            whole[which] = {name: read("whole-%s/%s" % (which, name)) for name in NAMES}
        assert whole["a"] != whole["b"]
        for _ in range(n):
            outcome, complaint = one_pair(build, whole, chance)
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
            wrong += [complaint] if complaint else []
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    print("%d pairs: %s; %d wrong" % (n, ", ".join("%d %s" % (outcomes[o], o) for o in sorted(outcomes, key=str)), len(wrong)))
    for complaint in sorted(set(wrong)):
        print("  %s: %d" % (complaint, wrong.count(complaint)))
    sys.exit(len(wrong) > 0)


main()
