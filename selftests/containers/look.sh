#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Prints what a container or unit can do with device files, as lines of a word and more:   look.sh
#   file PATH MODE MAJOR:MINOR      a device file there, with its numbers in hexadecimal
#   id PATH TEXT                    a line read from a text file of kuid, or what head says
#   bytes PATH COUNT                bytes read from a binary one, of 48
#   write PATH MESSAGE              what the shell says if it tries to write to one of kuid
#   load_id ID                      from sysfs

# find -type would take a file that is mounted for what is below it.
find /dev ! -path '/dev/pts/*' -exec stat -c '%F:%n %a %t:%T' {} + |
	sed -n 's/^[a-z]* special file:/file /p' | sort
for path in /dev/kuid /dev/kuids/* /dev/kuids/host/*; do
	[ -c "$path" ] || continue
	case $path in
	*.txt) echo "id $path $(head -n 1 "$path" 2>&1)" ;;
	*) echo "bytes $path $(head -c 48 "$path" 2>/dev/null | wc -c)" ;;
	esac
	echo "write $path $(sh -c 'echo >"$0"' "$path" 2>&1)"
done
echo "load_id $(cat /sys/class/kuid/kuid/load_id)"
