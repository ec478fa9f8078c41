# SPDX-License-Identifier: MIT
"""The functions of kuid in the order of the whole host, which only the device has."""

from . import _host, _made

__all__ = [
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
]

uuid1 = _made.host.uuid1
uuid6 = _made.host.uuid6
uuid7 = _made.host.uuid7
lex = _made.host.lex
k64 = _made.host.k64
k96 = _made.host.k96
k128 = _made.host.k128
snowflake = _made.host.snowflake
batch = _made.host.batch
guarantees = _host.guarantees
