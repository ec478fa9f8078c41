#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Finds memory leaks, if the kernel has CONFIG_DEBUG_KMEMLEAK, for scripts in the guest that have
# klog.sh:   . /guest/kmemleak.sh; kmemleak_mark; run; kmemleak_check
# kmemleak_check prints the memory leaked since the mark, and fails if there is any or if the kernel
# doesn't check any more. Leaks of the kernel's own code fail no test. $kmemleak_looks is 1 if the
# kernel can check, otherwise 0.

kmemleak=/sys/kernel/debug/kmemleak
kmemleak_looks=0
[ ! -e $kmemleak ] || kmemleak_looks=1

# Scan first: only leaks already found can be cleared.
kmemleak_mark()
{
	[ $kmemleak_looks -eq 1 ] || return 0
	echo scan >$kmemleak
	echo clear >$kmemleak
}

# Scan twice: the first scan may take a stale register for a pointer. Wait first: the kernel never
# reports memory younger than five seconds.
kmemleak_check()
{
	[ $kmemleak_looks -eq 1 ] || return 0
	sleep 6
	if ! { echo scan >$kmemleak && echo scan >$kmemleak; }; then
		echo "# the kernel doesn't check for leaks any more"
		return 1
	fi
	# Linux 6.1 leaks the name of a class that it can't register for lack of memory.
	awk '
		function end()
		{
			if (object && index(object, "] kobject_set_name+") &&
			    index(object, "] __class_register+"))
				others++
			else if (object) {
				printf "%s", object
				lost++
			}
			object = ""
		}
		/^unreferenced object/ { end() }
		{ object = object "# " $0 "\n" }
		END {
			end()
			if (others)
				print "# leaked by the kernel itself: " others " names of classes"
			exit lost != 0
		}' $kmemleak
}
