# SPDX-License-Identifier: MIT
"""Prints IDs, one a line, in canonical text:

    python3 -m kuid [-from SOURCE] [-host] [-turns] [-workers N] [-threads N] [FORMAT [COUNT]]

-turns prints one, or its error, for each line of the standard input. After one ID that
is not printed, -workers forks children which print COUNT each, and -threads begins
threads. The source is printed to the standard error in the end.
"""

import argparse
import os
import sys
import threading
from typing import Callable

import kuid


def run() -> None:
    parser = argparse.ArgumentParser(prog="kuid", allow_abbrev=False)
    parser.add_argument("-from", dest="source", default="auto")
    for flag in "-host", "-turns":
        parser.add_argument(flag, action="store_true")
    for number in "-workers", "-threads":
        parser.add_argument(number, type=int, default=0)
    parser.add_argument("format", nargs="?", default="v7")
    parser.add_argument("count", nargs="?", type=int, default=1)
    args = parser.parse_args()

    ids = kuid.Generator(args.source, "host" if args.host else "file")
    one: Callable[[], kuid.ID] = getattr(ids, args.format.replace("v", "uuid"))

    def line() -> str:
        return kuid.text(one(), args.format)

    def lines() -> None:
        text = "".join([line() + "\n" for _ in range(args.count)])
        # One write, so that lines of several writers don't mix.
        sys.stdout.write(text)
        sys.stdout.flush()

    if args.turns:
        for _ in sys.stdin:
            try:
                print(line(), flush=True)
            except OSError as error:
                print(f"error: {error}", flush=True)
    elif args.workers or args.threads:
        one()
        threads = [threading.Thread(target=lines) for _ in range(args.threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for _ in range(args.workers):
            if not os.fork():
                lines()
                os._exit(0)
        if any([os.wait()[1] for _ in range(args.workers)]):
            sys.exit("a worker failed")
    else:
        lines()
    print("source:", ids.source, file=sys.stderr)


if __name__ == "__main__":
    try:
        run()
    except OSError as error:
        sys.exit(f"kuid: {error}")
