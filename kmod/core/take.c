// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "take.h"

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
 * A view that holds, except in two cases: there is no epoch, or the clock must
 * not be used for IDs that show @part.
 */
static struct kuid_view
kuid_generator_fresh_view(struct kuid_generator *generator,
			  const struct kuid_clock *clock, enum kuid_part part)
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
 * @to: output, all members are set if the caller has a node
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
 * Return: 0; -EAGAIN if there may be a twin, and the next epoch has not begun
 * yet; -EOPNOTSUPP if the epoch has a given node, so there are no random ones;
 * -ENOSPC if the epoch has no more nodes.
 */
int kuid_generator_private_node(struct kuid_generator *generator,
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
		/* Pairs with the release in kuid_generator_begin(). */
		epoch = smp_load_acquire(&generator->epoch);
		if (kuid_epoch_node_given(epoch))
			return -EOPNOTSUPP;
		if (kuid_gate_closed(&generator->gate, KUID_PART_NODE))
			return -EAGAIN;
		number = kuid_node_next(&epoch->nodes);
		if (!number)
			return -ENOSPC;
		if (generation & 1 ||
		    READ_ONCE(*generator->generation) != generation)
			continue;
		if (kuid_generator_is_cloned(generator))
			return -EAGAIN;
		*to = (struct kuid_private_node) {
			.node = kuid_node_of(&epoch->key, number),
			.generation = generation,
			.epoch = epoch->number,
			.load_id = epoch->load_id,
		};
		return 0;
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

/**
 * kuid_generator_shut - tell why nothing may be taken from a source
 * @generator: the generator, which has an epoch
 * @source: the source
 * @part: the part of the identity that the IDs would show
 * @since: output: the moment since which nothing may be taken, in nanoseconds
 *	of the monotonic clock
 *
 * Context: as kuid_generator_take(). Never sleeps, takes no lock; repeats while
 * a writer changes the snapshot.
 * Return: 0 if something may be taken; -ENODATA if stable storage does not
 * cover the time; -EKEYEXPIRED if the IDs would show a claimed number, and the
 * claim does not cover the time; -EOVERFLOW if the format can't hold the time.
 */
int kuid_generator_shut(const struct kuid_generator *generator,
			enum kuid_source source, enum kuid_part part,
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
		/* Pairs with the release in kuid_generator_begin(). */
		epoch = smp_load_acquire(&generator->epoch);
		kuid_copy(&slots, &generator->slot_clock, sizeof(slots));
		kuid_copy(&gate, &generator->gate, sizeof(gate));
		*since = READ_ONCE(clock->until[part]);
		mono = kuid_port_mono_ns();
	} while (read_seqcount_retry(&generator->seq, seq));

	if (mono < *since)
		return 0;
	if (kuid_generator_range_end(generator, &slots, epoch, part, mono) <=
	    mono)
		return -EOVERFLOW;
	if (KUID_PARTS_OF(part) & epoch->claimed &&
	    kuid_gate_reach(kuid_claimed_ceiling(&gate.claim), &slots,
			    generator->max_ahead) <= mono)
		return -EKEYEXPIRED;
	return -ENODATA;
}
