/* SPDX-License-Identifier: GPL-2.0-only */
/* What to do when something is not held; the library says what is the matter. */
#ifndef KUID_TOOL_REASONS_H
#define KUID_TOOL_REASONS_H

#include <stdint.h>

struct reason {
	uint64_t bit;	    /* KUID_REASON_* */
	const char *name;   /* as sysfs has it */
	const char *advice; /* sentences */
};

#define REASONS 10

extern const struct reason reasons[REASONS];

/* Those of status.reasons that are none of the above. */
uint64_t reasons_unknown(uint64_t bits);

#endif /* KUID_TOOL_REASONS_H */
