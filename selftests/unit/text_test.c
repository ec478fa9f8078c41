// SPDX-License-Identifier: GPL-2.0-only
/* Canonical text: its form, and that it sorts like the bytes. */
#include "core/text.h"
#include "harness.h"
#include "random.h"
#include "vectors.h"

static void check_sortable64(char **column)
{
	char text[KUID_TEXT_SIZE_MAX + 1] = "";
	u64 words[2] = { 0 };
	size_t size = vectors_bytes(column[0], (u8 *)words);

	kuid_text_sortable64(text, be64_to_cpu(words[0]), be64_to_cpu(words[1]),
			     (8 * size + 5) / 6);
	assert_string_equal(text, column[1]);
}

TEST(sortable64_meets_the_vectors)
{
	assert_int_equal(vectors_each("sortable64", check_sortable64), 7);
}

TEST(digits_are_in_the_order_of_their_bytes)
{
	static const char digits[] = KUID_SORTABLE64_DIGITS;

	assert_int_equal(sizeof(digits), 64 + 1);
	for (int i = 1; i < 64; i++)
		assert_true(digits[i - 1] < digits[i]);
}

/* Set one bit at a time, so that no bit can be in the place of another one. */
TEST(every_bit_shows_in_its_digit)
{
	static const char digits[] = KUID_SORTABLE64_DIGITS;

	for (int bit = 0; bit < 128; bit++) {
		u64 high = bit < 64 ? 1ULL << (63 - bit) : 0;
		u64 low = bit < 64 ? 0 : 1ULL << (127 - bit);
		char text[22];

		kuid_text_sortable64(text, high, low, sizeof(text));
		for (int i = 0; i < 22; i++)
			assert_int_equal(text[i],
					 i == bit / 6 ? digits[32 >> bit % 6]
						      : '.');
	}
}

/* Change an ID to the next one of a batch, or in one of several other ways. */
static void change(u64 *high, u64 *low)
{
	switch (random_below(6)) {
	case 0:
		++*low;
		break;
	case 1:
		*low += 1ULL << 55;
		break;
	case 2:
		*low ^= 1ULL << random_below(64);
		break;
	case 3:
		*high ^= 1ULL << random_below(64);
		break;
	case 4:
		*high = random_64();
		*low = random_64();
		break;
	case 5:
		*high = random_below(2) ? 0 : ~0ULL;
		*low = random_below(2) ? 0 : ~0ULL;
	}
}

static void check_hex_text(bool lex, int size)
{
	u64 high = 0, low = 0;
	struct kuid_text hex;

	kuid_text_start(&hex, lex ? KUID_TEXT_LEX : KUID_TEXT_UUID);
	for (int i = 0; i < MANY(300000); i++) {
		char want[64];

		snprintf(want, sizeof(want),
			 lex ? "%08llx-%04llx-%04llx-%04llx%012llx"
			     : "%08llx-%04llx-%04llx-%04llx-%012llx",
			 high >> 32, high >> 16 & 0xffff, high & 0xffff,
			 low >> 48, low & 0xffffffffffff);
		kuid_text_next(&hex, lex ? KUID_TEXT_LEX : KUID_TEXT_UUID,
			       lex ? KUID_LEX_TEXT_SIZE : KUID_UUID_TEXT_SIZE,
			       high, low);
		assert_int_equal(strlen(want), size);
		assert_memory_equal(hex.text, want, size);
		change(&high, &low);
	}
}

TEST(uuid_text_shows_each_change)
{
	check_hex_text(false, KUID_UUID_TEXT_SIZE);
}

TEST(lex_text_shows_each_change)
{
	check_hex_text(true, KUID_LEX_TEXT_SIZE);
}

static int sign(int order)
{
	return (order > 0) - (order < 0);
}

static int order_of(u64 a_high, u64 a_low, u64 b_high, u64 b_low)
{
	if (a_high != b_high)
		return a_high < b_high ? -1 : 1;
	return a_low < b_low ? -1 : a_low > b_low;
}

static void hex_text_of(bool lex, u64 high, u64 low, char *text)
{
	struct kuid_text hex;

	kuid_text_start(&hex, lex ? KUID_TEXT_LEX : KUID_TEXT_UUID);
	kuid_text_next(&hex, lex ? KUID_TEXT_LEX : KUID_TEXT_UUID,
		       lex ? KUID_LEX_TEXT_SIZE : KUID_UUID_TEXT_SIZE, high,
		       low);
	memcpy(text, hex.text, lex ? KUID_LEX_TEXT_SIZE : KUID_UUID_TEXT_SIZE);
}

TEST(texts_sort_as_the_bytes_do)
{
	static const int bits[] = { 64, 96, 128 };
	static const int sizes[] = { 11, 16, 22 };
	u64 high = 0, low = 0;

	for (int i = 0; i < MANY(500000); i++) {
		u64 other_high = high, other_low = low;
		char a[KUID_TEXT_SIZE_MAX], b[KUID_TEXT_SIZE_MAX];
		int n = i % 3;

		change(&high, &low);
		for (int lex = 0; lex < 2; lex++) {
			hex_text_of(lex, other_high, other_low, a);
			hex_text_of(lex, high, low, b);
			assert_int_equal(
				sign(memcmp(a, b,
					    lex ? KUID_LEX_TEXT_SIZE
						: KUID_UUID_TEXT_SIZE)),
				order_of(other_high, other_low, high, low));
		}
		if (bits[n] < 128) {
			u64 mask = bits[n] == 64 ? 0 : ~0ULL << 32;

			other_low &= mask;
			low &= mask;
		}
		kuid_text_sortable64(a, other_high, other_low, sizes[n]);
		kuid_text_sortable64(b, high, low, sizes[n]);
		assert_int_equal(sign(memcmp(a, b, sizes[n])),
				 order_of(other_high, other_low, high, low));
	}
}

static struct unit_case cases[] = {
	CASE(sortable64_meets_the_vectors),
	CASE(digits_are_in_the_order_of_their_bytes),
	CASE(every_bit_shows_in_its_digit),
	CASE(uuid_text_shows_each_change),
	CASE(lex_text_shows_each_change),
	CASE(texts_sort_as_the_bytes_do),
	{},
};

SUITE(text, cases, NULL);
