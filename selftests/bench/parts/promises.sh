#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Repeats and IDs out of order, in a machine with two CPUs. They are chance, so none is held.

[ "$3" = quick ] || exec "${0%/*}/../../vm/boot.sh" --kernel "$2" --initrd "$1/initrd.gz" \
	--smp 2 --timeout 600 --clocksource tsc --append random.trust_cpu=on /guest/promises.sh
