# SPDX-License-Identifier: MIT
"""The UUIDs of Python itself, where libkuid can't be built."""

import uuid
import warnings
from typing import Any, List


class Generator:
    source = "stock"
    order = "file"

    def __init__(self, source: str = "auto", order: str = "file") -> None:
        if source not in ("auto", "stock") or order != "file":
            raise NotImplementedError("kuid's generators need Linux of 64 bits")
        warnings.warn("kuid: UUIDs are those of the module uuid", RuntimeWarning)

    def __getattr__(self, name: str) -> Any:
        if name in ("uuid1", "uuid6", "uuid7") and hasattr(uuid, name):
            return getattr(uuid, name)
        return self._lacks(name)

    def _lacks(self, name: str) -> Any:
        def lacks(*args: Any) -> Any:
            raise NotImplementedError(f"{name} needs kuid's device, or a newer Python")

        return lacks

    def batch(self, n: int, format: str = "v7") -> List[Any]:
        make = getattr(self, format.replace("v", "uuid"))
        return [make() for _ in range(n)]


ids = Generator()


def __getattr__(name: str) -> Any:
    return getattr(ids, name)
