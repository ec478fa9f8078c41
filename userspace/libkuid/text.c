// SPDX-License-Identifier: MIT
/* IDs as text. */
#include <errno.h>

#include "core/text.h"
#include "layout.h"

static void write_hex(char *text, uint64_t word)
{
	for (int i = 0; i < 4; i++)
		kuid_text_hex4(text + 4 * i, word >> (48 - 16 * i));
}

static void write_form(char *text, enum kuid_text_form form, size_t length,
		       uint64_t high, uint64_t low)
{
	struct kuid_text written;

	kuid_text_start(&written, form);
	kuid_text_next(&written, form, length, high, low);
	memcpy(text, written.text, length);
}

/* By hand, because the locale may have its own idea of upper case. */
static void raise_case(char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] >= 'a' && text[i] <= 'f')
			text[i] += 'A' - 'a';
}

int kuid_text(unsigned int format, const void *id, char *text, size_t size)
{
	return kuid_text_form(format, KUID_FORM_CANONICAL, id, text, size);
}

int kuid_text_form(unsigned int format, unsigned int form, const void *id,
		   char *text, size_t size)
{
	const struct kuid_format *layout = kuid_layout_of(format);
	uint64_t high, low;
	size_t length;

	if (!layout)
		return -1;
	switch (form) {
	case KUID_FORM_CANONICAL:
		length = layout->text_size;
		break;
	case KUID_FORM_HEX:
		length = 2 * layout->id_size;
		break;
	case KUID_FORM_COLDFUSION:
		length = KUID_LEX_TEXT_SIZE;
		if (layout->text_form == KUID_TEXT_UUID)
			break;
		/* fall through */
	default:
		errno = EINVAL;
		return -1;
	}
	if (size <= length) {
		errno = ERANGE;
		return -1;
	}

	kuid_layout_load(id, layout->id_size, &high, &low);
	if (form == KUID_FORM_HEX) {
		char digits[2 * KUID_ID_MAX];

		write_hex(digits, high);
		write_hex(digits + 16, low);
		memcpy(text, digits, length);
	} else if (form == KUID_FORM_COLDFUSION) {
		write_form(text, KUID_TEXT_LEX, length, high, low);
		raise_case(text, length);
	} else {
		write_form(text, layout->text_form, length, high, low);
	}
	text[length] = '\0';
	return 0;
}
