#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Counts instructions in the guest, which must have been booted with boot.sh --icount:
#   bench.sh full|quick|vmgenid
# Debian 12's libuuid is at its place, and Debian 13's below /trixie.

status=0

# libuuid ROW FUNCTION [LIBRARY]
libuuid()
{
	/bench/makers count others "$1" instructions "${3:-libuuid.so.1}" "$2" || status=1
}

dropin()
{
	for format in v1 v6 v7; do
		function=uuid_generate_time_$format
		[ $format != v1 ] || function=uuid_generate_time_safe
		/bench/makers count single "$1" $format /lib/kuid/libkuid-uuid.so $function || status=1
	done
}

insmod /lib/kuid.ko snowflake_worker=17 && insmod /lib/kuid_cost.ko || exit
/bench/cost counts "$1" || status=1
[ "$1" != vmgenid ] || exit $status

dropin "drop-in for libuuid"
export LIBKUID_UUID_PRIVATE=1
dropin "drop-in, private lane"

mkdir -p /var/lib/libuuid /run/uuidd /trixie/bench
libuuid "libuuid 2.38, v4" uuid_generate_random
libuuid "libuuid 2.38, v1, state file" uuid_generate_time_safe
cp /bench/makers /trixie/bench/
chroot /trixie /bench/makers count others "libuuid 2.41, v7" instructions libuuid.so.1 \
	uuid_generate_time_v7 || status=1
libuuid "Rust, uuid-rs 1.2, v4" uuid_rs_v4 /bench/uuid_rs.so
libuuid "Rust, uuid-rs 1.2, v7" uuid_rs_v7 /bench/uuid_rs.so
uuidd --quiet || status=1
libuuid "libuuid 2.38, v1, uuidd's cache" uuid_generate_time_safe
exit $status
