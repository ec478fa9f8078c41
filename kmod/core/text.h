/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The canonical text of an ID: groups of hexadecimal digits for UUIDs and lex,
 * sortable base 64 for the k-ordered formats, decimal digits for snowflake. The
 * texts of all formats but v1 and snowflake sort like their IDs; those of
 * snowflake do so among texts of one length.
 */
#ifndef KUID_CORE_TEXT_H
#define KUID_CORE_TEXT_H

#include "port.h"

/**
 * enum kuid_text_form - form of a canonical text
 * @KUID_TEXT_UUID: hexadecimal digits in groups, 8-4-4-4-12
 * @KUID_TEXT_LEX: hexadecimal digits in groups, 8-4-4-16
 * @KUID_TEXT_SORTABLE64: sortable base 64
 * @KUID_TEXT_DECIMAL: decimal digits without leading zeros, so of varying
 *	length
 */
enum kuid_text_form {
	KUID_TEXT_UUID,
	KUID_TEXT_LEX,
	KUID_TEXT_SORTABLE64,
	KUID_TEXT_DECIMAL
};

/* Characters of the hexadecimal forms. */
#define KUID_UUID_TEXT_SIZE 36
#define KUID_LEX_TEXT_SIZE  35

/* Characters of the longest text of all forms. */
#define KUID_TEXT_SIZE_MAX KUID_UUID_TEXT_SIZE

/* Write 16 bits as four digits, in parallel in the bytes of one word. */
static __always_inline void kuid_text_hex4(char *text, u16 value)
{
	u32 nibbles, letters;
	__be32 digits;

	nibbles = ((u32)value << 8 | value) & 0x00ff00ff;
	nibbles = (nibbles << 4 | nibbles) & 0x0f0f0f0f;
	/* 1 in each byte that is 10 or more. */
	letters = (nibbles + 0x06060606) >> 4 & 0x01010101;
	digits = cpu_to_be32(nibbles + 0x30303030 + letters * ('a' - 10 - '0'));
	memcpy(text, &digits, sizeof(digits));
}

/*
 * The digits of sortable base 64. Their values and their bytes have one order.
 */
#define KUID_SORTABLE64_DIGITS \
	".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

/*
 * Write the first @size digits of an ID of up to 128 bits. If the ID ends
 * inside the last digit, zeroes fill the digit.
 */
static __always_inline void kuid_text_sortable64(char *text, u64 high, u64 low,
						 unsigned int size)
{
	while (size--) {
		*text++ = KUID_SORTABLE64_DIGITS[high >> 58];
		high = high << 6 | low >> 58;
		low <<= 6;
	}
}

/* Digits of the highest number of 64 bits. */
#define KUID_DECIMAL_TEXT_SIZE 20

/* Write a number without leading zeros. Returns how many digits it has. */
static __always_inline unsigned int kuid_text_decimal(char *text, u64 value)
{
	unsigned int size = 1, at;
	u64 above = 10;

	while (size < KUID_DECIMAL_TEXT_SIZE && value >= above) {
		above *= 10;
		size++;
	}
	for (at = size; at--; value /= 10)
		text[at] = '0' + value % 10;
	return size;
}

/**
 * struct kuid_text - a buffer for the texts of consecutive IDs of one format
 * @high: first word of the last ID that was written
 * @low: second word of the last ID that was written; of a decimal text, how
 *	many digits it has
 * @text: the text of the last ID, not terminated, with room for an end of line
 *
 * Consecutive IDs have most of their bits in common. So most hexadecimal digits
 * of the last text are still correct, and only the others are written.
 */
struct kuid_text {
	u64 high;
	u64 low;
	char text[KUID_TEXT_SIZE_MAX + 1];
};

/**
 * kuid_text_start - prepare a buffer for the texts of a format
 * @text: the buffer; all of it is set
 * @form: form of the format's text
 *
 * Context: any.
 */
static __always_inline void kuid_text_start(struct kuid_text *text,
					    const enum kuid_text_form form)
{
	*text = (struct kuid_text) { 0 };
	memset(text->text, '0', sizeof(text->text));
	if (form == KUID_TEXT_UUID || form == KUID_TEXT_LEX) {
		text->text[8] = '-';
		text->text[13] = '-';
		text->text[18] = '-';
	}
	if (form == KUID_TEXT_UUID)
		text->text[23] = '-';
}

static __always_inline void kuid_text_hex(struct kuid_text *text, char *last,
					  u64 high, u64 low)
{
	u64 changed = text->low ^ low;

	if (text->high != high) {
		kuid_text_hex4(text->text, high >> 48);
		kuid_text_hex4(text->text + 4, high >> 32);
		kuid_text_hex4(text->text + 9, high >> 16);
		kuid_text_hex4(text->text + 14, high);
	}
	if (changed >> 48)
		kuid_text_hex4(text->text + 19, low >> 48);
	if (changed << 16) {
		kuid_text_hex4(last, low >> 32);
		kuid_text_hex4(last + 4, low >> 16);
		kuid_text_hex4(last + 8, low);
	}
	text->high = high;
	text->low = low;
}

/* The ID behind the last one differs in the last digit, unless that was a 9. */
static __always_inline unsigned int kuid_text_count(struct kuid_text *text,
						    u64 value)
{
	char *last = text->text + text->low - 1;

	if (text->low && value == text->high + 1 && *last != '9')
		++*last;
	else
		text->low = kuid_text_decimal(text->text, value);
	text->high = value;
	return text->low;
}

/**
 * kuid_text_next - write the canonical text of an ID
 * @text: the buffer, prepared by kuid_text_start()
 * @form: form of the format's text
 * @size: characters of the format's longest text
 * @high: first word of the ID
 * @low: second word of the ID
 *
 * Context: any.
 * Return: how many characters were written.
 */
static __always_inline unsigned int
kuid_text_next(struct kuid_text *text, const enum kuid_text_form form,
	       const unsigned int size, u64 high, u64 low)
{
	switch (form) {
	case KUID_TEXT_UUID:
		kuid_text_hex(text, text->text + 24, high, low);
		break;
	case KUID_TEXT_LEX:
		kuid_text_hex(text, text->text + 23, high, low);
		break;
	case KUID_TEXT_SORTABLE64:
		kuid_text_sortable64(text->text, high, low, size);
		break;
	case KUID_TEXT_DECIMAL:
		return kuid_text_count(text, high);
	}
	return size;
}

#endif /* KUID_CORE_TEXT_H */
