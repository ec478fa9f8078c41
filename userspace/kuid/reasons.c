// SPDX-License-Identifier: GPL-2.0-only
/* See reasons.h. */
#include <linux/kuid.h>

#include "reasons.h"

const struct reason reasons[REASONS] = {
	{ KUID_REASON_STAMPS_HALF_SPEED, "stamps_half_speed",
	  "It ends when the wall clock has caught up; \"kuid clock\" tells how far it is." },
	{ KUID_REASON_SLOTS_HALF_SPEED, "slots_half_speed",
	  "It ends when the wall clock has caught up; \"kuid clock\" tells how far it is. "
	  "If the clock had been in the future by mistake and that takes too long, \"kuid clock "
	  "--force-clock --may-repeat\" ends it, with the risk that \"kuid clock --help\" names, and "
	  "undoes a restore." },
	{ KUID_REASON_COARSE_CLOCK, "coarse_clock",
	  "Times in IDs are coarse, not the IDs fewer. Write a name from "
	  "/sys/devices/system/clocksource/clocksource0/available_clocksource to "
	  "current_clocksource beside it, if there is a better one." },
	{ KUID_REASON_NO_STATE, "no_state",
	  "lex, k64, k96 and k128 may repeat IDs of a former boot; where state is required, calls wait "
	  "for it, 30 seconds at most, and then fail. Run \"kuid restore\", or \"kuid restore --fresh\" "
	  "on a machine that made no such IDs before." },
	{ KUID_REASON_FIXED_NODE, "fixed_node",
	  "They may repeat IDs of a former boot, too; where state is required, calls wait for it, 30 "
	  "seconds at most, and then fail. Run \"kuid restore\", or take a random node: \"kuid node "
	  "--node random\"." },
	{ KUID_REASON_NO_VM_FORK, "no_vm_fork",
	  "In a copy take others before it makes IDs, as with \"kuid node --node random --worker "
	  "random\", or use a kernel with CONFIG_VMGENID." },
	{ KUID_REASON_RANDOM_NOT_READY, "random_not_ready",
	  "Wait a few seconds; a virtual machine should have a virtio-rng device." },
	{ KUID_REASON_FORCED_CLOCK, "forced_clock",
	  "Use v1, v6 or v7 until the wall clock has passed the time it was taken back by." },
	{ KUID_REASON_PAST_CEILING, "past_ceiling",
	  "From there on IDs may be repeated after a reboot; where state is required, calls wait for a "
	  "higher one, 30 seconds at most, and then fail. Run \"kuid save\", and again every 30 seconds." },
	{ KUID_REASON_STALE_IDENTITY, "stale_identity",
	  "Formats that use it make no IDs. Run \"kuid node --confirm\" if it is this machine's alone, "
	  "or take others, as with \"kuid node --node random --worker random\"." },
};

uint64_t reasons_unknown(uint64_t bits)
{
	for (unsigned int i = 0; i < REASONS; i++)
		bits &= ~reasons[i].bit;
	return bits;
}
