/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The canonical text of an ID: groups of hexadecimal digits for UUIDs and lex,
 * sortable base 64 for the k-ordered formats. All texts but those of v1 sort as
 * their IDs do.
 */
#ifndef KUID_CORE_TEXT_H
#define KUID_CORE_TEXT_H

#include "port.h"

/**
 * enum kuid_text_form - how a text is written
 * @KUID_TEXT_UUID: hexadecimal digits in groups, 8-4-4-4-12
 * @KUID_TEXT_LEX: hexadecimal digits in groups, 8-4-4-16
 * @KUID_TEXT_SORTABLE64: sortable base 64
 */
enum kuid_text_form {
	KUID_TEXT_UUID,
	KUID_TEXT_LEX,
	KUID_TEXT_SORTABLE64
};

/* Characters of the hexadecimal forms. */
#define KUID_UUID_TEXT_SIZE 36
#define KUID_LEX_TEXT_SIZE  35

/* The longest text of all forms. */
#define KUID_TEXT_SIZE_MAX KUID_UUID_TEXT_SIZE

/* Write 16 bits as four digits, all of them at once. */
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

/* The digits of sortable base 64, in the order of their values and bytes. */
#define KUID_SORTABLE64_DIGITS \
	".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

/*
 * Write the first size digits of an ID of up to 128 bits. The last digit has
 * zeroes behind the ID's end.
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

/**
 * struct kuid_text - the text of one ID of a format after another
 * @high: the first word of the ID that @text is of
 * @low: its second word
 * @text: the text, not terminated, with room for an end of line
 *
 * Consecutive IDs have most of their bits in common, so that most of their
 * hexadecimal digits are there already.
 */
struct kuid_text {
	u64 high;
	u64 low;
	char text[KUID_TEXT_SIZE_MAX + 1];
};

/**
 * kuid_text_start - prepare for the texts of a format
 * @text: set in all of it
 * @form: the format's form
 */
static __always_inline void kuid_text_start(struct kuid_text *text,
					    const enum kuid_text_form form)
{
	*text = (struct kuid_text) { 0 };
	memset(text->text, '0', sizeof(text->text));
	if (form == KUID_TEXT_SORTABLE64)
		return;
	text->text[8] = '-';
	text->text[13] = '-';
	text->text[18] = '-';
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

/**
 * kuid_text_next - write the canonical text of an ID
 * @text: where to, after kuid_text_start()
 * @form: the format's form
 * @size: characters of the format's text
 * @high: the ID's first word
 * @low: its second word
 *
 * Return: characters that were written.
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
	}
	return size;
}

#endif /* KUID_CORE_TEXT_H */
