/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The generator: one clock, and what is taken from it at its time: stamps from
 * the lanes of an epoch, slots from sequences that outlive all epochs. What it
 * gives out is plain values, from which IDs are made without it.
 */
#ifndef KUID_CORE_GENERATOR_H
#define KUID_CORE_GENERATOR_H

#include "clock.h"
#include "format.h"
#include "korder.h"
#include "lane.h"
#include "lexical.h"
#include "sequence.h"

/*
 * CPUs share the lanes but for two: the first is for an order over the whole
 * host, the last for lanes that user threads hold.
 */
#define KUID_FIRST_CPU_LANE 1
#define KUID_MAX_CPU_LANES  (KUID_NR_LANES - 2)

/*
 * How far the time in an ID may be ahead of the clock. A batch may use half of
 * it, so that whoever reads in bulk can't keep one ID at a time from others.
 */
#define KUID_MAX_AHEAD_NS (100 * 1000 * 1000)

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

/* One CPU's runs. */
struct kuid_cpu_runs {
	struct kuid_run lex;
	struct kuid_run grid;
} ____cacheline_aligned_in_smp;

/**
 * struct kuid_generator - the host's clock and sequences
 * @clock: the time that IDs are made at
 * @lex: microseconds
 * @grid: slots of the k-ordered grid
 * @nr_cpus: how many @runs there are, at least 1; CPUs beyond share them
 * @runs: what CPUs have carved from the sequences
 *
 * All zeroes but for @nr_cpus is ready for use.
 */
struct kuid_generator {
	struct kuid_clock clock;
	struct kuid_sequence lex;
	struct kuid_sequence grid;
	unsigned int nr_cpus;
	struct kuid_cpu_runs runs[];
};

/**
 * struct kuid_floors - what an open file has been given
 * @stamp: the highest nanosecond, in this epoch; 0 if none
 * @lex: the highest microsecond; 0 if none
 * @grid: the highest slot of the k-ordered grid; 0 if none
 *
 * Atomic maxima, raised before a call returns: a call that begins after that
 * reads the same or a higher one.
 */
struct kuid_floors {
	atomic64_t stamp;
	atomic64_t lex;
	atomic64_t grid;
};

/* CPUs, or what they have, are numbered through; more CPUs share them. */
static inline unsigned int kuid_generator_cpu(unsigned int nr)
{
	unsigned int cpu = kuid_port_cpu();

	return cpu < nr ? cpu : cpu % nr;
}

static __always_inline void kuid_generator_raise(atomic64_t *floor, u64 to)
{
	s64 seen = atomic64_read(floor);

	/*
	 * Fully ordered. A plain store could take the floor back below what
	 * another thread has raised it to.
	 */
	while ((u64)seen < to && !atomic64_try_cmpxchg(floor, &seen, to))
		;
}

/**
 * kuid_generator_stamps - take stamps for one open file
 * @generator: the generator
 * @epoch: the epoch to take them from
 * @floor: the file's floor for stamps; raised to the last one taken
 * @ahead: how far stamps may be ahead of the clock, in nanoseconds
 * @count: how many stamps are wanted, at least 1
 *
 * The stamps increase, and are above all that were reserved with the same
 * @floor before this call began. A lane of its own is not enough for that: the
 * caller may have come from a CPU whose lane was ahead of this one's.
 *
 * Context: any but NMI. Never sleeps.
 * Return: as many stamps as are to be had at once; if that is none, first is
 * the one that came next.
 */
static __always_inline struct kuid_stamps
kuid_generator_stamps(struct kuid_generator *generator,
		      struct kuid_epoch *epoch, atomic64_t *floor, u64 ahead,
		      u32 count)
{
	unsigned int cpu = kuid_generator_cpu(epoch->nr_cpu_lanes);
	struct kuid_stamps stamps = {
		.count = count,
		.lane = KUID_FIRST_CPU_LANE + cpu,
	};
	u64 above = atomic64_read(floor);
	u64 now = kuid_clock_now(&generator->clock);

	stamps.first = kuid_lane_reserve(&epoch->cpu_lanes[cpu], now, above,
					 now + ahead, &stamps.count);
	if (stamps.count)
		kuid_generator_raise(floor, stamps.first + stamps.count - 1);
	return stamps;
}

