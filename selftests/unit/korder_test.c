// SPDX-License-Identifier: GPL-2.0-only
/* The k-ordered formats: the grid of slots, and the place of the node. */
#include "core/korder.h"
#include "core/text.h"
#include "harness.h"
#include "packed.h"
#include "random.h"
#include "vectors.h"

#define NOW_SEC 1700123456ULL
#define STEP_NS 1024000

static struct packed ids;

/* Build a k64 from its fields. */
static u64 k64_of(u64 a, u64 b, u64 c, u64 seq)
{
	return a << 44 | b << 24 | c << 14 | seq;
}

static void check_vector(char **column)
{
	u64 high = k64_of(vectors_decimal(column[1]),
			  vectors_decimal(column[2]),
			  vectors_decimal(column[3]) >> 10,
			  vectors_decimal(column[4]));
	unsigned int interval = vectors_decimal(column[6]);
	u64 node = vectors_hex(column[5]);
	char text[KUID_TEXT_SIZE_MAX + 1] = "";
	u8 want[16] = { 0 };
	size_t size = vectors_bytes(column[7], want);
	u64 words[2];
	u64 low = 0;

	if (column[0][0] == 'g')
		high = kuid_k96_of_k64(high, node, interval, &low);
	if (column[0][0] == 'h')
		high = kuid_k128_of_k64(high, node, interval, &low);
	words[0] = cpu_to_be64(high);
	words[1] = cpu_to_be64(low);
	assert_memory_equal(words, want, 16);
	kuid_text_sortable64(text, high, low, (8 * size + 5) / 6);
	assert_string_equal(text, column[8]);
}

TEST(vectors_are_met)
{
	assert_int_equal(vectors_each("kordered", check_vector), 14);
}

/* A second has 977 grid ticks. The last one has 576 us. */
TEST(a_time_is_in_its_grid_tick)
{
	u64 second = NOW_SEC * KUID_SEC_NS;

	for (u64 c = 0; c < KUID_GRID_TICKS; c++) {
		u64 start = second + c * STEP_NS;
		u64 end = c == 976 ? second + KUID_SEC_NS : start + STEP_NS;
		u64 slot = (NOW_SEC * 977 + c) << 14;

		assert_int_equal(kuid_grid_slot(start), slot);
		assert_int_equal(kuid_grid_slot(end - 1), slot);
		assert_int_equal(kuid_grid_slot(end), slot + 16384);
		assert_int_equal(kuid_grid_ns(slot), start);
		assert_int_equal(kuid_grid_ns(slot + 16383), start);
	}
}

TEST(slots_convert_back_to_their_time)
{
	for (int i = 0; i < MANY(2000000); i++) {
		/* All times that 64 bits of nanoseconds can hold. */
		u64 ns = random_64();
		u64 slot = kuid_grid_slot(ns);
		u64 start = kuid_grid_ns(slot);

		if (start > ns || ns - start >= STEP_NS ||
		    kuid_grid_slot(start) != slot)
			fail_msg("nanosecond %llu", ns);
	}
}

/*
 * All slots of a window are within it, also if it ends in the next second: the
 * last grid tick of a second is short.
 */
TEST(windows_count_whole_grid_ticks)
{
	for (int i = 0; i < MANY(300000); i++) {
		u64 wall = NOW_SEC * KUID_SEC_NS + random_below(KUID_SEC_NS);
		u64 ahead = random_below(KUID_SEC_NS / 5);
		u64 last = kuid_grid_slot(wall) + kuid_grid_slots(ahead);

		assert_int_equal(last % 16384, 0);
		assert_true(kuid_grid_ns(last + 16383) <= wall + ahead);
		/* Two grid ticks more would not be. */
		assert_true(kuid_grid_ns(last + 2 * 16384) >
			    wall - STEP_NS + ahead);
	}
}

TEST(k64_has_the_fields_of_its_slot)
{
	static const u64 seconds[] = { 0, 999999, 1000000, NOW_SEC,
				       1048575999999ULL };
	static const u64 seqs[] = { 0, 1, 16382, 16383 };

	for (int s = 0; s < 5; s++)
		for (u64 c = 0; c < KUID_GRID_TICKS; c++)
			for (int q = 0; q < 4; q++) {
				u64 slot = (seconds[s] * 977 + c) << 14 |
					   seqs[q];

				assert_int_equal(kuid_k64_of_slot(slot),
						 k64_of(seconds[s] / 1000000,
							seconds[s] % 1000000, c,
							seqs[q]));
			}
}

