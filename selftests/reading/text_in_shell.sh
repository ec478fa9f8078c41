#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A shell's read takes one byte at a time, and opens the device file again for each line. Each text
# device file must give it one whole ID, in the canonical form of its format; those of the host's
# order above all that another shell has read. Prints KTAP.

# Report a test by name and exit status; 0 is success.
result()
{
	test=$((test + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $test $1"
	else
		echo "not ok $test $1"
		failed=1
	fi
}

# Whether a text is one line of the given form and nothing else.
has_form()
{
	printf '%s\n' "$1" | grep -qE "^$2\$" || { echo "# '$1' is not of the form $2"; return 1; }
}

# Read one line from each of several opens. $1 is the form.
one_line_each()
{
	last=
	for _ in 1 2 3 4 5; do
		read -r id <"$file" || return
		has_form "$id" "$1" || return
		[ "$id" != "$last" ] || { echo "# $id came twice"; return 1; }
		last=$id
	done
}

# Read all lines from one open file.
lines_of_one_file()
{
	{
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			read -r id || return
			has_form "$id" "$1" || return
			echo "$id"
		done
	} <"$file" >"$lines"
	[ "$(sort -u "$lines" | wc -l)" -eq 10 ] || return
	# v1 is the only format whose text doesn't sort like its IDs.
	[ "${file##*/}" = v1.txt ] || LC_ALL=C sort -c "$lines"
}

# Read a line, and let the other shell read the next one.
take_turn()
{
	read -r id <"$file" && echo "$id" && echo >&3 && read -r id <&4 && echo "$id"
}

# Take turns with another shell, which opens the file for itself.
take_turns()
{
	pipe=$lines.turn
	mkfifo "$pipe" "$pipe.back" || return
	while read -r _; do
		read -r id <"$file" || exit
		echo "$id"
	done <"$pipe" >"$pipe.back" &
	exec 3>"$pipe" 4<"$pipe.back"
	rm "$pipe" "$pipe.back"
	for _ in $(seq 100); do
		take_turn || break
	done >"$lines"
	exec 3>&- 4<&-
	wait
	[ "$(wc -l <"$lines")" -eq 200 ] || return
	# The time of v1 is not at the beginning.
	if [ "$format" = v1 ]; then
		sed -E 's/^(.{8})-(.{4})-1(.{3})/\3\2\1/' "$lines"
	else
		cat "$lines"
	fi | LC_ALL=C sort -cu
}

# head reads more at once than the lines it prints.
head_of_it()
{
	head -n 1000 "$file" >"$lines" || return
	[ "$(wc -l <"$lines")" -eq 1000 ] || return
	[ "$(grep -cE "^$1\$" "$lines")" -eq 1000 ] || return
	[ "$(sort -u "$lines" | wc -l)" -eq 1000 ]
}

test=0
failed=0
lines=$(mktemp) || exit
trap 'rm -f "$lines"' EXIT
hex='[0-9a-f]'
digit='[.0-9A-Z_a-z]'

echo "KTAP version 1"
echo "1..32"
for format in v1 v6 v7 lex k64 k96 k128 snowflake; do
	file=/dev/kuids/$format.txt
	case $format in
	v*) form="$hex{8}-$hex{4}-${format#v}$hex{3}-[89ab]$hex{3}-$hex{12}" ;;
	lex) form="$hex{8}-$hex{4}-$hex{4}-$hex{16}" ;;
	k64) form="$digit{11}" ;;
	k96) form="$digit{16}" ;;
	k128) form="$digit{22}" ;;
	snowflake) form="[1-9][0-9]{18}" ;;
	esac
	one_line_each "$form"
	result "$format: read -r id <$file" $?
	lines_of_one_file "$form"
	result "$format: one read after the other" $?
	head_of_it "$form"
	result "$format: head" $?
	file=/dev/kuids/host/$format.txt
	take_turns
	result "$format: two shells take turns by $file" $?
done
exit $failed
