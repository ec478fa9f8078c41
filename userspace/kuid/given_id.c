// SPDX-License-Identifier: GPL-2.0-only
/* See given_id.h. */
#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "given_id.h"
#include "output.h"

struct given given = { .interval = KUID_INTERVAL_DEFAULT };

const struct verb_option given_id_options[] = {
	{ "format", 'f', "{all}|uuid",
	  "Format of the IDs, uuid for any UUID; needed for plain hexadecimal, "
	  "else told by their form",
	  take_format, &given.format },
	{ "interval", 'I', INTERVAL_ARG,
	  "Interval I of {interval}; 8 if not given", take_interval,
	  &given.interval },
	{ 0 },
};

void given_id_take_from_kuid(struct argp_state *state __attribute__((unused)),
			     const struct verb_option *option,
			     const char *arg __attribute__((unused)))
{
	*(unsigned int *)option->to = KUID_FROM_KUID;
}

void given_id_take_args(struct argp_state *state __attribute__((unused)),
			char **args, int count)
{
	given.args = args;
	given.count = count;
}

void given_id_wrong(const struct given_id *id, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		errx(EXIT_FAILED, "out of memory");
	va_end(args);
	if (id->line)
		errx(EXIT_FAILED, "standard input, line %lu: %s", id->line,
		     text);
	errx(EXIT_FAILED, "%s", text);
}

static int parse(const char *text, size_t size, unsigned int format,
		 struct given_id *id, size_t *where)
{
	unsigned int form = KUID_FORM_CANONICAL;
	int found;

	if (format == KUID_FORMAT_DEFAULT) {
		found = kuid_recognise(text, size, id->bytes, where);
		id->format = found;
		return found < 0 ? -1 : 0;
	}
	id->format = format;
	/* No two forms of a format are of the same length. */
	if (size == kuid_format_text_size(format, KUID_FORM_HEX))
		form = KUID_FORM_HEX;
	else if (size &&
		 size == kuid_format_text_size(format, KUID_FORM_COLDFUSION))
		form = KUID_FORM_COLDFUSION;
	return kuid_parse_form(format, form, text, size, id->bytes, where);
}

/* Read one ID, or end with a message about it. */
static void read_id(const char *text, size_t size, struct given_id *id)
{
	unsigned int format = given.format;
	struct quoted shown = quoted(text, size);
	char what[16] = "ID";
	size_t where = 0;

	if (!parse(text, size, format, id, &where))
		return;
	if (format != KUID_FORMAT_DEFAULT)
		snprintf(what, sizeof(what), "%s ID", kuid_format_name(format));
	if (where >= size)
		given_id_wrong(id, "\"%s\" is no %s: it ends too early",
			       shown.text, what);
	given_id_wrong(id, "\"%s\" is no %s: character %zu is wrong",
		       shown.text, what, where + 1);
}

static void each_line(void (*act)(const struct given_id *id))
{
	struct given_id id = { 0 };
	size_t capacity = 0;
	char *line = NULL;
	ssize_t size;

	while ((size = getline(&line, &capacity, stdin)) >= 0) {
		if (size && line[size - 1] == '\n')
			size--;
		id.line++;
		read_id(line, size, &id);
		act(&id);
	}
	if (ferror(stdin))
		err(EXIT_FAILED, "standard input");
	free(line);
}

void given_id_each(void (*act)(const struct given_id *id))
{
	struct given_id id = { 0 };

	if (!given.count)
		each_line(act);
	for (int i = 0; i < given.count; i++) {
		read_id(given.args[i], strlen(given.args[i]), &id);
		act(&id);
	}
}
