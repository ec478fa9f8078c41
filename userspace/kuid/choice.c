// SPDX-License-Identifier: GPL-2.0-only
/* See choice.h. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "choice.h"

static const struct {
	const char *name;
	int digits;
} kinds[CHOICES] = {
	[CHOICE_NODE] = { "node", 12 },
	[CHOICE_WORKER] = { "worker", 16 },
	[CHOICE_SNOWFLAKE] = { "snowflake", 0 },
};

static const char *const words[] = {
	[KUID_FROM_GIVEN] = "given",   [KUID_FROM_RANDOM] = "random",
	[KUID_FROM_MAC] = "mac",       [KUID_FROM_HOST] = "host",
	[KUID_FROM_WORKER] = "worker", [KUID_FROM_CLAIM] = "claim",
};

#define NR_WORDS (sizeof(words) / sizeof(words[0]))

const char *choice_name(unsigned int part)
{
	return kinds[part].name;
}

int choice_digits(unsigned int part)
{
	return kinds[part].digits;
}

void choice_text(unsigned int part, uint64_t value, char text[CHOICE_TEXT_SIZE])
{
	int digits = kinds[part].digits;

	if (digits)
		snprintf(text, CHOICE_TEXT_SIZE, "%0*" PRIx64, digits, value);
	else
		snprintf(text, CHOICE_TEXT_SIZE, "%" PRIu64, value);
}

void choices_of(const struct kuid_state *state, struct choice parts[CHOICES])
{
	parts[CHOICE_NODE] = (struct choice) { state->node_from, state->node };
	parts[CHOICE_WORKER] =
		(struct choice) { state->worker_from, state->worker };
	parts[CHOICE_SNOWFLAKE] = (struct choice) { state->snowflake_from,
						    state->snowflake_worker };
}

const char *choice_from(unsigned int from)
{
	/* A newer kernel may know more places. */
	return from && from < NR_WORDS ? words[from] : "elsewhere";
}

unsigned int choice_from_word(const char *word)
{
	for (unsigned int from = 1; from < NR_WORDS; from++)
		if (!strcmp(word, words[from]))
			return from;
	return 0;
}
