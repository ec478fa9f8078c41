// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text: each ID comes back from its text, and the parser reads nothing out of
 * the bounds of a text. Decimal texts are left out: the prover can't divide all
 * numbers by ten 19 times in reasonable time.
 */
#include "prove.h"
#include <kuid.h>
#include <stdlib.h>
#include "core/formats.h"

/* Bytes of the longest text that the parsers are given. */
#define TEXT_MAX      24
#define UUID_TEXT_MAX 46

/* The prover's C library lacks it. */
void *memchr(const void *memory, int byte, size_t size)
{
	const unsigned char *at = memory;

	for (; size; size--, at++)
		if (*at == (unsigned char)byte)
			return (void *)at;
	return NULL;
}

static void text_comes_back(const u32 format, u64 high, u64 low)
{
	const struct kuid_format *row = &kuid_formats[format];
	u8 id[KUID_ID_SIZE_MAX];
	struct kuid_text text;
	unsigned int i, size;

	kuid_text_start(&text, row->text_form);
	size = kuid_text_next(&text, row->text_form, row->text_size, high, low);
	assert(size == row->text_size);
	assert(!kuid_parse(format, text.text, size, id, NULL));
	for (i = 0; i < row->id_size; i++)
		assert(id[i] == (u8)(i < 8 ? high >> (56 - 8 * i)
					   : low >> (120 - 8 * i)));
}

void lex_comes_back(void)
{
	text_comes_back(KUID_FORMAT_LEX, any_u64(), any_u64());
}

void k64_comes_back(void)
{
	text_comes_back(KUID_FORMAT_K64, any_u64(), 0);
}

void k96_comes_back(void)
{
	text_comes_back(KUID_FORMAT_K96, any_u64(), any_u64() << 32);
}

void k128_comes_back(void)
{
	text_comes_back(KUID_FORMAT_K128, any_u64(), any_u64());
}

void v7_comes_back(void)
{
	u64 high = any_u64(), low = any_u64();

	assume((high >> 12 & 0xf) == 7 && low >> 62 == 2);
	text_comes_back(KUID_FORMAT_V7, high, low);
}

static char *any_text(size_t *size, size_t most)
{
	*size = any_u64();
	assume(*size <= most);
	return malloc(*size);
}

void the_parser_stays_in_bounds(void)
{
	u8 id[KUID_ID_SIZE_MAX];
	size_t size, where = 0;
	char *text = any_text(&size, TEXT_MAX);

	if (text && kuid_recognise(text, size, id, &where) < 0)
		assert(where <= size);
}

void the_lenient_parser_stays_in_bounds(void)
{
	u8 id[KUID_ID_SIZE_MAX];
	size_t size, where = 0;
	char *text = any_text(&size, UUID_TEXT_MAX);

	if (text && kuid_parse_lenient(KUID_ANY_UUID, text, size, id, &where))
		assert(where <= size);
}
