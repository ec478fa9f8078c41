// SPDX-License-Identifier: GPL-2.0-only
/* See forms.h. */
#include <err.h>
#include <string.h>

#include "exit_status.h"
#include "formats.h"
#include "forms.h"

const struct form forms[] = {
	{ "text", KUID_FORM_CANONICAL, "{all}", false },
	{ "hex", KUID_FORM_HEX, "{all}", false },
	{ "cf", KUID_FORM_COLDFUSION, "{uuid}", false },
	{ "guid", KUID_FORM_HEX, "{uuid}", true },
	{ "decimal", KUID_FORM_DECIMAL, "{decimal}", false },
	{ "ulid", KUID_FORM_ULID, "{ulid}", false },
	{ "braces", KUID_FORM_BRACES, "{uuid}", false },
	{ "urn", KUID_FORM_URN, "{uuid}", false },
	{ 0 },
};

const struct form *form_named(const char *name)
{
	for (const struct form *form = forms; form->name; form++)
		if (!strcmp(name, form->name))
			return form;
	return NULL;
}

bool form_is_of(const struct form *form, unsigned int format)
{
	if (format == KUID_ANY_UUID)
		return kuid_format_text_size(format, form->form);
	return formats_is(form->of, format);
}

void form_text(const struct form *form, unsigned int format, const void *id,
	       char text[KUID_TEXT_MAX])
{
	unsigned char bytes[KUID_ID_MAX];

	memcpy(bytes, id, kuid_format_id_size(format));
	if (form->guid)
		kuid_guid(bytes, bytes);
	if (kuid_text_form(format, form->form, bytes, text, KUID_TEXT_MAX))
		err(EXIT_FAILED, "text of an ID");
}
