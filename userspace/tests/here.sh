#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Loads the module on this machine, tests and measures what disturbs nothing else, unloads it, and
# writes a report that can be sent:   here.sh MODULE KUID REPORT
# Sets no clock, no identity and no state. Refuses to run where kuid is loaded. Needs root. Prints KTAP.

# shellcheck source=SCRIPTDIR/tap.sh
. "${0%/*}/tap.sh"
if [ $# -ne 3 ]; then
	echo "usage: here.sh MODULE KUID REPORT" >&2
	exit 2
fi
module=$1 kuid=$2 report=$3
if [ "$(id -u)" -ne 0 ]; then
	echo "here.sh: loading a module needs root; run: sudo $0 $*" >&2
	exit 1
fi
if [ -e /sys/module/kuid ]; then
	echo "here.sh: kuid is loaded already, and may be in use here; on this machine, see kuid status" >&2
	exit 1
fi
mark="kuid: here.sh $$ begins"

# What the machine is, without names and addresses of its own.
machine()
{
	uname -srvm
	sed -n 's/^PRETTY_NAME=//p' /etc/os-release
	sed -n 's/^model name[^:]*: //p; /^flags.*hypervisor/s/.*/a virtual machine/p' /proc/cpuinfo |
		sort | uniq -c
	for file in class/dmi/id/sys_vendor class/dmi/id/product_name \
		devices/system/clocksource/clocksource0/current_clocksource kernel/realtime; do
		echo "$file: $(cat /sys/$file)"
	done
	echo "tainted: $(cat /proc/sys/kernel/tainted)"
} 2>/dev/null

# Four processes at once make IDs of a format, as these options have it; none comes twice.
unique()
{
	for process in 1 2 3 4; do
		"$kuid" gen -n 5000 "$@" >"$work/ids.$process" &
	done
	wait
	[ "$(sort -u "$work"/ids.? | wc -l)" -eq 20000 ]
}

# Processes that take turns, over the CPUs as the kernel likes.
in_host_order()
{
	for _ in $(seq 200); do
		head -n 1 /dev/kuids/host/v7.txt
	done >"$out"
	[ "$(wc -l <"$out")" -eq 200 ] && LC_ALL=C sort -cu "$out"
}

log_is_clean()
{
	dmesg | sed -n "/$mark/,\$p" >"$work/dmesg"
	[ -s "$work/dmesg" ] && ! grep -E 'WARNING:|BUG:|Oops|Call Trace|blocked for more' "$work/dmesg"
}

tests()
{
	echo "KTAP version 1"
	it "the module is loaded" insmod "$module" snowflake_worker=17
	if [ -e /sys/module/kuid ]; then
		for device in /dev/kuids/*.txt; do
			format=$(basename "$device" .txt)
			it "$format by four processes" unique -f "$format"
		done
		for format in v1 v6 v7; do
			it "$format in private lanes of four processes" unique --private -f "$format"
		done
		it "v7 in the order of the host" in_host_order
		it "uniqueness and order are held" "$kuid" status --check
		"$kuid" status --json >"$work/status"
		"$kuid" bench --ms 100 >"$work/bench" 2>&1
		it "the module is unloaded" rmmod kuid
	fi
	it "the kernel has nothing to complain of" log_is_clean
	finish
}

echo "$mark" >/dev/kmsg
tests | tee "$work/results"
{
	machine
	for part in results status bench dmesg; do
		echo "== $part"
		cat "$work/$part"
	done
} >"$report"
echo "# The report is in $report."
! grep -q '^not ok' "$work/results"
