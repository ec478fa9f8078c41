// SPDX-License-Identifier: GPL-2.0-only
/* kuid compare: which of two IDs is the earlier one. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "formats.h"
#include "input_id.h"
#include "output.h"
#include "verbs.h"

static uint64_t bound_ns;
static bool bounded;
static bool as_signed;
static bool ticks;

static void take_bound(struct argp_state *state,
		       const struct option_row *option, const char *arg)
{
	take_number(state, option, arg);
	bounded = true;
}

static const struct option_row options[] = {
	{ "bound", 0, "NS",
	  "Compare by time, where clocks may be up to this many nanoseconds "
	  "apart",
	  take_bound, &bound_ns, "a bound", 0, UINT64_MAX },
	{ "signed", 0, NULL,
	  "Compare {lex} as Cassie does: both halves are signed numbers",
	  take_flag, &as_signed },
	{ "ticks", 0, NULL,
	  "Print how many grid ticks B is after A, too, for {grid}", take_flag,
	  &ticks },
	FROM_KUID_OPTION,
	{ 0 },
};

static void check(struct argp_state *state)
{
	if (input.count == 1 && strcmp(input.args[0], "-"))
		argp_error(state, "two IDs are needed, or lines of standard "
				  "input");
	if (input.count > 2)
		refuse_argument(state, input.args[2]);
	if (as_signed && bounded)
		argp_error(state, "only one of --bound and --signed");
	if (input.flags && !bounded)
		argp_error(state, "--from-kuid is for --bound");
}

static const char *check_formats(const struct input_id *a,
				 const struct input_id *b)
{
	char text_a[KUID_TEXT_MAX], text_b[KUID_TEXT_MAX];

	if (a->format == b->format)
		return NULL;
	if (kuid_text(a->format, a->bytes, text_a, sizeof(text_a)) ||
	    kuid_text(b->format, b->bytes, text_b, sizeof(text_b)))
		err(EXIT_FAILED, "text of an ID");
	return input_id_wrong(b,
			      "they are of different formats: \"%s\" of %s, "
			      "\"%s\" of %s",
			      text_a, kuid_format_name(a->format), text_b,
			      kuid_format_name(b->format));
}

/* Returns NULL, or the message if they can't be compared. */
static const char *find_order(const struct input_id *a,
			      const struct input_id *b, int *order)
{
	const char *why = check_formats(a, b);
	int failed;

	if (why)
		return why;
	if (ticks && !formats_is("{grid}", a->format))
		return input_id_wrong(b, "%s has no grid ticks",
				      kuid_format_name(a->format));
	if (as_signed &&
	    kuid_compare_signed(a->format, a->bytes, b->bytes, order))
		return input_id_wrong(b, "%s is not compared as signed numbers",
				      kuid_format_name(a->format));
	if (as_signed)
		return NULL;
	if (bounded)
		failed = kuid_compare_bound(a->format, a->bytes, b->bytes,
					    input_id_setting(a->format),
					    input.flags, bound_ns, order);
	else
		failed = kuid_compare(a->format, a->bytes, b->bytes, order);
	if (failed && a->format == KUID_ANY_UUID)
		return input_id_wrong(b, "these UUIDs have no time to compare");
	if (failed)
		err(EXIT_FAILED, "comparing");
	return NULL;
}

/* The text before: whether there is one, and the ID unless it was wrong. */
static bool seen;
static bool has_last;
static struct input_id last;
static bool undecided;

/* Grid ticks since 1970. A second has 977, for C is microseconds >> 10. */
static int64_t grid_tick(const struct input_id *id)
{
	struct kuid_fields fields;

	if (kuid_decode(id->format, id->bytes, input_id_setting(id->format), 0,
			&fields))
		err(EXIT_FAILED, "fields of an ID");
	return (fields.a * 1000000LL + fields.b) * 977 + fields.c;
}

static void print_order(const char *name, const struct input_id *id)
{
	char line[64];

	if (!ticks) {
		output_line(name);
		return;
	}
	snprintf(line, sizeof(line), "%s\t%" PRId64, name,
		 grid_tick(id) - grid_tick(&last));
	output_line(line);
}

/* A wrong text stands in two pairs, which are each a line of output. */
static void mark(const char *why)
{
	if (seen)
		input_id_print_mark(why);
	seen = true;
	has_last = false;
}

static void compare_with_last(const struct input_id *id)
{
	static const char *const names[] = {
		[KUID_EQUAL] = "equal",
		[KUID_AFTER] = "after",
		[KUID_UNDECIDED] = "undecided",
	};
	const char *why;
	int order;

	if (!has_last) {
		mark(NULL);
		return;
	}
	why = find_order(&last, id, &order);
	if (why) {
		mark(why);
		return;
	}
	if (order == KUID_UNDECIDED)
		undecided = true;
	print_order(order == KUID_BEFORE ? "before" : names[order], id);
}

static const char *compare_id(const struct input_id *id)
{
	if (seen)
		compare_with_last(id);
	seen = true;
	has_last = true;
	last = *id;
	return NULL;
}

static int run(void)
{
	int status = input_id_each(compare_id, mark);

	return !status && undecided ? EXIT_UNDECIDED : status;
}

const struct verb verb_compare = {
	.name = "compare",
	.summary = "which of two IDs is the earlier one",
	.args = "[A B]",
	.doc = "Print whether A is \"before\", \"equal\" to or \"after\" B in "
	       "their format's order. Without A and B, compare each line of "
	       "standard input with the next line.\v"
	       "Within 2^I seconds {interval} are in the order of their "
	       "nodes; --bound 0 compares them by their times. "
	       "With a bound, IDs of different nodes are compared by their "
	       "times, and the answer is \"undecided\" if the times are less "
	       "than the bound apart. --ticks adds how far apart the times of "
	       "{grid} are: a tab, and a number that is negative if B's is the "
	       "earlier one. An effect that is \"before\" its cause "
	       "is a violation of causality. The command stops at the first "
	       "ID that can't be compared with the one before it, unless "
	       "--keep-going is given: then it prints a line \"-\" for that "
	       "pair.",
	.examples = "  kuid compare .5.tXbhdV.3 .5.tXbhdV.7\n"
		    "  kuid compare --bound 1000000 <ids",
	.exits = "1 failed, 2 wrong usage, 3 any undecided, 5 some IDs wrong "
		 "(--keep-going)",
	.options = options,
	.shared = input_id_options,
	.take_args = input_id_take_args,
	.check = check,
	.run = run,
};
