/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Taking from a generator: stamps from the lanes of the epoch in use, slots
 * from the sequences, and nodes for private lanes. The generator hands out
 * plain numbers; IDs are made from them elsewhere.
 */
#ifndef KUID_CORE_TAKE_H
#define KUID_CORE_TAKE_H

#include "snapshot.h"

/**
 * struct kuid_watermark - the highest IDs of an open file in one epoch
 * @last: the highest stamp or slot of each source, by enum kuid_source; 0 if
 *	there is none
 *
 * Each member is an atomic maximum. A call raises it before it returns, so a
 * call that begins later reads this value or a higher one.
 */
struct kuid_watermark {
	atomic64_t last[KUID_NR_SOURCES];
};

/**
 * struct kuid_watermarks - the highest IDs of an open file
 * @epoch: number of the newest epoch in which the file was used; 0 before that
 * @by_epoch: watermarks of that epoch and of the epoch before, by the lowest
 *	bit of the epoch's number
 *
 * Callers of the former epoch may still be running, so there are two
 * watermarks. Two are enough, because a third epoch is not published before
 * these callers are gone.
 */
struct kuid_watermarks {
	u64 epoch;
	struct kuid_watermark by_epoch[2];
};

/**
 * enum kuid_order - the earlier IDs that an ID must be above
 * @KUID_BY_CPU: IDs that were made on the same CPU
 * @KUID_BY_FILE: IDs of the same open file
 * @KUID_BY_HOST: IDs of the same open file, and all IDs of host order
 */
enum kuid_order {
	KUID_BY_CPU,
	KUID_BY_FILE,
	KUID_BY_HOST
};

/**
 * struct kuid_want - the units that a caller wants
 * @source: source of the units
 * @watermarks: watermarks of the open file; not used if @order is KUID_BY_CPU
 * @order: the earlier IDs that the new IDs must be above
 * @part: the part of the identity that the IDs will show
 * @ahead: how far the units may be in front of the clock: a member of
 *	&kuid_generator.windows, in units of @source
 * @count: how many units the caller wants, at least 1
 */
struct kuid_want {
	enum kuid_source source;
	struct kuid_watermarks *watermarks;
	enum kuid_order order;
	enum kuid_part part;
	u64 ahead;
	u32 count;
};

/**
 * struct kuid_private_node - a random node for a private lane
 * @node: the node
 * @generation: the generation in which the lane may make IDs with the node
 * @epoch: number of the epoch that the node belongs to
 * @load_id: that epoch's &kuid_epoch.load_id
 */
struct kuid_private_node {
	u64 node;
	u64 generation;
	u64 epoch;
	u64 load_id;
};

void kuid_generator_enter(struct kuid_generator *generator,
			  struct kuid_watermarks *watermarks, u64 number);
int kuid_generator_private_node(struct kuid_generator *generator,
				struct kuid_private_node *to);
u64 kuid_generator_when(struct kuid_generator *generator,
			const struct kuid_want *want, u64 before);
int kuid_generator_shut(const struct kuid_generator *generator,
			enum kuid_source source, enum kuid_part part,
			u64 *since);

/*
 * The index of the CPU's element out of @nr. If there are more CPUs than
 * elements, CPUs share them.
 */
static inline unsigned int kuid_generator_cpu(unsigned int nr)
{
	unsigned int cpu = kuid_port_cpu();

	return likely(cpu < nr) ? cpu : cpu % nr;
}

/*
 * The lane for stamps of an order on the present CPU. The task may be moved to
 * another CPU at once, so this is only a hint.
 */
static __always_inline unsigned int
kuid_generator_lane(const struct kuid_epoch *epoch, const enum kuid_order order)
{
	if (order == KUID_BY_HOST)
		return KUID_HOST_LANE;
	return KUID_FIRST_CPU_LANE + kuid_generator_cpu(epoch->nr_cpu_lanes);
}

/*
 * The watermark of an open file in an epoch. The caller is in the epoch, so the
 * watermark can't be reused for a later epoch meanwhile.
 */
static __always_inline struct kuid_watermark *
kuid_generator_watermark(struct kuid_generator *generator,
			 struct kuid_watermarks *watermarks,
			 const struct kuid_epoch *epoch)
{
	/*
	 * Pairs with the release in kuid_generator_enter(): without it the
	 * caller could read or raise a watermark that is not cleared yet.
	 */
	if (unlikely(smp_load_acquire(&watermarks->epoch) != epoch->number))
		kuid_generator_enter(generator, watermarks, epoch->number);
	return &watermarks->by_epoch[epoch->number & 1];
}

