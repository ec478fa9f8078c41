// SPDX-License-Identifier: GPL-2.0-only
/* See arguments.h. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <kuid.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "formats.h"
#include "output.h"

void take_flag(struct argp_state *state __attribute__((unused)),
	       const struct verb_option *option,
	       const char *arg __attribute__((unused)))
{
	*(bool *)option->to = true;
}

static uint64_t number_of(struct argp_state *state, const char *text,
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
			   QUOTED(text), what, least, most);
	return number;
}

void take_number(struct argp_state *state, const struct verb_option *option,
		 const char *arg)
{
	*(uint64_t *)option->to = number_of(state, arg, option->what,
					    option->least, option->most);
}

void take_interval(struct argp_state *state, const struct verb_option *option,
		   const char *arg)
{
	*(uint32_t *)option->to = number_of(state, arg, "an interval",
					    KUID_INTERVAL_MIN,
					    KUID_INTERVAL_MAX);
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

void take_count(struct argp_state *state, const struct verb_option *option,
		const char *arg)
{
	size_t digits = strspn(arg, "0123456789");
	unsigned long long number;
	uint64_t count = 0;

	errno = 0;
	number = strtoull(arg, NULL, 10);
	if (!digits || errno || (arg[digits] && arg[digits + 1]) ||
	    __builtin_mul_overflow(number, factor(arg[digits]), &count) ||
	    !count)
		argp_error(state,
			   "\"%s\" is not a count: a whole number from 1 to "
			   "%" PRIu64 ", which may end in k, M or G",
			   QUOTED(arg), UINT64_MAX);
	*(uint64_t *)option->to = count;
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
			   QUOTED(text), what, digits, others, good + 1);
	if (good > (size_t)digits)
		argp_error(state,
			   "\"%s\" is not %s: 1 to %d hexadecimal digits%s, "
			   "but character %d is one too many",
			   QUOTED(text), what, digits, others, digits + 1);
	return strtoull(text, NULL, 16);
}

void take_format(struct argp_state *state, const struct verb_option *option,
		 const char *arg)
{
	int format = kuid_format_number(arg);

	if (format < 0)
		argp_error(state, "\"%s\" is not a format: %s", QUOTED(arg),
			   formats_fill_in("{all}", ' '));
	*(unsigned int *)option->to = format;
}

void take_made_format(struct argp_state *state,
		      const struct verb_option *option, const char *arg)
{
	take_format(state, option, arg);
	if (*(unsigned int *)option->to == KUID_ANY_UUID)
		argp_error(state, "\"uuid\" is not a format to make: %s",
			   formats_fill_in("choose one of {uuid}", ' '));
}
