# SPDX-License-Identifier: MIT
"""Time-ordered unique IDs of the whole host, from the kernel module kuid.

The functions of this module are those of one Generator, whose source is "auto":
the device, or where there is none this process alone, of which a RuntimeWarning
tells. The functions of kuid.host have the order of the whole host.
"""

import errno as _errno
import functools as _functools
import operator as _operator
import os as _os
import typing as _t
import warnings as _warnings
from datetime import datetime as _datetime, timedelta as _timedelta, timezone as _timezone
from uuid import UUID as _UUID, SafeUUID as _SafeUUID

if _t.TYPE_CHECKING:
    from . import _libkuid as _made
else:
    try:
        from . import _libkuid as _made
    except (ImportError, OSError):
        from . import _plain as _made

__version__ = "0.1.0"
__all__ = ["Generator", "Guarantees", "ID", "uuid1", "uuid6", "uuid7", "lex", "k64", "k96", "k128"]
__all__ += ["snowflake", "batch", "guarantees", "when_ready", "text", "parse", "time", "time_ns"]
__all__ += ["lowest", "highest"]

ID = _t.Union[_UUID, int, bytes]
Time = _t.Union[_datetime, int]
Source = _t.Literal["auto", "device", "private", "local"]
Order = _t.Literal["file", "host"]
_Stamp = _t.Literal["v1", "v6", "v7"]
_Integer = _t.Literal["k64", "snowflake"]
_Bytes = _t.Literal["lex", "k96", "k128"]
_T = _t.TypeVar("_T")
_F = _t.TypeVar("_F", bound=_t.Callable[..., _t.Any])
_EPOCH = _datetime(1970, 1, 1, tzinfo=_timezone.utc)
# These say that there is no device to be had; all else is an error of a device.
_ABSENT = _errno.ENODEV, _errno.EACCES, _errno.EPERM
_UNKNOWN = _SafeUUID.unknown
_set = object.__setattr__


class Guarantees(_t.NamedTuple):
    """What holds now for a format: see Documentation/bindings.md."""

    source: str
    order: str
    unique: bool
    ordered: bool
    reboot_safe: bool
    clones: str


def _known(format: str) -> str:
    if format not in _made.SIZES or format == "uuid":
        raise ValueError(f'"{format}" is no format of kuid')
    return format


def _id(format: str, id: bytes, safe: _SafeUUID = _UNKNOWN) -> _t.Any:
    """Bytes in the type that IDs of the format have."""
    number = int.from_bytes(id, "big")
    if format not in ("v7", "v6", "v1", "uuid"):
        return number if len(id) == 8 else id
    # Its constructor takes longer than all else.
    uuid = _UUID.__new__(_UUID)
    _set(uuid, "int", number)
    _set(uuid, "is_safe", safe)
    return uuid


