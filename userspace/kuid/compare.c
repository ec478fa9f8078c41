// SPDX-License-Identifier: GPL-2.0-only
/* kuid compare: which of two IDs is the earlier one. */
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "given_id.h"
#include "output.h"
#include "verbs.h"

struct compare {
	struct id_arguments ids;
	uint64_t bound_ns;
	bool bounded;
	bool undecided;
	unsigned long seen;
	struct given_id last;
};

enum {
	BOUND = 0x100, /* Above all characters: this option is long only. */
};

static const struct argp_option options[] = {
	{ "bound", BOUND, "NS", 0,
	  "Compare by time, where clocks may be up to this many nanoseconds "
	  "apart",
	  0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct compare *compare = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &compare->ids;
		return 0;
	case BOUND:
		compare->bound_ns =
			argument_number(state, arg, "a bound", 0, UINT64_MAX);
		compare->bounded = true;
		return 0;
	case ARGP_KEY_END:
		if (compare->ids.count == 1)
			argp_error(state, "two IDs are needed, or lines of "
					  "standard input");
		if (compare->ids.count > 2)
			argp_error(state, "unexpected argument \"%s\"",
				   compare->ids.args[2]);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = id_arguments_child,
	.args_doc = "[A B]",
	.doc = "Print whether A is \"before\", \"equal\" to or \"after\" B in "
	       "their format's order; or, without A and B, the same of each "
	       "line of standard input and the next one.\v"
	       "With a bound it is their times that are compared, unless both "
	       "are of one node, and the answer is \"undecided\" if they are "
	       "less than the bound apart. An effect that is \"before\" its "
	       "cause is a violation of causality. An ID that can't be "
	       "compared with the one before it ends it.\n"
	       "\n"
	       "Exit status: 0 all decided, 1 failed, 2 wrong usage, 3 any "
	       "undecided.",
};

static void check_formats(const struct given_id *a, const struct given_id *b)
{
	char text_a[KUID_TEXT_MAX], text_b[KUID_TEXT_MAX];

	if (a->format == b->format)
		return;
	if (kuid_text(a->format, a->bytes, text_a, sizeof(text_a)) ||
	    kuid_text(b->format, b->bytes, text_b, sizeof(text_b)))
		err(EXIT_FAILED, "text of an ID");
	given_id_wrong(b,
		       "they are of different formats: \"%s\" of %s, \"%s\" of "
		       "%s",
		       text_a, kuid_format_name(a->format), text_b,
		       kuid_format_name(b->format));
}

static int order_of(const struct compare *compare, const struct given_id *a,
		    const struct given_id *b)
{
	int order, failed;

	check_formats(a, b);
	if (compare->bounded)
		failed = kuid_compare_bound(a->format, a->bytes, b->bytes,
					    compare->ids.interval,
					    compare->bound_ns, &order);
	else
		failed = kuid_compare(a->format, a->bytes, b->bytes, &order);
	if (failed && a->format == KUID_ANY_UUID)
		given_id_wrong(b, "these UUIDs have no time to compare");
	if (failed)
		err(EXIT_FAILED, "comparing");
	return order;
}

static void compare_id(const struct given_id *id, void *data)
{
	static const char *const names[] = {
		[KUID_EQUAL] = "equal",
		[KUID_AFTER] = "after",
		[KUID_UNDECIDED] = "undecided",
	};
	struct compare *compare = data;
	int order;

	if (compare->seen++) {
		order = order_of(compare, &compare->last, id);
		if (order == KUID_UNDECIDED)
			compare->undecided = true;
		if (puts(order == KUID_BEFORE ? "before" : names[order]) == EOF)
			output_failed();
	}
	compare->last = *id;
}

int verb_compare(int argc, char **argv)
{
	struct compare compare = { .ids = ID_ARGUMENTS_USUAL };

	argp_parse(&argp, argc, argv, 0, NULL, &compare);
	given_id_each(&compare.ids, compare_id, &compare);
	output_finish();
	return compare.undecided ? EXIT_UNDECIDED : EXIT_SUCCESS;
}