/* Reserve the wanted units above @above, from @now on, up to @limit. */
static __always_inline struct kuid_units
kuid_epoch_reserve(struct kuid_epoch *epoch, const struct kuid_want *want,
		   u64 now, u64 above, u64 limit)
{
	const enum kuid_source source = want->source;
	struct kuid_units units = { .count = want->count };
	struct kuid_sequences *sequences = epoch->sequences;
	struct kuid_run *run;
	unsigned int cpu;

	if (source == KUID_STAMPS) {
		units.lane = kuid_generator_lane(epoch, want->order);
		units.first = kuid_lane_reserve(&epoch->lanes[units.lane], now,
						above, limit, &units.count);
		return units;
	}
	/*
	 * Host order needs slots above those of all runs. A batch in file order
	 * would get only the rest of a run.
	 */
	if (want->order == KUID_BY_HOST ||
	    (want->order == KUID_BY_FILE && want->count >= KUID_RUN_SLOTS))
		return kuid_sequence_reserve_next(&sequences->by_source[source],
						  now, above, limit,
						  want->count);
	cpu = kuid_generator_cpu(sequences->nr_cpus);
	run = &sequences->runs[cpu].by_source[source];
	return kuid_sequence_reserve(&sequences->by_source[source], run, now,
				     above, limit, want->count);
}

/**
 * kuid_generator_take - take stamps or slots
 * @generator: the generator, which has an epoch
 * @want: the units that the caller wants
 * @taken: output: as many units as could be had at once. If there was none,
 *	count is 0, and first is the first unit that the caller would have got
 *	without the limit, or KUID_NEVER if the clock must not be used:
 *	kuid_generator_shut() tells why
 *
 * The units increase. Unless the order is KUID_BY_CPU, they are above all units
 * that calls with the same watermarks took before this call began. A lane alone
 * would not be enough for that: the caller may come from a CPU whose lane is in
 * front of this one.
 *
 * Context: any but NMI. The epoch must not be freed meanwhile, so kernel code
 * calls this under rcu_read_lock_sched(). Never sleeps. Takes generator->lock
 * if the snapshot must be refreshed.
 */
static __always_inline void
kuid_generator_take(struct kuid_generator *generator,
		    const struct kuid_want *want, struct kuid_taken *taken)
{
	const struct kuid_scale *scale = &kuid_scales[want->source];
	const struct kuid_clock *clock =
		kuid_generator_clock(generator, want->source);
	const bool follow = want->order != KUID_BY_CPU;
	struct kuid_watermarks *file = want->watermarks;

	for (;;) {
		const struct kuid_view view =
			kuid_generator_view(generator, clock, want->part);
		u64 now = scale->at(view.now);
		/*
		 * All slots of a grid tick have one time, so the last grid tick
		 * that begins inside the window may be used to its end.
		 */
		u64 limit = now + want->ahead + scale->tail;
		struct kuid_watermark *mark = NULL;
		struct kuid_units units;
		u64 above = 0;
		bool closed;

		if (unlikely(!view.holds)) {
			if (kuid_generator_renew(generator, clock, want->part))
				continue;
			taken->units.count = 0;
			taken->units.first = KUID_NEVER;
			return;
		}
		if (follow) {
			mark = kuid_generator_watermark(generator, file,
							view.epoch);
			above = atomic64_read(&mark->last[want->source]);
		}
		units = kuid_epoch_reserve(view.epoch, want, now, above, limit);
		/*
		 * Read before the check of the count, so that a part that was
		 * closed after the view is seen here or fails the check.
		 */
		closed = kuid_gate_closed(&generator->gate, want->part);
		if (unlikely(!units.count)) {
			if (kuid_generator_holds(generator, &view)) {
				taken->units = units;
				return;
			}
		} else if (likely(kuid_generator_holds(generator, &view))) {
			/* Tell the compiler: it can't know that 1 was taken. */
			u32 n = want->count == 1 ? 1 : units.count;

			if (follow)
				kuid_raise(&mark->last[want->source],
					   units.first + n - 1);
			taken->units.first = units.first;
			taken->units.count = n;
			taken->units.lane = units.lane;
			taken->origin.epoch = view.epoch->number;
			taken->origin.load_id = view.epoch->load_id;
			taken->origin.closed = closed;
			taken->origin.identity = view.epoch->identity;
			return;
		}
		/*
		 * The dropped reservation may lie beyond the window of the
		 * clock. Without a refresh, it would keep others waiting.
		 */
		kuid_generator_refresh(generator);
	}
}

#endif /* KUID_CORE_TAKE_H */
