// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ends of a clock's arithmetic. reference_test.c has clocks that are set at
 * random.
 */
#include "core/clock.h"
#include "harness.h"
#include "random.h"

#define SECOND 1000000000ULL
#define WALL   (1700000000 * SECOND)
#define MONO   (5 * SECOND)
#define OFFSET (WALL - MONO)
#define AHEAD  (SECOND / 10)
#define YEARS  (10 * 365 * 86400 * SECOND)

#define for_each(p, array) \
	for (p = array; p < array + sizeof(array) / sizeof(array[0]); p++)

static u64 at(const struct kuid_clock *clock, u64 mono)
{
	return kuid_clock_at(clock->offset, clock->half, mono);
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

static struct unit_case cases[] = {
	CASE(goes_on_within_reach_of_a_dropped_time),
	CASE(reach_is_the_first_moment),
	{},
};

SUITE(clock, cases, NULL);
