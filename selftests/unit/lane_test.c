// SPDX-License-Identifier: GPL-2.0-only
/* A lane gives out each nanosecond once, whoever asks, whatever the clock. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/lane.h"
#include "random.h"

#define NOW   1700000000123456789ULL
#define NEVER (1ULL << 62) /* a limit that is not reached */

/* All of count, or fails. */
static u64 take(struct kuid_lane *lane, u64 now, u64 floor, u32 count)
{
	u32 taken = count;
	u64 first = kuid_lane_reserve(lane, now, floor, NEVER, &taken);

	return taken == count ? first : 0;
}

static void starts_at_now(void **state)
{
	struct kuid_lane lane = { 0 };

	(void)state;
	assert_int_equal(take(&lane, NOW, 0, 1), NOW);
}

static void goes_on_behind_a_batch(void **state)
{
	struct kuid_lane lane = { 0 };

	(void)state;
	assert_int_equal(take(&lane, NOW, 0, 1000), NOW);
	assert_int_equal(take(&lane, NOW, 0, 1), NOW + 1000);
	assert_int_equal(take(&lane, NOW + 5, 0, 2), NOW + 1001);
	assert_int_equal(take(&lane, NOW + 1003, 0, 1), NOW + 1003);
}

static void ignores_a_clock_that_is_behind(void **state)
{
	struct kuid_lane lane = { 0 };

	(void)state;
	take(&lane, NOW, 0, 1);
	assert_int_equal(take(&lane, NOW - 1000, 0, 1), NOW + 1);
	assert_int_equal(take(&lane, 0, 0, 1), NOW + 2);
}

static void stays_above_the_floor(void **state)
{
	struct kuid_lane lane = { 0 };

	(void)state;
	assert_int_equal(take(&lane, NOW, NOW, 1), NOW + 1);
	assert_int_equal(take(&lane, NOW, NOW + 50, 3), NOW + 51);
	/* A floor below what the lane has given out changes nothing. */
	assert_int_equal(take(&lane, NOW, NOW + 50, 1), NOW + 54);
}

static void the_limit_is_the_last_nanosecond(void **state)
{
	struct kuid_lane lane = { 0 };
	u32 count = 100;

	(void)state;
	assert_int_equal(kuid_lane_reserve(&lane, NOW, 0, NOW + 9, &count),
			 NOW);
	assert_int_equal(count, 10);
	count = 1;
	assert_int_equal(kuid_lane_reserve(&lane, NOW, 0, NOW + 9, &count),
			 NOW + 10);
	assert_int_equal(count, 0);
	/* A floor at the limit leaves nothing, and takes nothing. */
	count = 1;
	kuid_lane_reserve(&lane, NOW, NOW + 50, NOW + 50, &count);
	assert_int_equal(count, 0);
	count = 5;
	assert_int_equal(kuid_lane_reserve(&lane, NOW, 0, NOW + 10, &count),
			 NOW + 10);
	assert_int_equal(count, 1);
}

#define THREADS	     4
#define RESERVATIONS 50000

struct range {
	u64 first;
	u32 count;
};

static struct kuid_lane shared_lane;
static struct range ranges[THREADS][RESERVATIONS];

static void *reserve(void *arg)
{
	struct range *range = arg;

	random_thread((range - ranges[0]) / RESERVATIONS + 1);
	for (int i = 0; i < RESERVATIONS; i++, range++) {
		range->count = 1 + random_below(9);
		range->first = take(&shared_lane, NOW, 0, range->count);
	}
	return NULL;
}

static int by_first(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* With the clock stopped nothing may be given out twice, nor be left out. */
static void gives_each_nanosecond_once(void **state)
{
	pthread_t threads[THREADS];
	struct range *all = ranges[0];
	u64 next = NOW;

	(void)state;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, reserve,
						ranges[i]),
				 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);

	qsort(all, THREADS * RESERVATIONS, sizeof(*all), by_first);
	for (int i = 0; i < THREADS * RESERVATIONS; i++) {
		assert_int_equal(all[i].first, next);
		next += all[i].count;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_at_now),
		cmocka_unit_test(goes_on_behind_a_batch),
		cmocka_unit_test(ignores_a_clock_that_is_behind),
		cmocka_unit_test(stays_above_the_floor),
		cmocka_unit_test(the_limit_is_the_last_nanosecond),
		cmocka_unit_test(gives_each_nanosecond_once),
	};

	random_start();
	return cmocka_run_group_tests_name("lane", tests, NULL, NULL);
}
