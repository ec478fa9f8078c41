# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Reboots, for the tests of saved state that source this, and with it tap.sh: the module is loaded
# again, with the clock set. Needs root, KUID_MODULE and kuid on PATH. $file in the directory $dir is
# the saved state. Such a test ends with "finish_reboots", which leaves the module loaded as it was
# found, but new, and the clock right.

dir=/var/lib/kuid
file=$dir/state
# How many times as long all takes as usual.
patience=${KUID_PATIENCE:-1}
# shellcheck source=SCRIPTDIR/tap.sh
. "${0%/*}/tap.sh"

explain()
{
	tail -n 5 "$out" "$err" "$work/said"
	kuid clock
}

# A reboot: the module is loaded again, with these parameters.
reload()
{
	if [ -e /sys/module/kuid ]; then
		rmmod kuid || return
	fi
	insmod "$KUID_MODULE" "$@"
}

# The clock as it would be, however often it was set, and so many seconds.
set_clock()
{
	read -r up _ </proc/uptime
	date -s "@$((began + ${up%.*} - up_then + $1))" >/dev/null
}

# A value of "kuid clock" or "kuid node".
value()
{
	kuid "$1" | sed -n "s/^$2  *//p"
}

saved()
{
	sed -n 's/^  "ceiling_ns": \([0-9]*\),$/\1/p' $file
}

# The kernel trusts in no more than the file has. Both may be raised or lowered meanwhile.
is_covered()
{
	ceiling=
	until [ "$ceiling" = "$(value clock ceiling_ns)" ]; do
		ceiling=$(value clock ceiling_ns)
		in_file=$(saved)
	done
	[ "$in_file" -ge "$ceiling" ]
}

# Makes IDs of a format within two seconds, or not.
makes()
{
	timeout $((2 * patience)) kuid gen -f "$1" -n "${2:-1}" >"$out" 2>"$err"
}

waits()
{
	! makes "$@" && [ ! -s "$out" ]
}

# A reboot into an empty directory.
begin()
{
	rm -rf $dir
	mkdir -p $dir
	set_clock 0
	reload "$@"
}

finish_reboots()
{
	set_clock 0
	reload
	finish
}

read -r up_then _ </proc/uptime
up_then=${up_then%.*}
began=$(date +%s)
