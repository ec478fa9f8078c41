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

/*
 * Each digit shows the next six bits, so texts of one length sort as their
 * bytes do.
 */
TEST(sortable64_shows_six_bits_in_a_digit)
{
	static const char digits[] = KUID_SORTABLE64_DIGITS;
	static const unsigned int sizes[] = { 11, 16, 22 };
	u64 high = 0, low = 0;

	for (int i = 0; i < MANY(300000); i++) {
		unsigned __int128 id = (unsigned __int128)high << 64 | low;
		char text[KUID_TEXT_SIZE_MAX];

		kuid_text_sortable64(text, high, low, sizes[i % 3]);
		for (unsigned int n = 0; n < sizes[i % 3]; n++, id <<= 6)
			if (text[n] != digits[(u64)(id >> 122)])
				fail_msg("digit %u of %llx %llx", n, high, low);
		change(&high, &low);
	}
}

static struct unit_case cases[] = {
	CASE(sortable64_meets_the_vectors),
	CASE(digits_are_in_the_order_of_their_bytes),
	CASE(uuid_text_shows_each_change),
	CASE(lex_text_shows_each_change),
	CASE(sortable64_shows_six_bits_in_a_digit),
	{},
};

SUITE(text, cases, NULL);
