// SPDX-License-Identifier: GPL-2.0-only
/*
 * A lane hands out each nanosecond once, with any clock. model_test.c and
 * threads_test.c have callers at the same time.
 */
#include "core/lane.h"
#include "harness.h"

#define NOW   1700000000123456789ULL
#define NEVER (1ULL << 62) /* a limit that is never reached */

/* Take all of @count. Returns 0 if there are fewer. */
static u64 take(struct kuid_lane *lane, u64 now, u64 above, u32 count)
{
	u32 taken = count;
	u64 first = kuid_lane_reserve(lane, now, above, NEVER, &taken);

	return taken == count ? first : 0;
}

TEST(starts_at_now)
{
	struct kuid_lane lane = { 0 };

	assert_int_equal(take(&lane, NOW, 0, 1), NOW);
}

TEST(goes_on_after_a_batch)
{
	struct kuid_lane lane = { 0 };

	assert_int_equal(take(&lane, NOW, 0, 1000), NOW);
	assert_int_equal(take(&lane, NOW, 0, 1), NOW + 1000);
	assert_int_equal(take(&lane, NOW + 5, 0, 2), NOW + 1001);
	assert_int_equal(take(&lane, NOW + 1003, 0, 1), NOW + 1003);
}

TEST(ignores_a_clock_that_is_behind)
{
	struct kuid_lane lane = { 0 };

	take(&lane, NOW, 0, 1);
	assert_int_equal(take(&lane, NOW - 1000, 0, 1), NOW + 1);
	assert_int_equal(take(&lane, 0, 0, 1), NOW + 2);
}

TEST(stays_above_the_watermark)
{
	struct kuid_lane lane = { 0 };

	assert_int_equal(take(&lane, NOW, NOW, 1), NOW + 1);
	assert_int_equal(take(&lane, NOW, NOW + 50, 3), NOW + 51);
	/* A watermark below the last stamp of the lane changes nothing. */
	assert_int_equal(take(&lane, NOW, NOW + 50, 1), NOW + 54);
}

TEST(the_limit_is_the_last_nanosecond)
{
	struct kuid_lane lane = { 0 };
	u32 count = 100;

	assert_int_equal(kuid_lane_reserve(&lane, NOW, 0, NOW + 9, &count),
			 NOW);
	assert_int_equal(count, 10);
	count = 1;
	assert_int_equal(kuid_lane_reserve(&lane, NOW, 0, NOW + 9, &count),
			 NOW + 10);
	assert_int_equal(count, 0);
	/* A watermark at the limit leaves nothing, and reserves nothing. */
	count = 1;
	kuid_lane_reserve(&lane, NOW, NOW + 50, NOW + 50, &count);
	assert_int_equal(count, 0);
	count = 5;
	assert_int_equal(kuid_lane_reserve(&lane, NOW, 0, NOW + 10, &count),
			 NOW + 10);
	assert_int_equal(count, 1);
}

static struct unit_case cases[] = {
	CASE(starts_at_now),
	CASE(goes_on_after_a_batch),
	CASE(ignores_a_clock_that_is_behind),
	CASE(stays_above_the_watermark),
	CASE(the_limit_is_the_last_nanosecond),
	{},
};

SUITE(lane, cases, NULL);
