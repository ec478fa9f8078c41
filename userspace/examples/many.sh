#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Reads a batch of IDs from kuid and prints them:   many.sh [DEVICE]
# The file is opened once for all of them, because IDs are in order within an open file. head -n 5
# would print as many, but it reads further lines and drops them; the shell's read does not.

device=${1:-/dev/kuids/v7.txt}

for _ in 1 2 3 4 5; do
	if ! read -r id; then
		echo "many.sh: $device gave no ID" >&2
		exit 1
	fi
	echo "$id"
done <"$device"
