#!/usr/bin/env python3
"""Every public function is called with NULL somewhere in tests/unit/test_null.c, so that a new one is not forgotten.

usage: null_list.py SOURCE
"""
import re, sys

ELSEWHERE = {"sprint_plugin_entry"}  # a plugin's, not ours

header = open(sys.argv[1] + "/include/sprint.h").read()
test = open(sys.argv[1] + "/tests/unit/test_null.c").read()
functions = set(re.findall(r"SPRINT_API[^;(]*?\b(sprint_[a-z0-9_]+)\(", header)) - ELSEWHERE
assert len(functions) > 150, "the header cannot be read"
forgotten = sorted(name for name in functions if not re.search(r"\b%s\(" % name, test))
for name in forgotten:
    print("tests/unit/test_null.c does not call", name)
print("%d public functions, %d forgotten" % (len(functions), len(forgotten)))
sys.exit(bool(forgotten))
