// SPDX-License-Identifier: GPL-2.0-only
/*
 * kuid(1): finds the verb, parses its command line by its table and runs it;
 * and the help.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "output.h"
#include "quoted.h"
#include "text.h"
#include "verbs.h"
#include "version.h"

static const struct verb verb_help;

#define VERB_ENTRY(name) &verb_##name,
static const struct verb *const verbs[] = { VERBS(VERB_ENTRY)
						    VERB_ENTRY(help) };

#define NR_VERBS (sizeof(verbs) / sizeof(verbs[0]))

#define WIDTH 79 /* of a line */

static int run(const struct verb *verb, int argc, char **argv)
{
	struct command command = {
		.version = "kuid " KUID_VERSION,
		.args = verb->args,
		.options = { verb->options, verb->shared },
		.take_args = verb->take_args,
		.check = verb->check,
		.fill_in = formats_fill_in,
	};
	char name[32];
	char *doc;
	int status;

	snprintf(name, sizeof(name), "kuid %s", verb->name);
	argv[0] = name;
	doc = text_new("%s\n\nExit status: 0 done, %s.%s%s", verb->doc,
		       verb->exits ? verb->exits : "1 failed, 2 wrong usage",
		       verb->examples ? "\n\nExamples:\n" : "",
		       verb->examples ? verb->examples : "");
	command.doc = doc;
	command_line_parse(&command, argc, argv);
	free(doc);
	status = verb->run();
	output_finish();
	return status;
}

static const struct verb *verb_named(const char *name)
{
	for (size_t i = 0; i < NR_VERBS; i++)
		if (!strcmp(name, verbs[i]->name))
			return verbs[i];
	errx(EXIT_USAGE, "no verb \"%s\"; \"kuid --help\" lists them",
	     QUOTED(name));
}

__attribute__((noreturn)) static void print_help(void)
{
	output_hold();
	printf("Usage: kuid [VERB] [OPTION...]\n"
	       "Time-ordered unique IDs from /dev/kuid.\n"
	       "\n"
	       "Verbs:\n");
	for (size_t i = 0; i < NR_VERBS; i++)
		printf("  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
	printf("\n"
	       "Formats, their sizes, whether bytes and text sort by time, and "
	       "their use\n"
	       "(nearly: IDs of the same 2^I seconds sort by node; bytes: text "
	       "is a\ndecimal number):\n");
	formats_print();
	printf("\n"
	       "\"kuid help VERB\" or \"kuid VERB --help\" lists the options "
	       "of a verb.\n"
	       "\n"
	       "Exit status: 0 done, %d failed, %d wrong usage, %d "
	       "undecided, %d not held,\n"
	       "%d some IDs wrong (--keep-going), %d later.\n",
	       EXIT_FAILED, EXIT_USAGE, EXIT_UNDECIDED, EXIT_NOT_HELD,
	       EXIT_WRONG_IDS, EXIT_LATER);
	print_and_exit("");
}

__attribute__((noreturn)) static void print_usage(void)
{
	size_t column = strlen("Verbs:");

	printf("Usage: kuid [VERB] [OPTION...]\nVerbs:");
	for (size_t i = 0; i < NR_VERBS; i++) {
		if (column + 1 + strlen(verbs[i]->name) > WIDTH)
			column = printf("\n      ") - 1;
		column += printf(" %s", verbs[i]->name);
	}
	print_and_exit("\n");
}

/* The verb to print the help of; NULL: the help of the tool. */
static const struct verb *asked_for;

static void take_verb(struct argp_state *state, char **args, int count)
{
	if (count > 1)
		refuse_argument(state, args[1]);
	asked_for = verb_named(args[0]);
}

static int run_help(void)
{
	char *args[] = { NULL, "--help", NULL };

	if (!asked_for)
		print_help();
	/* This verb has added no options of its own. */
	return run(asked_for, 2, args);
}

static const struct verb verb_help = {
	.name = "help",
	.summary = "print the help of a verb",
	.args = "[VERB]",
	.doc = "Print the help of a verb or, without one, of the tool.",
	.take_args = take_verb,
	.run = run_help,
};

int main(int argc, char **argv)
{
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		print_help();
	if (argc > 1 && !strcmp(argv[1], "--usage"))
		print_usage();
	if (argc < 2 || argv[1][0] == '-')
		return run(verbs[0], argc, argv);
	return run(verb_named(argv[1]), argc - 1, argv + 1);
}
