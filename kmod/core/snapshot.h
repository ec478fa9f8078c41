/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The generator: two clocks, and the epoch in use. Callers take stamps from the
 * lanes of the epoch, and slots from the sequences. The generator hands out
 * plain numbers; IDs are made from them elsewhere.
 *
 * Clocks, epoch and gate are one snapshot under a sequence count. A caller
 * takes from it without a lock, in three steps:
 *
 * - View: read the count, the epoch and one clock.
 * - Reserve: raise a lane, a run or a sequence by compare-and-exchange.
 * - Check: read the count again. If it has changed, drop the reservation and
 *   start over. A dropped reservation counts as handed out: nobody ever gets
 *   it.
 *
 * A writer raises the count first. After that it reads the highest reservation
 * and samples the wall clock. So for each reservation and each writer, one of
 * two things is true: the writer sees the reservation and goes on above it, or
 * the caller sees the writer and drops the reservation. Without this, a caller
 * that sleeps across a clock step or a new epoch could hand out an outdated ID.
 * See kuid_generator_holds() for the barriers.
 *
 * take.h has the callers, change.h the writers. Another writer is
 * kuid_generator_refresh(), which follows the wall clock.
 */
#ifndef KUID_CORE_SNAPSHOT_H
#define KUID_CORE_SNAPSHOT_H

#include <linux/seqlock.h>

#include "clock.h"
#include "epoch.h"
#include "gate.h"

/**
 * struct kuid_window - how far units may be in front of their clock
 * @one: for a call for one ID
 * @batch: for a call for more IDs: half of @one, so that batches can't keep IDs
 *	from calls for one ID
 *
 * In nanoseconds for stamps, in slots for sequences.
 */
struct kuid_window {
	u64 one;
	u64 batch;
};

/**
 * struct kuid_generator - the clocks and the epoch in use
 * @max_ahead: the window in nanoseconds: how far the time in an ID may be in
 *	front of its clock
 * @windows: the windows in units of each source, by enum kuid_source
 * @step_limit: stamp lag above which a new epoch is requested, in nanoseconds
 * @vm_id: the generation ID of the virtual machine: two words that the
 *	hypervisor changes before a clone runs on; NULL if there is none
 * @seq: counts changes of all members from here to @lock
 * @stamp_clock: the clock of stamps
 * @slot_clock: the clock of slots
 * @epoch: the epoch in use; NULL before the first one is published
 * @opens: the moment of the monotonic clock, in nanoseconds, at which the first
 *	time of a format comes; KUID_NEVER if those of all have come
 * @gate: decides which parts of the identity and which times may be used
 * @issued: the highest stamp that earlier epochs made with a given node, or
 *	that a restored floor covers; 0 if there is none
 * @drawn: the highest stamp that earlier epochs made with a random node; 0 if
 *	there is none
 * @steps_back: how often the wall clock was found set back
 * @steps_forward: how often the wall clock was found set forward
 * @private_before: private lanes have got nodes of earlier epochs
 * @generation: the generation that processes with private lanes compare, in
 *	memory that they can read; NULL if there are no such processes
 *
 * @lock: writers hold it; guards all members but those that never change. It
 *	has cache lines of its own: writers that wait for it must not slow down
 *	callers that read the clocks.
 *
 * @max_ahead, @windows, @step_limit, and the pointers @vm_id and @generation
 * never change.
 * @lock also guards &kuid_watermarks.epoch.
 *
 * Readers without @lock use READ_ONCE() inside @seq, and writers use
 * WRITE_ONCE(). Only @drawn and @private_before are never read without @lock.
 * @seq alone is not enough: it tells that a value has changed, but the compiler
 * could still tear a load, or load a value twice.
 *
 * The generation is odd while the epoch or the gate is changed, and another
 * even number afterwards. It is never 0. A private lane has the generation that
 * its node was handed out in, and makes no ID in any other generation.
 */
struct kuid_generator {
	u64 max_ahead;
	struct kuid_window windows[KUID_NR_SOURCES];
	u64 step_limit;
	const u64 *vm_id;

	seqcount_t seq;
	struct kuid_clock stamp_clock;
	struct kuid_clock slot_clock;
	struct kuid_epoch *epoch;
	u64 opens;
	struct kuid_gate gate;
	u64 issued;
	u64 drawn;
	u64 steps_back;
	u64 steps_forward;
	bool private_before;
	u64 *generation;

	raw_spinlock_t lock ____cacheline_aligned_in_smp;
};

/**
 * struct kuid_step - a change of the clocks
 * @by: the clock step in nanoseconds, negative if the wall clock was set back;
 *	0 if the clocks have changed for another reason
 * @stamp_lag: how far the highest issued stamp is in front of the wall clock,
 *	in nanoseconds; 0 if it is not
 * @slot_lag: how far the highest issued slot is in front of the wall clock, in
 *	nanoseconds; 0 if it is not
 * @epoch_wanted: @stamp_lag is above the limit, and a new epoch would have a
 *	new node
 */
