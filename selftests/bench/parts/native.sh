#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Nanoseconds of IDs that a process makes, on this machine, by generators in C, Rust, Go, Python and
# Node.js.
# libuuid finds uuidd at one place only, which needs root; without it that row is left out.

set -o pipefail
bench=$1 peers=${0%/*}/../peers
python=$("${0%/*}/../../vm/fetch.sh" python3.14) || exit
trap 'rm -f /dev/shm/kuid-bench' EXIT

# As a ratio to the first row, the reading of the clock.
{
	"$bench/root/bench/makers" native "$bench/root/bench" && "$bench/google_uuid" ns &&
		python3 "$peers/python.py" 4 && "$python/bin/python3.14" "$peers/python.py" 7 &&
		{ [ ! -d "$bench/node_modules" ] || NODE_PATH=$bench/node_modules node "$peers/npm_uuid_v7.js" ns; }
} | awk -F '\t' -v OFS='\t' '
	NF > 2 { print; if (!clock) clock = $4; next }
	{ print "native", $1, "ns an ID", $2; print "native", $1, "clock reads", sprintf("%.2f", $2 / clock) }
	END { exit !clock }' || exit
[ "$(id -u)" -eq 0 ] && [ ! -e /run/uuidd ] || exit 0
runtime=$("${0%/*}/../../vm/fetch.sh" uuid-runtime) && mkdir /run/uuidd || exit
"$runtime/sbin/uuidd" --no-fork --no-pid --quiet &
status=0
while [ $status -eq 0 ] && [ ! -S /run/uuidd/request ]; do
	sleep 0.1
	kill -0 $! || status=1
done
[ $status -ne 0 ] || "$bench/root/bench/makers" native uuidd || status=1
kill $!
wait
rm -r /run/uuidd
exit $status
