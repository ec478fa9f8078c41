/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * An epoch: an identity with its lanes. The identity tells the stamps of these
 * lanes from all other stamps. After the epoch is published, only the lanes and
 * the counter of nodes change.
 *
 * An epoch points to the sequences. The sequences outlive it, because a slot
 * format has only the slot to tell its IDs apart, so no slot may be handed out
 * again in the next epoch.
 */
#ifndef KUID_CORE_EPOCH_H
#define KUID_CORE_EPOCH_H

#include "lane.h"
#include "node.h"
#include "sequence.h"
#include "source.h"
#include "uuid.h"

/*
 * All stamps of host order come from the first lane. The CPUs share the other
 * lanes.
 */
#define KUID_HOST_LANE	    0
#define KUID_FIRST_CPU_LANE 1
#define KUID_MAX_CPU_LANES  (KUID_NR_LANES - 1)

/* One CPU's runs, one for each sequence. */
struct kuid_cpu_runs {
	struct kuid_run by_source[KUID_NR_SEQUENCES];
};

/**
 * struct kuid_sequences - the slots of the host
 * @by_source: the sequences, by enum kuid_source
 * @nr_cpus: number of elements in @runs, at least 1; if there are more CPUs,
 *	they share the runs
 * @runs: the runs that CPUs have carved from the sequences
 *
 * If everything but @nr_cpus is zero, nothing was handed out yet.
 */
struct kuid_sequences {
	struct kuid_sequence by_source[KUID_NR_SEQUENCES];
	unsigned int nr_cpus;
	struct kuid_cpu_runs runs[];
};

/**
 * struct kuid_epoch - an identity, its lanes, and the sequences in use
 * @number: number of the epoch; the first epoch of a generator has number 1
 * @load_id: random; epochs share it until there may be a twin
 * @identity: the identity; never changes
 * @given: KUID_PARTS_*: parts that another machine could have too, because they
 *	were given or made from an address. Other epochs have the same given
 *	node.
 * @stale: KUID_PARTS_*: parts of @given that a twin may have; calls for these
 *	parts fail until an administrator acts
 * @missing: KUID_PARTS_*: parts that the identity lacks; calls for these parts
 *	fail
 * @claimed: KUID_PARTS_*: parts that must not be used from the ceiling of the
 *	claim on
 * @closings: the value of &kuid_gate.closings before the identity was drawn
 * @sequences: the sequences in use; epochs share them
 * @nr_cpu_lanes: number of lanes that the CPUs share, 1 to KUID_MAX_CPU_LANES
 * @choices: the rule that each part of the identity was made by, for
 *	kuid_generator_read(); placed after the members that each ID needs
 * @key: the key of the random nodes; not used if the node was given
 * @nodes: counts the random nodes that private lanes have got
 * @lanes: KUID_HOST_LANE, then @nr_cpu_lanes lanes from KUID_FIRST_CPU_LANE on
 */
struct kuid_epoch {
	u64 number;
	u64 load_id;
	struct kuid_identity identity;
	u32 given;
	u32 stale;
	u32 missing;
	u32 claimed;
	u64 closings;
	struct kuid_sequences *sequences;
	unsigned int nr_cpu_lanes;
	struct kuid_choices choices;
	struct kuid_node_key key;
	struct kuid_node_counter nodes;
	struct kuid_lane lanes[];
};

static inline unsigned int kuid_epoch_nr_lanes(const struct kuid_epoch *epoch)
{
	return KUID_FIRST_CPU_LANE + epoch->nr_cpu_lanes;
}

/* The highest reserved stamp, in nanoseconds; 0 if there is none. */
static inline u64 kuid_epoch_issued(const struct kuid_epoch *epoch)
{
	u64 issued = 0;
	unsigned int i;

	for (i = 0; i < kuid_epoch_nr_lanes(epoch); i++)
		issued = max_t(u64, issued,
			       atomic64_read(&epoch->lanes[i].last));
	return issued;
}

/*
 * The time of the highest slot that was taken from a sequence; 0 if there is
 * none.
 */
static inline u64 kuid_sequence_issued(const struct kuid_sequences *sequences,
				       enum kuid_source source)
{
	u64 next = atomic64_read(&sequences->by_source[source].next);

	return next ? kuid_scales[source].begin(next - 1) : 0;
}

/* The time of the highest issued stamp or slot; 0 if there is none. */
static inline u64 kuid_source_issued(const struct kuid_epoch *epoch,
				     enum kuid_source source)
{
	return source == KUID_STAMPS
		       ? kuid_epoch_issued(epoch)
		       : kuid_sequence_issued(epoch->sequences, source);
}

/* The highest issued time of all sequences; 0 if there is none. */
static inline u64 kuid_sequences_issued(const struct kuid_sequences *sequences)
{
	u64 issued = 0;
	unsigned int i;

	for (i = 0; i < KUID_NR_SEQUENCES; i++)
		issued = max(issued, kuid_sequence_issued(sequences, i));
	return issued;
}

/* A time that all issued slots of all sequences are below. */
static inline u64 kuid_sequences_end(const struct kuid_sequences *sequences)
{
	u64 end = 0;
	unsigned int i;

	for (i = 0; i < KUID_NR_SEQUENCES; i++) {
		const struct kuid_scale *scale = &kuid_scales[i];
		u64 next = atomic64_read(&sequences->by_source[i].next);

		/*
		 * All slots of a grid tick have the same time. If one of them
		 * was taken, round up to the next grid tick.
		 */
		end = max(end, scale->begin(next + scale->tail));
	}
	return end;
}

/* Make all sequences go on at @floor or above. @floor must not be 0. */
static inline void kuid_sequences_raise(struct kuid_sequences *sequences,
					u64 floor)
{
	unsigned int i, cpu;

	for (i = 0; i < KUID_NR_SEQUENCES; i++) {
		const struct kuid_scale *scale = &kuid_scales[i];
		u64 next = scale->at(floor - 1) + scale->tail + 1;

		kuid_raise(&sequences->by_source[i].next, next);
		/*
		 * A run may still hold slots below the floor. Leave such a run
		 * empty.
		 */
		for (cpu = 0; cpu < sequences->nr_cpus; cpu++)
			kuid_raise(&sequences->runs[cpu].by_source[i].next,
				   kuid_run_end(next));
	}
}

/* Whether other epochs may have the same node. */
static inline bool kuid_epoch_node_given(const struct kuid_epoch *epoch)
{
	return epoch->given & KUID_PARTS_NODE;
}

/* The start of the first tick of 100 ns at or after @time. */
static inline u64 kuid_epoch_next_tick(u64 time)
{
	return (time + KUID_TICK_NS - 1) / KUID_TICK_NS * KUID_TICK_NS;
}

/*
 * The time that all stamps with a given node are below; 0 if there are none.
 * @issued is the highest such stamp before @epoch, and @stamp the highest stamp
 * of @epoch. The lanes of @epoch begin with the next tick of 100 ns; a lower
 * @stamp was not handed out.
 */
static inline u64 kuid_epoch_stamp_end(const struct kuid_epoch *epoch,
				       u64 issued, u64 stamp)
{
	if (kuid_epoch_node_given(epoch) &&
	    stamp >= kuid_epoch_next_tick(issued + 1))
		issued = stamp;
	return issued ? issued + 1 : 0;
}

#endif /* KUID_CORE_EPOCH_H */
