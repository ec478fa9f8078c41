#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Demonstrates in the guest what the device gives to the shell, the tool and the library, and counts
# the repeats and the disorder of other generators beside kuid's. Fails if one of them fails, or if
# kuid breaks a promise.

set -e
ids=/tmp/ids

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
kuid gen -n 3

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

# made_by ROOT NAME MAKER...: how many of 20,000 IDs are repeats and out of order.
made_by()
{
	root=$1
	shift
	chroot "$root" /bench/promises --demonstrate "$@" >/tmp/counts || return
	printf '%-28s' "$1"
	awk -F '\t' '{ printf "%20d", $4 } END { print "" }' /tmp/counts
}

title "20,000 IDs of 8 children whose parent had made one; 20,000 of 2 processes that take turns"
mkdir -p /var/lib/libuuid /trixie/bench
cp /bench/promises /trixie/bench/
printf '%-28s%20s%20s\n' "" "repeats after fork" "out of order"
made_by / "libuuid 2.38, v1" library libuuid.so.1 uuid_generate_time_safe
made_by /trixie "libuuid 2.41, v7" library libuuid.so.1 uuid_generate_time_v7
made_by / "/dev/kuids/host/v7" v7-host
made_by / "kuid's drop-in, v1" drop-in /lib/kuid/libkuid-uuid.so uuid_generate_time_safe

title "to try yourself: kuid gen -f v7 -n 5; head -c 16 /dev/kuid | od -A n -t x1; dmesg | tail"
