# SPDX-License-Identifier: MIT
"""Nanoseconds of an ID, medians of 31, beside Python's own and reads of files."""

import os
import statistics
import timeit
import uuid

import kuid


def measure(name, call):
    took = timeit.repeat(call, number=2000, repeat=31)
    print(f"{name:32}{statistics.median(took) / 2000 * 1e9:9.0f}", flush=True)


measure("uuid.uuid4", uuid.uuid4)
for path in "/dev/zero", "/dev/urandom":
    file = os.open(path, os.O_RDONLY)
    measure(f"os.read {path}", lambda: os.read(file, 16))
# The device is the last one: where there is none, that is an error.
for source in "local", "device":
    ids = kuid.Generator(source)
    measure(f"kuid {source} v7", ids.uuid7)
    measure(f"kuid {source} v6", ids.uuid6)
