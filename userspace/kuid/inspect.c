// SPDX-License-Identifier: GPL-2.0-only
/* kuid inspect: take IDs apart. */
#include <err.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "given_id.h"
#include "nanoseconds.h"
#include "output.h"

#define KEY_WIDTH 13
#define MS_NS	  1000000

static bool json;

static const struct verb_option options[] = {
	{ "json", 'j', NULL, "Print each ID as one line of JSON", take_flag,
	  &json },
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
	report_add(object, "time", json_string(text));
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
		report_add(object, "version", json_integer(fields->version));
	if (has & KUID_HAS_VARIANT)
		report_add(object, "variant",
			   json_string(variants[fields->variant]));
	if (has & KUID_HAS_TIME) {
		add_time(object, fields);
		add_unix_ns(object, fields);
		report_add(object, "resolution_ns",
			   json_integer(fields->resolution_ns));
	}
	if (has & KUID_HAS_TICKS)
		report_add(object, "ticks",
			   json_sprintf("%" PRIu64, fields->ticks));
	if (has & KUID_HAS_FRACTION)
		report_add(object, "fraction", json_integer(fields->fraction));
	if (has & KUID_HAS_GRID) {
		report_add(object, "a", json_integer(fields->a));
		report_add(object, "b", json_integer(fields->b));
		report_add(object, "c", json_integer(fields->c));
	}
	if (has & KUID_HAS_CLOCK_SEQ)
		report_add(object, "clock_seq",
			   json_integer(fields->clock_seq));
	if (has & KUID_HAS_SEQ)
		report_add(object, "seq", json_integer(fields->seq));
	if (has & KUID_HAS_LANE)
		report_add(object, "lane", json_integer(fields->lane));
	if (has & KUID_HAS_INTERVAL)
		report_add(object, "interval", json_integer(fields->interval));
	if (has & KUID_HAS_NODE)
		report_add_hex(object, "node", fields->node,
			       node_digits(fields));
	if (has & KUID_HAS_WORKER)
		report_add_hex(object, "worker", fields->worker, 16);
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

	report_add(object, "fraction_ns_if_kuid", json_integer(ns));
}

static json_t *describe(const struct given_id *id)
{
	json_t *object = report_new();
	char text[KUID_TEXT_MAX], hex[KUID_TEXT_MAX];
	struct kuid_fields fields, kuids;

	if (kuid_text(id->format, id->bytes, text, sizeof(text)) ||
	    kuid_text_form(id->format, KUID_FORM_HEX, id->bytes, hex,
			   sizeof(hex)) ||
	    kuid_decode(id->format, id->bytes, given.interval, given.flags,
			&fields) ||
	    kuid_decode(id->format, id->bytes, given.interval, KUID_FROM_KUID,
			&kuids))
		err(EXIT_FAILED, "fields of an ID");
	report_add(object, "text", json_string(text));
	report_add(object, "hex", json_string(hex));
	report_add(object, "format",
		   json_string(kuid_format_name(fields.format)));
	if (fields.has & KUID_HAS_VARIANT)
		report_add(object, "name",
			   json_string(kuid_uuid_name(id->bytes)));
	add_fields(object, &fields);
	if (kuids.resolution_ns < fields.resolution_ns)
		add_fraction_if_kuid(object, &fields, &kuids);
	return object;
}

static void print(json_t *report)
{
	static bool second;

	if (second && !json)
		putchar('\n');
	report_print(report, json, KEY_WIDTH);
	second = true;
}

static const char *inspect_id(const struct given_id *id)
{
	print(describe(id));
	return NULL;
}

static void mark(const char *why)
{
	json_t *report = report_new();

	report_add(report, "error", json_string(why));
	print(report);
}

static int run(void)
{
	return given_id_each(inspect_id, mark);
}

const struct verb verb_inspect = {
	.name = "inspect",
	.summary = "take IDs apart",
	.args = "[ID...]",
	.doc = "Print what is in IDs, given as arguments or as lines of "
	       "standard input: canonical text, ColdFusion's form or, with a "
	       "format, plain hexadecimal.\v"
	       "Numbers are decimal; hex, node, worker and random are "
	       "hexadecimal. Lanes are scrambled. In JSON what may not fit in "
	       "63 bits is a string. A v7 does not tell which generator made "
	       "it: fraction_ns_if_kuid is what to add to its time if kuid "
	       "did. The command stops at the first line "
	       "that is no ID, unless --keep-going is given: then it prints "
	       "the message as \"error\" in its place.",
	.exits = GIVEN_ID_EXITS,
	.options = options,
	.shared = given_id_options,
	.take_args = given_id_take_args,
	.run = run,
};
