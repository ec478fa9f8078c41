# SPDX-License-Identifier: GPL-2.0-only
"""Nanoseconds of a UUID of Python's own module: "ROW<tab>NS"."""
import statistics
import sys
import timeit
import uuid

ROUNDS = 401
CALLS = 50
python = "Python %d.%d" % sys.version_info[:2]

for version in ("v1", "v4", "v7"):
    generate = getattr(uuid, "uuid" + version[1:], None)
    if generate:
        seconds = timeit.repeat(generate, number=CALLS, repeat=ROUNDS)
        print("%s, %s\t%.2f" % (python, version, statistics.median(seconds) / CALLS * 1e9))
