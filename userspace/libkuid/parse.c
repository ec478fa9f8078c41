// SPDX-License-Identifier: MIT
/* IDs from text. */
#include <errno.h>

#include "core/text.h"
#include "layout.h"

/* Which hexadecimal digits above 9 are taken. */
#define LOWER 1
#define UPPER 2

/**
 * struct shape - the look of the texts of some form, but for decimal ones
 * @pattern: one character for each of the text's: DIGIT for a digit, others
 *	for themselves; NULL if all are digits
 * @size: characters
 * @digit_bits: 4 for hexadecimal, 5 for ULIDs, 6 for sortable base 64
 * @first_bits: bits of the first digit; the last digit has what is left
 * @cases: of hexadecimal digits
 */
struct shape {
	const char *pattern;
	size_t size;
	unsigned int digit_bits;
	unsigned int first_bits;
	unsigned int cases;
};

/* No text has this character for itself. */
#define DIGIT	     'x'
#define PATTERN_LEX  "xxxxxxxx-xxxx-xxxx-xxxxxxxxxxxxxxxx"
#define PATTERN_UUID "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"

static struct shape canonical_shape(const struct kuid_layout *layout)
{
	struct shape shape = {
		.size = layout->row->text_size,
		.digit_bits = 4,
		.first_bits = 4,
	};

	switch (layout->row->text_form) {
	case KUID_TEXT_UUID:
		shape.pattern = PATTERN_UUID;
		shape.cases = LOWER | UPPER;
		break;
	case KUID_TEXT_LEX:
		shape.pattern = PATTERN_LEX;
		shape.cases = LOWER;
		break;
	case KUID_TEXT_SORTABLE64:
		shape.digit_bits = 6;
		shape.first_bits = 6;
		break;
	case KUID_TEXT_DECIMAL:
		/* read_decimal() needs no shape. */
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

/* By hand, because the locale may have its own idea of upper case. */
static char upper_case(char c)
{
	return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
}

static int ulid_value(char c)
{
	static const char digits[] = KUID_ULID_DIGITS;
	const char *digit = memchr(digits, upper_case(c), sizeof(digits) - 1);

	return digit ? digit - digits : -1;
}

static int digit_value(char c, const struct shape *shape)
{
	switch (shape->digit_bits) {
	case 4:
		return hex_value(c, shape->cases);
	case KUID_ULID_DIGIT_BITS:
		return ulid_value(c);
	default:
		return sortable64_value(c);
	}
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
	unsigned int bits = shape->first_bits;
	uint64_t high = 0, low = 0;

	for (size_t i = 0; i < shape->size; i++) {
		unsigned int width = min(bits, bits_left);
		unsigned int beyond = bits - width;
		int value;

		if (i == size)
			return wrong_at(i, where);
		if (shape->pattern && shape->pattern[i] != DIGIT) {
			/* RFC 8141: the case of "urn:uuid:" is free. */
			if (upper_case(text[i]) !=
			    upper_case(shape->pattern[i]))
				return wrong_at(i, where);
			continue;
		}
		value = digit_value(text[i], shape);
		/* Bits before the ID's begin and beyond its end must be 0. */
		if (value < 0 || value >> bits || value & ((1 << beyond) - 1))
			return wrong_at(i, where);
		bits = shape->digit_bits;
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

/* The same for a decimal number up to most, without leading zeros. */
static int read_decimal(const char *text, size_t size, uint64_t most,
			uint8_t *id, size_t *where)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++) {
		if (text[i] < '0' || text[i] > '9' || (i && !value) ||
		    __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, text[i] - '0', &value) ||
		    value > most)
			return wrong_at(i, where);
	}
	if (!size)
		return wrong_at(0, where);
	kuid_layout_store(id, sizeof(value), value, 0);
	return 0;
}

/* False and EINVAL if the format has no such form. */
static bool find_shape(const struct kuid_layout *layout, unsigned int form,
		       struct shape *shape)
{
	size_t size = kuid_format_text_size(layout->format, form);

