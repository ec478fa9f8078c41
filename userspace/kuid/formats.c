// SPDX-License-Identifier: GPL-2.0-only
/* See formats.h. */
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_status.h"
#include "formats.h"

static bool is_made(unsigned int format)
{
	return true;
}

static bool is_uuid(unsigned int format)
{
	return kuid_format_text_size(format, KUID_FORM_COLDFUSION);
}

static bool is_stamp(unsigned int format)
{
	return kuid_format_made_from(format) == KUID_MADE_FROM_STAMPS;
}

static bool is_slot(unsigned int format)
{
	return !is_stamp(format);
}

static bool is_lex(unsigned int format)
{
	return kuid_format_made_from(format) == KUID_MADE_FROM_LEX;
}

static bool is_grid(unsigned int format)
{
	return kuid_format_made_from(format) == KUID_MADE_FROM_GRID;
}

static bool is_snowflake(unsigned int format)
{
	return kuid_format_made_from(format) == KUID_MADE_FROM_SNOWFLAKE;
}

static bool shows_node(unsigned int format)
{
	return kuid_format_shows(format) == KUID_SHOWS_NODE;
}

static bool shows_worker(unsigned int format)
{
	return kuid_format_shows(format) == KUID_SHOWS_WORKER;
}

static bool has_decimal(unsigned int format)
{
	return kuid_format_text_size(format, KUID_FORM_DECIMAL);
}

static bool has_ulid(unsigned int format)
{
	return kuid_format_text_size(format, KUID_FORM_ULID);
}

/* An interval is valid as an epoch, too. */
static bool has_field(unsigned int format, uint32_t field)
{
	unsigned char id[KUID_ID_MAX];
	struct kuid_fields fields;

	return !kuid_lowest(format, id) &&
	       !kuid_decode(format, id, KUID_INTERVAL_DEFAULT, 0, &fields) &&
	       fields.has & field;
}

static bool has_interval(unsigned int format)
{
	return has_field(format, KUID_HAS_INTERVAL);
}

static bool has_epoch(unsigned int format)
{
	return has_field(format, KUID_HAS_EPOCH);
}

static bool sorts_by_time(unsigned int format)
{
	unsigned char before[KUID_ID_MAX], id[KUID_ID_MAX];
	size_t size = kuid_format_id_size(format);

	if (has_interval(format))
		return false;
	/* One second for each bit, so that each field of the time changes. */
	for (int64_t sec = 0; sec < UINT32_MAX; sec = sec * 2 + 1) {
		if (kuid_lowest_at(format, sec, 0, 0, 0, id)) {
			if (sec && errno == ERANGE)
				break;
			err(EXIT_FAILED, "the lowest ID of a time");
		}
		if (sec && memcmp(before, id, size) >= 0)
			return false;
		memcpy(before, id, size);
	}
	return true;
}

static bool text_sorts_by_time(unsigned int format)
{
	unsigned char id[KUID_ID_MAX];
	char text[KUID_TEXT_MAX];

	return sorts_by_time(format) && !kuid_lowest(format, id) &&
	       !kuid_text(format, id, text, sizeof(text)) &&
	       strlen(text) ==
		       kuid_format_text_size(format, KUID_FORM_CANONICAL);
}

static bool is_host_only(unsigned int format)
{
	return is_grid(format) && !has_interval(format);
}

static bool is_target(unsigned int to)
{
	unsigned char id[KUID_ID_MAX];
	uint64_t node = 0;

	for (unsigned int from = 1; kuid_format_name(from); from++)
		if (from != to && !kuid_lowest(from, id) &&
		    !kuid_convert(from, id, to, id, KUID_INTERVAL_DEFAULT,
				  &node))
			return true;
	return false;
}

static const struct {
	const char *word;
	bool (*is)(unsigned int format);
} words[] = {
	{ "{all}", is_made },
	{ "{uuid}", is_uuid },
	{ "{stamp}", is_stamp },
	{ "{slot}", is_slot },
	{ "{lex}", is_lex },
	{ "{grid}", is_grid },
	{ "{snowflake}", is_snowflake },
	{ "{node}", shows_node },
	{ "{worker}", shows_worker },
	{ "{interval}", has_interval },
	{ "{epoch}", has_epoch },
	{ "{by_time}", sorts_by_time },
	{ "{text_by_time}", text_sorts_by_time },
	{ "{decimal}", has_decimal },
	{ "{ulid}", has_ulid },
	{ "{host_only}", is_host_only },
	{ "{target}", is_target },
};

#define NR_WORDS (sizeof(words) / sizeof(words[0]))

static void list(FILE *file, bool (*is)(unsigned int format), char between)
{
	bool first = true;

	for (unsigned int format = 1; kuid_format_name(format); format++) {
		if (!is(format))
			continue;
		if (!first)
			fputc(between, file);
		fputs(kuid_format_name(format), file);
		first = false;
	}
}

bool formats_is(const char *word, unsigned int format)
{
	for (size_t i = 0; i < NR_WORDS; i++)
		if (!strcmp(words[i].word, word))
			return kuid_format_device(format) &&
			       words[i].is(format);
	abort();
}

uint64_t formats_setting(unsigned int format, uint32_t interval,
			 uint64_t epoch_ms)
{
	return formats_is("{epoch}", format) ? epoch_ms : interval;
}

char *formats_fill_in(const char *text, char between)
{
	char *filled = NULL;
	size_t size, i;
	FILE *file = open_memstream(&filled, &size);

	if (!file)
		err(EXIT_FAILED, "a text");
	while (*text) {
		for (i = 0; i < NR_WORDS; i++)
			if (!strncmp(text, words[i].word,
				     strlen(words[i].word)))
				break;
		if (i < NR_WORDS) {
			list(file, words[i].is, between);
			text += strlen(words[i].word);
		} else {
			fputc(*text++, file);
		}
	}
	if (fclose(file))
		err(EXIT_FAILED, "a text");
	return filled;
}
