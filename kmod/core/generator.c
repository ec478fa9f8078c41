// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What the generator does when something has changed, and what is asked about
 * it: all that is not in the way of an ID.
 */
#include "generator.h"
#include "node.h"
#include "uuid.h"

/**
 * kuid_generator_init - prepare a generator
 * @generator: the generator
 * @max_ahead: how far an ID may be ahead of its clock, in nanoseconds
 * @step_limit: how far issued stamps may be ahead of the wall clock before a
 *	new epoch is asked for, in nanoseconds
 * @ceiling_required: slots, and stamps with a given node, wait for a ceiling
 *
 * Nothing may be taken from it before an epoch is published.
 */
void kuid_generator_init(struct kuid_generator *generator, u64 max_ahead,
			 u64 step_limit, bool ceiling_required)
{
	u64 mono = kuid_port_mono_ns();
	unsigned int i;

	*generator = (struct kuid_generator) {
		/* Where a ceiling is required, they wait from now on. */
		.stamp_clock.until = mono,
		.slot_clock.until = mono,
		.max_ahead = max_ahead,
		.step_limit = step_limit,
		.gate.required = ceiling_required,
	};
	for (i = 0; i < KUID_NR_SOURCES; i++)
		generator->windows[i] = (struct kuid_window) {
			.one = kuid_source_units[i].span(max_ahead),
			.batch = kuid_source_units[i].span(max_ahead / 2),
		};
	seqcount_init(&generator->seq);
	raw_spin_lock_init(&generator->lock);
}

/* Readers that have not finished by now will find that they have to retry. */
static void kuid_generator_write_begin(struct kuid_generator *generator)
{
	lockdep_assert_held(&generator->lock);

	write_seqcount_begin(&generator->seq);
	/*
	 * Before this writer looks at what was reserved, and samples clocks.
	 * Pairs with the full order of reservations, kuid_generator_holds().
	 */
	smp_mb();
}

/* A moment, and the wall clock of that moment. */
static u64 kuid_generator_sample(u64 *offset)
{
	u64 mono;

	do {
		*offset = kuid_port_wall_offset();
		mono = kuid_port_mono_ns();
	} while (kuid_port_wall_offset() != *offset);
	return mono;
}

/* The clock goes on from what was issued. Returns by how much it lags. */
static u64 kuid_generator_follow(struct kuid_clock *clock, u64 mono, u64 offset,
				 u64 issued, u64 ahead)
{
	struct kuid_clock to = *clock;
	u64 lag = kuid_clock_follow(&to, mono, offset, issued, ahead);

	WRITE_ONCE(clock->offset, to.offset);
	WRITE_ONCE(clock->half, to.half);
	return lag;
}

/* The clock is the wall clock, whatever was issued. */
static void kuid_generator_restart(struct kuid_clock *clock, u64 offset)
{
	WRITE_ONCE(clock->offset, offset);
	WRITE_ONCE(clock->half, 0);
}

/* The wall clock was found set by so much. */
static void kuid_generator_count(struct kuid_generator *generator, s64 by)
{
	if (by < 0)
		WRITE_ONCE(generator->steps_back, generator->steps_back + 1);
	if (by > 0)
		WRITE_ONCE(generator->steps_forward,
			   generator->steps_forward + 1);
}

/*
 * A clock may be used until @at. If that is no longer so, a clock step may have
 * jumped over that moment: the clock could be used until now, or until it
 * could be used last.
 */
static void kuid_generator_use_until(struct kuid_clock *clock, u64 mono, u64 at)
{
	if (at <= mono)
		at = min(clock->until, mono);
	WRITE_ONCE(clock->until, at);
}

/* Say until when clocks may be used, after they or what that is have changed. */
static void kuid_generator_set_until(struct kuid_generator *generator,
				     const struct kuid_epoch *epoch, u64 mono)
{
	const struct kuid_gate *gate = &generator->gate;
	struct kuid_clock *stamps = &generator->stamp_clock;
	struct kuid_clock *slots = &generator->slot_clock;
	u64 ahead = generator->max_ahead;
	u64 until_stamp = KUID_NEVER;
	u64 until_slot = KUID_NEVER;

	lockdep_assert_held(&generator->lock);

	if (gate->required) {
		until_slot = kuid_gate_reach(gate, slots, ahead);
		if (kuid_epoch_node_given(epoch))
			until_stamp = kuid_gate_reach(gate, stamps, ahead);
	}
	kuid_generator_use_until(stamps, mono, until_stamp);
	kuid_generator_use_until(slots, mono, until_slot);
}

