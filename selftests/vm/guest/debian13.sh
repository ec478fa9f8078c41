#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Counts instructions of other generators in the guest, as bench.sh, with the libraries of Debian 12 and,
# below /trixie, with those of Debian 13.

status=0

# count ROOT COLUMN ROW LIBRARY FUNCTION
count()
{
	chroot "$1" /bench/makers count debian13 "$3" "$2" "$4" "$5" || status=1
}

# both ROW LIBRARY FUNCTION
both()
{
	count / "Debian 12" "$@"
	count /trixie "Debian 13" "$@"
}

mkdir -p /var/lib/libuuid /trixie/var/lib/libuuid /trixie/bench /trixie/dev
cp /bench/makers /bench/uuid_rs.so /trixie/bench/
cp /lib/x86_64-linux-gnu/libgcc_s.so.1 /trixie/bench/
mount --bind /dev /trixie/dev
export LD_LIBRARY_PATH=/bench
both "getrandom, 16 bytes" libc.so.6 getrandom
both "libuuid, v4" libuuid.so.1 uuid_generate_random
both "libuuid, v1, state file" libuuid.so.1 uuid_generate_time_safe
count /trixie "Debian 13" "libuuid, v7" libuuid.so.1 uuid_generate_time_v7
both "Rust, uuid-rs 1.2, v4" /bench/uuid_rs.so uuid_rs_v4
both "Rust, uuid-rs 1.2, v7" /bench/uuid_rs.so uuid_rs_v7
exit $status
