// SPDX-License-Identifier: GPL-2.0-only
/*
 * The packers, for all identities and lanes: fields come back as they were
 * packed. Times are given as ticks, fractions and slots: the prover can't
 * divide all times by 100 or 977 in reasonable time; times.c divides some.
 */
#include "prove.h"
#include "core/formats.h"
#include "core/node.h"

/* An ID, as two words. */
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

static struct kuid_identity any_identity(void)
{
	struct kuid_identity id;

	id.node = any_u64();
	id.worker = any_u64();
	id.snowflake_epoch = any_u64();
	id.snowflake_worker = any_u64();
	id.interval = any_u64();
	id.seq_offset = any_u64();
	id.lane_scramble = any_u64();
	assume(id.node < BIT_ULL(KUID_NODE_BITS));
	assume(id.snowflake_worker <= KUID_SNOWFLAKE_WORKER_MAX);
	assume(id.interval >= KUID_INTERVAL_MIN);
	assume(id.interval <= KUID_INTERVAL_MAX);
	assume(id.seq_offset <= KUID_SEQ_OFFSET_MAX);
	assume(id.lane_scramble < KUID_NR_LANES);
	return id;
}

static struct kuid_units one(u64 first)
{
	struct kuid_units units = { .first = first, .count = 1 };

	units.lane = any_u64();
	assume(units.lane < KUID_NR_LANES);
	return units;
}

/* The time is in v1 and v6, and v6 has its order. */
void v1_and_v6_hold_the_tick(void)
{
	u64 tick = any_u64(), later = any_u64();

	assume(tick < later && later < BIT_ULL(60));
	assert(kuid_v1_tick(kuid_v1_high(tick)) == tick);
	assert(kuid_v6_tick(kuid_v6_high(tick)) == tick);
	assert((kuid_v1_high(tick) >> 12 & 0xf) == 1);
	assert((kuid_v6_high(tick) >> 12 & 0xf) == 6);
	assert(kuid_v6_high(tick) < kuid_v6_high(later));
}

/* Within a tick: all of its nanoseconds and lanes, with any node. */
void v6_holds_the_nanosecond_and_the_lane(void)
{
	const struct kuid_identity id = any_identity();
	const struct kuid_units stamp = one(any_u64());
	struct id v6;
	u32 seq;

	assume(stamp.first < KUID_TICK_NS);
	kuid_v6_pack(&v6, &stamp, &id, NULL, put);
	assert(kuid_v6_tick(v6.high) == KUID_UUID_UNIX_TICKS);
	assert(v6.low >> 62 == 2);
	seq = v6.low >> KUID_UUID_SEQ_SHIFT & 0x3fff;
	assert(seq >> 7 == stamp.first + id.seq_offset);
	assert((seq & 0x7f) == (stamp.lane ^ id.lane_scramble));
	assert((v6.low & (BIT_ULL(KUID_NODE_BITS) - 1)) == id.node);
}

void v7_holds_the_fields(void)
{
	u32 fraction = any_u64();
	u64 ms = any_u64(), random = any_u64(), high, low;
	u8 lane = any_u64();

	assume(ms < BIT_ULL(48) && fraction < KUID_V7_FRACTIONS);
	assume(lane < KUID_NR_LANES);
	high = kuid_v7_high(ms, fraction);
	low = kuid_v7_low(fraction, lane, random);
	assert(high >> 16 == ms && (high >> 12 & 0xf) == 7 && low >> 62 == 2);
	assert(kuid_v7_fraction_of(high, low) == fraction);
	assert((low >> KUID_V7_LANE_SHIFT & 0x7f) == lane);
	assert((low & KUID_V7_RANDOM_MASK) == (random & KUID_V7_RANDOM_MASK));
}

void lex_holds_slot_and_worker(void)
{
	const struct kuid_identity id = any_identity();
	const struct kuid_units slot = one(any_u64());
	struct id lex;

	assume(slot.first <= KUID_TIME_MAX_NS / KUID_LEX_SLOT_NS);
	kuid_lex_pack(&lex, &slot, &id, NULL, put);
	assert(lex.high == slot.first && lex.low == id.worker);
}

/* The node goes into a k64 and comes out again, for each I. */
void k64_survives_the_node(void)
{
	const struct kuid_identity id = any_identity();
	u64 k64 = any_u64(), high, low, node;
	u32 node96;

	high = kuid_k96_of_k64(k64, kuid_k96_node(id.worker), id.interval,
			       &low);
	assert(kuid_k64_of_k96(high, low, id.interval, &node96) == k64);
	assert(node96 == kuid_k96_node(id.worker) && !(u32)low);
	high = kuid_k128_of_k64(k64, id.worker, id.interval, &low);
	assert(kuid_k64_of_k128(high, low, id.interval, &node) == k64);
	assert(node == id.worker);
}

/* Two IDs with different nodes differ, if their I is the same. */
void nodes_tell_k96_and_k128_apart(void)
{
	const struct kuid_identity id = any_identity();
	u64 k64 = any_u64(), other = any_u64(), worker = any_u64();
	struct id one, two;

	assume(worker != id.worker);
	one.high = kuid_k128_of_k64(k64, id.worker, id.interval, &one.low);
	two.high = kuid_k128_of_k64(other, worker, id.interval, &two.low);
	assert(one.high != two.high || one.low != two.low);
	assume(kuid_k96_node(worker) != kuid_k96_node(id.worker));
	one.high = kuid_k96_of_k64(k64, kuid_k96_node(id.worker), id.interval,
				   &one.low);
	two.high = kuid_k96_of_k64(other, kuid_k96_node(worker), id.interval,
				   &two.low);
	assert(one.high != two.high || one.low != two.low);
}

/* The prover can't tell whether two numbers have different nodes. */
void nodes_have_48_bits_and_the_multicast_bit(void)
{
	const struct kuid_node_key key = { { any_u64(), any_u64() } };
	u64 node = kuid_node_of(&key, any_u64());

	assert(node & KUID_NODE_MULTICAST && node < BIT_ULL(KUID_NODE_BITS));
}
