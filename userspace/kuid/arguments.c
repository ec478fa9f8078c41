// SPDX-License-Identifier: GPL-2.0-only
/* See arguments.h. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "verbs.h"

uint64_t argument_number(struct argp_state *state, const char *text,
			 const char *what, uint64_t least, uint64_t most)
{
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(text, &end, 10);
	/* strtoull() would take a sign and white space too. */
	if (!isdigit((unsigned char)text[0]) || *end || errno ||
	    number < least || number > most)
		argp_error(state,
			   "\"%s\" is not %s: a whole number from %" PRIu64
			   " to %" PRIu64,
			   text, what, least, most);
	return number;
}

static uint64_t factor(char suffix)
{
	switch (suffix) {
	case '\0':
		return 1;
	case 'k':
		return 1000;
	case 'M':
		return 1000000;
	case 'G':
		return 1000000000;
	default:
		return 0;
	}
}

uint64_t argument_count(struct argp_state *state, const char *text)
{
	size_t digits = strspn(text, "0123456789");
	unsigned long long number;
	uint64_t count = 0;

	errno = 0;
	number = strtoull(text, NULL, 10);
	if (!digits || errno || (text[digits] && text[digits + 1]) ||
	    __builtin_mul_overflow(number, factor(text[digits]), &count) ||
	    !count)
		argp_error(state,
			   "\"%s\" is not a count: a whole number from 1, with "
			   "k, M or G behind it or not, to %" PRIu64,
			   text, UINT64_MAX);
	return count;
}

uint64_t argument_hex(struct argp_state *state, const char *text,
		      const char *what, int digits, const char *others)
{
	size_t good = strspn(text, "0123456789abcdefABCDEF");

	if (!*text)
		argp_error(state,
			   "\"\" is not %s: 1 to %d hexadecimal digits%s are "
			   "needed",
			   what, digits, others);
	if (text[good])
		argp_error(state,
			   "\"%s\" is not %s: 1 to %d hexadecimal digits%s, "
			   "but character %zu is none",
			   text, what, digits, others, good + 1);
	if (good > (size_t)digits)
		argp_error(state,
			   "\"%s\" is not %s: 1 to %d hexadecimal digits%s, "
			   "but character %d is one too many",
			   text, what, digits, others, digits + 1);
	return strtoull(text, NULL, 16);
}

uint64_t argument_node(struct argp_state *state, const char *text)
{
	return argument_hex(state, text, "a node", 16, "");
}

unsigned int argument_format(struct argp_state *state, const char *text)
{
	int format = kuid_format_number(text);

	if (format < 0)
		argp_error(state,
			   "\"%s\" is not a format: v1 v6 v7 lex k64 k96 k128",
			   text);
	return format;
}

unsigned int argument_made_format(struct argp_state *state, const char *text)
{
	unsigned int format = argument_format(state, text);

	if (format == KUID_ANY_UUID)
		argp_error(state, "\"uuid\" is not a format to make: choose "
				  "v1, v6 or v7");
	return format;
}

unsigned int argument_interval(struct argp_state *state, const char *text)
{
	return argument_number(state, text, "an interval", KUID_INTERVAL_LOWEST,
			       KUID_INTERVAL_HIGHEST);
}

static error_t parse_ids(int key, char *arg, struct argp_state *state)
{
	struct id_arguments *ids = state->input;

	switch (key) {
	case 'f':
		ids->format = argument_format(state, arg);
		return 0;
	case 'I':
		ids->interval = argument_interval(state, arg);
		return 0;
	case ARGP_KEY_ARGS:
		ids->args = state->argv + state->next;
		ids->count = state->argc - state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option id_options[] = {
	{ "format", 'f', "FORMAT", 0,
	  "Format of the IDs: v1 v6 v7 lex k64 k96 k128, or uuid for any UUID; "
	  "needed for plain hexadecimal, else told by their form",
	  0 },
	{ "interval", 'I', "I", 0,
	  "Interval I of k96 and k128, 5 to 10; 8 if not given", 0 },
	{ 0 },
};

static const struct argp id_arguments_argp = {
	.options = id_options,
	.parser = parse_ids,
};

const struct argp_child id_arguments_child[] = {
	{ &id_arguments_argp, 0, NULL, 0 },
	{ 0 },
};

static error_t parse_no_arguments(int key, char *arg, struct argp_state *state)
{
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	argp_error(state, "unexpected argument \"%s\"", arg);
	return EINVAL;
}

static const struct argp no_arguments_argp = {
	.parser = parse_no_arguments,
};

const struct argp_child no_arguments_child[] = {
	{ &no_arguments_argp, 0, NULL, 0 },
	{ 0 },
};