/*
 * Whether a clock does not fit what is known now: the wall clock was set, or
 * something was issued that the clock would have had wait. What was dropped by
 * a reader that slept over a step can lie far ahead of a clock.
 */
static bool kuid_generator_outdated(const struct kuid_generator *generator,
				    const struct kuid_clock *clock, u64 mono,
				    u64 offset, u64 issued)
{
	return offset != clock->offset ||
	       issued > kuid_clock_at(clock->offset, clock->half, mono) +
				generator->max_ahead;
}

/*
 * Whether the snapshot does not fit what is known now. Most often it does,
 * because another reader has come first; changed again all the same, it would
 * send that reader back in turn, and so on for ever.
 */
static bool kuid_generator_stale(const struct kuid_generator *generator,
				 const struct kuid_epoch *epoch)
{
	/* Read before the clocks, which are ahead of all that was issued then. */
	u64 stamp = kuid_epoch_issued(epoch);
	u64 slot = kuid_sequences_issued(epoch->sequences);
	u64 offset;
	u64 mono = kuid_generator_sample(&offset);

	return kuid_generator_outdated(generator, &generator->stamp_clock, mono,
				       offset, stamp) ||
	       kuid_generator_outdated(generator, &generator->slot_clock, mono,
				       offset, slot);
}

/* Bring the snapshot up to date. */
static void kuid_generator_update(struct kuid_generator *generator,
				  const struct kuid_epoch *epoch,
				  struct kuid_step *step)
{
	struct kuid_clock *stamps = &generator->stamp_clock;
	struct kuid_clock *slots = &generator->slot_clock;
	u64 ahead = generator->max_ahead;
	u64 mono, offset, stamp, slot;

	kuid_generator_write_begin(generator);
	mono = kuid_generator_sample(&offset);
	step->by = offset - stamps->offset;
	stamp = kuid_epoch_issued(epoch);
	slot = kuid_sequences_issued(epoch->sequences);
	step->stamp_lag =
		kuid_generator_follow(stamps, mono, offset, stamp, ahead);
	step->slot_lag =
		kuid_generator_follow(slots, mono, offset, slot, ahead);
	step->epoch_wanted = step->stamp_lag > generator->step_limit &&
			     !kuid_epoch_node_given(epoch);
	kuid_generator_set_until(generator, epoch, mono);
	kuid_generator_count(generator, step->by);
	write_seqcount_end(&generator->seq);
}

/**
 * kuid_generator_refresh - look at the wall clock again
 * @generator: the generator, which has an epoch
 * @clock: the one of its clocks that matters
 *
 * For whoever found that the snapshot does not hold.
 *
 * Context: as kuid_generator_take(). Takes generator->lock; calls
 * kuid_port_stepped() without it.
 * Return: false if @clock may not be used now, because it has come to the
 * ceiling.
 */
bool kuid_generator_refresh(struct kuid_generator *generator,
			    const struct kuid_clock *clock)
{
	struct kuid_step step = { 0 };
	struct kuid_epoch *epoch;
	unsigned long flags;
	bool stale;
	u64 until;

	raw_spin_lock_irqsave(&generator->lock, flags);
	epoch = generator->epoch;
	stale = kuid_generator_stale(generator, epoch);
	if (stale)
		kuid_generator_update(generator, epoch, &step);
	until = clock->until;
	raw_spin_unlock_irqrestore(&generator->lock, flags);

	/* Also if it is no step: who waits for what is nearer now must know. */
	if (stale)
		kuid_port_stepped(&step);
	return kuid_port_mono_ns() < until;
}

/**
 * kuid_generator_close - let no more IDs be made with the epoch's identity,
 *	because another machine may have it
 * @generator: the generator
 *
 * Until an epoch whose identity was drawn after this, and for this. None is
 * taken that shows a part of the identity after this has returned; what was
 * taken before may still be on its way to the caller.
 *
 * Context: any but NMI. Takes generator->lock.
 */
void kuid_generator_close(struct kuid_generator *generator)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&generator->lock, flags);
	kuid_generator_write_begin(generator);
	kuid_gate_close(&generator->gate);
	write_seqcount_end(&generator->seq);
	raw_spin_unlock_irqrestore(&generator->lock, flags);
}

/*
 * The time that all stamps with a given node are below, if @issued was the
 * highest one before @epoch, and @stamp is the highest one in it.
 */
