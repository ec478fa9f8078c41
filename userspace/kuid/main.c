// SPDX-License-Identifier: GPL-2.0-only
/* kuid(1): finds the verb, parses its command line by its table and runs it. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "output.h"
#include "verbs.h"
#include "version.h"

#define VERB_ENTRY(name) &verb_##name,
static const struct verb *const verbs[] = { VERBS(VERB_ENTRY) };

#define NR_VERBS (sizeof(verbs) / sizeof(verbs[0]))

/* The key of an option without a letter: above all characters. */
#define KEY_WITHOUT_LETTER 0x100

/* The most options that a verb has; the rest of the array ends it for argp. */
#define MOST_OPTIONS 15

/* The options of the verb, and what argp needs to know of each. */
static const struct verb_option *options[MOST_OPTIONS];
static struct argp_option argp_options[MOST_OPTIONS + 1];

static void add_options(const struct verb_option *option)
{
	static unsigned int count;

	for (; option && option->name; option++, count++) {
		if (count == MOST_OPTIONS)
			abort();
		options[count] = option;
		argp_options[count] = (struct argp_option) {
			.name = option->name,
			.key = option->key ? option->key
					   : KEY_WITHOUT_LETTER + (int)count,
			.arg = option->arg ? formats_fill_in(option->arg, '|')
					   : NULL,
			.doc = option->doc,
		};
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct verb *verb = state->input;
	char **args = state->argv + state->next;

	if (key == ARGP_KEY_ARGS) {
		if (!verb->take_args)
			argp_error(state, "unexpected argument \"%s\"",
				   QUOTED(*args));
		verb->take_args(state, args, state->argc - state->next);
		return 0;
	}
	if (key == ARGP_KEY_END && verb->check)
		verb->check(state);
	for (size_t i = 0; i < MOST_OPTIONS && options[i]; i++)
		if (argp_options[i].key == key) {
			options[i]->take(state, options[i], arg);
			return 0;
		}
	return ARGP_ERR_UNKNOWN;
}

/* argp frees the text that it is given in place of its own. */
static char *filter_help(int key __attribute__((unused)), const char *text,
			 void *input __attribute__((unused)))
{
	return text ? formats_fill_in(text, ' ') : NULL;
}

static int run(const struct verb *verb, int argc, char **argv)
{
	struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = verb->args,
		.help_filter = filter_help,
	};
	char name[32];
	char *doc;

	/* argp's messages begin with it. */
	snprintf(name, sizeof(name), "kuid %s", verb->name);
	argv[0] = name;
	if (asprintf(&doc, "%s\n\nExit status: 0 done, %s.", verb->doc,
		     verb->exits ? verb->exits : "1 failed, 2 wrong usage") < 0)
		errx(EXIT_FAILED, "out of memory");
	argp.doc = doc;
	add_options(verb->options);
	add_options(verb->shared);
	argp_parse(&argp, argc, argv, 0, NULL, (void *)verb);
	free(doc);
	return verb->run();
}

static void print_help(void)
{
	printf("Usage: kuid [VERB] [OPTION...]\n"
	       "Time-ordered unique IDs from /dev/kuid.\n"
	       "\n"
	       "Verbs:\n");
	for (size_t i = 0; i < NR_VERBS; i++)
		printf("  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
	printf("\n"
	       "\"kuid VERB --help\" lists the options of a verb.\n"
	       "\n"
	       "Exit status: 0 done, %d failed, %d wrong usage, %d "
	       "undecided, %d not held, %d later.\n",
	       EXIT_FAILED, EXIT_USAGE, EXIT_UNDECIDED, EXIT_NOT_HELD,
	       EXIT_LATER);
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
		return run(verbs[0], argc, argv);
	for (size_t i = 0; i < NR_VERBS; i++)
		if (!strcmp(argv[1], verbs[i]->name))
			return run(verbs[i], argc - 1, argv + 1);
	errx(EXIT_USAGE, "no verb \"%s\"; \"kuid --help\" lists them",
	     QUOTED(argv[1]));
}
