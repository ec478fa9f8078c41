/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A sequence: the slots of one time grid, for the whole host. Each slot is
 * handed out once. CPUs carve runs from the sequence.
 *
 * Slots are numbered from 1970 on. A slot is handed out at its time or ahead of
 * it. A CPU that needs a slot carves the rest of an aligned block of
 * KUID_RUN_SLOTS slots, its run, and takes slots from the run. When the clock
 * has passed the run, the rest of the run is dropped.
 *
 * So all CPUs write the shared word once for each run, not once for each ID.
 * The price is order: CPUs hand out slots of neighbouring runs at the same
 * time, so IDs of different CPUs may be out of order, by up to one run for each
 * CPU.
 */
#ifndef KUID_CORE_SEQUENCE_H
#define KUID_CORE_SEQUENCE_H

#include "units.h"

/*
 * KUID_RUN_SLOTS is a power of two up to the slots of a grid tick, so no run
 * crosses grid ticks.
 */
#define KUID_RUN_SLOTS 32

/**
 * struct kuid_run - the run of one CPU
 * @next: the next slot to hand out. The run ends before the next multiple of
 *	KUID_RUN_SLOTS, so a multiple means an empty run. Only raised, by
 *	compare-and-exchange, because a task may be moved to another CPU after
 *	it has chosen the run and before it takes from the run.
 */
struct kuid_run {
	atomic64_t next;
} ____cacheline_aligned_in_smp;

/**
 * struct kuid_sequence - the slots of one time grid
 * @next: the first slot that was not handed out or carved; only raised, by
 *	compare-and-exchange
 *
 * If the sequence is all zeroes, nothing was handed out yet.
 */
struct kuid_sequence {
	atomic64_t next;
} ____cacheline_aligned_in_smp;

/*
 * Raise an atomic maximum. A plain store could lower it, if another thread has
 * raised it further meanwhile. Each raise is fully ordered.
 */
static __always_inline void kuid_raise(atomic64_t *maximum, u64 to)
{
	s64 seen = atomic64_read(maximum);

	while ((u64)seen < to && !atomic64_try_cmpxchg(maximum, &seen, to))
		;
}

/*
 * The first slot of the run that holds @slot. As the word of a run it means an
 * empty run.
 */
static inline u64 kuid_run_begin(u64 slot)
{
	return slot & ~(KUID_RUN_SLOTS - 1ULL);
}

/*
 * The end of the run that holds @slot; @slot itself if it is a multiple of
 * KUID_RUN_SLOTS.
 */
static inline u64 kuid_run_end(u64 slot)
{
	return kuid_run_begin(slot + KUID_RUN_SLOTS - 1);
}

/* Take the slots of a run that are between @from and @limit. */
static __always_inline struct kuid_units
kuid_run_take(struct kuid_run *run, u64 from, u64 limit, u32 count)
{
	s64 next = atomic64_read(&run->next);
	struct kuid_units slots = { 0 };

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

/*
 * Take slots from the sequence, and the rest of their run if @whole_run is set
 * and @limit allows it. *@end is set to the slot after all of them.
 */
static __always_inline struct kuid_units
kuid_sequence_take(struct kuid_sequence *sequence, u64 from, u64 limit,
		   u32 count, bool whole_run, u64 *end)
{
	s64 next = atomic64_read(&sequence->next);
	struct kuid_units slots = { 0 };

	do {
		slots.first = max_t(u64, next, from);
		if (slots.first > limit) {
			slots.count = 0;
			*end = slots.first;
			return slots;
		}
		slots.count = min_t(u64, count - 1, limit - slots.first) + 1;
		*end = slots.first + slots.count;
		if (whole_run && kuid_run_end(*end) <= limit + 1)
			*end = kuid_run_end(*end);
	} while (!atomic64_try_cmpxchg(&sequence->next, &next, *end));
	return slots;
}

/*
 * Take slots from the sequence, and keep the rest of their run for this CPU.
 * Out of line: this code runs once for each run, and inlined it would take
 * registers from the code that runs for each ID.
 */
static noinline __maybe_unused struct kuid_units
kuid_sequence_carve(struct kuid_sequence *sequence, struct kuid_run *run,
		    u64 now, u64 from, u64 limit, u32 count)
{
	struct kuid_units slots = { 0 };
	u64 left, rest, end;
	bool keep;

	for (;;) {
		left = atomic64_read(&run->next);
		/*
		 * A run that is only below the caller's watermark, or above its
		 * limit, still serves other callers. Don't drop it for this
		 * caller.
		 */
		keep = left < kuid_run_end(left) && now < kuid_run_end(left);
		if (!keep ||
		    max(left, from) >= min(kuid_run_end(left), limit + 1))
			break;
		/* Another task has filled the run since it was found empty. */
		slots = kuid_run_take(run, from, limit, count);
		if (slots.count)
			return slots;
	}

	slots = kuid_sequence_take(sequence, from, limit, count, !keep, &end);
	if (keep || !slots.count)
		return slots;
	/*
	 * Raise the word even if nothing is left of this run. Another task may
	 * have carved a lower run for this CPU, and may store its rest here now
	 * or soon. Slots of that rest would be out of order after the slots
	 * taken here.
	 */
	rest = slots.first + slots.count;
	kuid_raise(&run->next, rest < end ? rest : kuid_run_begin(rest));
	return slots;
}

/**
 * kuid_sequence_reserve - reserve slots from the run of a CPU
 * @sequence: the sequence
 * @run: the run of the present CPU; any run is correct
 * @now: the slot of the present time
 * @above: reserve only slots above this one
 * @limit: reserve no slot above this one
 * @count: how many slots the caller wants, at least 1
 *
 * If the run has no slot for the caller, this function carves a new run, or
 * takes slots from the sequence. A successful reservation is fully ordered.
 * Callers rely on this: see kuid_generator_holds().
 *
 * Context: any but NMI. Never sleeps, takes no lock.
 * Return: the slots that could be reserved at once, at most @count. If there
 * was none, count is 0, and first is the first slot that the caller would have
 * got without @limit.
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
 * kuid_sequence_reserve_next - reserve slots from the sequence itself
 * @sequence: the sequence
 * @now: the slot of the present time
 * @above: reserve only slots above this one
 * @limit: reserve no slot above this one
 * @count: how many slots the caller wants, at least 1
 *
 * The slots are above all slots that were reserved or carved before. A
 * successful reservation is fully ordered, as in kuid_sequence_reserve().
 *
 * Context: any but NMI. Never sleeps, takes no lock.
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