static u64 kuid_generator_stamp_end(const struct kuid_epoch *epoch, u64 issued,
				    u64 stamp)
{
	if (kuid_epoch_node_given(epoch))
		issued = max(issued, stamp);
	return issued ? issued + 1 : 0;
}

/**
 * kuid_generator_acknowledge - set the ceiling
 * @generator: the generator, which has an epoch
 * @ceiling: stable storage covers all times below
 *
 * Context: any but NMI. Takes generator->lock.
 * Return: false if that is not so, because a higher one was issued.
 */
bool kuid_generator_acknowledge(struct kuid_generator *generator, u64 ceiling)
{
	struct kuid_epoch *epoch;
	unsigned long flags;
	bool covers;

	raw_spin_lock_irqsave(&generator->lock, flags);
	kuid_generator_write_begin(generator);
	epoch = generator->epoch;
	covers = ceiling >= kuid_sequences_end(epoch->sequences) &&
		 ceiling >= kuid_generator_stamp_end(epoch, generator->issued,
						     kuid_epoch_issued(epoch));
	if (covers) {
		WRITE_ONCE(generator->gate.ceiling, ceiling);
		kuid_generator_set_until(generator, epoch, kuid_port_mono_ns());
	}
	write_seqcount_end(&generator->seq);
	raw_spin_unlock_irqrestore(&generator->lock, flags);
	return covers;
}

/**
 * kuid_generator_enter - begin to use an open file's watermarks in an epoch
 * @generator: the generator
 * @watermarks: the watermarks
 * @number: the epoch's
 *
 * Context: as kuid_generator_take(). Takes generator->lock.
 */
void kuid_generator_enter(struct kuid_generator *generator,
			  struct kuid_watermarks *watermarks, u64 number)
{
	struct kuid_watermark *watermark = &watermarks->of[number & 1];
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&generator->lock, flags);
	/* Else @number is an epoch on its way out, and its watermarks are kept.
	 */
	if (watermarks->epoch < number) {
		for (i = 0; i < KUID_NR_SOURCES; i++)
			atomic64_set(&watermark->last[i], 0);
		/* Pairs with the acquire in kuid_generator_watermark(). */
		smp_store_release(&watermarks->epoch, number);
	}
	raw_spin_unlock_irqrestore(&generator->lock, flags);
}

/* The beginning of the next tick of v1 and v6, at @time or after it. */
static u64 kuid_generator_next_tick(u64 time)
{
	return (time + KUID_TICK_NS - 1) / KUID_TICK_NS * KUID_TICK_NS;
}

/*
 * Give @epoch lanes that begin with a tick of their own, so that no tick has
 * stamps of two epochs with one node. Returns the highest stamp that counts as
 * issued; 0 if there is none.
 */
static u64 kuid_generator_start_lanes(const struct kuid_generator *generator,
				      struct kuid_epoch *epoch, u64 wall)
{
	u64 start = 0;
	unsigned int i;

	if (kuid_epoch_node_given(epoch)) {
		if (generator->issued)
			start = kuid_generator_next_tick(generator->issued + 1);
	} else if (generator->epoch) {
		start = kuid_generator_next_tick(wall);
	}
	if (!start)
		return 0;
	for (i = 0; i < kuid_epoch_nr_lanes(epoch); i++)
		atomic64_set(&epoch->lanes[i].last, start - 1);
	return start - 1;
}

/* Whether issued stamps are so far ahead of @wall that a new epoch helps. */
static bool kuid_generator_is_behind(const struct kuid_generator *generator,
				     u64 wall)
{
	const struct kuid_epoch *epoch = generator->epoch;

	return !kuid_epoch_node_given(epoch) &&
	       kuid_epoch_issued(epoch) > wall + generator->step_limit;
}

/* Remember what the epoch in use has issued, for those after it. */
static void kuid_generator_end_epoch(struct kuid_generator *generator,
				     const struct kuid_epoch *next)
{
	const struct kuid_epoch *former = generator->epoch;
	u64 issued = generator->issued;

	lockdep_assert_held(&generator->lock);

	if (former && kuid_epoch_node_given(former))
		issued = max(issued, kuid_epoch_issued(former));
	else if (former)
		generator->drawn =
			max(generator->drawn, kuid_epoch_issued(former));
	/* A node that was drawn, which shows that bit, may be given now. */
	if (kuid_epoch_node_given(next) &&
	    next->identity.node & KUID_NODE_MULTICAST)
		issued = max(issued, generator->drawn);
	WRITE_ONCE(generator->issued, issued);
}

