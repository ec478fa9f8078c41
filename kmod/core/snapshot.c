// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "snapshot.h"

/**
 * kuid_generator_init - prepare a generator
 * @generator: the generator
 * @max_ahead: the window in nanoseconds: how far the time in an ID may be in
 *	front of its clock
 * @step_limit: stamp lag above which a new epoch is requested, in nanoseconds
 * @ceiling_required: slots, and stamps with a given node, wait for a ceiling
 *
 * Callers must take nothing before the first epoch is published.
 *
 * Context: any but NMI. Takes no lock.
 */
void kuid_generator_init(struct kuid_generator *generator, u64 max_ahead,
			 u64 step_limit, bool ceiling_required)
{
	u64 mono = kuid_port_mono_ns();
	unsigned int i;

	*generator = (struct kuid_generator) {
		.max_ahead = max_ahead,
		.step_limit = step_limit,
		.gate.required = ceiling_required,
	};
	/* If a ceiling is required, the clocks are shut from now on. */
	for (i = 0; i < ARRAY_SIZE(generator->slot_clock.until); i++) {
		generator->stamp_clock.until[i] = mono;
		generator->slot_clock.until[i] = mono;
	}
	for (i = 0; i < KUID_NR_SOURCES; i++)
		generator->windows[i] = (struct kuid_window) {
			.one = kuid_scales[i].span(max_ahead),
			.batch = kuid_scales[i].span(max_ahead / 2),
		};
	seqcount_init(&generator->seq);
	raw_spin_lock_init(&generator->lock);
}

/**
 * kuid_generator_use_vm_id - compare a generation ID from now on
 * @generator: the generator, after kuid_generator_init()
 * @vm_id: &kuid_generator.vm_id
 *
 * Context: any; nobody uses the generator yet.
 */
void kuid_generator_use_vm_id(struct kuid_generator *generator,
			      const u64 *vm_id)
{
	generator->vm_id = vm_id;
	kuid_gate_follow_vm(&generator->gate, vm_id);
}

/**
 * kuid_generator_write_begin - make the snapshot invalid
 * @generator: the generator
 *
 * Callers that have not done their check yet will fail it and start over. The
 * writer ends the change by write_seqcount_end().
 *
 * Context: any but NMI; the caller holds generator->lock.
 */
void kuid_generator_write_begin(struct kuid_generator *generator)
{
	lockdep_assert_held(&generator->lock);

	write_seqcount_begin(&generator->seq);
	/*
	 * Raise the count before reading the reservations and sampling the
	 * clocks. Pairs with the full order of a reservation, see
	 * kuid_generator_holds(). Without this barrier, the writer could miss a
	 * reservation whose caller misses the writer.
	 */
	smp_mb();
}

/*
 * When the first time comes that IDs which show @part can hold, in nanoseconds
 * of the monotonic clock; KUID_NEVER if it has come.
 */
static u64 kuid_generator_range_begin(const struct kuid_clock *slots,
				      const struct kuid_epoch *epoch,
				      enum kuid_part part, u64 mono)
{
	const struct kuid_range *range = &kuid_ranges[part];
	u64 now = kuid_clock_at(slots->offset, slots->half, mono);

	if (!range->first_ns || now >= range->first_ns(&epoch->identity))
		return KUID_NEVER;
	return kuid_clock_reach(slots, range->first_ns(&epoch->identity));
}

/**
 * kuid_generator_range_end - compute until when IDs can hold the times that
 *	callers may get
 * @generator: the generator
 * @slots: its slot clock, or a copy of it
 * @epoch: the epoch in use
 * @part: the part of the identity that the IDs show
 * @mono: the present moment, in nanoseconds of the monotonic clock
 *
 * Context: any.
 * Return: the moment in nanoseconds of the monotonic clock; 0 if the first time
 * that the IDs can hold has not come.
 */
u64 kuid_generator_range_end(const struct kuid_generator *generator,
			     const struct kuid_clock *slots,
			     const struct kuid_epoch *epoch,
			     enum kuid_part part, u64 mono)
{
	const struct kuid_range *range = &kuid_ranges[part];
	u64 end;

	if (!range->end_ns)
		return KUID_NEVER;
	if (kuid_generator_range_begin(slots, epoch, part, mono) != KUID_NEVER)
		return 0;
	/* kuid_clock_reach() takes no higher time, and no clock has one. */
	end = min(range->end_ns(&epoch->identity), BIT_ULL(63) - 1);
	return kuid_clock_reach(slots, end - generator->max_ahead);
}

/*
 * Let callers use a clock for IDs that show @part until the first moment at
 * which they must not. If that has passed, the clock is shut. It must then tell
 * since when, so keep the earlier end. If a clock step has jumped over that
 * moment, the clock is shut since now.
 */
static void kuid_generator_use_until(struct kuid_generator *generator,
				     const struct kuid_epoch *epoch,
				     struct kuid_clock *clock,
				     enum kuid_part part, u64 mono)
{
	const struct kuid_gate *gate = &generator->gate;
	u64 ahead = generator->max_ahead;
	bool slots = clock == &generator->slot_clock;
	u64 until = KUID_NEVER;

	if (gate->required && (slots || kuid_epoch_node_given(epoch)))
		until = kuid_gate_reach(gate->cover.ceiling, clock, ahead);
	if (slots)
		until = min(until, kuid_generator_range_end(generator, clock,
							    epoch, part, mono));
	if (slots && KUID_PARTS_OF(part) & epoch->claimed)
		until = min(until,
			    kuid_gate_reach(kuid_claimed_ceiling(&gate->claim),
					    clock, ahead));
	if (until <= mono)
		until = min(clock->until[part], mono);
	WRITE_ONCE(clock->until[part], until);
}