TEST(slots_and_k64_have_the_same_order)
{
	u64 slots = (1048576000000ULL * 977) << 9;

	for (int i = 0; i < MANY(2000000); i++) {
		/*
		 * random_below() does not reach the end of the grid, so two
		 * numbers are put together.
		 */
		u64 slot = random_below(slots) << 5 | random_below(32);
		u64 step = 1ULL << random_below(40);

		if (kuid_k64_of_slot(slot) >= kuid_k64_of_slot(slot + step) &&
		    slot + step < slots << 5)
			fail_msg("slots %llu and %llu", slot, slot + step);
	}
}

/* Compare with the fields put together in a word of 128 bits. */
TEST(the_node_is_put_in_and_taken_out)
{
	for (int i = 0; i < MANY(3000000); i++) {
		unsigned int interval = 5 + i % 6;
		unsigned int split = interval + 24;
		u64 k64 = random_64(), node = random_64();
		u64 before = k64 >> split;
		u64 behind = k64 & ((1ULL << split) - 1);
		unsigned __int128 want;
		u64 high, low, node128;
		u32 node96;

		want = (unsigned __int128)before << (64 + split) |
		       (unsigned __int128)node << split | behind;
		high = kuid_k128_of_k64(k64, node, interval, &low);
		if (high != (u64)(want >> 64) || low != (u64)want ||
		    kuid_k64_of_k128(high, low, interval, &node128) != k64 ||
		    node128 != node)
			fail_msg("k128: k64 %#llx node %#llx I %u", k64, node,
				 interval);

		want = (unsigned __int128)before << (32 + split) |
		       (unsigned __int128)(u32)node << split | behind;
		want <<= 32;
		high = kuid_k96_of_k64(k64, node, interval, &low);
		if (high != (u64)(want >> 64) || low != (u64)want ||
		    kuid_k64_of_k96(high, low, interval, &node96) != k64 ||
		    node96 != (u32)node)
			fail_msg("k96: k64 %#llx node %#x I %u", k64, (u32)node,
				 interval);
	}
}

static void check_pack(unsigned int bits, const struct kuid_units *slots,
		       const struct kuid_identity *identity, u32 room)
{
	u32 folded = (u32)(identity->worker >> 32) ^ (u32)identity->worker;
	u32 want = min(room, slots->count);
	u32 done;

	packed_empty(&ids, room);
	if (bits == 64)
		done = kuid_k64_pack(&ids, slots, identity, NULL, packed_put);
	else if (bits == 96)
		done = kuid_k96_pack(&ids, slots, identity, NULL, packed_put);
	else
		done = kuid_k128_pack(&ids, slots, identity, NULL, packed_put);
	assert_int_equal(done, want);
	assert_int_equal(ids.count, want);
	for (u32 i = 0; i < want; i++) {
		u64 high = kuid_k64_of_slot(slots->first + i);
		u64 low = 0;

		if (bits == 96)
			high = kuid_k96_of_k64(high, folded, identity->interval,
					       &low);
		if (bits == 128)
			high = kuid_k128_of_k64(high, identity->worker,
						identity->interval, &low);
		assert_int_equal(ids.high[i], high);
		assert_int_equal(ids.low[i], low);
	}
	if (want > 1 && bits == 64)
		assert_true(packed_increases(&ids));
}

/* Across the ends of grid ticks, seconds, intervals and megaseconds. */
TEST(pack_agrees_with_each_slot)
{
	static const u64 ends[] = { 1700000000, 1699999999, 1700000032,
				    1700000256, 1700001024 };
	static const u32 rooms[] = { 0, 1, 499, 500, 501, PACKED_MOST };

	for (int e = 0; e < 5; e++)
		for (unsigned int i = 0; i < 6 * 6; i++) {
			struct kuid_units slots = {
				.first = (ends[e] * 977 << 14) - 500,
				.count = PACKED_MOST,
			};
			struct kuid_identity identity = {
				.worker = random_64(),
				.interval = 5 + i % 6,
			};

			check_pack(64, &slots, &identity, rooms[i / 6]);
			check_pack(96, &slots, &identity, rooms[i / 6]);
			check_pack(128, &slots, &identity, rooms[i / 6]);
		}
}

