// SPDX-License-Identifier: GPL-2.0-only
/* See forms.h. */
#include <string.h>

#include "formats.h"
#include "forms.h"

static const struct form forms[] = {
	{ "text", KUID_FORM_CANONICAL, "{all}", false },
	{ "hex", KUID_FORM_HEX, "{all}", false },
	{ "cf", KUID_FORM_COLDFUSION, "{uuid}", false },
	{ "guid", KUID_FORM_HEX, "{uuid}", true },
	{ "decimal", KUID_FORM_DECIMAL, "{decimal}", false },
	{ "ulid", KUID_FORM_ULID, "{ulid}", false },
	{ "braces", KUID_FORM_BRACES, "{uuid}", false },
	{ "urn", KUID_FORM_URN, "{uuid}", false },
};

const struct form *form_named(const char *name)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!strcmp(name, forms[i].name))
			return &forms[i];
	return NULL;
}

bool form_is_of(const struct form *form, unsigned int format)
{
	if (format == KUID_ANY_UUID)
		return kuid_format_text_size(format, form->form);
	return formats_is(form->of, format);
}
