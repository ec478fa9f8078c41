// SPDX-License-Identifier: GPL-2.0-only
/* kuid inspect: take IDs apart. */
#include <err.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "arguments.h"
#include "verbs.h"

#define SEC_NS 1000000000

struct inspect {
	char **args;
	int count;
	unsigned int format;
	unsigned int interval;
	bool json;
	bool second; /* not the first ID to be printed */
};

static const struct argp_option options[] = {
	{ "format", 'f', "FORMAT", 0, FORMAT_HELP, 0 },
	{ "interval", 'I', "I", 0, INTERVAL_HELP, 0 },
	{ "json", 'j', NULL, 0, "Print each ID as one line of JSON", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct inspect *inspect = state->input;

	switch (key) {
	case 'f':
		inspect->format = argument_format(state, arg);
		return 0;
	case 'I':
		inspect->interval = argument_interval(state, arg);
		return 0;
	case 'j':
		inspect->json = true;
		return 0;
	case ARGP_KEY_ARGS:
		inspect->args = state->argv + state->next;
		inspect->count = state->argc - state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[ID...]",
	.doc = "Print what is in IDs, given as arguments or as lines of "
	       "standard input: canonical text, ColdFusion's form or, with a "
	       "format, plain hexadecimal.\v"
	       "Numbers are decimal; hex, node, worker and random are "
	       "hexadecimal. Lanes are scrambled. In JSON what may not fit in "
	       "63 bits is a string.",
};

static void add(json_t *object, const char *key, json_t *value)
{
	/* The value is freed if this fails, also if it is NULL. */
	if (json_object_set_new(object, key, value))
		errx(EXIT_FAILED, "out of memory");
}

static void add_hex(json_t *object, const char *key, uint64_t value, int digits)
{
	add(object, key, json_sprintf("%0*" PRIx64, digits, value));
}

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
		add(object, "unix_ns",
		    json_sprintf("%s%" PRIu64 "%09" PRIu32, sign, sec, nsec));
	else
		add(object, "unix_ns", json_sprintf("%s%" PRIu32, sign, nsec));
}

/* RFC 3339; years of more than 4 digits with a sign, as ISO 8601 has them. */
static void add_time(json_t *object, const struct kuid_fields *fields)
{
	uint32_t fraction = fields->nsec;
	time_t sec = fields->sec;
	int digits = 9;
	struct tm tm;

	if (!gmtime_r(&sec, &tm))
		err(EXIT_FAILED, "time of an ID");
	/* The digits that the format has: down to 100 ns, or microseconds. */
	if (fields->resolution_ns >= 1000)
		digits = 6;
	else if (fields->resolution_ns >= 100)
		digits = 7;
	for (int i = digits; i < 9; i++)
		fraction /= 10;
	add(object, "time",
	    json_sprintf("%s%04d-%02d-%02dT%02d:%02d:%02d.%0*" PRIu32 "Z",
			 tm.tm_year > 9999 - 1900 ? "+" : "", tm.tm_year + 1900,
			 tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
			 tm.tm_sec, digits, fraction));
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
		add(object, "version", json_integer(fields->version));
	if (has & KUID_HAS_VARIANT)
		add(object, "variant", json_string(variants[fields->variant]));
	if (has & KUID_HAS_TIME) {
		add_time(object, fields);
		add_unix_ns(object, fields);
		add(object, "resolution_ns",
		    json_integer(fields->resolution_ns));
	}
	if (has & KUID_HAS_TICKS)
		add(object, "ticks", json_sprintf("%" PRIu64, fields->ticks));
	if (has & KUID_HAS_FRACTION)
		add(object, "fraction", json_integer(fields->fraction));
	if (has & KUID_HAS_GRID) {
		add(object, "a", json_integer(fields->a));
		add(object, "b", json_integer(fields->b));
		add(object, "c", json_integer(fields->c));
	}
	if (has & KUID_HAS_CLOCK_SEQ)
		add(object, "clock_seq", json_integer(fields->clock_seq));
	if (has & KUID_HAS_SEQ)
		add(object, "seq", json_integer(fields->seq));
	if (has & KUID_HAS_LANE)
		add(object, "lane", json_integer(fields->lane));
	if (has & KUID_HAS_INTERVAL)
		add(object, "interval", json_integer(fields->interval));
	if (has & KUID_HAS_NODE)
		add_hex(object, "node", fields->node,
			node_digits(fields->format));
	if (has & KUID_HAS_WORKER)
		add_hex(object, "worker", fields->worker, 16);
	if (has & KUID_HAS_RANDOM)
		add_hex(object, "random", fields->random, 12);
}

static json_t *describe(const struct given_id *id, unsigned int interval)
{
	json_t *object = json_object();
	char text[KUID_TEXT_MAX], hex[KUID_TEXT_MAX];
	struct kuid_fields fields;

	if (!object)
		errx(EXIT_FAILED, "out of memory");
	if (kuid_text(id->format, id->bytes, text, sizeof(text)) ||
	    kuid_text_form(id->format, KUID_FORM_HEX, id->bytes, hex,
			   sizeof(hex)) ||
	    kuid_decode(id->format, id->bytes, interval, &fields))
		err(EXIT_FAILED, "fields of an ID");
	add(object, "text", json_string(text));
	add(object, "hex", json_string(hex));
	add(object, "format", json_string(kuid_format_name(fields.format)));
	if (fields.has & KUID_HAS_VARIANT)
		add(object, "name", json_string(kuid_uuid_name(id->bytes)));
	add_fields(object, &fields);
	return object;
}

static void print_lines(json_t *object)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
	{
		if (json_is_string(value))
			printf("%-13s %s\n", key, json_string_value(value));
		else
			printf("%-13s %" JSON_INTEGER_FORMAT "\n", key,
			       json_integer_value(value));
	}
}

static void inspect_id(const struct given_id *id, void *data)
{
	struct inspect *inspect = data;
	json_t *object = describe(id, inspect->interval);

	if (inspect->json) {
		if (json_dumpf(object, stdout, 0) || putchar('\n') == EOF)
			err(EXIT_FAILED, "standard output");
	} else {
		if (inspect->second)
			putchar('\n');
		print_lines(object);
		if (ferror(stdout))
			err(EXIT_FAILED, "standard output");
	}
	inspect->second = true;
	json_decref(object);
}

int verb_inspect(int argc, char **argv)
{
	struct inspect inspect = { .interval = KUID_INTERVAL_USUAL };

	argp_parse(&argp, argc, argv, 0, NULL, &inspect);
	arguments_each(inspect.args, inspect.count, inspect.format, inspect_id,
		       &inspect);
	finish_output();
	return EXIT_SUCCESS;
}
