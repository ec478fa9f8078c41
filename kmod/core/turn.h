/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A caller's turn: when a call takes what its IDs are made from. Here the
 * generator, which knows when there is something, meets the lines, which know
 * who came first.
 *
 * Stamps have no line, because no caller can use up a lane for others. Each
 * sequence of slots has two: for calls for one ID, which may use all of the
 * window, and for batches, which may use the near half of it.
 */
#ifndef KUID_CORE_TURN_H
#define KUID_CORE_TURN_H

#include "generator.h"
#include "line.h"

/**
 * struct kuid_line_pair - the lines of one source of slots
 * @batches: calls for more than one ID
 * @singles: calls for one ID, and the batches that came over
 */
struct kuid_line_pair {
	struct kuid_line batches;
	struct kuid_line singles;
};

/**
 * struct kuid_turn - what a call asks for at a time
 * @generator: from what
 * @lines: of @source; not used for stamps
 * @watermarks: of the open file
 * @source: what is wanted
 * @order: what it shall follow
 * @parts: KUID_PART_*: what IDs made of it will show of the identity
 * @count: how much is wanted, at least 1
 * @single: the caller may use all of the window, and waits among the singles
 * @may_wait: the caller joins a line if it has to
 * @has_waited: the caller had to wait; from then on it takes all of @count, not
 *	a few at a time
 * @waiter: its place in a line
 *
 * The caller sets all of it before the first kuid_turn_try(), @waiter by
 * kuid_waiter_init(), and @has_waited before it sleeps.
 */
struct kuid_turn {
	struct kuid_generator *generator;
	struct kuid_line_pair *lines;
	struct kuid_watermarks *watermarks;
	enum kuid_source source;
	enum kuid_order order;
	u32 parts;
	u32 count;
	bool single;
	bool may_wait;
	bool has_waited;
	struct kuid_waiter waiter;
};

bool kuid_turn_try(struct kuid_turn *turn, struct kuid_taken *taken, u64 *due);
u64 kuid_turn_when(struct kuid_turn *turn);
void kuid_turn_end(struct kuid_turn *turn);

/**
 * kuid_line_pair_single_passes - whether a call for one ID finds no waiter
 * @lines: the lines of what it is made from
 *
 * Context: any. One plain read.
 */
static __always_inline bool
kuid_line_pair_single_passes(const struct kuid_line_pair *lines)
{
	return !READ_ONCE(lines->singles.count);
}

static inline void kuid_line_pair_init(struct kuid_line_pair *lines)
{
	kuid_line_init(&lines->batches);
	kuid_line_init(&lines->singles);
}

#endif /* KUID_CORE_TURN_H */