	if (!size)
		return false;
	*shape = canonical_shape(layout);
	shape->size = size;
	switch (form) {
	case KUID_FORM_COLDFUSION:
		shape->pattern = PATTERN_LEX;
		shape->cases = UPPER;
		break;
	case KUID_FORM_HEX:
		*shape = (struct shape) { NULL, size, 4, 4, LOWER | UPPER };
		break;
	case KUID_FORM_ULID:
		/* 26 digits are 130 bits. */
		*shape = (struct shape) { NULL, size, KUID_ULID_DIGIT_BITS, 3,
					  0 };
		break;
	case KUID_FORM_BRACES:
		shape->pattern = "{" PATTERN_UUID "}";
		break;
	case KUID_FORM_URN:
		shape->pattern = KUID_URN_PREFIX PATTERN_UUID;
		break;
	}
	return true;
}

/* Where the digit is that has a bit of the ID, bit 0 being the first one. */
static size_t digit_of(unsigned int bit, const struct shape *shape)
{
	unsigned int unused = shape->digit_bits - shape->first_bits;
	size_t digit = (bit + unused) / shape->digit_bits, at = 0;

	if (!shape->pattern)
		return digit;
	for (;; at++)
		if (shape->pattern[at] == DIGIT && !digit--)
			return at;
}

/* Where the digit is by which an ID is not of the layout. */
static size_t misfit(const struct kuid_layout *layout, const uint8_t *id,
		     const struct shape *shape)
{
	if (!layout->row->version)
		return 0;
	return digit_of(kuid_uuid_version(id) != layout->row->version ? 48 : 64,
			shape);
}

/* Whether the canonical text of a format is a decimal number. */
static bool is_decimal(const struct kuid_layout *layout, unsigned int form)
{
	return form == KUID_FORM_CANONICAL &&
	       layout->row->text_form == KUID_TEXT_DECIMAL;
}

/* With any_case also lex and ColdFusion's form take digits of both cases. */
static int parse_form(const struct kuid_layout *layout, unsigned int form,
		      bool any_case, const char *text, size_t size, void *id,
		      size_t *where)
{
	uint8_t bytes[KUID_ID_MAX] = { 0 };
	struct shape shape;

	if (!find_shape(layout, form, &shape))
		return -1;
	if (form == KUID_FORM_DECIMAL || is_decimal(layout, form))
		return read_decimal(text, size, kuid_layout_most(layout), id,
				    where);
	if (any_case)
		shape.cases = LOWER | UPPER;
	if (read_shape(&shape, text, size, bytes, layout->row->id_size, where))
		return -1;
	if (!kuid_layout_fits(layout, bytes))
		return wrong_at(misfit(layout, bytes, &shape), where);
	memcpy(id, bytes, layout->row->id_size);
	return 0;
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

	if (!layout)
		return -1;
	return parse_form(layout, form, false, text, size, id, where);
}

/*
 * Only UUIDs in canonical text have a "-" there. If the length is that of
 * another form, the text is not in that form but ends too early.
 */
static bool has_fourth_hyphen(const char *text, size_t size)
{
	return size > 23 && text[23] == '-';
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

/* The format of a canonical text, or ColdFusion's; NULL if it has no size. */
static const struct kuid_layout *layout_of_text(const char *text, size_t size)
{
	if (size == KUID_UUID_TEXT_SIZE || has_fourth_hyphen(text, size) ||
	    (size == KUID_LEX_TEXT_SIZE && has_upper_case(text, size)))
		return kuid_layout_of(KUID_ANY_UUID);
	return kuid_layout_of_size(size);
}

static int wrong_size(const char *text, size_t size, size_t *where)
{
	for (size_t i = 0; i < size && i < KUID_TEXT_SIZE_MAX; i++)
		if (sortable64_value(text[i]) < 0 && text[i] != '-')
			return wrong_at(i, where);
	return wrong_at(min(size, (size_t)KUID_TEXT_SIZE_MAX), where);
}

/* The format of an ID that was read as one of a layout. */
static int format_of(const struct kuid_layout *layout, const void *id)
{
	return kuid_layout_is_uuid(layout) ? kuid_layout_of_uuid(id)->format
					   : layout->format;
}

int kuid_recognise(const char *text, size_t size, void *id, size_t *where)
{
	const struct kuid_layout *layout = layout_of_text(text, size);
	unsigned int form = KUID_FORM_CANONICAL;

	if (!layout)
		return wrong_size(text, size, where);
	if (size != layout->row->text_size && !has_fourth_hyphen(text, size))
		form = KUID_FORM_COLDFUSION;
	if (parse_form(layout, form, false, text, size, id, where))
		return -1;
	return format_of(layout, id);
}

static bool is_white_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_number(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] < '0' || text[i] > '9')
			return false;
	return size;
}

