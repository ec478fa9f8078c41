// SPDX-License-Identifier: GPL-2.0-only
/* UUIDs against published vectors, and against the RFC's layout read back. */
#include <endian.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/uuid.h"
#include "random.h"

static bool put(void *out, __be64 high, __be64 low)
{
	memcpy(out, &high, 8);
	memcpy((u8 *)out + 8, &low, 8);
	return true;
}

/* The fields of RFC 9562 section 5.1, taken apart byte by byte. */
struct v1 {
	u64 time;
	unsigned int version;
	unsigned int variant;
	unsigned int clock_seq;
	u64 node;
};

static struct v1 parse(const u8 *id)
{
	struct v1 v = {
		.time = (u64)(id[6] & 0x0f) << 56 | (u64)id[7] << 48 |
			(u64)id[4] << 40 | (u64)id[5] << 32 | (u64)id[0] << 24 |
			id[1] << 16 | id[2] << 8 | id[3],
		.version = id[6] >> 4,
		.variant = id[8] >> 6,
		.clock_seq = (id[8] & 0x3f) << 8 | id[9],
	};

	for (int i = 10; i < 16; i++)
		v.node = v.node << 8 | id[i];
	return v;
}

static void vectors_are_met(void **state)
{
	FILE *file = fopen(VECTORS "/uuid.tsv", "r");
	char line[256];
	int met = 0;

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		char want[37], text[KUID_UUID_TEXT_SIZE + 1] = "";
		u8 id[KUID_UUID_SIZE];
		u64 ns, node;
		unsigned int seq;

		if (sscanf(line, "1\t%llu\t%x\t%llx\t-\t-\t%36s", &ns, &seq,
			   &node, want) != 4)
			continue;
		put(id,
		    htobe64(kuid_v1_time(ns / KUID_TICK_NS +
					 KUID_UUID_UNIX_TICKS)),
		    htobe64(KUID_UUID_VARIANT |
			    (u64)seq << KUID_UUID_SEQ_LANE_SHIFT | node));
		kuid_uuid_to_text(text, id);
		assert_string_equal(text, want);
		met++;
	}
	fclose(file);
	assert_int_equal(met, 4);
}

/* 3 s of the year 5236 are the last that 60 bits hold. */
static void time_uses_all_60_bits(void **state)
{
	u64 be = htobe64(kuid_v1_time((1ULL << 60) - 1));
	u8 id[KUID_UUID_SIZE] = { 0 };

	(void)state;
	memcpy(id, &be, sizeof(be));
	assert_int_equal(parse(id).time, (1ULL << 60) - 1);
	assert_int_equal(parse(id).version, 1);
}

#define MOST 1000

static u8 ids[MOST * KUID_UUID_SIZE];

static void check_pack(const struct kuid_stamps *stamps,
		       const struct kuid_identity *identity)
{
	assert_int_equal(kuid_v1_pack(ids, stamps, identity, put),
			 stamps->count);
	for (u32 i = 0; i < stamps->count; i++) {
		u64 ns = stamps->first + i;
		struct v1 v = parse(ids + i * KUID_UUID_SIZE);

		assert_int_equal(v.version, 1);
		assert_int_equal(v.variant, 2);
		assert_int_equal(v.node, identity->node);
		assert_int_equal(v.time, ns / 100 + 0x01B21DD213814000ULL);
		assert_int_equal(v.clock_seq >> 7,
				 ns % 100 + identity->seq_offset);
		assert_int_equal(v.clock_seq & 0x7f,
				 stamps->lane ^ identity->lane_scramble);
	}
}

static void pack_agrees_with_the_layout(void **state)
{
	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct kuid_stamps stamps = {
			.first = 1500000000000000000ULL +
				 random_below(1000000000000000000ULL),
			.count = 1 + random_below(MOST),
			.lane = random_below(KUID_NR_LANES),
		};
		struct kuid_identity identity = {
			.node = random_below(1ULL << 48),
			.seq_offset = random_below(KUID_SEQ_OFFSET_MAX + 1),
			.lane_scramble = random_below(KUID_NR_LANES),
		};

		check_pack(&stamps, &identity);
	}
}

static void pack_is_right_at_the_edges(void **state)
{
	static const u32 counts[] = { 1, 2, 99, 100, 101, 200, 201, MOST };
	static const u32 ns[] = { 0, 1, 98, 99 };
	static const u64 nodes[] = { 0, 1, (1ULL << 48) - 1 };

	(void)state;
	for (int lane = 0; lane < KUID_NR_LANES; lane++)
		for (int c = 0; c < 8; c++)
			for (int n = 0; n < 4; n++) {
				struct kuid_stamps stamps = {
					.first = 1700000000000000000ULL + ns[n],
					.count = counts[c],
					.lane = lane,
				};
				struct kuid_identity identity = {
					.node = nodes[lane % 3],
					.seq_offset =
						n % 2 ? KUID_SEQ_OFFSET_MAX : 0,
					.lane_scramble = n < 2 ? 0 : 127,
				};

				check_pack(&stamps, &identity);
			}
}

static int puts_left;

static bool put_some(void *out, __be64 high, __be64 low)
{
	return puts_left-- > 0 && put(out, high, low);
}

static void pack_stops_where_it_cannot_store(void **state)
{
	const struct kuid_stamps stamps = { .first = 50, .count = MOST };
	const struct kuid_identity identity = { 0 };

	(void)state;
	for (int n = 0; n <= MOST; n += 50) {
		memset(ids, 0xcc, sizeof(ids));
		puts_left = n;
		assert_int_equal(
			kuid_v1_pack(ids, &stamps, &identity, put_some), n);
		for (size_t i = n * KUID_UUID_SIZE; i < sizeof(ids); i++)
			assert_int_equal(ids[i], 0xcc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_are_met),
		cmocka_unit_test(time_uses_all_60_bits),
		cmocka_unit_test(pack_agrees_with_the_layout),
		cmocka_unit_test(pack_is_right_at_the_edges),
		cmocka_unit_test(pack_stops_where_it_cannot_store),
	};

	random_start();
	return cmocka_run_group_tests_name("uuid", tests, NULL, NULL);
}
