// SPDX-License-Identifier: GPL-2.0-only
/*
 * The division of times: by the packers, whole, and by the scales. The prover
 * is slow at division, so a proof takes all times of a short window around each
 * of three: the first one, the beginning of a megasecond, and the last one.
 * Snowflake divides by powers of two only, so it is proved for all times.
 */
#include "prove.h"
#include "core/formats.h"

#define LAST (BIT_ULL(63) - 1)
#define MEGA 1790000000000000000ULL

struct id {
	u64 high;
	u64 low;
};

static bool put(void *sink, __be64 high, __be64 low)
{
	struct id *id = sink;

	id->high = be64_to_cpu(high);
	id->low = be64_to_cpu(low);
	return true;
}

static bool is_below(struct id a, struct id b)
{
	return a.high < b.high || (a.high == b.high && a.low < b.low);
}

static u64 any_below(u64 end)
{
	u64 value = any_u64();

	assume(value < end);
	return value;
}

/* One of 2 * @half units, from @half before @middle on. */
static struct kuid_units any_near(u64 middle, u64 half, u8 lanes)
{
	return (struct kuid_units) { middle - half + any_below(2 * half), 1,
				     any_below(lanes) };
}

static struct kuid_identity any_identity(void)
{
	struct kuid_identity identity = {
		.node = any_below(BIT_ULL(48)),
		.snowflake_epoch = any_below(BIT_ULL(43)),
		.snowflake_worker = any_below(BIT_ULL(10)),
		.seq_offset = any_below(KUID_SEQ_OFFSET_MAX + 1),
		.lane_scramble = any_below(KUID_NR_LANES),
	};

	return identity;
}

static void check_v6(u64 middle)
{
	const struct kuid_identity identity = any_identity();
	const struct kuid_units a = any_near(middle, 1 << 13, KUID_NR_LANES);
	const struct kuid_units b = any_near(middle, 1 << 13, KUID_NR_LANES);
	struct id v1, v6, later;
	u64 tick, ns;

	kuid_v1_pack(&v1, &a, &identity, NULL, put);
	kuid_v6_pack(&v6, &a, &identity, NULL, put);
	tick = kuid_v6_tick(v6.high) - KUID_UUID_UNIX_TICKS;
	ns = (v6.low >> (KUID_UUID_SEQ_NS_SHIFT)&0x7f) - identity.seq_offset;
	assert(ns < KUID_TICK_NS && tick * KUID_TICK_NS + ns == a.first);
	assert(kuid_v1_tick(v1.high) == tick + KUID_UUID_UNIX_TICKS);
	assert(v1.low == v6.low);
	assume(a.first < b.first);
	kuid_v6_pack(&later, &b, &identity, NULL, put);
	assert(is_below(v6, later));
}

void v6_has_the_order_of_time(void)
{
	check_v6(1 << 13);
	check_v6(MEGA);
	check_v6(LAST - (1 << 13));
}

static void check_v7(u64 middle)
{
	const struct kuid_identity identity = any_identity();
	const struct kuid_units a = any_near(middle, 1 << 9, KUID_NR_LANES);
	const struct kuid_units b = any_near(middle, 1 << 9, KUID_NR_LANES);
	u8 random[2][KUID_V7_RANDOM_SIZE + KUID_V7_RANDOM_PAD];
	struct id v7, later;

	kuid_v7_pack(&v7, &a, &identity, random[0], put);
	assert((v7.high >> 16) * KUID_MS_NS +
		       kuid_v7_ns(kuid_v7_fraction_of(v7.high, v7.low)) ==
	       a.first);
	assume(a.first < b.first);
	kuid_v7_pack(&later, &b, &identity, random[1], put);
	assert(is_below(v7, later));
}

void v7_has_the_order_of_time(void)
{
	check_v7(1 << 9);
	check_v7(MEGA);
	check_v7(LAST - (1 << 9));
}

static void check_k64(u64 middle)
{
	u64 slot = any_near(middle, 1 << 16, 1).first;
	u64 later = any_near(middle, 1 << 16, 1).first;
	u64 k64 = kuid_k64_of_slot(slot);
	u64 b = k64 >> 24 & 0xfffff, c = k64 >> 14 & 0x3ff;

	assert(b < 1000000 && c < 977);
	assert(((k64 >> 44) * 1000000 + b) * 977 + c == slot >> 14);
	assert((k64 & 0x3fff) == (slot & 0x3fff));
	assert(slot >= later || k64 < kuid_k64_of_slot(later));
}

void k64_has_the_order_of_time(void)
{
	check_k64(1 << 16);
	check_k64(kuid_grid_slot(MEGA));
	check_k64(kuid_grid_slot(LAST));
}

void snowflake_has_the_order_of_time(void)
{
	const struct kuid_identity identity = any_identity();
	const struct kuid_units a = { any_below(kuid_snowflake_slot(LAST)), 1 };
	const struct kuid_units b = { any_below(kuid_snowflake_slot(LAST)), 1 };
	struct id id, later;

	/* From kuid_snowflake_begin_ns() to kuid_snowflake_end_ns(). */
	assume(a.first >> 12 >= identity.snowflake_epoch);
	assume(b.first >> 12 < identity.snowflake_epoch + BIT_ULL(41));
	assume(a.first < b.first);
	kuid_snowflake_pack(&id, &a, &identity, NULL, put);
	kuid_snowflake_pack(&later, &b, &identity, NULL, put);
	assert(!(id.high >> 63) &&
	       (id.high >> 12 & 0x3ff) == identity.snowflake_worker);
	assert((((id.high >> 22) + identity.snowflake_epoch) << 12 |
		(id.high & 0xfff)) == a.first);
	assert(is_below(id, later));
}

static void check_scale(const struct kuid_scale *scale, u64 middle)
{
	u64 ns = any_near(middle, 1 << 19, 1).first, unit = scale->at(ns);

	assert(!(unit & scale->tail) && scale->begin(unit) <= ns);
	assert(scale->begin(unit + scale->tail + 1) > ns);
	assert(scale->begin(unit | scale->tail) == scale->begin(unit));
}

void scales_hold_the_time(void)
{
	unsigned int i;

	for (i = 0; i < KUID_NR_SEQUENCES; i++) {
		check_scale(&kuid_scales[i], 1 << 19);
		check_scale(&kuid_scales[i], MEGA);
		check_scale(&kuid_scales[i], LAST - (1 << 19));
	}
}
