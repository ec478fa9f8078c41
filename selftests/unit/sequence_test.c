// SPDX-License-Identifier: GPL-2.0-only
/*
 * A sequence hands out each slot once, in runs, with any clock. model_test.c
 * and threads_test.c have callers at the same time.
 */
#include "core/sequence.h"
#include "harness.h"

#define RUN KUID_RUN_SLOTS

/* A multiple of a run, like the first slot of each grid tick. */
#define NOW   (1ULL << 40)
#define NEVER (1ULL << 62) /* a limit that is never reached */

static struct kuid_sequence sequence;
static struct kuid_run runs[2];

SETUP(setup)
{
	memset(&sequence, 0, sizeof(sequence));
	memset(runs, 0, sizeof(runs));
	return 0;
}

static struct kuid_units take(struct kuid_run *run, u64 now, u64 above,
			      u64 limit, u32 count)
{
	return kuid_sequence_reserve(&sequence, run, now, above, limit, count);
}

#define assert_slots(slots, from, size)                   \
	do {                                              \
		struct kuid_units got = (slots);          \
                                                          \
		assert_int_equal(got.count, size);        \
		assert_int_equal(got.first, (u64)(from)); \
	} while (0)

TEST(a_run_is_used_to_its_end)
{
	for (int i = 0; i < RUN; i++)
		assert_slots(take(&runs[0], NOW, 0, NEVER, 1), NOW + i, 1);
	/* The sequence was written once for the whole run. */
	assert_int_equal(atomic64_read(&sequence.next), NOW + RUN);
	assert_slots(take(&runs[0], NOW, 0, NEVER, 1), NOW + RUN, 1);
	assert_int_equal(atomic64_read(&sequence.next), NOW + 2 * RUN);
}

TEST(a_run_ends_at_a_multiple)
{
	assert_slots(take(&runs[0], NOW + 5, 0, NEVER, 1), NOW + 5, 1);
	assert_int_equal(atomic64_read(&sequence.next), NOW + RUN);
	assert_slots(take(&runs[0], NOW, 0, NEVER, 2 * RUN), NOW + 6, RUN - 6);
	assert_slots(take(&runs[0], NOW, 0, NEVER, 1), NOW + RUN, 1);
}

TEST(each_cpu_has_a_run_of_its_own)
{
	assert_slots(take(&runs[0], NOW, 0, NEVER, 3), NOW, 3);
	assert_slots(take(&runs[1], NOW, 0, NEVER, 3), NOW + RUN, 3);
	assert_slots(take(&runs[0], NOW, 0, NEVER, 3), NOW + 3, 3);
	assert_slots(take(&runs[1], NOW, 0, NEVER, 3), NOW + RUN + 3, 3);
}

TEST(more_than_a_run_is_taken_at_once)
{
	assert_slots(take(&runs[0], NOW, 0, NEVER, 100), NOW, 100);
	assert_int_equal(atomic64_read(&sequence.next), NOW + 4 * RUN);
	/* The slots that were carved after them stay with the CPU. */
	assert_slots(take(&runs[1], NOW, 0, NEVER, 1), NOW + 4 * RUN, 1);
	assert_slots(take(&runs[0], NOW, 0, NEVER, 100), NOW + 100,
		     4 * RUN - 100);
}

TEST(taking_a_whole_run_leaves_it_empty)
{
	assert_slots(take(&runs[0], NOW, 0, NEVER, RUN), NOW, RUN);
	assert_int_equal(atomic64_read(&runs[0].next) % RUN, 0);
	/* Another task has carved a lower run, and stores its rest only now. */
	kuid_raise(&runs[0].next, NOW - RUN + 5);
	assert_slots(take(&runs[0], NOW - RUN, 0, NEVER, 2 * RUN), NOW + RUN,
		     2 * RUN);
}

/*
 * Two tasks have carved runs for one CPU. The rest of the lower run is dropped.
 */
TEST(filling_a_run_does_not_lower_it)
{
	kuid_raise(&runs[0].next, NOW + RUN + 5);
	kuid_raise(&runs[0].next, NOW + 9);
	assert_slots(take(&runs[0], NOW, 0, NEVER, 1), NOW + RUN + 5, 1);
	kuid_raise(&runs[0].next, NOW + 3 * RUN + 1);
	assert_slots(take(&runs[0], NOW, 0, NEVER, 1), NOW + 3 * RUN + 1, 1);
}

TEST(a_run_is_dropped_when_the_clock_has_passed_it)
{
	assert_slots(take(&runs[0], NOW, 0, NEVER, 1), NOW, 1);
	/* Within the run, slots that the clock has passed are skipped. */
	assert_slots(take(&runs[0], NOW + 10, 0, NEVER, 1), NOW + 10, 1);
	assert_slots(take(&runs[0], NOW + RUN - 1, 0, NEVER, 2), NOW + RUN - 1,
		     1);
	assert_slots(take(&runs[1], NOW, 0, NEVER, 1), NOW + RUN, 1);
	assert_slots(take(&runs[1], NOW + 5 * RUN, 0, NEVER, 1), NOW + 5 * RUN,
		     1);
	/* A new run was carved in place of the old one. */
	assert_int_equal(atomic64_read(&sequence.next), NOW + 6 * RUN);
	assert_slots(take(&runs[1], NOW + 5 * RUN, 0, NEVER, 1),
		     NOW + 5 * RUN + 1, 1);
	assert_int_equal(atomic64_read(&sequence.next), NOW + 6 * RUN);
	/* The clock is just behind the run. */
	assert_slots(take(&runs[1], NOW + 6 * RUN, 0, NEVER, 1), NOW + 6 * RUN,
		     1);
	assert_int_equal(atomic64_read(&sequence.next), NOW + 7 * RUN);
}

