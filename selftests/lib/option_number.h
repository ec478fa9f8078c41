/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers as arguments of options. */
#ifndef KUID_TEST_OPTION_NUMBER_H
#define KUID_TEST_OPTION_NUMBER_H

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <linux/types.h>

/* Parse a number; if it is invalid or above @max, exit with a message. */
static inline __u64 option_number(const char *text, struct argp_state *state,
				  __u64 max)
{
	char *end;
	__u64 value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || value > max)
		argp_error(state, "%s: not a number up to %llu", text,
			   (unsigned long long)max);
	return value;
}

#endif /* KUID_TEST_OPTION_NUMBER_H */
