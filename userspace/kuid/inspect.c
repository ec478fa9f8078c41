// SPDX-License-Identifier: GPL-2.0-only
/* kuid inspect: take IDs apart. */
#include <err.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "given_id.h"
#include "output.h"
#include "verbs.h"

#define SEC_NS	  1000000000
#define KEY_WIDTH 13

struct inspect {
	struct id_arguments ids;
	bool json;
	bool second; /* not the first ID to be printed */
};

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "Print each ID as one line of JSON", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg __attribute__((unused)),
		     struct argp_state *state)
{
	struct inspect *inspect = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &inspect->ids;
		return 0;
	case 'j':
		inspect->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = id_arguments_child,
	.args_doc = "[ID...]",
	.doc = "Print what is in IDs, given as arguments or as lines of "
	       "standard input: canonical text, ColdFusion's form or, with a "
	       "format, plain hexadecimal.\v"
	       "Numbers are decimal; hex, node, worker and random are "
	       "hexadecimal. Lanes are scrambled. In JSON what may not fit in "
	       "63 bits is a string. A line that is no ID ends it.\n"
	       "\n" EXIT_HELP,
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

	/* The digits that the format has: down to 100 ns, or microseconds. */
	if (fields->resolution_ns >= 1000)
		digits = 6;
	else if (fields->resolution_ns >= 100)
		digits = 7;
	time_text(fields->sec, fields->nsec, digits, text);
	report_add(object, "time", json_string(text));
}

static int node_digits(unsigned int format)
{
	switch (format) {
	case KUID_FORMAT_K96:
		return 8;
	case KUID_FORMAT_K128:
		return 16;
	default:
		return 12;
	}
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
			       node_digits(fields->format));
	if (has & KUID_HAS_WORKER)
		report_add_hex(object, "worker", fields->worker, 16);
	if (has & KUID_HAS_RANDOM)
		report_add_hex(object, "random", fields->random, 12);
}

static json_t *describe(const struct given_id *id, unsigned int interval)
{
	json_t *object = report_new();
	char text[KUID_TEXT_MAX], hex[KUID_TEXT_MAX];
	struct kuid_fields fields;

	if (kuid_text(id->format, id->bytes, text, sizeof(text)) ||
	    kuid_text_form(id->format, KUID_FORM_HEX, id->bytes, hex,
			   sizeof(hex)) ||
	    kuid_decode(id->format, id->bytes, interval, &fields))
		err(EXIT_FAILED, "fields of an ID");
	report_add(object, "text", json_string(text));
	report_add(object, "hex", json_string(hex));
	report_add(object, "format",
		   json_string(kuid_format_name(fields.format)));
	if (fields.has & KUID_HAS_VARIANT)
		report_add(object, "name",
			   json_string(kuid_uuid_name(id->bytes)));
	add_fields(object, &fields);
	return object;
}

static void inspect_id(const struct given_id *id, void *data)
{
	struct inspect *inspect = data;

	if (inspect->second && !inspect->json)
		putchar('\n');
	report_print(describe(id, inspect->ids.interval), inspect->json,
		     KEY_WIDTH);
	inspect->second = true;
}

int verb_inspect(int argc, char **argv)
{
	struct inspect inspect = { .ids = ID_ARGUMENTS_USUAL };

	argp_parse(&argp, argc, argv, 0, NULL, &inspect);
	given_id_each(&inspect.ids, inspect_id, &inspect);
	output_finish();
	return EXIT_SUCCESS;
}
