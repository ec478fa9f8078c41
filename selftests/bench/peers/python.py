# SPDX-License-Identifier: GPL-2.0-only
"""Nanoseconds of UUIDs of Python's own module, of the versions that are named: "ROW<tab>NS".

Without one: a v7 for each line of the standard input.
"""
import statistics
import sys
import timeit
import uuid

ROUNDS = 401
CALLS = 50
python = "Python %d.%d" % sys.version_info[:2]

for version in sys.argv[1:]:
    generate = getattr(uuid, "uuid" + version)
    seconds = timeit.repeat(generate, number=CALLS, repeat=ROUNDS)
    print("%s, v%s\t%.2f" % (python, version, statistics.median(seconds) / CALLS * 1e9))
if not sys.argv[1:]:
    for _ in sys.stdin:
        print(uuid.uuid7(), flush=True)
