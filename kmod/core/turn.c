// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "turn.h"

static struct kuid_line *kuid_turn_line(const struct kuid_turn *turn)
{
	return turn->single ? &turn->lines->singles : &turn->lines->batches;
}

/* Take units. Returns false if there are none, or if they must not be used. */
static bool kuid_turn_take(struct kuid_turn *turn, struct kuid_taken *taken)
{
	kuid_generator_take(turn->generator, &turn->want, taken);
	return taken->units.count && !taken->origin.closed;
}

/*
 * When all units that the caller wants are due, if @before units are for other
 * callers first.
 */
static u64 kuid_turn_due(struct kuid_turn *turn, u64 before)
{
	return kuid_generator_when(turn->generator, &turn->want, before);
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
 * When a batch that is the head of its line goes over to the singles. Singles
 * may use the far half of the window and batches may not, so singles could keep
 * the batch waiting forever. KUID_NEVER for all other callers.
 */
static u64 kuid_turn_over_at(const struct kuid_turn *turn,
			     struct kuid_line *line)
{
	if (turn->single || kuid_line_head(line) != &turn->waiter)
		return KUID_NEVER;
	return turn->waiter.first + turn->generator->max_ahead;
}

/*
 * How many units a batch asks for when it goes over: no more than the far half
 * of the window, which batches can't use. A batch that asked for more could
 * wait forever while other batches take the near half, and the singles behind
 * it would wait, too.
 */
static u32 kuid_turn_over_count(const struct kuid_turn *turn)
{
	const struct kuid_window *window =
		&turn->generator->windows[turn->want.source];

	/* If the window is less than a grid tick, the far half may be empty. */
	return min_t(u64, turn->want.count,
		     max_t(u64, window->one - window->batch, 1));
}

static bool kuid_turn_try_slots(struct kuid_turn *turn,
				struct kuid_taken *taken, u64 *due)
{
	struct kuid_line *line = kuid_turn_line(turn);
	struct kuid_waiter *waiter = &turn->waiter;
	struct kuid_wakeups wakeups = { 0 };
	unsigned long flags;
	bool taken_now;
	u64 before, now;

	if (!turn->has_waited && !READ_ONCE(line->count)) {
		if (kuid_turn_take(turn, taken))
			return true;
		*due = taken->units.first;
		if (*due == KUID_NEVER)
			return false;
	}

	raw_spin_lock_irqsave(&line->lock, flags);
	now = kuid_port_mono_ns();
	before = kuid_line_look(line, waiter, now, &wakeups);
	*due = kuid_turn_due(turn, before);
	taken_now = (*due <= now ||
		     (*due != KUID_NEVER && !before && !turn->has_waited)) &&
		    kuid_turn_take(turn, taken);
	if (taken_now || *due == KUID_NEVER) {
		/*
		 * If only a change can help, the caller needs no place in the
		 * line: it tries again after the change.
		 */
		kuid_line_leave(line, waiter, now, taken_now, &wakeups);
	} else if (kuid_turn_over_at(turn, line) <= now) {
		kuid_line_leave(line, waiter, now, false, &wakeups);
		kuid_turn_go_over(turn, kuid_turn_over_count(turn));
		*due = now;
	} else if (turn->may_wait) {
		if (!kuid_waiter_waits(waiter))
			kuid_line_join(line, waiter, turn->want.count, now);
		turn->has_waited = true;
		waiter->due = *due;
		*due = min(kuid_turn_over_at(turn, line),
			   kuid_line_next_look(line, waiter, now));
	}
	raw_spin_unlock_irqrestore(&line->lock, flags);
	kuid_wakeups_do(&wakeups);
	return taken_now;
}

/**
 * kuid_turn_try - take units if it is the caller's turn
 * @turn: the caller's turn
 * @taken: set to the units that were taken
 * @due: if none were taken, set to the moment at which the caller should try
 *	again, in nanoseconds of the monotonic clock; it tries earlier if
 *	&kuid_waiter.called is set. KUID_NEVER if the clocks or the epoch must
 *	change first
 *
 * The caller takes units that are free and not for waiters before it. Otherwise
 * it joins the line, if it may wait. A batch that has been the head of its line
 * for one window goes over to the line of singles, and may then use all of the
 * window.
 *
 * Context: as kuid_generator_take(). Never sleeps. Takes the lock of the line,
 * and generator->lock inside it.
 * Return: whether units were taken.
 */
bool kuid_turn_try(struct kuid_turn *turn, struct kuid_taken *taken, u64 *due)
{
	return turn->want.source == KUID_STAMPS
		       ? kuid_turn_try_stamps(turn, taken, due)
		       : kuid_turn_try_slots(turn, taken, due);
}

/**
 * kuid_turn_when - compute when kuid_turn_try() would take all units
 * @turn: the turn of a caller that is in no line
 *
 * Context: as kuid_turn_try().
 * Return: the moment, in nanoseconds of the monotonic clock; KUID_NEVER if the
 * clocks or the epoch must change first.
 */
u64 kuid_turn_when(struct kuid_turn *turn)
{
	struct kuid_line *line = kuid_turn_line(turn);
	struct kuid_wakeups wakeups = { 0 };
	unsigned long flags;
	u64 before = 0;

	if (turn->want.source != KUID_STAMPS && READ_ONCE(line->count)) {
		raw_spin_lock_irqsave(&line->lock, flags);
		before = kuid_line_look(line, &turn->waiter,
					kuid_port_mono_ns(), &wakeups);
		raw_spin_unlock_irqrestore(&line->lock, flags);
		kuid_wakeups_do(&wakeups);
	}
	return kuid_turn_due(turn, before);
}

/**
 * kuid_turn_end - leave the line
 * @turn: the caller's turn, which may be tried again; if the caller is in no
 *	line, it leaves none
 *
 * A call that has not waited is in no line, so it takes no lock.
 *
 * Context: as kuid_turn_try().
 */
void kuid_turn_end(struct kuid_turn *turn)
{
	struct kuid_line *line = kuid_turn_line(turn);
	struct kuid_wakeups wakeups = { 0 };
	unsigned long flags;

	if (turn->want.source == KUID_STAMPS || !turn->has_waited)
		return;
	raw_spin_lock_irqsave(&line->lock, flags);
	kuid_line_leave(line, &turn->waiter, kuid_port_mono_ns(), false,
			&wakeups);
	WRITE_ONCE(turn->waiter.called, false);
	raw_spin_unlock_irqrestore(&line->lock, flags);
	kuid_wakeups_do(&wakeups);
}
