#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The published vectors in the kernel: a module, at the path in KUID_VECTORS, that checks them when
# it is loaded. Prints TAP 13.

echo "TAP version 13"
echo "1..1"
if [ -z "$KUID_VECTORS" ]; then
	echo "ok 1 # SKIP KUID_VECTORS doesn't name the module"
	exit 4
fi
# If a vector fails, loading the module fails.
if insmod "$KUID_VECTORS" && rmmod kuid_vectors; then
	echo "ok 1 all vectors pass"
else
	dmesg | grep kuid_vectors | sed 's/^/# /'
	echo "not ok 1 all vectors pass"
	exit 1
fi
