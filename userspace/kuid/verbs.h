/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verbs of the tool, one file each. Each file defines a struct verb, from
 * which main.c parses the command line, prints the help and runs the verb.
 */
#ifndef KUID_TOOL_VERBS_H
#define KUID_TOOL_VERBS_H

#include "command_line.h"
#include "exit_status.h"

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
 * @run: does the work and returns the exit status; what it has printed is
 *	written after that
 */
struct verb {
	const char *name;
	const char *summary;
	const char *args;
	const char *doc;
	const char *examples;
	const char *exits;
	const struct option_row *options;
	const struct option_row *shared;
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
	VERB(restore) \
	VERB(clock)   \
	VERB(node)    \
	VERB(cdi)     \
	VERB(bench)

#define DECLARE_VERB(name) extern const struct verb verb_##name;
VERBS(DECLARE_VERB)
#undef DECLARE_VERB

#endif /* KUID_TOOL_VERBS_H */
