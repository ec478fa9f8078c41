/* SPDX-License-Identifier: GPL-2.0-only */
/* What more than one verb takes: options, and their arguments. */
#ifndef KUID_TOOL_ARGUMENTS_H
#define KUID_TOOL_ARGUMENTS_H

#include <argp.h>
#include <kuid.h>
#include <stdint.h>

/*
 * Each gives the value of an option's argument, or ends with a message about
 * it and EXIT_USAGE. Hexadecimal has up to so many digits; others is what the
 * message says could have been given instead. A count may have a suffix.
 */
uint64_t argument_number(struct argp_state *state, const char *text,
			 const char *what, uint64_t least, uint64_t most);
uint64_t argument_count(struct argp_state *state, const char *text);
uint64_t argument_hex(struct argp_state *state, const char *text,
		      const char *what, int digits, const char *others);
uint64_t argument_node(struct argp_state *state, const char *text);
unsigned int argument_format(struct argp_state *state, const char *text);
unsigned int argument_made_format(struct argp_state *state, const char *text);
unsigned int argument_interval(struct argp_state *state, const char *text);

/* For verbs that take IDs: -f, -I and the IDs, put into the child's input. */
struct id_arguments {
	unsigned int format; /* KUID_FORMAT_DEFAULT: what each is found to be */
	unsigned int interval;
	char **args;
	int count; /* 0: they are lines of standard input */
};

#define ID_ARGUMENTS_USUAL                      \
	{                                       \
		.interval = KUID_INTERVAL_USUAL \
	}

extern const struct argp_child id_arguments_child[];

/* For verbs that take options only. */
extern const struct argp_child no_arguments_child[];

#endif /* KUID_TOOL_ARGUMENTS_H */
