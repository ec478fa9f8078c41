// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "reading.h"

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
		/* Pairs with the release in kuid_generator_begin(). */
		epoch = smp_load_acquire(&generator->epoch);
		/*
		 * Read the reservations before the clocks. In the other order,
		 * the clocks could be older than a reservation, which would
		 * seem to be further in front of its clock than it ever was.
		 */
		for (i = 0; i < KUID_NR_SOURCES; i++)
			last[i] = kuid_source_issued(epoch, i);
		reading->slot_end = kuid_sequences_end(epoch->sequences);
		kuid_copy(&stamps, &generator->stamp_clock, sizeof(stamps));
		kuid_copy(&slots, &generator->slot_clock, sizeof(slots));
		mono = kuid_clock_sample(&offset);
		issued = READ_ONCE(generator->issued);
		kuid_copy(&reading->gate, &generator->gate,
			  sizeof(reading->gate));
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
	reading->wall = wall;
	reading->stamp_lag = stamp - wall;
	reading->slot_lag = slot - wall;
	reading->slots_again = kuid_gate_may_repeat(&reading->gate, slot,
						    generator->max_ahead);
	reading->stamps_again = kuid_epoch_node_given(epoch) &&
				kuid_gate_may_repeat(&reading->gate, stamp,
						     generator->max_ahead);
	reading->rewound = kuid_gate_is_rewound(&reading->gate, offset);
	for (i = 0; i < KUID_NR_SOURCES; i++) {
		u64 time = i == KUID_STAMPS ? stamp : slot;

		reading->ahead[i] = last[i] > time ? last[i] - time : 0;
	}
	reading->stamp_end =
		kuid_epoch_stamp_end(epoch, issued, last[KUID_STAMPS]);
	slot_ahead = slot + generator->max_ahead;
	if (kuid_epoch_node_given(epoch))
		slot = max(slot, stamp);
	reading->clock = slot;
	slot += generator->max_ahead;
	reading->expired = epoch->claimed &&
			   slot_ahead >=
				   kuid_claimed_ceiling(&reading->gate.claim);
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
 * from before slots went back. Stamps with a random node don't count,
 * because no other generator has this node. 0 if there is no epoch.
 */
u64 kuid_generator_clear(const struct kuid_generator *generator)
{
	const struct kuid_epoch *epoch = generator->epoch;
	u64 end;

	if (!epoch)
		return 0;
	end = kuid_epoch_stamp_end(epoch, generator->issued,
				   kuid_epoch_issued(epoch));
	end = max(end, kuid_sequences_end(epoch->sequences));
	return max(end, generator->gate.cover.again_until);
}
