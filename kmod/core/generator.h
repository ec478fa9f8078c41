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
 * The code that publishes epochs also frees them. It must keep the former
 * epoch, and the watermarks of its callers, until no caller uses that epoch any
 * more. It must not publish another epoch before that.
 */
#ifndef KUID_CORE_GENERATOR_H
#define KUID_CORE_GENERATOR_H

#include "clock.h"
#include "epoch.h"
#include "gate.h"

/*
 * The default window: how far the time in an ID may be in front of its clock.
 */
#define KUID_MAX_AHEAD_MS 100

/* The default limit of the stamp lag: beyond it, a new epoch begins. */
#define KUID_STEP_LIMIT_MS 10000

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
 * @seq: counts changes of all members from here to @lock
 * @stamp_clock: the clock of stamps
 * @slot_clock: the clock of slots
 * @epoch: the epoch in use; NULL before the first one is published
 * @opens: the moment of the monotonic clock, in nanoseconds, at which the epoch
 *	of snowflake comes; KUID_NEVER if it has come
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
 * @max_ahead, @windows, @step_limit and the pointer @generation never change.
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
 *bit of the epoch's number
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
 * @part: KUID_PART_*: the part of the identity that the IDs will show
 * @ahead: how far the units may be in front of the clock: a member of
 *	&kuid_generator.windows, in units of @source
 * @count: how many units the caller wants, at least 1
 */
struct kuid_want {
	enum kuid_source source;
	struct kuid_watermarks *watermarks;
	enum kuid_order order;
	u32 part;
	u64 ahead;
	u32 count;
};

/**
 * enum kuid_why - the reason for a new epoch
 * @KUID_EPOCH_FIRST: there was no epoch
 * @KUID_EPOCH_STEP: the wall clock was set back by more than the limit
 * @KUID_EPOCH_FORCE: an administrator sets both clocks to the wall clock; slots
 *	may repeat
 * @KUID_EPOCH_SET: an administrator has set the identity
 * @KUID_EPOCH_RESTORE: an administrator has restored the floor
 * @KUID_EPOCH_FORK: there may be a twin
 * @KUID_EPOCH_NODES: private lanes have used up the nodes
 * @KUID_EPOCH_CLAIM: numbers were claimed, or a claim was dropped
 */
enum kuid_why {
	KUID_EPOCH_FIRST,
	KUID_EPOCH_STEP,
	KUID_EPOCH_FORCE,
	KUID_EPOCH_SET,
	KUID_EPOCH_RESTORE,
	KUID_EPOCH_FORK,
	KUID_EPOCH_NODES,
	KUID_EPOCH_CLAIM
};

/**
 * enum kuid_handout - the result of kuid_generator_private_node()
 * @KUID_NODE_HANDED_OUT: the caller has a node
 * @KUID_NODE_IS_GIVEN: the epoch has a given node, so there are no random ones
 * @KUID_NODE_CLOSED: there may be a twin, and the next epoch has not begun yet
 * @KUID_NODES_USED_UP: the epoch has no more nodes
 */
enum kuid_handout {
	KUID_NODE_HANDED_OUT,
	KUID_NODE_IS_GIVEN,
	KUID_NODE_CLOSED,
	KUID_NODES_USED_UP
};

/**
 * enum kuid_shut - why the clock of a source must not be used
 * @KUID_SHUT_NOT: it may be used
 * @KUID_SHUT_CEILING: stable storage does not cover the time
 * @KUID_SHUT_CLAIM: the IDs would show a claimed number, and the claim does not
 *	cover the time
 * @KUID_SHUT_RANGE: the format can't hold the time
 */
enum kuid_shut {
	KUID_SHUT_NOT,
	KUID_SHUT_CEILING,
	KUID_SHUT_CLAIM,
	KUID_SHUT_RANGE
};

/**
 * struct kuid_claiming - a request to begin, replace or drop a claim
 * @claim: the new claim, of which the token, the floor and the ceiling are set;
 *	all zero to drop the claim. Output: all members are set
 * @replaces: the name of the living claim that is replaced or dropped; zero if
 *	none lives
 * @load_id: the load_id that the claimer has seen before it asked its store
 * @former: output: the claim that was there before, as it was when the epoch
 *	began
 *
 * Only @former is used if the epoch does not begin for KUID_EPOCH_CLAIM.
 */
