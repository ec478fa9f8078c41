#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Copies the sources of libkuid that a package compiles into itself:   vendor.sh DIRECTORY
# All *.c there are the library. It needs -I DIRECTORY, -D_GNU_SOURCE and C11, and 64-bit Linux to
# make IDs without the device. With -fvisibility=hidden a package shares no symbol with another libkuid.

set -eu
to=${1:?usage: vendor.sh DIRECTORY}
top=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$to/core" "$to/linux" "$to/kuid"
cp -p "$top"/userspace/libkuid/*.[ch] "$to"
sed -i '/^#pragma GCC visibility/d' "$to/kuid.h"
cp -p "$top"/kmod/core/*.h "$to/core"
cp -p "$top/uapi/linux/kuid.h" "$to/linux"
cp -p "$top/uapi/linux/kuid.h" "$to/kuid/uapi.h"
