#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Instructions of calls, in a machine that counts them.

exec "${0%/*}/../../vm/boot.sh" --kernel "$2" --initrd "$1/initrd.gz" --timeout 600 --icount \
	/guest/bench.sh "$3"
