"""What bench/run and bench/shapes share: our command and the PyTorch program as racers, and small helpers."""
import csv
import json
import os
import shutil
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"  # Debian's, which has python3-torch
# PyTorch's threads: of OpenMP, which element by element loops and convolutions use, and of OpenBLAS, for dense layers.
SETTINGS = (1, 1), (1, 2), (2, 2), (2, 1)
# OpenBLAS's kernels that its own choice is held against, and how much faster they have to be.
CORES, MUCH_FASTER = ("Haswell", "SkylakeX"), 1.3
OURS = dict(os.environ)  # what our program is given
# How far gradients may be apart, as parts of their length: in single precision; there, where a kink or two are passed on the
# other side; and in double precision, on the same data.
ROUNDING, A_FEW_KINKS, IN_DOUBLE = 1e-4, 1e-2, 1e-10
KINKS = "relu", "maxpool"


def settings(args):
    return SETTINGS[:1] if args.cpu else SETTINGS


def write_npy(path, descr, shape, data):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %r, }" % (descr, shape)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def best_wall(command, times=5):
    best = 1e30
    for _ in range(times):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        best = min(best, time.perf_counter() - start)
    return best


def write_csv(path, rows):
    with open(path, "w", newline="") as f:
        w = csv.DictWriter(f, dict.fromkeys(key for row in rows for key in row))
        w.writeheader()
        w.writerows(rows)


def build_sgemm(args):
    """The program, which from here on has OpenBLAS at its best."""
    program = os.path.join(args.out, "sgemm")
    flags = subprocess.check_output(["pkg-config", "--cflags", "--libs", "openblas"], text=True).split()
    subprocess.run(["cc", "-O2", os.path.join(HERE, "sgemm.c"), "-o", program] + flags, check=True)
    settle_blas(program)
    return program


def sgemm_rates(program):
    """GFLOP/s of OpenBLAS on large squares, by threads."""
    return {t: float(subprocess.check_output([program, str(t)])) for t in (1, 2)}


def settle_blas(program):
    """Where OpenBLAS does not know the processor it takes kernels that are several times too slow. So the cores of CORES
    are tried, and one that is much faster than OpenBLAS's own choice is what PyTorch and sgemm have from here on; ours is
    left to itself. Says so. What the environment asks for is left out, for all: it may be as slow."""
    def rate(core):
        done = subprocess.run([program, "1"], env=dict(OURS, **core), capture_output=True, text=True)
        return float(done.stdout) if done.returncode == 0 else 0  # a core that the processor lacks ends the program
    asked = OURS.pop("OPENBLAS_CORETYPE", None)
    if asked:
        del os.environ["OPENBLAS_CORETYPE"]
        print("OPENBLAS_CORETYPE=%s is left out: OpenBLAS chooses its kernels" % asked)
    own, rates = rate({}), {core: rate({"OPENBLAS_CORETYPE": core}) for core in CORES}
    best = max(rates, key=rates.get)
    if rates[best] >= MUCH_FASTER * own:
        os.environ["OPENBLAS_CORETYPE"] = best
        print("OpenBLAS does not know this processor, and makes %.0f GFLOP/s by its own choice of kernels: sgemm and PyTorch "
              "are given those of %s" % (own, best))


class Sprint:
    def __init__(self, args):
        self.args, self.program, self.best = args, os.path.join(args.build, "sprint"), {}
        self.out = os.path.join(args.out, "run")

    def call(self, *arguments, program=None):
        done = subprocess.run([program or self.program, *arguments], capture_output=True, text=True)
        if done.returncode:
            sys.exit("bench: %s\n%s" % (" ".join(done.args), done.stderr))
        return done.stdout

    def process(self, case, method, batch, threads, sets):
        """Runs the command. Its seconds, of the processor with --cpu, else of the wall."""
        kind, correction = ("sgd", None) if method == "sgd" else ("sprint", method)
        sets = dict(sets, **{"method.kind": kind, "method.batch": batch, "step.size": "%g" % case.step_size(batch)})
        if correction:
            sets["method.correction"] = correction
        command = [self.program, "run", case.path, "--threads", str(threads), "--out", self.out]
        for key, value in sets.items():
            command += ["--set", "%s=%s" % (key, value)]
        shutil.rmtree(self.out, ignore_errors=True)  # finished runs are skipped, whatever their threads
        env = dict(OURS, OPENBLAS_NUM_THREADS="1") if self.args.cpu else OURS  # its idle threads spin
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env)
        error = child.stderr.read().decode()
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = status
        if status:
            sys.exit("bench: %s\n%s" % (" ".join(command), error))
        case.memory["ours"] = max(case.memory.get("ours", 0), usage.ru_maxrss)
        return usage.ru_utime + usage.ru_stime if self.args.cpu else wall

    def read(self, name):
        with open(os.path.join(self.out, name)) as f:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(f)]

    def run(self, case, method, batch, threads, epochs, inner=0, every=1):
        """Seconds of each epoch's training, seconds of the process, last loss."""
        seconds = self.process(case, method, batch, threads,
                               {"method.inner": inner, "stop.epochs": epochs, "eval.every": every})
        t = [r["seconds"] for r in self.read("timing.csv")]
        return [b - a for a, b in zip(t, t[1:])], seconds, self.read("trace.csv")[-1]["loss"]

    def first_step(self, case):
        """Seconds from the start of the program to its end, of one step: the data are read, and theta evaluated twice."""
        def first():
            shutil.rmtree(self.out, ignore_errors=True)
            return best_wall([self.program, "run", case.path, "--out", self.out, "--set", "stop.steps=1"], 1)
        return min(first(), first())

    def epochs_of_a_turn(self, case, method, batch, inner, seconds=None):
        """As many epochs as take the time of a turn, at least two: differences of fewer drown in noise."""
        return max(2, min(2000, int((seconds or self.args.seconds) / min(self.run(case, method, batch, 1, 2, inner)[0]))))

    def least(self, key, seconds):
        self.best[key] = min(self.best.get(key, seconds), seconds)
        return self.best[key]

    def epoch(self, case, method, batch, threads, epochs, inner=0):
        """Seconds of one epoch, best of all calls so far. With --cpu by difference of two lengths of run, each at its
        best: the best of differences would pick the noise."""
        key = (case.path, case.n, method, batch, threads, epochs, inner)
        if not self.args.cpu:
            return self.least(key, min(self.run(case, method, batch, threads, epochs, inner)[0]))
        long, short = (self.least(key + (e,), self.run(case, method, batch, threads, e, inner, 10**6)[1])
                       for e in (1 + epochs, 1))
        return (long - short) / epochs

    def epochs_of_whole_runs(self, case, method, batch, threads, epochs):
        """Seconds of an epoch without a row and with one, by difference of whole runs, best of all calls so far. The run
        of one epoch has a row before it and one after it either way."""
        def whole(n, every):
            seconds = self.process(case, method, batch, threads,
                                   {"stop.epochs": n, "eval.every": every, "eval.bias": "true"})
            return self.least((case.path, "whole", method, threads, n, every), seconds)

        short, plain, rows = whole(1, 1), whole(1 + epochs, 10**6), whole(1 + epochs, 1)
        return (plain - short) / epochs, (rows - short) / epochs


