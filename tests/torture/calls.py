#!/usr/bin/env python3
"""Every call to the file system that a run makes in its folder, gone wrong once in every way: killed there, a full disk from
there on, EIO, EINTR, half a write, nothing synced. Afterwards the folder holds the old run or the new one, whole; the same command then
succeeds, and leaves the bytes of a run to which nothing happened.

usage: calls.py BUILD [--all] [STORY]...      without --all: every so many-th call, others for every way
"""
import hashlib, json, os, re, shutil, signal, struct, subprocess, sys, tempfile

SAMPLE = 12  # calls of each story and kind, spread evenly, without --all
KINDS = ("kill", "ENOSPC", "EIO", "EINTR", "short", "unsynced")
ALWAYS = "unsynced"  # few calls: all of them
MOST_CALLS = 5000
UNFILTERED, SKIPPED = 120, 77  # exit codes: of fail_calls.c where the kernel does not let it; of a test that was left out
CONFIG = """data: {kind: lending, n: 60}
model: {layers: 'dense 2, relu, dense 1'}
shift: {kind: strategic, good: 0, alpha: 0.1}
method: {kind: sprint, batch: %d}
stop: {epochs: 2}
"""
NAMES = ("trace.csv", "timing.csv", "model.safetensors", "last-finite.safetensors", "run.json")
# struct state of fail_calls.c
STATE = struct.Struct("IIII112s")
CALLS = dict(enumerate("read write open close stat fstat".split()))
CALLS.update({8: "lseek", 17: "pread", 18: "pwrite", 20: "writev", 21: "access", 73: "flock", 74: "fsync", 75: "fdatasync", 77: "ftruncate",
              82: "rename", 83: "mkdir", 84: "rmdir", 85: "creat", 86: "link", 87: "unlink", 89: "readlink", 91: "fchmod",
              137: "statfs", 217: "getdents", 257: "openat", 262: "newfstatat", 263: "unlinkat", 264: "renameat", 316: "renameat2"})


class Wrong(Exception):
    pass


class Story:
    """What is in the folder before, and the command: `old` is a finished run of other settings, if any."""

    def __init__(self, name, old, every):
        self.name, self.old = name, old
        self.arguments = ["run", "c.yaml", "--out", "out", "--threads", "1", "--checkpoint", every]


STORIES = (Story("new", False, "100"), Story("replaced", True, "100"), Story("checkpoints", False, "0.000001"))
TELL = ["tell", "out", "told.csv", "--request", "1"]


def read(path):
    with open(path, "rb") as stream:
        return stream.read()


def run(build, arguments, at=0, kind="EIO"):
    """Exit code, stderr, and what the library did: how many calls there were, and what it did to which."""
    with open("state", "wb") as out:
        out.write(bytes(STATE.size))
    environment = dict(os.environ, LD_PRELOAD=build + "/tests/fail_calls.so", GOMP_SPINCOUNT="1000", OPENBLAS_NUM_THREADS="1",
                       LC_ALL="C", SPRINT_CALLS_UNDER="/out", SPRINT_CALLS_STATE="state", SPRINT_CALLS_AT=str(at), SPRINT_CALLS_DO=kind)
    if at == 0:
        del environment["LD_PRELOAD"]
    done = subprocess.run([build + "/sprint"] + arguments, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120, start_new_session=True)
    n_calls, fired, number, _, path = STATE.unpack(read("state"))
    return done.returncode, done.stderr.decode(), n_calls, \
        "%s %s" % (CALLS.get(number, number), path.rstrip(b"\0").decode()) if fired else None


def holds(folder, record):
    """Whether the files that a record lists are in the folder, or still in that from which they are moved there."""
    for name, expected in record["files"].items():
        places = [os.path.join(at, name) for at in (os.path.join(folder, "complete"), folder)]
        there = [place for place in places if os.path.exists(place)]
        if not there or hashlib.sha256(read(there[0])).hexdigest() != expected:
            return False
    return True


def which(old, new):
    """Which run is in the folder: "old", "new" or None; anything else is wrong."""
    complete, record = os.path.join("out", "complete", "run.json"), os.path.join("out", "run.json")
    found = complete if os.path.exists(complete) else record
    if not os.path.exists(found):
        return None
    if not holds("out", json.loads(read(found))):
        raise Wrong("%s speaks of files that are others" % found)
    if old and read(found) == old["run.json"]:
        if any(read("out/" + name) != data for name, data in old.items()):
            raise Wrong("the old run was changed")
        return "old"
    for name in ("trace.csv", "model.safetensors"):
        places = [at for at in ("out/complete/" + name, "out/" + name) if os.path.exists(at)]
        if not places or read(places[0]) != new[name]:
            raise Wrong("%s is neither the old one nor the new one" % name)
    return "new"


def files_of_run():
    return {name: read("out/" + name) for name in NAMES if os.path.exists("out/" + name)}


def begin(story):
    shutil.rmtree("out", ignore_errors=True)
    if story.old:
        shutil.copytree("old", "out")


def judge_sync(kind, got):
    code, said, _, what = got
    passed = code == 0 and what and "/unfinished" in what  # a checkpoint of a run that has ended well
    if what and not passed and what.startswith("fsync") and kind in ("EIO", "ENOSPC", "unsynced") and not said.strip():
        raise Wrong("exit %d, and not a word of a sync that failed" % code)


