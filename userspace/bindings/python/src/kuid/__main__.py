# SPDX-License-Identifier: MIT
"""Prints IDs, one a line, in canonical text:

    python3 -m kuid [-from SOURCE] [-host] [-turns] [-check] [-close]
                    [-workers N] [-threads N] [FORMAT [COUNT]]

-turns prints one, or its error, for each line of the standard input. -check
decodes each by the module uuid. -close puts another file in place of the device
before each. After one ID that is not printed, -workers
forks children which print COUNT each, and -threads begins threads. The source
is printed to the standard error in the end.
"""

import argparse
import os
import sys
import threading
import time
import uuid
from typing import Callable, List, Union

import kuid


def check(id: uuid.UUID) -> None:
    """UUID's own reading of its time and version is as libkuid's."""
    ticks = id.time
    if id.version == 6:
        high, low = id.int >> 80, id.int >> 64 & 0xFFF
        ticks = high << 12 | low
    made = id.int >> 80 if id.version == 7 else (ticks - 0x01B21DD213814000) // 10**4
    if not (
        id.variant == uuid.RFC_4122
        and uuid.UUID(str(id)) == id
        and made == kuid.time_ns(id) // 10**6
        and abs(made - time.time_ns() // 10**6) < 10**4
    ):
        sys.exit(f"{id} is wrong")


def lose_device() -> None:
    """As a program does that closes all files and opens others."""
    zero = os.open("/dev/zero", os.O_RDONLY)
    for name in os.listdir("/proc/self/fd"):
        path = f"/proc/self/fd/{name}"
        if os.path.lexists(path) and os.readlink(path).startswith("/dev/kuid"):
            os.dup2(zero, int(name))
    os.close(zero)


def run() -> None:
    parser = argparse.ArgumentParser(prog="kuid", allow_abbrev=False)
    parser.add_argument("-from", dest="source", default="auto")
    parser.add_argument("-host", action="store_true")
    parser.add_argument("-turns", action="store_true")
    parser.add_argument("-check", action="store_true")
    parser.add_argument("-close", action="store_true")
    parser.add_argument("-workers", type=int, default=0)
    parser.add_argument("-threads", type=int, default=0)
    parser.add_argument("format", nargs="?", default="v7")
    parser.add_argument("count", nargs="?", type=int, default=1)
    args = parser.parse_args()

    ids = kuid.Generator(args.source, "host" if args.host else "file")
    one: Callable[[], kuid.ID] = getattr(ids, args.format.replace("v", "uuid"))

    def line() -> str:
        if args.close:
            lose_device()
        id = one()
        if args.check and isinstance(id, uuid.UUID):
            check(id)
        return kuid.text(id, args.format)

    def lines() -> None:
        text: List[str] = [line() for _ in range(args.count)]
        # One write, so that lines of several writers don't mix.
        sys.stdout.write("\n".join(text) + "\n")
        sys.stdout.flush()

    if args.turns:
        for _ in sys.stdin:
            try:
                print(line(), flush=True)
            except OSError as error:
                print(f"error: {error}", flush=True)
    elif args.workers:
        one()
        for _ in range(args.workers):
            if not os.fork():
                lines()
                os._exit(0)
        failed = sum(os.wait()[1] != 0 for _ in range(args.workers))
        if failed:
            sys.exit(f"{failed} workers failed")
    elif args.threads:
        one()
        threads = [threading.Thread(target=lines) for _ in range(args.threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    else:
        lines()
    print("source:", ids.source, file=sys.stderr)


def main() -> None:
    try:
        run()
    except OSError as error:
        sys.exit(f"kuid: {error}")


if __name__ == "__main__":
    main()
