#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads a batch of IDs from kuid, and one more as text, and prints them:

    many.py [--fallback] [DEVICE]

If there is no device, it fails, or with --fallback makes the IDs itself.

The device is opened without a buffer. With one, Python reads hundreds of IDs to
return a few; the others are lost, or, after os.fork(), returned in both
processes. Without one, threads and forked processes may share the open file:
its IDs are in order over all of them.
"""

import sys
import time
import uuid

COUNT = 5
SIZE = 16
LINE = 37


def read(path, size):
    with open(path, "rb", buffering=0) as device:
        data = device.read(size)
    # A signal may end a read early.
    if len(data) < size:
        sys.exit(f"many.py: {path} gave {len(data)} of {size} bytes")
    return data


def from_device(path):
    batch = read(path, COUNT * SIZE)
    ids = [uuid.UUID(bytes=batch[at : at + SIZE]) for at in range(0, len(batch), SIZE)]
    line = read(path + ".txt", LINE)
    return ids + [uuid.UUID(line.decode().rstrip())]


def without_kuid():
    """A UUID version 7: a random one that begins with the time in milliseconds."""
    milliseconds = time.time_ns() // 1_000_000
    return uuid.UUID(int=milliseconds << 80 | 7 << 76 | uuid.uuid4().int % (1 << 76))


def main():
    arguments = sys.argv[1:]
    fallback = "--fallback" in arguments
    if fallback:
        arguments.remove("--fallback")
    path = arguments[0] if arguments else "/dev/kuids/v7"

    try:
        ids = from_device(path)
    except FileNotFoundError:
        if not fallback:
            sys.exit(f"many.py: no {path}: load the module kuid, or use --fallback")
        ids = [without_kuid() for _ in range(COUNT)]
    except OSError as error:
        sys.exit(f"many.py: {error.filename}: {error.strerror}")
    print(*ids, sep="\n")


if __name__ == "__main__":
    main()
