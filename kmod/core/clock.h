/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The arithmetic of a clock that follows the wall clock but is not thrown back
 * by it.
 *
 * A clock is two straight lines over the monotonic clock, which no one can
 * set. One is the wall clock; the other rises at half speed from where the
 * clock was when the wall clock was set back. The clock is the higher of the
 * two: it goes on without a break, and is the wall clock again from the moment
 * that has caught up, without anyone having to be there.
 */
#ifndef KUID_CORE_CLOCK_H
#define KUID_CORE_CLOCK_H

#include "port.h"

/**
 * struct kuid_clock - a clock
 * @offset: added to the monotonic clock gives the wall clock, in nanoseconds
 * @half: added to half of the monotonic clock gives the line at half speed; 0
 *	if there is none, which is below any wall clock since 1970
 * @until: the moment of the monotonic clock from which on it may not be used
 *	without asking again
 */
struct kuid_clock {
	u64 offset;
	u64 half;
	u64 until;
};

/**
 * kuid_clock_at - read a clock
 * @offset: of the clock
 * @half: of the clock
 * @mono: the moment, in nanoseconds of the monotonic clock
 *
 * Return: nanoseconds since 1970-01-01T00:00:00Z; not less for a later moment.
 */
static __always_inline u64 kuid_clock_at(u64 offset, u64 half, u64 mono)
{
	return max(mono + offset, half + mono / 2);
}

/**
 * kuid_clock_reach - when a clock gets somewhere
 * @clock: the clock
 * @time: nanoseconds since 1970, below 2^63
 *
 * Return: the first moment of the monotonic clock at which @clock is not
 * before @time, if it is not set to another time until then.
 */
static inline u64 kuid_clock_reach(const struct kuid_clock *clock, u64 time)
{
	u64 wall = time > clock->offset ? time - clock->offset : 0;
	u64 half = time > clock->half ? (time - clock->half) * 2 : 0;

	return min(wall, half);
}

/**
 * kuid_clock_follow - go on from now, with the wall clock where it is now
 * @clock: the clock
 * @mono: now, in nanoseconds of the monotonic clock
 * @offset: what makes it the wall clock
 * @issued: the highest time that was issued by @clock, 0 if none was
 * @ahead: how far a time may be issued ahead of @clock
 *
 * What was issued counts, not what the clock has shown: with nothing issued
 * beyond it the clock is the wall clock, wherever that was set to. Otherwise
 * it goes on from there; from less if times were issued ahead of it, or a wall
 * clock that is set time and again would drive it on.
 *
 * Return: how far @issued is ahead of the wall clock, 0 if it is not.
 */
static inline u64 kuid_clock_follow(struct kuid_clock *clock, u64 mono,
				    u64 offset, u64 issued, u64 ahead)
{
	u64 now = kuid_clock_at(clock->offset, clock->half, mono);
	u64 wall = mono + offset;
	u64 from = issued;

	if (from > now)
		from = max(now, issued - min(issued, ahead));
	clock->offset = offset;
	clock->half = from > wall ? from - mono / 2 : 0;
	return issued > wall ? issued - wall : 0;
}

#endif /* KUID_CORE_CLOCK_H */
