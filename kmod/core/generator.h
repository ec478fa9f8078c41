/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The generator: two clocks and the epoch in use, and what is taken from them
 * at their time: stamps from the epoch's lanes, slots from the sequences. What
 * it gives out is plain values, from which IDs are made without it.
 *
 * Clocks and epoch are one snapshot under a sequence count. Who takes from
 * them reads the time within it, reserves, and asks again whether the snapshot
 * still holds; if not, what was reserved is dropped, as if it had been given
 * out, and all is done again. A writer begins by making the snapshot invalid,
 * and only then looks at the highest time that was issued and samples the wall
 * clock. Thus whatever is given out was seen by all later writers, and whoever
 * slept over a step or an epoch can neither give out an ID of before, nor take
 * a time of before for a step.
 *
 * A new epoch's memory is the business of whoever publishes it: the core only
 * needs the former epoch, and watermarks that belong to it, to stay until no
 * reader of it is left, and that no further epoch is published before that.
 */
#ifndef KUID_CORE_GENERATOR_H
#define KUID_CORE_GENERATOR_H

#include "clock.h"
#include "epoch.h"
#include "gate.h"

/* How far the time in an ID may be ahead of the clock, unless said otherwise. */
#define KUID_MAX_AHEAD_MS 100

/* How far the wall clock may be set back in all before a new epoch begins. */
#define KUID_STEP_LIMIT_MS 10000

/**
 * struct kuid_window - how far a source may be used ahead of its clock
 * @one: by who wants one ID
 * @batch: by who wants more; half of it, so that whoever reads in bulk can't
 *	keep one ID at a time from others
 *
 * In nanoseconds or slots.
 */
struct kuid_window {
	u64 one;
	u64 batch;
};

/**
 * struct kuid_generator - the host's clocks and epoch
 * @max_ahead: how far an ID may be ahead of its clock, in nanoseconds
 * @windows: the same in units of each source
 * @step_limit: how far issued stamps may be ahead of the wall clock before a
 *	new epoch is asked for, in nanoseconds
 * @lock: guards all below
 * @seq: counts changes of all below
 * @stamp_clock: the time of stamps
 * @slot_clock: the time of slots
 * @epoch: the epoch in use; NULL before the first
 * @gate: what of it may be used, and up to which time
 * @issued: the highest stamp that was made with a given node by the epochs
 *	before this one, or in a former life of the machine
 * @drawn: the highest stamp that was made with a random node by those epochs
 * @steps_back: how often the wall clock was found set back
 * @steps_forward: how often it was found set forward
 *
 * The first three never change. @lock also guards the epochs of struct
 * kuid_watermarks.
 *
 * Readers without @lock use READ_ONCE() within @seq, and all writes are by
 * WRITE_ONCE(). @seq tells of a change, not of a value that was torn or read
 * twice.
 */
struct kuid_generator {
	u64 max_ahead;
	struct kuid_window windows[KUID_NR_SOURCES];
	u64 step_limit;

	raw_spinlock_t lock;
	seqcount_t seq;
	struct kuid_clock stamp_clock;
	struct kuid_clock slot_clock;
	struct kuid_epoch *epoch;
	struct kuid_gate gate;
	u64 issued;
	u64 drawn;
	u64 steps_back;
	u64 steps_forward;
};

/**
 * struct kuid_step - clocks have changed
 * @by: how far the wall clock was set, in nanoseconds; negative if back, 0 if
 *	something else has changed them
 * @stamp_lag: how far issued stamps are ahead of it now, 0 if they are not
 * @slot_lag: the same for slots
 * @epoch_wanted: @stamp_lag is above the limit, and a new epoch would help
 */
struct kuid_step {
	s64 by;
	u64 stamp_lag;
	u64 slot_lag;
	bool epoch_wanted;
};

