#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Prints the binary interface of libkuid, as abidiff reads it:   abi.sh
# The library is built for this, in a temporary directory.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
make -s -C userspace O="$built" CFLAGS=-g "$built/lib/libkuid.so" >&2
abidw --no-corpus-path --no-comp-dir-path --no-show-locs --drop-private-types \
	--headers-dir userspace/libkuid "$built/lib/libkuid.so" |
	sed '1a <!-- SPDX-License-Identifier: MIT -->'
