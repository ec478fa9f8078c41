// SPDX-License-Identifier: GPL-2.0-only
/*
 * One reservation of slots from any state of a sequence and of a run, by one
 * thread. The conditions on the state before hold for the state after, so by
 * induction no two reservations get the same slot.
 */
#include "prove.h"
#include "core/sequence.h"

static u64 any_slot(void)
{
	u64 slot = any_u64();

	assume(slot < BIT_ULL(63));
	return slot;
}

/* The slots that are left in a run are below the next slot of the sequence. */
static bool holds(const struct kuid_sequence *sequence,
		  const struct kuid_run *run)
{
	return kuid_run_end(run->next) <= (u64)sequence->next;
}

void a_run_hands_out_a_slot_once(void)
{
	struct kuid_sequence sequence = { .next = any_slot() };
	struct kuid_run run = { .next = any_slot() };
	u64 now = any_slot(), above = any_slot(), limit = any_slot();
	u64 left = run.next, left_end = kuid_run_end(left);
	u64 next = sequence.next, end;
	u32 count = any_u64();
	struct kuid_units slots;

	assume(count && holds(&sequence, &run));
	slots = kuid_sequence_reserve(&sequence, &run, now, above, limit,
				      count);
	end = slots.first + slots.count;
	assert(holds(&sequence, &run));
	assert((u64)sequence.next >= next && (u64)run.next >= left);
	if (!slots.count) {
		assert(slots.first > limit && (u64)sequence.next == next);
		return;
	}
	assert(slots.count <= count && end - 1 <= limit);
	assert(slots.first >= now && slots.first > above);
	/* The slots were left in this run, or nobody had them. */
	assert(slots.first >= left);
	assert(end <= left_end || slots.first >= next);
	/* They are not left in the run or in the sequence. */
	assert(end <= (u64)sequence.next);
	assert((u64)run.next >= end || kuid_run_end(run.next) <= slots.first ||
	       (u64)run.next == kuid_run_end(run.next));
	/* The rest of the run was in it before, or nobody had it. */
	assert(kuid_run_end(run.next) == left_end || (u64)run.next >= next ||
	       (u64)run.next == kuid_run_end(run.next));
}

void a_sequence_reserves_above_all_slots(void)
{
	struct kuid_sequence sequence = { .next = any_slot() };
	u64 next = sequence.next, now = any_slot(), above = any_slot();
	u64 limit = any_slot();
	u32 count = any_u64();
	struct kuid_units slots;

	assume(count);
	slots = kuid_sequence_reserve_next(&sequence, now, above, limit, count);
	assert(slots.first >= now && slots.first > above &&
	       slots.first >= next);
	assert(slots.count <= count && !slots.count == (slots.first > limit));
	assert(!slots.count || slots.first + slots.count - 1 <= limit);
	assert((u64)sequence.next ==
	       (slots.count ? slots.first + slots.count : next));
}
