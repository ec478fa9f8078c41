#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Machines that are cloned while kuid-claim is in one of its states:   twins.sh KERNEL ROOT
# Each is saved, and restored twice at the same time, with a generation ID each. The twins and other claimers
# want the same numbers of a store on this machine. No ID may be made twice, and the times for which a number
# is used may have nothing in common. Prints KTAP. ROOT is the staging directory of vm-root. Needs what
# claim.sh needs, and STOP_LIB, the library stop_at.so. Must be given with its path. STATES chooses some.

kernel=$1 root=$2
here=${BASH_SOURCE[0]%/*}
vm=$here/../../../selftests/vm
# shellcheck source=SCRIPTDIR/cluster.sh
. "$here/cluster.sh"
# shellcheck source=SCRIPTDIR/server.sh
. "$here/server.sh"
# shellcheck source=SCRIPTDIR/apiserver.sh
. "$here/apiserver.sh"
# shellcheck source=SCRIPTDIR/../../../selftests/vm/monitor.sh
. "$vm/monitor.sh"

die()
{
	echo "$*"
	exit 1
}

make_initrd()
{
	local stage=$work/root/claim

	mkdir -p "$stage" && cp "$CLAIM" "$STOP_LIB" "$here/twin.sh" "$work/ca.pem" "$work/token" "$stage" &&
		"$vm/initramfs.sh" "$work/initrd" "$root" "$kernel/nic" "$work/root"
}

# boot NAME GUID QEMU-ARGUMENT...: a machine that runs twin.sh, in the background; its process is $machine.
boot()
{
	local name=$1 guid=$2

	shift 2
	monitored "$name"
	mkfifo "$work/$name.told".{in,out}
	"$vm/boot.sh" --kernel "$kernel" --initrd "$work/initrd" --mem 512M --smp 1 --timeout 250 \
		--log "$work/$name.log" --known-as "twins.$$" --qemu "$monitored $(generation "$guid") $* \
			-netdev user,id=net -device e1000,netdev=net \
			-chardev pipe,id=told,path=$work/$name.told -device isa-serial,chardev=told,index=1" \
		/claim/twin.sh "$state" --endpoints "$guest_url" --space "$space" "${guest_options[@]}" \
		>"$work/$name.console" 2>&1 </dev/null &
	machine=$!
}

# tell NAME LINE
tell()
{
	echo "$2" >"$work/$1.told.in"
}

is_at_state()
{
	grep -qs "^# at $state" "$work/saved.log" || ! kill -0 "$machine" 2>/dev/null
}

# Compares all IDs, and the times for which a number was used without a break: by the machine before it was
# saved, by each twin, and by each of the other claimers.
compare()
{
	book "$work"/*/out >"$work/book"
	python3 - "$work/book" "$work/one.log" "$work/other.log" <<'PYTHON'
import sys

made, spans = [], []

def read(path, when):
    former = None
    with open(path) as log:
        words = [line.split()[2] for line in log if line.startswith("# %s: " % when)]
    for word in words:
        if word == "none":
            former = None
            continue
        number, ms = int(word) >> 12 & 1023, (int(word) >> 22) + 1288834974657
        if number != former:
            spans.append([number, ms, ms + 1])
        spans[-1][2] = ms + 1
        former = number
        made.append(word)
    return len(words) - words.count("none")

with open(sys.argv[1]) as book:
    for number, first, end, _ in map(str.split, book):
        spans.append([int(number), int(first) * 1000, int(end) * 1000])
counts = read(sys.argv[2], "before"), read(sys.argv[2], "after"), read(sys.argv[3], "after")
spans.sort()
shared = sum(one[0] == next[0] and one[2] > next[1] for one, next in zip(spans, spans[1:]))
twice = len(made) - len(set(made))
print("IDs before and after:", *counts, "twice:", twice, "times:", len(spans), "shared:", shared)
sys.exit(bool(twice or shared or not counts[1] or not counts[2]))
PYTHON
}

# cloned STATE URL [OPTION...]: the URL is that of the store for the machines.
cloned()
(
	state=$1 guest_url=$2 guest_options=(--range 0-3 "${@:3}")
	trap 'stop_all; kill $(jobs -p) 2>/dev/null; wait' EXIT
	for claimer in p q; do
		start $claimer --range 0-3 --horizon 6
	done
	boot saved 11111111-2222-3333-4444-555555555555
	until is_at_state; do
		sleep 0.2
	done
	kill -0 "$machine" || die 'the machine does not come to its state'
	save_machine saved "$work/image"
	wait "$machine"
	twins=()
	for name in one other; do
		boot $name "$(cat /proc/sys/kernel/random/uuid)" "-incoming exec:cat<$work/image"
		twins+=("$machine")
	done
	go_on_restored one
	tell one 0
	go_on_restored other
	tell other 10800
	for claimer in r s; do
		start $claimer --range 0-3 --horizon 6
	done
	sleep 8
	for claimer in p q r s; do
		signal TERM $claimer
		has_stopped $claimer || die "$claimer does not end"
	done
	tell one end
	tell other end
	wait "${twins[0]}" && wait "${twins[1]}" && compare
)

explain()
{
	tail -n 20 "$work/said"
	tail -n 30 "$work"/{saved,one,other}.log | grep -v '^# \(before\|after\)'
	book "$work"/*/out
	tail -n 5 "$work"/[p-s]/err
}

# row WHAT COMMAND...
row()
{
	it "$@"
	grep -h '^IDs before' "$work/said" | sed 's/^/# /'
	rm -rf "$work"/[p-s] "$work"/{saved,one,other}.* "$work/image"
}

set_ports
it 'certificates' make_certificates
# shellcheck disable=SC2119 # without more rows
start_network
it 'three members of etcd' start_cluster
it 'a server of PostgreSQL' make_server
it 'a table' make_table
it 'an API server of Kubernetes' make_api
it 'an image' make_initrd
for state in ${STATES:-LOOK OFFLINE CHECK PICK TAKE SET OWN RAISE LIFT DROP END GIVE}; do
	row "cloned at $state" cloned "$state" "http://10.0.2.2:$(port client_a)"
done
store=$(server_url)
row 'cloned at SET, PostgreSQL' cloned SET "postgresql://claims@10.0.2.2:$server_port/postgres"
# shellcheck disable=SC2119 # at its own port
store=$(api_url) store_options="--cacert $work/ca.pem --password-file $work/token"
row 'cloned at SET, Kubernetes' cloned SET "kubernetes://10.0.2.2:$api_port/$namespace" \
	--cacert /claim/ca.pem --password-file /claim/token
finish
