// SPDX-License-Identifier: GPL-2.0-only
/* The arithmetic of a clock: two lines, to the nanosecond. */
#include "core/clock.h"
#include "harness.h"
#include "random.h"

#define SECOND 1000000000ULL
#define WALL   (1700000000 * SECOND)
#define MONO   (5 * SECOND)
#define OFFSET (WALL - MONO)
#define AHEAD  (SECOND / 10)
#define YEARS  (10 * 365 * 86400 * SECOND)

static const u64 odd_and_even[] = { MONO, MONO + 1, MONO + 2, MONO + 3 };

#define for_each(p, array) \
	for (p = array; p < array + sizeof(array) / sizeof(array[0]); p++)

static u64 at(const struct kuid_clock *clock, u64 mono)
{
	return kuid_clock_at(clock->offset, clock->half, mono);
}

TEST(is_the_wall_clock_if_nothing_was_issued)
{
	struct kuid_clock clock = { 0 };

	assert_int_equal(kuid_clock_follow(&clock, MONO, OFFSET, 0, AHEAD), 0);
	assert_int_equal(at(&clock, MONO), WALL);
	assert_int_equal(at(&clock, MONO + 1), WALL + 1);
	/* Even if it has shown another time. */
	assert_int_equal(
		kuid_clock_follow(&clock, MONO, OFFSET + YEARS, 0, AHEAD), 0);
	assert_int_equal(at(&clock, MONO), WALL + YEARS);
	assert_int_equal(kuid_clock_follow(&clock, MONO, OFFSET, 0, AHEAD), 0);
	assert_int_equal(at(&clock, MONO), WALL);
	assert_int_equal(at(&clock, 2 * MONO), WALL + MONO);
}

TEST(is_the_wall_clock_of_1970_too)
{
	struct kuid_clock clock = { 0 };

	/* The least that the wall clock can be set to is the monotonic one. */
	for (u64 mono = 0; mono < 10; mono++) {
		kuid_clock_follow(&clock, mono, 0, 0, AHEAD);
		assert_int_equal(at(&clock, mono), mono);
		assert_int_equal(at(&clock, mono + 7), mono + 7);
	}
}

TEST(follows_forward_at_once)
{
	struct kuid_clock clock = { .offset = OFFSET };
	u64 there = WALL + 3600 * SECOND;

	assert_int_equal(kuid_clock_follow(&clock, MONO, there - MONO,
					   WALL + AHEAD, AHEAD),
			 0);
	assert_int_equal(at(&clock, MONO), there);
	assert_int_equal(at(&clock, MONO + 1), there + 1);
}

TEST(what_is_issued_counts_to_the_nanosecond)
{
	const u64 *mono;

	for_each(mono, odd_and_even)
	{
		struct kuid_clock clock = { .offset = OFFSET };
		u64 issued = *mono + OFFSET;

		/* Set back to just that: it is the wall clock. */
		assert_int_equal(kuid_clock_follow(&clock, *mono + 100,
						   OFFSET - 100, issued, AHEAD),
				 0);
		assert_int_equal(clock.half, 0);
		assert_int_equal(at(&clock, *mono + 100), issued);

		/* And a nanosecond further. */
		clock = (struct kuid_clock) { .offset = OFFSET };
		assert_int_equal(kuid_clock_follow(&clock, *mono + 100,
						   OFFSET - 101, issued, AHEAD),
				 1);
		assert_int_equal(at(&clock, *mono + 100), issued);
	}
}

/* Half a nanosecond is lost or won where it began, and never again. */
TEST(goes_at_half_speed)
{
	const u64 *mono;

	for_each(mono, odd_and_even)
	{
		struct kuid_clock clock = { .offset = OFFSET };
		u64 from = *mono + OFFSET;

		assert_int_equal(kuid_clock_follow(&clock, *mono,
						   OFFSET - SECOND, from,
						   AHEAD),
				 SECOND);
		for (u64 n = 0; n < 50; n++) {
			assert_int_equal(at(&clock, *mono + 2 * n), from + n);
			assert_int_equal(at(&clock, *mono + 2 * n + 1),
					 from + n + *mono % 2);
		}
		assert_int_equal(at(&clock, *mono + SECOND), from + SECOND / 2);
	}
}

TEST(has_caught_up_after_twice_the_lag)
{
	const u64 *mono;

	for_each(mono, odd_and_even)
	{
		struct kuid_clock clock = { .offset = OFFSET };
		u64 from = *mono + OFFSET;
		u64 lag = 9 * SECOND + 1;
		u64 then = *mono + 2 * lag;

		kuid_clock_follow(&clock, *mono, OFFSET - lag, from, AHEAD);
		assert_true(at(&clock, then - 2) > then - 2 + clock.offset);
		assert_int_equal(at(&clock, then), then + clock.offset);
		assert_int_equal(at(&clock, then), from + lag);
		/* From there on it is the wall clock, with no one there. */
		assert_int_equal(at(&clock, then + 1), from + lag + 1);
		assert_int_equal(at(&clock, then + 100 * SECOND),
				 from + lag + 100 * SECOND);
	}
}

/* Issued ahead of the clock: it goes on from where it was. */
TEST(run_ahead_does_not_drive_it_on)
{
	struct kuid_clock clock = { .offset = OFFSET };
	u64 offset = OFFSET;

	for (int i = 0; i < 1000; i++) {
		u64 issued = at(&clock, MONO) + AHEAD;

		offset -= 1000;
		assert_int_equal(kuid_clock_follow(&clock, MONO, offset, issued,
						   AHEAD),
				 issued - MONO - offset);
		assert_int_equal(at(&clock, MONO), WALL);
	}
}

