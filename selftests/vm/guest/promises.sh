#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tries kuid and other generators where generators fail, in the guest:   promises.sh FORM [twins]
# By itself it counts their repeats and IDs out of order. With "twins" each of them makes IDs after
# this machine was cloned, into memory that the host shares as the PCI device 10; see
# bench/parts/promises.sh. If FORM is demo, it tries the generators of "make run" in the cases that
# this has time for.
# Debian 12's libuuid is at its place, and Debian 13's below /trixie.

status=0 number=0 running='' demonstrate='' ahead=20
[ "$1" != demo ] || demonstrate=--demonstrate ahead=10
device=/sys/bus/pci/devices/0000:00:10.0

# try ROW ROOT SECONDS MAKER...: SECONDS are for the IDs of a twin, so that one follows the other.
try()
{
	row=$1 root=$2 seconds=$3
	shift 3
	if [ ! "$twins" ]; then
		chroot "$root" /bench/makers promises ${demonstrate:+"$demonstrate"} "$row" "$@" || status=1
		return
	fi
	echo "twin $number: $row"
	# It closes its output when it is ready.
	chroot "$root" /bench/makers twin "$number" "$begin" "$@" >/ready 3<>$device/resource2 &
	running="$running $!"
	cat /ready
	number=$((number + 1)) begin=$((begin + seconds))
}

insmod /lib/kuid.ko || exit
mkdir -p /dev/shm /var/lib/libuuid /trixie/bench /cached /stateless
cp /bench/makers /trixie/bench/
# uuidd is there for processes in /cached only, and libuuid's file for all but those in /stateless.
mount --rbind / /cached && mkdir -p /run/uuidd && mount -t tmpfs none /cached/run &&
	mkdir /cached/run/uuidd && chroot /cached uuidd --quiet || exit
mount --bind / /stateless && mount -t tmpfs -o ro none /stateless/var/lib/libuuid || exit
twins=${2:-}
if [ "$twins" ]; then
	echo 1 >$device/enable && mkfifo /ready || exit
	begin=$(($(date +%s) + ahead))
fi

try_all()
{
	try "kuid v1, read" / 2 v1
	try "kuid v6, read" / 2 v6
	try "kuid v7, read" / 2 v7
	try "kuid v6, private lane" / 2 v6-lane
	try "kuid v7, private lane" / 2 v7-lane
	try "libuuid 2.38, v1, no state file" /stateless 5 library libuuid.so.1 uuid_generate_time
	try "libuuid 2.38, v1, state file" / 20 library libuuid.so.1 uuid_generate_time_safe
	try "libuuid 2.38, v4" / 5 library libuuid.so.1 uuid_generate_random
	try "Rust, uuid-rs 1.2, v4" / 2 library /bench/uuid_rs.so uuid_rs_v4
	try "Rust, uuid-rs 1.2, v7" / 2 library /bench/uuid_rs.so uuid_rs_v7
	try "Rust, uuid-rs 1.10, v7" / 2 library /bench/uuid_rs_new.so uuid_rs_v7
	try "Rust, uuid-rs 1.2 with fast-rng, v4" / 2 library /bench/uuid_rs_fast.so uuid_rs_v4
	try "Rust, uuid-rs 1.2 with fast-rng, v7" / 2 library /bench/uuid_rs_fast.so uuid_rs_v7
}

try "libuuid 2.38, v1, uuidd's cache" /cached 3 library libuuid.so.1 uuid_generate_time_safe
try "libuuid 2.41, v7" /trixie 2 library libuuid.so.1 uuid_generate_time_v7
try "v7 by clock and getrandom" / 2 random-v7
try "v7 with a counter, as RFC 9562 has it" / 2 counted-v7
try "v7 by a word in /dev/shm" / 2 shared-v7
try "kuid v7, read, order host" / 2 v7-host
try "kuid v1, drop-in for libuuid" / 3 drop-in /lib/kuid/libkuid-uuid.so uuid_generate_time_safe
[ "$1" = demo ] || try_all

[ ! "$twins" ] || echo "the twins are ready"
for process in $running; do
	wait "$process" || status=1
done
exit $status
