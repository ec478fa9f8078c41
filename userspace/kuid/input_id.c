// SPDX-License-Identifier: GPL-2.0-only
/* See input_id.h. */
#include <ctype.h>
#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "exit_status.h"
#include "formats.h"
#include "input_id.h"
#include "output.h"
#include "quoted.h"
#include "text.h"

struct input input = {
	.epoch_ms = KUID_SNOWFLAKE_EPOCH_DEFAULT,
};

uint64_t input_id_setting(unsigned int format)
{
	return formats_setting(format, input.interval ?: KUID_INTERVAL_DEFAULT,
			       input.epoch_ms);
}

static void take_form(struct argp_state *state, const struct option_row *option,
		      const char *arg)
{
	const struct form *form = form_named(arg);

	if (!form || form->guid)
		argp_error(state, "\"%s\" is not a form: %s", QUOTED(arg),
			   option->arg);
	*(const struct form **)option->to = form;
}

const struct option_row input_id_options[] = {
	{ "format", 'f', "{all}|uuid",
	  "Format of the IDs, uuid for any UUID; needed for plain hexadecimal "
	  "and for {snowflake}, else told by their form",
	  take_format, &input.format },
	{ "interval", 'I', INTERVAL_ARG,
	  "Interval I of the host that made {interval}, which is not in them: "
	  "\"kuid node\" prints this host's; 8 by default",
	  take_interval, &input.interval },
	EPOCH_OPTION,
	{ "form", 0, "text|hex|cf|decimal|ulid|braces|urn",
	  "Form of the IDs: no other is taken then; hex and decimal need a "
	  "format",
	  take_form, &input.form },
	{ "lenient", 0, NULL,
	  "Take any form that tells the ID, in any case and with space around "
	  "it: also 32 hexadecimal digits for a UUID if no format is given, "
	  "and ULIDs of {ulid}, no others. Skip blank lines, or print a mark "
	  "for each with --keep-going",
	  take_flag, &input.lenient },
	{ "keep-going", 'k', NULL,
	  "Go on after an ID that is wrong, with a mark in its place",
	  take_flag, &input.keep_going },
	{ "null", '0', NULL,
	  "IDs of standard input end in NUL, and so does what is printed for "
	  "each",
	  take_flag, &output_null },
	{ 0 },
};

void input_id_take_from_kuid(struct argp_state *state,
			     const struct option_row *option, const char *arg)
{
	*(unsigned int *)option->to = KUID_FROM_KUID;
}

void input_id_take_args(struct argp_state *state, char **args, int count)
{
	input.args = args;
	input.count = count;
}

static bool any_wrong;

const char *input_id_wrong(const struct input_id *id, const char *format, ...)
{
	static char *message;
	va_list args;
	char *text;

	va_start(args, format);
	text = text_of(format, args);
	va_end(args);
	free(message);
	message = text;
	if (id->line) {
		message = text_new("standard input, %s %lu: %s",
				   output_null ? "ID" : "line", id->line, text);
		free(text);
	}
	/* If both go to one place, keep the message behind earlier output. */
	output_finish();
	if (!input.keep_going)
		errx(EXIT_FAILED, "%s", message);
	warnx("%s", message);
	any_wrong = true;
	return message;
}

void input_id_print_mark(const char *why)
{
	output_line(INPUT_ID_MARK);
}

void input_id_check(struct argp_state *state)
{
	const struct form *form = input.form;

	if (!form)
		return;
	if (input.lenient)
		argp_error(state, "only one of --form and --lenient");
	if (input.format == KUID_FORMAT_DEFAULT) {
		if (form->form == KUID_FORM_HEX ||
		    form->form == KUID_FORM_DECIMAL)
			argp_error(state, "--form=%s needs a --format",
				   form->name);
	} else if (!form_is_of(form, input.format)) {
		argp_error(state, "--form=%s is for %s, not %s", form->name,
			   formats_fill_in(form->of, ' '),
			   kuid_format_name(input.format));
	}
}

/* In the form that was asked for: text and version tell the format. */
static int parse_form(const char *text, size_t size, struct input_id *id,
		      size_t *where)
{
	const struct form *form = input.form;

	for (id->format = 1; kuid_format_name(id->format); id->format++)
		if (form_is_of(form, id->format) &&
		    !kuid_parse_form(id->format, form->form, text, size,
				     id->bytes, where))
			return 0;
	id->format = KUID_ANY_UUID;
	if (!form_is_of(form, id->format))
		return -1;
	return kuid_parse_form(id->format, form->form, text, size, id->bytes,
			       where);
}

static int parse_strictly(const char *text, size_t size, unsigned int format,
			  struct input_id *id, size_t *where)
{
	unsigned int form = KUID_FORM_CANONICAL;
	int found;

