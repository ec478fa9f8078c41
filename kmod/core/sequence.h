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

/* A power of two, so that a run can't cross the ticks of the k-ordered grid. */
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

/*
 * Raise an atomic maximum. Fully ordered; a plain store could take it back
 * below what another thread has raised it to.
 */
static __always_inline void kuid_raise(atomic64_t *maximum, u64 to)
{
	s64 seen = atomic64_read(maximum);

	while ((u64)seen < to && !atomic64_try_cmpxchg(maximum, &seen, to))
		;
}

/* The begin of the run that has @slot in it; as what is left, an empty run. */
static inline u64 kuid_run_begin(u64 slot)
{
	return slot & ~(KUID_RUN_SLOTS - 1ULL);
}

/* The end of the run that has @slot in it or before it. */
static inline u64 kuid_run_end(u64 slot)
{
	return kuid_run_begin(slot + KUID_RUN_SLOTS - 1);
}

/* Take from a run, if it has anything from @from to @limit. */
static __always_inline struct kuid_units
kuid_run_take(struct kuid_run *run, u64 from, u64 limit, u32 count)
{
	s64 next = atomic64_read(&run->next);
	struct kuid_units slots;

	do {
		u64 end = min(kuid_run_end(next), limit + 1);

		slots.first = max_t(u64, next, from);
		if (slots.first >= end)
			return (struct kuid_units) { 0 };
		slots.count = min_t(u64, count - 1, end - 1 - slots.first) + 1;
	} while (!atomic64_try_cmpxchg(&run->next, &next,
				       slots.first + slots.count));
	return slots;
}

/* Take slots that no one has yet, and perhaps the rest of their run. */
static __always_inline struct kuid_units
kuid_sequence_take(struct kuid_sequence *sequence, u64 from, u64 limit,
		   u32 count, bool run, u64 *end)
{
	s64 next = atomic64_read(&sequence->next);
	struct kuid_units slots;

	do {
		slots.first = max_t(u64, next, from);
		if (slots.first > limit) {
			slots.count = 0;
			*end = slots.first;
			return slots;
		}
		slots.count = min_t(u64, count - 1, limit - slots.first) + 1;
		*end = slots.first + slots.count;
		if (run && kuid_run_end(*end) <= limit + 1)
			*end = kuid_run_end(*end);
	} while (!atomic64_try_cmpxchg(&sequence->next, &next, *end));
	return slots;
}

/*
 * Take slots that no one has yet, and the rest of their run with them. Apart,
 * because it is done once a run, and what is done for each ID needs registers.
 */
static noinline __maybe_unused struct kuid_units
kuid_sequence_carve(struct kuid_sequence *sequence, struct kuid_run *run,
		    u64 now, u64 from, u64 limit, u32 count)
{
	struct kuid_units slots;
	u64 left, rest, end;
	bool keep;

	for (;;) {
		left = atomic64_read(&run->next);
		/*
		 * A run that is only below the caller's watermark, or above its
		 * limit, is good for others yet and must not be dropped for
		 * this caller.
		 */
		keep = left < kuid_run_end(left) && now < kuid_run_end(left);
		if (!keep ||
		    max(left, from) >= min(kuid_run_end(left), limit + 1))
			break;
		/* Filled by another task since it was found empty. */
		slots = kuid_run_take(run, from, limit, count);
		if (slots.count)
			return slots;
	}

	slots = kuid_sequence_take(sequence, from, limit, count, !keep, &end);
	if (keep || !slots.count)
		return slots;
	/*
	 * Even if nothing is left of the run: what another task has carved
	 * before, and has put or is about to put there, would come too late.
	 */
	rest = slots.first + slots.count;
	kuid_raise(&run->next, rest < end ? rest : kuid_run_begin(rest));
	return slots;
}

/**
 * kuid_sequence_reserve - take slots by way of a CPU's run
 * @sequence: the sequence
 * @run: the run of the CPU this runs on
 * @now: the slot that the clock is in
 * @above: all slots taken will be above it
 * @limit: none will be above this one
 * @count: how many slots are wanted, at least 1
 *
 * Context: any but NMI. Never sleeps.
 * Return: as many slots as are to be had at once, at most @count; if that is
 * none, first is the one that came next.
 */
static __always_inline struct kuid_units
kuid_sequence_reserve(struct kuid_sequence *sequence, struct kuid_run *run,
		      u64 now, u64 above, u64 limit, u32 count)
{
	u64 from = max(now, above + 1);
	struct kuid_units slots = kuid_run_take(run, from, limit, count);

	if (likely(slots.count))
		return slots;
	return kuid_sequence_carve(sequence, run, now, from, limit, count);
}

/**
 * kuid_sequence_reserve_next - take slots that are above all taken before
 * @sequence: the sequence
 * @now: the slot that the clock is in
 * @above: all slots taken will be above it
 * @limit: none will be above this one
 * @count: how many slots are wanted, at least 1
 *
 * Context: any but NMI. Never sleeps.
 * Return: as kuid_sequence_reserve().
 */
static __always_inline struct kuid_units
kuid_sequence_reserve_next(struct kuid_sequence *sequence, u64 now, u64 above,
			   u64 limit, u32 count)
{
	u64 end;

	return kuid_sequence_take(sequence, max(now, above + 1), limit, count,
				  false, &end);
}

#endif /* KUID_CORE_SEQUENCE_H */
