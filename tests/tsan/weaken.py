#!/usr/bin/env python3
"""A copy of a source with one memory order weakened: the K-th that is not relaxed, counted from 1.

usage: weaken.py SOURCE K COPY
"""
import re, sys


def main():
    source, k, copy = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    with open(source) as stream:
        text = stream.read()
    orders = list(re.finditer(r"memory_order_(?!relaxed)\w+", text))
    at = orders[k - 1]
    with open(copy, "w") as out:
        out.write(text[:at.start()] + "memory_order_relaxed" + text[at.end():])


main()
