// SPDX-License-Identifier: GPL-2.0-only
/* UUIDs compared with published vectors, and with the layout of the RFC. */
#include "core/text.h"
#include "core/uuid.h"
#include "harness.h"
#include "packed.h"
#include "random.h"
#include "vectors.h"

#define NOW 1700000000000000000ULL

static struct packed ids;

/* The fields of RFC 9562 sections 5.1, 5.6 and 5.7, read byte by byte. */
struct fields {
	u64 time;
	unsigned int version;
	unsigned int variant;
	unsigned int clock_seq;
	u64 node;
	u64 ms;
	unsigned int rand_a;
	u64 rand_b;
};

static u64 bytes(const u8 *id, int from, int to)
{
	u64 value = 0;

	while (from <= to)
		value = value << 8 | id[from++];
	return value;
}

static struct fields parse(u64 high, u64 low)
{
	u64 words[2] = { cpu_to_be64(high), cpu_to_be64(low) };
	u8 id[16];
	struct fields f;

	memcpy(id, words, sizeof(id));
	f = (struct fields) {
		.version = id[6] >> 4,
		.variant = id[8] >> 6,
		.clock_seq = (id[8] & 0x3f) << 8 | id[9],
		.node = bytes(id, 10, 15),
		.ms = bytes(id, 0, 5),
		.rand_a = (id[6] & 0x0f) << 8 | id[7],
		.rand_b = (u64)(id[8] & 0x3f) << 56 | bytes(id, 9, 15),
	};
	if (f.version == 1)
		f.time = (bytes(id, 6, 7) & 0x0fff) << 48 |
			 bytes(id, 4, 5) << 32 | bytes(id, 0, 3);
	if (f.version == 6)
		f.time = bytes(id, 0, 3) << 28 | bytes(id, 4, 5) << 12 |
			 (bytes(id, 6, 7) & 0x0fff);
	return f;
}

static void check_vector(char **column)
{
	unsigned int version = vectors_decimal(column[0]);
	u64 ns = vectors_decimal(column[1]);
	u64 tick = ns / KUID_TICK_NS + KUID_UUID_UNIX_TICKS;
	char text[KUID_UUID_TEXT_SIZE + 1] = "";
	struct kuid_text hex;
	u64 high, low;

	if (version == 7) {
		u64 rand_a = vectors_hex(column[4]);
		u64 rand_b = vectors_hex(column[5]);
		u32 fraction = rand_a << 8 | rand_b >> 54;

		high = kuid_v7_high(ns / KUID_MS_NS, fraction);
		low = kuid_v7_low(fraction, rand_b >> 47 & 0x7f, rand_b);
	} else {
		high = version == 1 ? kuid_v1_high(tick) : kuid_v6_high(tick);
		low = KUID_UUID_VARIANT |
		      vectors_hex(column[2]) << KUID_UUID_SEQ_SHIFT |
		      vectors_hex(column[3]);
	}
	kuid_text_start(&hex, KUID_TEXT_UUID);
	kuid_text_next(&hex, KUID_TEXT_UUID, KUID_UUID_TEXT_SIZE, high, low);
	memcpy(text, hex.text, KUID_UUID_TEXT_SIZE);
	assert_string_equal(text, column[6]);
}

TEST(vectors_are_met)
{
	assert_int_equal(vectors_each("uuid", check_vector), 9);
}

/* 60 bits of ticks end in the year 5236. */
TEST(time_uses_all_60_bits)
{
	u64 most = (1ULL << 60) - 1;

	assert_int_equal(parse(kuid_v1_high(most), 0).time, most);
	assert_int_equal(parse(kuid_v1_high(most), 0).version, 1);
	assert_int_equal(parse(kuid_v6_high(most), 0).time, most);
	assert_int_equal(parse(kuid_v6_high(most), 0).version, 6);
	for (int bit = 0; bit < 60; bit++) {
		u64 tick = 1ULL << bit;

		assert_int_equal(parse(kuid_v1_high(tick), 0).time, tick);
		assert_int_equal(parse(kuid_v6_high(tick), 0).time, tick);
	}
}

TEST(times_convert_back)
{
	u64 last = 0, last_high = 0;

	for (int i = 0; i < MANY(2000000); i++) {
		u64 tick = random_below(1ULL << 60);
		u64 v6 = kuid_v6_high(tick);

		if (kuid_v1_tick(kuid_v1_high(tick)) != tick ||
		    kuid_v6_tick(v6) != tick)
			fail_msg("tick %#llx", tick);
		/* The bytes of v6 must have the order of their times. */
		if (i && (tick < last) != (v6 < last_high) && tick != last)
			fail_msg("ticks %#llx and %#llx", tick, last);
		last = tick;
		last_high = v6;
	}
}

