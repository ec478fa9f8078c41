/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The arithmetic of a clock that follows the wall clock, but goes on when the
 * wall clock is set back.
 *
 * A clock is the higher of two ramps over the monotonic clock, which
 * nobody can set:
 *
 * - The wall ramp is the wall clock.
 * - The half ramp rises at half speed. It exists after the wall clock was set
 *   back below the highest issued time, and begins at that time.
 *
 * While the half ramp is the higher one, the clock goes on at half speed. When
 * the wall ramp has caught up, the clock is the wall clock again. No code has
 * to run for that.
 */
#ifndef KUID_CORE_CLOCK_H
#define KUID_CORE_CLOCK_H

#include "parts.h"

/*
 * The default window: how far the time in an ID may be in front of its clock.
 */
#define KUID_MAX_AHEAD_MS 100

/* The default limit of the stamp lag: beyond it, a new epoch begins. */
#define KUID_STEP_LIMIT_MS 10000

/**
 * struct kuid_clock - a clock
 * @offset: the wall ramp is the monotonic clock plus this; nanoseconds
 * @half: the half ramp is half of the monotonic clock plus this; nanoseconds. 0
 *	if there is no half ramp: then the ramp is below any wall clock since
 *	1970.
 * @until: before this moment of the monotonic clock, in nanoseconds, callers
 *	use the clock directly; from this moment on, they refresh it first. By
 *	the part of the identity that the caller's IDs show
 */
struct kuid_clock {
	u64 offset;
	u64 half;
	u64 until[KUID_NR_PARTS];
};

/**
 * kuid_clock_at - read a clock
 * @offset: &kuid_clock.offset
 * @half: &kuid_clock.half
 * @mono: the moment, in nanoseconds of the monotonic clock
 *
 * Context: any.
 * Return: the time in nanoseconds since 1970-01-01T00:00:00Z. A later moment
 * never gives a lower time, because both ramps rise.
 */
static __always_inline u64 kuid_clock_at(u64 offset, u64 half, u64 mono)
{
	return max(mono + offset, half + mono / 2);
}

/*
 * Read the monotonic clock and the offset of the wall clock so that both belong
 * to one moment. If the wall clock is set in between, repeat.
 */
static inline u64 kuid_clock_sample(u64 *offset)
{
	u64 mono;

	do {
		*offset = kuid_port_wall_offset();
		mono = kuid_port_mono_ns();
	} while (kuid_port_wall_offset() != *offset);
	return mono;
}

/**
 * kuid_clock_reach - compute when a clock reaches a time
 * @clock: the clock
 * @time: nanoseconds since 1970, below 2^63
 *
 * Context: any.
 * Return: the first moment of the monotonic clock, in nanoseconds, at which
 * @clock shows @time or more. It holds only if the wall clock is not set before
 * that moment.
 */
static inline u64 kuid_clock_reach(const struct kuid_clock *clock, u64 time)
{
	u64 wall = time > clock->offset ? time - clock->offset : 0;
	u64 half = time > clock->half ? (time - clock->half) * 2 : 0;

	return min(wall, half);
}

/**
 * kuid_clock_follow - make a clock follow a wall clock that was set
 * @clock: the clock
 * @mono: the present moment, in nanoseconds of the monotonic clock
 * @offset: the new &kuid_clock.offset
 * @issued: the highest issued time of @clock, in nanoseconds since 1970; 0 if
 *	there is none
 * @ahead: the window in nanoseconds: how far issued times may be in front of
 *	@clock
 *
 * A clock step is measured from @issued, not from the time that the clock has
 * shown. The half ramp begins at @issued. If @issued is in front of the clock,
 * the half ramp begins below @issued, by at most @ahead. Otherwise a wall clock
 * that is set many times would drive the clock further and further ahead.
 *
 * If the half ramp would not begin above the wall clock, there is none: the
 * clock is the wall clock, and may show less than before. There are no IDs of
 * the time between.
 *
 * Context: any.
 * Return: how far @issued is in front of the wall clock, in nanoseconds; 0 if
 * it is not.
 */
static inline u64 kuid_clock_follow(struct kuid_clock *clock, u64 mono,
				    u64 offset, u64 issued, u64 ahead)
{
	u64 now = kuid_clock_at(clock->offset, clock->half, mono);
	u64 wall = mono + offset;
	u64 from = issued;

	if (from > now)
		from = max(now, issued - min(issued, ahead));
	WRITE_ONCE(clock->offset, offset);
	WRITE_ONCE(clock->half, from > wall ? from - mono / 2 : 0);
	return issued > wall ? issued - wall : 0;
}

/* Set a clock to the wall clock, even if higher times were issued. */
static inline void kuid_clock_restart(struct kuid_clock *clock, u64 offset)
{
	WRITE_ONCE(clock->offset, offset);
	WRITE_ONCE(clock->half, 0);
}

#endif /* KUID_CORE_CLOCK_H */
