#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads a batch of IDs from kuid and prints them: many.py [DEVICE]

The device is opened without a buffer. With one, Python reads hundreds of IDs to
return a few; the others are lost, or, after os.fork(), returned in both
processes. Without one, threads and forked processes may share the open file:
its IDs are in order over all of them.
"""

import sys
import uuid

COUNT = 5
SIZE = 16


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "/dev/kuids/v7"
    try:
        with open(path, "rb", buffering=0) as device:
            batch = device.read(COUNT * SIZE)
    except OSError as error:
        sys.exit(f"many.py: {path}: {error.strerror}")
    # A signal may end a read early, though never within an ID.
    if len(batch) < COUNT * SIZE:
        sys.exit(f"many.py: {path} gave {len(batch)} of {COUNT * SIZE} bytes")

    for start in range(0, len(batch), SIZE):
        print(uuid.UUID(bytes=batch[start : start + SIZE]))


if __name__ == "__main__":
    main()
