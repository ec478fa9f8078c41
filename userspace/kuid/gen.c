// SPDX-License-Identifier: GPL-2.0-only
/* kuid gen: make IDs. */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <err.h>
#include <kuid.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "verbs.h"

/* IDs asked for at once: enough that the call itself costs next to nothing. */
#define BATCH 4096

static const struct argp_option options[] = {
	{ "count", 'n', "COUNT", 0, "How many IDs to make; 1 if not given", 0 },
	{ 0 },
};

static uint64_t parse_count(const char *text, struct argp_state *state)
{
	unsigned long long count;
	char *end;

	errno = 0;
	count = strtoull(text, &end, 10);
	/* strtoull() would take a sign and white space too. */
	if (!isdigit((unsigned char)text[0]) || *end || errno || !count)
		argp_error(
			state,
			"\"%s\" is not a count: a whole number from 1 to %llu",
			text, (unsigned long long)UINT64_MAX);
	return count;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	uint64_t *count = state->input;

	switch (key) {
	case 'n':
		*count = parse_count(arg, state);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument \"%s\"", arg);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "Make IDs and print each as one line of text.",
};

static struct kuid *open_source(void)
{
	struct kuid *source = kuid_open(KUID_FORMAT_V1);

	if (source)
		return source;
	if (errno == ENODEV)
		errx(EXIT_FAILED, "there is no /dev/kuid: load the module with "
				  "\"modprobe kuid\"");
	err(EXIT_FAILED, "/dev/kuid");
}

static void print(const unsigned char *ids, size_t count, size_t id_size)
{
	char text[KUID_TEXT_MAX];

	for (; count; count--, ids += id_size) {
		if (kuid_text(KUID_FORMAT_V1, ids, text, sizeof(text)))
			err(EXIT_FAILED, "text of an ID");
		if (puts(text) == EOF)
			err(EXIT_FAILED, "standard output");
	}
}

int verb_gen(int argc, char **argv)
{
	static unsigned char ids[BATCH * KUID_ID_MAX];
	struct kuid *source;
	uint64_t left = 1;

	argp_parse(&argp, argc, argv, 0, NULL, &left);

	source = open_source();
	while (left) {
		ssize_t made =
			kuid_many(source, ids, left < BATCH ? left : BATCH);

		if (made < 0)
			err(EXIT_FAILED, "making IDs");
		print(ids, made, kuid_id_size(source));
		left -= made;
	}
	kuid_close(source);
	if (fflush(stdout))
		err(EXIT_FAILED, "standard output");
	return EXIT_SUCCESS;
}
