#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Reads a batch of IDs from kuid as text, and one more, and prints them:
#
#   many.sh [--fallback] [DEVICE]
#
# If there is no device, it fails, or with --fallback makes the IDs itself.
#
# The file is opened once for a batch, because IDs are in order within an open file. With the DEVICE
# /dev/kuids/host/v7 they are in order over all programs that read it. head -n 5 would print as many,
# but it reads further lines and drops them; the shell's read does not.

fallback=false
if [ "$1" = --fallback ]; then
	fallback=true
	shift
fi
device=${1:-/dev/kuids/v7}.txt

fail()
{
	echo "many.sh: $1" >&2
	exit 1
}

# A UUID version 7: a random one that begins with the time, here in seconds.
without_kuid()
{
	read -r random </proc/sys/kernel/random/uuid || exit
	milliseconds=$(printf %012x "$(date +%s)000")
	echo "${milliseconds%????}-${milliseconds#????????}-7${random#???????????????}"
}

if [ ! -e "$device" ]; then
	$fallback || fail "no $device: load the module kuid, or use --fallback"
	for _ in 1 2 3 4 5; do
		without_kuid
	done
	exit
fi

for _ in 1 2 3 4 5; do
	read -r id || fail "$device gave no ID"
	echo "$id"
done <"$device"

read -r id <"$device" || fail "$device gave no ID"
echo "$id"
