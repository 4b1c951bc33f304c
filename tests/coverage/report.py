#!/usr/bin/env python3
"""Lines and branches of src/ that ran, outside vector kernels, by what gcov has counted in a build folder.

usage: report.py BUILD [PATH]...      with files or folders of src/: their lines that never ran, and lines with branches
                                      that were never taken, and how many of how many
"""
import fnmatch, gzip, json, os, subprocess, sys, tempfile

# Loops over numbers that are compared with slow twins, bit by bit or by finite differences, and not worth a count by arcs.
KERNELS = ("src/base/group*.h", "src/model/conv_pool*.c", "src/model/dense*.c", "src/model/interleaved.c",
           "src/engine/pixel_products.c")


def counted(build):
    for folder, _, names in os.walk(build):
        yield from (os.path.join(folder, name) for name in names if name.endswith(".gcda"))


def take(data, source, files):
    """Adds one object's counts; the same line of another build is the same line."""
    for file in data["files"]:
        path = os.path.relpath(os.path.join(data["current_working_directory"], file["file"]), source)
        if not path.startswith("src/") or any(fnmatch.fnmatch(path, kernel) for kernel in KERNELS):
            continue
        lines, branches = files.setdefault(path, ({}, {}))
        for line in file["lines"]:
            number = line["line_number"]
            lines[number] = lines.get(number, 0) + line["count"]
            for i, branch in enumerate(line["branches"]):
                branches[number, i] = branches.get((number, i), 0) + branch["count"]


def read(build, source):
    files, objects = {}, sorted(counted(build))
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(objects), 50):
            subprocess.run(["gcov", "--json-format", "--branch-probabilities"] + objects[start:start + 50], cwd=folder,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for name in os.listdir(folder):
                with gzip.open(os.path.join(folder, name)) as stream:
                    take(json.load(stream), source, files)
                os.remove(os.path.join(folder, name))
    return files


def share(counts):
    return sum(count > 0 for count in counts), len(counts)


def show(name, lines, branches):
    print("%-36s %6d of %6d lines %6.2f %%   %6d of %6d branches %6.2f %%" % (
        (name,) + lines + (100 * lines[0] / max(1, lines[1]),) + branches + (100 * branches[0] / max(1, branches[1]),)))


def show_missing(path, source, lines, branches):
    """Lines of a file of which something never ran, with their text."""
    with open(os.path.join(source, path)) as stream:
        texts = stream.read().splitlines()
    for number, count in sorted(lines.items()):
        taken, n = share([count for (at, _), count in branches.items() if at == number])
        if not count:
            print("%s:%d: %-14s | %s" % (path, number, "never", texts[number - 1]))
        elif taken < n:
            print("%s:%d: %-14s | %s" % (path, number, "%d of %d never" % (n - taken, n), texts[number - 1]))


def main():
    build, chosen = os.path.abspath(sys.argv[1]), tuple(os.path.normpath(path) for path in sys.argv[2:])
    source = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
    files = read(build, source)
    if chosen:
        for path, (lines, branches) in sorted(files.items()):
            if path in chosen or path.startswith(tuple(folder + os.sep for folder in chosen)):
                show_missing(path, source, lines, branches)
        return
    totals = {}
    for path, (lines, branches) in files.items():
        for name in (os.path.dirname(path), "all of src/"):
            total = totals.setdefault(name, [0, 0, 0, 0])
            total[:] = [a + b for a, b in zip(total, share(lines.values()) + share(branches.values()))]
    for path, (lines, branches) in sorted(files.items(), key=lambda item: share(item[1][0].values())[0] - len(item[1][0])):
        if share(lines.values())[0] < len(lines):
            show(path, share(lines.values()), share(branches.values()))
    print()
    for name, total in sorted(totals.items()):
        show(name, tuple(total[:2]), tuple(total[2:]))


main()