struct kuid_claiming {
	struct kuid_claimed claim;
	struct kuid_token replaces;
	u64 load_id;
	struct kuid_claimed former;
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

/**
 * struct kuid_reading - the state of a generator at one moment
 * @origin: the epoch and its identity; all zeroes if there is no epoch
 * @choices: the rules that the identity was made by
 * @stale: KUID_PART_*: &kuid_epoch.stale
 * @stamp_lag: how far the stamp clock is in front of the wall clock, in
 *	nanoseconds
 * @slot_lag: how far the slot clock is in front of the wall clock, in
 *	nanoseconds
 * @ahead: run-ahead of each source: how far its highest issued time is in front
 *	of its clock, in nanoseconds
 * @stamp_end: all stamps with a given node are below this time, in nanoseconds
 *	since 1970; 0 if there are none
 * @slot_end: all slots are below this time, in nanoseconds since 1970
 * @gate: the gate
 * @steps_back: how often the wall clock was set back
 * @steps_forward: how often the wall clock was set forward
 * @expired: no IDs that show a claimed number may come next, because of the
 *	claim's ceiling
 * @past_ceiling: a time that may come next is not covered by the ceiling
 * @may_repeat: slots may be handed out a second time now
 * @rewound: the same for k64, after the machine was set back
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
	bool expired;
	bool past_ceiling;
	bool may_repeat;
	bool rewound;
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
void kuid_generator_refresh(struct kuid_generator *generator);
bool kuid_generator_renew(struct kuid_generator *generator,
			  const struct kuid_clock *clock, u32 part);
struct kuid_claimed kuid_generator_close(struct kuid_generator *generator);
bool kuid_generator_acknowledge(struct kuid_generator *generator, u64 ceiling);
int kuid_generator_raise_claim(struct kuid_generator *generator, u64 load_id,
			       struct kuid_claimed *claim);
void kuid_generator_enter(struct kuid_generator *generator,
			  struct kuid_watermarks *watermarks, u64 number);
int kuid_generator_publish(struct kuid_generator *generator,
			   struct kuid_epoch *epoch, enum kuid_why why,
			   u64 floor, struct kuid_claiming *claiming);
enum kuid_handout kuid_generator_private_node(struct kuid_generator *generator,
					      struct kuid_private_node *to);
u64 kuid_generator_when(struct kuid_generator *generator,
			const struct kuid_want *want, u64 before);
enum kuid_shut kuid_generator_shut(const struct kuid_generator *generator,
				   enum kuid_source source, u32 part,
				   u64 *since);
bool kuid_generator_read(const struct kuid_generator *generator,
			 struct kuid_reading *reading);
u64 kuid_generator_clear(const struct kuid_generator *generator);

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
		    const struct kuid_clock *clock, const u32 part)
{
	unsigned int seq = raw_seqcount_begin(&generator->seq);
	/* Pairs with the release in kuid_generator_publish(). */
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
 *
 * The units increase. Unless the order is KUID_BY_CPU, they are above all units
 * that calls with the same watermarks took before this call began. A lane alone
 * would not be enough for that: the caller may come from a CPU whose lane is in
 * front of this one.
 *
 * Context: any but NMI. The epoch must not be freed meanwhile, so kernel code
 * calls this under rcu_read_lock_sched(). Never sleeps. Takes generator->lock
 * if the snapshot must be refreshed.
 * Return: as many units as could be had at once. If there was none, count is 0,
 * and first is the first unit that the caller would have got without the limit,
 * or KUID_NEVER if the clock must not be used: kuid_generator_shut() tells why.
 */
static __always_inline struct kuid_taken
kuid_generator_take(struct kuid_generator *generator,
		    const struct kuid_want *want)
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
		u32 closed;

		if (unlikely(!view.holds)) {
			if (!kuid_generator_renew(generator, clock, want->part))
				return kuid_generator_none(KUID_NEVER);
			continue;
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
			if (kuid_generator_holds(generator, &view))
				return kuid_generator_none(units.first);
		} else if (likely(kuid_generator_holds(generator, &view))) {
			/* Tell the compiler: it can't know that 1 was taken. */
			u32 n = want->count == 1 ? 1 : units.count;

			if (follow)
				kuid_raise(&mark->last[want->source],
					   units.first + n - 1);
			return kuid_generator_taken(&units, n, view.epoch,
						    closed);
		}
		/*
		 * The dropped reservation may lie beyond the window of the
		 * clock. Without a refresh, it would keep others waiting.
		 */
		kuid_generator_refresh(generator);
	}
}

#endif /* KUID_CORE_GENERATOR_H */
