/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A sequence: the host-wide supply of slots of one time grid, each given out
 * once, and the runs that CPUs carve from it.
 *
 * Slots are numbered from 1970 on and given out at their time or ahead of it.
 * A CPU that needs one carves what is left of an aligned block of
 * KUID_RUN_SLOTS, its run, and then counts in it alone, dropping what is left
 * of it when the clock has passed it. Thus the word that all CPUs share is
 * written once a run; the price is that the slots of neighbouring runs are
 * given out side by side, so that IDs of different CPUs are in order to within
 * a run for each CPU.
 */
#ifndef KUID_CORE_SEQUENCE_H
#define KUID_CORE_SEQUENCE_H

#include "format.h"

/* A power of two, so that a run can't cross the steps of the k-ordered grid. */
#define KUID_RUN_SLOTS 32

/**
 * struct kuid_run - one CPU's run
 * @next: the next slot to give out; the run ends before the next multiple of
 *	KUID_RUN_SLOTS, so that a multiple means an empty run; only ever
 *	raised, by compare-and-exchange, because a task may be moved to another
 *	CPU between choosing the run and taking from it
 */
struct kuid_run {
	atomic64_t next;
} ____cacheline_aligned_in_smp;

/**
 * struct kuid_sequence - the host-wide supply of one grid's slots
 * @next: the first slot that no one has; only ever raised, by
 *	compare-and-exchange
 *
 * A sequence of all zeroes has given out nothing.
 */
struct kuid_sequence {
	atomic64_t next;
} ____cacheline_aligned_in_smp;

/* The end of the run that has @slot in it or before it. */
static inline u64 kuid_run_end(u64 slot)
{
	return (slot + KUID_RUN_SLOTS - 1) & ~(KUID_RUN_SLOTS - 1ULL);
}

/* Take from a run, if it has anything from @from to @limit. */
static __always_inline struct kuid_slots
kuid_run_take(struct kuid_run *run, u64 from, u64 limit, u32 count)
{
	s64 next = atomic64_read(&run->next);
	struct kuid_slots slots;

	do {
		u64 end = min(kuid_run_end(next), limit + 1);

		slots.first = max_t(u64, next, from);
		if (slots.first >= end)
			return (struct kuid_slots) { 0 };
		slots.count = min_t(u64, count, end - slots.first);
	} while (!atomic64_try_cmpxchg(&run->next, &next,
				       slots.first + slots.count));
	return slots;
}

/*
 * Put what was carved beyond the slots that were wanted into the run. If
 * another task has filled it in the meantime, the lower of the two is dropped.
 */
static inline void kuid_run_fill(struct kuid_run *run, u64 from)
{
	s64 next = atomic64_read(&run->next);

	while ((u64)next < from &&
	       !atomic64_try_cmpxchg(&run->next, &next, from))
		;
}

/* Take slots that no one has yet, and the rest of their run with them. */
static inline struct kuid_slots
kuid_sequence_carve(struct kuid_sequence *sequence, struct kuid_run *run,
		    u64 now, u64 from, u64 limit, u32 count)
{
	s64 next = atomic64_read(&run->next);
	struct kuid_slots slots;
	bool keep;
	u64 end;

	/*
	 * A run that is only below the caller's floor, or above its limit, is
	 * good for others yet and must not be dropped for this caller.
	 */
	keep = (u64)next < kuid_run_end(next) && now < kuid_run_end(next);

	next = atomic64_read(&sequence->next);
	do {
		slots.first = max_t(u64, next, from);
		if (slots.first > limit) {
			slots.count = 0;
			return slots;
		}
		slots.count = min_t(u64, count, limit - slots.first + 1);
		end = slots.first + slots.count;
		if (!keep && kuid_run_end(end) <= limit + 1)
			end = kuid_run_end(end);
	} while (!atomic64_try_cmpxchg(&sequence->next, &next, end));

	if (end > slots.first + slots.count)
		kuid_run_fill(run, slots.first + slots.count);
	return slots;
}

/**
 * kuid_sequence_reserve - take slots from a sequence
 * @sequence: the sequence
 * @run: the run of the CPU this runs on
 * @now: the slot that the clock is in
 * @floor: all slots taken will be above it
 * @limit: none will be above this one
 * @count: how many slots are wanted, at least 1
 *
 * Context: any but NMI. Never sleeps.
 * Return: as many slots as are to be had at once, at most @count; if that is
 * none, first is the one that came next.
 */
static __always_inline struct kuid_slots
kuid_sequence_reserve(struct kuid_sequence *sequence, struct kuid_run *run,
		      u64 now, u64 floor, u64 limit, u32 count)
{
	u64 from = max(now, floor + 1);
	struct kuid_slots slots = kuid_run_take(run, from, limit, count);

	if (slots.count)
		return slots;
	return kuid_sequence_carve(sequence, run, now, from, limit, count);
}

#endif /* KUID_CORE_SEQUENCE_H */
