#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Has the kernel check for data races while a program runs:   kcsan.sh PROGRAM [ARG...]
# Fails as well if the kernel didn't check.

kcsan=/sys/kernel/debug/kcsan

# One of KCSAN's counters.
number()
{
	sed -n "s/^$1: //p" $kcsan
}

echo on >$kcsan || exit
before=$(number setup_watchpoints)
"$@"
status=$?
watched=$(($(number setup_watchpoints) - before))
echo "# KCSAN set $watched watchpoints"
[ "$(number enabled)" -eq 1 ] && [ $watched -gt 1000 ] || exit 1
exit $status
