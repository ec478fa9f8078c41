#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds kuid-claim and runs its tests, here and with the kernel in a machine:
#   check_claim.sh BUILD KERNEL ROOT
# ROOT is the staging directory of vm-root. Prints KTAP and one line of totals.
# shellcheck disable=SC2154 # takes() sets variables

set -uo pipefail

# shellcheck source=SCRIPTDIR/totals.sh
. "$(dirname "$0")/totals.sh"
takes_build "KERNEL ROOT" "$@"

log=$logs/claim.log
kubernetes=$("$vm/kubernetes.sh") || exit
claim=(make -s -C "$top/userspace" O="$build/userspace" KUBERNETES="$kubernetes")
add_tap "${claim[@]}" check-claim

prepare()
{
	local stage=$build/claim/root tests=$top/userspace/claim/tests

	rm -rf "$stage"
	mkdir -p "$stage/claim/tests" "$stage/tests" || return
	cp "$build/userspace/install/kuid-claim" "$(command -v etcd)" "$(command -v etcdctl)" \
		"$build/userspace/claim/tests/shim.so" "$stage/claim" || return
	cp "$top/userspace/tests/tap.sh" "$stage/tests" || return
	cp "$here/../claim/guest.sh" "$tests/cluster.sh" "$tests/chaos.sh" "$stage/claim/tests" || return
	"$vm/initramfs.sh" "$build/claim/initrd.cpio" "$root" "$kernel/disk" "$stage"
}

log=$logs/claim-kernel.log
if prepare; then
	# Without a generation ID no number is free before its ceiling has passed.
	tap_machine "$kernel" "$build/claim/initrd.cpio" --mem 2G \
		--qemu "-device vmgenid,guid=auto" --timeout 1500 /claim/tests/guest.sh
	part claim-trace "the trace of claims" "$here/../claim/check_trace.sh" "$logs/claim-kernel.log"
else
	add 1 0 0 0
fi

part claim-clones "machines that are cloned" \
	"${claim[@]}" KERNEL="$kernel" ROOT="$root" check-claim-clones
totals_end