/* No digit is one of these characters. */
static bool begins_braces(const char *text, size_t size)
{
	return size && text[0] == '{';
}

static bool begins_urn(const char *text, size_t size)
{
	return size > 3 && text[3] == ':';
}

/* The form that a text of a format is in, if it is in any. */
static unsigned int guess_form(const struct kuid_layout *layout,
			       const char *text, size_t size)
{
	/* No two forms of a format have one size, except for decimal ones. */
	static const unsigned int sized[] = { KUID_FORM_COLDFUSION,
					      KUID_FORM_HEX, KUID_FORM_ULID };

	if (kuid_layout_is_uuid(layout) && begins_braces(text, size))
		return KUID_FORM_BRACES;
	if (kuid_layout_is_uuid(layout) && begins_urn(text, size))
		return KUID_FORM_URN;
	/* A hexadecimal snowflake of digits below 10 mostly begins with a 0. */
	if (layout->row->text_form == KUID_TEXT_DECIMAL &&
	    is_number(text, size) && text[0] != '0')
		return KUID_FORM_CANONICAL;
	if (!size || size == layout->row->text_size ||
	    has_fourth_hyphen(text, size))
		return KUID_FORM_CANONICAL;
	for (size_t i = 0; i < sizeof(sized) / sizeof(sized[0]); i++)
		if (size == kuid_format_text_size(layout->format, sized[i]))
			return sized[i];
	if (kuid_format_text_size(layout->format, KUID_FORM_DECIMAL) &&
	    is_number(text, size))
		return KUID_FORM_DECIMAL;
	return KUID_FORM_CANONICAL;
}

/* NULL if the text is in no form that tells the format. */
static const struct kuid_layout *guess_layout(const char *text, size_t size)
{
	if (begins_braces(text, size) || begins_urn(text, size) ||
	    size == kuid_format_text_size(KUID_ANY_UUID, KUID_FORM_HEX))
		return kuid_layout_of(KUID_ANY_UUID);
	if (size == KUID_ULID_TEXT_SIZE && !has_fourth_hyphen(text, size))
		return kuid_layout_of(KUID_FORMAT_V7);
	return layout_of_text(text, size);
}

static int parse_lenient(unsigned int format, const char *text, size_t size,
			 void *id, size_t *where)
{
	const struct kuid_layout *layout = format == KUID_FORMAT_DEFAULT
						   ? guess_layout(text, size)
						   : kuid_layout_of(format);

	if (!layout)
		return wrong_size(text, size, where);
	/* A column of type uuid shows other IDs of 16 bytes so, too. */
	if (layout->row->id_size == KUID_ID_MAX &&
	    !kuid_layout_is_uuid(layout) && has_fourth_hyphen(text, size))
		layout = kuid_layout_of(KUID_ANY_UUID);
	if (parse_form(layout, guess_form(layout, text, size), true, text, size,
		       id, where))
		return -1;
	return format == KUID_FORMAT_DEFAULT ? format_of(layout, id)
					     : (int)format;
}

int kuid_parse_lenient(unsigned int format, const char *text, size_t size,
		       void *id, size_t *where)
{
	size_t first = 0, end = size, at;
	int found;

	if (!kuid_layout_of(format))
		return -1;
	while (end && is_white_space(text[end - 1]))
		end--;
	while (first < end && is_white_space(text[first]))
		first++;
	found = parse_lenient(format, text + first, end - first, id, &at);
	if (found < 0 && where)
		*where = first + at < end ? first + at : size;
	return found;
}
