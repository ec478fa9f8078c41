#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds kuid-claim and runs its tests, here and with the kernel in a machine:
#   check_claim.sh BUILD KERNEL ROOT
# ROOT is the staging directory of vm-root. Prints KTAP and one line of totals.

set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=SCRIPTDIR/totals.sh
. "$here/totals.sh"
takes "BUILD KERNEL ROOT" "$@"
kernel=$2 root=$3

log=$logs/claim.log
kubernetes=$("$here/../vm/kubernetes.sh") || exit
add_tap make -s -C "$here/../../userspace" O="$build/userspace" KUBERNETES="$kubernetes" check-claim

prepare()
{
	local stage=$build/claim/root tests=$here/../../userspace/tests

	rm -rf "$stage"
	mkdir -p "$stage/claim/tests" || return
	cp "$build/userspace/install/kuid-claim" "$(command -v etcd)" "$(command -v etcdctl)" \
		"$tests/tap.sh" "$build/userspace/tests/claim/shim.so" "$stage/claim" || return
	cp "$here/../claim/guest.sh" "$tests/claim/cluster.sh" "$tests/claim/chaos.sh" "$stage/claim/tests" || return
	"$here/../vm/initramfs.sh" -o "$build/claim/initrd.cpio" "$root" "$kernel/disk" "$stage"
}

log=$logs/claim-kernel.log
if prepare; then
	echo "== Linux $(<"$kernel/release") in QEMU"
	# Without a generation ID no number is free before its ceiling has passed.
	add_tap "$here/../vm/boot.sh" --kernel "$kernel" --initrd "$build/claim/initrd.cpio" --mem 2G \
		--qemu "-device vmgenid,guid=auto" --timeout 1500 /claim/tests/guest.sh
	part claim-trace "the trace of claims" "$here/../claim/check_trace.sh" "$logs/claim-kernel.log"
else
	add 1 0 0 0
fi

part claim-clones "machines that are cloned" \
	make -s -C "$here/../../userspace" O="$build/userspace" KUBERNETES="$kubernetes" KERNEL="$kernel" \
	ROOT="$root" check-claim-clones
totals_end
