#!/usr/bin/env python3
"""Finds what goes around a door.

- base/print.h: the library prints no real number, and reads none, by the locale of its host. A vsnprintf counts, as
  nobody knows what it is given.
- cli_print: the commands print no text by printf, as it may hold escape codes and line ends; but for files that write
  data or scripts, and those that clean their texts themselves.

    tests/doors.py FOLDER        (the project's)
"""
import pathlib
import re
import sys

PRINTS = re.compile(r"(?<!\w)(v?snprintf|v?fprintf|v?sprintf|printf|json_v?sprintf)\s*\(")
READS = re.compile(r"(?<!\w)(strto[df]|strtold|atof|setlocale)\s*\(")
REAL = re.compile(r"%[-+ #0-9.*']*[lL]?[aefgAEFG]")
TEXT = re.compile(r"%[-0-9.*]*s")
OWN_TEXTS = ("completion_", "compare_files.c", "files.c", "fit_shift_print.c", "print.c", "summary_files.c", "table.c",
             "text.c", "theory_chart.c")


def arguments(text, start):
    """What stands between the bracket at start and the one that closes it, texts included."""
    depth, at, quoted = 0, start, None
    while True:
        c = text[at]
        if quoted:
            at += c == "\\"
            quoted = None if c == quoted else quoted
        elif c in "\"'":
            quoted = c
        else:
            depth += (c == "(") - (c == ")")
            if depth == 0:
                return text[start : at + 1]
        at += 1


def of_library(text):
    for call in PRINTS.finditer(text):
        if call.group(1).startswith("v") or REAL.search(arguments(text, call.end() - 1)):
            yield call, "goes by the host's locale: see base/print.h"
    for call in READS.finditer(text):
        yield call, "goes by the host's locale: see config/number.h"


def of_command(text):
    for call in PRINTS.finditer(text):
        if call.group(1) in ("printf", "fprintf") and TEXT.search(arguments(text, call.end() - 1)):
            yield call, "prints a text as it is: see cli_print"


def main(folder):
    wrong = []
    for path in sorted(pathlib.Path(folder, "src").rglob("*.[ch]")):
        part = path.relative_to(folder)
        command = part.parts[1] in ("cli", "fetch")  # which never leave the C locale
        if part.name.startswith(OWN_TEXTS) if command else part.parts[1:] == ("base", "print.c"):
            continue
        text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), path.read_text(), flags=re.S)
        for call, what in (of_command if command else of_library)(text):
            wrong.append(f"{part}:{text.count(chr(10), 0, call.start()) + 1}: {call.group(1)} {what}")
    print("\n".join(wrong) or "nothing goes around a door")
    return bool(wrong)


sys.exit(main(sys.argv[1]))
