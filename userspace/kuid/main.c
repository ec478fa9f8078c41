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
#include "verbs.h"
#include "version.h"

static const struct verb verb_help;

#define VERB_ENTRY(name) &verb_##name,
static const struct verb *const verbs[] = { VERBS(VERB_ENTRY)
						    VERB_ENTRY(help) };

#define NR_VERBS (sizeof(verbs) / sizeof(verbs[0]))

#define WIDTH 79 /* of a line */

/* The key of an option without a letter: above all characters. */
#define KEY_WITHOUT_LETTER 0x100

/* The most options that a verb has of its own. */
#define MOST_OPTIONS 20

/*
 * Options that all verbs have. They are not argp's own, because those have no
 * -h, and their output may fail without a message.
 */
#define KEY_USAGE  (KEY_WITHOUT_LETTER + MOST_OPTIONS)
#define LAST_GROUP (-1)
static const struct argp_option common_options[] = {
	{ "help", 'h', NULL, 0, "Print this help", LAST_GROUP },
	{ NULL, '?', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, LAST_GROUP },
	{ "usage", KEY_USAGE, NULL, 0, "Print a short list of the options",
	  LAST_GROUP },
	{ "version", 'V', NULL, 0, "Print the version of the tool",
	  LAST_GROUP },
};

#define NR_COMMON (sizeof(common_options) / sizeof(common_options[0]))

/* The options of the verb, and what argp needs to know of each. */
static const struct verb_option *options[MOST_OPTIONS];
static struct argp_option argp_options[MOST_OPTIONS + NR_COMMON + 1];

/* Returns how many there are with these. */
static unsigned int add_options(const struct verb_option *option)
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
	return count;
}

/* All of it is printed, or the tool ends with a message. */
__attribute__((noreturn)) static void print_and_exit(const char *text)
{
	if (fputs(text, stdout) == EOF)
		output_failed();
	output_finish();
	exit(EXIT_SUCCESS);
}

__attribute__((noreturn)) static void
print_help_of_verb(const struct argp_state *state, unsigned int flags)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		errx(EXIT_FAILED, "out of memory");
	argp_state_help(state, file, flags & ~ARGP_HELP_EXIT_OK);
	if (fclose(file))
		errx(EXIT_FAILED, "out of memory");
	print_and_exit(text);
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
	if (key == 'h' || key == '?')
		print_help_of_verb(state, ARGP_HELP_STD_HELP);
	if (key == KEY_USAGE)
		print_help_of_verb(state, ARGP_HELP_USAGE);
	if (key == 'V')
		print_and_exit("kuid " KUID_VERSION "\n");
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
	unsigned int count;
	char name[32];
	char *doc;

	/* argp's messages begin with it. */
	snprintf(name, sizeof(name), "kuid %s", verb->name);
	argv[0] = name;
	if (asprintf(&doc, "%s\n\nExit status: 0 done, %s.%s%s", verb->doc,
		     verb->exits ? verb->exits : "1 failed, 2 wrong usage",
		     verb->examples ? "\n\nExamples:\n" : "",
		     verb->examples ? verb->examples : "") < 0)
		errx(EXIT_FAILED, "out of memory");
	argp.doc = doc;
	add_options(verb->options);
	count = add_options(verb->shared);
	memcpy(argp_options + count, common_options, sizeof(common_options));
	argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, (void *)verb);
	free(doc);
	return verb->run();
}

static const struct verb *verb_named(const char *name)
{
	for (size_t i = 0; i < NR_VERBS; i++)
		if (!strcmp(name, verbs[i]->name))
			return verbs[i];
	errx(EXIT_USAGE, "no verb \"%s\"; \"kuid --help\" lists them",
	     QUOTED(name));
}

static const char *order_of(unsigned int format)
{
	if (formats_is("{text_by_time}", format))
		return "yes";
	if (formats_is("{by_time}", format))
		return "bytes";
	return formats_is("{interval}", format) ? "nearly" : "no";
}

static void print_formats(void)
{
	static const char *const uses[FORMATS_MOST] = {
		[KUID_FORMAT_V1] = "UUIDs for old programs",
		[KUID_FORMAT_V6] = "v1 that sort",
		[KUID_FORMAT_V7] = "UUIDs as keys of databases",
		[KUID_FORMAT_LEX] = "16 bytes that tell the worker",
		[KUID_FORMAT_K64] = "keys of 8 bytes, of one host",
		[KUID_FORMAT_K96] = "keys of 12 bytes, of several hosts",
		[KUID_FORMAT_K128] = "k96 with a wider node",
		[KUID_FORMAT_SNOWFLAKE] = "integers, of hosts with numbers",
	};

	printf("\n"
	       "Formats, their sizes, whether bytes and text sort by time, and "
	       "their use\n"
	       "(nearly: IDs of the same 2^I seconds sort by node; bytes: text "
	       "is a\ndecimal number):\n");
	for (unsigned int i = 1; kuid_format_name(i); i++)
		printf("  %-9s %2zu bytes, text %zu  %-7s %s\n",
		       kuid_format_name(i), kuid_format_id_size(i),
		       kuid_format_text_size(i, KUID_FORM_CANONICAL),
		       order_of(i), uses[i] ? uses[i] : "");
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
	print_formats();
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
		argp_error(state, "unexpected argument \"%s\"",
			   QUOTED(args[1]));
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
	argp_err_exit_status = EXIT_USAGE;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		print_help();
	if (argc > 1 && !strcmp(argv[1], "--usage"))
		print_usage();
	if (argc < 2 || argv[1][0] == '-')
		return run(verbs[0], argc, argv);
	return run(verb_named(argv[1]), argc - 1, argv + 1);
}
