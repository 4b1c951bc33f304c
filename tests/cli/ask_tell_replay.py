#!/usr/bin/env python3
"""What examples/nightly.py told, as one stream of whole requests for ask_tell_loop.c: features as doubles, scaled as the
metadata of start.safetensors say.

    ask_tell_replay.py FOLDER ASKED OUT      (ASKED: all that `sprint ask --json` said, one after the other)
"""
import csv
import json
import pathlib
import struct
import sys


def metadata(path):
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8 : 8 + length])["__metadata__"]


def requests_of(asked):
    """Every request once: what was wanted."""
    text, decoder, found = pathlib.Path(asked).read_text().strip(), json.JSONDecoder(), {}
    while text:
        want, end = decoder.raw_decode(text)
        text = text[end:].strip()
        if want["request"]:
            found[want["request"]] = (want["n"], want["deployment"], want["reference"] or 0)
    assert list(found) == list(range(1, len(found) + 1)), "requests are not numbered from 1 on"
    return found.values()


def main(folder, asked, out):
    folder = pathlib.Path(folder)
    columns = json.loads(metadata(folder / "solver/start.safetensors")["features"])
    rows = []
    for path in sorted(folder.glob("night-*.csv")):
        with open(path, newline="") as stream:
            rows += list(csv.DictReader(stream))
    scaled = lambda row: [(float(row[c["name"]]) - c["mean"]) / c["scale"] for c in columns]
    with open(out, "wb") as stream:
        for n, deployment, reference in requests_of(asked):
            records, references = [], {}
            while len(records) < n or (reference and len(references) < n):
                row = rows.pop(0)
                if int(row["deployment"]) == deployment:
                    records.append(row)
                else:
                    assert int(row["deployment"]) == reference
                    references[row["customer"]] = row
            stream.write(struct.pack("=2Q", n, reference > 0))
            values = [v for row in records for v in scaled(row)] + [float(row["default"]) for row in records]
            if reference:
                values += [v for row in records for v in scaled(references[row["customer"]])]
            stream.write(struct.pack(f"={len(values)}d", *values))
    assert not rows, "more was told than was wanted"


main(*sys.argv[1:])
