// SPDX-License-Identifier: MIT
/* Why something is not held, in words. */
#include <errno.h>

#include "layout.h"

/* The names of the formats that are made from stamps, and of the others. */
#define NAME(name, ...) " " #name
#define STAMP_FORMATS	KUID_STAMP_FORMATS(NAME)
#define SLOT_FORMATS	KUID_SLOT_FORMATS(NAME)

/* By bit. The names are those of sysfs. */
static const struct reason {
	uint64_t bit;
	const char *name;
	const char *text;
	const char *advice;
} reasons[] = {
	{ KUID_REASON_STAMPS_HALF_SPEED, "stamps_half_speed",
	  "The clock of" STAMP_FORMATS
	  " goes at half speed, because the wall clock is behind: it was set "
	  "back, or a higher time was restored.",
	  "It ends when the wall clock has caught up." },
	{ KUID_REASON_SLOTS_HALF_SPEED, "slots_half_speed",
	  "The clock of" SLOT_FORMATS
	  " goes at half speed, because the wall clock is behind: it was set "
	  "back, or a higher time was restored.",
	  "It ends when the wall clock has caught up. If the clock had been in the future by mistake and "
	  "that takes too long, an administrator can take IDs back, and some may come again when that "
	  "time comes." },
	{ KUID_REASON_COARSE_CLOCK, "coarse_clock",
	  "The system's clock ticks more slowly than every microsecond.",
	  "Times in IDs are coarse, not the IDs fewer. Write a name from "
	  "/sys/devices/system/clocksource/clocksource0/available_clocksource to current_clocksource "
	  "beside it, if there is a better one." },
	{ KUID_REASON_NO_STATE, "no_state",
	  "Nothing tells yet which times IDs had before the module was loaded.",
	  "IDs of" SLOT_FORMATS
	  " may repeat those of a former boot; where state is required, calls "
	  "wait for it, 30 seconds at most, and then fail. Restore the saved state." },
	{ KUID_REASON_FIXED_NODE, "fixed_node",
	  "The node of" STAMP_FORMATS
	  " was given, and nothing tells yet which times they had.",
	  "They may repeat IDs of a former boot, too; where state is required, calls wait for it, 30 "
	  "seconds at most, and then fail. Restore the saved state, or take a random node." },
	{ KUID_REASON_NO_VM_FORK, "no_vm_fork",
	  "It is not noticed if this virtual machine is cloned or restored.",
	  "Give the machine a VMGENID device. In a copy without one take another node and another worker "
	  "before it makes IDs." },
	{ KUID_REASON_RANDOM_NOT_READY, "random_not_ready",
	  "The kernel's random generator is not ready, so there is no ID yet.",
	  "Wait a few seconds; a virtual machine should have a virtio-rng device." },
	{ KUID_REASON_MAY_REPEAT, "may_repeat",
	  "IDs were taken back, and the clock has come to times that they had, so IDs of" SLOT_FORMATS
	  ", and of v1 and v6 with a given node, may come a second time.",
	  "Use one of" STAMP_FORMATS
	  " with a random node until the wall clock has passed these times." },
	{ KUID_REASON_PAST_CEILING, "past_ceiling",
	  "The time has come to the ceiling that stable storage covers.",
	  "From there on IDs may be repeated after a reboot; where state is required, calls wait for a "
	  "higher one, 30 seconds at most, and then fail. Save the state again and again; if a daemon "
	  "does, its messages say why it does not save now." },
	{ KUID_REASON_STALE_IDENTITY, "stale_identity",
	  "This machine may be a clone, and a node or worker that was given is not confirmed for it.",
	  "Formats that use it make no IDs. Confirm it if it is this machine's alone, or take others." },
	{ KUID_REASON_EXPIRED_CLAIM, "expired_claim",
	  "The time has come to the ceiling of the claim, or the claim was ended.",
	  "Formats that show a claimed number make no IDs. If the daemon that has claimed it runs, its "
	  "messages say why it does not raise the ceiling." },
	{ KUID_REASON_K64_MAY_REPEAT, "k64_may_repeat",
	  "This machine may have been set back to an earlier state, so k64 may come a second time.",
	  "Set the clock right, as by NTP, or restore a state that was saved after the last k64. Other "
	  "formats are not concerned." },
};

static const struct reason unknown = {
	.text = "There is a reason that this version of libkuid does not know.",
	.advice = "Use the version that belongs to the module.",
};

static const struct reason *find(uint64_t bit)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].bit == bit)
			return &reasons[i];
	if (bit && !(bit & (bit - 1)))
		return &unknown;
	return NULL;
}

static const char *or_einval(const char *text)
{
	if (!text)
		errno = EINVAL;
	return text;
}

const char *kuid_reason_name(uint64_t reason)
{
	const struct reason *found = find(reason);

	return or_einval(found ? found->name : NULL);
}

const char *kuid_reason_text(uint64_t reason)
{
	const struct reason *found = find(reason);

	return or_einval(found ? found->text : NULL);
}

const char *kuid_reason_advice(uint64_t reason)
{
	const struct reason *found = find(reason);

	return or_einval(found ? found->advice : NULL);
}