/**
 * kuid_generator_publish - begin an epoch
 * @generator: the generator
 * @epoch: the epoch; its identity and what says how that may be used are set,
 *	and @epoch->nr_cpu_lanes; for KUID_EPOCH_FIRST and KUID_EPOCH_FORCE
 *	@epoch->sequences, which have given out nothing; for KUID_EPOCH_FIRST
 *	and where there may be a twin @epoch->load_id; the rest is all zeroes
 * @why: why it begins
 * @floor: for KUID_EPOCH_RESTORE nothing of a time below is given out any more,
 *	in nanoseconds since 1970; 0 if there is none
 *
 * With a node of its own the epoch begins at the wall clock; with one that was
 * given it goes on from the last stamp that was made with one. Either way it
 * begins with a tick of its own, so that no tick has stamps of two epochs with
 * one node.
 *
 * Context: any; callers exclude each other, and see to it that no reader is
 * left of the epoch before the one in use. Takes generator->lock; if the wall
 * clock was set, calls kuid_port_stepped() without it.
 * Return: true, and what was generator->epoch may be freed when its readers
 * are gone; false if @why is KUID_EPOCH_STEP and that is no longer so, and
 * nothing was done with @epoch.
 */
bool kuid_generator_publish(struct kuid_generator *generator,
			    struct kuid_epoch *epoch, enum kuid_why why,
			    u64 floor)
{
	u64 stamps_ahead = generator->max_ahead;
	u64 slots_ahead = generator->max_ahead;
	struct kuid_gate *gate = &generator->gate;
	struct kuid_step step = { 0 };
	struct kuid_epoch *former;
	u64 mono, offset, issued;
	unsigned long flags;

	raw_spin_lock_irqsave(&generator->lock, flags);
	kuid_generator_write_begin(generator);
	mono = kuid_generator_sample(&offset);
	former = generator->epoch;
	if (why == KUID_EPOCH_STEP &&
	    !kuid_generator_is_behind(generator, mono + offset)) {
		write_seqcount_end(&generator->seq);
		raw_spin_unlock_irqrestore(&generator->lock, flags);
		return false;
	}

	if (former)
		step.by = offset - generator->stamp_clock.offset;
	kuid_generator_end_epoch(generator, epoch);
	if (!epoch->sequences)
		epoch->sequences = former->sequences;
	if (!epoch->load_id)
		epoch->load_id = former->load_id;
	if (why == KUID_EPOCH_FORCE)
		kuid_gate_force(gate, kuid_sequences_end(former->sequences));
	if (why == KUID_EPOCH_RESTORE)
		kuid_gate_restore(gate, floor);
	if (floor) {
		/* A clock begins at a higher floor with all of the window. */
		if (floor > generator->issued)
			stamps_ahead = 0;
		if (floor > kuid_sequences_end(epoch->sequences))
			slots_ahead = 0;
		WRITE_ONCE(generator->issued,
			   max(generator->issued, floor - 1));
		kuid_sequences_raise(epoch->sequences, floor);
	}

	issued = kuid_generator_start_lanes(generator, epoch, mono + offset);
	if (kuid_epoch_node_given(epoch))
		step.stamp_lag = kuid_generator_follow(&generator->stamp_clock,
						       mono, offset, issued,
						       stamps_ahead);
	else
		kuid_generator_restart(&generator->stamp_clock, offset);
	issued = kuid_sequences_issued(epoch->sequences);
	if (why == KUID_EPOCH_FIRST || why == KUID_EPOCH_FORCE)
		kuid_generator_restart(&generator->slot_clock, offset);
	else
		step.slot_lag = kuid_generator_follow(&generator->slot_clock,
						      mono, offset, issued,
						      slots_ahead);

	kuid_gate_open(gate, epoch->closings,
		       why == KUID_EPOCH_FIRST || why == KUID_EPOCH_FORK,
		       epoch->stale);
	kuid_generator_set_until(generator, epoch, mono);
	epoch->number = former ? former->number + 1 : 1;
	/* Pairs with the acquires of generator->epoch. */
	smp_store_release(&generator->epoch, epoch);
	kuid_generator_count(generator, step.by);
	write_seqcount_end(&generator->seq);
	raw_spin_unlock_irqrestore(&generator->lock, flags);

	/* Nobody else finds it: the clocks are up to date again. */
	if (step.by)
		kuid_port_stepped(&step);
	return true;
}

