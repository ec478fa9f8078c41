/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A caller's turn: how a call takes the units that its IDs are made from. The
 * generator knows when units are available, and the lines know the order of the
 * callers. Only the turn knows both.
 *
 * Stamps have no line, because a caller can't use up the lane of another CPU.
 * Each sequence of slots has two lines: singles may use all of the window,
 * batches may use the near half of it.
 */
#ifndef KUID_CORE_TURN_H
#define KUID_CORE_TURN_H

#include "line.h"
#include "take.h"

/**
 * struct kuid_line_pair - the two lines of a sequence
 * @batches: calls for more than one ID
 * @singles: calls for one ID, and batches that went over
 */
struct kuid_line_pair {
	struct kuid_line batches;
	struct kuid_line singles;
} ____cacheline_aligned_in_smp;

/**
 * struct kuid_turn - the turn of a call for units
 * @generator: the generator
 * @lines: the lines of the source; not used for stamps
 * @want: what the caller wants, of its part of the window; kuid_turn_go_over()
 *	changes it
 * @single: the caller may use all of the window, and waits in the line of
 *	singles; set if a batch goes over
 * @may_wait: the caller joins a line if it has to wait
 * @has_waited: the caller had to wait; from then on it waits until all of
 *	them are due, otherwise it would be woken for a few IDs at a time
 * @waiter: the caller's place in a line
 *
 * The caller sets all members before the first kuid_turn_try(), @waiter by
 * kuid_waiter_init(). It sets @has_waited before it sleeps.
 */
struct kuid_turn {
	struct kuid_generator *generator;
	struct kuid_line_pair *lines;
	struct kuid_want want;
	bool single;
	bool may_wait;
	bool has_waited;
	struct kuid_waiter waiter;
};

/* Let a batch ask for @count units like a single, from all of the window. */
static inline void kuid_turn_go_over(struct kuid_turn *turn, u32 count)
{
	turn->single = true;
	turn->want.ahead = turn->generator->windows[turn->want.source].one;
	turn->want.count = count;
}

bool kuid_turn_try(struct kuid_turn *turn, struct kuid_taken *taken, u64 *due);
u64 kuid_turn_when(struct kuid_turn *turn);
void kuid_turn_end(struct kuid_turn *turn);

static inline void kuid_line_pair_init(struct kuid_line_pair *lines)
{
	kuid_line_init(&lines->batches);
	kuid_line_init(&lines->singles);
}

#endif /* KUID_CORE_TURN_H */
