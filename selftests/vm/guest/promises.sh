#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Counts repeats and IDs out of order, of kuid and of others, in the guest.
# Debian 12's libuuid is at its place, and Debian 13's below /trixie.

status=0

# promises ROW MAKER [LIBRARY FUNCTION]
promises()
{
	/bench/promises "$@" || status=1
}

insmod /lib/kuid.ko || exit
promises "kuid v1, read" v1
promises "kuid v6, read" v6
promises "kuid v7, read" v7
promises "kuid v7, read, order host" v7-host
promises "kuid v6, private lane" v6-lane
promises "kuid v7, private lane" v7-lane
promises "kuid v1, drop-in for libuuid" drop-in /lib/kuid/libkuid-uuid.so uuid_generate_time_safe

rm -rf /var/lib/libuuid
promises "libuuid 2.38, v1, no state file" library libuuid.so.1 uuid_generate_time
mkdir -p /var/lib/libuuid /run/uuidd /trixie/bench
promises "libuuid 2.38, v1, state file" library libuuid.so.1 uuid_generate_time_safe
promises "libuuid 2.38, v4" library libuuid.so.1 uuid_generate_random
cp /bench/promises /trixie/bench/
chroot /trixie /bench/promises "libuuid 2.41, v7" library libuuid.so.1 uuid_generate_time_v7 || status=1
uuidd --quiet || status=1
promises "libuuid 2.38, v1, uuidd's cache" library libuuid.so.1 uuid_generate_time_safe
promises "v7 in the process, random" random-v7
promises "v7 in the process, counter" counted-v7
exit $status
