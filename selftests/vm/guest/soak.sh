#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the soak test in the guest, with the given options. Prints KTAP: the result of the test,
# whether the module unloads without a leak, and whether the kernel complained.

# shellcheck source=SCRIPTDIR/klog.sh
. /guest/klog.sh
# shellcheck source=SCRIPTDIR/results.sh
. /guest/results.sh
# shellcheck source=SCRIPTDIR/kmemleak.sh
. /guest/kmemleak.sh

export KUID_MODULE=/lib/kuid.ko KUID_CALLERS=/lib/kuid_callers.ko

echo "KTAP version 1"
echo "1..3"
kmemleak_mark
klog_mark
why=ok
/selftests/kuid/soak/soak "$@" 2>&1 | awk '
	{ print "    " $0; fflush() }
	/^ok / && !/# SKIP/ { good = 1 }
	END { exit !good }' || why="the test failed"
result "soak" "$why"
why=ok
rmmod kuid || why="rmmod fails"
kmemleak_check || why="memory leaked"
result "unload without a leak" "$why"
why=ok
klog_check || why="the kernel complained"
result "no complaint of the kernel" "$why"
exit $failed