typedef u32 (*pack_t)(void *sink, const struct kuid_units *stamps,
		      const struct kuid_identity *identity, kuid_put_t put);

static u32 pack_v1(void *sink, const struct kuid_units *stamps,
		   const struct kuid_identity *identity, kuid_put_t put)
{
	return kuid_v1_pack(sink, stamps, identity, NULL, put);
}

static u32 pack_v6(void *sink, const struct kuid_units *stamps,
		   const struct kuid_identity *identity, kuid_put_t put)
{
	return kuid_v6_pack(sink, stamps, identity, NULL, put);
}

static u8 noise[PACKED_MOST * KUID_V7_RANDOM_SIZE + KUID_V7_RANDOM_PAD];

static u32 pack_v7(void *sink, const struct kuid_units *stamps,
		   const struct kuid_identity *identity, kuid_put_t put)
{
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = random_below(256);
	return kuid_v7_pack(sink, stamps, identity, noise, put);
}

static const pack_t packs[] = { [1] = pack_v1, [6] = pack_v6, [7] = pack_v7 };
static const unsigned int versions[] = { 1, 6, 7 };

static void check_ticks(const struct fields *f, u64 ns, u8 lane,
			const struct kuid_identity *identity)
{
	assert_int_equal(f->node, identity->node);
	assert_int_equal(f->time, ns / 100 + 0x01B21DD213814000ULL);
	assert_int_equal(f->clock_seq >> 7, ns % 100 + identity->seq_offset);
	assert_int_equal(f->clock_seq & 0x7f, lane ^ identity->lane_scramble);
}

static void check_v7(const struct fields *f, u64 ns, u8 lane,
		     const struct kuid_identity *identity, const u8 *random)
{
	u32 fraction = ns % 1000000 * (1 << 20) / 1000000;
	u64 bits = (u64)random[5] << 40 | (u64)random[4] << 32 |
		   (u64)random[3] << 24 | random[2] << 16 | random[1] << 8 |
		   random[0];

	assert_int_equal(f->ms, ns / 1000000);
	assert_int_equal(f->rand_a, fraction >> 8);
	assert_int_equal(f->rand_b >> 54, fraction & 0xff);
	assert_int_equal(f->rand_b >> 47 & 0x7f,
			 lane ^ identity->lane_scramble);
	assert_int_equal(f->rand_b & ((1ULL << 47) - 1),
			 bits & ((1ULL << 47) - 1));
}

static void check_pack(unsigned int version, const struct kuid_units *stamps,
		       const struct kuid_identity *identity)
{
	packed_empty(&ids, PACKED_MOST);
	assert_int_equal(packs[version](&ids, stamps, identity, packed_put),
			 stamps->count);
	assert_int_equal(ids.count, stamps->count);
	for (u32 i = 0; i < stamps->count; i++) {
		struct fields f = parse(ids.high[i], ids.low[i]);
		u64 ns = stamps->first + i;

		assert_int_equal(f.version, version);
		assert_int_equal(f.variant, 2);
		if (version == 7)
			check_v7(&f, ns, stamps->lane, identity,
				 noise + i * KUID_V7_RANDOM_SIZE);
		else
			check_ticks(&f, ns, stamps->lane, identity);
	}
	if (version != 1)
		assert_true(packed_increases(&ids));
}

TEST(pack_agrees_with_the_layout)
{
	for (int i = 0; i < MANY(1500); i++) {
		struct kuid_units stamps = {
			.first = 1500000000000000000ULL +
				 random_below(1000000000000000000ULL),
			.count = 1 + random_below(PACKED_MOST),
			.lane = random_below(KUID_NR_LANES),
		};
		struct kuid_identity identity = {
			.node = random_below(1ULL << 48),
			.seq_offset = random_below(KUID_SEQ_OFFSET_MAX + 1),
			.lane_scramble = random_below(KUID_NR_LANES),
		};

		check_pack(versions[i % 3], &stamps, &identity);
	}
}

/*
 * The first and the last nanosecond of a tick, of a millisecond, and of both.
 */
