/* SPDX-License-Identifier: GPL-2.0-only */
/* Why something is not held, for people: what that means, and what to do. */
#ifndef KUID_TOOL_REASONS_H
#define KUID_TOOL_REASONS_H

#include <stdint.h>

struct reason {
	uint64_t bit;	    /* KUID_REASON_* */
	const char *name;   /* as sysfs has it */
	const char *text;   /* a sentence that says what is the matter, ... */
	const char *advice; /* ... and what can be done */
};

#define REASONS 11

extern const struct reason reasons[REASONS];

/* Those of status.reasons that are none of the above. */
uint64_t reasons_unknown(uint64_t bits);

#endif /* KUID_TOOL_REASONS_H */
