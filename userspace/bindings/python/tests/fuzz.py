# SPDX-License-Identifier: MIT
"""Calls all functions with hostile arguments; check.sh builds the extension with ASan for it."""

import random
import sys
import uuid
from typing import Any, List

import kuid
import kuid.host
from kuid import _kuid

seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.randrange(2**32)
print("seed:", seed)
chance = random.Random(seed)


class Liar(bytes):
    def __len__(self) -> int:
        return 2**62

    def __index__(self) -> int:
        raise RuntimeError("no number")

    __int__ = __bool__ = __index__


names = "v1 v6 v7 lex k64 k96 k128 snowflake uuid".split()
values: List[Any] = [None, True, -1, 0, 1, 8, 2**31, 2**63, 2**64, -(2**63), 1e300, float("nan")]
values += ["", "\0", "\ud800", "v7\0", "x" * 100, b"", bytes(8), bytes(12), bytes(16), bytearray(16)]
values += [memoryview(bytes(32))[::2], Liar(16), Liar, kuid.uuid7, kuid.Generator("local"), [], {}]
values += [uuid.uuid4(), object(), "16", kuid.text(uuid.UUID(int=7 << 76 | 2 << 62)), *names, *names]
ids = kuid.Generator("local")
calls: List[Any] = [kuid.Generator, _kuid.Maker, type("Sub", (kuid.Generator,), {})]
for owner in kuid, kuid.host, _kuid, ids, kuid.Generator, _kuid.Maker:
    calls += [getattr(owner, name) for name in dir(owner) if name[0] != "_" and name != "use"]
calls = [call for call in calls if callable(call)]
for _ in range(100000):
    call = chance.choice(calls)
    args = chance.choices(values, k=chance.randrange(7))
    if getattr(call, "__name__", "") == "batch" and args and isinstance(args[0], int):
        args[0] = min(args[0], 1000)
    words = chance.choices(["wait", "format", "source", "order", "n", "node"], k=chance.randrange(3))
    try:
        call(*args, **{word: chance.choice(values) for word in words if word != "n"})
    except Exception:
        pass
assert ids.uuid7().version == 7
