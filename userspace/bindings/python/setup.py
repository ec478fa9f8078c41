# SPDX-License-Identifier: MIT
import re
import sys
from glob import glob
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from wheel.bdist_wheel import bdist_wheel


class Library(build_ext):
    """libkuid is no module: ctypes loads it."""

    def get_ext_filename(self, name):
        return name.replace(".", "/") + ".so"


class Wheel(bdist_wheel):
    """It serves any Python."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


# Elsewhere, or if it can't be built, the package makes a plain v7.
library = Extension(
    "kuid.libkuid",
    sorted(glob("libkuid/*.c")),
    include_dirs=["libkuid"],
    define_macros=[("_GNU_SOURCE", None)],
    extra_compile_args=["-std=gnu11"],
    # Another libkuid in the process must not take the place of functions that this one calls.
    extra_link_args=["-Wl,-Bsymbolic"],
    optional=True,
)

header = Path("libkuid/kuid.h").read_text()
setup(
    version=".".join(re.findall(r"#define KUID_VERSION_[A-Z]+ (\d+)", header)),
    ext_modules=[library] if sys.platform == "linux" and sys.maxsize > 2**32 else [],
    cmdclass={"build_ext": Library, "bdist_wheel": Wheel},
)
