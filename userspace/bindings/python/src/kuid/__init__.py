# SPDX-License-Identifier: MIT
"""Time-ordered unique IDs of the whole host, from the kernel module kuid.

The functions of this module are those of one Generator, whose source is "auto":
the device, or where there is none this process alone, of which a RuntimeWarning
tells. kuid.source says which of them it has become.
"""

import sys as _sys
import uuid as _uuid
from typing import Any, Optional, Union

if _sys.platform == "linux" and _sys.maxsize > 2**32:
    from . import _kuid as _made
    from ._kuid import Generator as Generator
else:
    from . import _stock as _made  # type: ignore[no-redef]
    from ._stock import Generator as Generator  # type: ignore[assignment]

ID = Union[_uuid.UUID, int, bytes]

uuid1 = _made.uuid1
uuid6 = _made.uuid6
uuid7 = _made.uuid7
lex = _made.lex
k64 = _made.k64
k96 = _made.k96
k128 = _made.k128
snowflake = _made.snowflake
batch = _made.batch


def __getattr__(name: str) -> Any:
    if name == "source":
        return _made.ids.source
    raise AttributeError(f"module 'kuid' has no attribute {name!r}")


def _bytes(id: ID, format: Optional[str]) -> "tuple[str, bytes]":
    if isinstance(id, _uuid.UUID):
        return format or f"v{id.version}", id.bytes
    if format is None:
        raise TypeError("the format of an ID that is no UUID must be given")
    return format, id.to_bytes(8, "big") if isinstance(id, int) else id


def text(id: ID, format: Optional[str] = None) -> str:
    """The canonical text of an ID."""
    return _made.text(*_bytes(id, format))


def time_ns(
    id: ID,
    format: Optional[str] = None,
    setting: Optional[int] = None,
    made_by_kuid: bool = False,
) -> int:
    """The time of an ID, in nanoseconds since 1970, rounded down to what it knows.

    setting: of k96 and k128 their I, of snowflake the milliseconds that it
    counts from. made_by_kuid: kuid made it, so that a v7 has nanoseconds.
    """
    format, id = _bytes(id, format)
    if setting is None:
        setting = 1288834974657 if format == "snowflake" else 8
    return _made.time_ns(format, id, setting, made_by_kuid)