class TorchEnded(SystemExit):
    """The PyTorch program has ended by itself."""


class Torch:
    """bench/torch_epoch.py, which waits for requests; layouts: those of images that it may take, if not all."""

    def __init__(self, case, args, layouts=None):
        start = time.perf_counter()
        self.cpu = args.cpu
        command = [PYTHON, os.path.join(HERE, "torch_epoch.py"), case.prefix, case.prefix + ".safetensors", case.path, case.input]
        self.child = subprocess.Popen(command + ([layouts] if layouts else []), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      text=True)
        self.ask("memory")
        self.seconds_to_start = time.perf_counter() - start

    def ask(self, do, setting=(2, 2), **request):
        request.update(do=do, threads=setting[0], blas=setting[1], cpu=self.cpu)
        self.child.stdin.write(json.dumps(request) + "\n")
        self.child.stdin.flush()
        line = self.child.stdout.readline()
        if not line:
            raise TorchEnded("bench: the PyTorch program ended at %s" % request)
        return json.loads(line)

    def close(self):
        kilobytes = self.ask("memory")["kilobytes"]
        self.child.stdin.close()
        self.child.wait()
        return kilobytes


def prepare(case, sprint):
    """Writes the config, the data as they are after loading and theta_0: both sides start from the same."""
    with open(case.path, "w") as f:
        json.dump(case.config, f)
    sprint.call("data", "export", case.path, "--out", case.prefix)
    sprint.call("init", case.path, "--out", case.prefix + ".safetensors")


def compare(case, sprint, torch):
    """J(theta_0) of both, and how far apart they and the gradients are. A relu whose input is within rounding of 0 is on
    either side of it in single precision, ours or PyTorch's, and a pool may take either of two numbers that are as close:
    that may be worth 1e-3 of the gradient. So where gradients differ by more than a rounding, but not by much, our program
    in double precision is compared instead, on its own data, which are not rounded to single."""
    ours, theirs = compared_by(sprint.program, case, sprint, torch)
    if any(kink in case.config["model"]["layers"] for kink in KINKS) and ROUNDING < theirs["gradient_off"] <= A_FEW_KINKS:
        program, data = sprint.program + "-f64", case.prefix + "-double"
        sprint.call("data", "export", case.path, "--out", data, program=program)
        ours, theirs = compared_by(program, case, sprint, torch, data=data)
        if theirs["gradient_off"] > IN_DOUBLE:
            sys.exit("the gradient in double precision differs by %.1e" % theirs["gradient_off"])
    return ours, theirs["loss"], abs(ours / theirs["loss"] - 1), theirs["gradient_off"]


def compared_by(program, case, sprint, torch, **data):
    gradient = case.prefix + "-gradient.npy"
    said = sprint.call("grad", case.path, "--params", case.prefix + ".safetensors", "--out", gradient, program=program)
    return float(dict(line.split() for line in said.splitlines())["loss"]), torch.ask("loss", gradient=gradient, **data)


def compare_rows(case, method, batch, sprint, torch):
    """How far the first rows of both traces are apart, by column."""
    sprint.process(case, method, batch, 1, {"stop.steps": 1, "eval.bias": "true"})
    torch.ask("reset")
    ours, theirs = sprint.read("trace.csv")[0], torch.ask("row")
    return {key: abs(ours[key] / theirs[key] - 1) if theirs[key] else 0
            for key in ("loss", "gradient_sq", "loss_base", "accuracy", "accuracy_base") if key in ours}


def torch_epoch_and_row(case, torch, method, batch, setting, k):
    """Seconds of an epoch of PyTorch that knows the row before it and ends with a row, k of its steps run; seconds of a
    step."""
    r = torch.ask("epoch", setting, method=method, batch=batch, step=case.step_size(batch), max_steps=k)
    row = torch.ask("row", setting)
    return r["epoch"] + row["seconds"], r["steps"] / r["k"]
