#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Prints results as TAP, for scripts in the guest:   . /guest/results.sh
# $failed is 1 after the first failure.
# shellcheck disable=SC2034 # variables of the sourcing script

test=0
failed=0

# result NAME REASON: REASON is ok or the reason for the failure.
result()
{
	test=$((test + 1))
	if [ "$2" = ok ]; then
		echo "ok $test $1"
	else
		echo "not ok $test $1 # $2"
		failed=1
	fi
}
