# SPDX-License-Identifier: MIT
"""Calls all functions with hostile arguments; check.sh builds libkuid with ASan for it."""

import random
import sys
import uuid
from typing import Any, List

import kuid
import kuid.host

seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.randrange(2**32)
print("seed:", seed)
chance = random.Random(seed)


class Liar(bytes):
    __slots__ = ()

    def __len__(self) -> int:
        return 16

    def __index__(self) -> int:
        raise RuntimeError("no number")

    __int__ = __bool__ = __index__


names = "v1 v6 v7 lex k64 k96 k128 snowflake uuid".split()
values: List[Any] = [None, True, -1, 0, 1, 8, 2**31, 2**63, 2**64, -(2**63), 1e300, float("nan")]
values += ["", "\0", "\ud800", "v7\0", "x" * 100, b"", bytes(8), bytes(12), bytes(16), bytearray(16)]
values += [memoryview(bytes(32))[::2], Liar(3), Liar, kuid.uuid7, kuid.Generator("local"), [], {}]
values += [uuid.uuid4(), object(), "16", kuid.text(uuid.UUID(int=7 << 76 | 2 << 62)), *names, *names]
ids = kuid.Generator("local")
calls: List[Any] = [kuid.Generator]
for owner in kuid, kuid.host, ids:
    calls += [getattr(owner, name) for name in dir(owner) if name[0] != "_"]
calls = [call for call in calls if callable(call)]
answered = 0
for _ in range(100000):
    call = chance.choice(calls)
    args = chance.choices(values, k=chance.randrange(7))
    if getattr(call, "__name__", "") == "batch" and args and isinstance(args[0], int):
        args[0] = min(args[0], 1000)
    words = chance.choices(["wait", "format", "source", "order", "n", "node"], k=chance.randrange(3))
    try:
        call(*args, **{word: chance.choice(values) for word in words if word != "n"})
        answered += 1
    except Exception:
        pass
assert answered > 1000 and ids.uuid7().version == 7, answered
