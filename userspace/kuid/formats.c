// SPDX-License-Identifier: GPL-2.0-only
/* See formats.h. */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_status.h"
#include "formats.h"

/* Facts of a format, as bits. */
#define MADE_FROM(source) (1U << KUID_MADE_FROM_##source)
#define SHOWS(part)	  (1U << (8 + KUID_SHOWS_##part))
#define HAS(form)	  (1U << (16 + KUID_FORM_##form))
#define BY_TIME		  (1U << 24)
#define TEXT_BY_TIME	  (1U << 25)
#define TARGET		  (1U << 26)

/* The use of a format, and facts that the library does not tell. */
static const struct {
	uint32_t facts;
	const char *use;
} rows[FORMATS_MOST] = {
	[KUID_FORMAT_V1] = { TARGET, "UUIDs for old programs" },
	[KUID_FORMAT_V6] = { BY_TIME | TEXT_BY_TIME | TARGET, "v1 that sort" },
	[KUID_FORMAT_V7] = { BY_TIME | TEXT_BY_TIME,
			     "UUIDs as keys of databases" },
	[KUID_FORMAT_LEX] = { BY_TIME | TEXT_BY_TIME,
			      "16 bytes that tell the worker" },
	[KUID_FORMAT_K64] = { BY_TIME | TEXT_BY_TIME | TARGET,
			      "keys of 8 bytes, of one host" },
	[KUID_FORMAT_K96] = { TARGET, "keys of 12 bytes, of several hosts" },
	[KUID_FORMAT_K128] = { TARGET, "k96 with a wider node" },
	[KUID_FORMAT_SNOWFLAKE] = { BY_TIME,
				    "integers, of hosts with numbers" },
};

/* A word is true of formats that have all of some facts and none of others. */
static const struct word {
	const char *word;
	uint32_t all;
	uint32_t none;
} words[] = {
	{ "{all}", 0, 0 },
	{ "{uuid}", HAS(COLDFUSION), 0 },
	{ "{stamp}", MADE_FROM(STAMPS), 0 },
	{ "{slot}", 0, MADE_FROM(STAMPS) },
	{ "{lex}", MADE_FROM(LEX), 0 },
	{ "{grid}", MADE_FROM(GRID), 0 },
	{ "{snowflake}", MADE_FROM(SNOWFLAKE), 0 },
	{ "{node}", SHOWS(NODE), 0 },
	{ "{worker}", SHOWS(WORKER), 0 },
	{ "{interval}", MADE_FROM(GRID) | SHOWS(WORKER), 0 },
	{ "{epoch}", MADE_FROM(SNOWFLAKE), 0 },
	{ "{by_time}", BY_TIME, 0 },
	{ "{text_by_time}", TEXT_BY_TIME, 0 },
	{ "{decimal}", HAS(DECIMAL), 0 },
	{ "{ulid}", HAS(ULID), 0 },
	{ "{host_only}", MADE_FROM(GRID), SHOWS(WORKER) },
	{ "{target}", TARGET, 0 },
};

#define NR_WORDS (sizeof(words) / sizeof(words[0]))

static uint32_t facts_of(unsigned int format)
{
	uint32_t facts = rows[format].facts |
			 1U << kuid_format_made_from(format) |
			 1U << (8 + kuid_format_shows(format));

	for (unsigned int form = 0; form <= KUID_FORM_URN; form++)
		if (kuid_format_text_size(format, form))
			facts |= 1U << (16 + form);
	return facts;
}

static bool is(const struct word *word, unsigned int format)
{
	uint32_t facts = facts_of(format);

	return (facts & word->all) == word->all && !(facts & word->none);
}

static void list(FILE *file, const struct word *word, char between)
{
	bool first = true;

	for (unsigned int format = 1; kuid_format_name(format); format++) {
		if (!is(word, format))
			continue;
		if (!first)
			fputc(between, file);
		fputs(kuid_format_name(format), file);
		first = false;
	}
}

/* The word that a text begins with; NULL if it begins with none. */
static const struct word *word_at(const char *text)
{
	for (size_t i = 0; i < NR_WORDS; i++)
		if (!strncmp(text, words[i].word, strlen(words[i].word)))
			return &words[i];
	return NULL;
}

bool formats_is(const char *word, unsigned int format)
{
	const struct word *known = word_at(word);

	if (!known)
		abort();
	return kuid_format_device(format) && is(known, format);
}

uint64_t formats_setting(unsigned int format, uint32_t interval,
			 uint64_t epoch_ms)
{
	return formats_is("{epoch}", format) ? epoch_ms : interval;
}

char *formats_fill_in(const char *text, char between)
{
	char *filled = NULL;
	size_t size;
	FILE *file = open_memstream(&filled, &size);

	if (!file)
		err(EXIT_FAILED, "a text");
	while (*text) {
		const struct word *word = word_at(text);

		if (word) {
			list(file, word, between);
			text += strlen(word->word);
		} else {
			fputc(*text++, file);
		}
	}
	if (fclose(file))
		err(EXIT_FAILED, "a text");
	return filled;
}

static const char *order_of(unsigned int format)
{
	if (formats_is("{text_by_time}", format))
		return "yes";
	if (formats_is("{by_time}", format))
		return "bytes";
	return formats_is("{interval}", format) ? "nearly" : "no";
}

void formats_print(void)
{
	for (unsigned int i = 1; kuid_format_name(i); i++)
		printf("  %-9s %2zu bytes, text %zu  %-7s %s\n",
		       kuid_format_name(i), kuid_format_id_size(i),
		       kuid_format_text_size(i, KUID_FORM_CANONICAL),
		       order_of(i), rows[i].use ? rows[i].use : "");
}
