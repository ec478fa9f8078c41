// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The rare paths of the generator: refreshing the snapshot, publishing an
 * epoch, and answering questions about the generator. The path of an ID is in
 * generator.h.
 */
#include "generator.h"
#include "uuid.h"

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

/*
 * Make the snapshot invalid: callers that have not done their check yet will
 * fail it and start over.
 */
static void kuid_generator_write_begin(struct kuid_generator *generator)
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

static void kuid_generator_change_generation(struct kuid_generator *generator)
{
	u64 *generation = generator->generation;

	lockdep_assert_held(&generator->lock);

	if (!generation)
		return;
	/*
	 * Pairs with the acquire in kuid_generator_private_node(): a caller
	 * that reads the even number also sees the epoch and the gate of that
	 * generation. Pairs also with the acquire of a process that compares
	 * the generation of its lane.
	 */
	smp_store_release(generation, *generation + 1);
}

/* Keep private lanes from making IDs, until they have other nodes. */
static void kuid_generator_stop_private(struct kuid_generator *generator)
{
	kuid_generator_change_generation(generator);
	/*
	 * Change the generation before reading the counter of nodes. Pairs with
	 * the full order of kuid_node_next(), see
	 * kuid_generator_private_node(). Without this barrier, the writer could
	 * miss a node whose caller misses the change.
	 */
	smp_mb();
}

/* Let the present epoch hand out nodes for private lanes. */
static void kuid_generator_start_private(struct kuid_generator *generator)
{
	kuid_generator_change_generation(generator);
}

/* Let a clock go on from the highest issued time. Returns the lag. */
static u64 kuid_generator_follow(struct kuid_clock *clock, u64 mono, u64 offset,
				 u64 issued, u64 ahead)
{
	struct kuid_clock to = *clock;
	u64 lag = kuid_clock_follow(&to, mono, offset, issued, ahead);

	WRITE_ONCE(clock->offset, to.offset);
	WRITE_ONCE(clock->half, to.half);
	return lag;
}

/* Set a clock to the wall clock, even if higher times were issued. */
static void kuid_generator_restart(struct kuid_clock *clock, u64 offset)
{
	WRITE_ONCE(clock->offset, offset);
	WRITE_ONCE(clock->half, 0);
}

static void kuid_generator_count(struct kuid_generator *generator, s64 by)
{
	if (by < 0)
		WRITE_ONCE(generator->steps_back, generator->steps_back + 1);
	if (by > 0)
		WRITE_ONCE(generator->steps_forward,
			   generator->steps_forward + 1);
}

/*
 * When the epoch of snowflake comes, in nanoseconds of the monotonic clock;
 * KUID_NEVER if it has come.
 */
static u64 kuid_generator_range_begin(const struct kuid_clock *slots,
				      const struct kuid_epoch *epoch, u64 mono)
{
	u64 epoch_ms = epoch->identity.snowflake_epoch;
	u64 begin = kuid_snowflake_begin_ns(epoch_ms);

	if (kuid_clock_at(slots->offset, slots->half, mono) >= begin)
		return KUID_NEVER;
	return kuid_clock_reach(slots, begin);
}

/*
 * Until when snowflake can hold the times that callers may get, in nanoseconds
 * of the monotonic clock; 0 if its epoch has not come.
 */
static u64 kuid_generator_range_end(const struct kuid_generator *generator,
				    const struct kuid_clock *slots,
				    const struct kuid_epoch *epoch, u64 mono)
{
	u64 epoch_ms = epoch->identity.snowflake_epoch;
	/* kuid_clock_reach() takes no higher time, and no clock has one. */
	u64 end = min(kuid_snowflake_end_ns(epoch_ms), BIT_ULL(63) - 1);

	if (kuid_generator_range_begin(slots, epoch, mono) != KUID_NEVER)
		return 0;
	return kuid_clock_reach(slots, end - generator->max_ahead);
}

/*
 * The first moment of the monotonic clock, in nanoseconds, at which a clock
 * must not be used any more for IDs that show @part; a past moment if it must
 * not be used now.
 */
