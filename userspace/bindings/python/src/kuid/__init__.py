# SPDX-License-Identifier: MIT
"""Time-ordered unique IDs of the whole host, from the kernel module kuid.

The functions of this module are those of one Generator, whose source is "auto":
the device, or where there is none this process alone, of which a RuntimeWarning
tells. The functions of kuid.host have the order of the whole host.
"""

import typing as _t
from datetime import datetime as _datetime, timedelta as _timedelta, timezone as _timezone
from uuid import UUID as _UUID

if _t.TYPE_CHECKING:
    from . import _kuid as _made
else:
    try:
        from . import _kuid as _made
    except ImportError:
        from . import _plain as _made

__version__ = "0.1.0"
__all__ = [
    "Generator",
    "Guarantees",
    "ID",
    "uuid1",
    "uuid6",
    "uuid7",
    "lex",
    "k64",
    "k96",
    "k128",
    "snowflake",
    "batch",
    "guarantees",
    "when_ready",
    "text",
    "parse",
    "time",
    "time_ns",
    "lowest",
    "highest",
]

ID = _t.Union[_UUID, int, bytes]
Time = _t.Union[_datetime, int]
_T = _t.TypeVar("_T")
_EPOCH = _datetime(1970, 1, 1, tzinfo=_timezone.utc)

uuid1 = _made.file.uuid1
uuid6 = _made.file.uuid6
uuid7 = _made.file.uuid7
lex = _made.file.lex
k64 = _made.file.k64
k96 = _made.file.k96
k128 = _made.file.k128
snowflake = _made.file.snowflake
batch = _made.file.batch


class Guarantees(_t.NamedTuple):
    """What holds now for a format: see Documentation/bindings.md."""

    source: str
    order: str
    unique: bool
    ordered: bool
    reboot_safe: bool
    clones: str


class Generator(_made.Maker):
    """Generator(source="auto", order="file"): "auto", "device", "private" or "local"."""

    __slots__ = ()

    def guarantees(self, format: str = "v7") -> Guarantees:
        """What holds now for IDs of a format. No warning of a missing device follows."""
        return Guarantees(*_made.guarantees(self, format))


_ids, _host = Generator(), Generator(order="host")
_made.use(_ids, _host)
guarantees = _ids.guarantees


async def when_ready(call: _t.Callable[..., _T], *args: _t.Any) -> _T:
    """The result of call(*args, wait=False), as soon as that need not wait."""
    import asyncio

    delay = 0.001
    while True:
        try:
            return call(*args, wait=False)
        except BlockingIOError:
            await asyncio.sleep(delay)
            delay = min(2 * delay, 0.064)


def _bytes(id: ID, format: _t.Optional[str]) -> _t.Tuple[str, bytes]:
    if isinstance(id, _UUID):
        return format or (f"v{id.version}" if id.version in (1, 6, 7) else "uuid"), id.bytes
    if format is None:
        raise TypeError("the format of an ID that is no UUID must be given")
    return format, id.to_bytes(8, "big") if isinstance(id, int) else id


def _id(format: str, id: bytes) -> ID:
    if format in ("uuid", "v1", "v6", "v7"):
        return _UUID(bytes=id)
    return int.from_bytes(id, "big") if len(id) == 8 else id


def _setting(format: str, setting: _t.Optional[int]) -> int:
    return (1288834974657 if format == "snowflake" else 8) if setting is None else setting


def text(id: ID, format: _t.Optional[str] = None) -> str:
    """The canonical text of an ID."""
    return _made.text(*_bytes(id, format))


def parse(text: str, format: _t.Optional[str] = None) -> ID:
    """The ID of a canonical text; without a format, of any but a snowflake."""
    return _id(*_made.parse(format, text))


def time_ns(
    id: ID,
    format: _t.Optional[str] = None,
    setting: _t.Optional[int] = None,
    made_by_kuid: bool = False,
) -> int:
    """The time of an ID, in nanoseconds since 1970, rounded down to what it knows.

    setting: of k96 and k128 their I, of snowflake the milliseconds that it
    counts from. made_by_kuid: kuid made it, so that a v7 has nanoseconds.
    """
    format, id = _bytes(id, format)
    sec, nsec = _made.time_of(format, id, _setting(format, setting), made_by_kuid)
    return sec * 10**9 + nsec


def time(
    id: ID,
    format: _t.Optional[str] = None,
    setting: _t.Optional[int] = None,
    made_by_kuid: bool = False,
) -> _datetime:
    """The time of an ID in UTC; OverflowError after the year 9999."""
    ns = time_ns(id, format, setting, made_by_kuid)
    return _EPOCH + _timedelta(microseconds=ns // 1000)


def _edge(high: bool, format: str, time: Time, setting: _t.Optional[int], ours: bool) -> ID:
    if isinstance(time, _datetime):
        time = (time - _EPOCH) // _timedelta(microseconds=1) * 1000
    sec, nsec = divmod(time, 10**9)
    return _id(format, _made.edge(high, format, sec, nsec, _setting(format, setting), ours))


def lowest(
    format: str, time: Time, setting: _t.Optional[int] = None, made_by_kuid: bool = False
) -> ID:
    """The lowest ID of a format at a time: a datetime with a zone, or nanoseconds since 1970."""
    return _edge(False, format, time, setting, made_by_kuid)


def highest(
    format: str, time: Time, setting: _t.Optional[int] = None, made_by_kuid: bool = False
) -> ID:
    """The highest one, as lowest()."""
    return _edge(True, format, time, setting, made_by_kuid)
