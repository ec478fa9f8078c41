# SPDX-License-Identifier: MIT
"""The functions of kuid in the order of the whole host, which only the device has."""

from . import Generator, _function

__all__ = ["uuid1", "uuid6", "uuid7", "lex", "k64", "k96", "k128", "snowflake", "batch"]
__all__ += ["guarantees"]

_ids = Generator(order="host")
uuid1 = _function(_ids.uuid1, __name__)
uuid6 = _function(_ids.uuid6, __name__)
uuid7 = _function(_ids.uuid7, __name__)
lex = _function(_ids.lex, __name__)
k64 = _function(_ids.k64, __name__)
k96 = _function(_ids.k96, __name__)
k128 = _function(_ids.k128, __name__)
snowflake = _function(_ids.snowflake, __name__)
batch = _function(_ids.batch, __name__)
guarantees = _function(_ids.guarantees, __name__)
