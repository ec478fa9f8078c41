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
#include "lane.h"
#include "sequence.h"
#include "source.h"

/* The first lane is for an order over the whole host. CPUs share the others. */
#define KUID_HOST_LANE	    0
#define KUID_FIRST_CPU_LANE 1
#define KUID_MAX_CPU_LANES  (KUID_NR_LANES - 1)

/* One CPU's runs, one of each sequence. */
struct kuid_cpu_runs {
	struct kuid_run of[KUID_NR_SEQUENCES];
};

/**
 * struct kuid_sequences - the host's slots
 * @of: the sequences, by enum kuid_source
 * @nr_cpus: how many @runs there are, at least 1; CPUs beyond share them
 * @runs: what CPUs have carved from the sequences
 *
 * All zeroes but for @nr_cpus has given out nothing.
 */
struct kuid_sequences {
	struct kuid_sequence of[KUID_NR_SEQUENCES];
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
 * @closings: &kuid_gate.closings, before its identity was drawn
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

/* The time of the highest slot of a sequence that was carved; 0 if none was. */
static inline u64 kuid_sequence_issued(const struct kuid_sequences *sequences,
				       enum kuid_source source)
{
	u64 next = atomic64_read(&sequences->of[source].next);

	return next ? kuid_source_units[source].begin(next - 1) : 0;
}

/* The time of the highest stamp or slot that was issued; 0 if none was. */
static inline u64 kuid_source_issued(const struct kuid_epoch *epoch,
				     enum kuid_source source)
{
	return source == KUID_STAMPS
		       ? kuid_epoch_issued(epoch)
		       : kuid_sequence_issued(epoch->sequences, source);
}

/* The highest time of any sequence. */
static inline u64 kuid_sequences_issued(const struct kuid_sequences *sequences)
{
	u64 issued = 0;
	unsigned int i;

	for (i = 0; i < KUID_NR_SEQUENCES; i++)
		issued = max(issued, kuid_sequence_issued(sequences, i));
	return issued;
}

/* The time that all slots of all sequences are below. */
static inline u64 kuid_sequences_end(const struct kuid_sequences *sequences)
{
	u64 end = 0;
	unsigned int i;

	for (i = 0; i < KUID_NR_SEQUENCES; i++) {
		const struct kuid_source_units *units = &kuid_source_units[i];
		u64 next = atomic64_read(&sequences->of[i].next);

		/*
		 * The first slot that was carved of those that begin at one
		 * moment makes all of them count.
		 */
		end = max(end, units->begin(next + units->tail));
	}
	return end;
}

/* No slot of a time below @floor, which is not 0, is to be given out again. */
static inline void kuid_sequences_raise(struct kuid_sequences *sequences,
					u64 floor)
{
	unsigned int i, cpu;

	for (i = 0; i < KUID_NR_SEQUENCES; i++) {
		const struct kuid_source_units *units = &kuid_source_units[i];
		u64 next = units->at(floor - 1) + units->tail + 1;

		kuid_raise(&sequences->of[i].next, next);
		/* The same for what is left of runs. */
		for (cpu = 0; cpu < sequences->nr_cpus; cpu++)
			kuid_raise(&sequences->runs[cpu].of[i].next,
				   kuid_run_end(next));
	}
}

/* Whether other epochs have the same node. */
static inline bool kuid_epoch_node_given(const struct kuid_epoch *epoch)
{
	return epoch->given & KUID_PART_NODE;
}

#endif /* KUID_CORE_EPOCH_H */