/**
 * struct kuid_watermark - what an open file has been given in one epoch
 * @last: the highest stamp or slot of each source; 0 if none
 *
 * Atomic maxima, raised before a call returns: a call that begins after that
 * reads the same or a higher one.
 */
struct kuid_watermark {
	atomic64_t last[KUID_NR_SOURCES];
};

/**
 * struct kuid_watermarks - what an open file has been given
 * @epoch: the newest epoch that it was used in; 0 if it was not yet
 * @of: of that epoch and the one before, by the lowest bit of the number
 *
 * Two, because readers of the former epoch may still be about; no more,
 * because a further one is not published before those are gone.
 */
struct kuid_watermarks {
	u64 epoch;
	struct kuid_watermark of[2];
};

/**
 * enum kuid_order - which IDs an ID follows
 * @KUID_BY_CPU: those that were made on the same CPU
 * @KUID_BY_FILE: those of the same open file
 * @KUID_BY_HOST: both those of the same open file and all that were made by
 *	host
 */
enum kuid_order {
	KUID_BY_CPU,
	KUID_BY_FILE,
	KUID_BY_HOST
};

/**
 * struct kuid_want - what a caller wants of the generator
 * @source: stamps, or slots of which sequence
 * @watermarks: of the open file it is for; not used if @order is KUID_BY_CPU
 * @order: what it shall follow
 * @parts: KUID_PART_*: what IDs made of it will show of the identity
 * @ahead: how far it may be ahead of the clock: of &kuid_generator.windows
 * @count: how much, at least 1
 */
struct kuid_want {
	enum kuid_source source;
	struct kuid_watermarks *watermarks;
	enum kuid_order order;
	u32 parts;
	u64 ahead;
	u32 count;
};

/**
 * enum kuid_why - why an epoch begins
 * @KUID_EPOCH_FIRST: there was none
 * @KUID_EPOCH_STEP: the wall clock was set back further than the limit
 * @KUID_EPOCH_FORCE: all clocks are set to the wall clock, and may repeat slots
 * @KUID_EPOCH_SET: its identity was set
 * @KUID_EPOCH_RESTORE: the floor was
 * @KUID_EPOCH_FORK: the machine may have a twin now
 */
enum kuid_why {
	KUID_EPOCH_FIRST,
	KUID_EPOCH_STEP,
	KUID_EPOCH_FORCE,
	KUID_EPOCH_SET,
	KUID_EPOCH_RESTORE,
	KUID_EPOCH_FORK
};

/**
 * struct kuid_reading - how things stand
 * @origin: the epoch and its identity; all zeroes if there is none yet
 * @choices: where the epoch's identity comes from
 * @stale: KUID_PART_* of the epoch
 * @stamp_lag: how far the stamp clock is ahead of the wall clock, nanoseconds
 * @slot_lag: the same for the slot clock
 * @ahead: how far the highest of each source is ahead of its clock
 * @stamp_end: all stamps with a given node are below this time; 0 if none are
 * @slot_end: all slots are
 * @gate: the gate
 * @steps_back: as in struct kuid_generator
 * @steps_forward: likewise
 * @past_ceiling: the ceiling doesn't cover a time that may come next
 * @may_repeat: slots may be given out a second time now
 */
struct kuid_reading {
	struct kuid_origin origin;
	struct kuid_choices choices;
	u32 stale;
	u64 stamp_lag;
	u64 slot_lag;
	u64 ahead[KUID_NR_SOURCES];
	u64 stamp_end;
	u64 slot_end;
	struct kuid_gate gate;
	u64 steps_back;
	u64 steps_forward;
	bool past_ceiling;
	bool may_repeat;
};

/* When something comes that may never come. */
#define KUID_NEVER (~0ULL)

/* A snapshot of a generator, and the time of one of its clocks. */
struct kuid_view {
	struct kuid_epoch *epoch;
	u64 now;
	unsigned int seq;
	bool holds; /* else there is nothing to go by */
};

