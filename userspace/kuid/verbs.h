/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verbs of the tool, one file each. Each file defines a struct verb, from
 * which main.c parses the command line, prints the help and runs the verb.
 */
#ifndef KUID_TOOL_VERBS_H
#define KUID_TOOL_VERBS_H

#include <argp.h>
#include <stdint.h>

/* Rows of options leave out the fields that they don't need. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* Exit statuses, for all verbs. */
#define EXIT_FAILED    1  /* the verb could not do what it was asked for */
#define EXIT_USAGE     2  /* the command line is wrong */
#define EXIT_UNDECIDED 3  /* the question has no answer */
#define EXIT_NOT_HELD  4  /* --check: uniqueness or order is not held */
#define EXIT_WRONG_IDS 5  /* --keep-going: some IDs are wrong */
#define EXIT_LATER     75 /* the same may succeed later: EX_TEMPFAIL */

/**
 * struct verb_option - one option of a verb
 * @name: its name, without "--"; NULL ends an array
 * @key: its letter, or 0
 * @arg: its argument as the help shows it, NULL if it takes none: words with
 *	"|" between them or a range "5..10", which completion offers, or a name
 *	in upper case
 * @doc: its help; {WORD} here and in @arg is a list of formats, see formats.h
 * @take: stores the argument, or ends with a message and EXIT_USAGE
 * @to: where @take stores it
 * @what: what the argument is, for the messages of @take
 * @least: the lowest number that take_number() takes
 * @most: the highest
 */
struct verb_option {
	const char *name;
	char key;
	const char *arg;
	const char *doc;
	void (*take)(struct argp_state *state, const struct verb_option *option,
		     const char *arg);
	void *to;
	const char *what;
	uint64_t least;
	uint64_t most;
};

/**
 * struct verb - one verb
 * @name: its name on the command line
 * @summary: its line in the help of the tool
 * @args: its arguments as the help shows them; NULL if it takes none
 * @doc: its help: a text to print before the options, "\v", and a text to
 *	print behind them
 * @examples: lines of a shell that show its use, for the end of the help
 * @exits: its exit statuses but 0, for the help; NULL for the usual ones
 * @options: its own options; may be NULL
 * @shared: options that it has in common with other verbs; may be NULL
 * @take_args: stores the arguments, at least one; NULL if it takes none
 * @check: ends with a message if options or arguments don't go together; may be
 *	NULL
 * @run: does the work and returns the exit status
 */
struct verb {
	const char *name;
	const char *summary;
	const char *args;
	const char *doc;
	const char *examples;
	const char *exits;
	const struct verb_option *options;
	const struct verb_option *shared;
	void (*take_args)(struct argp_state *state, char **args, int count);
	void (*check)(struct argp_state *state);
	int (*run)(void);
};

/* All verbs, in the order of the help. The first is the default. */
#define VERBS(VERB)   \
	VERB(gen)     \
	VERB(inspect) \
	VERB(convert) \
	VERB(compare) \
	VERB(range)   \
	VERB(status)  \
	VERB(keep)    \
	VERB(save)    \
	VERB(restore) \
	VERB(clock)   \
	VERB(node)    \
	VERB(cdi)     \
	VERB(bench)

#define DECLARE_VERB(name) extern const struct verb verb_##name;
VERBS(DECLARE_VERB)
#undef DECLARE_VERB

#endif /* KUID_TOOL_VERBS_H */
