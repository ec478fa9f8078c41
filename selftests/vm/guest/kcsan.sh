#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Has the kernel look for data races while a program runs:   kcsan.sh PROGRAM [ARG...]
# Fails if it does not look, too.

kcsan=/sys/kernel/debug/kcsan

# A number that it keeps.
number()
{
	sed -n "s/^$1: //p" $kcsan
}

echo on >$kcsan || exit
before=$(number setup_watchpoints)
"$@"
status=$?
watched=$(($(number setup_watchpoints) - before))
echo "# data races were looked for $watched times"
[ "$(number enabled)" -eq 1 ] && [ $watched -gt 1000 ] || exit 1
exit $status
