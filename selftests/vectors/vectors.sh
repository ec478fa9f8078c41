#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The published vectors in the kernel: a module that checks them when it is loaded, whose file
# KUID_VECTORS names. Prints KTAP.

echo "TAP version 13"
echo "1..1"
if [ -z "$KUID_VECTORS" ]; then
	echo "ok 1 # SKIP KUID_VECTORS doesn't name the module"
	exit 4
fi
# One that is not met is an error of loading it.
if insmod "$KUID_VECTORS" && rmmod kuid_vectors; then
	echo "ok 1 all vectors are met"
else
	dmesg | grep kuid_vectors | sed 's/^/# /'
	echo "not ok 1 all vectors are met"
	exit 1
fi
