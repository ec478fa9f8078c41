// SPDX-License-Identifier: MIT
/* IDs from text. */
#include <errno.h>

#include "core/text.h"
#include "layout.h"

/* Which hexadecimal digits above 9 are taken. */
#define LOWER 1
#define UPPER 2

/**
 * struct shape - what a text of some form looks like
 * @size: characters
 * @hyphens: bit n is set if character n is a hyphen; the others are digits
 * @digit_bits: 4 for hexadecimal, 6 for sortable base 64
 * @cases: of hexadecimal digits
 */
struct shape {
	size_t size;
	uint64_t hyphens;
	unsigned int digit_bits;
	unsigned int cases;
};

#define GROUPS_8_4_4 (BIT_ULL(8) | BIT_ULL(13) | BIT_ULL(18))

static const struct shape coldfusion_shape = { KUID_LEX_TEXT_SIZE, GROUPS_8_4_4,
					       4, UPPER };

static struct shape canonical_shape(const struct kuid_layout *layout)
{
	struct shape shape = { .size = layout->text_size };

	switch (layout->text) {
	case KUID_TEXT_UUID:
		shape.hyphens = GROUPS_8_4_4 | BIT_ULL(23);
		shape.digit_bits = 4;
		shape.cases = LOWER | UPPER;
		break;
	case KUID_TEXT_LEX:
		shape.hyphens = GROUPS_8_4_4;
		shape.digit_bits = 4;
		shape.cases = LOWER;
		break;
	case KUID_TEXT_SORTABLE64:
		shape.digit_bits = 6;
		break;
	}
	return shape;
}

/* -1 if the character is no such digit. */
static int hex_value(char c, unsigned int cases)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f' && cases & LOWER)
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F' && cases & UPPER)
		return c - 'A' + 10;
	return -1;
}

static int sortable64_value(char c)
{
	static const char digits[] = KUID_SORTABLE64_DIGITS;
	const char *digit = memchr(digits, c, sizeof(digits) - 1);

	return digit ? digit - digits : -1;
}

static int digit_value(char c, const struct shape *shape)
{
	return shape->digit_bits == 4 ? hex_value(c, shape->cases)
				      : sortable64_value(c);
}

static int wrong_at(size_t offset, size_t *where)
{
	if (where)
		*where = offset;
	errno = EINVAL;
	return -1;
}

/* Read size characters of text into id_size bytes; *where says what's wrong. */
static int read_shape(const struct shape *shape, const char *text, size_t size,
		      uint8_t *id, size_t id_size, size_t *where)
{
	unsigned int bits_left = 8 * id_size;
	uint64_t high = 0, low = 0;

	for (size_t i = 0; i < shape->size; i++) {
		unsigned int width = min(shape->digit_bits, bits_left);
		unsigned int beyond = shape->digit_bits - width;
		int value;

		if (i == size)
			return wrong_at(i, where);
		if (shape->hyphens & BIT_ULL(i)) {
			if (text[i] != '-')
				return wrong_at(i, where);
			continue;
		}
		value = digit_value(text[i], shape);
		/* The last digit's bits beyond the ID's end must be zero. */
		if (value < 0 || value & ((1 << beyond) - 1))
			return wrong_at(i, where);
		high = high << width | low >> (64 - width);
		low = low << width | value >> beyond;
		bits_left -= width;
	}
	if (size > shape->size)
		return wrong_at(shape->size, where);

	for (uint8_t *byte = id + id_size; byte-- > id;) {
		*byte = low;
		low = low >> 8 | high << 56;
		high >>= 8;
	}
	return 0;
}

/* False and EINVAL if the format has no such form. */
static bool find_shape(const struct kuid_layout *layout, unsigned int form,
		       struct shape *shape)
{
	size_t size = kuid_format_text_size(layout->format, form);

	if (!size)
		return false;
	if (form == KUID_FORM_HEX)
		*shape = (struct shape) { size, 0, 4, LOWER | UPPER };
	else if (form == KUID_FORM_COLDFUSION)
		*shape = coldfusion_shape;
	else
		*shape = canonical_shape(layout);
	return true;
}

/* Where a UUID's version or variant digit is in its text. */
static size_t misfit(const struct kuid_layout *layout, const uint8_t *id,
		     const struct shape *shape)
{
	size_t digit = kuid_uuid_version(id) != layout->version ? 12 : 16;

	if (!shape->hyphens)
		return digit;
	return digit + (digit == 12 ? 2 : 3);
}

int kuid_parse(unsigned int format, const char *text, size_t size, void *id,
	       size_t *where)
{
	return kuid_parse_form(format, KUID_FORM_CANONICAL, text, size, id,
			       where);
}

int kuid_parse_form(unsigned int format, unsigned int form, const char *text,
		    size_t size, void *id, size_t *where)
{
	const struct kuid_layout *layout = kuid_layout_of(format);
	uint8_t bytes[KUID_ID_MAX];
	struct shape shape;

	if (!layout || !find_shape(layout, form, &shape) ||
	    read_shape(&shape, text, size, bytes, layout->id_size, where))
		return -1;
	if (!kuid_layout_fits(layout, bytes))
		return wrong_at(misfit(layout, bytes, &shape), where);
	memcpy(id, bytes, layout->id_size);
	return 0;
}

/* Between lex and ColdFusion the first letter decides. */
static bool has_upper_case(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (text[i] >= 'a' && text[i] <= 'z')
			return false;
		if (text[i] >= 'A' && text[i] <= 'Z')
			return true;
	}
	return false;
}

static int wrong_size(const char *text, size_t size, size_t *where)
{
	for (size_t i = 0; i < size && i < KUID_TEXT_SIZE_MAX; i++)
		if (sortable64_value(text[i]) < 0 && text[i] != '-')
			return wrong_at(i, where);
	return wrong_at(min(size, (size_t)KUID_TEXT_SIZE_MAX), where);
}

int kuid_recognise(const char *text, size_t size, void *id, size_t *where)
{
	const struct kuid_layout *layout = kuid_layout_of_size(size);
	unsigned int form = KUID_FORM_CANONICAL;
	bool uuid = size == KUID_UUID_TEXT_SIZE;

	if (size == coldfusion_shape.size && has_upper_case(text, size)) {
		form = KUID_FORM_COLDFUSION;
		uuid = true;
	}
	if (!uuid && !layout)
		return wrong_size(text, size, where);
	if (kuid_parse_form(uuid ? KUID_ANY_UUID : layout->format, form, text,
			    size, id, where))
		return -1;
	return uuid ? kuid_layout_of_uuid(id)->format : layout->format;
}
