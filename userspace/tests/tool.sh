#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kuid(1) as a user meets it: what it prints, its messages and its exit statuses. Prints KTAP.
# Needs the module loaded, root, and kuid on PATH.

out=/tmp/tool.out
err=/tmp/tool.err
uuid='^[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'
nr=0
failed=0

# A test passes if its command succeeds.
it()
{
	nr=$((nr + 1))
	what=$1
	shift
	if "$@"; then
		echo "ok $nr $what"
	else
		echo "not ok $nr $what"
		sed 's/^/# /' $err
		failed=$((failed + 1))
	fi
}

# Prints COUNT well-formed IDs, none twice, and nothing else.
makes()
{
	count=$1
	shift
	kuid "$@" >$out 2>$err &&
		[ ! -s $err ] &&
		[ "$(grep -cE "$uuid" $out)" -eq "$count" ] &&
		[ "$(wc -l <$out)" -eq "$count" ] &&
		[ "$(sort -u $out | wc -l)" -eq "$count" ]
}

# Prints no ID, says TEXT on standard error and exits with STATUS.
fails()
{
	status=$1 text=$2
	shift 2
	"$@" >$out 2>$err
	[ $? -eq "$status" ] && [ ! -s $out ] && grep -qF -- "$text" $err
}

without_device()
{
	unshare -m sh -c 'mount -t tmpfs none /dev && exec kuid gen'
}

to_full_disk()
{
	kuid gen -n "$1" >/dev/full
}

prints()
{
	text=$1
	shift
	kuid "$@" >$out 2>$err && [ ! -s $err ] && grep -qF -- "$text" $out
}

# COUNT IDs of SIZE bytes each as they are.
makes_bytes()
{
	size=$1
	shift
	kuid "$@" >$out 2>$err && [ ! -s $err ] && [ "$(wc -c <$out)" -eq "$size" ]
}

echo "1..44"
it "makes one ID without being asked twice" makes 1
it "gen makes one ID" makes 1 gen
it "-n makes that many" makes 7 gen -n 7
it "--count makes that many" makes 7 gen --count=7
it "options go without the verb" makes 3 -n 3
it "more than a batch" makes 10000 gen -n 10000

not_a_count='is not a count: a whole number from 1'
for count in 0 -1 +1 1x x '' ' 1' 18446744073709551616; do
	it "-n '$count' is refused" fails 2 "\"$count\" $not_a_count" kuid gen -n "$count"
done
for format in v1 v6 v7; do
	uuid="^[0-9a-f]{8}-[0-9a-f]{4}-${format#v}[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\$"
	it "-f $format" makes 5 gen -f $format -n 5
done
uuid='^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{16}$'
it "-f lex" makes 5 gen -f lex -n 5
for sizes in k64:11:8 k96:16:12 k128:22:16; do
	format=${sizes%%:*} sizes=${sizes#*:}
	uuid="^[.0-9A-Z_a-z]{${sizes%:*}}\$"
	it "-f $format" makes 5 gen -f "$format" -n 5
	it "-f $format --binary" makes_bytes $((5 * ${sizes#*:})) gen -f "$format" --binary -n 5
	uuid="^[0-9a-f]{$((2 * ${sizes#*:}))}\$"
	it "-f $format --hex" makes 5 gen -f "$format" --hex -n 5
done
uuid='^[0-9A-F]{8}-[0-9A-F]{4}-1[0-9A-F]{3}-[89AB][0-9A-F]{15}$'
it "--cf" makes 5 gen --cf -n 5
uuid='^[0-9a-f]{32}$'
it "--guid" makes 5 gen --guid -n 5
it "--cf of what is no UUID is refused" fails 2 'cf' kuid gen -f k64 --cf
it "--guid of what is no UUID is refused" fails 2 'guid' kuid gen -f lex --guid
it "an unknown format is refused" fails 2 '"v9"' kuid gen -f v9
it "two forms at once are refused" fails 2 'only one of' kuid gen --hex --binary

# What one verb prints another reads.
inspects()
{
	id=$(kuid gen -f "$1") && kuid inspect "$id" >$out 2>$err && [ ! -s $err ] &&
		grep -qE "^format +$1\$" $out && grep -qF "$id" $out
}
it "inspect reads what gen prints, v7" inspects v7
it "inspect reads what gen prints, k96" inspects k96

it "an argument is refused" fails 2 'unexpected argument "5"' kuid gen 5
it "an unknown option is refused" fails 2 "invalid option -- 'z'" kuid gen -z
it "an unknown verb is refused" fails 2 'no verb "frobnicate"' kuid frobnicate

it "no device: says how to load it" fails 1 'modprobe kuid' without_device
it "a full disk is told, one ID" fails 1 'standard output' to_full_disk 1
it "a full disk is told, many IDs" fails 1 'standard output' to_full_disk 100000

it "--help lists the verbs" prints 'gen ' --help
it "gen --help lists the options" prints '--count=COUNT' gen --help
it "--version is the module's" prints "kuid $(cat /sys/module/kuid/version)" --version
[ $failed -eq 0 ]