struct kuid_step {
	s64 by;
	u64 stamp_lag;
	u64 slot_lag;
	bool epoch_wanted;
};

/* A moment that never comes. */
#define KUID_NEVER (~0ULL)

/* A snapshot of a generator, and one of its clocks. */
struct kuid_view {
	struct kuid_epoch *epoch;
	u64 offset; /* &kuid_clock.offset */
	u64 half;   /* &kuid_clock.half */
	u64 now;    /* the time of the clock */
	unsigned int seq;
	bool holds; /* otherwise the caller must renew the snapshot first */
};

void kuid_generator_init(struct kuid_generator *generator, u64 max_ahead,
			 u64 step_limit, bool ceiling_required);
void kuid_generator_use_vm_id(struct kuid_generator *generator,
			      const u64 *vm_id);
void kuid_generator_refresh(struct kuid_generator *generator);
bool kuid_generator_renew(struct kuid_generator *generator,
			  const struct kuid_clock *clock, enum kuid_part part);

void kuid_generator_write_begin(struct kuid_generator *generator);
void kuid_generator_set_until(struct kuid_generator *generator,
			      const struct kuid_epoch *epoch, u64 mono);
u64 kuid_generator_range_end(const struct kuid_generator *generator,
			     const struct kuid_clock *slots,
			     const struct kuid_epoch *epoch,
			     enum kuid_part part, u64 mono);

/* The clock that the units of a source are handed out by. */
static __always_inline const struct kuid_clock *
kuid_generator_clock(const struct kuid_generator *generator,
		     const enum kuid_source source)
{
	return source == KUID_STAMPS ? &generator->stamp_clock
				     : &generator->slot_clock;
}

/*
 * Read the count, the epoch and one clock. The view does not hold if the wall
 * clock was set, if a writer is active, or if the clock must not be used any
 * more for IDs that show @part. Then the caller calls kuid_generator_renew()
 * and starts over.
 *
 * The offset is compared after the clock's members were read, and the count is
 * read last, so all values belong to one moment.
 */
static __always_inline struct kuid_view
kuid_generator_view(const struct kuid_generator *generator,
		    const struct kuid_clock *clock, const enum kuid_part part)
{
	unsigned int seq = raw_seqcount_begin(&generator->seq);
	/* Pairs with the release in kuid_generator_begin(). */
	struct kuid_epoch *epoch = smp_load_acquire(&generator->epoch);
	u64 offset = READ_ONCE(clock->offset);
	u64 half = READ_ONCE(clock->half);
	u64 until = READ_ONCE(clock->until[part]);
	u64 mono = kuid_port_mono_ns();

	return (struct kuid_view) {
		.epoch = epoch,
		.offset = offset,
		.half = half,
		.now = kuid_clock_at(offset, half, mono),
		.seq = seq,
		.holds = likely(mono < until) &&
			 likely(offset == kuid_port_wall_offset()) &&
			 likely(!read_seqcount_retry(&generator->seq, seq)),
	};
}

/*
 * Check whether a reservation may be handed out: no writer has begun since the
 * view was taken.
 *
 * Two full barriers pair here. The compare-and-exchange of the reservation is
 * fully ordered, and comes before this read of the count. The writer raises the
 * count, and has an smp_mb() in kuid_generator_write_begin() before it reads
 * the reservations. So either the writer sees the reservation, or this function
 * sees the writer. Without one of the barriers, both could miss each other, and
 * the caller would hand out an outdated ID.
 */
static __always_inline bool
kuid_generator_holds(const struct kuid_generator *generator,
		     const struct kuid_view *view)
{
	return !read_seqcount_retry(&generator->seq, view->seq);
}

/*
 * Whether a clock must be changed. There are two reasons: the wall clock was
 * set, or a reservation is beyond the window of the clock. The second one
 * happens if a caller has slept across a clock step: its dropped reservation
 * can lie far in front of the clock.
 */
static inline bool
kuid_generator_outdated(const struct kuid_generator *generator,
			const struct kuid_clock *clock, u64 mono, u64 offset,
			u64 issued)
{
	return offset != clock->offset ||
	       issued > kuid_clock_at(clock->offset, clock->half, mono) +
				generator->max_ahead;
}

/*
 * Whether the virtual machine was cloned or restored, and the gate was not
 * closed because of that yet.
 */
static inline bool
kuid_generator_is_cloned(const struct kuid_generator *generator)
{
	return generator->vm_id &&
	       !kuid_gate_knows(&generator->gate, generator->vm_id);
}

/* Count a clock step. */
static inline void kuid_generator_count(struct kuid_generator *generator,
					s64 by)
{
	if (by < 0)
		WRITE_ONCE(generator->steps_back, generator->steps_back + 1);
	if (by > 0)
		WRITE_ONCE(generator->steps_forward,
			   generator->steps_forward + 1);
}

#endif /* KUID_CORE_SNAPSHOT_H */