TEST(pack_is_right_at_the_edges)
{
	static const u32 counts[] = { 1, 2, 99, 100, 101, 200, 201, 1000 };
	static const u32 ns[] = { 0, 1, 98, 99, 999899, 999998, 999999 };
	static const u64 nodes[] = { 0, 1, (1ULL << 48) - 1 };

	for (int i = 0; i < KUID_NR_LANES * 8 * 7; i++) {
		int lane = i % KUID_NR_LANES;
		int edge = i / KUID_NR_LANES % 7;
		struct kuid_units stamps = {
			.first = NOW + ns[edge],
			.count = counts[i / KUID_NR_LANES / 7],
			.lane = lane,
		};
		struct kuid_identity identity = {
			.node = nodes[lane % 3],
			.seq_offset = edge % 2 ? KUID_SEQ_OFFSET_MAX : 0,
			.lane_scramble = edge < 2 ? 0 : 127,
		};

		check_pack(versions[i % 3], &stamps, &identity);
	}
}

TEST(pack_stops_where_it_cannot_store)
{
	const struct kuid_units stamps = { .first = NOW + 999950,
					   .count = PACKED_MOST };
	const struct kuid_identity identity = { 0 };

	for (int v = 0; v < 3; v++)
		for (u32 room = 0; room <= PACKED_MOST; room += 50) {
			packed_empty(&ids, room);
			assert_int_equal(packs[versions[v]](&ids, &stamps,
							    &identity,
							    packed_put),
					 room);
			assert_int_equal(ids.count, room);
		}
}

/*
 * Version 1 has the order of (time, clock_seq), version 6 the order of bytes.
 */
TEST(lanes_of_one_nanosecond_are_in_order)
{
	struct kuid_identity identity = { .seq_offset = 5 };
	u64 last_high = 0, last_low = 0;

	for (u64 ns = NOW + 999990; ns < NOW + 1000010; ns++)
		for (int lane = 0; lane < KUID_NR_LANES; lane++) {
			struct kuid_units stamps = { ns, 1, lane };

			packed_empty(&ids, 1);
			kuid_v6_pack(&ids, &stamps, &identity, NULL,
				     packed_put);
			assert_true(ids.high[0] > last_high ||
				    (ids.high[0] == last_high &&
				     ids.low[0] > last_low));
			last_high = ids.high[0];
			last_low = ids.low[0];
			packed_empty(&ids, 1);
			kuid_v1_pack(&ids, &stamps, &identity, NULL,
				     packed_put);
			assert_int_equal(kuid_v1_tick(ids.high[0]),
					 kuid_v6_tick(last_high));
			assert_int_equal(ids.low[0], last_low);
		}
}

/* Each of the 10^6 nanoseconds has its own fraction, which converts back. */
TEST(fractions_lead_back_to_their_nanosecond)
{
	s64 last = -1;

	for (u32 ns = 0; ns < KUID_MS_NS; ns++) {
		u32 fraction = kuid_v7_fraction(ns);

		if (fraction <= last || fraction >= 1 << 20 ||
		    kuid_v7_ns(fraction) != ns ||
		    kuid_v7_fraction_of(kuid_v7_high(~0ULL >> 16, fraction),
					kuid_v7_low(fraction, 0x7f, ~0ULL)) !=
			    fraction)
			fail_msg("nanosecond %u", ns);
		last = fraction;
	}
}

/*
 * A fraction that no nanosecond has gives the next higher nanosecond, even at
 * the end of the millisecond.
 */
TEST(foreign_fractions_round_up)
{
	for (u32 fraction = 0; fraction < 1 << 20; fraction++) {
		u32 ns = kuid_v7_ns(fraction);

		if (ns > KUID_MS_NS ||
		    (ns < KUID_MS_NS && kuid_v7_fraction(ns) < fraction) ||
		    (ns && kuid_v7_fraction(ns - 1) >= fraction))
			fail_msg("fraction %u", fraction);
	}
	assert_int_equal(kuid_v7_ns((1 << 20) - 1), KUID_MS_NS);
}

static struct unit_case cases[] = {
	CASE(vectors_are_met),
	CASE(time_uses_all_60_bits),
	CASE(times_convert_back),
	CASE(pack_agrees_with_the_layout),
	CASE(pack_is_right_at_the_edges),
	CASE(pack_stops_where_it_cannot_store),
	CASE(lanes_of_one_nanosecond_are_in_order),
	CASE(fractions_lead_back_to_their_nanosecond),
	CASE(foreign_fractions_round_up),
	{},
};

SUITE(uuid, cases, NULL);
