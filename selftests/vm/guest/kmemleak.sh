#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Finds memory that nothing points to any more, if the kernel has CONFIG_DEBUG_KMEMLEAK, for scripts
# in the guest that have klog.sh:   . /guest/kmemleak.sh; kmemleak_mark; run; kmemleak_check
# kmemleak_check prints what was lost since the mark, and fails, if anything was, or if the kernel
# does not look any more. What the kernel itself loses is no test's failure. $kmemleak_looks is 0 if
# it has no means to look, and 1 if it has.

kmemleak=/sys/kernel/debug/kmemleak
kmemleak_looks=0
[ ! -e $kmemleak ] || kmemleak_looks=1

# Only what it has found can be cleared.
kmemleak_mark()
{
	[ $kmemleak_looks -eq 1 ] || return 0
	echo scan >$kmemleak
	echo clear >$kmemleak
}

# The first look takes what a register happens to hold for a pointer; and nothing is taken for lost
# that is younger than five seconds, by the kernel's own constant.
kmemleak_check()
{
	[ $kmemleak_looks -eq 1 ] || return 0
	sleep 6
	if ! { echo scan >$kmemleak && echo scan >$kmemleak; }; then
		echo "# the kernel does not look for it any more"
		return 1
	fi
	# Of a class that it has no memory to register 6.1 forgets the name.
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
				print "# lost by the kernel itself: " others " names of classes"
			exit lost != 0
		}' $kmemleak
}
