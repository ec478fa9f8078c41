/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * An epoch: an identity and the lanes whose stamps are told from all others by
 * it. Once it is published nothing in it changes but what lanes have given
 * out. The sequences that it refers to outlive it, because slot formats have
 * nothing but the slot to tell their IDs apart.
 */
#ifndef KUID_CORE_EPOCH_H
#define KUID_CORE_EPOCH_H

#include "format.h"
#include "korder.h"
#include "lane.h"
#include "lexical.h"
#include "sequence.h"

/* The first lane is for an order over the whole host. CPUs share the others. */
#define KUID_HOST_LANE	    0
#define KUID_FIRST_CPU_LANE 1
#define KUID_MAX_CPU_LANES  (KUID_NR_LANES - 1)

/* One CPU's runs. */
struct kuid_cpu_runs {
	struct kuid_run lex;
	struct kuid_run grid;
} ____cacheline_aligned_in_smp;

/**
 * struct kuid_sequences - the host's slots
 * @lex: microseconds
 * @grid: slots of the k-ordered grid
 * @nr_cpus: how many @runs there are, at least 1; CPUs beyond share them
 * @runs: what CPUs have carved from the sequences
 *
 * All zeroes but for @nr_cpus has given out nothing.
 */
struct kuid_sequences {
	struct kuid_sequence lex;
	struct kuid_sequence grid;
	unsigned int nr_cpus;
	struct kuid_cpu_runs runs[];
};

/**
 * struct kuid_epoch - an identity, its lanes, and the sequences in use
 * @number: 1 for the first epoch of a generator
 * @load_id: shared with other epochs, until there may be a twin
 * @identity: fixed for the life of the epoch
 * @given: KUID_PART_*: what was given, and not drawn for this machine alone; a
 *	given node is that of other epochs, too
 * @stale: those of @given that another machine may have, too
 * @closings: kuid_generator.closings, before its identity was drawn
 * @sequences: the slots of its time; shared with other epochs
 * @nr_cpu_lanes: how many lanes CPUs share, 1 to KUID_MAX_CPU_LANES
 * @choices: where the identity comes from, for kuid_generator_read(); behind
 *	what is read for each ID
 * @lanes: KUID_HOST_LANE, and KUID_FIRST_CPU_LANE and up
 */
struct kuid_epoch {
	u64 number;
	u64 load_id;
	struct kuid_identity identity;
	u32 given;
	u32 stale;
	u64 closings;
	struct kuid_sequences *sequences;
	unsigned int nr_cpu_lanes;
	struct kuid_choices choices;
	struct kuid_lane lanes[];
};

/* How many lanes an epoch has. */
static inline unsigned int kuid_epoch_nr_lanes(const struct kuid_epoch *epoch)
{
	return KUID_FIRST_CPU_LANE + epoch->nr_cpu_lanes;
}

/* The highest stamp that was reserved, in nanoseconds; 0 if none was. */
static inline u64 kuid_epoch_issued(const struct kuid_epoch *epoch)
{
	u64 issued = 0;
	unsigned int i;

	for (i = 0; i < kuid_epoch_nr_lanes(epoch); i++)
		issued = max_t(u64, issued,
			       atomic64_read(&epoch->lanes[i].last));
	return issued;
}

/* The time of the highest microsecond that was carved; 0 if none was. */
static inline u64 kuid_lex_issued(const struct kuid_sequences *sequences)
{
	u64 next = atomic64_read(&sequences->lex.next);

	return next ? kuid_lex_ns(next - 1) : 0;
}

/* The time of the highest slot of the grid that was carved; 0 if none was. */
static inline u64 kuid_grid_issued(const struct kuid_sequences *sequences)
{
	u64 next = atomic64_read(&sequences->grid.next);

	return next ? kuid_grid_ns(next - 1) : 0;
}

/* The highest time of either. */
static inline u64 kuid_sequences_issued(const struct kuid_sequences *sequences)
{
	return max(kuid_lex_issued(sequences), kuid_grid_issued(sequences));
}

/* The time that all slots of either are below. */
static inline u64 kuid_sequences_end(const struct kuid_sequences *sequences)
{
	u64 lex = atomic64_read(&sequences->lex.next);
	u64 grid = atomic64_read(&sequences->grid.next);

	/* A grid tick is begun at its first slot, so all of it counts. */
	return max(kuid_lex_ns(lex), kuid_grid_ns(grid + KUID_GRID_SEQ_MAX));
}

/* No slot of a time below @floor, which is not 0, is to be given out again. */
static inline void kuid_sequences_raise(struct kuid_sequences *sequences,
					u64 floor)
{
	u64 lex = kuid_lex_slot(floor + KUID_LEX_SLOT_NS - 1);
	u64 grid = kuid_grid_slot(floor - 1) + KUID_GRID_SEQ_MAX + 1;
	unsigned int cpu;

	kuid_raise(&sequences->lex.next, lex);
	kuid_raise(&sequences->grid.next, grid);
	/* The same for what is left of runs. */
	for (cpu = 0; cpu < sequences->nr_cpus; cpu++) {
		kuid_raise(&sequences->runs[cpu].lex.next, kuid_run_end(lex));
		kuid_raise(&sequences->runs[cpu].grid.next, kuid_run_end(grid));
	}
}

/* Whether other epochs have the same node. */
static inline bool kuid_epoch_node_given(const struct kuid_epoch *epoch)
{
	return epoch->given & KUID_PART_NODE;
}

#endif /* KUID_CORE_EPOCH_H */