/*
 * A snapshot that holds, but for the ceiling, which may have been come to;
 * without an epoch if there is none.
 */
static struct kuid_view kuid_generator_look(struct kuid_generator *generator,
					    const struct kuid_clock *clock)
{
	for (;;) {
		const struct kuid_view view =
			kuid_generator_view(generator, clock);

		if (view.holds || !view.epoch ||
		    !kuid_generator_refresh(generator, clock))
			return view;
	}
}

/**
 * kuid_generator_ready - when something may be given out
 * @generator: the generator, which has an epoch
 * @source: what it is
 * @last: the nanosecond or slot
 * @ahead: how far it may be ahead of the clock: of generator->windows
 *
 * Context: as kuid_generator_take(). Takes generator->lock.
 * Return: the moment from which on it may, in nanoseconds of the monotonic
 * clock, if the wall clock is not set until then.
 */
u64 kuid_generator_ready(struct kuid_generator *generator,
			 enum kuid_source source, u64 last, u64 ahead)
{
	struct kuid_clock clock;
	unsigned long flags;

	raw_spin_lock_irqsave(&generator->lock, flags);
	clock = *kuid_generator_clock(generator, source);
	raw_spin_unlock_irqrestore(&generator->lock, flags);
	return kuid_clock_reach(&clock,
				kuid_source_units[source].begin(last - ahead));
}

/* The first stamp or slot that nobody has, on this CPU for stamps. */
static u64 kuid_generator_next(const struct kuid_epoch *epoch,
			       enum kuid_source source, enum kuid_order order)
{
	unsigned int lane;

	if (source != KUID_STAMPS)
		return atomic64_read(&epoch->sequences->of[source].next);
	lane = kuid_generator_lane(epoch, order);
	return atomic64_read(&epoch->lanes[lane].last) + 1;
}

/**
 * kuid_generator_when - when there is something to be had
 * @generator: the generator, which has an epoch
 * @want: what the caller wants; if that is more than may be ahead at once, as
 *	much as may be
 * @before: how much others are to have before that
 *
 * Context: as kuid_generator_take(). Takes generator->lock.
 * Return: the moment from which on there is, for stamps on this CPU, for slots
 * on any, in nanoseconds of the monotonic clock; if no one else takes it first,
 * and the wall clock is not set until then. KUID_NEVER if the clock has come to
 * the ceiling.
 */
u64 kuid_generator_when(struct kuid_generator *generator,
			const struct kuid_want *want, u64 before)
{
	const struct kuid_source_units *of = &kuid_source_units[want->source];
	const struct kuid_clock *clock =
		kuid_generator_clock(generator, want->source);
	const struct kuid_view view = kuid_generator_look(generator, clock);
	const struct kuid_watermark *watermark;
	u64 next, more;

	if (!view.epoch || !view.holds)
		return KUID_NEVER;
	watermark = kuid_generator_watermark(generator, want->watermarks,
					     view.epoch);
	next = kuid_generator_next(view.epoch, want->source, want->order);
	next = max_t(u64, next,
		     atomic64_read(&watermark->last[want->source]) + 1);
	next = max(next, of->at(view.now)) + before;
	more = min_t(u64, want->count - 1, want->ahead + of->tail);
	return kuid_generator_ready(generator, want->source, next + more,
				    want->ahead);
}

/**
 * kuid_generator_shut - since when nothing may be taken for want of a ceiling
 * @generator: the generator
 * @source: from which source
 *
 * Context: any.
 * Return: the moment, in nanoseconds of the monotonic clock; KUID_NEVER if that
 * is not so.
 */
u64 kuid_generator_shut(const struct kuid_generator *generator,
			enum kuid_source source)
{
	u64 until = READ_ONCE(kuid_generator_clock(generator, source)->until);

	return until <= kuid_port_mono_ns() ? until : KUID_NEVER;
}

static struct kuid_clock kuid_generator_copy(const struct kuid_clock *clock)
{
	struct kuid_clock copy = { 0 };

	copy.offset = READ_ONCE(clock->offset);
	copy.half = READ_ONCE(clock->half);
	return copy;
}