static u64 kuid_generator_until(const struct kuid_generator *generator,
				const struct kuid_epoch *epoch,
				const struct kuid_clock *clock, u32 part,
				u64 mono)
{
	const struct kuid_gate *gate = &generator->gate;
	bool slots = clock == &generator->slot_clock;
	u64 until = KUID_NEVER;

	if (gate->required && (slots || kuid_epoch_node_given(epoch)))
		until = kuid_gate_reach(gate, clock, generator->max_ahead);
	if (slots && part == KUID_PART_SNOWFLAKE)
		until = min(until, kuid_generator_range_end(generator, clock,
							    epoch, mono));
	if (slots && part & epoch->claimed)
		until = min(until, kuid_gate_claim_reach(gate, clock,
							 generator->max_ahead));
	return until;
}

/*
 * Let callers use a clock until @at for IDs that show @part. If @at has passed,
 * the clock is shut. It must then tell since when, so keep the earlier end. If
 * a clock step has jumped over @at, the clock is shut since now.
 */
static void kuid_generator_use_until(struct kuid_clock *clock, u32 part,
				     u64 mono, u64 at)
{
	if (at <= mono)
		at = min(clock->until[part], mono);
	WRITE_ONCE(clock->until[part], at);
}

/*
 * Compute until when the clocks may be used, after the clocks, the ceiling or
 * the epoch have changed.
 */
static void kuid_generator_set_until(struct kuid_generator *generator,
				     const struct kuid_epoch *epoch, u64 mono)
{
	struct kuid_clock *const clocks[] = { &generator->stamp_clock,
					      &generator->slot_clock };
	unsigned int i;
	u32 part;
	u64 at;

	lockdep_assert_held(&generator->lock);

	for (i = 0; i < ARRAY_SIZE(clocks); i++)
		for (part = 0; part < ARRAY_SIZE(clocks[i]->until); part++) {
			at = kuid_generator_until(generator, epoch, clocks[i],
						  part, mono);
			kuid_generator_use_until(clocks[i], part, mono, at);
		}
	at = kuid_generator_range_begin(&generator->slot_clock, epoch, mono);
	WRITE_ONCE(generator->opens, at);
}

/*
 * Whether a clock must be changed. There are two reasons: the wall clock was
 * set, or a reservation is beyond the window of the clock. The second one
 * happens if a caller has slept across a clock step: its dropped reservation
 * can lie far in front of the clock.
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
	step->stamp_lag =
		kuid_generator_follow(stamps, mono, offset, stamp, ahead);
	step->slot_lag =
		kuid_generator_follow(slots, mono, offset, slot, ahead);
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
 * epoch of snowflake has come, the clocks change.
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
 * @part: KUID_PART_*: the part of the identity that the caller's IDs show
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
			  const struct kuid_clock *clock, u32 part)
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

/*
 * Record how far the living claim was used. Slots of other formats may be
 * beyond its ceiling.
 */
static void kuid_generator_note_claim(struct kuid_generator *generator)
{
	struct kuid_claimed *claim = &generator->gate.claim;
	u64 end;

	lockdep_assert_held(&generator->lock);

	if (!kuid_claimed_lives(claim))
		return;
	end = max(claim->first,
		  kuid_sequences_end(generator->epoch->sequences));
	claim->end = min(claim->ceiling, end);
}

/**
 * kuid_generator_close - stop the use of the epoch's identity because there may
 *	be a twin
 * @generator: the generator
 *
 * The identity stays closed until an epoch is published whose identity was
 * drawn after this call and because of a twin. After this function has
 * returned, no call takes units for IDs that show a part of the identity, and
 * the generation is another one. Units that were taken before may still be on
 * their way to the caller.
 *
 * Context: any but NMI. Never sleeps. Takes generator->lock.
 * Return: the claim that has ended by this; without a token if none has.
 */
struct kuid_claimed kuid_generator_close(struct kuid_generator *generator)
{
	struct kuid_claimed died = { 0 };
	unsigned long flags;
	bool lives;

	raw_spin_lock_irqsave(&generator->lock, flags);
	kuid_generator_write_begin(generator);
	kuid_generator_stop_private(generator);
	lives = kuid_claimed_lives(&generator->gate.claim);
	kuid_generator_note_claim(generator);
	kuid_gate_close(&generator->gate, kuid_port_wall_offset());
	if (lives)
		died = generator->gate.claim;
	kuid_generator_start_private(generator);
	write_seqcount_end(&generator->seq);
	raw_spin_unlock_irqrestore(&generator->lock, flags);
	return died;
}

