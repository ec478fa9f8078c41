# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Boots machines with the tests that programs.list has for them, for scripts that source this.
# shellcheck disable=SC2034,SC2154 # variables shared with the sourcing script

# shellcheck source=SCRIPTDIR/totals.sh
. "$(dirname "${BASH_SOURCE[0]}")/totals.sh"
# A network card, for tests of its address, and a device that tells of clones.
card="-device e1000,mac=52:54:00:6b:75:69"
devices="$card -device vmgenid,guid=auto"
# An emulated processor runs the kernel's mitigations as slow code, and has nothing to protect.
fine=(--clocksource tsc --append "preempt=voluntary mitigations=off" --qemu "$devices" --timeout 2400)
coarse=(--clocksource jiffies --append "preempt=full mitigations=off" --qemu "$devices" --timeout 2400)

# programs_of MACHINE...: prints the tests of these machines, each once, with its cases if none of them
# runs all.
programs_of()
{
	awk -v names=" $* " '
		/^#/ { next }
		{
			found = all = 0
			for (i = 2; i <= NF; i++) {
				split($i, part, "=")
				if (index(names, " " part[1] " ")) {
					found = 1
					cases = substr($i, length(part[1]) + 1)
					all = all || cases == ""
				}
			}
		}
		found { print $1 (all ? "" : cases) }' "$here/programs.list"
}

# machine "NAME..." KERNEL INITRD [ARG...]: boots one with the tests of these machines, and with more
# arguments for boot.sh, which may end with words before a command. KUID_ONLY names other tests.
machine()
{
	local programs=${KUID_ONLY:-$(programs_of "$1")}

	# One word, because the kernel passes at most 32 to init.
	add_machine "$2" "$3" "${@:4}" /guest/selftests.sh "${programs//[$' \n']/,}"
}
