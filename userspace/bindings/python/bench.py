# SPDX-License-Identifier: MIT
"""Nanoseconds of an ID, medians of 31, beside Python's own and reads of files."""

import os
import statistics
import timeit
import uuid

import kuid


def measure(name, call, ids=1):
    number = 2000 // ids
    took = timeit.repeat(call, number=number, repeat=31)
    print(f"{name:32}{statistics.median(took) / number / ids * 1e9:9.0f}", flush=True)


measure("uuid.uuid4", uuid.uuid4)
for path in "/dev/zero", "/dev/urandom":
    file = os.open(path, os.O_RDONLY)
    measure(f"os.read {path}", lambda: os.read(file, 16))
for source in "device", "private", "local":
    ids = kuid.Generator(source)
    try:
        for name in "uuid7", "uuid6":
            measure(f"kuid {source} {name}", getattr(ids, name))
        measure(f"kuid {source} batch(1000)", lambda: ids.batch(1000), 1000)
    except OSError as error:
        print(f"kuid {source}: {error.strerror}")