class Generator:
    """Generator(source="auto", order="file"): "auto", "device", "private" or "local"."""

    __slots__ = ("order", "_asked", "_handle", "_next", "_told")

    def __init__(self, source: Source = "auto", order: Order = "file") -> None:
        if source not in ("auto", "device", "private", "local"):
            raise ValueError(f'"{source}" is no source of kuid')
        if order not in ("file", "host"):
            raise ValueError(f'"{order}" is no order of kuid')
        if order == "host" and source in ("private", "local"):
            raise ValueError('only the device has the order "host"')
        self.order: Order = order
        self._asked: Source = source
        self._told = False
        self._handle: _t.Optional[_made.Handle] = None
        # The handle after a lost one, and after none.
        self._next: _t.Dict[_t.Optional[_made.Handle], _made.Handle] = {}

    @property
    def source(self) -> str:
        """Where IDs are made: device, private or local; auto before the first one."""
        return self._handle.source if self._handle else self._asked

    def _open(self, format: str, lost: "_t.Optional[_made.Handle]" = None) -> "_made.Handle":
        """The first ID decides what "auto" becomes, for good."""
        source = lost.source if lost else self._asked
        absence = ""
        try:
            handle = _made.Handle("device" if source == "auto" else source)
        except OSError as error:
            local = source == "auto" and self.order == "file" and format in ("v1", "v6", "v7")
            if not local or error.errno not in _ABSENT:
                raise
            handle, absence = _made.Handle(_made.LOCAL), _os.strerror(error.errno)
        # Another thread may have been first. A lock could be held when a child inherits it.
        self._handle = handle = self._next.setdefault(lost, handle)
        if absence and not self._told:
            self._told = True
            text = f"kuid: no device ({absence}): this process makes UUIDs by itself, and only "
            text += "random bits tell them from those of others"
            _warnings.warn(text, RuntimeWarning, 6)
        return handle

    def _make(self, format: str, count: int, wait: bool) -> _t.Tuple["_made.Handle", bytes]:
        lost = None
        while True:
            handle = self._handle
            try:
                if not handle:
                    handle = self._open(format)
                return handle, handle.make(format, self.order, count, wait)
            except InterruptedError:
                # Python has run the handlers.
                continue
            except OSError as error:
                # A program may close the device behind Python's back, as daemons do, and its
                # number may be that of another file.
                if handle and not lost and error.errno in (_errno.EBADF, _errno.ENODEV):
                    lost = handle
                    self._open(format, lost)
                elif error.errno == _errno.EOPNOTSUPP and self._asked == "auto":
                    # Only the device makes the other formats.
                    raise _made.error(_errno.ENODEV) from None
                else:
                    raise

    def _one(self, kind: _t.Type[_T], format: str, wait: bool) -> _T:
        handle, id = self._make(format, 1, wait)
        return _id(format, id, handle.safe)  # type: ignore[no-any-return]

    def uuid1(self, *, wait: bool = True) -> _UUID:
        """A UUID of version 1."""
        return self._one(_UUID, "v1", wait)

    def uuid6(self, *, wait: bool = True) -> _UUID:
        """A UUID of version 6."""
        return self._one(_UUID, "v6", wait)

    def uuid7(self, *, wait: bool = True) -> _UUID:
        """A UUID of version 7."""
        return self._one(_UUID, "v7", wait)

    def lex(self, *, wait: bool = True) -> bytes:
        """A lexical UUID, 16 bytes."""
        return self._one(bytes, "lex", wait)

    def k64(self, *, wait: bool = True) -> int:
        """A k-ordered integer."""
        return self._one(int, "k64", wait)

    def k96(self, *, wait: bool = True) -> bytes:
        """A k-ordered ID, 12 bytes."""
        return self._one(bytes, "k96", wait)

    def k128(self, *, wait: bool = True) -> bytes:
        """A k-ordered ID, 16 bytes."""
        return self._one(bytes, "k128", wait)

    def snowflake(self, *, wait: bool = True) -> int:
        """A snowflake, an integer."""
        return self._one(int, "snowflake", wait)

    @_t.overload
    def batch(self, n: int, format: _Stamp = ..., *, wait: bool = ...) -> _t.List[_UUID]: ...
    @_t.overload
    def batch(self, n: int, format: _Integer, *, wait: bool = ...) -> _t.List[int]: ...
    @_t.overload
    def batch(self, n: int, format: _Bytes, *, wait: bool = ...) -> _t.List[bytes]: ...
    def batch(self, n: int, format: str = "v7", *, wait: bool = True) -> _t.List[_t.Any]:
        """A list of n IDs, which increase; without waiting, of those ready."""
        ids: _t.List[_t.Any] = []
        size = _made.SIZES[_known(format)]
        if _operator.index(n) < 0:
            raise ValueError("n must not be negative")
        while len(ids) < n:
            try:
                handle, made = self._make(format, min(n - len(ids), 256), wait)
            except BlockingIOError:
                # Those before the one that would have to wait are had.
                if not ids:
                    raise
                break
            ids += [_id(format, made[i : i + size], handle.safe) for i in range(0, len(made), size)]
        return ids

    def guarantees(self, format: str = "v7") -> Guarantees:
        """What holds now for IDs of a format. No warning of a missing device follows."""
        self._told = True
        handle = self._handle or self._open(_known(format))
        return Guarantees(handle.source, self.order, *handle.guarantees(_known(format)))


def _function(method: _F, module: str = __name__) -> _F:
    """A method of a generator as a function of a module, where pickles and migrations find it."""

    @_functools.wraps(method)
    def function(*args: _t.Any, **kwargs: _t.Any) -> _t.Any:
        return method(*args, **kwargs)

    function.__module__, function.__qualname__ = module, method.__name__
    return function  # type: ignore[return-value]


_ids = Generator()
uuid1 = _function(_ids.uuid1)
uuid6 = _function(_ids.uuid6)
uuid7 = _function(_ids.uuid7)
lex = _function(_ids.lex)
k64 = _function(_ids.k64)
k96 = _function(_ids.k96)
k128 = _function(_ids.k128)
snowflake = _function(_ids.snowflake)
batch = _function(_ids.batch)
guarantees = _function(_ids.guarantees)


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
        format = format or (f"v{id.version}" if id.version in (1, 6, 7) else "uuid")
        id = id.bytes
    elif format is None:
        raise TypeError("the format of an ID that is no UUID must be given")
    # A subclass of bytes may have another length than it says.
    id = memoryview(id.to_bytes(8, "big") if isinstance(id, int) else id).tobytes()
    size = 16 if format == "uuid" else _made.SIZES[_known(format)]
    if len(id) != size:
        raise ValueError(f"an ID of {format} has {size} bytes, not {len(id)}")
    return format, id


def _setting(format: str, setting: _t.Optional[int]) -> int:
    if setting is None:
        return 1288834974657 if format == "snowflake" else 8
    if not 0 <= setting < 2**64:
        raise OverflowError("the setting is out of range")
    return setting


def text(id: ID, format: _t.Optional[str] = None) -> str:
    """The canonical text of an ID."""
    return _made.text(*_bytes(id, format))


def parse(text: str, format: _t.Optional[str] = None) -> ID:
    """The ID of a canonical text; without a format, of any but a snowflake."""
    return _id(*_made.parse(format and _known(format), text))  # type: ignore[no-any-return]


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
    return _made.time_of(format, id, _setting(format, setting), made_by_kuid)


def time(id: ID, *args: _t.Any, **kwargs: _t.Any) -> _datetime:
    """The time of an ID in UTC, as time_ns(); OverflowError after the year 9999."""
    return _EPOCH + _timedelta(microseconds=time_ns(id, *args, **kwargs) // 1000)


def _edge(high: bool, format: str, time: Time, setting: _t.Optional[int], ours: bool) -> ID:
    if isinstance(time, _datetime):
        time = (time - _EPOCH) // _timedelta(microseconds=1) * 1000
    id = _made.edge(high, _known(format), time, _setting(format, setting), ours)
    return _id(format, id)  # type: ignore[no-any-return]


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