void kuid_generator_init(struct kuid_generator *generator, u64 max_ahead,
			 u64 step_limit, bool ceiling_required);
bool kuid_generator_refresh(struct kuid_generator *generator,
			    const struct kuid_clock *clock);
void kuid_generator_close(struct kuid_generator *generator);
bool kuid_generator_acknowledge(struct kuid_generator *generator, u64 ceiling);
void kuid_generator_enter(struct kuid_generator *generator,
			  struct kuid_watermarks *watermarks, u64 number);
bool kuid_generator_publish(struct kuid_generator *generator,
			    struct kuid_epoch *epoch, enum kuid_why why,
			    u64 floor);
u64 kuid_generator_ready(struct kuid_generator *generator,
			 enum kuid_source source, u64 last, u64 ahead);
u64 kuid_generator_when(struct kuid_generator *generator,
			const struct kuid_want *want, u64 before);
u64 kuid_generator_shut(const struct kuid_generator *generator,
			enum kuid_source source);
bool kuid_generator_read(const struct kuid_generator *generator,
			 struct kuid_reading *reading);
u64 kuid_generator_clear(const struct kuid_generator *generator);

/* The clock that a source's units are handed out by. */
static __always_inline const struct kuid_clock *
kuid_generator_clock(const struct kuid_generator *generator,
		     const enum kuid_source source)
{
	return source == KUID_STAMPS ? &generator->stamp_clock
				     : &generator->slot_clock;
}

/*
 * Look at the generator by one of its clocks. What is seen does not hold if
 * there was a step or a writer, or it is past the clock's time:
 * kuid_generator_refresh().
 */
static __always_inline struct kuid_view
kuid_generator_view(const struct kuid_generator *generator,
		    const struct kuid_clock *clock)
{
	unsigned int seq = raw_seqcount_begin(&generator->seq);
	/* Pairs with the release in kuid_generator_publish(). */
	struct kuid_epoch *epoch = smp_load_acquire(&generator->epoch);
	u64 offset = READ_ONCE(clock->offset);
	u64 half = READ_ONCE(clock->half);
	u64 until = READ_ONCE(clock->until);
	u64 mono = kuid_port_mono_ns();

	return (struct kuid_view) {
		.epoch = epoch,
		.now = kuid_clock_at(offset, half, mono),
		.seq = seq,
		.holds = likely(mono < until) &&
			 likely(offset == kuid_port_wall_offset()) &&
			 likely(!read_seqcount_retry(&generator->seq, seq)),
	};
}

/*
 * Whether what was reserved in a view may be given out. The reservation is
 * fully ordered, before this reads the count; a writer raises the count before
 * it looks at reservations, see kuid_generator_write_begin(): so that either
 * the writer sees the reservation, or this sees the writer.
 */
static __always_inline bool
kuid_generator_holds(const struct kuid_generator *generator,
		     const struct kuid_view *view)
{
	return !read_seqcount_retry(&generator->seq, view->seq);
}

/* CPUs, or what they have, are numbered through; more CPUs share them. */
static inline unsigned int kuid_generator_cpu(unsigned int nr)
{
	unsigned int cpu = kuid_port_cpu();

	return likely(cpu < nr) ? cpu : cpu % nr;
}

/* The lane that stamps of an order come from, on this CPU. */
static __always_inline unsigned int
kuid_generator_lane(const struct kuid_epoch *epoch, const enum kuid_order order)
{
	if (order == KUID_BY_HOST)
		return KUID_HOST_LANE;
	return KUID_FIRST_CPU_LANE + kuid_generator_cpu(epoch->nr_cpu_lanes);
}

/* A file's watermarks in an epoch. */
static __always_inline struct kuid_watermark *
kuid_generator_watermark(struct kuid_generator *generator,
			 struct kuid_watermarks *watermarks,
			 const struct kuid_epoch *epoch)
{
	/* Pairs with the release in kuid_generator_enter(). */
	if (unlikely(smp_load_acquire(&watermarks->epoch) != epoch->number))
		kuid_generator_enter(generator, watermarks, epoch->number);
	return &watermarks->of[epoch->number & 1];
}

