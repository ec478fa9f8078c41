# SPDX-License-Identifier: MIT
"""A plain v7, where there is no libkuid: a time that increases, and random bits."""

import errno
import os
import threading
import time
import uuid
from typing import Any, Optional, Tuple

_V7 = 7 << 76 | 2 << 62
SIZES = {"v1": 16, "v6": 16, "v7": 16, "uuid": 16, "lex": 16}
SIZES.update({"k64": 8, "k96": 12, "k128": 16, "snowflake": 8})
LOCAL = "plain"


class _Clock:
    """The last time, in 1/4096 ms."""

    last = 0

    def __init__(self) -> None:
        # A signal handler may make an ID while its own thread holds the lock.
        self.lock = threading.RLock()


_clock = _Clock()
# Another thread may hold the lock at a fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_clock.__init__)  # type: ignore[misc]


def error(number: int) -> OSError:
    return OSError(number, "only kuid's device makes that, and this kuid has no libkuid")


class Handle:
    safe = uuid.SafeUUID.unknown

    def __init__(self, source: str) -> None:
        self.source = source
        if source != LOCAL:
            raise error(errno.ENODEV)

    def make(self, format: str, order: str, count: int, wait: bool) -> bytes:
        _only_v7(format)
        now = time.time_ns() * 4096 // 10**6
        if not 0 <= now < 1 << 60:
            raise OSError(errno.EOVERFLOW, "a v7 doesn't reach the time of the clock")
        with _clock.lock:
            _clock.last = last = max(now, _clock.last + 1)
        tail = int.from_bytes(os.urandom(8), "big") >> 2
        return (last >> 12 << 80 | _V7 | (last & 0xFFF) << 64 | tail).to_bytes(16, "big")

    def guarantees(self, format: str) -> Tuple[bool, bool, bool, str]:
        _only_v7(format)
        return True, True, True, "never"


def _only_v7(format: Optional[str]) -> None:
    if format not in (None, "v7", "uuid"):
        raise error(errno.ENODEV)


def text(format: str, id: bytes) -> str:
    _only_v7(format)
    return str(uuid.UUID(bytes=id))


def parse(format: Optional[str], text: str) -> Tuple[str, bytes]:
    _only_v7(format)
    id = uuid.UUID(text)
    if str(id) != text.lower() or (format == "v7" and id.version != 7):
        raise ValueError(f"no {format or 'ID'}: {text}")
    return format or "uuid", id.bytes


def time_of(format: str, id: bytes, *settings: Any) -> int:
    _only_v7(format)
    return int.from_bytes(id[:6], "big") * 10**6


def edge(high: bool, format: str, ns: int, *settings: Any) -> bytes:
    _only_v7(format)
    return (ns // 10**6 << 80 | _V7 | ((0xFFF << 64 | (1 << 62) - 1) if high else 0)).to_bytes(16, "big")
