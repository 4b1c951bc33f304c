#!/usr/bin/env python3
"""Finds real numbers that the library prints by the locale of its host: printf and the like with a %g outside of
base/print.c, and a vsnprintf, of which nobody knows what it is given.

    tests/real_formats.py FOLDER        (the project's)
"""
import pathlib
import re
import sys

CALL = re.compile(r"(?<![\w])(v?snprintf|v?fprintf|v?sprintf|printf|json_v?sprintf|strto[df]|strtold|atof|v?[fs]?scanf|setlocale)\s*\(")
REAL = re.compile(r"%[-+ #0-9.*']*[lL]?[aefgAEFG]")
PARSES = ("strto", "atof", "setlocale", "v")


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


def main(folder):
    wrong = []
    for path in sorted(pathlib.Path(folder, "src").rglob("*.[ch]")):
        part = path.relative_to(folder)
        if part.parts[1] in ("cli", "fetch") or str(part) in ("src/base/print.c", "src/base/print.h"):
            continue  # the commands never leave the C locale
        text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), path.read_text(), flags=re.S)
        for call in CALL.finditer(text):
            line = text.count("\n", 0, call.start()) + 1
            if call.group(1).startswith(PARSES) or REAL.search(arguments(text, call.end() - 1)):
                wrong.append(f"{part}:{line}: {call.group(1)} goes by the host's locale; see base/print.h, config/number.h")
    print("\n".join(wrong) or "no real number is printed or read by the host's locale")
    return bool(wrong)


sys.exit(main(sys.argv[1]))
