// SPDX-License-Identifier: GPL-2.0-only
/* kuid compare: which of two IDs is the earlier one. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "verbs.h"

struct compare {
	char *args[2];
	unsigned int format;
	unsigned int interval;
	uint64_t bound_ns;
	bool bounded;
};

enum {
	BOUND = 0x100, /* Above all characters: this option is long only. */
};

static const struct argp_option options[] = {
	{ "bound", BOUND, "NS", 0,
	  "Compare by time, where clocks may be up to this many nanoseconds "
	  "apart",
	  0 },
	{ "format", 'f', "FORMAT", 0, FORMAT_HELP, 0 },
	{ "interval", 'I', "I", 0, INTERVAL_HELP, 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct compare *compare = state->input;

	switch (key) {
	case BOUND:
		compare->bound_ns =
			argument_number(state, arg, "a bound", 0, UINT64_MAX);
		compare->bounded = true;
		return 0;
	case 'f':
		compare->format = argument_format(state, arg);
		return 0;
	case 'I':
		compare->interval = argument_interval(state, arg);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num >= 2)
			argp_error(state, "unexpected argument \"%s\"", arg);
		compare->args[state->arg_num] = arg;
		return 0;
	case ARGP_KEY_END:
		if (state->arg_num < 2)
			argp_error(state, "two IDs are needed");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "A B",
	.doc = "Print whether A is \"before\", \"equal\" to or \"after\" B in "
	       "their format's order.\v"
	       "With a bound it is their times that are compared, unless both "
	       "are of one node, and the answer is \"undecided\" if they are "
	       "less than the bound apart. An effect that is \"before\" its "
	       "cause is a violation of causality.\n"
	       "\n"
	       "Exit status: 0 decided, 1 failed, 2 wrong usage, 3 undecided.",
};

int verb_compare(int argc, char **argv)
{
	static const char *const names[] = {
		[KUID_EQUAL] = "equal",
		[KUID_AFTER] = "after",
		[KUID_UNDECIDED] = "undecided",
	};
	struct compare compare = { .interval = KUID_INTERVAL_USUAL };
	struct given_id a, b;
	int order, failed;

	argp_parse(&argp, argc, argv, 0, NULL, &compare);
	argument_id(compare.args[0], strlen(compare.args[0]), 0, compare.format,
		    &a);
	argument_id(compare.args[1], strlen(compare.args[1]), 0, compare.format,
		    &b);
	if (a.format != b.format)
		errx(EXIT_FAILED,
		     "they are of different formats: \"%s\" of %s, \"%s\" of "
		     "%s",
		     compare.args[0], kuid_format_name(a.format),
		     compare.args[1], kuid_format_name(b.format));
	if (compare.bounded)
		failed = kuid_compare_bound(a.format, a.bytes, b.bytes,
					    compare.interval, compare.bound_ns,
					    &order);
	else
		failed = kuid_compare(a.format, a.bytes, b.bytes, &order);
	if (failed && a.format == KUID_ANY_UUID)
		errx(EXIT_FAILED, "these UUIDs have no time to compare");
	if (failed)
		err(EXIT_FAILED, "comparing");
	puts(order == KUID_BEFORE ? "before" : names[order]);
	finish_output();
	return order == KUID_UNDECIDED ? EXIT_UNDECIDED : EXIT_SUCCESS;
}
