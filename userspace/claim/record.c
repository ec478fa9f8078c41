// SPDX-License-Identifier: GPL-2.0-only
/* See record.h. */
#include <err.h>
#include <jansson.h>
#include <kuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "nanoseconds.h"
#include "record.h"
#include "verbs.h"

static char *text_of_json(json_t *json)
{
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	if (!text)
		errx(EXIT_FAILED, "out of memory");
	json_decref(json);
	return text;
}

char *record_text(const struct record *record)
{
	return text_of_json(json_pack(
		"{s:s, s:s, s:I, s:I, s:I, s:s}", "token", record->token,
		"machine", record->machine, "seq", (json_int_t)record->seq,
		"ceiling", (json_int_t)record->ceiling_s, "epoch",
		(json_int_t)record->epoch_ms, "nonce", record->nonce));
}

char *space_text(const struct space *space)
{
	return text_of_json(json_pack("{s:I, s:I}", "horizon",
				      (json_int_t)space->horizon_s, "closed",
				      (json_int_t)space->closed_s));
}

static bool copy(char *to, size_t size, const char *from)
{
	return (size_t)snprintf(to, size, "%s", from) < size;
}

/* A time that no clock can have would hold a number for ever. */
static bool is_time(json_int_t seconds)
{
	return seconds >= 0 && (uint64_t)seconds <= KUID_TIME_MAX_NS / SEC_NS;
}

bool record_parse(const char *text, struct record *record)
{
	json_int_t seq, ceiling_s, epoch_ms;
	json_t *json = json_loads(text, 0, NULL);
	const char *token, *machine, *nonce;
	bool good;

	good = json &&
	       !json_unpack(json, "{s:s, s:s, s:I, s:I, s:I, s:s}", "token",
			    &token, "machine", &machine, "seq", &seq, "ceiling",
			    &ceiling_s, "epoch", &epoch_ms, "nonce", &nonce);
	good = good && seq >= 0 && seq < INT64_MAX && is_time(ceiling_s) &&
	       epoch_ms >= 0 &&
	       copy(record->token, sizeof(record->token), token) &&
	       copy(record->machine, sizeof(record->machine), machine) &&
	       copy(record->nonce, sizeof(record->nonce), nonce);
	if (good) {
		record->seq = seq;
		record->ceiling_s = ceiling_s;
		record->epoch_ms = epoch_ms;
	}
	json_decref(json);
	return good;
}

bool space_parse(const char *text, struct space *space)
{
	json_t *json = json_loads(text, 0, NULL);
	json_int_t horizon_s, closed_s;
	bool good;

	good = json &&
	       !json_unpack(json, "{s:I, s:I}", "horizon", &horizon_s, "closed",
			    &closed_s) &&
	       is_time(horizon_s) && is_time(closed_s);
	if (good)
		*space = (struct space) { horizon_s, closed_s };
	json_decref(json);
	return good;
}

void token_draw(char token[TOKEN_SIZE])
{
	unsigned char bytes[(TOKEN_SIZE - 1) / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		err(EXIT_FAILED, "getrandom");
	for (size_t i = 0; i < sizeof(bytes); i++)
		sprintf(token + 2 * i, "%02x", bytes[i]);
}
