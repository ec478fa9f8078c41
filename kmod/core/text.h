/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The canonical text of an ID: groups of hexadecimal digits for UUIDs and lex,
 * sortable base 64 for the k-ordered formats. Texts of one format are as long
 * as each other, and all but v1's sort as their IDs do.
 */
#ifndef KUID_CORE_TEXT_H
#define KUID_CORE_TEXT_H

#include "port.h"

#define KUID_UUID_TEXT_SIZE 36
#define KUID_LEX_TEXT_SIZE  35
#define KUID_K64_TEXT_SIZE  11
#define KUID_K96_TEXT_SIZE  16
#define KUID_K128_TEXT_SIZE 22
#define KUID_TEXT_SIZE_MAX  KUID_UUID_TEXT_SIZE

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

/**
 * struct kuid_hex_text - the text of one UUID or LexicalUUID after another
 * @high: the first word of the ID that @text is of
 * @low: its second word
 * @text: the text, not terminated, with room for an end of line
 *
 * Consecutive IDs have most of their bits in common, so that most of the text
 * is there already.
 */
struct kuid_hex_text {
	u64 high;
	u64 low;
	char text[KUID_TEXT_SIZE_MAX + 1];
};

/* 8-4-4-4-12 for UUIDs, 8-4-4-16 for lex: the fourth hyphen is the one. */
static __always_inline void kuid_hex_text_start(struct kuid_hex_text *hex,
						bool lex)
{
	hex->high = 0;
	hex->low = 0;
	memset(hex->text, '0', sizeof(hex->text));
	hex->text[8] = '-';
	hex->text[13] = '-';
	hex->text[18] = '-';
	if (!lex)
		hex->text[23] = '-';
}

static __always_inline void kuid_hex_text_next(struct kuid_hex_text *hex,
					       bool lex, u64 high, u64 low)
{
	char *last = hex->text + (lex ? 23 : 24);
	u64 changed = hex->low ^ low;

	if (hex->high != high) {
		kuid_text_hex4(hex->text, high >> 48);
		kuid_text_hex4(hex->text + 4, high >> 32);
		kuid_text_hex4(hex->text + 9, high >> 16);
		kuid_text_hex4(hex->text + 14, high);
	}
	if (changed >> 48)
		kuid_text_hex4(hex->text + 19, low >> 48);
	if (changed << 16) {
		kuid_text_hex4(last, low >> 32);
		kuid_text_hex4(last + 4, low >> 16);
		kuid_text_hex4(last + 8, low);
	}
	hex->high = high;
	hex->low = low;
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

#endif /* KUID_CORE_TEXT_H */