	if (format == KUID_FORMAT_DEFAULT && input.form)
		return parse_form(text, size, id, where);
	if (format == KUID_FORMAT_DEFAULT) {
		found = kuid_recognise(text, size, id->bytes, where);
		id->format = found;
		return found < 0 ? -1 : 0;
	}
	id->format = format;
	/* A decimal number may be as long as hexadecimal digits. */
	if (!input.form && formats_is("{epoch}", format) &&
	    !kuid_parse(format, text, size, id->bytes, where))
		return 0;
	/*
	 * These three are of different lengths, but canonical text of a UUID
	 * that ends too early, which its fourth "-" tells, may have any.
	 */
	if (input.form)
		form = input.form->form;
	else if (size > 23 && text[23] == '-')
		form = KUID_FORM_CANONICAL;
	else if (size == kuid_format_text_size(format, KUID_FORM_HEX))
		form = KUID_FORM_HEX;
	else if (size &&
		 size == kuid_format_text_size(format, KUID_FORM_COLDFUSION))
		form = KUID_FORM_COLDFUSION;
	return kuid_parse_form(format, form, text, size, id->bytes, where);
}

static int parse(const char *text, size_t size, unsigned int format,
		 struct input_id *id, size_t *where)
{
	int found;

	if (!input.lenient)
		return parse_strictly(text, size, format, id, where);
	found = kuid_parse_lenient(format, text, size, id->bytes, where);
	id->format = found;
	return found < 0 ? -1 : 0;
}

static bool is_blank(const char *text, size_t size)
{
	while (size && isspace((unsigned char)text[size - 1]))
		size--;
	return !size;
}

/* A format that has the text in a form, KUID_FORMAT_DEFAULT if there is none. */
static unsigned int format_with(unsigned int form, const char *text,
				size_t size)
{
	unsigned char id[KUID_ID_MAX];

	for (unsigned int each = 1; kuid_format_name(each); each++)
		if (!kuid_parse_form(each, form, text, size, id, NULL))
			return each;
	return KUID_FORMAT_DEFAULT;
}

/* All but those of a v7 are refused, though nothing is wrong with them. */
static bool is_ulid(const char *text, size_t size)
{
	return size == kuid_format_text_size(KUID_FORMAT_V7, KUID_FORM_ULID) &&
	       *text <= '7' &&
	       strspn(text, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
			    "abcdefghjkmnpqrstvwxyz") == size;
}

/* Digits of a k64 that was made since 1989. */
#define DECIMAL_LEAST 17

static const char *advice_on_form(const char *text, size_t size)
{
	if (is_ulid(text, size))
		return "; only ULIDs of a v7 are read";
	if (input.form)
		return "";
	if (format_with(KUID_FORM_HEX, text, size))
		return "; hexadecimal needs -f FORMAT";
	if (size >= DECIMAL_LEAST && format_with(KUID_FORM_DECIMAL, text, size))
		return "; for a decimal number: -f snowflake, or -f k64 --form "
		       "decimal";
	return "";
}

/* Returns an addition to the message about a text that is not taken. */
static const char *advice(const char *text, size_t size, unsigned int format,
			  const struct input_id *id)
{
	unsigned char bytes[KUID_ID_MAX];

	if (!input.lenient && !input.form) {
		if (id->line && is_blank(text, size))
			return "; --lenient would skip it";
		if (kuid_parse_lenient(format, text, size, bytes, NULL) >= 0)
			return "; --lenient would take it";
	}
	if (!id->line && !access(text, F_OK))
		return "; the IDs in that file are read from < FILE";
	return format ? "" : advice_on_form(text, size);
}

/* Read one ID. Returns NULL, or the message if the text is none. */
static const char *read_id(const char *text, size_t size, struct input_id *id)
{
	unsigned int format = input.format;
	struct quoted shown = quoted(text, size);
	char what[16] = "ID", place[64] = "it ends too early";
	size_t where = 0;

	if (!parse(text, size, format, id, &where))
		return NULL;
	if (format != KUID_FORMAT_DEFAULT)
		snprintf(what, sizeof(what), "%s ID", kuid_format_name(format));
	if (where < size)
		snprintf(place, sizeof(place), "character %zu is wrong",
			 where + 1);
	return input_id_wrong(id, "\"%s\" is no %s: %s%s", shown.text, what,
			      place, advice(text, size, format, id));
}

struct acts {
	const char *(*act)(const struct input_id *id);
	void (*mark)(const char *why);
};

static void each_text(const struct acts *acts, const char *text, size_t size,
		      struct input_id *id)
{
	const char *why = read_id(text, size, id);

	if (!why)
		why = acts->act(id);
	if (why)
		acts->mark(why);
}

static void each_line(const struct acts *acts)
{
	struct input_id id = { 0 };
	size_t capacity = 0;
	char *line = NULL;
	ssize_t size;

	while ((size = getdelim(&line, &capacity, output_end(), stdin)) >= 0) {
		if (size && line[size - 1] == output_end())
			size--;
		id.line++;
		if (!input.lenient || !is_blank(line, size))
			each_text(acts, line, size, &id);
		else if (input.keep_going)
			acts->mark("a blank line");
	}
	if (ferror(stdin))
		err(EXIT_FAILED, "standard input");
	free(line);
}

int input_id_each(const char *(*act)(const struct input_id *id),
		  void (*mark)(const char *why))
{
	const struct acts acts = { act, mark };
	struct input_id id = { 0 };

	if (!input.count)
		each_line(&acts);
	for (int i = 0; i < input.count; i++)
		each_text(&acts, input.args[i], strlen(input.args[i]), &id);
	return any_wrong ? EXIT_WRONG_IDS : EXIT_SUCCESS;
}