def judge(old, new, got):
    code, said, _, _ = got
    there = which(old, new)
    if there is None and old:
        raise Wrong("the old run is gone")
    if code == 0 and there != "new":
        raise Wrong("exit 0, and the new run is not there")
    if code > 0 and not said.strip():
        raise Wrong("exit %d without a word" % code)
    if code < 0 and code != -signal.SIGKILL:
        raise Wrong("ended by signal %d" % -code)


def judge_again(new, got):
    code, said, _, _ = got
    if code != 0:
        raise Wrong("the same command then fails: " + said.strip())
    if "damaged" in said:
        raise Wrong("the same command then finds damage: " + said.strip())
    there = files_of_run()
    for name in ("trace.csv", "model.safetensors"):
        if there.get(name) != new[name]:
            raise Wrong("the same command then leaves another %s" % name)
    left = [name for name in os.listdir("out") if name in ("saving", "complete", "unfinished") or ".part-" in name]
    if left:
        raise Wrong("left over: " + ", ".join(left))


def torture_one(build, story, old, new, at, kind):
    """What was done to which call (None: nothing), and what is wrong with what came of it (None: nothing)."""
    begin(story)
    got = run(build, story.arguments, at, kind)
    if got[1] and "preload" in got[1]:
        sys.exit(got[1])
    try:
        judge(old, new, got)
        judge_sync(kind, got)
        judge_again(new, run(build, story.arguments))
    except Wrong as wrong:
        return got[3], str(wrong)
    return got[3], None


def torture(build, story, everything):
    begin(story)
    assert run(build, story.arguments)[0] == 0
    new = files_of_run()
    old = {name: read("old/" + name) for name in NAMES if os.path.exists("old/" + name)} if story.old else None
    good = all([torture_kind(build, story, kind, old, new, everything) for kind in KINDS])
    return syncs_nothing(build, story, old, new) and good


def syncs_nothing(build, story, old, new):
    """A file system that syncs no folders is no reason for a word."""
    begin(story)
    code, said, n, what = run(build, story.arguments, 1, "unsyncable")
    good = code == 0 and not said.strip() and n > 1 and what is not None and which(old, new) == "new"
    if not good:
        print("%-12s folders that cannot be synced: exit %d, %d calls: %s" % (story.name, code, n, said))
    return good


def torture_tell(build):
    """A solver in a folder: told, and a sync fails. It is where it was or one step further, and it is said."""
    with open("told.csv", "w") as out:
        out.write("income,age,bad,id,deployment\n")
        for i in range(60):
            out.write("%d,%d,%d,p%d,1\n" % (1000 + 37 * i % 501, 20 + 13 * i % 41, i * i % 3 == 1, i))
    with open("solver.yaml", "w") as out:
        out.write(re.sub("^data: .*", "data: {kind: csv, path: told.csv, label: bad, features: [income, age]}", CONFIG % 10))
    subprocess.run([build + "/sprint", "ask", "solver", "--config", "solver.yaml"], stdout=subprocess.DEVNULL, check=True)
    states, wrong, at, n = [], [], 0, 1
    while at <= n:
        shutil.rmtree("out", ignore_errors=True)
        shutil.copytree("solver", "out")
        got = run(build, TELL, at or MOST_CALLS, "unsynced")
        states.append(read("out/state"))
        if at == 0:
            n = got[2]
            assert got[0] == 0 and states[0] != read("solver/state"), got
        elif got[0] == 0 or not got[1].strip() or states[at] not in (states[0], read("solver/state")):
            wrong.append("sync %d (%s): exit %d, %s" % (at, got[3], got[0], got[1]))
        at += 1
    print("%-12s %-7s %5d calls, every 1. looked at: %d wrong" % ("tell", "unsynced", n, len(wrong)), *wrong, sep="\n  ")
    return n > 1 and not wrong


def torture_kind(build, story, kind, old, new, everything):
    begin(story)
    code, said, n, _ = run(build, story.arguments, MOST_CALLS, kind)
    if code == UNFILTERED:
        print("calls cannot be filtered here (seccomp): nothing was looked at")
        sys.exit(SKIPPED)
    assert code == 0 and n > 0, (code, said, n)
    step = 1 if everything or kind == ALWAYS else max(1, n // SAMPLE)
    done, complaints = 0, {}
    for at in range(1 + step * KINDS.index(kind) // len(KINDS) % step, n + 1, step):
        what, complaint = torture_one(build, story, old, new, at, kind)
        done += what is not None
        if complaint:
            complaints.setdefault(re.sub("[0-9]{3,}", "N", complaint), []).append("%d: %s" % (at, what))
    print("%-12s %-7s %5d calls, every %d. looked at: %d hit, %d wrong" % (
        story.name, kind, n, step, done, sum(map(len, complaints.values()))), flush=True)
    for complaint, where in sorted(complaints.items()):
        print("  %s: %d, such as call %s" % (complaint, len(where), where[0]))
    return done > 0 and not complaints


def main():
    build, everything = os.path.abspath(sys.argv[1]), "--all" in sys.argv
    chosen = [word for word in sys.argv[2:] if not word.startswith("--")]
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    good = True
    try:
        with open("c.yaml", "w") as out:
            out.write(CONFIG % 6)
        assert run(build, STORIES[0].arguments)[0] == 0
        os.rename("out", "old")
        with open("c.yaml", "w") as out:
            out.write(CONFIG % 10)
        for story in STORIES:
            if not chosen or story.name in chosen:
                good = torture(build, story, everything) and good
        if not chosen or "tell" in chosen:
            good = torture_tell(build) and good
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    sys.exit(not good)


main()
