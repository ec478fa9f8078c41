# SPDX-License-Identifier: MIT
"""libkuid, which the package has beside this file, by ctypes. Arguments are the package's own."""

import ctypes as c
import errno
import os
import uuid
from pathlib import Path
from typing import Any, Optional, Tuple

# While they run, functions of the second one hold the interpreter's lock, if there is one. A
# single ID takes less time than to release it.
_path = str(Path(__file__).with_name("libkuid.so"))
_free, _locked = c.CDLL(_path, use_errno=True), c.PyDLL(_path, use_errno=True)
_NOWAIT = _FROM_KUID = 1
_ANY_UUID = 0x10000
_FLAGS = {"device": 0, "local": 1, "private": 4}
_ORDERS = {"file": 0, "host": 3}
# What "auto" becomes where there is no device.
LOCAL = "local"


class _Status(c.Structure):
    _fields_ = [
        ("flags", c.c_uint32),
        ("clones", c.c_uint32),
        ("counters", c.c_uint64 * 33),
        ("unique", c.c_uint64),
        ("ordered", c.c_uint64),
        ("reboot_safe", c.c_uint64),
        ("reserved", c.c_uint64 * 27),
    ]


def _function(lib: c.CDLL, name: str, result: Any, *arguments: Any) -> Any:
    function: Any = getattr(lib, "kuid_" + name)
    function.restype, function.argtypes = result, arguments
    return function


_int, _uint, _u64, _size, _at = c.c_int, c.c_uint, c.c_uint64, c.c_size_t, c.c_void_p
_open = _function(_free, "open_flags", _at, _uint, _uint)
_close = _function(_free, "close", None, _at)
_make = _function(_free, "make", c.c_ssize_t, _at, _uint, _uint, _uint, _at, _size)
_make_now = _function(_locked, "make", c.c_ssize_t, _at, _uint, _uint, _uint, _at, _size)
_read_status = _function(_free, "read_status", _int, _at, _at)
_lane_clones = _function(_free, "lane_clones", c.c_uint32, _at)
_advice = _function(_free, "error_advice", c.c_char_p, _int)
_name = _function(_free, "format_name", c.c_char_p, _uint)
_id_size = _function(_free, "format_id_size", _size, _uint)
_text = _function(_free, "text", _int, _uint, _at, _at, _size)
_parse = _function(_free, "parse", _int, _uint, c.c_char_p, _size, _at, _at)
_recognise = _function(_free, "recognise", _int, c.c_char_p, _size, _at, _at)
_time = _function(_free, "time", _int, _uint, _at, _u64, _uint, _at)
_edges = [
    _function(_free, name, _int, _uint, c.c_int64, _uint, _u64, _uint, _at)
    for name in ("lowest_at", "highest_at")
]

_numbers = {_name(number).decode(): number for number in [*range(1, 9), _ANY_UUID]}
_names = {number: name for name, number in _numbers.items()}
SIZES = {name: _id_size(number) for name, number in _numbers.items()}


def error(number: int) -> OSError:
    """An error of the device, with what helps."""
    advice = _advice(number)
    text = os.strerror(number) + (f". {advice.decode()}" if advice else "")
    return OSError(number, text, "/dev/kuid")


class Handle:
    """Makes IDs of all formats."""

    __slots__ = ("source", "safe", "_pointer")

    def __init__(self, source: str) -> None:
        self.source = source
        self.safe = uuid.SafeUUID.unknown if source == LOCAL else uuid.SafeUUID.safe
        # The file of version 1 is that of all formats.
        self._pointer = _open(1, _FLAGS[source])
        if not self._pointer:
            raise error(c.get_errno())

    def __del__(self) -> None:
        _close(self._pointer)

    def make(self, format: str, order: str, count: int, wait: bool) -> bytes:
        """The bytes of IDs: as many as asked for, or fewer."""
        size, made = SIZES[format] * count, -1
        ids: Any = (c.c_char * size)()
        number, pointer = _numbers[format], self._pointer
        if count == 1 or not wait:
            made = _make_now(pointer, number, _ORDERS[order], _NOWAIT, ids, count)
        if made < 0 and wait and (count > 1 or c.get_errno() == errno.EAGAIN):
            made = _make(pointer, number, _ORDERS[order], 0, ids, count)
        if made < 0:
            raise error(c.get_errno())
        raw: bytes = ids.raw
        return raw if made == count else raw[: size // count * made]

    def guarantees(self, format: str) -> Tuple[bool, bool, bool, str]:
        """Whether IDs of a format are unique, ordered, reboot-safe; and how clones are noticed."""
        now = _Status()
        if _read_status(self._pointer, c.byref(now)):
            raise error(c.get_errno())
        clones = _lane_clones(c.byref(now)) if self.source == "private" else now.clones
        unique, ordered, reboot_safe = (
            bool(formats >> _numbers[format] & 1)
            for formats in (now.unique, now.ordered, now.reboot_safe)
        )
        return unique, ordered, reboot_safe, ("never", "seen", "told", "seen")[clones & 3]


def text(format: str, id: bytes) -> str:
    text = c.create_string_buffer(64)
    if _text(_numbers[format], id, text, len(text)):
        raise ValueError(f"not an ID of {format}")
    return text.value.decode()


def parse(format: Optional[str], text: str) -> Tuple[str, bytes]:
    """The format of a text and its bytes."""
    id, where, chars = (c.c_char * 16)(), _size(), text.encode()
    if format:
        number = _numbers[format]
        wrong = _parse(number, chars, len(chars), id, c.byref(where)) != 0
    else:
        number = _recognise(chars, len(chars), id, c.byref(where))
        wrong = number < 0
    if wrong:
        raise ValueError(f"no {format or 'ID'}: it is wrong at character {where.value}")
    return _names[number], id.raw[: SIZES[_names[number]]]


def time_of(format: str, id: bytes, setting: int, ours: bool) -> int:
    """Nanoseconds since 1970."""
    time = (c.c_int64 * 2)()
    if _time(_numbers[format], id, setting, _FROM_KUID if ours else 0, time):
        raise ValueError(f"no ID of {format} with a time")
    return time[0] * 10**9 + time[1]


def edge(high: bool, format: str, ns: int, setting: int, ours: bool) -> bytes:
    """The lowest or highest ID of a format at a time."""
    id: Any = (c.c_char * SIZES[format])()
    sec, nsec = divmod(ns, 10**9)
    far = not -(2**63) <= sec < 2**63
    flags = _FROM_KUID if ours else 0
    if far or _edges[high](_numbers[format], sec, nsec, setting, flags, id):
        far = far or c.get_errno() == errno.ERANGE
        raise (OverflowError if far else ValueError)(f"{format} does not reach that time")
    return bytes(id)
