#!/usr/bin/env python3
"""Writes page.c: the page that `sprint report` writes, as two arrays of bytes around the place of its data.

    embed.py WORK OUT.c

The chart library is fetched into WORK by `npm ci` from package-lock.json, which names versions and sums. Where that cannot
be done, OUT.c holds the reason instead, which is what `sprint report` then says; the next build tries again.
"""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = ["dom", "stats", "data", "contest", "chart", "figures", "curves", "summary", "sections", "main"]


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as stream:
        return stream.read()


def fetch(work):
    """The folder of uPlot, fetched unless it is there as the lock file has it; or (None, reason)."""
    library = os.path.join(work, "node_modules", "uplot")
    lock = read(HERE, "package-lock.json")
    done = os.path.join(work, "fetched-lock.json")
    if os.path.exists(done) and read(done) == lock and os.path.exists(os.path.join(library, "dist", "uPlot.iife.min.js")):
        return library, None
    if not shutil.which("npm"):
        return None, "npm was not found"
    os.makedirs(work, exist_ok=True)
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(os.path.join(HERE, name), work)
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error",
               "--fetch-retries=1", "--fetch-retry-mintimeout=2000", "--fetch-timeout=30000"]
    try:
        subprocess.run(command, cwd=work, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120,
                       stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None, "npm did not fetch it within two minutes"
    except (OSError, subprocess.CalledProcessError) as error:
        lines = (getattr(error, "stderr", b"") or b"").decode("utf-8", "replace").split("\n")
        codes = [line.split()[-1] for line in lines if " code " in line]
        return None, "npm could not fetch it" + (f" ({codes[0]})" if codes else "")
    with open(done, "w", encoding="utf-8") as stream:
        stream.write(lock)
    return library, None


def compose(library):
    """The page's text before and after its data."""
    licence = "\n".join(" * " + line for line in read(library, "LICENSE").strip().split("\n"))
    script = "\n".join(["/* uPlot, the chart library:\n" + licence + " */", read(library, "dist", "uPlot.iife.min.js"),
                        "(() => {\n'use strict';"] + [read(HERE, "src", f"{name}.js") for name in SCRIPTS] + ["})();"])
    style = read(library, "dist", "uPlot.min.css") + "\n" + read(HERE, "style.css")
    assert "</script" not in script.lower() and "</style" not in style.lower()
    page = read(HERE, "page.html").replace("@STYLE@", style).replace("@SCRIPT@", script)
    return page.split("@DATA@")


def array(name, text):
    data = text.encode("utf-8")
    lines = [",".join(str(b) for b in data[i:i + 32]) for i in range(0, len(data), 32)]
    return (f"const unsigned char {name}[] = {{\n" + ",\n".join(lines) +
            f"}};\nconst size_t {name}_size = {len(data)};\n")


def main():
    work, out = sys.argv[1:]
    library, reason = fetch(work)
    before, after = compose(library) if library else ("", "")
    text = ('/* Made by page/embed.py. */\n#include "report/page.h"\n\n' +
            f"const char *const sprint__page_missing = {f'{chr(34)}{reason}{chr(34)}' if reason else 'NULL'};\n" +
            array("sprint__page_before", before or " ") + array("sprint__page_after", after or " "))
    if reason:
        print(f"the page of `sprint report` is left out of this build: its chart library, uPlot, is not here: {reason}")
    if not os.path.exists(out) or read(out) != text:
        with open(out + ".part", "w", encoding="utf-8") as stream:
            stream.write(text)
        os.replace(out + ".part", out)


main()
