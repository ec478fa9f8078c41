// SPDX-License-Identifier: GPL-2.0-only
/*
 * A lane hands out each nanosecond once, with any clock. model_test.c and
 * threads_test.c have callers at the same time.
 */
#include "core/lane.h"
#include "harness.h"

#define NOW   1700000000123456789ULL
#define NEVER (1ULL << 62) /* a limit that is never reached */

/* The calls of one lane, in this order. */
TEST(each_call_gets_what_is_next)
{
	static const struct {
		u64 now;
		u64 above;
		u64 limit;
		u32 count;
		u64 first;
		u32 got;
	} calls[] = {
		{ NOW, 0, NEVER, 1, NOW, 1 },
		{ NOW, 0, NEVER, 999, NOW + 1, 999 },
		{ NOW + 5, 0, NEVER, 2, NOW + 1000, 2 },
		/* The clock has passed the lane, or is behind it. */
		{ NOW + 1003, 0, NEVER, 1, NOW + 1003, 1 },
		{ NOW - 1000, 0, NEVER, 1, NOW + 1004, 1 },
		{ 0, 0, NEVER, 1, NOW + 1005, 1 },
		/* A watermark below the last stamp changes nothing. */
		{ NOW, NOW + 1005, NEVER, 1, NOW + 1006, 1 },
		{ NOW, NOW + 1050, NEVER, 3, NOW + 1051, 3 },
		{ NOW, NOW + 1050, NEVER, 1, NOW + 1054, 1 },
		{ NOW + 1099, NOW + 1099, NEVER, 1, NOW + 1100, 1 },
		/* The limit is the last nanosecond. */
		{ NOW, 0, NOW + 1109, 100, NOW + 1101, 9 },
		{ NOW, 0, NOW + 1109, 1, NOW + 1110, 0 },
		{ NOW, NOW + 1150, NOW + 1150, 1, NOW + 1151, 0 },
		{ NOW, 0, NOW + 1110, 5, NOW + 1110, 1 },
	};
	struct kuid_lane lane = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		u32 got = calls[i].count;
		u64 first = kuid_lane_reserve(&lane, calls[i].now,
					      calls[i].above, calls[i].limit,
					      &got);

		if (first != calls[i].first || got != calls[i].got)
			fail_msg("call %zu: %u from %llu on", i, got, first);
	}
}

static struct unit_case cases[] = {
	CASE(each_call_gets_what_is_next),
	{},
};

SUITE(lane, cases, NULL);
