#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compiles the addon by the C compiler alone, with the headers of Node.js: in its own prefix, or
# where Debian's libnode-dev has them.
set -eu
prefix=$(node -p 'path.dirname(path.dirname(process.execPath))')
"${CC:-cc}" -O2 -g -Wall -std=gnu11 -D_GNU_SOURCE -shared -fPIC -fvisibility=hidden \
	-I "$prefix/include/node" -I libkuid -o kuid.node addon.c libkuid/*.c
