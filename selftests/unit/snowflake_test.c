// SPDX-License-Identifier: GPL-2.0-only
/* The format snowflake: slots of milliseconds, packing, decimal text. */
#include "core/snowflake.h"
#include "core/text.h"
#include "harness.h"
#include "packed.h"
#include "random.h"
#include "vectors.h"

#define EPOCH_MS 1288834974657ULL
#define NOW_MS	 1700123456789ULL

static struct packed ids;

static void assert_text(u64 id, const char *want)
{
	struct kuid_text text;
	unsigned int size;

	kuid_text_start(&text, KUID_TEXT_DECIMAL);
	size = kuid_text_next(&text, KUID_TEXT_DECIMAL, 19, id, 0);
	assert_int_equal(size, strlen(want));
	assert_memory_equal(text.text, want, size);
}

static void check_vector(char **column)
{
	struct kuid_identity identity = {
		.snowflake_epoch = vectors_decimal(column[0]),
		.snowflake_worker = vectors_decimal(column[2]),
	};
	struct kuid_units slots = {
		.first = vectors_decimal(column[1]) << 12 |
			 vectors_decimal(column[3]),
		.count = 1,
	};
	u64 want = vectors_hex(column[5]);

	packed_empty(&ids, 1);
	assert_int_equal(kuid_snowflake_pack(&ids, &slots, &identity, NULL,
					     packed_put),
			 1);
	assert_int_equal(ids.high[0], want);
	assert_int_equal(ids.low[0], 0);
	assert_int_equal(vectors_decimal(column[4]), want);
	assert_text(want, column[4]);
}

TEST(vectors_are_met)
{
	assert_int_equal(vectors_each("snowflake", check_vector), 14);
}

TEST(a_time_is_in_its_millisecond)
{
	for (int i = 0; i < MANY(2000000); i++) {
		/* All times that 64 bits of nanoseconds can hold. */
		u64 ns = random_64();
		u64 slot = kuid_snowflake_slot(ns);

		if (slot >> 12 != ns / 1000000 || slot & 4095 ||
		    kuid_snowflake_ns(slot) != ns / 1000000 * 1000000 ||
		    kuid_snowflake_ns(slot + 4095) != kuid_snowflake_ns(slot))
			fail_msg("nanosecond %llu", ns);
	}
}

/* Across the ends of milliseconds. */
TEST(pack_agrees_with_each_slot)
{
	static const u32 rooms[] = { 0, 1, 499, 500, 501, PACKED_MOST };

	for (int i = 0; i < MANY(5000); i++) {
		struct kuid_units slots = {
			.first = (NOW_MS << 12) +
				 (i & 1 ? random_below(1ULL << 45) : -500ULL),
			.count = 1 + random_below(PACKED_MOST),
		};
		struct kuid_identity identity = {
			.snowflake_epoch = random_below(NOW_MS),
			.snowflake_worker = random_below(1024),
		};
		u32 room = rooms[i % 6], want = min(room, slots.count);

		packed_empty(&ids, room);
		assert_int_equal(kuid_snowflake_pack(&ids, &slots, &identity,
						     NULL, packed_put),
				 want);
		assert_int_equal(ids.count, want);
		for (u32 n = 0; n < want; n++) {
			u64 slot = slots.first + n;
			u64 ms = slot / 4096 - identity.snowflake_epoch;

			assert_int_equal(ids.high[n],
					 ms * 4194304 +
						 identity.snowflake_worker *
							 4096 +
						 slot % 4096);
			assert_int_equal(ids.low[n], 0);
		}
		assert_true(packed_increases(&ids));
	}
}

/* The IDs that differ from the one before by 1, and all lengths of a text. */
TEST(text_shows_each_change)
{
	struct kuid_text text;
	u64 id = 0;

	kuid_text_start(&text, KUID_TEXT_DECIMAL);
	for (int i = 0; i < MANY(1000000); i++) {
		char want[24];
		unsigned int size;

		snprintf(want, sizeof(want), "%llu", id);
		size = kuid_text_next(&text, KUID_TEXT_DECIMAL, 19, id, 0);
		assert_int_equal(size, strlen(want));
		assert_memory_equal(text.text, want, size);
		if (random_below(4))
			id++;
		else
			id = random_64() >> random_below(64);
		/* The IDs around which the text gets longer. */
		if (!random_below(100))
			for (id = 10; random_below(19); id *= 10)
				;
		if (!random_below(3) && id)
			id--;
	}
	assert_text(~0ULL, "18446744073709551615");
}

static struct unit_case cases[] = {
	CASE(vectors_are_met),
	CASE(a_time_is_in_its_millisecond),
	CASE(pack_agrees_with_each_slot),
	CASE(text_shows_each_change),
	{},
};

SUITE(snowflake, cases, NULL);