TEST(pack_agrees_with_random_slots)
{
	for (int i = 0; i < MANY(1000); i++) {
		struct kuid_units slots = {
			.first = (NOW_SEC * 977 << 14) +
				 random_below(1ULL << 45),
			.count = 1 + random_below(PACKED_MOST),
		};
		struct kuid_identity identity = {
			.worker = random_64(),
			.interval = 5 + random_below(6),
		};

		check_pack(i % 3 == 0 ? 64 : 64 + i % 3 * 32, &slots, &identity,
			   PACKED_MOST);
	}
}

/*
 * The IDs of one node have the order of their slots. The IDs of several nodes
 * are sorted by node within 2^I s.
 */
TEST(global_ids_are_k_ordered)
{
	for (int i = 0; i < MANY(500000); i++) {
		unsigned int interval = 5 + i % 6;
		u64 slot = random_below(1ULL << 55);
		u64 next = slot + 1 + random_below(1ULL << (14 + i % 30));
		u64 a = kuid_k64_of_slot(slot), b = kuid_k64_of_slot(next);
		u64 node = random_64(), a_high, a_low, b_high, b_low;
		bool same = a >> (interval + 24) == b >> (interval + 24);

		a_high = kuid_k128_of_k64(a, node, interval, &a_low);
		b_high = kuid_k128_of_k64(b, node, interval, &b_low);
		assert_true(a_high < b_high ||
			    (a_high == b_high && a_low < b_low));
		a_high = kuid_k96_of_k64(a, node, interval, &a_low);
		b_high = kuid_k96_of_k64(b, node, interval, &b_low);
		assert_true(a_high < b_high ||
			    (a_high == b_high && a_low < b_low));

		/* The earlier slot has the higher node. */
		a_high = kuid_k128_of_k64(a, node | 1, interval, &a_low);
		b_high = kuid_k128_of_k64(b, node & ~1ULL, interval, &b_low);
		assert_int_equal(a_high < b_high ||
					 (a_high == b_high && a_low < b_low),
				 !same);
	}
}

/*
 * I moves the node, so that IDs of other nodes and times are the same. The bits
 * before any node, which change every 1,024 s and with each megasecond, tell
 * them apart.
 */
TEST(other_intervals_give_equal_ids)
{
	u64 k64 = kuid_k64_of_slot(kuid_grid_slot(NOW_SEC * KUID_SEC_NS));
	u64 high, low, other_high, other_low, other;
	u32 node;

	high = kuid_k96_of_k64(k64, 9, 5, &low);
	other = kuid_k64_of_k96(high, low, 8, &node);
	assert_true(other != k64);
	assert_true(node != 9);
	other_high = kuid_k96_of_k64(other, node, 8, &other_low);
	assert_int_equal(other_high, high);
	assert_int_equal(other_low, low);

	for (int i = 0; i < MANY(100000); i++) {
		unsigned int interval = 5 + random_below(6);

		k64 = random_64();
		high = kuid_k96_of_k64(k64, random_64(), interval, &low);
		other_high = kuid_k128_of_k64(k64, random_64(), interval, &low);
		if (high >> 34 != k64 >> 34 || other_high >> 34 != k64 >> 34)
			fail_msg("k64 %016llx, interval %u", k64, interval);
	}
}

static struct unit_case cases[] = {
	CASE(vectors_are_met),
	CASE(a_time_is_in_its_grid_tick),
	CASE(slots_convert_back_to_their_time),
	CASE(windows_count_whole_grid_ticks),
	CASE(k64_has_the_fields_of_its_slot),
	CASE(slots_and_k64_have_the_same_order),
	CASE(the_node_is_put_in_and_taken_out),
	CASE(pack_agrees_with_each_slot),
	CASE(pack_agrees_with_random_slots),
	CASE(global_ids_are_k_ordered),
	CASE(other_intervals_give_equal_ids),
	{},
};

SUITE(korder, cases, NULL);