/**
 * kuid_generator_read - how things stand
 * @generator: the generator
 * @reading: set in all of it
 *
 * If the wall clock was set and no one has asked for an ID since, the reading
 * is as if someone had just now.
 *
 * Context: as kuid_generator_take(). Takes no lock, and waits for none: it is
 * repeated while someone writes what generator->seq counts.
 * Return: whether @reading shows a change that the generator does not know of
 * yet: kuid_generator_refresh() tells it.
 */
bool kuid_generator_read(const struct kuid_generator *generator,
			 struct kuid_reading *reading)
{
	u64 last[KUID_NR_SOURCES], last_slot, issued;
	u64 mono, offset, wall, stamp, slot;
	struct kuid_clock stamps, slots;
	const struct kuid_epoch *epoch;
	unsigned int seq, i;
	bool outdated;
	s64 by;

	*reading = (struct kuid_reading) { 0 };
	if (!READ_ONCE(generator->epoch))
		return false;

	do {
		seq = raw_read_seqcount_begin(&generator->seq);
		/* Pairs with the release in kuid_generator_publish(). */
		epoch = smp_load_acquire(&generator->epoch);
		/*
		 * Read before the clocks, which are ahead of all that was
		 * issued then.
		 */
		for (i = 0; i < KUID_NR_SOURCES; i++)
			last[i] = kuid_source_issued(epoch, i);
		reading->slot_end = kuid_sequences_end(epoch->sequences);
		stamps = kuid_generator_copy(&generator->stamp_clock);
		slots = kuid_generator_copy(&generator->slot_clock);
		mono = kuid_generator_sample(&offset);
		issued = READ_ONCE(generator->issued);
		reading->gate = kuid_gate_read(&generator->gate);
		reading->steps_back = READ_ONCE(generator->steps_back);
		reading->steps_forward = READ_ONCE(generator->steps_forward);
	} while (read_seqcount_retry(&generator->seq, seq));

	/* As kuid_generator_refresh() would go on from here. */
	last_slot = 0;
	for (i = 0; i < KUID_NR_SEQUENCES; i++)
		last_slot = max(last_slot, last[i]);
	by = offset - stamps.offset;
	outdated = kuid_generator_outdated(generator, &stamps, mono, offset,
					   last[KUID_STAMPS]) ||
		   kuid_generator_outdated(generator, &slots, mono, offset,
					   last_slot);
	if (outdated) {
		kuid_clock_follow(&stamps, mono, offset, last[KUID_STAMPS],
				  generator->max_ahead);
		kuid_clock_follow(&slots, mono, offset, last_slot,
				  generator->max_ahead);
	}
	reading->steps_back += by < 0;
	reading->steps_forward += by > 0;

	/* One moment, by the clocks as they are now. */
	wall = mono + offset;
	stamp = kuid_clock_at(stamps.offset, stamps.half, mono);
	slot = kuid_clock_at(slots.offset, slots.half, mono);
	reading->origin.epoch = epoch->number;
	reading->origin.load_id = epoch->load_id;
	reading->origin.identity = epoch->identity;
	reading->choices = epoch->choices;
	reading->stale = epoch->stale;
	reading->stamp_lag = stamp - wall;
	reading->slot_lag = slot - wall;
	reading->may_repeat = slot < reading->gate.forced;
	reading->origin.closed = reading->gate.closed;
	for (i = 0; i < KUID_NR_SOURCES; i++) {
		u64 time = i == KUID_STAMPS ? stamp : slot;

		reading->ahead[i] = last[i] > time ? last[i] - time : 0;
	}
	reading->stamp_end =
		kuid_generator_stamp_end(epoch, issued, last[KUID_STAMPS]);
	if (kuid_epoch_node_given(epoch))
		slot = max(slot, stamp);
	slot += generator->max_ahead;
	reading->past_ceiling = kuid_gate_is_past_ceiling(&reading->gate, slot);
	return outdated;
}

/**
 * kuid_generator_clear - when all that could be given out again has passed
 * @generator: the generator, which no one uses any more
 *
 * Return: the time from which on another generator with the same identity
 * would not give out anything again, in nanoseconds since 1970, or what was
 * given out before the clock was forced back. A random node is not given out
 * again at all.
 */
u64 kuid_generator_clear(const struct kuid_generator *generator)
{
	const struct kuid_epoch *epoch = generator->epoch;
	u64 end;

	if (!epoch)
		return 0;
	end = kuid_generator_stamp_end(epoch, generator->issued,
				       kuid_epoch_issued(epoch));
	end = max(end, kuid_sequences_end(epoch->sequences));
	return max(end, generator->gate.forced);
}
