/* SPDX-License-Identifier: GPL-2.0-only */
/* Command lines: their options as rows, the values of options, and the help. */
#ifndef KUID_SERVICE_COMMAND_LINE_H
#define KUID_SERVICE_COMMAND_LINE_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

/* Rows of options leave out the fields that they don't need. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/**
 * struct option_row - one option
 * @name: its name, without "--"; NULL ends an array
 * @key: its letter, or 0
 * @arg: its argument as the help shows it, NULL if it takes none
 * @doc: its help
 * @take: stores the argument, or ends with a message and EXIT_USAGE
 * @to: where @take stores it
 * @what: what the argument is, for the messages of @take
 * @least: the lowest number that take_number() takes
 * @most: the highest
 */
struct option_row {
	const char *name;
	char key;
	const char *arg;
	const char *doc;
	void (*take)(struct argp_state *state, const struct option_row *option,
		     const char *arg);
	void *to;
	const char *what;
	uint64_t least;
	uint64_t most;
};

/* For @take: what @to leads to is a bool, which becomes true, ... */
void take_flag(struct argp_state *state, const struct option_row *option,
	       const char *arg);
/* ... or a uint64_t, from @least to @most. */
void take_number(struct argp_state *state, const struct option_row *option,
		 const char *arg);

/* A whole number, which the message calls what if it is none of these. */
uint64_t number_of(struct argp_state *state, const char *text, const char *what,
		   uint64_t least, uint64_t most);

/* End with the message that an argument is one too many. */
void refuse_argument(struct argp_state *state, const char *arg);

/**
 * struct command - what a command line may say
 * @version: what --version prints
 * @args: the arguments as the help shows them; NULL if there are none
 * @doc: the help: a text to print before the options, "\v", and a text to print
 *	behind them
 * @options: arrays of options; any may be NULL
 * @take_args: stores the arguments, at least one; NULL if it takes none
 * @check: ends with a message if options or arguments don't go together; may be
 *	NULL
 * @fill_in: what to print in place of a text of the help, to be freed, with a
 *	character between the words of a list; NULL for all texts as they are
 */
struct command {
	const char *version;
	const char *args;
	const char *doc;
	const struct option_row *options[2];
	void (*take_args)(struct argp_state *state, char **args, int count);
	void (*check)(struct argp_state *state);
	char *(*fill_in)(const char *text, char between);
};

/*
 * Take the options and arguments of a command line, or print the help and end.
 * Messages begin with argv[0]. To be called once.
 */
void command_line_parse(const struct command *command, int argc, char **argv);

/* Print a text, all of it, and end. */
__attribute__((noreturn)) void print_and_exit(const char *text);

#endif /* KUID_SERVICE_COMMAND_LINE_H */
