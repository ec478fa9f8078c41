#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Compare version, variant and time of v1, v6 and v7 with what uuidparse of util-linux says. A
# version of it that knows v6 and v7 is taken from the root directory /trixie, if there is one.
# Prints KTAP.

# 1582-10-15 to 1970-01-01, in ticks of 100 ns (RFC 9562 section 5.1).
unix_ticks=122192928000000000
ids=64

# Set second and microsecond to the time of a UUID, to the precision of its version's timestamp in
# RFC 9562. The finer digits that kuid adds are outside of that timestamp.
time_of()
{
	low=${1%%-*}
	rest=${1#*-}
	mid=${rest%%-*}
	rest=${rest#*-}
	high=${rest%%-*}
	case $high in
	1*) ticks=$((0x${high#1}$mid$low - unix_ticks)) ;;
	6*) ticks=$((0x$low$mid${high#6} - unix_ticks)) ;;
	*) ticks=$((0x$low$mid * 10000)) ;;
	esac
	second=$((ticks / 10000000))
	microsecond=$((ticks % 10000000 / 10))
}

# Whether each line of uuidparse's output, "UUID variant type time", is right for type $1.
check_lines()
{
	while read -r id variant type day clock; do
		if [ "$variant" != DCE ] || [ "$type" != "$1" ]; then
			echo "# $id: variant $variant, type $type"
			return 1
		fi
		time_of "$id"
		own=$(date -u -d "@$second" '+%Y-%m-%d %H:%M:%S'),$(printf '%06d' $microsecond)+00:00
		if [ "$day $clock" != "$own" ]; then
			echo "# $id: $day $clock, not $own"
			return 1
		fi
		if [ "$second" -lt $((before - 1)) ] || [ "$second" -gt $((after + 1)) ]; then
			echo "# $id: second $second, made from $before to $after"
			return 1
		fi
		seen=$((seen + 1))
	done
	[ $seen -eq $ids ] || { echo "# $seen IDs of $ids"; return 1; }
}

# Check a format. Arguments: format, its type in uuidparse's words, command of uuidparse.
check()
{
	test=$((test + 1))
	seen=0
	format=$1
	type=$2
	shift 2
	before=$(date +%s)
	head -n $ids "/dev/kuids/$format.txt" >"$made"
	after=$(date +%s)
	if TZ=UTC0 "$@" -n -o UUID,VARIANT,TYPE,TIME <"$made" >"$parsed" &&
	   check_lines "$type" <"$parsed"; then
		echo "ok $test $format as $* sees it"
	else
		echo "not ok $test $format as $* sees it"
		failed=1
	fi
}

skip()
{
	test=$((test + 1))
	skipped=1
	echo "ok $test $1 # SKIP no uuidparse for it"
}

test=0
failed=0
skipped=0
made=$(mktemp) || exit
parsed=$(mktemp) || exit
trap 'rm -f "$made" "$parsed"' EXIT

echo "KTAP version 1"
echo "1..4"
if command -v uuidparse >/dev/null; then
	check v1 time-based uuidparse
else
	skip v1
fi
newer=/usr/bin/uuidparse
if [ -x /trixie$newer ]; then
	check v1 time-based chroot /trixie $newer
	check v6 time-v6 chroot /trixie $newer
	check v7 time-v7 chroot /trixie $newer
else
	for format in v1 v6 v7; do
		skip $format
	done
fi
[ $failed -eq 0 ] || exit 1
[ $skipped -eq 0 ] || exit 4
