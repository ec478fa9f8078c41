// SPDX-License-Identifier: GPL-2.0-only
/* See arguments.h. */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "verbs.h"

uint64_t argument_number(struct argp_state *state, const char *text,
			 const char *what, uint64_t least, uint64_t most)
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
			   text, what, least, most);
	return number;
}

uint64_t argument_hex(struct argp_state *state, const char *text,
		      const char *what, int digits, const char *others)
{
	size_t good = strspn(text, "0123456789abcdefABCDEF");

	if (!*text)
		argp_error(state,
			   "\"\" is not %s: 1 to %d hexadecimal digits%s are "
			   "needed",
			   what, digits, others);
	if (text[good])
		argp_error(state,
			   "\"%s\" is not %s: 1 to %d hexadecimal digits%s, "
			   "but character %zu is none",
			   text, what, digits, others, good + 1);
	if (good > (size_t)digits)
		argp_error(state,
			   "\"%s\" is not %s: 1 to %d hexadecimal digits%s, "
			   "but character %d is one too many",
			   text, what, digits, others, digits + 1);
	return strtoull(text, NULL, 16);
}

uint64_t argument_node(struct argp_state *state, const char *text)
{
	return argument_hex(state, text, "a node", 16, "");
}

unsigned int argument_format(struct argp_state *state, const char *text)
{
	int format = kuid_format_number(text);

	if (format < 0)
		argp_error(state,
			   "\"%s\" is not a format: v1 v6 v7 lex k64 k96 k128",
			   text);
	return format;
}

unsigned int argument_interval(struct argp_state *state, const char *text)
{
	return argument_number(state, text, "an interval", KUID_INTERVAL_LOWEST,
			       KUID_INTERVAL_HIGHEST);
}

/* A message's beginning: the ID, if it can be shown, and where it is from. */
static void name_id(const char *text, size_t size, unsigned long line,
		    char *name, size_t name_size)
{
	char shown[64] = "";
	size_t used = 0;

	for (size_t i = 0; i < size && used < sizeof(shown) - 8; i++) {
		unsigned char c = text[i];
		const char *how = isprint(c) && c != '\\' ? "%c" : "\\x%02x";

		used += snprintf(shown + used, sizeof(shown) - used, how, c);
	}
	if (used >= sizeof(shown) - 8)
		strcat(shown, "...");
	if (line)
		snprintf(name, name_size, "standard input, line %lu: \"%s\"",
			 line, shown);
	else
		snprintf(name, name_size, "\"%s\"", shown);
}

static int read_id(const char *text, size_t size, unsigned int format,
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
	if (size == 2 * kuid_format_id_size(format))
		form = KUID_FORM_HEX;
	else if (kuid_format_text_size(format) == 36 && size == 35)
		form = KUID_FORM_COLDFUSION;
	return kuid_parse_form(format, form, text, size, id->bytes, where);
}

void argument_id(const char *text, size_t size, unsigned long line,
		 unsigned int format, struct given_id *id)
{
	char name[128], what[16] = "ID";
	size_t where = 0;

	if (!read_id(text, size, format, id, &where))
		return;
	name_id(text, size, line, name, sizeof(name));
	if (format != KUID_FORMAT_DEFAULT)
		snprintf(what, sizeof(what), "%s ID", kuid_format_name(format));
	if (where >= size)
		errx(EXIT_FAILED, "%s is no %s: it ends too early", name, what);
	errx(EXIT_FAILED, "%s is no %s: character %zu is wrong", name, what,
	     where + 1);
}

static void each_line(unsigned int format,
		      void (*act)(const struct given_id *id, void *data),
		      void *data)
{
	struct given_id id;
	size_t capacity = 0;
	unsigned long nr = 0;
	char *line = NULL;
	ssize_t size;

	while ((size = getline(&line, &capacity, stdin)) >= 0) {
		if (size && line[size - 1] == '\n')
			size--;
		argument_id(line, size, ++nr, format, &id);
		act(&id, data);
	}
	if (ferror(stdin))
		err(EXIT_FAILED, "standard input");
	free(line);
}

void arguments_each(char **args, int count, unsigned int format,
		    void (*act)(const struct given_id *id, void *data),
		    void *data)
{
	struct given_id id;

	if (!count)
		each_line(format, act, data);
	for (int i = 0; i < count; i++) {
		argument_id(args[i], strlen(args[i]), 0, format, &id);
		act(&id, data);
	}
}

void print_id(unsigned int format, unsigned int form, const void *id)
{
	char text[KUID_TEXT_MAX];

	if (kuid_text_form(format, form, id, text, sizeof(text)))
		err(EXIT_FAILED, "text of an ID");
	if (puts(text) == EOF)
		err(EXIT_FAILED, "standard output");
}

void finish_output(void)
{
	if (fflush(stdout))
		err(EXIT_FAILED, "standard output");
}
