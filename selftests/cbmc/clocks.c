// SPDX-License-Identifier: GPL-2.0-only
/*
 * The arithmetic of clocks, lanes and nodes, for all values below 2^62
 * nanoseconds, the year 2116.
 */
#include "prove.h"
#include "core/epoch.h"
#include "core/gate.h"

#define TIME_MAX BIT_ULL(62)

static u64 any_time(void)
{
	u64 time = any_u64();

	assume(time < TIME_MAX);
	return time;
}

/* Any clock that kuid_clock_follow() can make: its sums don't wrap around. */
static struct kuid_clock any_clock(u64 mono)
{
	struct kuid_clock clock;
	u64 half = any_time();

	clock.offset = any_time() - mono;
	clock.half = half > mono / 2 ? half - mono / 2 : 0;
	return clock;
}

void a_clock_never_goes_back(void)
{
	u64 mono = any_time(), later = any_time();
	const struct kuid_clock clock = any_clock(mono);

	assume(later >= mono);
	assert(kuid_clock_at(clock.offset, clock.half, later) >=
	       kuid_clock_at(clock.offset, clock.half, mono));
}

/* At the first moment, and not before. */
void a_clock_reaches_a_time_when_it_says(void)
{
	u64 mono = any_time(), time = any_time(), reach;
	const struct kuid_clock clock = any_clock(mono);

	/* The offset is that of a wall clock since 1970. */
	assume((s64)clock.offset >= 0);
	reach = kuid_clock_reach(&clock, time);
	assert(kuid_clock_at(clock.offset, clock.half, reach) >= time);
	assert(!reach ||
	       kuid_clock_at(clock.offset, clock.half, reach - 1) < time);
}

/*
 * However the wall clock is set, a clock shows no less than before, or than the
 * highest issued time if that is less; and it is not more than the window below
 * that time.
 */
void a_set_clock_goes_on(void)
{
	u64 mono = any_time(), issued = any_time(), ahead = any_time(), before;
	struct kuid_clock clock = any_clock(mono);
	u64 offset = any_time() - mono, after, lag;

	before = kuid_clock_at(clock.offset, clock.half, mono);
	lag = kuid_clock_follow(&clock, mono, offset, issued, ahead);
	after = kuid_clock_at(clock.offset, clock.half, mono);
	assert(after >= min(before, issued));
	assert(after >= mono + offset);
	assert(issued <= after || issued - after <= ahead || before <= after);
	assert(lag == (issued > mono + offset ? issued - (mono + offset) : 0));
}

/* Nobody else gets these: above the last one, and within the limit. */
void a_lane_reserves_above_the_last_one(void)
{
	struct kuid_lane lane = { .last = any_time() };
	u64 last = lane.last, now = any_time(), above = any_time();
	u64 limit = any_time(), first;
	u32 wanted = any_u64(), count = wanted;

	assume(limit >= now && wanted);
	first = kuid_lane_reserve(&lane, now, above, limit, &count);
	assert(count <= wanted);
	assert(first > last && first > above && first >= now);
	if (count)
		assert(first + count - 1 <= limit &&
		       lane.last == first + count - 1);
	else
		assert(first > limit && lane.last == last);
}

void node_numbers_increase(void)
{
	struct kuid_node_counter nodes = { .last = any_time() };
	u64 last = nodes.last, number;

	assume(last <= KUID_NODE_LAST);
	number = kuid_node_next(&nodes);
	assert(number ? number == last + 1 && number <= KUID_NODE_LAST
		      : last == KUID_NODE_LAST);
}
