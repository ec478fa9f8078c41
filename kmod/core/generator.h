/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The generator: reserves stamps in the lanes of an epoch, in the order asked
 * for. What it gives out is plain values, from which any stamp format is
 * written.
 */
#ifndef KUID_CORE_GENERATOR_H
#define KUID_CORE_GENERATOR_H

#include "clock.h"
#include "lane.h"

/* The lane numbers an ID has room for. */
#define KUID_NR_LANES 128

/*
 * CPUs share them but for two: the first is for an order over the whole host,
 * the last for lanes that user threads hold.
 */
#define KUID_FIRST_CPU_LANE 1
#define KUID_MAX_CPU_LANES  (KUID_NR_LANES - 2)

/**
 * struct kuid_identity - what tells the IDs of one epoch from all others
 * @node: 48 bits; a random one has the multicast bit set (RFC 9562 section
 *	6.10), which no network card's address has
 * @seq_offset: 0 to KUID_SEQ_OFFSET_MAX, added to the nanosecond part of
 *	clock_seq
 * @lane_scramble: 0 to 127, exclusive-or'ed with lane numbers
 */
struct kuid_identity {
	u64 node;
	u8 seq_offset;
	u8 lane_scramble;
};

/* 99, the highest nanosecond of a tick, and the offset must fit in 7 bits. */
#define KUID_SEQ_OFFSET_MAX 27

/**
 * struct kuid_epoch - an identity and its lanes
 * @number: 1 for the first epoch of a generator
 * @identity: fixed for the life of the epoch
 * @nr_cpu_lanes: how many lanes CPUs share, 1 to KUID_MAX_CPU_LANES
 * @cpu_lanes: lane number KUID_FIRST_CPU_LANE and up
 */
struct kuid_epoch {
	u64 number;
	struct kuid_identity identity;
	unsigned int nr_cpu_lanes;
	struct kuid_lane cpu_lanes[];
};

/**
 * struct kuid_stamps - consecutive stamps of one lane
 * @first: the first one's nanosecond, since 1970-01-01T00:00:00Z
 * @count: how many
 * @lane: lane number, below KUID_NR_LANES
 */
struct kuid_stamps {
	u64 first;
	u32 count;
	u8 lane;
};

static inline unsigned int
kuid_generator_cpu_lane(const struct kuid_epoch *epoch)
{
	unsigned int cpu = kuid_port_cpu();

	return cpu < epoch->nr_cpu_lanes ? cpu : cpu % epoch->nr_cpu_lanes;
}

static inline void kuid_generator_raise(atomic64_t *floor, u64 to)
{
	s64 seen = atomic64_read(floor);

	/*
	 * Fully ordered, and done before the caller returns: a call that
	 * begins after that reads this floor or a higher one. A plain store
	 * could take the floor back below what another thread has raised it
	 * to.
	 */
	while ((u64)seen < to && !atomic64_try_cmpxchg(floor, &seen, to))
		;
}

/**
 * kuid_generator_reserve - take stamps for one open file
 * @clock: the stamp clock
 * @epoch: the epoch to take them from
 * @file_floor: the highest nanosecond the file was given in this epoch, 0 if
 *	none; raised to the last one taken
 * @count: how many stamps, at least 1
 *
 * The stamps increase, and are above all that were reserved with the same
 * @file_floor before this call began. On a lane of its own that is not enough:
 * the caller may have come from a CPU whose lane was ahead of this one's.
 *
 * Context: any but NMI. Never sleeps.
 * Return: the stamps.
 */
static inline struct kuid_stamps
kuid_generator_reserve(struct kuid_clock *clock, struct kuid_epoch *epoch,
		       atomic64_t *file_floor, u32 count)
{
	unsigned int cpu_lane = kuid_generator_cpu_lane(epoch);
	struct kuid_stamps stamps = {
		.count = count,
		.lane = KUID_FIRST_CPU_LANE + cpu_lane,
	};

	stamps.first = kuid_lane_reserve(&epoch->cpu_lanes[cpu_lane],
					 kuid_clock_now(clock),
					 atomic64_read(file_floor), count);
	kuid_generator_raise(file_floor, stamps.first + count - 1);
	return stamps;
}

#endif /* KUID_CORE_GENERATOR_H */
