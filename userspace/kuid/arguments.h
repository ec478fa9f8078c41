/* SPDX-License-Identifier: GPL-2.0-only */
/* The values of the options of several verbs: how they are read and stored. */
#ifndef KUID_TOOL_ARGUMENTS_H
#define KUID_TOOL_ARGUMENTS_H

#include <stdbool.h>

#include "command_line.h"

/*
 * For struct option_row.take, each with the type that option->to leads to.
 * They end with a message about the argument and EXIT_USAGE if it is wrong.
 */
void take_count(struct argp_state *state, const struct option_row *option,
		const char *arg); /* uint64_t, not 0; may end in k, M or G */
void take_format(struct argp_state *state, const struct option_row *option,
		 const char *arg); /* unsigned int, also KUID_ANY_UUID */
void take_made_format(struct argp_state *state, const struct option_row *option,
		      const char *arg); /* the same, not KUID_ANY_UUID */
void take_interval(struct argp_state *state, const struct option_row *option,
		   const char *arg); /* uint32_t */

void take_time(struct argp_state *state, const struct option_row *option,
	       const char *arg); /* struct time_argument */

/* A time since 1970; nsec counts up from sec, also before 1970. */
struct time_argument {
	int64_t sec;
	uint32_t nsec;
	bool is_set;
};

/* The argument of -I as the help shows it: all intervals. */
#define INTERVAL_RANGE(least, most) \
	INTERVAL_TEXT(least) ".." INTERVAL_TEXT(most)
#define INTERVAL_TEXT(number) #number
#define INTERVAL_ARG	      INTERVAL_RANGE(KUID_INTERVAL_MIN, KUID_INTERVAL_MAX)

/* For verbs that can print JSON. */
#define JSON_OPTION(wanted)                                             \
	{                                                               \
		"json", 'j', NULL, "Print one line of JSON", take_flag, \
			wanted,                                         \
	}

/*
 * Read up to so many hexadecimal digits; others is what the message says could
 * have stood in its place.
 */
uint64_t argument_hex(struct argp_state *state, const char *text,
		      const char *what, int digits, const char *others);

/*
 * The same for a node of k-ordered IDs, or the worker that it is made from,
 * which may also be erlang:NAME: the name of an Erlang node, whose hash is the
 * node in the IDs of fogfish/uid.
 */
uint64_t argument_node(struct argp_state *state, const char *text,
		       const char *what, const char *others);

#endif /* KUID_TOOL_ARGUMENTS_H */
