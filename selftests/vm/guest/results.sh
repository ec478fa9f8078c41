#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Results as TAP, for scripts in the guest:   . /guest/results.sh
# $failed is 1 once one was bad.
# shellcheck disable=SC2034 # for who sources it

test=0
failed=0

# A name, and ok or what is wrong.
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
