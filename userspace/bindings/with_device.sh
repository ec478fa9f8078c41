# shellcheck shell=sh
# SPDX-License-Identifier: MIT
#
# Tests of a package with the kernel of fake_device.c, for check.sh of each:   . ../with_device.sh
# $ids is the command that makes IDs, see selftests/bindings/guest.sh.
# shellcheck disable=SC2086,SC2154 # $ids has several words; tap.sh sets work, out and err

# with_device COMMAND...: that kernel fails as $FAKE_FAIL says.
with_device()
{
	rm -rf "$work/fake" && mkdir "$work/fake" && touch "$work/fake/device" &&
		FAKE=$work/fake LD_PRELOAD="$FAKE_DEVICE $LIBKUID" "$@" >"$out" 2>"$err"
}

# hides_libkuid FILE: another libkuid in the process could take the place of functions that it exports.
hides_libkuid()
{
	nm -D "$1" >"$out" && grep -q ' T ' "$out" && ! grep ' T kuid_' "$out"
}

# lacks_lanes ERRNO WORD: ENOTTY of a module without lanes, EPROTONOSUPPORT of one with others.
lacks_lanes()
{
	! FAKE_FAIL="lane 1 $1" with_device $ids -from private v7 &&
		grep "The module is $2 than libkuid" "$err"
}

# fails_without_local ERRNO TEXT
fails_without_local()
{
	! FAKE_FAIL="generate 1 $1" with_device $ids v7 && grep "$2" "$err" && [ ! -s "$out" ]
}

loses_device()
{
	FAKE_LOSE=1 with_device $ids -from device v7 20 && [ "$(sort -u "$out" | wc -l)" = 20 ]
}

# opens_as ERRNO SOURCE: what becomes of auto; no ID if SOURCE is empty.
opens_as()
{
	FAKE_OPEN=$1 with_device $ids v7
	if [ "$2" ]; then
		[ -s "$out" ] && grep -x "source: $2" "$err"
	else
		[ ! -s "$out" ] && ! grep '^source' "$err"
	fi
}

# repeats_nothing FLAG FORMAT: 8 of what the flag begins, after an ID that is not printed.
repeats_nothing()
{
	$ids -from local "$1" 8 "$2" 1000 >"$out" 2>"$err" && [ "$(sort -u "$out" | wc -l)" = 8000 ]
}

check_local()
{
	for flag; do
		for format in v1 v6 v7; do
			it "8 ${flag#-} repeat no $format" repeats_nothing "$flag" "$format"
		done
	done
}

check_device()
{
	it "a module without lanes is too old" lacks_lanes 25 older
	it "a module with other lanes is too new" lacks_lanes 93 newer
	it "a device makes IDs" with_device $ids v7 300
	it "another file takes the place of the device's" loses_device
	it "a device that may not be read leads to local IDs" opens_as 13 local
	it "too many open files are an error" opens_as 24 ''
	it "ESTALE is an error" fails_without_local 116 'may be a clone'
	it "ENODATA is an error" fails_without_local 61 'state=required'
	it "EKEYEXPIRED is an error" fails_without_local 127 'has ended'
	it "EPERM of an ID is an error" fails_without_local 1 'Let this user'
}
