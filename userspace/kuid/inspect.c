// SPDX-License-Identifier: GPL-2.0-only
/* kuid inspect: take IDs apart. */
#include <ctype.h>
#include <err.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "input_id.h"
#include "nanoseconds.h"
#include "output.h"
#include "report.h"
#include "time_text.h"
#include "verbs.h"

#define KEY_WIDTH 13

/* The keys of --columns: what most formats have, and people ask for. */
static const char *const column_keys[] = {
	"text",	     "format", "name", "time",	 "unix_ns",
	"clock_seq", "seq",    "node", "worker",
};

#define NR_COLUMNS (sizeof(column_keys) / sizeof(column_keys[0]))

static bool json;
static bool columns;
static bool no_headings;
static bool only_time;

static const struct option_row options[] = {
	{ "json", 'j', NULL, "Print each ID as one line of JSON", take_flag,
	  &json },
	{ "columns", 'c', NULL,
	  "Print each ID as one line of the most asked-for fields, with tabs "
	  "between them, under a line of their names",
	  take_flag, &columns },
	{ "noheadings", 'n', NULL, "Leave out the names of --columns",
	  take_flag, &no_headings },
	{ "time", 't', NULL, "Print the time of each ID as one line, no more",
	  take_flag, &only_time },
	FROM_KUID_OPTION,
	{ 0 },
};

/* Nanoseconds since 1970, which are more than 64 bits can hold. */
static void add_unix_ns(json_t *object, const struct kuid_fields *fields)
{
	const char *sign = fields->sec < 0 ? "-" : "";
	uint64_t sec = fields->sec;
	uint32_t nsec = fields->nsec;

	if (fields->sec < 0) {
		sec = -sec;
		if (nsec) {
			sec--;
			nsec = SEC_NS - nsec;
		}
	}
	if (sec)
		report_add(object, "unix_ns",
			   json_sprintf("%s%" PRIu64 "%09" PRIu32, sign, sec,
					nsec));
	else
		report_add(object, "unix_ns",
			   json_sprintf("%s%" PRIu32, sign, nsec));
}

static void add_time(json_t *object, const struct kuid_fields *fields)
{
	char text[TIME_TEXT_SIZE];
	int digits = 9;

	/* The digits that are known: k-ordered IDs count in 1024 us. */
	if (fields->resolution_ns == MS_NS)
		digits = 3;
	else if (fields->resolution_ns >= 1000)
		digits = 6;
	else if (fields->resolution_ns >= 100)
		digits = 7;
	time_text(fields->sec, fields->nsec, digits, text);
	report_add_text(object, "time", text);
}

/* Hexadecimal digits of the widest node that IDs of the format can have. */
static int node_digits(const struct kuid_fields *fields)
{
	unsigned char highest[KUID_ID_MAX];
	struct kuid_fields most;
	int digits = 0;

	if (kuid_highest(fields->format, highest) ||
	    kuid_decode(fields->format, highest, KUID_INTERVAL_DEFAULT, 0,
			&most))
		err(EXIT_FAILED, "fields of an ID");
	for (; most.node; most.node >>= 4)
		digits++;
	return digits;
}

static void add_fields(json_t *object, const struct kuid_fields *fields)
{
	static const char *const variants[] = {
		[KUID_VARIANT_NCS] = "NCS",
		[KUID_VARIANT_RFC] = "RFC 9562",
		[KUID_VARIANT_MICROSOFT] = "Microsoft",
		[KUID_VARIANT_FUTURE] = "reserved",
	};
	uint32_t has = fields->has;

	if (has & KUID_HAS_VERSION)
		report_add_number(object, "version", fields->version);
	if (has & KUID_HAS_VARIANT)
		report_add_text(object, "variant", variants[fields->variant]);
	if (has & KUID_HAS_TIME) {
		add_time(object, fields);
		add_unix_ns(object, fields);
		report_add_number(object, "resolution_ns",
				  fields->resolution_ns);
	}
	if (has & KUID_HAS_TICKS)
		report_add(object, "ticks",
			   json_sprintf("%" PRIu64, fields->ticks));
	if (has & KUID_HAS_FRACTION)
		report_add_number(object, "fraction", fields->fraction);
	if (has & KUID_HAS_GRID) {
		report_add_number(object, "a", fields->a);
		report_add_number(object, "b", fields->b);
		report_add_number(object, "c", fields->c);
	}
	if (has & KUID_HAS_CLOCK_SEQ)
		report_add_number(object, "clock_seq", fields->clock_seq);
	if (has & KUID_HAS_SEQ)
		report_add_number(object, "seq", fields->seq);
	if (has & KUID_HAS_LANE)
		report_add_number(object, "lane", fields->lane);
	if (has & KUID_HAS_INTERVAL)
		report_add_number(object, "interval", fields->interval);
	if (has & KUID_HAS_NODE)
		report_add_hex(object, "node", fields->node,
			       node_digits(fields));
	/* Those who hand out the few workers of snowflake count them. */
	if (has & KUID_HAS_EPOCH) {
		report_add_number(object, "worker", fields->worker);
		report_add_number(object, "epoch_ms", fields->epoch_ms);
	} else if (has & KUID_HAS_WORKER) {
		report_add_hex(object, "worker", fields->worker, 16);
	}
	if (has & KUID_HAS_RANDOM)
		report_add_hex(object, "random", fields->random, 12);
}

