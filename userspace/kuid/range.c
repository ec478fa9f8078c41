// SPDX-License-Identifier: GPL-2.0-only
/* kuid range: the IDs that enclose all IDs made in a range of time. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "formats.h"
#include "input_id.h"
#include "nanoseconds.h"
#include "output.h"
#include "report.h"
#include "verbs.h"

#define KEY_WIDTH 15

static unsigned int format; /* KUID_FORMAT_DEFAULT: no --format */
static struct time_argument from, to;
static bool json;

static unsigned char lowest[KUID_ID_MAX];
static unsigned char highest[KUID_ID_MAX];
static unsigned char end[KUID_ID_MAX];

static const struct option_row options[] = {
	{ "format", 'f', "{all}", "Format of the IDs", take_made_format,
	  &format },
	{ "from", 0, "TIME",
	  "The first time: a date in UTC, a date and time as \"kuid "
	  "inspect\" or \"date -Is\" print it, or @ and seconds since 1970",
	  take_time, &from },
	{ "to", 0, "TIME", "The end of the range, which is not part of it",
	  take_time, &to },
	{ "interval", 'I', INTERVAL_ARG,
	  "Interval I of the hosts that make {interval}; 8 by default",
	  take_interval, &input.interval },
	EPOCH_OPTION,
	FROM_KUID_OPTION,
	JSON_OPTION(&json),
	{ 0 },
};

/* Returns the time itself, rounded down to what the format tells apart. */
static struct kuid_fields lowest_at(struct argp_state *state, const char *name,
				    const struct time_argument *time, void *id)
{
	struct kuid_fields fields = { 0 };

	if (kuid_lowest_at(format, time->sec, time->nsec,
			   input_id_setting(format), input.flags, id) ||
	    kuid_decode(format, id, input_id_setting(format), input.flags,
			&fields))
		argp_error(state, "--%s: %s does not reach that time", name,
			   kuid_format_name(format));
	return fields;
}

static void highest_before(struct argp_state *state,
			   const struct kuid_fields *fields)
{
	int64_t sec = fields->sec;
	uint32_t nsec = fields->nsec;

	if (!nsec) {
		sec--;
		nsec = SEC_NS;
	}
	if (kuid_highest_at(format, sec, nsec - 1, input_id_setting(format),
			    input.flags, highest))
		argp_error(state, "--to: %s does not reach that time",
			   kuid_format_name(format));
}

static void check(struct argp_state *state)
{
	struct kuid_fields first, last;

	if (!format || !from.is_set || !to.is_set)
		argp_error(state, "--format, --from and --to are needed");
	if (from.sec > to.sec || (from.sec == to.sec && from.nsec >= to.nsec))
		argp_error(state, "--to is not after --from");
	first = lowest_at(state, "from", &from, lowest);
	last = lowest_at(state, "to", &to, end);
	if (first.sec == last.sec && first.nsec == last.nsec)
		argp_error(state,
			   "%s does not tell these times apart: its times are "
			   "%" PRIu32 " ns from one to the next",
			   kuid_format_name(format), first.resolution_ns);
	highest_before(state, &last);
}

static void add_id(json_t *report, const char *name, const struct form *form,
		   const unsigned char *id)
{
	char text[KUID_TEXT_MAX], key[32];

	form_text(form, format, id, text);
	if (form->form == KUID_FORM_CANONICAL)
		snprintf(key, sizeof(key), "%s", name);
	else
		snprintf(key, sizeof(key), "%s_%s", name, form->name);
	report_add_text(report, key, text);
}

/* A range that a database searches in vain, without an error, needs a note. */
static void note_order(void)
{
	char *by_time;

	if (formats_is("{by_time}", format) || formats_is("{interval}", format))
		return;
	by_time = formats_fill_in("{by_time}", ' ');
	warnx("note: %s does not sort by time as bytes, so BETWEEN does not "
	      "find its IDs where bytes are compared; %s do",
	      kuid_format_name(format), by_time);
	free(by_time);
}

static int run(void)
{
	json_t *report = report_new();

	for (const struct form *form = forms; form->name; form++) {
		/* No database compares the bytes of GUIDs in their order. */
		if (form->guid || !form_is_of(form, format))
			continue;
		add_id(report, "lowest", form, lowest);
		add_id(report, "highest", form, highest);
		/* IDs of the last seconds lie on both sides of it. */
		if (!formats_is("{interval}", format))
			add_id(report, "end", form, end);
	}
	report_print(report, json, KEY_WIDTH);
	output_finish();
	note_order();
	return EXIT_SUCCESS;
}

const struct verb verb_range = {
	.name = "range",
	.summary = "the lowest and highest ID of a range of time",
	.args = "-f FORMAT --from TIME --to TIME",
	.doc = "Print the lowest and the highest ID of those that are made "
	       "from a time on and before another one, and the lowest ID of "
	       "the other time as the \"end\", each in all forms of the "
	       "format but a GUID's bytes.\v"
	       "Both times are rounded down to what the format tells apart. "
	       "{interval} are not in the order of time within 2^I seconds: "
	       "IDs of other times in these seconds lie between lowest and "
	       "highest, too, and there is no end.",
	.examples =
		"  kuid range -f v7 --from 2026-11-01 --to 2026-12-01\n"
		"  kuid range -f k64 --from 2026-11-23T08:00:00Z --to @1795424400",
	.options = options,
	.check = check,
	.run = run,
};
