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

static void write_ulid(char *text, uint64_t high, uint64_t low)
{
	for (size_t at = KUID_ULID_TEXT_SIZE; at--;) {
		text[at] = KUID_ULID_DIGITS[low % 32];
		low = low >> KUID_ULID_DIGIT_BITS |
		      high << (64 - KUID_ULID_DIGIT_BITS);
		high >>= KUID_ULID_DIGIT_BITS;
	}
}

/**
 * struct writer - writes the text of one ID after another
 * @form: KUID_FORM_*
 * @digits: how the digits of canonical text, or ColdFusion's, are grouped
 * @id_size: bytes of an ID
 * @length: characters of the longest text
 * @most: the highest ID that has a decimal text, which is not above @length
 * @last: these digits of the last ID
 */
struct writer {
	unsigned int form;
	enum kuid_text_form digits;
	size_t id_size;
	size_t length;
	uint64_t most;
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
	writer->most = kuid_layout_most(layout);
	if (form == KUID_FORM_CANONICAL &&
	    layout->row->text_form == KUID_TEXT_DECIMAL)
		writer->form = KUID_FORM_DECIMAL;
	writer->digits = form == KUID_FORM_COLDFUSION ? KUID_TEXT_LEX
						      : layout->row->text_form;
	writer->id_size = layout->row->id_size;
	kuid_text_start(&writer->last, writer->digits);
	return true;
}

static void write_grouped(struct writer *writer, uint64_t high, uint64_t low,
			  char *text, size_t length)
{
	kuid_text_next(&writer->last, writer->digits, length, high, low);
	memcpy(text, writer->last.text, length);
}

/* Returns how many characters there are; 0 if the ID has no such text. */
static size_t write_id(struct writer *writer, const void *id, char *text)
{
	char digits[2 * KUID_ID_MAX];
	uint64_t high, low;

	kuid_layout_load(id, writer->id_size, &high, &low);
	switch (writer->form) {
	case KUID_FORM_HEX:
		write_hex(digits, high);
		write_hex(digits + 16, low);
		memcpy(text, digits, writer->length);
		break;
	case KUID_FORM_DECIMAL:
		return high > writer->most ? 0 : kuid_text_decimal(text, high);
	case KUID_FORM_ULID:
		write_ulid(text, high, low);
		break;
	case KUID_FORM_BRACES:
		*text++ = '{';
		write_grouped(writer, high, low, text, KUID_UUID_TEXT_SIZE);
		text[KUID_UUID_TEXT_SIZE] = '}';
		break;
	case KUID_FORM_URN:
		text = mempcpy(text, KUID_URN_PREFIX,
			       sizeof(KUID_URN_PREFIX) - 1);
		write_grouped(writer, high, low, text, KUID_UUID_TEXT_SIZE);
		break;
	default:
		write_grouped(writer, high, low, text, writer->length);
		if (writer->form == KUID_FORM_COLDFUSION)
			raise_case(text, writer->length);
		break;
	}
	return writer->length;
}

int kuid_text(unsigned int format, const void *id, char *text, size_t size)
{
	return kuid_text_form(format, KUID_FORM_CANONICAL, id, text, size);
}

/* The text that most callers want, without what others need. */
static void write_uuid(const void *id, char *text)
{
	struct kuid_text digits;
	uint64_t high, low;

	kuid_layout_load(id, KUID_ID_MAX, &high, &low);
	kuid_text_start(&digits, KUID_TEXT_UUID);
	kuid_text_next(&digits, KUID_TEXT_UUID, KUID_UUID_TEXT_SIZE, high, low);
	memcpy(text, digits.text, KUID_UUID_TEXT_SIZE);
	text[KUID_UUID_TEXT_SIZE] = '\0';
}

int kuid_text_form(unsigned int format, unsigned int form, const void *id,
		   char *text, size_t size)
{
	const struct kuid_layout *layout = kuid_layout_of(format);
	char written[KUID_TEXT_MAX];
	struct writer writer;
	size_t length;

	if (form == KUID_FORM_CANONICAL && layout &&
	    kuid_layout_is_uuid(layout) && size > KUID_UUID_TEXT_SIZE) {
		write_uuid(id, text);
		return 0;
	}
	if (!begin(&writer, format, form))
		return -1;
	length = write_id(&writer, id, written);
	if (!length) {
		errno = EINVAL;
		return -1;
	}
	if (size <= length) {
		errno = ERANGE;
		return -1;
	}
	written[length] = '\0';
	memcpy(text, written, length + 1);
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
		size_t length = write_id(&writer, id, end);

		if (!length) {
			errno = EINVAL;
			return -1;
		}
		end += length;
		*end++ = '\n';
	}
	return end - text;
}
