// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "turn.h"

static struct kuid_line *kuid_turn_line(const struct kuid_turn *turn)
{
	return turn->single ? &turn->lines->singles : &turn->lines->batches;
}

static struct kuid_want kuid_turn_want(const struct kuid_turn *turn)
{
	const struct kuid_window *window =
		&turn->generator->windows[turn->source];

	return (struct kuid_want) {
		.source = turn->source,
		.watermarks = turn->watermarks,
		.order = turn->order,
		.parts = turn->parts,
		.ahead = turn->single ? window->one : window->batch,
		.count = turn->count,
	};
}

/*
 * Ask for no more than batches leave of the window, or they could keep the
 * caller, and all calls for one ID behind it, waiting for ever.
 */
static void kuid_turn_go_over(struct kuid_turn *turn)
{
	const struct kuid_window *window =
		&turn->generator->windows[turn->source];

	turn->single = true;
	/* Nothing may be left where the window is less than a grid tick. */
	turn->count = min_t(u64, turn->count,
			    max_t(u64, window->one - window->batch, 1));
}

/* Take what there is. Returns false if there is nothing that may be used. */
static bool kuid_turn_take(const struct kuid_turn *turn,
			   struct kuid_taken *taken)
{
	const struct kuid_want want = kuid_turn_want(turn);

	*taken = kuid_generator_take(turn->generator, &want);
	return taken->units.count && !taken->origin.closed;
}

/* When all of it can be had, if @before is left to others. */
static u64 kuid_turn_due(const struct kuid_turn *turn, u64 before)
{
	const struct kuid_want want = kuid_turn_want(turn);

	return kuid_generator_when(turn->generator, &want, before);
}

static bool kuid_turn_try_stamps(struct kuid_turn *turn,
				 struct kuid_taken *taken, u64 *due)
{
	if ((!turn->has_waited ||
	     kuid_turn_due(turn, 0) <= kuid_port_mono_ns()) &&
	    kuid_turn_take(turn, taken))
		return true;
	*due = kuid_turn_due(turn, 0);
	return false;
}

/*
 * When a batch that is the head of its line goes over to the singles, which
 * could keep it waiting for ever; KUID_NEVER for all others.
 */
static u64 kuid_turn_over_at(const struct kuid_turn *turn,
			     struct kuid_line *line)
{
	if (turn->single || kuid_line_head(line) != &turn->waiter)
		return KUID_NEVER;
	return turn->waiter.first + turn->generator->max_ahead;
}

static bool kuid_turn_try_slots(struct kuid_turn *turn,
				struct kuid_taken *taken, u64 *due)
{
	struct kuid_line *line = kuid_turn_line(turn);
	struct kuid_waiter *waiter = &turn->waiter;
	unsigned long flags;
	bool taken_now;
	u64 before, now;

	if (!turn->has_waited && !READ_ONCE(line->count) &&
	    kuid_turn_take(turn, taken))
		return true;

	raw_spin_lock_irqsave(&line->lock, flags);
	now = kuid_port_mono_ns();
	before = kuid_line_look(line, waiter, now);
	*due = kuid_turn_due(turn, before);
	taken_now = (*due <= now || (!before && !turn->has_waited)) &&
		    kuid_turn_take(turn, taken);
	if (taken_now || *due == KUID_NEVER) {
		/* Where only a change can help, nobody needs a place. */
		kuid_line_leave(line, waiter, now);
	} else if (kuid_turn_over_at(turn, line) <= now) {
		kuid_line_leave(line, waiter, now);
		kuid_turn_go_over(turn);
		*due = now;
	} else if (turn->may_wait) {
		if (!kuid_waiter_waits(waiter))
			kuid_line_join(line, waiter, turn->count, now);
		turn->has_waited = true;
		waiter->due = *due;
		*due = min(kuid_turn_over_at(turn, line),
			   kuid_line_next_look(line, waiter, now));
	}
	raw_spin_unlock_irqrestore(&line->lock, flags);
	return taken_now;
}

/**
 * kuid_turn_try - take what is wanted if it is the caller's turn
 * @turn: the caller's
 * @taken: set to what was taken
 * @due: if nothing was taken set to when to try again, in nanoseconds of the
 *	monotonic clock, also if &kuid_waiter.called is set until then;
 *	KUID_NEVER if clocks or the epoch must change first
 *
 * The caller takes what is free and not left to waiters before it. Otherwise it
 * joins the line, if it may wait. A batch that has been the head of its line
 * for as long as the window is long goes over to the line of the singles with
 * all of the window.
 *
 * Context: as kuid_generator_take(). Takes the line's lock.
 * Return: whether something was taken.
 */
bool kuid_turn_try(struct kuid_turn *turn, struct kuid_taken *taken, u64 *due)
{
	return turn->source == KUID_STAMPS
		       ? kuid_turn_try_stamps(turn, taken, due)
		       : kuid_turn_try_slots(turn, taken, due);
}

/**
 * kuid_turn_when - when kuid_turn_try() would take all of it
 * @turn: a caller's that is in no line
 *
 * Context: as kuid_turn_try().
 * Return: the moment, in nanoseconds of the monotonic clock; KUID_NEVER if
 * clocks or the epoch must change first.
 */
u64 kuid_turn_when(struct kuid_turn *turn)
{
	struct kuid_line *line = kuid_turn_line(turn);
	unsigned long flags;
	u64 before = 0;

	if (turn->source != KUID_STAMPS && READ_ONCE(line->count)) {
		raw_spin_lock_irqsave(&line->lock, flags);
		before = kuid_line_look(line, &turn->waiter,
					kuid_port_mono_ns());
		raw_spin_unlock_irqrestore(&line->lock, flags);
	}
	return kuid_turn_due(turn, before);
}

/**
 * kuid_turn_end - leave the line, if the caller is in one
 * @turn: the caller's, which may be tried again
 *
 * Context: as kuid_turn_try().
 */
void kuid_turn_end(struct kuid_turn *turn)
{
	struct kuid_line *line = kuid_turn_line(turn);
	unsigned long flags;

	if (turn->source == KUID_STAMPS || !turn->has_waited)
		return;
	raw_spin_lock_irqsave(&line->lock, flags);
	kuid_line_leave(line, &turn->waiter, kuid_port_mono_ns());
	turn->waiter.called = false;
	raw_spin_unlock_irqrestore(&line->lock, flags);
}
