// SPDX-License-Identifier: GPL-2.0-only
/* LexicalUUIDs and their workers, compared with Cassie's. */
#include "core/lexical.h"
#include "core/text.h"
#include "harness.h"
#include "packed.h"
#include "random.h"
#include "vectors.h"

static struct packed ids;

static void check_worker(char **column)
{
	u8 name[256];
	size_t size = vectors_bytes(column[0], name);

	assert_int_equal(kuid_lex_worker((char *)name, size),
			 vectors_hex(column[2]));
}

TEST(workers_are_as_cassie_makes_them)
{
	assert_int_equal(vectors_each("fnv1a", check_worker), 8);
}

static void check_id(char **column)
{
	const struct kuid_units slots = { vectors_hex(column[0]), 1 };
	const struct kuid_identity identity = {
		.worker = vectors_hex(column[1]),
	};
	char text[KUID_LEX_TEXT_SIZE + 1] = "";
	struct kuid_text hex;
	u64 words[2];
	u8 want[16];

	packed_empty(&ids, 1);
	assert_int_equal(
		kuid_lex_pack(&ids, &slots, &identity, NULL, packed_put), 1);
	kuid_text_start(&hex, KUID_TEXT_LEX);
	kuid_text_next(&hex, KUID_TEXT_LEX, KUID_LEX_TEXT_SIZE, ids.high[0],
		       ids.low[0]);
	memcpy(text, hex.text, KUID_LEX_TEXT_SIZE);
	assert_string_equal(text, column[2]);
	words[0] = cpu_to_be64(ids.high[0]);
	words[1] = cpu_to_be64(ids.low[0]);
	assert_int_equal(vectors_bytes(column[3], want), 16);
	assert_memory_equal(words, want, 16);
}

TEST(ids_are_as_cassie_makes_them)
{
	assert_int_equal(vectors_each("lexical", check_id), 4);
}

TEST(a_slot_is_a_microsecond)
{
	u64 us = 1700000000123456ULL;

	assert_int_equal(kuid_lex_slot(0), 0);
	assert_int_equal(kuid_lex_slot(us * 1000), us);
	assert_int_equal(kuid_lex_slot(us * 1000 + 999), us);
	assert_int_equal(kuid_lex_slot(us * 1000 + 1000), us + 1);
}

TEST(each_slot_becomes_an_id)
{
	static const u32 rooms[] = { 0, 1, PACKED_MOST };

	for (int i = 0; i < MANY(3000); i++) {
		struct kuid_units slots = {
			.first = random_below(1ULL << 61),
			.count = 1 + random_below(PACKED_MOST),
		};
		struct kuid_identity identity = {
			.worker = random_below(1ULL << 62) << 2,
		};
		u32 want = min(slots.count, rooms[i % 3]);

		packed_empty(&ids, rooms[i % 3]);
		assert_int_equal(kuid_lex_pack(&ids, &slots, &identity, NULL,
					       packed_put),
				 want);
		assert_int_equal(ids.count, want);
		for (u32 n = 0; n < want; n++) {
			assert_int_equal(ids.high[n], slots.first + n);
			assert_int_equal(ids.low[n], identity.worker);
		}
	}
}

static struct unit_case cases[] = {
	CASE(workers_are_as_cassie_makes_them),
	CASE(ids_are_as_cassie_makes_them),
	CASE(a_slot_is_a_microsecond),
	CASE(each_slot_becomes_an_id),
	{},
};

SUITE(lexical, cases, NULL);
