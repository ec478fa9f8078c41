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

const struct option_row input_id_options[] = {
	{ "format", 'f', "{all}|uuid",
	  "Format of the IDs, uuid for any UUID; told by their form if not "
	  "given, but for decimal numbers and ambiguous hexadecimal",
	  take_format, &input.format },
	{ "interval", 'I', INTERVAL_ARG,
	  "Interval I of the host that made {interval}, which is not in them: "
	  "\"kuid node\" prints this host's; 8 by default",
	  take_interval, &input.interval },
	EPOCH_OPTION,
	{ "lenient", 0, NULL,
	  "Take digits of any case, and space around the ID, and any 32 "
	  "hexadecimal digits for a UUID if no format is given. Skip blank "
	  "lines, or print a mark for each with --keep-going",
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

/* In a form that tells the format, together with the version of a UUID. */
static int parse_form(const struct form *form, const char *text, size_t size,
		      struct input_id *id, size_t *where)
{
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

/*
 * Hexadecimal of 12 bytes is a k96. That of 16 bytes is a UUID unless it begins
 * with 00, as lex does until the year 4253 and k128 until 2099.
 */
static int parse_hex(const char *text, size_t size, struct input_id *id)
{
	struct kuid_fields fields;

	id->format = KUID_FORMAT_K96;
	if (!kuid_parse_form(id->format, KUID_FORM_HEX, text, size, id->bytes,
			     NULL))
		return 0;
	if (size < 2 || !memcmp(text, "00", 2) ||
	    kuid_parse_form(KUID_ANY_UUID, KUID_FORM_HEX, text, size, id->bytes,
			    NULL) ||
	    kuid_decode(KUID_ANY_UUID, id->bytes, 0, 0, &fields))
		return -1;
	id->format = fields.format;
	return 0;
}

/* The form that no text but those of it begins like; NULL if there is none. */
static const struct form *begun_form(const char *text, size_t size)
{
	if (size && text[0] == '{')
		return form_named("braces");
	if (size > 3 && text[3] == ':')
		return form_named("urn");
	return NULL;
}

/* No format is given: the text is in a form that only one format has. */
static int recognise(const char *text, size_t size, struct input_id *id,
		     size_t *where)
{
	const struct form *form = begun_form(text, size);
	int found;

	if (form)
		return parse_form(form, text, size, id, where);
	found = kuid_recognise(text, size, id->bytes, where);
	id->format = found;
	if (found >= 0 || !parse_form(form_named("ulid"), text, size, id, NULL))
		return 0;
	return parse_hex(text, size, id);
}

static int parse_strictly(const char *text, size_t size, unsigned int format,
			  struct input_id *id, size_t *where)
{
	if (format == KUID_FORMAT_DEFAULT)
		return recognise(text, size, id, where);
	id->format = format;
	/* Text comes first: 16 digits of a snowflake are decimal. */
	if (!kuid_parse(format, text, size, id->bytes, where))
		return 0;
	for (const struct form *form = forms; form->name; form++) {
		size_t at;

		if (form->guid || !form_is_of(form, format))
			continue;
		if (!kuid_parse_form(format, form->form, text, size, id->bytes,
				     &at))
			return 0;
		/*
		 * Canonical text that ends too early, which its fourth "-"
		 * tells, may have the size of another form.
		 */
		if (size == kuid_format_text_size(format, form->form) &&
		    (size <= 23 || text[23] != '-'))
			*where = at;
	}
	return -1;
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

/* The options of formats that have the text in a form; "" if none has. */
static const char *formats_with(unsigned int form, const char *text,
				size_t size)
{
	static char names[128];
	unsigned char id[KUID_ID_MAX];
	unsigned int format = 1;
	size_t length = 0;

	names[0] = '\0';
	while (format != KUID_ANY_UUID) {
		if (!kuid_format_name(++format))
			format = KUID_ANY_UUID;
		if (!formats_is("{uuid}", format) &&
		    !kuid_parse_form(format, form, text, size, id, NULL))
			length += snprintf(names + length,
					   sizeof(names) - length, "%s-f %s",
					   length ? " or " : "",
					   kuid_format_name(format));
	}
	return names;
}

/* ULIDs that are no v7 are refused, though nothing is wrong with them. */
static bool is_ulid(const char *text, size_t size)
{
	return size == kuid_format_text_size(KUID_FORMAT_V7, KUID_FORM_ULID) &&
	       *text <= '7' &&
	       strspn(text, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
			    "abcdefghjkmnpqrstvwxyz") == size;
}

/* What a text looks like that is read only if an option says so; NULL. */
static char *likeness(const char *text, size_t size)
{
	const char *formats;

	if (is_ulid(text, size))
		return text_new("it looks like a ULID, of which only those of "
				"a v7 are read");
	formats = formats_with(KUID_FORM_DECIMAL, text, size);
	if (*formats)
		return text_new("a decimal number is read with %s", formats);
	formats = formats_with(KUID_FORM_HEX, text, size);
	if (*formats)
		return text_new("%zu hexadecimal digits are read with %s", size,
				formats);
	return NULL;
}

/* Why a text is not taken; where is the place that the library found. */
static char *reason(const char *text, size_t size, unsigned int format,
		    size_t where)
{
	char *like = NULL;

	if (!size)
		return text_new("it is empty");
	if (!format)
		like = likeness(text, size);
	if (like)
		return like;
	if (where < size)
		return text_new("character %zu is wrong", where + 1);
	if (format)
		return text_new("it has %zu characters of %zu", size,
				kuid_format_text_size(format,
						      KUID_FORM_CANONICAL));
	if (begun_form(text, size) || (size > 23 && text[23] == '-'))
		return text_new("it ends too early");
	return text_new("no ID is of length %zu", size);
}

/* Returns an addition to the message about a text that is not taken. */
static const char *advice(const char *text, size_t size, unsigned int format,
			  const struct input_id *id)
{
	unsigned char bytes[KUID_ID_MAX];

	if (!input.lenient) {
		if (id->line && is_blank(text, size))
			return "; --lenient would skip it";
		if (kuid_parse_lenient(format, text, size, bytes, NULL) >= 0)
			return "; --lenient would take it";
	}
	if (!id->line && !access(text, F_OK))
		return "; the IDs in that file are read from < FILE";
	return "";
}

/* Read one ID. Returns NULL, or the message if the text is none. */
static const char *read_id(const char *text, size_t size, struct input_id *id)
{
	unsigned int format = input.format;
	struct quoted shown = quoted(text, size);
	char what[16] = "ID", *why;
	const char *message;
	size_t where = 0;

	if (!parse(text, size, format, id, &where))
		return NULL;
	if (format != KUID_FORMAT_DEFAULT)
		snprintf(what, sizeof(what), "%s ID", kuid_format_name(format));
	why = reason(text, size, format, where);
	message = input_id_wrong(id, "\"%s\" is no %s: %s%s", shown.text, what,
				 why, advice(text, size, format, id));
	free(why);
	return message;
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
		if (!strcmp(input.args[i], "-"))
			each_line(&acts);
		else
			each_text(&acts, input.args[i], strlen(input.args[i]),
				  &id);
	return any_wrong ? EXIT_WRONG_IDS : EXIT_SUCCESS;
}
