/* SPDX-License-Identifier: GPL-2.0-only */
/* Within which limits the kernel makes IDs. */
#ifndef KUID_TOOL_LIMITS_H
#define KUID_TOOL_LIMITS_H

#include <kuid.h>

#define LIMITS_FORMATS (KUID_FORMAT_K128 + 1)

/* An answer for each format, by its number; format is 0 if it is not made. */
struct limits {
	struct kuid_query of[LIMITS_FORMATS];
};

/* Ask for them, or end with a message. */
void limits_read(struct limits *limits);

#endif /* KUID_TOOL_LIMITS_H */