/* The start of the first tick of 100 ns at or after @time. */
static u64 kuid_generator_next_tick(u64 time)
{
	return (time + KUID_TICK_NS - 1) / KUID_TICK_NS * KUID_TICK_NS;
}

/*
 * The time that all stamps with a given node are below; 0 if there are none.
 * @issued is the highest such stamp before @epoch, and @stamp the highest stamp
 * of @epoch. The lanes of @epoch begin with the next tick of 100 ns; a lower
 * @stamp was not handed out.
 */
static u64 kuid_generator_stamp_end(const struct kuid_epoch *epoch, u64 issued,
				    u64 stamp)
{
	if (kuid_epoch_node_given(epoch) &&
	    stamp >= kuid_generator_next_tick(issued + 1))
		issued = stamp;
	return issued ? issued + 1 : 0;
}

/**
 * kuid_generator_acknowledge - set the ceiling
 * @generator: the generator, which has an epoch
 * @ceiling: stable storage covers all times below this one, in nanoseconds
 *	since 1970
 *
 * Context: any but NMI. Never sleeps. Takes generator->lock.
 * Return: false if a time at or above @ceiling was issued; then the ceiling
 * does not change.
 */
bool kuid_generator_acknowledge(struct kuid_generator *generator, u64 ceiling)
{
	struct kuid_epoch *epoch;
	unsigned long flags;
	bool covers;
	u64 slot;

	raw_spin_lock_irqsave(&generator->lock, flags);
	kuid_generator_write_begin(generator);
	epoch = generator->epoch;
	/*
	 * Don't round up to the end of the grid tick: the present ceiling may
	 * be within it.
	 */
	slot = kuid_sequences_issued(epoch->sequences);
	covers = (!slot || ceiling > slot) &&
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

/* Whether a load_id is not, or may not be, that of this machine alone. */
static bool kuid_generator_is_other_load(const struct kuid_generator *generator,
					 u64 load_id)
{
	lockdep_assert_held(&generator->lock);

	/* Both twins could pass before one of them has another load_id. */
	return kuid_gate_is_closed(&generator->gate) ||
	       load_id != generator->epoch->load_id;
}

/* Raise or end the claim; the caller holds the lock and does the rest. */
static int kuid_generator_change_claim(struct kuid_generator *generator,
				       u64 load_id,
				       const struct kuid_claimed *claim)
{
	struct kuid_claimed *now = &generator->gate.claim;
	bool end = claim->dead == KUID_CLAIM_ENDED;

	if (kuid_generator_is_other_load(generator, load_id) ||
	    !kuid_token_is(&claim->token, &now->token))
		return -ESTALE;
	/* The claimer may not have got the first answer. */
	if (end && now->dead == KUID_CLAIM_ENDED)
		return 0;
	if (!kuid_claimed_lives(now))
		return -ESTALE;
	kuid_generator_note_claim(generator);
	if (!end && claim->ceiling < now->end)
		return -EINVAL;
	WRITE_ONCE(now->dead, claim->dead);
	WRITE_ONCE(now->ceiling, end ? now->end : claim->ceiling);
	kuid_generator_set_until(generator, generator->epoch,
				 kuid_port_mono_ns());
	return 0;
}

/**
 * kuid_generator_raise_claim - change the ceiling of the claim, or end it
 * @generator: the generator, which has an epoch
 * @load_id: the load_id in which the claim began
 * @claim: its token names the claim. If @claim->dead is KUID_CLAIM_ENDED, no
 *	more slots are handed out for IDs that show a claimed number. If it is
 *	KUID_CLAIM_LIVES, @claim->ceiling is the new ceiling. Output: the claim
 *	as it is now, if the function succeeds
 *
 * Context: any but NMI. Never sleeps. Takes generator->lock.
 * Return: 0, also if the claim to be ended was ended before; -ESTALE if
 * @load_id or the token is not that of a claim that lives; -EINVAL if slots at
 * or above the new ceiling were handed out.
 */
int kuid_generator_raise_claim(struct kuid_generator *generator, u64 load_id,
			       struct kuid_claimed *claim)
{
	unsigned long flags;
	int ret;

	raw_spin_lock_irqsave(&generator->lock, flags);
	kuid_generator_write_begin(generator);
	ret = kuid_generator_change_claim(generator, load_id, claim);
	if (!ret)
		*claim = generator->gate.claim;
	write_seqcount_end(&generator->seq);
	raw_spin_unlock_irqrestore(&generator->lock, flags);
	return ret;
}

/**
 * kuid_generator_enter - begin to use an open file's watermarks in an epoch
 * @generator: the generator
 * @watermarks: the watermarks
 * @number: number of the epoch
 *
 * Context: as kuid_generator_take(). Never sleeps. Takes generator->lock.
 */
void kuid_generator_enter(struct kuid_generator *generator,
			  struct kuid_watermarks *watermarks, u64 number)
{
	struct kuid_watermark *watermark = &watermarks->by_epoch[number & 1];
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&generator->lock, flags);
	/*
	 * A lower number means a caller that is still in the former epoch. Its
	 * watermarks are kept.
	 */
	if (watermarks->epoch < number) {
		for (i = 0; i < KUID_NR_SOURCES; i++)
			atomic64_set(&watermark->last[i], 0);
		/*
		 * Pairs with the acquire in kuid_generator_watermark(): a
		 * caller that reads the number also sees the cleared
		 * watermarks.
		 */
		smp_store_release(&watermarks->epoch, number);
	}
	raw_spin_unlock_irqrestore(&generator->lock, flags);
}

