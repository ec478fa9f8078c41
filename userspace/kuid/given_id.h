/* SPDX-License-Identifier: GPL-2.0-only */
/* IDs that a verb is given: as arguments, or as lines of standard input. */
#ifndef KUID_TOOL_GIVEN_ID_H
#define KUID_TOOL_GIVEN_ID_H

#include <kuid.h>

#include "verbs.h"

/* An ID, and what it was found to be. */
struct given_id {
	unsigned int format;
	unsigned char bytes[KUID_ID_MAX];
	unsigned long line; /* of standard input; 0 if it was an argument */
};

/* For verbs that take IDs: -f and -I, and the IDs, all of them put here. */
extern const struct verb_option given_id_options[];
void given_id_take_args(struct argp_state *state, char **args, int count);

/* For those of them that read times. */
void given_id_take_from_kuid(struct argp_state *state,
			     const struct verb_option *option, const char *arg);

#define FROM_KUID_OPTION                                                  \
	{                                                                 \
		"from-kuid", 0, NULL,                                     \
			"kuid made the IDs: read the nanoseconds of v7, " \
			"which other generators fill with random bits",   \
			given_id_take_from_kuid, &given.flags,            \
	}

extern struct given {
	unsigned int format; /* KUID_FORMAT_DEFAULT: what each is found to be */
	uint32_t interval;
	unsigned int flags; /* 0 or KUID_FROM_KUID */
	char **args;
	int count; /* 0: the IDs are lines of standard input */
} given;

/* Do something with each ID. The first one that is wrong ends it. */
void given_id_each(void (*act)(const struct given_id *id));

/*
 * End with EXIT_FAILED and a message on what can't be done with an ID, which
 * begins with its line if it has one.
 */
__attribute__((format(printf, 2, 3), noreturn)) void
given_id_wrong(const struct given_id *id, const char *format, ...);

#endif /* KUID_TOOL_GIVEN_ID_H */
