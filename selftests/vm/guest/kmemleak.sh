#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Finds memory that nothing points to any more, if the kernel has CONFIG_DEBUG_KMEMLEAK, for scripts
# in the guest that have klog.sh:   . /guest/kmemleak.sh; kmemleak_mark; run; kmemleak_check
# kmemleak_check prints what was lost since the mark, and fails, if anything was.

kmemleak=/sys/kernel/debug/kmemleak

# Only what it has found can be cleared.
kmemleak_mark()
{
	[ -w $kmemleak ] || return 0
	echo scan >$kmemleak
	echo clear >$kmemleak
}

# The first look takes what a register happens to hold for a pointer; and nothing is taken for lost
# that is younger than five seconds, by the kernel's own constant.
kmemleak_check()
{
	[ -w $kmemleak ] || return 0
	sleep 6
	echo scan >$kmemleak
	echo scan >$kmemleak
	kmemleak_lost=$(sed 's/^/# /' $kmemleak)
	[ -n "$kmemleak_lost" ] || return 0
	echo "$kmemleak_lost"
	return 1
}