/* The nanoseconds that an ID has only if kuid made it. */
static void add_fraction_if_kuid(json_t *object,
				 const struct kuid_fields *fields,
				 const struct kuid_fields *kuids)
{
	int64_t ns = (kuids->sec - fields->sec) * (int64_t)SEC_NS +
		     kuids->nsec - fields->nsec;

	report_add_number(object, "fraction_ns_if_kuid", ns);
}

static json_t *describe(const struct input_id *id)
{
	uint64_t setting = input_id_setting(id->format);
	json_t *object = report_new();
	char text[KUID_TEXT_MAX], hex[KUID_TEXT_MAX];
	struct kuid_fields fields, kuids;

	if (kuid_text(id->format, id->bytes, text, sizeof(text)) ||
	    kuid_text_form(id->format, KUID_FORM_HEX, id->bytes, hex,
			   sizeof(hex)) ||
	    kuid_decode(id->format, id->bytes, setting, input.flags, &fields) ||
	    kuid_decode(id->format, id->bytes, setting, KUID_FROM_KUID, &kuids))
		err(EXIT_FAILED, "fields of an ID");
	report_add_text(object, "text", text);
	report_add_text(object, "hex", hex);
	report_add_text(object, "format", kuid_format_name(fields.format));
	if (fields.has & KUID_HAS_VARIANT)
		report_add_text(object, "name", kuid_uuid_name(id->bytes));
	add_fields(object, &fields);
	if (kuids.resolution_ns < fields.resolution_ns)
		add_fraction_if_kuid(object, &fields, &kuids);
	return object;
}

/* A field as text; the mark if there is none. */
static void print_field(const json_t *report, const char *key)
{
	const json_t *value = json_object_get(report, key);

	if (json_is_integer(value))
		printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else
		fputs(value ? json_string_value(value) : INPUT_ID_MARK, stdout);
}

/* Without a report, print headings: upper case, as of ps(1) and lsblk(8). */
static void print_columns(const json_t *report)
{
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		if (i)
			putchar('\t');
		if (report)
			print_field(report, column_keys[i]);
		else
			for (const char *key = column_keys[i]; *key; key++)
				putchar(toupper((unsigned char)*key));
	}
	output_line("");
}

static void print_block(json_t *report)
{
	static bool second;

	if (second && !output_null)
		putchar('\n');
	report_print(json_incref(report), false, KEY_WIDTH);
	if (output_null)
		output_line("");
	second = true;
}

static void print(json_t *report)
{
	if (json) {
		report_print(json_incref(report), true, 0);
	} else if (columns) {
		print_columns(report);
	} else if (only_time) {
		print_field(report, "time");
		output_line("");
	} else {
		print_block(report);
	}
	json_decref(report);
}

static const char *inspect_id(const struct input_id *id)
{
	json_t *report = describe(id);

	if (only_time && !json_object_get(report, "time")) {
		json_decref(report);
		return input_id_wrong(id, "a UUID without a time: %s",
				      kuid_uuid_name(id->bytes));
	}
	print(report);
	return NULL;
}

static void mark(const char *why)
{
	json_t *report = report_new();

	report_add_text(report, "error", why);
	print(report);
}

static void check(struct argp_state *state)
{
	if (json + columns + only_time > 1)
		argp_error(state, "only one of --json, --columns and --time");
	if (no_headings && !columns)
		argp_error(state, "--noheadings is for --columns");
}

static int run(void)
{
	if (columns && !no_headings)
		print_columns(NULL);
	return input_id_each(inspect_id, mark);
}

const struct verb verb_inspect = {
	.name = "inspect",
	.summary = "take IDs apart",
	.args = "[ID...]",
	.doc = "Print what is in IDs, given as arguments or as lines of "
	       "standard input (also \"-\"), in any form that tells their "
	       "format. 8-4-4-16 digits are lex in lower case, and "
	       "ColdFusion's form of a UUID in upper case.\v"
	       "Numbers are decimal; hex, node, worker and random are "
	       "hexadecimal, except for the worker of {epoch}. Lanes are "
	       "scrambled; in a v7 that a process made itself, lane and random "
	       "are bits of a hash. In JSON what may not fit in 63 bits is a "
	       "string. A v7 does not tell which generator made it: "
	       "fraction_ns_if_kuid is what to add to its time if kuid did. "
	       "The command stops at the first line that is no ID, unless "
	       "--keep-going is given: then it prints the message as "
	       "\"error\" in its place, or \"-\" in columns.",
	.examples = "  kuid inspect 017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n"
		    "  kuid inspect -f k64 27084864703004673\n"
		    "  kuid inspect -f snowflake 1050118621198921728\n"
		    "  kuid inspect --lenient --columns <ids",
	.exits = INPUT_ID_EXITS,
	.options = options,
	.shared = input_id_options,
	.take_args = input_id_take_args,
	.check = check,
	.run = run,
};
