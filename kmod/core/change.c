// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "change.h"

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

/*
 * Keep private lanes from making IDs, until they have other nodes. The next
 * change of the generation lets the epoch hand out nodes.
 */
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
	end = max(claim->floor,
		  kuid_sequences_end(generator->epoch->sequences));
	WRITE_ONCE(claim->end, min(claim->ceiling, end));
}

/**
 * kuid_generator_close - stop the use of the epoch's identity because there may
 *	be a twin
 * @generator: the generator
 * @once: do nothing if the generation ID tells that it was done for this twin
 *	before
 * @died: output: the claim that has ended by this; without a token if none has
 *
 * The identity stays closed until an epoch is published whose identity was
 * drawn after this call and because of a twin. After this function has
 * returned, no call takes units for IDs that show a part of the identity, and
 * the generation is another one. Units that were taken before may still be on
 * their way to the caller; kuid_gate_lets_pass() tells them, if there is a
 * generation ID.
 *
 * Context: any but NMI. Never sleeps. Takes generator->lock.
 * Return: whether the identity was closed by this.
 */
bool kuid_generator_close(struct kuid_generator *generator, bool once,
			  struct kuid_claimed *died)
{
	struct kuid_gate *gate = &generator->gate;
	const u64 *vm_id = generator->vm_id;
	unsigned long flags;
	bool closes, lives;

	*died = (struct kuid_claimed) { 0 };
	raw_spin_lock_irqsave(&generator->lock, flags);
	closes = !once || !vm_id || kuid_generator_is_cloned(generator);
	if (closes) {
		kuid_generator_write_begin(generator);
		kuid_generator_stop_private(generator);
		lives = kuid_claimed_lives(&gate->claim);
		kuid_generator_note_claim(generator);
		kuid_gate_close(gate, kuid_port_wall_offset(),
				generator->epoch ? generator->epoch->number
						 : 0);
		if (vm_id)
			kuid_gate_follow_vm(gate, vm_id);
		if (lives)
			*died = gate->claim;
		kuid_generator_change_generation(generator);
		write_seqcount_end(&generator->seq);
	}
	raw_spin_unlock_irqrestore(&generator->lock, flags);
	return closes;
}

/*
 * Whether a ceiling is above all slots, and all stamps with a given node, that
 * were handed out.
 */
static bool kuid_generator_covers(const struct kuid_generator *generator,
				  u64 ceiling)
{
	const struct kuid_epoch *epoch = generator->epoch;
	/*
	 * Don't round up to the end of the grid tick: the present ceiling may
	 * be within it.
	 */
	u64 slot = kuid_sequences_issued(epoch->sequences);

	return (!slot || ceiling > slot) &&
	       ceiling >= kuid_epoch_stamp_end(epoch, generator->issued,
					       kuid_epoch_issued(epoch));
}

/**
 * kuid_generator_raise_cover - set the ceiling of the cover
 * @generator: the generator, which has an epoch
 * @cover: the name of the cover, and its new ceiling
 *
 * Context: any but NMI. Never sleeps. Takes generator->lock.
 * Return: 0; -ENODATA if no cover has begun; -ESTALE if the cover has another
 * name; -EINVAL if a time at or above the ceiling was issued. After an error
 * the ceiling has not changed.
 */
int kuid_generator_raise_cover(struct kuid_generator *generator,
			       const struct kuid_covered *cover)
{
	struct kuid_covered *now = &generator->gate.cover;
	struct kuid_epoch *epoch;
	unsigned long flags;
	int ret = 0;

	raw_spin_lock_irqsave(&generator->lock, flags);
	kuid_generator_write_begin(generator);
	epoch = generator->epoch;
	if (!kuid_covered_begun(now))
		ret = -ENODATA;
	else if (!kuid_covered_is(now, cover))
		ret = -ESTALE;
	else if (!kuid_generator_covers(generator, cover->ceiling))
		ret = -EINVAL;
	if (!ret) {
		WRITE_ONCE(now->ceiling, cover->ceiling);
		kuid_generator_set_until(generator, epoch, kuid_port_mono_ns());
	}
	write_seqcount_end(&generator->seq);
	raw_spin_unlock_irqrestore(&generator->lock, flags);
	return ret;
}

