// SPDX-License-Identifier: GPL-2.0-only
/* kuid gen: make IDs. */
#include <errno.h>
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "device.h"
#include "output.h"
#include "verbs.h"

/* IDs asked for at once: enough that the call itself costs next to nothing. */
#define BATCH 4096

enum form {
	TEXT = 0x100, /* Above all characters: these options are long only. */
	BINARY,
	HEX,
	CF,
	GUID,
};

struct gen {
	uint64_t count;
	unsigned int format;
	int form; /* 0 as long as none was given */
};

static const struct argp_option options[] = {
	{ "count", 'n', "COUNT", 0, "How many IDs to make; 1 if not given", 0 },
	{ "format", 'f', "FORMAT", 0,
	  "v1 v6 v7 lex k64 k96 k128; v1 if not given", 0 },
	{ "text", TEXT, NULL, 0, "Canonical text (default)", 0 },
	{ "binary", BINARY, NULL, 0, "Bytes, with nothing between the IDs", 0 },
	{ "hex", HEX, NULL, 0, "Plain hexadecimal", 0 },
	{ "cf", CF, NULL, 0, "ColdFusion's form, of UUIDs only", 0 },
	{ "guid", GUID, NULL, 0,
	  "Hexadecimal of a GUID's bytes, the first three fields little-endian,"
	  " of UUIDs only",
	  0 },
	{ 0 },
};

static bool makes_uuids(unsigned int format)
{
	return format == KUID_FORMAT_V1 || format == KUID_FORMAT_V6 ||
	       format == KUID_FORMAT_V7;
}

static void check(const struct gen *gen, struct argp_state *state)
{
	if ((gen->form == CF || gen->form == GUID) && !makes_uuids(gen->format))
		argp_error(state, "--%s is for UUIDs: v1, v6 and v7, not %s",
			   gen->form == CF ? "cf" : "guid",
			   kuid_format_name(gen->format));
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct gen *gen = state->input;

	switch (key) {
	case 'n':
		gen->count =
			argument_number(state, arg, "a count", 1, UINT64_MAX);
		return 0;
	case 'f':
		gen->format = argument_format(state, arg);
		if (gen->format == KUID_ANY_UUID)
			argp_error(state, "\"uuid\" is not a format to make: "
					  "choose v1, v6 or v7");
		return 0;
	case TEXT:
	case BINARY:
	case HEX:
	case CF:
	case GUID:
		if (gen->form && gen->form != key)
			argp_error(state, "only one of --text, --binary, "
					  "--hex, --cf and --guid");
		gen->form = key;
		return 0;
	case ARGP_KEY_END:
		check(gen, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = no_arguments_child,
	.doc = "Make IDs and print each as one line of text.\v" EXIT_HELP,
};

static void print(const struct gen *gen, unsigned char *ids, size_t count,
		  size_t id_size)
{
	if (gen->form == BINARY) {
		if (fwrite(ids, id_size, count, stdout) != count)
			output_failed();
		return;
	}
	for (; count; count--, ids += id_size) {
		unsigned int form = KUID_FORM_CANONICAL;

		if (gen->form == GUID)
			kuid_guid(ids, ids);
		if (gen->form == GUID || gen->form == HEX)
			form = KUID_FORM_HEX;
		if (gen->form == CF)
			form = KUID_FORM_COLDFUSION;
		output_id(gen->format, form, ids);
	}
}

int verb_gen(int argc, char **argv)
{
	static unsigned char ids[BATCH * KUID_ID_MAX];
	struct gen gen = { .count = 1, .format = KUID_FORMAT_V1 };
	struct kuid *source;

	argp_parse(&argp, argc, argv, 0, NULL, &gen);

	source = device_open(gen.format);
	while (gen.count) {
		ssize_t made = kuid_many(source, ids,
					 gen.count < BATCH ? gen.count : BATCH);

		if (made < 0)
			err(EXIT_FAILED, "making IDs");
		print(&gen, ids, made, kuid_id_size(source));
		gen.count -= made;
	}
	kuid_close(source);
	output_finish();
	return EXIT_SUCCESS;
}
