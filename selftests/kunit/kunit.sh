#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The core's unit tests in the kernel: a module of KUnit suites, whose file KUID_KUNIT names; for a
# kernel without KUnit there is none. Prints KTAP, in which each of their tests is one.

echo "TAP version 13"
if [ -z "$KUID_KUNIT" ]; then
	echo "1..1"
	echo "ok 1 # SKIP KUID_KUNIT names no module, as for a kernel without KUnit"
	exit 4
fi

# They run when it is loaded, and say in the kernel log how that went.
mark="kunit.sh $$"
echo "$mark" >/dev/kmsg
insmod "$KUID_KUNIT" && rmmod kuid_kunit || exit
dmesg | awk -v mark="$mark" '
	{ sub(/^\[ *[0-9.]+\] /, "") }
	$0 == mark { begun = 1; next }
	!begun { next }
	/^    # Subtest: / { suite = $3; next }
	/^    1\.\.[0-9]+$/ { planned += substr($1, 4); next }
	/^    (not )?ok [0-9]+ / {
		ran++
		bad = $1 == "not"
		failed += bad
		sub(/^ *(not )?ok [0-9]+ /, "")
		print (bad ? "not ok " : "ok ") ran, suite ": " $0
		next
	}
	# What a suite comes to is counted above.
	/^(not )?ok [0-9]+ / || /^# [A-Za-z_]+: pass:/ || /KTAP version/ { next }
	{ print "# " $0 }
	END {
		if (planned)
			print "1.." planned
		exit failed || !planned || ran != planned
	}'
