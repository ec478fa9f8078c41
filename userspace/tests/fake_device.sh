# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The tool with a device that is not there, for the tests in pure/ that source this, and with it
# tap.sh. Needs kuid on PATH, and the library of fake_device.c as FAKE_DEVICE; that says what the
# files in $FAKE are.

# shellcheck source=SCRIPTDIR/tap.sh
. "${0%/*}/../tap.sh"
FAKE=$work
export FAKE

explain()
{
	tail -n 20 "$out" "$err" "$work/said" "$FAKE/log"
}

run()
{
	LD_PRELOAD=$FAKE_DEVICE kuid "$@"
}

# while_set NAME VALUE COMMAND...: one of the device's variables that make it fail.
while_set()
{
	(
		export "$1=$2"
		shift 2
		"$@"
	)
}

# begin_device: a device with the fields on standard input, that no call was made to.
begin_device()
{
	cat >"$FAKE/device"
	: >"$FAKE/log"
	: >"$out"
	: >"$err"
}

# set_field NAME VALUE...: gives the device other values.
set_field()
{
	while [ $# -gt 0 ]; do
		sed -i "s/^$1 .*/$1 $2/" "$FAKE/device"
		shift 2
	done
}

field()
{
	sed -n "s/^$1 //p" "$FAKE/device"
}