/* Whether a load_id is not, or may not be, that of this machine alone. */
static bool kuid_generator_is_other_load(const struct kuid_generator *generator,
					 u64 load_id)
{
	lockdep_assert_held(&generator->lock);

	/* Both twins could pass before one of them has another load_id. */
	return kuid_gate_is_closed(&generator->gate) ||
	       kuid_generator_is_cloned(generator) ||
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

/*
 * Whether the lag of the stamps is above the limit and a new epoch would have a
 * new node.
 */
static bool kuid_generator_is_behind(const struct kuid_generator *generator)
{
	const struct kuid_epoch *epoch = generator->epoch;
	u64 offset, mono = kuid_clock_sample(&offset);

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
 * Record for later epochs the highest stamp of the epoch in use, whether it has
 * handed out private nodes, and how far its claim was used.
 */
static void kuid_generator_end_epoch(struct kuid_generator *generator,
				     const struct kuid_epoch *next)
{
	const struct kuid_epoch *former = generator->epoch;
	u64 issued = generator->issued;

	lockdep_assert_held(&generator->lock);

	kuid_generator_note_claim(generator);
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

/* Whether a claim may begin, be replaced or dropped. */
static int kuid_generator_may_claim(const struct kuid_generator *generator,
				    const struct kuid_claiming *claiming)
{
	const struct kuid_claimed *now = &generator->gate.claim;
	const struct kuid_token none = { 0 };
	bool lives = kuid_claimed_lives(now);

	if (kuid_generator_is_other_load(generator, claiming->load_id))
		return -ESTALE;
	if (lives && kuid_token_is_none(&claiming->replaces))
		return -EBUSY;
	if (!kuid_token_is(&claiming->replaces, lives ? &now->token : &none))
		return -ESTALE;
	/* A request for the former claim must not reach the new one. */
	if (kuid_token_is(&claiming->claim.token, &now->token) &&
	    !kuid_token_is_none(&now->token))
		return -EINVAL;
	return 0;
}

/* Whether an epoch may begin. The caller holds the lock. */
static int kuid_generator_may_begin(const struct kuid_generator *generator,
				    const struct kuid_change *change)
{
	if (change->if_behind && !kuid_generator_is_behind(generator))
		return -EALREADY;
	if (change->covers &&
	    !kuid_covered_is(&generator->gate.cover, &change->cover))
		return -ESTALE;
	if (change->covers && !change->fresh_slots &&
	    !kuid_generator_covers(generator, change->cover.ceiling))
		return -EINVAL;
	return change->claiming
		       ? kuid_generator_may_claim(generator, change->claiming)
		       : 0;
}

/*
 * Begin the stamps of an epoch. Its lanes begin with the first stamp of a tick
 * of 100 ns. With a given node, the tick is after all stamps that were made
 * with a given node: two epochs with one node must not share a tick, because
 * both could make the same v1 or v6. Returns the lag.
 */
static u64 kuid_generator_begin_stamps(struct kuid_generator *generator,
				       struct kuid_epoch *epoch,
				       const struct kuid_change *change,
				       u64 mono, u64 offset)
{
	bool given = kuid_epoch_node_given(epoch);
	u64 ahead = generator->max_ahead;
	u64 start = 0;
	unsigned int i;

	/*
	 * If the floor is above all issued times, nothing is in front of it.
	 * Begin the clock at the floor then, so that callers have all of the
	 * window. Otherwise the clock would begin one window below, and callers
	 * would wait for that time.
	 */
	if (change->covers && change->cover.floor > generator->issued) {
		WRITE_ONCE(generator->issued, change->cover.floor - 1);
		ahead = 0;
	}
	if (given && generator->issued)
		start = kuid_epoch_next_tick(generator->issued + 1);
	else if (!given && generator->epoch)
		start = kuid_epoch_next_tick(mono + offset);
	for (i = 0; start && i < kuid_epoch_nr_lanes(epoch); i++)
		atomic64_set(&epoch->lanes[i].last, start - 1);
	if (!given || change->fresh_slots)
		kuid_clock_restart(&generator->stamp_clock, offset);
	if (!given)
		return 0;
	return kuid_clock_follow(&generator->stamp_clock, mono, offset,
				 start ? start - 1 : 0, ahead);
}

/*
 * Begin a cover in @epoch. If slots go back, stamps with a given node do, too:
 * otherwise the next ceiling would cover their time, and after a reboot slots
 * would begin there.
 */
static void kuid_generator_begin_cover(struct kuid_generator *generator,
				       const struct kuid_epoch *epoch,
				       struct kuid_change *change, u64 wall)
{
	const struct kuid_epoch *former = generator->epoch;
	u64 used = 0;

	if (change->fresh_slots) {
		used = max(kuid_sequences_end(former->sequences),
			   generator->issued + 1);
		WRITE_ONCE(generator->issued, 0);
	}
	change->cover.load_id = epoch->load_id;
	change->cover.epoch = epoch->number;
	kuid_gate_cover(&generator->gate, &change->cover, used, wall);
}

/* Begin the slots of an epoch, above the floor. Returns the lag. */
static u64 kuid_generator_begin_slots(struct kuid_generator *generator,
				      struct kuid_epoch *epoch,
				      const struct kuid_change *change,
				      u64 mono, u64 offset)
{
	const struct kuid_epoch *former = generator->epoch;
	u64 ahead = generator->max_ahead;

	if (change->fresh_slots)
		kuid_clock_restart(&generator->slot_clock, offset);
	if (!epoch->sequences)
		epoch->sequences = former->sequences;
	if (change->floor) {
		if (change->floor > kuid_sequences_end(epoch->sequences))
			ahead = 0;
		kuid_sequences_raise(epoch->sequences, change->floor);
	}
	return kuid_clock_follow(&generator->slot_clock, mono, offset,
				 kuid_sequences_issued(epoch->sequences),
				 ahead);
}

/* Begin an epoch that may begin. Private lanes are stopped. */
static void kuid_generator_begin(struct kuid_generator *generator,
				 struct kuid_epoch *epoch,
				 struct kuid_change *change,
				 struct kuid_step *step)
{
	struct kuid_epoch *former = generator->epoch;
	struct kuid_gate *gate = &generator->gate;
	u64 offset, mono = kuid_clock_sample(&offset);

	if (former)
		step->by = offset - generator->stamp_clock.offset;
	epoch->number = former ? former->number + 1 : 1;
	if (!epoch->load_id)
		epoch->load_id = former->load_id;
	kuid_gate_follow(gate, offset);
	kuid_generator_end_epoch(generator, epoch);
	change->former = gate->claim;

	if (change->covers)
		kuid_generator_begin_cover(generator, epoch, change,
					   mono + offset);
	step->stamp_lag = kuid_generator_begin_stamps(generator, epoch, change,
						      mono, offset);
	step->slot_lag = kuid_generator_begin_slots(generator, epoch, change,
						    mono, offset);
	if (change->claiming) {
		struct kuid_claimed *claim = &change->claiming->claim;

		claim->parts = epoch->claimed;
		claim->worker = epoch->identity.worker;
		claim->snowflake_worker = epoch->identity.snowflake_worker;
		claim->end = claim->floor;
		kuid_copy(&gate->claim, claim, sizeof(*claim));
	}
	WRITE_ONCE(gate->claim.parts, epoch->claimed);
	kuid_gate_open(gate, epoch->closings, change->redrawn,
		       epoch->stale | epoch->missing);
	kuid_generator_set_until(generator, epoch, mono);
	/*
	 * Pairs with the acquires of generator->epoch: a caller that reads the
	 * pointer also sees the members of the epoch.
	 */
	smp_store_release(&generator->epoch, epoch);
	kuid_generator_count(generator, step->by);
}

/**
 * kuid_generator_publish - begin an epoch
 * @generator: the generator
 * @epoch: the new epoch. The caller sets @epoch->identity, given, stale,
 *	missing, claimed, closings, choices, key and nr_cpu_lanes. It sets
 *	@epoch->sequences, from which nothing was taken yet, for the first epoch
 *	and if @change->fresh_slots is set. It sets @epoch->load_id for the
 *	first epoch, and if there may be a twin. All other members are zero.
 * @change: what changes. Output: @change->former, and the claim if there is one
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
 * @epoch: -EALREADY if @change->if_behind is set, but the lag is not above the
 * limit any more; for a claim -ESTALE if its load_id is another one, or if it
 * replaces another claim than the living one; -EBUSY if a claim lives and is not
 * to be replaced; -EINVAL if the former claim has the same token; for a cover
 * -ESTALE if the former one has another name than @change->cover; -EINVAL if a
 * time at or above its ceiling was issued. -EBUSY also if a private lane
 * may have had the given node; then private lanes need other nodes, and nothing
 * else has changed.
 */
int kuid_generator_publish(struct kuid_generator *generator,
			   struct kuid_epoch *epoch, struct kuid_change *change)
{
	struct kuid_step step = { 0 };
	unsigned long flags;
	int ret;

	raw_spin_lock_irqsave(&generator->lock, flags);
	kuid_generator_write_begin(generator);
	ret = kuid_generator_may_begin(generator, change);
	if (!ret) {
		kuid_generator_stop_private(generator);
		if (kuid_generator_may_share_node(epoch) &&
		    kuid_generator_had_private(generator))
			ret = -EBUSY;
		else
			kuid_generator_begin(generator, epoch, change, &step);
		kuid_generator_change_generation(generator);
	}
	write_seqcount_end(&generator->seq);
	raw_spin_unlock_irqrestore(&generator->lock, flags);

	/*
	 * The clocks are up to date again, so no other caller finds this clock
	 * step.
	 */
	if (step.by)
		kuid_port_stepped(&step);
	return ret;
}