/* Dropped by someone who slept over a step: it must be within reach again. */
TEST(what_is_further_ahead_draws_it_on)
{
	struct kuid_clock clock = { .offset = OFFSET };

	kuid_clock_follow(&clock, MONO, OFFSET, WALL + AHEAD + 1, AHEAD);
	assert_int_equal(at(&clock, MONO), WALL + 1);
	kuid_clock_follow(&clock, MONO, OFFSET, WALL + YEARS, AHEAD);
	assert_int_equal(at(&clock, MONO), WALL + YEARS - AHEAD);
	assert_int_equal(at(&clock, MONO + 100), WALL + YEARS - AHEAD + 50);
}

TEST(less_issued_than_shown_sets_it_back_to_that)
{
	struct kuid_clock clock = { .offset = OFFSET };

	assert_int_equal(kuid_clock_follow(&clock, MONO + SECOND,
					   OFFSET - 5 * SECOND, WALL, AHEAD),
			 4 * SECOND);
	assert_int_equal(at(&clock, MONO + SECOND), WALL);
}

TEST(accumulates_lag)
{
	struct kuid_clock clock = { .offset = OFFSET };
	u64 issued = WALL;
	u64 mono = MONO;
	u64 offset = OFFSET;
	u64 wanted = 0;

	for (u64 i = 1; i <= 10; i++) {
		u64 lag;

		offset -= 99 * SECOND / 10;
		lag = kuid_clock_follow(&clock, mono, offset, issued, AHEAD);
		wanted += 99 * SECOND / 10;
		assert_int_equal(lag, wanted);
		mono += SECOND;
		issued = at(&clock, mono);
		assert_int_equal(issued, WALL + i * SECOND / 2);
		wanted -= SECOND / 2;
	}
}

static void assert_reach(const struct kuid_clock *clock, u64 time)
{
	u64 mono = kuid_clock_reach(clock, time);

	assert_true(at(clock, mono) >= time);
	assert_true(!mono || at(clock, mono - 1) < time);
}

TEST(reach_is_the_first_moment)
{
	static const u64 times[] = {
		1,
		2,
		WALL - 1,
		WALL,
		WALL + 1,
		WALL + SECOND,
		WALL + YEARS,
		WALL + YEARS + 1,
		(1ULL << 63) - 2,
		(1ULL << 63) - 1,
	};
	static const struct kuid_clock clocks[] = {
		{ 0, 0 },
		{ 1, 0 },
		{ 0, 1 },
		{ OFFSET, 0 },
		{ OFFSET - 1, 0 },
		{ OFFSET, OFFSET },
		{ OFFSET, OFFSET + 1 },
		{ OFFSET, OFFSET + SECOND },
		{ OFFSET - YEARS, OFFSET + 1 },
		{ OFFSET - YEARS - 1, OFFSET },
		{ 0, OFFSET },
		{ (1ULL << 63) - 1, 0 },
		{ 0, (1ULL << 63) - 1 },
		{ (1ULL << 63) - 2, (1ULL << 63) - 3 },
	};
	const struct kuid_clock *clock;
	const u64 *time;

	for_each(clock, clocks)
	{
		for_each(time, times)
		{
			assert_reach(clock, *time);
		}
	}
	for (int i = 0; i < MANY(200000); i++) {
		struct kuid_clock any = {
			.offset = OFFSET - random_below(2 * YEARS),
			.half = random_below(3) ? OFFSET - random_below(YEARS)
						: 0,
		};

		assert_reach(&any, OFFSET + random_below(YEARS) - YEARS / 2);
		/* Around where the lines meet. */
		any.half = any.offset + random_below(20);
		assert_reach(&any, any.half + random_below(40));
	}
}

/* A clock that is set again and again, with IDs taken from it as they may be. */
TEST(keeps_its_promises_whatever_happens)
{
	for (int i = 0; i < MANY(2000); i++) {
		struct kuid_clock clock = { 0 };
		u64 offset = WALL - MONO;
		u64 mono = MONO;
		u64 issued = 0;

		for (int j = 0; j < 30; j++) {
			u64 was, now, wall;

			mono += random_below(2 * SECOND);
			offset += random_below(4 * SECOND) - 2 * SECOND;
			wall = mono + offset;
			was = at(&clock, mono);
			kuid_clock_follow(&clock, mono, offset, issued, AHEAD);
			now = at(&clock, mono);
			assert_true(now >= wall);
			/* What was issued is within reach. */
			assert_true(now + AHEAD >= issued);
			/* Ahead of the wall clock only if it has to be. */
			assert_true(now == wall || now <= issued);
			/* Nothing issued beyond it, or it is not set back. */
			assert_true(now >= min(was, issued));
			if (random_below(2))
				issued = max(issued, now + random_below(AHEAD));
		}
	}
}

static struct unit_case cases[] = {
	CASE(is_the_wall_clock_if_nothing_was_issued),
	CASE(is_the_wall_clock_of_1970_too),
	CASE(follows_forward_at_once),
	CASE(what_is_issued_counts_to_the_nanosecond),
	CASE(goes_at_half_speed),
	CASE(has_caught_up_after_twice_the_lag),
	CASE(run_ahead_does_not_drive_it_on),
	CASE(what_is_further_ahead_draws_it_on),
	CASE(less_issued_than_shown_sets_it_back_to_that),
	CASE(accumulates_lag),
	CASE(reach_is_the_first_moment),
	CASE(keeps_its_promises_whatever_happens),
	{},
};

SUITE(clock, cases, NULL);
