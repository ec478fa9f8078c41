// SPDX-License-Identifier: GPL-2.0-only
/* See identity.h. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "identity.h"

static const struct {
	const char *name;
	int digits;
} kinds[IDENTITY_PARTS] = {
	[IDENTITY_NODE] = { "node", 12 },
	[IDENTITY_WORKER] = { "worker", 16 },
	[IDENTITY_SNOWFLAKE] = { "snowflake", 0 },
};

static const char *const words[] = {
	[KUID_FROM_GIVEN] = "given",   [KUID_FROM_RANDOM] = "random",
	[KUID_FROM_MAC] = "mac",       [KUID_FROM_HOST] = "host",
	[KUID_FROM_WORKER] = "worker", [KUID_FROM_CLAIM] = "claim",
};

#define NR_WORDS (sizeof(words) / sizeof(words[0]))

const char *identity_name(unsigned int part)
{
	return kinds[part].name;
}

int identity_digits(unsigned int part)
{
	return kinds[part].digits;
}

void identity_text(unsigned int part, uint64_t value,
		   char text[IDENTITY_TEXT_SIZE])
{
	int digits = kinds[part].digits;

	if (digits)
		snprintf(text, IDENTITY_TEXT_SIZE, "%0*" PRIx64, digits, value);
	else
		snprintf(text, IDENTITY_TEXT_SIZE, "%" PRIu64, value);
}

void identity_parts(const struct kuid_state *state,
		    struct identity_part parts[IDENTITY_PARTS])
{
	parts[IDENTITY_NODE] =
		(struct identity_part) { state->node_from, state->node };
	parts[IDENTITY_WORKER] =
		(struct identity_part) { state->worker_from, state->worker };
	parts[IDENTITY_SNOWFLAKE] =
		(struct identity_part) { state->snowflake_from,
					 state->snowflake_worker };
}

const char *identity_from(unsigned int from)
{
	/* A newer kernel may know more places. */
	return from && from < NR_WORDS ? words[from] : "elsewhere";
}

unsigned int identity_from_word(const char *word)
{
	for (unsigned int from = 1; from < NR_WORDS; from++)
		if (!strcmp(word, words[from]))
			return from;
	return 0;
}
