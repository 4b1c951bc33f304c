#!/usr/bin/env python3
"""Small inputs that ask for much: no command may take more than 64 times an input's size + 256 MB, or 10 s + 10 s per MB.

usage: bombs.py BUILD [--all] [CASE]...      without --all: what takes a second or less each when all is well
"""
import gzip, json, os, resource, struct, subprocess, sys, tempfile, time

MB = 1 << 20
CSV_CONFIG = "data: {kind: csv, path: %s, label: y%s}\nmodel: {layers: dense 2}\nmethod: {kind: sgd}\nstop: {epochs: 1}\n"
MADE = "data: {kind: gaussian, n: 50, d: 2}\nmodel: {layers: %s}\nmethod: {kind: sgd}\nstop: {epochs: 1}\n"
cases = []


def case(slow=False, fails=True):
    """A function that makes input files and returns the arguments; fails: None where either will do."""
    def keep(make):
        cases.append((make, slow, fails))
        return make
    return keep


def write(name, data):
    with open(name, "wb") as out:
        out.write(data.encode() if isinstance(data, str) else data)
    return name


def npy(name, shape, data=b"", kind="<f8"):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return write(name, b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def model(name, layers, tensors, n_features=1, shape=None, classes=("0", "1"), loss="softmax"):
    feature = lambda i: {"name": "x%d" % i, "mean": 0, "scale": 1, "fill": None}
    meta = {"format": "sprint", "layers": layers, "loss": loss, "label": "y",
            "classes": json.dumps(list(classes)), "features": json.dumps([feature(i) for i in range(n_features)])}
    if shape:
        meta["image"] = " ".join(str(side) for side in shape)
    header, at, body = {"__metadata__": meta}, 0, b""
    for key, sides in tensors.items():
        n = 4
        for side in sides:
            n *= side
        header[key] = {"dtype": "F32", "shape": sides, "data_offsets": [at, at + n]}
        at += n
        body += bytes(n)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return write(name, struct.pack("<Q", len(text)) + text + body)


def idx(dims, kind=8):
    return bytes([0, 0, kind, len(dims)]) + b"".join(struct.pack(">I", d) for d in dims)


# Models

@case()
def conv_model():
    # 1x1 windows over one channel: few parameters, 24,576 channels of 128 x 128
    model("bomb.safetensors", "conv 24576 1x1, conv 1 1x1, flatten, dense 2",
          {"0.weight": [24576, 1, 1, 1], "0.bias": [24576], "1.weight": [1, 24576, 1, 1], "1.bias": [1],
           "3.weight": [2, 16384], "3.bias": [2]}, 16384, [1, 128, 128])
    write("x.csv", ",".join("x%d" % i for i in range(16384)) + "\n" + ",".join("1" for _ in range(16384)) + "\n")
    return ["predict", "bomb.safetensors", "x.csv"], ["bomb.safetensors", "x.csv"]


@case(fails=None)
def conv_model_info():
    conv_model()
    return ["data", "info", "bomb.safetensors"], ["bomb.safetensors"]


@case()
def model_header_length():
    write("m.safetensors", struct.pack("<Q", 1 << 62) + b"{}")
    return ["predict", "m.safetensors", write("x.csv", "x0\n1\n")], ["m.safetensors"]


@case()
def model_deep_header():
    text = b'{"__metadata__":' + b"[" * MB + b"]" * MB + b"}"
    write("m.safetensors", struct.pack("<Q", len(text)) + text)
    return ["data", "info", "m.safetensors"], ["m.safetensors"]


@case()
def model_many_tensors():
    header = {"t%d" % i: {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for i in range(20000)}
    text = json.dumps(header).encode()
    write("m.safetensors", struct.pack("<Q", len(text)) + text)
    return ["predict", "m.safetensors", write("x.csv", "x0\n1\n")], ["m.safetensors"]


@case(fails=None)
def model_many_layers():
    model("m.safetensors", ", ".join(["relu"] * 300000) + ", dense 2", {})
    return ["data", "info", "m.safetensors"], ["m.safetensors"]


@case()
def model_huge_side():
    text = json.dumps({"0.weight": {"dtype": "F32", "shape": [1 << 40, 1 << 30], "data_offsets": [0, 0]}}).encode()
    write("m.safetensors", struct.pack("<Q", len(text)) + text)
    return ["predict", "m.safetensors", write("x.csv", "x0\n1\n")], ["m.safetensors"]


@case(fails=None)
def model_many_features():
    model("m.safetensors", "dense 2", {"0.weight": [2, 50000], "0.bias": [2]}, 50000)
    write("x.csv", ",".join("x%d" % i for i in range(50000)) + "\n" + ",".join("1" for _ in range(50000)) + "\n")
    return ["predict", "m.safetensors", "x.csv"], ["m.safetensors", "x.csv"]


# Arrays

for name, shape, kind in (("empty_wide", "(0, 10000000)", "<f8"), ("empty_images", "(0, 1000, 1000, 1000)", "|u1"),
                          ("empty_long", "(1000000000000, 0)", "<f8"), ("huge", "(4000000000, 4000000000)", "<f8"),
                          ("overflowing", "(4294967296, 4294967296, 4294967296)", "|u1"), ("cut", "(1000000, 1000)", "<f4")):
    def array_info(shape=shape, kind=kind):
        return ["data", "info", npy("a.npy", shape, b"", kind)], ["a.npy"]
    array_info.__name__ = "npy_" + name
    cases.append((array_info, False, None))

    def array_run(shape=shape, kind=kind):
        npy("a.npy", shape, b"", kind)
        npy("y.npy", "(0,)", b"")
        write("c.yaml", "data: {kind: npy, x: a.npy, y: y.npy}\nmodel: {layers: dense 2}\n")
        return ["run", "c.yaml"], ["a.npy"]
    array_run.__name__ = "npy_run_" + name
    cases.append((array_run, False, True))


@case(fails=False)
def npy_wide():
    npy("a.npy", "(1, 1000000)", bytes(8000000))
    return ["data", "info", "a.npy"], ["a.npy"]


@case(fails=False)
def npy_columns():
    npy("a.npy", "(2, 10000)", bytes(160000))
    return ["data", "info", "a.npy"], ["a.npy"]


for i, dims in enumerate(([0xFFFFFFFF], [0xFFFFFFFF, 0xFFFF, 0xFFFF], [0, 0xFFFFFFFF, 0xFFFFFFFF], [1000000, 28, 28])):
    def idx_info(dims=dims):
        return ["data", "info", write("a-idx", idx(dims))], ["a-idx"]
    idx_info.__name__ = "idx_%d" % i
    cases.append((idx_info, False, None))

    def idx_gzip(dims=dims):
        return ["data", "info", write("a.gz", gzip.compress(idx(dims)))], ["a.gz"]
    idx_gzip.__name__ = "idx_gzip_%d" % i
    cases.append((idx_gzip, False, None))


def zeros_gz(name, head, n_mb):
    with gzip.open(name, "wb", compresslevel=6) as out:
        out.write(head)
        for _ in range(n_mb):
            out.write(bytes(MB))
    return name


@case()
def gzip_idx():
    n = 600
    zeros_gz("a.gz", idx([n * MB >> 10, 32, 32]), n)
    return ["data", "info", "a.gz"], ["a.gz"]


@case(slow=True)
def gzip_idx_10g():
    n = 10240
    zeros_gz("a.gz", idx([n * MB >> 10, 32, 32]), n)
    return ["data", "info", "a.gz"], ["a.gz"]


@case()
def gzip_zeros_as_csv():
    zeros_gz("a.csv.gz", b"x,y\n", 300)
    return ["data", "info", "a.csv.gz"], ["a.csv.gz"]


@case(slow=True, fails=None)
def gzip_csv_rows():
    zeros_gz("a.csv.gz", b"x,y\n" + b"1,2\n" * MB * 100, 0)
    return ["data", "info", "a.csv.gz"], ["a.csv.gz"]


@case()
def zeros_as_csv():
    return ["data", "info", "/dev/zero"], []


@case()
def zeros_as_training_csv():
    write("c.yaml", CSV_CONFIG % ("/dev/zero", ""))
    return ["run", "c.yaml"], ["c.yaml"]


# Tables

def wide(n):
    return write("a.csv", ",".join("c%d" % i for i in range(n)) + ",y\n" + "1," * n + "0\n" + "2," * n + "1\n")


@case(fails=False)
def csv_columns():
    return ["data", "info", wide(80000)], ["a.csv"]


@case(slow=True, fails=None)
def csv_million_columns():
    return ["data", "info", wide(1000000)], ["a.csv"]


@case(fails=None)
def csv_columns_check():
    wide(80000)
    write("c.yaml", CSV_CONFIG % ("a.csv", ""))
    return ["check", "c.yaml"], ["a.csv"]


@case(fails=None)
def csv_columns_run():
    wide(80000)
    write("c.yaml", CSV_CONFIG % ("a.csv", ""))
    return ["run", "c.yaml"], ["a.csv"]


@case(fails=None)
def csv_same_names():
    write("a.csv", "c," * 80000 + "y\n" + "1," * 80000 + "0\n")
    return ["data", "info", "a.csv"], ["a.csv"]


@case(fails=None)
def csv_config():
    return ["data", "info", wide(60000), "--config"], ["a.csv"]


@case(fails=None)
def csv_newlines_run():
    # the first block says that a row takes a byte
    write("a.csv", ",".join("c%d" % i for i in range(500)) + ",y\n" + "\n" * (4 * MB) + "1," * 500 + "0\n" + "2," * 500 + "1\n")
    write("c.yaml", CSV_CONFIG % ("a.csv", ""))
    return ["check", "c.yaml"], ["a.csv"]


@case(fails=None)
def predict_newlines():
    model("m.safetensors", "dense 1", {"0.weight": [1, 500], "0.bias": [1]}, 500, loss="logistic")
    write("a.csv", ",".join("x%d" % i for i in range(500)) + "\n" + "\n" * (4 * MB) + "1," * 499 + "0\n")
    return ["predict", "m.safetensors", "a.csv"], ["m.safetensors", "a.csv"]


@case(fails=None)
def predict_levels():
    levels = ["l%d" % i for i in range(1000)]
    write("train.csv", "w,y\n" + "".join("l%d,%d\n" % (i % 1000, i % 2) for i in range(4000)))
    write("c.yaml", (CSV_CONFIG % ("train.csv", ", categories: [w]")).replace("dense 2", "dense 1"))
    subprocess.run([sprint_path, "run", "c.yaml", "--out", "out"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    write("a.csv", "w\n" + "l1\n" * 300000)
    return ["predict", "out/model.safetensors", "a.csv"], ["out/model.safetensors", "a.csv"]


@case(fails=None)
def csv_long_field():
    write("a.csv", "x,y\n\"" + "a" * (20 * MB) + "\",1\n")
    return ["data", "info", "a.csv"], ["a.csv"]


@case(fails=None)
def csv_open_quote():
    write("a.csv", "x,y\n\"" + "a,b\n" * (3 * MB))
    return ["data", "info", "a.csv"], ["a.csv"]


@case(fails=False)
def csv_blank_lines():
    write("a.csv", "x,y\n" + "\n" * (8 * MB) + "1,2\n")
    return ["data", "info", "a.csv"], ["a.csv"]


def levels(n):
    return write("a.csv", "w,y\n" + "".join("level%d,%d\n" % (i, i % 2) for i in range(n)))


@case(fails=False)
def csv_levels_info():
    return ["data", "info", levels(300000)], ["a.csv"]


@case(fails=None)
def csv_levels_run():
    levels(100000)
    write("c.yaml", CSV_CONFIG % ("a.csv", ", categories: {w: one-hot}"))
    return ["run", "c.yaml"], ["a.csv"]


@case(fails=None)
def csv_levels_run_auto():
    levels(100000)
    write("c.yaml", CSV_CONFIG % ("a.csv", ""))
    return ["run", "c.yaml"], ["a.csv"]


@case(fails=None)
def csv_classes():
    write("a.csv", "x,y\n" + "".join("%d,class%d\n" % (i, i) for i in range(50000)))
    write("c.yaml", CSV_CONFIG % ("a.csv", ""))
    return ["run", "c.yaml"], ["a.csv"]


# Configs

@case()
def yaml_laughs():
    text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for i in range(1, 30):
        text += "a%d: &a%d [%s]\n" % (i, i, ", ".join(["*a%d" % (i - 1)] * 9))
    return ["check", write("c.yaml", text)], ["c.yaml"]


@case()
def yaml_deep():
    return ["check", write("c.yaml", "a: " + "[" * MB)], ["c.yaml"]


@case()
def yaml_deep_maps():
    return ["check", write("c.yaml", "{a: " * (MB // 4))], ["c.yaml"]


@case()
def yaml_long_list():
    return ["check", write("c.yaml", "seeds: [" + "1, " * MB + "2]")], ["c.yaml"]


@case()
def yaml_plain_text():
    return ["check", write("c.yaml", "a: " + "x" * (3 * MB))], ["c.yaml"]


@case()
def yaml_quoted_lines():
    return ["check", write("c.yaml", "a: \"" + "\n" * (2 * MB) + "\"")], ["c.yaml"]


@case()
def yaml_seeds():
    return ["check", write("c.yaml", "seeds: 1..1000000000\n" + MADE % "dense 2")], ["c.yaml"]


@case()
def set_seeds():
    write("c.yaml", MADE % "dense 2")
    return ["check", "c.yaml", "--set", "seeds=[" + "1," * 50000 + "2]"], ["c.yaml"]


@case()
def compare_seeds():
    write("c.yaml", MADE % "dense 2")
    return ["compare", "c.yaml", "--methods", "sgd,sprint", "--budget", "ifo=100", "--seeds", "1000000000"], ["c.yaml"]


@case()
def grid():
    axis = "[" + ", ".join(str(i) for i in range(1, 1001)) + "]"
    write("c.yaml", MADE % "dense 2" + "grid: {method.batch: %s, seed: %s, stop.epochs: %s}\n" % (axis, axis, axis))
    return ["check", "c.yaml"], ["c.yaml"]


for i, layers in enumerate(("dense 4294967295, dense 2", "dense 4294967296, dense 2", "dense 100000, dense 100000, dense 2",
                            ", ".join(["relu"] * 300000) + ", dense 2",
                            ", ".join(["dense 15000"] * 60) + ", dense 2")):
    def layers_run(layers=layers):
        return ["run", write("c.yaml", MADE % ("'%s'" % layers))], ["c.yaml"]
    layers_run.__name__ = "layers_%d" % i
    cases.append((layers_run, False, True))


def made(change):
    write("c.yaml", MADE % "dense 2")
    return ["--set", change]


for command in ("check", "run", "init"):
    for change in ("data.n=1000000000000000", "data.n=4294967295", "data.d=1000000000", "method.batch=1000000000000",
                   "method.batch=4294967295"):
        def one(command=command, change=change):
            extra = ["--out", "t.npy"] if command == "init" else []
            return [command, "c.yaml"] + made(change) + extra, ["c.yaml"]
        one.__name__ = "%s_%s" % (command, change)
        cases.append((one, False, None))


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (12 << 30, 12 << 30))


def measure(sprint, arguments, most_seconds):
    start = time.monotonic()
    with open("stdout", "wb") as out, open("stderr", "wb") as err:
        child = subprocess.Popen([sprint] + arguments, stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=limits)
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
        if time.monotonic() - start > 20 * most_seconds:
            child.kill()
        time.sleep(0.01)


def judge(sprint, make, fails):
    arguments, files = make()
    size = sum(os.path.getsize(file) for file in files) / MB
    most_mb, most_seconds = 256 + 64 * size, 10 + 10 * size
    code, seconds, mb = measure(sprint, arguments, most_seconds)
    sentence = open("stderr", errors="replace").read().strip()
    wrong = []
    if mb > most_mb:
        wrong.append("%.0f MB, %.0f are allowed" % (mb, most_mb))
    if seconds > most_seconds:
        wrong.append("%.1f s, %.1f are allowed" % (seconds, most_seconds))
    if code not in ((0, 1, 2, 3) if fails is None else (1, 2) if fails else (0, 3)):
        wrong.append("exit code %d" % code)
    if code in (1, 2) and (not sentence or len(sentence.splitlines()) != 1 or len(sentence) > 4000):
        wrong.append("%d lines on stderr" % len(sentence.splitlines()))
    print("%-5s %-34s %9.3f MB in: %7.1f MB %6.2f s, exit %3d  %s" % (
        "WRONG" if wrong else "ok", make.__name__, size, mb, seconds, code, "; ".join(wrong) or sentence[:150]), flush=True)
    return not wrong


def main():
    global sprint_path
    sprint = sprint_path = os.path.abspath(sys.argv[1]) + "/sprint"
    everything = "--all" in sys.argv
    only = [word for word in sys.argv[2:] if not word.startswith("--")]
    good = True
    for make, slow, fails in cases:
        if (slow and not everything) or (only and make.__name__ not in only):
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            good = judge(sprint, make, fails) and good
            os.chdir("/")
    sys.exit(not good)


main()
