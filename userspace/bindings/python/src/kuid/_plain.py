# SPDX-License-Identifier: MIT
"""A plain v7, where there is no libkuid: a time that increases, and random bits."""

import errno
import os
import threading
import time
import types
import uuid
import warnings
from typing import Any, List, Optional, Tuple

_V7 = 7 << 76 | 2 << 62


class _Clock:
    """The last time, in 1/4096 ms."""

    last = 0
    told = False

    def __init__(self) -> None:
        self.lock = threading.Lock()


_clock = _Clock()
# Another thread may hold the lock at a fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_clock.__init__)  # type: ignore[misc]


def _absent(*args: Any, **kwargs: Any) -> Any:
    raise OSError(errno.ENODEV, "only kuid's device makes that, and this kuid has no libkuid")


def _one(**kwargs: Any) -> uuid.UUID:
    if not _clock.told:
        _clock.told = True
        warnings.warn("kuid: no libkuid: UUIDs are in order in this process", RuntimeWarning, 3)
    with _clock.lock:
        _clock.last = last = max(time.time_ns() * 4096 // 10**6, _clock.last + 1)
    tail = int.from_bytes(os.urandom(8), "big") >> 2
    return uuid.UUID(int=last >> 12 << 80 | _V7 | (last & 0xFFF) << 64 | tail)


class Maker:
    __slots__ = ("source", "order")
    uuid1 = uuid6 = lex = k64 = k96 = k128 = snowflake = _absent

    def __init__(self, source: str = "auto", order: str = "file") -> None:
        if source not in ("auto", "device", "private", "local") or order not in ("file", "host"):
            raise ValueError(f'"{source}" or "{order}" is unknown to kuid')
        self.source, self.order = "plain" if (source, order) == ("auto", "file") else source, order

    def uuid7(self, *, wait: bool = True) -> uuid.UUID:
        if self.source != "plain":
            _absent()
        return _one()

    def batch(self, n: int, format: str = "v7", *, wait: bool = True) -> List[Any]:
        if n < 0:
            raise ValueError("n must not be negative")
        return [self.uuid7() if format == "v7" else _absent() for _ in range(n)]


def guarantees(ids: Maker, format: str) -> Tuple[str, str, bool, bool, bool, str]:
    if ids.source != "plain" or format != "v7":
        _absent()
    _clock.told = True
    return ("plain", "file", True, True, True, "never")


def _functions(ids: Maker, module: str) -> Any:
    """Those of a module of the package, which a pickle finds there."""

    def function(name: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            return getattr(ids, name)(*args, **kwargs)

        call.__name__ = call.__qualname__ = name
        call.__module__ = module
        return call

    names = "uuid1 uuid6 uuid7 lex k64 k96 k128 snowflake batch".split()
    return types.SimpleNamespace(**{name: function(name) for name in names})


file, host = _functions(Maker(), "kuid"), _functions(Maker(order="host"), "kuid.host")


def use(ids: Maker, host: Maker) -> None:
    pass


def _only_v7(format: Optional[str]) -> None:
    if format not in (None, "v7", "uuid"):
        _absent()


def text(format: str, id: bytes) -> str:
    _only_v7(format)
    return str(uuid.UUID(bytes=id))


def parse(format: Optional[str], text: str) -> Tuple[str, bytes]:
    _only_v7(format)
    id = uuid.UUID(text)
    if str(id) != text.lower() or (format == "v7" and id.version != 7):
        raise ValueError(f"no {format or 'ID'}: {text}")
    return format or "uuid", id.bytes


def time_of(format: str, id: bytes, setting: int, ours: bool) -> Tuple[int, int]:
    _only_v7(format)
    sec, ms = divmod(int.from_bytes(id[:6], "big"), 1000)
    return sec, ms * 10**6


def edge(high: bool, format: str, sec: int, nsec: int, setting: int, ours: bool) -> bytes:
    _only_v7(format)
    ms = sec * 1000 + nsec // 10**6
    return (ms << 80 | _V7 | (((0xFFF << 64) | (1 << 62) - 1) if high else 0)).to_bytes(16, "big")
