#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Demonstrates in the guest what /dev/kuid gives: to the shell, to the tool, to the library, and to
# readers on all CPUs at once. Fails if one of them fails, or if an ID is given twice.

set -e
ids=/tmp/ids
each=50000

title()
{
	printf '\n== %s\n' "$*"
}

# Converts 16 bytes a line into canonical text.
as_text()
{
	od -A n -v -t x1 | sed -E \
		's/ //g; s/^(.{8})(.{4})(.{4})(.{4})(.{12})$/\1-\2-\3-\4-\5/'
}

insmod /lib/kuid.ko snowflake_worker=17
title "kernel $(uname -r), module kuid $(cat /sys/module/kuid/version), $(nproc) CPUs"
ls -l /dev/kuid

title "any program: head -c 64 /dev/kuid | od -A n -t x1"
head -c 64 /dev/kuid >$ids.bin
od -A n -t x1 $ids.bin
as_text <$ids.bin >$ids

title "the tool: kuid gen -n 3"
kuid gen -n 3 | tee -a $ids

title "every format, as text: head -n 2 /dev/kuids/*.txt"
for file in /dev/kuids/*.txt; do
	echo "$file"
	head -n 2 "$file"
done

title "what is in one: kuid inspect ID"
kuid inspect "$(kuid gen -f k96)"

title "the library: examples/many.c"
/examples/many | tee -a $ids

title "the same IDs as util-linux explains them: uuidparse"
uuidparse <$ids

title "2 readers on each CPU at once, $each IDs a reader"
for cpu in $(seq 0 $(($(nproc) - 1))); do
	for reader in 1 2; do
		taskset -c "$cpu" kuid gen -n $each >"$ids.$cpu.$reader" &
	done
done
wait
made=$(cat $ids.*.* | wc -l)
different=$(cat $ids.*.* | sort -u | wc -l)
echo "$made IDs, $((made - different)) repeated"
rm $ids.*.*
[ "$made" -eq $((2 * $(nproc) * each)) ] && [ "$made" -eq "$different" ]

title "to try yourself: kuid gen -f v7 -n 5; head -c 16 /dev/kuid | od -A n -t x1; dmesg | tail"