static __always_inline struct kuid_slots
kuid_generator_slots(struct kuid_sequence *sequence, struct kuid_run *run,
		     atomic64_t *floor, u64 now, u64 limit, u32 count)
{
	struct kuid_slots slots;

	slots = kuid_sequence_reserve(sequence, run, now, atomic64_read(floor),
				      limit, count);
	if (slots.count)
		kuid_generator_raise(floor, slots.first + slots.count - 1);
	return slots;
}

/**
 * kuid_generator_lex - take microseconds for one open file
 * @generator: the generator
 * @floor: the file's floor for lex; raised to the last one taken
 * @ahead: how far they may be ahead of the clock, in nanoseconds
 * @count: how many are wanted, at least 1
 *
 * Context: any but NMI. Never sleeps.
 * Return: as many as are to be had at once; if that is none, first is the one
 * that came next.
 */
static __always_inline struct kuid_slots
kuid_generator_lex(struct kuid_generator *generator, atomic64_t *floor,
		   u64 ahead, u32 count)
{
	unsigned int cpu = kuid_generator_cpu(generator->nr_cpus);
	u64 now = kuid_lex_slot(kuid_clock_now(&generator->clock));

	return kuid_generator_slots(&generator->lex, &generator->runs[cpu].lex,
				    floor, now, now + kuid_lex_slots(ahead),
				    count);
}

/**
 * kuid_generator_grid - take slots of the k-ordered grid for one open file
 * @generator: the generator
 * @floor: the file's floor for the grid; raised to the last one taken
 * @ahead: how far they may be ahead of the clock, in nanoseconds
 * @count: how many are wanted, at least 1
 *
 * Context: any but NMI. Never sleeps.
 * Return: as many as are to be had at once; if that is none, first is the one
 * that came next.
 */
static __always_inline struct kuid_slots
kuid_generator_grid(struct kuid_generator *generator, atomic64_t *floor,
		    u64 ahead, u32 count)
{
	unsigned int cpu = kuid_generator_cpu(generator->nr_cpus);
	u64 now = kuid_grid_slot(kuid_clock_now(&generator->clock));
	/* To the end of the last step that begins within what is allowed. */
	u64 limit = now + kuid_grid_slots(ahead) + KUID_GRID_SEQ_MAX;

	return kuid_generator_slots(&generator->grid,
				    &generator->runs[cpu].grid, floor, now,
				    limit, count);
}

/**
 * kuid_generator_clear_ns - when all that was given out has passed
 * @generator: the generator, which no one uses any more
 * @epoch: the epoch, likewise; NULL if there was none
 *
 * Return: the time from which on another generator with the same identity
 * would not give out anything again, in nanoseconds of the stamp clock.
 */
static inline u64 kuid_generator_clear_ns(struct kuid_generator *generator,
					  struct kuid_epoch *epoch)
{
	u64 lex = kuid_lex_ns(atomic64_read(&generator->lex.next));
	u64 slot = atomic64_read(&generator->grid.next);
	/* A step is begun at its first slot, so all of it must have passed. */
	u64 grid = kuid_grid_ns(slot + KUID_GRID_SEQ_MAX);
	u64 clear = max(lex, grid);
	unsigned int i;

	for (i = 0; epoch && i < epoch->nr_cpu_lanes; i++) {
		u64 last = atomic64_read(&epoch->cpu_lanes[i].last);

		clear = max(clear, last + 1);
	}
	return clear;
}

#endif /* KUID_CORE_GENERATOR_H */
