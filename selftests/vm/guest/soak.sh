#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the soak test in the guest, with the options that it is given. Prints KTAP: the test's own,
# and whether the kernel complained and the module can be unloaded after it.

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
/selftests/kuid/soak "$@" 2>&1 | awk '
	{ print "    " $0; fflush() }
	/^ok / && !/# SKIP/ { good = 1 }
	END { exit !good }' || why="it found something"
result "soak" "$why"
why=ok
rmmod kuid || why="rmmod fails"
kmemleak_check || why="memory is lost"
result "nothing is left of it" "$why"
why=ok
klog_check || why="the kernel complained"
result "the kernel had nothing to complain of" "$why"
exit $failed