TEST(slots_are_above_the_watermark)
{
	assert_slots(take(&runs[0], NOW, NOW, NEVER, 1), NOW + 1, 1);
	assert_slots(take(&runs[0], NOW, NOW + 9, NEVER, 1), NOW + 10, 1);
	/* A watermark below the next slot changes nothing. */
	assert_slots(take(&runs[0], NOW, NOW + 3, NEVER, 1), NOW + 11, 1);
	assert_slots(take(&runs[1], NOW, NOW + 99, NEVER, 1), NOW + 100, 1);
}

/*
 * A file with a high watermark, from a CPU far in front, must not make this CPU
 * drop its run.
 */
TEST(a_watermark_beyond_a_run_does_not_drop_it)
{
	assert_slots(take(&runs[0], NOW, 0, NEVER, 1), NOW, 1);
	assert_slots(take(&runs[0], NOW, NOW + 3 * RUN + 4, NEVER, 2),
		     NOW + 3 * RUN + 5, 2);
	assert_slots(take(&runs[0], NOW, 0, NEVER, 1), NOW + 1, 1);
}

TEST(the_limit_is_the_last_slot)
{
	assert_slots(take(&runs[0], NOW, 0, NOW + 9, 100), NOW, 10);
	assert_slots(take(&runs[0], NOW, 0, NOW + 9, 1), NOW + 10, 0);
	assert_slots(take(&runs[0], NOW, 0, NOW + 10, 1), NOW + 10, 1);
	assert_slots(take(&runs[0], NOW + 20, 0, NOW + 19, 1), NOW + 20, 0);
	assert_int_equal(atomic64_read(&sequence.next), NOW + 11);
	assert_int_equal(atomic64_read(&runs[0].next) % RUN, 0);
}

/* While the clock stands still and no run fits, no slot may be skipped. */
TEST(carving_skips_no_slot)
{
	u64 next = NOW;

	for (u32 count = 1; count < 100; count++) {
		u64 limit = next + count - 1;

		assert_slots(take(&runs[0], NOW, 0, limit, 1000), next, count);
		next += count;
	}
	assert_int_equal(atomic64_read(&sequence.next), next);
}

/* Slots above the limit must be left for a caller with a higher limit. */
TEST(no_run_goes_beyond_the_limit)
{
	assert_slots(take(&runs[0], NOW, 0, NOW + 9, 1), NOW, 1);
	assert_int_equal(atomic64_read(&sequence.next), NOW + 1);
	assert_slots(take(&runs[0], NOW, 0, NOW + RUN - 1, 1), NOW + 1, 1);
	assert_int_equal(atomic64_read(&sequence.next), NOW + RUN);

	/*
	 * A caller with a lower limit takes a part of the run, and leaves the
	 * rest.
	 */
	assert_slots(take(&runs[0], NOW, 0, NOW + 9, 100), NOW + 2, 8);
	assert_slots(take(&runs[0], NOW, 0, NOW + 9, 1), NOW + RUN, 0);
	assert_slots(take(&runs[0], NOW, 0, NEVER, 1), NOW + 10, 1);
}

TEST(a_run_does_not_cross_grid_ticks)
{
	assert_int_equal(RUN & (RUN - 1), 0);
	assert_true(RUN <= 1 << 14);
	for (u64 from = NOW; from < NOW + 3 * RUN; from++) {
		u64 next;

		setup(NULL);
		take(&runs[0], from, 0, NEVER, 1);
		next = atomic64_read(&sequence.next);
		assert_int_equal(next % RUN, 0);
		assert_true(next > from && next - from <= RUN);
	}
}

static struct unit_case cases[] = {
	CASE(a_run_is_used_to_its_end),
	CASE(a_run_ends_at_a_multiple),
	CASE(each_cpu_has_a_run_of_its_own),
	CASE(more_than_a_run_is_taken_at_once),
	CASE(taking_a_whole_run_leaves_it_empty),
	CASE(filling_a_run_does_not_lower_it),
	CASE(a_run_is_dropped_when_the_clock_has_passed_it),
	CASE(slots_are_above_the_watermark),
	CASE(a_watermark_beyond_a_run_does_not_drop_it),
	CASE(the_limit_is_the_last_slot),
	CASE(carving_skips_no_slot),
	CASE(no_run_goes_beyond_the_limit),
	CASE(a_run_does_not_cross_grid_ticks),
	{},
};

SUITE(sequence, cases, setup);
