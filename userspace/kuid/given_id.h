/* SPDX-License-Identifier: GPL-2.0-only */
/* IDs as they are given to a verb: as arguments, or as lines of input. */
#ifndef KUID_TOOL_GIVEN_ID_H
#define KUID_TOOL_GIVEN_ID_H

#include <kuid.h>

#include "arguments.h"

/* An ID, and what it was found to be. */
struct given_id {
	unsigned int format;
	unsigned char bytes[KUID_ID_MAX];
	unsigned long line; /* of standard input; 0 if it was an argument */
};

/*
 * Do something with each of the IDs, whether arguments or lines of standard
 * input. The first one that is wrong ends it.
 */
void given_id_each(const struct id_arguments *ids,
		   void (*act)(const struct given_id *id, void *data),
		   void *data);

/*
 * End with EXIT_FAILED and a message on what can't be done with an ID, which
 * begins with its line if it has one.
 */
__attribute__((format(printf, 2, 3), noreturn)) void
given_id_wrong(const struct given_id *id, const char *format, ...);

#endif /* KUID_TOOL_GIVEN_ID_H */
