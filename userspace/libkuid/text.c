// SPDX-License-Identifier: MIT
/* IDs as text. */
#include <errno.h>

#include "layout.h"

static void write_hex(char *text, uint64_t word)
{
	for (int i = 0; i < 4; i++)
		kuid_text_hex4(text + 4 * i, word >> (48 - 16 * i));
}

/* By hand, because the locale may have its own idea of upper case. */
static void raise_case(char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] >= 'a' && text[i] <= 'f')
			text[i] += 'A' - 'a';
}

/**
 * struct writer - writes the text of one ID after another
 * @form: KUID_FORM_*
 * @digits: how its digits are grouped, unless it is plain hexadecimal
 * @id_size: bytes of an ID
 * @length: characters of the longest text
 * @last: text of the last ID
 */
struct writer {
	unsigned int form;
	enum kuid_text_form digits;
	size_t id_size;
	size_t length;
	struct kuid_text last;
};

/* False and EINVAL if there is no such text. */
static bool begin(struct writer *writer, unsigned int format, unsigned int form)
{
	const struct kuid_layout *layout = kuid_layout_of(format);

	writer->length = kuid_format_text_size(format, form);
	if (!writer->length)
		return false;
	writer->form = form;
	writer->digits = form == KUID_FORM_COLDFUSION ? KUID_TEXT_LEX
						      : layout->text;
	writer->id_size = layout->id_size;
	kuid_text_start(&writer->last, writer->digits);
	return true;
}

/* Returns how many characters there are. */
static size_t write_id(struct writer *writer, const void *id, char *text)
{
	char digits[2 * KUID_ID_MAX];
	uint64_t high, low;
	size_t length;

	kuid_layout_load(id, writer->id_size, &high, &low);
	if (writer->form == KUID_FORM_HEX) {
		write_hex(digits, high);
		write_hex(digits + 16, low);
		memcpy(text, digits, writer->length);
		return writer->length;
	}
	length = kuid_text_next(&writer->last, writer->digits, writer->length,
				high, low);
	memcpy(text, writer->last.text, length);
	if (writer->form == KUID_FORM_COLDFUSION)
		raise_case(text, length);
	return length;
}

int kuid_text(unsigned int format, const void *id, char *text, size_t size)
{
	return kuid_text_form(format, KUID_FORM_CANONICAL, id, text, size);
}

int kuid_text_form(unsigned int format, unsigned int form, const void *id,
		   char *text, size_t size)
{
	struct writer writer;

	if (!begin(&writer, format, form))
		return -1;
	if (size <= writer.length) {
		errno = ERANGE;
		return -1;
	}
	text[write_id(&writer, id, text)] = '\0';
	return 0;
}

ssize_t kuid_text_lines(unsigned int format, unsigned int form, const void *ids,
			size_t count, char *text, size_t size)
{
	const uint8_t *id = ids;
	struct writer writer;
	char *end = text;

	if (!begin(&writer, format, form))
		return -1;
	if (size / (writer.length + 1) < count) {
		errno = ERANGE;
		return -1;
	}
	for (; count; count--, id += writer.id_size) {
		end += write_id(&writer, id, end);
		*end++ = '\n';
	}
	return end - text;
}
