#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kuid cdi with a device that is not there: the specification that it prints or writes, and what it
# leaves if it fails. Prints KTAP. Needs what fake_device.sh does, and must be given with its path.

# shellcheck source=SCRIPTDIR/../fake_device.sh
. "${0%/*}/../fake_device.sh"
dir=$FAKE/cdi
file=$dir/kuid.json

begin_test()
{
	rm -rf "$dir"
	mkdir "$dir"
	rm -f "$FAKE/vmclock"
	echo lacking 0 | begin_device
}

run()
{
	LD_PRELOAD=$FAKE_DEVICE kuid cdi "$@"
}

formats()
{
	kuid gen --help | sed -n 's/^.*--format=\([^ ]*\).*/\1/p' | tr '|' ' '
}

devices()
{
	sed -n 's/^ *"name": "\(.*\)",$/\1/p' "$out" | tr '\n' ' '
}

# The paths of a device.
paths()
{
	sed -n "/^ *\"name\": \"$1\",\$/,/^ *\]\$/s/^ *\"path\": \"\(.*\)\",\$/\1/p" "$out"
}

node()
{
	cat <<-NODE
		          {
		            "path": "$1",
		            "fileMode": 292,
		            "permissions": "r"
		          }
	NODE
}

device()
{
	cat <<-DEVICE
		    {
		      "name": "$1",
		      "containerEdits": {
		        "deviceNodes": [
	DEVICE
	shift
	while [ $# -gt 1 ]; do
		node "$1" | sed '$s/$/,/'
		shift
	done
	node "$1"
	printf '        ]\n      }\n    }'
}

# The device files of a format.
files()
{
	echo "/dev/kuids/$1" "/dev/kuids/$1.txt" "/dev/kuids/host/$1" "/dev/kuids/host/$1.txt"
}

# The kernel makes v1 and v6 alone.
v1_and_v6()
{
	echo lacking $((~6)) >"$FAKE/device"
}

prints_specification()
{
	v1_and_v6
	{
		printf '{\n  "cdiVersion": "0.3.0",\n  "kind": "kuid/id",\n  "devices": [\n'
		v1="/dev/kuid $(files v1)" v6=$(files v6)
		# shellcheck disable=SC2086 # each word is a path
		{
			device all $v1 $v6
			echo ,
			device v1 $v1
			echo ,
			device v6 $v6
		}
		printf '\n  ]\n}\n'
	} >"$work/want.cdi"
	prints "$(cat "$work/want.cdi")"
}

# Private lanes use it, whichever device a container has.
has_vmclock()
{
	: >"$FAKE/vmclock"
	run >"$out" && [ "$(grep -c '/dev/vmclock0' "$out")" -eq 1 ] &&
		tr -d ' \n' <"$out" | grep -qF "]}}],\"containerEdits\":{\"deviceNodes\":[$(
			node /dev/vmclock0 | tr -d ' \n')]}}"
}

has_all_formats()
{
	run >"$out" || return
	[ "$(devices)" = "all $(formats) " ] || return
	for format in $(formats); do
		for path in $(files "$format"); do
			paths "$format" | grep -Fqx "$path" || return
		done
		paths "$format" >>"$work/of_formats"
	done
	paths all | diff - "$work/of_formats"
}

# It has no number that another load of the module would change.
has_no_numbers()
{
	run >"$out" && ! grep -q 'major\|minor\|hostPath' "$out"
}

writes()
{
	run >"$work/want" && (umask "$1" && run --output "$file" >"$out" 2>"$err") &&
		[ ! -s "$out" ] && [ ! -s "$err" ] && cmp "$work/want" "$file" &&
		[ "$(stat -c %a "$file")" = 644 ] && [ "$(ls "$dir")" = kuid.json ]
}

# A runtime that has the file open reads what it began with.
replaces_as_a_whole()
{
	v1_and_v6
	run --output "$file" && cp "$file" "$work/before" && exec 3<"$file" || return
	echo lacking 0 >"$FAKE/device"
	run --output "$file" && ! cmp -s "$file" "$work/before" && cmp "$work/before" /dev/fd/3
	result=$?
	exec 3<&-
	return $result
}

writes_here()
{
	(cd "$dir" && run --output kuid.json) && [ -s "$file" ]
}

makes_no_file()
{
	while_set FAKE_OPEN 2 fails 1 'modprobe kuid' --output "$file" && [ -z "$(ls "$dir")" ]
}

# All of it is still to be written when the tool ends.
short_to_full_disk()
{
	v1_and_v6
	to_full_disk
}

# FAIL TEXT: the file is as it was, and alone.
leaves_file()
{
	echo before >"$file"
	while_set FAKE_FAIL "$1" fails 1 "$2" --output "$file" && [ "$(cat "$file")" = before ] &&
		[ "$(ls "$dir")" = kuid.json ]
}

# COMMAND...: makes what is at the file's name, which is left alone.
refuses_other_than_file()
{
	"$@" && find "$dir" -ls >"$work/before" &&
		fails 1 "$file is not a regular file" --output "$file" &&
		find "$dir" -ls | cmp - "$work/before"
}

it "the specification" prints_specification
it "all formats, and all of their files together" has_all_formats
it "the device for private lanes, if the machine has it" has_vmclock
it "no major number" has_no_numbers
it "a file" writes 022
it "a file that anyone may read" writes 0777
it "a file is replaced as a whole" replaces_as_a_whole
it "a file in the current directory" writes_here

it "no space for the file" leaves_file 'fsync 1 28' "writing $file: No space left on device"
it "the mode can't be set" leaves_file 'chmod 1 1' "writing $file: Operation not permitted"
try fails 1 "making a file beside $dir/none/kuid.json: No such file" --output "$dir/none/kuid.json"
it "a file for a directory" fails 1 'Not a directory' --output "$FAKE/device/kuid.json"
it "a directory is no file" refuses_other_than_file mkdir "$file"
it "a symbolic link is no file" refuses_other_than_file ln -s nowhere "$file"
it "a pipe is no file" refuses_other_than_file mkfifo "$file"
it "an empty name" fails 2 '"" names no file' --output ''
it "a name with nothing behind the slash" fails 2 "\"$dir/\" names no file" --output "$dir/"
it "a name that runtimes don't read" fails 2 "\"$dir/kuid\" does not end in .json" --output "$dir/kuid"
it "a name that is too short" fails 2 '"json" does not end in .json' --output json
it "an argument is refused" fails 2 'unexpected argument "v7"' v7

it "no device: how to load the module" while_set FAKE_OPEN 2 fails 1 'modprobe kuid'
it "no permission" while_set FAKE_OPEN 13 fails 1 '/dev/kuid: Permission denied'
it "no device: no file" makes_no_file
try while_set FAKE_FAIL 'query 2 5' fails 1 'reading which formats there are: Input/output error'
it "a full disk is told" to_full_disk
it "a full disk is told at the end" short_to_full_disk
finish
