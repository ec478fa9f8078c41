#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The drop-in for libuuid in programs of others: that their IDs come from the device is told by its
# counters, which must go up by as many as were made. Debian 13's uuidgen, which knows v6 and v7, is
# looked for below /trixie, in a root directory of its own; python3 may be there or not, and util-linux'
# own tests are below /util-linux. Prints KTAP. Needs the module loaded, KUID_MODULE, and root; leaves the
# module loaded, but new.

dropin=/lib/kuid/libkuid-uuid.so
counters=/sys/class/kuid/kuid/counters
# shellcheck source=SCRIPTDIR/tap.sh
. "${0%/*}/tap.sh"
newer=/trixie/usr/bin/uuidgen

# As it, if there is a program at PATH.
it_with()
{
	path=$1
	shift
	if [ -x "$path" ]; then
		it "$@"
	else
		skip "$1" "no $path"
	fi
}

# Whether a command succeeds, says nothing on standard error, and takes COUNT IDs of FORMAT.
takes()
{
	count=$1 format=$2
	shift 2
	read -r before <"$counters/$format"
	"$@" >"$out" 2>"$err" || return
	read -r after <"$counters/$format"
	[ ! -s "$err" ] && [ $((after - before)) -eq "$count" ]
}

# Whether all lines are IDs of VERSION behind PREFIX, COUNT of them.
are_ids()
{
	id="^$3[0-9a-f]{8}-[0-9a-f]{4}-$2[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\$"
	[ "$(grep -cE "$id" "$out")" -eq "$1" ] && [ "$(wc -l <"$out")" -eq "$1" ]
}

with()
{
	LD_PRELOAD=$dropin "$@"
}

# The library lies at the same place there.
in_trixie()
{
	with chroot /trixie "$@"
}

consequence='this process makes the UUIDs itself, without the order of the host'
warned()
{
	[ "$(cat "$err")" = "libkuid-uuid: /dev/kuid: No such device; $consequence" ]
}

# A program that has more privileges than its user, if it is owned by another one. It gets the
# library from /etc/ld.so.preload, and no device.
owned_by()
{
	cp ./libuuid_user "$work/owned" && chown "$1" "$work/owned" && chmod 4755 "$work" "$work/owned" &&
		unshare -m sh -c "mount -t tmpfs none /dev && mount -t tmpfs none /etc &&
			echo $dropin >/etc/ld.so.preload &&
			LIBKUID_UUID_FALLBACK=require exec $work/owned time 3" >"$out" 2>"$err"
}

setuid_ignores_the_variable()
{
	! owned_by 0 && [ ! -s "$out" ] && owned_by 65534 && are_ids 3 1 '' && warned
}

uuidgen_makes()
{
	takes 1 "v$1" "$2" uuidgen "$3" && are_ids 1 "$1" ''
}

has_the_node()
{
	with uuidgen -t >"$out" 2>"$err" &&
		[ "$(cut -d - -f 5 "$out")" = "$(cat /sys/class/kuid/kuid/identity/node)" ]
}

# The device makes so many of three.
user_makes()
{
	takes "$1" v1 with ./libuuid_user time_safe 3 && are_ids 3 1 '0 '
}

# A process has made an ID, and 8 children go on. The device makes so many of them.
children()
{
	takes "$1" v1 with ./libuuid_user children 2000 &&
		[ "$(cat "$out")" = "16001 made, 0 repeated, 16001 safe" ]
}

# The module can be unloaded when the program has closed its files. Then the program makes an ID by
# itself, until the module is there again.
holds_the_module()
{
	begin_steps with ./libuuid_user steps && step id && ! rmmod kuid && step id &&
		[ "$(cat "$counters/v1")" -ge 2 ] &&
		step close && rmmod kuid && step id && insmod "$KUID_MODULE" && step id &&
		end_steps && [ "$(cat "$counters/v1")" -eq 1 ] && warned
}

in_lanes()
{
	LIBKUID_UUID_PRIVATE=1 "$@"
}

python='import uuid
for i in range(1000):
    id = uuid.uuid1()
    print(id.is_safe.name, id)'
python_makes()
{
	takes 1000 v1 with python3 -I -S -c "$python" && are_ids 1000 1 'safe ' &&
		[ "$(sort -u "$out" | wc -l)" -eq 1000 ]
}

# One of util-linux' own tests, of the newer version; bash is what they are written for. uuidgen is
# made twice in each way. There are more of libuuid, but not of time-based IDs: uuidd's are about
# uuidd's own, "time" is about the insides of libuuid where the clock stands still, and the others are
# about names.
util_linux()
{
	cat >"$work/uuidgen" <<-END
		#!/bin/sh
		exec chroot /trixie uuidgen "\$@"
	END
	chmod +x "$work/uuidgen"
	cd /util-linux/tests && TS_CMD_UUIDGEN="$work/uuidgen" with bash "ts/uuid/$1" \
		--srcdir=/util-linux --builddir=/util-linux --noskip-commands
}

util_linux_uuidgen()
{
	read -r v6 <$counters/v6
	read -r v7 <$counters/v7
	takes 2 v1 util_linux uuidgen && grep -q OK "$out" &&
		[ $(($(cat $counters/v6) - v6)) -eq 2 ] && [ $(($(cat $counters/v7) - v7)) -eq 2 ]
}

util_linux_parser()
{
	takes 0 v1 util_linux uuid_parser && grep -q OK "$out"
}

if [ -x $newer ]; then
	mkdir -p /trixie/dev "/trixie${dropin%/*}"
	cp $dropin /trixie$dropin
	mount --bind /dev /trixie/dev
	trap 'umount /trixie/dev; rm -rf "$work"' EXIT
fi

it "uuidgen -t" uuidgen_makes 1 with -t
it "its node is kuid's" has_the_node
it "setuid programs ignore the variable" setuid_ignores_the_variable
it_with $newer "newer uuidgen -t" uuidgen_makes 1 in_trixie -t
it_with $newer "newer uuidgen -6" uuidgen_makes 6 in_trixie -6
it_with $newer "newer uuidgen -7" uuidgen_makes 7 in_trixie -7
it "uuid_generate_time_safe calls them safe" user_makes 3
it "8 children of a process that has made one" children 16001
it "the module can be unloaded when the file is closed" holds_the_module
it "in a lane: uuid_generate_time_safe calls them safe" in_lanes user_makes 0
it "in lanes: 8 children of a process that has made one" in_lanes children 0
it_with /usr/bin/python3 "Python's uuid1()" python_makes
it_with /util-linux/test_uuid_parser "util-linux' own test of uuidgen" util_linux_uuidgen
it_with /util-linux/test_uuid_parser "util-linux' own test of reading UUIDs" util_linux_parser
finish || exit 1
[ $skipped -eq 0 ] || exit 4
