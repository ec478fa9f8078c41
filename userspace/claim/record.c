// SPDX-License-Identifier: GPL-2.0-only
/* See record.h. */
#include <err.h>
#include <inttypes.h>
#include <jansson.h>
#include <kuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nanoseconds.h"
#include "record.h"
#include "exit_status.h"

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
	char load_id[17];

	snprintf(load_id, sizeof(load_id), "%016" PRIx64, record->load_id);
	return text_of_json(json_pack(
		"{s:s, s:s, s:s, s:I, s:I, s:s}", "token", record->token,
		"load_id", load_id, "nonce", record->nonce, "ceiling",
		(json_int_t)record->ceiling_s, "renewed",
		(json_int_t)record->renewed_s, "machine", record->machine));
}

char *space_text(const struct space *space)
{
	return text_of_json(json_pack("{s:s, s:I, s:I, s:I, s:I}", "kind",
				      space->kind, "epoch",
				      (json_int_t)space->epoch_ms, "interval",
				      (json_int_t)space->interval, "horizon",
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
	json_t *json = json_loads(text, 0, NULL);
	const char *token, *load_id, *nonce, *machine;
	json_int_t ceiling_s, renewed_s;
	bool good;

	good = json && !json_unpack(json, "{s:s, s:s, s:s, s:I, s:I, s:s}",
				    "token", &token, "load_id", &load_id,
				    "nonce", &nonce, "ceiling", &ceiling_s,
				    "renewed", &renewed_s, "machine", &machine);
	good = good && is_time(ceiling_s) && is_time(renewed_s) &&
	       strspn(load_id, "0123456789abcdef") == 16 && !load_id[16] &&
	       copy(record->token, sizeof(record->token), token) &&
	       copy(record->nonce, sizeof(record->nonce), nonce) &&
	       copy(record->machine, sizeof(record->machine), machine);
	if (good) {
		record->load_id = strtoull(load_id, NULL, 16);
		record->ceiling_s = ceiling_s;
		record->renewed_s = renewed_s;
	}
	json_decref(json);
	return good;
}

bool space_parse(const char *text, struct space *space)
{
	json_t *json = json_loads(text, 0, NULL);
	json_int_t epoch_ms, interval, horizon_s, closed_s;
	const char *kind;
	bool good;

	good = json &&
	       !json_unpack(json, "{s:s, s:I, s:I, s:I, s:I}", "kind", &kind,
			    "epoch", &epoch_ms, "interval", &interval,
			    "horizon", &horizon_s, "closed", &closed_s) &&
	       epoch_ms >= 0 && interval >= 0 && is_time(horizon_s) &&
	       is_time(closed_s) &&
	       copy(space->kind, sizeof(space->kind), kind);
	if (good) {
		space->epoch_ms = epoch_ms;
		space->interval = interval;
		space->horizon_s = horizon_s;
		space->closed_s = closed_s;
	}
	json_decref(json);
	return good;
}
