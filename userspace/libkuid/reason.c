// SPDX-License-Identifier: MIT
/* Why something is not held, in words. */
#include <errno.h>

#include "layout.h"

/* By bit. */
static const struct {
	uint64_t reason;
	const char *text;
} reasons[] = {
	{ KUID_REASON_STAMPS_HALF_SPEED,
	  "The clock of v1, v6 and v7 goes at half speed, because the wall clock is behind: it was set "
	  "back, or a higher time was restored." },
	{ KUID_REASON_SLOTS_HALF_SPEED,
	  "The clock of lex, k64, k96 and k128 goes at half speed, because the wall clock is behind: it "
	  "was set back, or a higher time was restored." },
	{ KUID_REASON_COARSE_CLOCK,
	  "The system's clock ticks more slowly than every microsecond." },
	{ KUID_REASON_NO_STATE,
	  "No saved state was restored since the module was loaded." },
	{ KUID_REASON_FIXED_NODE,
	  "The node of v1, v6 and v7 was given, and no saved state was restored." },
	{ KUID_REASON_NO_VM_FORK,
	  "It is not noticed if this virtual machine is cloned or restored." },
	{ KUID_REASON_RANDOM_NOT_READY,
	  "The kernel's random generator is not ready, so there is no ID yet." },
	{ KUID_REASON_FORCED_CLOCK,
	  "The clock was forced, so lex, k64, k96 and k128 IDs may come a second time." },
	{ KUID_REASON_PAST_CEILING,
	  "State was restored, and the time has come to the ceiling that stable storage covers, or "
	  "there is none yet." },
	{ KUID_REASON_STALE_IDENTITY,
	  "This machine may be a clone, and a node or worker that was given is not confirmed for it." },
};

const char *kuid_reason_text(uint64_t reason)
{
	if (!reason || reason & (reason - 1)) {
		errno = EINVAL;
		return NULL;
	}
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].reason == reason)
			return reasons[i].text;
	return "There is a reason that this version of libkuid does not know.";
}
