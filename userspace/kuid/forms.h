/* SPDX-License-Identifier: GPL-2.0-only */
/* The forms that an ID is printed and read in, by their names in options. */
#ifndef KUID_TOOL_FORMS_H
#define KUID_TOOL_FORMS_H

#include <kuid.h>
#include <stdbool.h>

struct form {
	const char *name;
	unsigned int form; /* KUID_FORM_* */
	const char *of;	   /* a word of formats.h: the formats that have it */
	bool guid;	   /* of the bytes of the UUID's GUID */
};

/* All of them; behind the last is one without a name. */
extern const struct form forms[];

/* NULL if there is none of that name. */
const struct form *form_named(const char *name);

/* Whether IDs of a format, which may be KUID_ANY_UUID, have the form. */
bool form_is_of(const struct form *form, unsigned int format);

/* Write an ID in a form that its format has. */
void form_text(const struct form *form, unsigned int format, const void *id,
	       char text[KUID_TEXT_MAX]);

/* The names of all, as the argument of an option. */
#define FORMS_ARG "text|hex|cf|guid|decimal|ulid|braces|urn"

#endif /* KUID_TOOL_FORMS_H */
