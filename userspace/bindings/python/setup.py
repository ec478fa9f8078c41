# SPDX-License-Identifier: MIT
import re
import sys
from glob import glob
from pathlib import Path

from setuptools import Extension, setup

# Elsewhere, or if it can't be built, the package makes a plain v7.
extension = Extension(
    "kuid._kuid",
    ["src/kuid/_kuid.c", *sorted(glob("libkuid/*.c"))],
    include_dirs=["libkuid"],
    define_macros=[("_GNU_SOURCE", None)],
    extra_compile_args=["-std=gnu11", "-fvisibility=hidden"],
    py_limited_api=True,
    optional=True,
)

header = Path("libkuid/kuid.h").read_text()
setup(
    version=".".join(re.findall(r"#define KUID_VERSION_[A-Z]+ (\d+)", header)),
    ext_modules=[extension] if sys.platform == "linux" and sys.maxsize > 2**32 else [],
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)
