#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The core's unit tests in the kernel: a module of KUnit suites, at the path in KUID_KUNIT. For a
# kernel without KUnit there is no such module. Prints TAP 13 with one result for each unit test.

echo "TAP version 13"
if [ -z "$KUID_KUNIT" ]; then
	echo "1..1"
	echo "ok 1 # SKIP KUID_KUNIT is not set: no KUnit in this kernel"
	exit 4
fi

# The suites run when the module is loaded, and report in the kernel log.
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
	# The results of whole suites are derived from the counts above.
	/^(not )?ok [0-9]+ / || /^# [A-Za-z_]+: pass:/ || /KTAP version/ { next }
	{ print "# " $0 }
	END {
		if (planned)
			print "1.." planned
		exit failed || !planned || ran != planned
	}'
