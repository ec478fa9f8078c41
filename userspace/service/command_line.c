// SPDX-License-Identifier: GPL-2.0-only
/* See command_line.h. */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "exit_status.h"
#include "output.h"
#include "quoted.h"

void take_flag(struct argp_state *state, const struct option_row *option,
	       const char *arg)
{
	*(bool *)option->to = true;
}

uint64_t number_of(struct argp_state *state, const char *text, const char *what,
		   uint64_t least, uint64_t most)
{
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(text, &end, 10);
	/* strtoull() would take a sign and white space too. */
	if (!isdigit((unsigned char)text[0]) || *end || errno ||
	    number < least || number > most)
		argp_error(state,
			   "\"%s\" is not %s: a whole number from %" PRIu64
			   " to %" PRIu64,
			   QUOTED(text), what, least, most);
	return number;
}

void take_number(struct argp_state *state, const struct option_row *option,
		 const char *arg)
{
	*(uint64_t *)option->to = number_of(state, arg, option->what,
					    option->least, option->most);
}

void refuse_argument(struct argp_state *state, const char *arg)
{
	argp_error(state, "unexpected argument \"%s\"", QUOTED(arg));
}

/* argp's, of a line of the help. */
#define LINE_WIDTH 79

/* The key of an option without a letter: above all characters. */
#define KEY_WITHOUT_LETTER 0x100

/* The most options that a command has of its own. */
#define MOST_OPTIONS 24

/*
 * Options that all commands have. They are not argp's own, because those have
 * no -h, and their output may fail without a message.
 */
#define KEY_USAGE  (KEY_WITHOUT_LETTER + MOST_OPTIONS)
#define LAST_GROUP (-1)
static const struct argp_option common_options[] = {
	{ "help", 'h', NULL, 0, "Print this help", LAST_GROUP },
	{ NULL, '?', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, LAST_GROUP },
	{ "usage", KEY_USAGE, NULL, 0, "Print a short list of the options",
	  LAST_GROUP },
	{ "version", 'V', NULL, 0, "Print the version", LAST_GROUP },
};

#define NR_COMMON (sizeof(common_options) / sizeof(common_options[0]))

/* The options of the command, and what argp needs to know of each. */
static const struct option_row *rows[MOST_OPTIONS];
static struct argp_option argp_options[MOST_OPTIONS + NR_COMMON + 1];
static unsigned int nr_rows;

static void add_option(const struct command *command,
		       const struct option_row *row)
{
	const char *arg = row->arg;

	if (nr_rows == MOST_OPTIONS)
		abort();
	rows[nr_rows] = row;
	argp_options[nr_rows] = (struct argp_option) {
		.name = row->name,
		.key = row->key ? row->key : KEY_WITHOUT_LETTER + (int)nr_rows,
		.arg = arg && command->fill_in ? command->fill_in(arg, '|')
					       : arg,
		.doc = row->doc,
	};
	nr_rows++;
}

void print_and_exit(const char *text)
{
	if (fputs(text, stdout) == EOF)
		output_failed();
	output_finish();
	exit(EXIT_SUCCESS);
}

/*
 * argp breaks its columns if an option is wider than a line, as a list of many
 * words may be. Then all lines are as wide as that option is with --usage.
 */
static void fit_lines(void)
{
	size_t widest = 0;
	char text[32];

	for (unsigned int i = 0; i < nr_rows; i++) {
		const char *arg = argp_options[i].arg;
		size_t width = strlen("            [--=]") +
			       strlen(rows[i]->name) + (arg ? strlen(arg) : 0);

		if (width > widest)
			widest = width;
	}
	if (widest < LINE_WIDTH)
		return;
	snprintf(text, sizeof(text), "rmargin=%zu", widest + 1);
	setenv("ARGP_HELP_FMT", text, 0);
}

__attribute__((noreturn)) static void print_help(const struct argp_state *state,
						 unsigned int flags)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		errx(EXIT_FAILED, "out of memory");
	fit_lines();
	argp_state_help(state, file, flags & ~ARGP_HELP_EXIT_OK);
	if (fclose(file))
		errx(EXIT_FAILED, "out of memory");
	print_and_exit(text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct command *command = state->input;
	char **args = state->argv + state->next;

	switch (key) {
	case ARGP_KEY_ARGS:
		if (!command->take_args)
			refuse_argument(state, *args);
		command->take_args(state, args, state->argc - state->next);
		return 0;
	case ARGP_KEY_END:
		if (command->check)
			command->check(state);
		return 0;
	case 'h':
	case '?':
		print_help(state, ARGP_HELP_STD_HELP);
	case KEY_USAGE:
		print_help(state, ARGP_HELP_USAGE);
	case 'V':
		output_line(command->version);
		print_and_exit("");
	}
	for (unsigned int i = 0; i < nr_rows; i++)
		if (argp_options[i].key == key) {
			rows[i]->take(state, rows[i], arg);
			return 0;
		}
	return ARGP_ERR_UNKNOWN;
}

/* argp frees the text that it is given in place of its own. */
static char *filter_help(int key, const char *text, void *input)
{
	const struct command *command = input;

	return text && command->fill_in ? command->fill_in(text, ' ')
					: (char *)text;
}

void command_line_parse(const struct command *command, int argc, char **argv)
{
	struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = command->args,
		.doc = command->doc,
		.help_filter = filter_help,
	};

	argp_err_exit_status = EXIT_USAGE;
	for (size_t i = 0; i < 2; i++)
		for (const struct option_row *row = command->options[i];
		     row && row->name; row++)
			add_option(command, row);
	memcpy(argp_options + nr_rows, common_options, sizeof(common_options));
	argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, (void *)command);
}