/*
 * Let the lanes of @epoch begin with the first stamp of a tick of 100 ns. With
 * a given node, the tick is after all stamps that were made with a given node:
 * two epochs with one node must not share a tick, because both could make the
 * same v1 or v6. Returns the highest stamp that counts as issued; 0 if there is
 * none.
 */
static u64 kuid_generator_begin_stamps(const struct kuid_generator *generator,
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

/*
 * Whether the lag of the stamps is above the limit and a new epoch would have a
 * new node.
 */
static bool kuid_generator_is_behind(const struct kuid_generator *generator)
{
	const struct kuid_epoch *epoch = generator->epoch;
	u64 offset;
	u64 mono = kuid_clock_sample(&offset);

	return !kuid_epoch_node_given(epoch) &&
	       kuid_epoch_issued(epoch) > mono + offset + generator->step_limit;
}

/*
 * Whether the node of an epoch may be one that an earlier epoch had as a random
 * one.
 */
static bool kuid_generator_may_share_node(const struct kuid_epoch *epoch)
{
	return kuid_epoch_node_given(epoch) &&
	       epoch->identity.node & KUID_NODE_MULTICAST;
}

/* Whether a private lane has got a node of this epoch or an earlier one. */
static bool kuid_generator_had_private(const struct kuid_generator *generator)
{
	return generator->private_before ||
	       (generator->epoch && kuid_node_any(&generator->epoch->nodes));
}

/*
 * Record the highest stamp of the epoch in use, and whether it has handed out
 * private nodes, for the epochs after it.
 */
static void kuid_generator_end_epoch(struct kuid_generator *generator,
				     const struct kuid_epoch *next)
{
	const struct kuid_epoch *former = generator->epoch;
	u64 issued = generator->issued;

	lockdep_assert_held(&generator->lock);

	generator->private_before = kuid_generator_had_private(generator);
	if (former && kuid_epoch_node_given(former))
		issued = max(issued, kuid_epoch_issued(former));
	else if (former)
		generator->drawn =
			max(generator->drawn, kuid_epoch_issued(former));
	/* Go on above the stamps of all drawn nodes. */
	if (kuid_generator_may_share_node(next))
		issued = max(issued, generator->drawn);
	WRITE_ONCE(generator->issued, issued);
}

/*
 * Let stamps with a given node go on at @floor or above. @ahead is the window
 * for kuid_clock_follow(). If the floor is above all issued times, nothing is
 * in front of it. Begin the clock at the floor then, so that callers have all
 * of the window. Otherwise the clock would begin one window below, and callers
 * would wait for that time.
 */
static void kuid_generator_raise_stamps(struct kuid_generator *generator,
					u64 floor, u64 *ahead)
{
	if (floor <= generator->issued)
		return;
	WRITE_ONCE(generator->issued, floor - 1);
	*ahead = 0;
}

/* Whether an epoch may begin for a reason. The caller holds the lock. */
static int kuid_generator_may_begin(const struct kuid_generator *generator,
				    enum kuid_why why,
				    const struct kuid_claiming *claiming)
{
	const struct kuid_claimed *claim = &generator->gate.claim;
	const struct kuid_token none = { 0 };
	bool lives;

	if (why == KUID_EPOCH_STEP)
		return kuid_generator_is_behind(generator) ? 0 : -EALREADY;
	if (why != KUID_EPOCH_CLAIM)
		return 0;
	if (kuid_generator_is_other_load(generator, claiming->load_id))
		return -ESTALE;
	lives = kuid_claimed_lives(claim);
	if (lives && kuid_token_is_none(&claiming->replaces))
		return -EBUSY;
	if (!kuid_token_is(&claiming->replaces, lives ? &claim->token : &none))
		return -ESTALE;
	/* A request for the former claim must not reach the new one. */
	if (kuid_token_is(&claiming->claim.token, &claim->token) &&
	    !kuid_token_is_none(&claim->token))
		return -EINVAL;
	return 0;
}

/*
 * Put a claim of @epoch into the gate. Slots that are taken from now on are not
 * below the clock, except for the grid tick that it is in.
 */
static void kuid_generator_begin_claim(struct kuid_generator *generator,
				       const struct kuid_epoch *epoch, u64 mono,
				       struct kuid_claimed *claim)
{
	const struct kuid_clock *slots = &generator->slot_clock;
	u64 first = kuid_clock_at(slots->offset, slots->half, mono) -
		    KUID_GRID_TICK_NS;

	claim->parts = epoch->claimed;
	claim->worker = epoch->identity.worker;
	claim->snowflake_worker = epoch->identity.snowflake_worker;
	claim->first = min(claim->ceiling, max(claim->floor, first));
	claim->end = claim->first;
	kuid_gate_claim(&generator->gate, claim);
}

/**
 * kuid_generator_publish - begin an epoch
 * @generator: the generator
 * @epoch: the new epoch. The caller sets @epoch->identity, given, stale,
 *	missing, claimed, closings, choices, key and nr_cpu_lanes. It sets
 *	@epoch->sequences for KUID_EPOCH_FIRST and KUID_EPOCH_FORCE; nothing was
 *	taken from them yet. It sets @epoch->load_id for KUID_EPOCH_FIRST, and
 *	if there may be a twin. All other members are zero.
 * @why: reason for the epoch
 * @floor: for KUID_EPOCH_RESTORE: slots, and stamps with a given node, go on at
 *	this time or above, in nanoseconds since 1970; for KUID_EPOCH_CLAIM:
 *	slots do; 0 if there is no floor
 * @claiming: the request for a claim, for KUID_EPOCH_CLAIM. Output: the former
 *	claim, if the function succeeds
 *
 * With a random node, the stamps of the epoch begin at the wall clock. With a
 * given node, they go on above the last stamp that was made with a given node,
 * in the next tick of 100 ns.
 *
 * Callers exclude each other. A caller makes sure that nobody uses the epoch
 * before the one in use any more.
 *
 * Context: any but NMI. Never sleeps. Takes generator->lock. If the wall clock
 * was set, calls kuid_port_stepped() without it.
 * Return: 0; then the caller may free the former epoch as soon as nobody uses
 * it any more. After an error the former epoch goes on, and the caller keeps
 * @epoch: -EALREADY if @why is KUID_EPOCH_STEP, but the lag is not above the
 * limit any more; for KUID_EPOCH_CLAIM -ESTALE if @claiming->load_id is another
 * one, or @claiming->replaces is not the living claim; -EBUSY if a claim lives
 * and is not to be replaced; -EINVAL if the former claim has the same token.
 * -EBUSY also if a private lane may have had the given node; then private lanes
 * need other nodes, and nothing else has changed.
 */
int kuid_generator_publish(struct kuid_generator *generator,
			   struct kuid_epoch *epoch, enum kuid_why why,
			   u64 floor, struct kuid_claiming *claiming)
{
	u64 stamps_ahead = generator->max_ahead;
	u64 slots_ahead = generator->max_ahead;
	struct kuid_gate *gate = &generator->gate;
	struct kuid_step step = { 0 };
	struct kuid_epoch *former;
	u64 mono, offset, issued;
	unsigned long flags;
	int ret;

	raw_spin_lock_irqsave(&generator->lock, flags);
	kuid_generator_write_begin(generator);
	former = generator->epoch;
	ret = kuid_generator_may_begin(generator, why, claiming);
	if (!ret) {
		kuid_generator_stop_private(generator);
		if (kuid_generator_may_share_node(epoch) &&
		    kuid_generator_had_private(generator)) {
			kuid_generator_start_private(generator);
			ret = -EBUSY;
		}
	}
	if (ret) {
		write_seqcount_end(&generator->seq);
		raw_spin_unlock_irqrestore(&generator->lock, flags);
		return ret;
	}

	mono = kuid_clock_sample(&offset);
	kuid_gate_follow(gate, offset);
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
	kuid_generator_note_claim(generator);
	claiming->former = gate->claim;
	if (floor) {
		/* No node is claimed. */
		if (why == KUID_EPOCH_RESTORE)
			kuid_generator_raise_stamps(generator, floor,
						    &stamps_ahead);
		if (floor > kuid_sequences_end(epoch->sequences))
			slots_ahead = 0;
		kuid_sequences_raise(epoch->sequences, floor);
	}

	issued = kuid_generator_begin_stamps(generator, epoch, mono + offset);
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

	if (why == KUID_EPOCH_CLAIM)
		kuid_generator_begin_claim(generator, epoch, mono,
					   &claiming->claim);
	gate->claim.parts = epoch->claimed;
	kuid_gate_open(gate, epoch->closings,
		       why == KUID_EPOCH_FIRST || why == KUID_EPOCH_FORK,
		       epoch->stale | epoch->missing);
	kuid_generator_set_until(generator, epoch, mono);
	epoch->number = former ? former->number + 1 : 1;
	/*
	 * Pairs with the acquires of generator->epoch: a caller that reads the
	 * pointer also sees the members of the epoch.
	 */
	smp_store_release(&generator->epoch, epoch);
	kuid_generator_start_private(generator);
	kuid_generator_count(generator, step.by);
	write_seqcount_end(&generator->seq);
	raw_spin_unlock_irqrestore(&generator->lock, flags);

	/*
	 * The clocks are up to date again, so no other caller finds this clock
	 * step.
	 */
	if (step.by)
		kuid_port_stepped(&step);
	return 0;
}

/*
 * A view that holds, except in two cases: there is no epoch, or the clock must
 * not be used for IDs that show @part.
 */
static struct kuid_view
kuid_generator_fresh_view(struct kuid_generator *generator,
			  const struct kuid_clock *clock, u32 part)
{
	for (;;) {
		const struct kuid_view view =
			kuid_generator_view(generator, clock, part);

		if (view.holds || !view.epoch ||
		    !kuid_generator_renew(generator, clock, part))
			return view;
	}
}

/**
 * kuid_generator_private_node - hand out a node for a private lane
 * @generator: the generator, which has an epoch and a generation
 * @to: output, all members are set if the caller has a node; @to->epoch is also
 *	set if the nodes are used up
 *
 * Nobody else gets the node, not even if this caller does not use it.
 *
 * Two full barriers pair here. The compare-and-exchange that hands out a number
 * is fully ordered, and comes before the second read of the generation. The
 * writer changes the generation, and has an smp_mb() in
 * kuid_generator_stop_private() before it reads the counter. So either the
 * writer sees the number, or this function sees the writer.
 *
 * Context: as kuid_generator_take(). Never sleeps, takes no lock.
 * Return: enum kuid_handout.
 */
enum kuid_handout kuid_generator_private_node(struct kuid_generator *generator,
					      struct kuid_private_node *to)
{
	for (;;) {
		struct kuid_epoch *epoch;
		u64 generation, number;

		/* While a writer is active, the generation may be odd. */
		raw_read_seqcount_begin(&generator->seq);
		/*
		 * Pairs with the release in kuid_generator_change_generation().
		 */
		generation = smp_load_acquire(generator->generation);
		/* Pairs with the release in kuid_generator_publish(). */
		epoch = smp_load_acquire(&generator->epoch);
		if (kuid_epoch_node_given(epoch))
			return KUID_NODE_IS_GIVEN;
		if (kuid_gate_closed(&generator->gate, KUID_PART_NODE))
			return KUID_NODE_CLOSED;
		number = kuid_node_next(&epoch->nodes);
		if (!number) {
			to->epoch = epoch->number;
			return KUID_NODES_USED_UP;
		}
		if (generation & 1 ||
		    READ_ONCE(*generator->generation) != generation)
			continue;
		*to = (struct kuid_private_node) {
			.node = kuid_node_of(&epoch->key, number),
			.generation = generation,
			.epoch = epoch->number,
			.load_id = epoch->load_id,
		};
		return KUID_NODE_HANDED_OUT;
	}
}

/* The first unit that was not handed out; for stamps on the present CPU. */
static u64 kuid_generator_next(const struct kuid_epoch *epoch,
			       enum kuid_source source, enum kuid_order order)
{
	unsigned int lane;

	if (source != KUID_STAMPS)
		return atomic64_read(&epoch->sequences->by_source[source].next);
	lane = kuid_generator_lane(epoch, order);
	return atomic64_read(&epoch->lanes[lane].last) + 1;
}

/**
 * kuid_generator_when - compute when a caller can have units
 * @generator: the generator, which has an epoch
 * @want: the units that the caller wants; if the window has room for fewer, the
 *	function uses that number
 * @before: how many units are for other callers first
 *
 * Context: as kuid_generator_take().
 * Return: the first moment at which the caller can have the units, in
 * nanoseconds of the monotonic clock; for stamps on the present CPU, for slots
 * on any CPU. It holds only if nobody else takes the units and the wall clock
 * is not set before that moment. KUID_NEVER if the clock must not be used:
 * kuid_generator_shut() tells why.
 */
u64 kuid_generator_when(struct kuid_generator *generator,
			const struct kuid_want *want, u64 before)
{
	const struct kuid_scale *scale = &kuid_scales[want->source];
	const struct kuid_clock *clock =
		kuid_generator_clock(generator, want->source);
	const struct kuid_view view =
		kuid_generator_fresh_view(generator, clock, want->part);
	const struct kuid_clock at = { .offset = view.offset,
				       .half = view.half };
	struct kuid_watermarks *file = want->watermarks;
	const struct kuid_watermark *mark;
	u64 next, more, above = 0;

	if (!view.epoch || !view.holds)
		return KUID_NEVER;
	if (want->order != KUID_BY_CPU) {
		mark = kuid_generator_watermark(generator, file, view.epoch);
		above = atomic64_read(&mark->last[want->source]);
	}
	next = kuid_generator_next(view.epoch, want->source, want->order);
	next = max(next, above + 1);
	next = max(next, scale->at(view.now)) + before;
	more = min_t(u64, want->count - 1, want->ahead + scale->tail);
	return kuid_clock_reach(&at, scale->begin(next + more - want->ahead));
}

static struct kuid_clock kuid_generator_copy(const struct kuid_clock *clock)
{
	struct kuid_clock copy = { 0 };

	copy.offset = READ_ONCE(clock->offset);
	copy.half = READ_ONCE(clock->half);
	return copy;
}

/**
 * kuid_generator_shut - tell why nothing may be taken from a source
 * @generator: the generator, which has an epoch
 * @source: the source
 * @part: KUID_PART_*: the part of the identity that the IDs would show
 * @since: output: the moment since which nothing may be taken, in nanoseconds
 *	of the monotonic clock
 *
 * Context: as kuid_generator_take(). Never sleeps, takes no lock; repeats while
 * a writer changes the snapshot.
 * Return: why; KUID_SHUT_NOT if something may be taken.
 */
enum kuid_shut kuid_generator_shut(const struct kuid_generator *generator,
				   enum kuid_source source, u32 part,
				   u64 *since)
{
	const struct kuid_clock *clock =
		kuid_generator_clock(generator, source);
	const struct kuid_epoch *epoch;
	struct kuid_clock slots;
	struct kuid_gate gate;
	unsigned int seq;
	u64 mono;

	do {
		seq = raw_read_seqcount_begin(&generator->seq);
		/* Pairs with the release in kuid_generator_publish(). */
		epoch = smp_load_acquire(&generator->epoch);
		slots = kuid_generator_copy(&generator->slot_clock);
		gate = kuid_gate_read(&generator->gate);
		*since = READ_ONCE(clock->until[part]);
		mono = kuid_port_mono_ns();
	} while (read_seqcount_retry(&generator->seq, seq));

	if (mono < *since)
		return KUID_SHUT_NOT;
	if (part == KUID_PART_SNOWFLAKE &&
	    kuid_generator_range_end(generator, &slots, epoch, mono) <= mono)
		return KUID_SHUT_RANGE;
	if (source != KUID_STAMPS && part & epoch->claimed &&
	    kuid_gate_claim_reach(&gate, &slots, generator->max_ahead) <= mono)
		return KUID_SHUT_CLAIM;
	return KUID_SHUT_CEILING;
}

/**
 * kuid_generator_read - read the state of a generator
 * @generator: the generator
 * @reading: all members are set
 *
 * If the wall clock was set and no call has found that yet, the function
 * computes the state as it would be after a refresh. It changes nothing.
 *
 * Context: as kuid_generator_take(). Never sleeps, takes no lock, because any
 * user may call this in a loop; repeats while a writer changes the snapshot.
 * Return: true if @reading shows a change that the generator does not know yet.
 * Then kuid_generator_refresh() makes the change.
 */
bool kuid_generator_read(const struct kuid_generator *generator,
			 struct kuid_reading *reading)
{
	u64 last[KUID_NR_SOURCES], last_slot, issued;
	u64 mono, offset, wall, stamp, slot, slot_ahead;
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
		 * Read the reservations before the clocks. In the other order,
		 * the clocks could be older than a reservation, which would
		 * seem to be further in front of its clock than it ever was.
		 */
		for (i = 0; i < KUID_NR_SOURCES; i++)
			last[i] = kuid_source_issued(epoch, i);
		reading->slot_end = kuid_sequences_end(epoch->sequences);
		stamps = kuid_generator_copy(&generator->stamp_clock);
		slots = kuid_generator_copy(&generator->slot_clock);
		mono = kuid_clock_sample(&offset);
		issued = READ_ONCE(generator->issued);
		reading->gate = kuid_gate_read(&generator->gate);
		reading->steps_back = READ_ONCE(generator->steps_back);
		reading->steps_forward = READ_ONCE(generator->steps_forward);
	} while (read_seqcount_retry(&generator->seq, seq));

	/* Compute what kuid_generator_refresh() would do. */
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

	/* All values below are of one moment. */
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
	reading->rewound = kuid_gate_is_rewound(&reading->gate, offset);
	reading->origin.closed = reading->gate.closed;
	for (i = 0; i < KUID_NR_SOURCES; i++) {
		u64 time = i == KUID_STAMPS ? stamp : slot;

		reading->ahead[i] = last[i] > time ? last[i] - time : 0;
	}
	reading->stamp_end =
		kuid_generator_stamp_end(epoch, issued, last[KUID_STAMPS]);
	slot_ahead = slot + generator->max_ahead;
	if (kuid_epoch_node_given(epoch))
		slot = max(slot, stamp);
	slot += generator->max_ahead;
	reading->expired = epoch->claimed &&
			   (reading->gate.claim.dead == KUID_CLAIM_ENDED ||
			    slot_ahead >= reading->gate.claim.ceiling);
	reading->past_ceiling = kuid_gate_is_past_ceiling(&reading->gate, slot);
	return outdated;
}

/**
 * kuid_generator_clear - compute when the wall clock has passed all issued
 *	times
 * @generator: the generator, which is not used any more
 *
 * Context: any. Takes no lock, so nobody may change the generator meanwhile.
 * Return: a time in nanoseconds since 1970. Another generator with the same
 * identity that begins at this time or later repeats nothing, not even slots
 * from before the clock was forced back. Stamps with a random node don't count,
 * because no other generator has this node. 0 if there is no epoch.
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
