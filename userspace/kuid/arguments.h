/* SPDX-License-Identifier: GPL-2.0-only */
/* What more than one verb takes: options' arguments, and IDs. */
#ifndef KUID_TOOL_ARGUMENTS_H
#define KUID_TOOL_ARGUMENTS_H

#include <argp.h>
#include <kuid.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Each gives the value of an option's argument, or ends with a message about
 * it and EXIT_USAGE. Hexadecimal has up to so many digits; others is what the
 * message says could have been given instead.
 */
uint64_t argument_number(struct argp_state *state, const char *text,
			 const char *what, uint64_t least, uint64_t most);
uint64_t argument_hex(struct argp_state *state, const char *text,
		      const char *what, int digits, const char *others);
uint64_t argument_node(struct argp_state *state, const char *text);
unsigned int argument_format(struct argp_state *state, const char *text);
unsigned int argument_interval(struct argp_state *state, const char *text);

/* What -f and -I mean for verbs that take IDs. */
#define FORMAT_HELP                                                            \
	"Format of the IDs: v1 v6 v7 lex k64 k96 k128, or uuid for any UUID; " \
	"needed for plain hexadecimal, else told by their form"
#define INTERVAL_HELP "Interval I of k96 and k128, 5 to 10; 8 if not given"

/* An ID as it was given, and what it was found to be. */
struct given_id {
	unsigned int format;
	unsigned char bytes[KUID_ID_MAX];
};

/*
 * Read one ID, of format or of the one it is found to be if that is
 * KUID_FORMAT_DEFAULT; or end with a message about it and EXIT_FAILED. line is
 * where it is from: a line of standard input, or 0 if it was an argument.
 */
void argument_id(const char *text, size_t size, unsigned long line,
		 unsigned int format, struct given_id *id);

/*
 * Do something with each of the IDs in args, or with each line of standard
 * input if there are none.
 */
void arguments_each(char **args, int count, unsigned int format,
		    void (*act)(const struct given_id *id, void *data),
		    void *data);

/* Print an ID in one of KUID_FORM_* as a line. */
void print_id(unsigned int format, unsigned int form, const void *id);

/* End with a message if not all of the output could be written. */
void finish_output(void);

#endif /* KUID_TOOL_ARGUMENTS_H */
