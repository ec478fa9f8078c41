// SPDX-License-Identifier: GPL-2.0-only
/* kuid(1): finds the verb and leaves the rest to it. */
#include <argp.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verbs.h"
#include "version.h"

static const struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} verbs[] = {
	{ "gen", verb_gen, "make IDs (what is done without a verb)" },
	{ "inspect", verb_inspect, "take IDs apart" },
	{ "convert", verb_convert, "the same IDs in another format or form" },
	{ "compare", verb_compare, "which of two IDs is the earlier one" },
	{ "status", verb_status, "what is held now, and what to do if not" },
	{ "save", verb_save, "keep what a reboot must not repeat" },
	{ "restore", verb_restore, "begin where the last boot can have ended" },
	{ "clock", verb_clock,
	  "the clocks of IDs; set them to the wall clock" },
	{ "node", verb_node, "whose IDs they are; change that" },
	{ "bench", verb_bench, "how fast IDs are made on this machine" },
};

#define NR_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static void print_help(void)
{
	printf("Usage: kuid [VERB] [OPTION...]\n"
	       "Time-ordered unique IDs from /dev/kuid.\n"
	       "\n"
	       "Verbs:\n");
	for (size_t i = 0; i < NR_VERBS; i++)
		printf("  %-10s %s\n", verbs[i].name, verbs[i].summary);
	printf("\n"
	       "\"kuid VERB --help\" lists the options of a verb.\n"
	       "\n"
	       "Exit status: 0 done, %d failed, %d wrong usage, %d "
	       "undecided, %d not held.\n",
	       EXIT_FAILED, EXIT_USAGE, EXIT_UNDECIDED, EXIT_NOT_HELD);
}

static int run(const struct verb *verb, int argc, char **argv)
{
	char name[32];

	/* What argp's messages begin with. */
	snprintf(name, sizeof(name), "kuid %s", verb->name);
	argv[0] = name;
	return verb->run(argc, argv);
}

int main(int argc, char **argv)
{
	argp_err_exit_status = EXIT_USAGE;
	argp_program_version = "kuid " KUID_VERSION;

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		print_help();
		return EXIT_SUCCESS;
	}
	if (argc < 2 || argv[1][0] == '-')
		return run(&verbs[0], argc, argv);
	for (size_t i = 0; i < NR_VERBS; i++)
		if (!strcmp(argv[1], verbs[i].name))
			return run(&verbs[i], argc - 1, argv + 1);
	errx(EXIT_USAGE, "no verb \"%s\"; \"kuid --help\" lists them", argv[1]);
}