/**
 * kuid_generator_set_until - compute until when the clocks may be used
 * @generator: the generator
 * @epoch: the epoch in use, or that is about to be
 * @mono: the present moment, in nanoseconds of the monotonic clock
 *
 * To be called after the clocks, a ceiling or the epoch have changed.
 *
 * Context: any but NMI; the caller holds generator->lock, and is between
 * kuid_generator_write_begin() and write_seqcount_end().
 */
void kuid_generator_set_until(struct kuid_generator *generator,
			      const struct kuid_epoch *epoch, u64 mono)
{
	struct kuid_clock *slots = &generator->slot_clock;
	u64 opens = KUID_NEVER;
	enum kuid_part part;

	lockdep_assert_held(&generator->lock);

	for (part = 0; part < KUID_NR_PARTS; part++) {
		kuid_generator_use_until(generator, epoch,
					 &generator->stamp_clock, part, mono);
		kuid_generator_use_until(generator, epoch, slots, part, mono);
		opens = min(opens, kuid_generator_range_begin(slots, epoch,
							      part, mono));
	}
	WRITE_ONCE(generator->opens, opens);
}

/*
 * Whether the snapshot must be changed. In most cases another caller has
 * already done it. Changing it again would make that caller fail its check,
 * refresh in turn, and so on forever.
 */
static bool kuid_generator_any_outdated(const struct kuid_generator *generator,
					const struct kuid_epoch *epoch)
{
	/*
	 * Read the reservations before the clocks. In the other order, the
	 * clocks could be older than a reservation, which would then seem to be
	 * beyond the window.
	 */
	u64 stamp = kuid_epoch_issued(epoch);
	u64 slot = kuid_sequences_issued(epoch->sequences);
	u64 offset;
	u64 mono = kuid_clock_sample(&offset);

	return kuid_generator_outdated(generator, &generator->stamp_clock, mono,
				       offset, stamp) ||
	       kuid_generator_outdated(generator, &generator->slot_clock, mono,
				       offset, slot);
}

static void kuid_generator_update(struct kuid_generator *generator,
				  const struct kuid_epoch *epoch,
				  struct kuid_step *step)
{
	struct kuid_clock *stamps = &generator->stamp_clock;
	struct kuid_clock *slots = &generator->slot_clock;
	u64 ahead = generator->max_ahead;
	u64 mono, offset, stamp, slot;

	kuid_generator_write_begin(generator);
	mono = kuid_clock_sample(&offset);
	step->by = offset - stamps->offset;
	stamp = kuid_epoch_issued(epoch);
	slot = kuid_sequences_issued(epoch->sequences);
	step->stamp_lag = kuid_clock_follow(stamps, mono, offset, stamp, ahead);
	step->slot_lag = kuid_clock_follow(slots, mono, offset, slot, ahead);
	step->epoch_wanted = step->stamp_lag > generator->step_limit &&
			     !kuid_epoch_node_given(epoch);
	kuid_gate_follow(&generator->gate, offset);
	kuid_generator_set_until(generator, epoch, mono);
	kuid_generator_count(generator, step->by);
	write_seqcount_end(&generator->seq);
}

/**
 * kuid_generator_refresh - bring the snapshot up to date
 * @generator: the generator, which has an epoch
 *
 * If the wall clock was set, if a reservation is beyond the window, or if the
 * first time of a format has come, the clocks change.
 *
 * Context: as kuid_generator_take(). Never sleeps. Takes generator->lock, and
 * reads all lanes with the lock held; calls kuid_port_stepped() without it.
 */
void kuid_generator_refresh(struct kuid_generator *generator)
{
	struct kuid_step step = { 0 };
	struct kuid_epoch *epoch;
	unsigned long flags;
	bool outdated;

	raw_spin_lock_irqsave(&generator->lock, flags);
	epoch = generator->epoch;
	outdated = kuid_generator_any_outdated(generator, epoch) ||
		   kuid_port_mono_ns() >= generator->opens;
	if (outdated)
		kuid_generator_update(generator, epoch, &step);
	raw_spin_unlock_irqrestore(&generator->lock, flags);

	/*
	 * Report it even if no clock step was found: waiters must wake, because
	 * their deadlines may have moved closer.
	 */
	if (outdated)
		kuid_port_stepped(&step);
}

/**
 * kuid_generator_renew - bring the snapshot up to date for a caller whose view
 *	does not hold
 * @generator: the generator, which has an epoch
 * @clock: the clock of the generator that the caller uses
 * @part: the part of the identity that the caller's IDs show
 *
 * Any user can call for IDs of a clock that is shut without end. If a refresh
 * would find nothing to change, this function takes no lock and reads no lanes,
 * so such calls don't slow down those of other clocks.
 *
 * Context: as kuid_generator_refresh().
 * Return: false if @clock must not be used for these IDs now:
 * kuid_generator_shut() tells why.
 */
bool kuid_generator_renew(struct kuid_generator *generator,
			  const struct kuid_clock *clock, enum kuid_part part)
{
	unsigned int seq = raw_seqcount_begin(&generator->seq);
	u64 offset = READ_ONCE(clock->offset);
	u64 until = READ_ONCE(clock->until[part]);
	u64 opens = READ_ONCE(generator->opens);
	u64 mono = kuid_port_mono_ns();

	if (mono >= until && mono < opens &&
	    offset == kuid_port_wall_offset() &&
	    !read_seqcount_retry(&generator->seq, seq))
		return false;
	kuid_generator_refresh(generator);
	return true;
}