static __always_inline struct kuid_taken
kuid_generator_taken(const struct kuid_units *units, u32 count,
		     const struct kuid_epoch *epoch, u32 closed)
{
	return (struct kuid_taken) {
		.units = { .first = units->first,
			   .count = count,
			   .lane = units->lane },
		.origin = { .epoch = epoch->number,
			    .load_id = epoch->load_id,
			    .closed = closed,
			    .identity = epoch->identity },
	};
}

static inline struct kuid_taken kuid_generator_none(u64 next)
{
	return (struct kuid_taken) { .units.first = next };
}

/* Reserve from @now on, above @above and not above @limit, what is wanted. */
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
	/* The rest of a run would be too little for a batch. */
	if (want->order == KUID_BY_HOST ||
	    (want->order == KUID_BY_FILE && want->count >= KUID_RUN_SLOTS))
		return kuid_sequence_reserve_next(&sequences->of[source], now,
						  above, limit, want->count);
	cpu = kuid_generator_cpu(sequences->nr_cpus);
	run = &sequences->runs[cpu].of[source];
	return kuid_sequence_reserve(&sequences->of[source], run, now, above,
				     limit, want->count);
}

/**
 * kuid_generator_take - take stamps or slots
 * @generator: the generator, which has an epoch
 * @want: what the caller wants
 *
 * What is taken increases. By file, it is above all that was reserved with the
 * same watermarks before this call began. A lane of its own is not enough for
 * that: the caller may have come from a CPU whose lane was ahead of this one's.
 *
 * Context: any but NMI; the epoch must not be freed meanwhile, so in the kernel
 * under rcu_read_lock_sched(). Never sleeps.
 * Return: as much as is to be had at once; if that is nothing, first is the
 * stamp or slot that came next, or KUID_NEVER if the clock has come to the
 * ceiling.
 */
static __always_inline struct kuid_taken
kuid_generator_take(struct kuid_generator *generator,
		    const struct kuid_want *want)
{
	const struct kuid_source_units *of = &kuid_source_units[want->source];
	const struct kuid_clock *clock =
		kuid_generator_clock(generator, want->source);
	const bool follow = want->order != KUID_BY_CPU;

	for (;;) {
		const struct kuid_view view =
			kuid_generator_view(generator, clock);
		u64 now = of->at(view.now);
		/* All that begins at one moment is as far ahead as its first. */
		u64 limit = now + want->ahead + of->tail;
		atomic64_t *watermark = NULL;
		struct kuid_units units;
		u64 above = 0;
		u32 closed;

		if (unlikely(!view.holds)) {
			if (!kuid_generator_refresh(generator, clock))
				return kuid_generator_none(KUID_NEVER);
			continue;
		}
		if (follow) {
			watermark = kuid_generator_watermark(generator,
							     want->watermarks,
							     view.epoch)
					    ->last +
				    want->source;
			above = atomic64_read(watermark);
		}
		units = kuid_epoch_reserve(view.epoch, want, now, above, limit);
		/* Before the look whether the view holds. */
		closed = kuid_gate_closed(&generator->gate, want->parts);
		if (unlikely(!units.count)) {
			if (kuid_generator_holds(generator, &view))
				return kuid_generator_none(units.first);
		} else if (likely(kuid_generator_holds(generator, &view))) {
			/* The compiler doesn't know that 1 is 1 at most. */
			u32 n = want->count == 1 ? 1 : units.count;

			if (follow)
				kuid_raise(watermark, units.first + n - 1);
			return kuid_generator_taken(&units, n, view.epoch,
						    closed);
		}
		/* What was reserved may lie far ahead of the clock. */
		kuid_generator_refresh(generator, clock);
	}
}

#endif /* KUID_CORE_GENERATOR_H */
