// SPDX-License-Identifier: GPL-2.0-only
/* Checks the arithmetic of a clock to the nanosecond. */
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

TEST(is_the_wall_clock_of_1970_too)
{
	struct kuid_clock clock = { 0 };

	/* The wall clock can't be set below the monotonic clock. */
	for (u64 mono = 0; mono < 10; mono++) {
		kuid_clock_follow(&clock, mono, 0, 0, AHEAD);
		assert_int_equal(at(&clock, mono), mono);
		assert_int_equal(at(&clock, mono + 7), mono + 7);
	}
}

TEST(counts_a_step_from_the_issued_time)
{
	const u64 *mono;

	for_each(mono, odd_and_even)
	{
		struct kuid_clock clock = { .offset = OFFSET };
		u64 issued = *mono + OFFSET;

		/*
		 * The wall clock is set back to the issued time: no half ramp.
		 */
		assert_int_equal(kuid_clock_follow(&clock, *mono + 100,
						   OFFSET - 100, issued, AHEAD),
				 0);
		assert_int_equal(clock.half, 0);
		assert_int_equal(at(&clock, *mono + 100), issued);

		/* One nanosecond further back, there is a half ramp. */
		clock = (struct kuid_clock) { .offset = OFFSET };
		assert_int_equal(kuid_clock_follow(&clock, *mono + 100,
						   OFFSET - 101, issued, AHEAD),
				 1);
		assert_int_equal(at(&clock, *mono + 100), issued);
	}
}

/*
 * The half ramp rounds down, so half a nanosecond is lost or gained at its
 * start, and none after that.
 */
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

/*
 * A caller that slept across a clock step may have dropped a reservation far in
 * front of the clock. The clock must bring it back into the window.
 */
TEST(goes_on_within_reach_of_a_dropped_time)
{
	struct kuid_clock clock = { .offset = OFFSET };

	kuid_clock_follow(&clock, MONO, OFFSET, WALL + AHEAD + 1, AHEAD);
	assert_int_equal(at(&clock, MONO), WALL + 1);
	kuid_clock_follow(&clock, MONO, OFFSET, WALL + YEARS, AHEAD);
	assert_int_equal(at(&clock, MONO), WALL + YEARS - AHEAD);
	assert_int_equal(at(&clock, MONO + 100), WALL + YEARS - AHEAD + 50);
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
		/* Around the moment at which both ramps meet. */
		any.half = any.offset + random_below(20);
		assert_reach(&any, any.half + random_below(40));
	}
}

/*
 * The clock is set at random, and times are issued at random inside the window.
 */
TEST(keeps_its_bounds_under_random_steps)
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
			/* The issued times are within the window. */
			assert_true(now + AHEAD >= issued);
			/*
			 * The clock is in front of the wall clock only if it
			 * must be.
			 */
			assert_true(now == wall || now <= issued);
			/*
			 * The clock goes back only if nothing was issued above
			 * it.
			 */
			assert_true(now >= min(was, issued));
			if (random_below(2))
				issued = max(issued, now + random_below(AHEAD));
		}
	}
}

static struct unit_case cases[] = {
	CASE(is_the_wall_clock_of_1970_too),
	CASE(counts_a_step_from_the_issued_time),
	CASE(goes_at_half_speed),
	CASE(goes_on_within_reach_of_a_dropped_time),
	CASE(reach_is_the_first_moment),
	CASE(keeps_its_bounds_under_random_steps),
	{},
};

SUITE(clock, cases, NULL);
