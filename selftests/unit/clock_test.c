// SPDX-License-Identifier: GPL-2.0-only
/* The stamp clock on a machine whose clocks are set by script. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <cmocka.h>

#include "core/clock.h"
#include "machine.h"

#define SECOND 1000000000ULL
#define WALL   (1700000000 * SECOND)

static int setup(void **state)
{
	(void)state;
	machine_set_mono(5 * SECOND);
	machine_set_mono_step(0);
	machine_set_wall_wander(0);
	machine_set_wall_offset(WALL);
	return 0;
}

static void starts_at_wall_time(void **state)
{
	struct kuid_clock clock = { 0 };

	(void)state;
	assert_int_equal(kuid_clock_now(&clock), WALL + 5 * SECOND);
}

static void goes_on_with_monotonic_time(void **state)
{
	struct kuid_clock clock = { 0 };

	(void)state;
	kuid_clock_now(&clock);
	machine_set_mono(5 * SECOND + 1);
	assert_int_equal(kuid_clock_now(&clock), WALL + 5 * SECOND + 1);
}

static void follows_a_step_forward_at_once(void **state)
{
	struct kuid_clock clock = { 0 };

	(void)state;
	kuid_clock_now(&clock);
	machine_set_wall_offset(WALL + 3600 * SECOND);
	assert_int_equal(kuid_clock_now(&clock), WALL + 3605 * SECOND);
}

static void is_not_set_back(void **state)
{
	struct kuid_clock clock = { 0 };

	(void)state;
	kuid_clock_now(&clock);
	machine_set_wall_offset(WALL - 3600 * SECOND);
	assert_int_equal(kuid_clock_now(&clock), WALL + 5 * SECOND);
	machine_set_mono(6 * SECOND);
	assert_int_equal(kuid_clock_now(&clock), WALL + 6 * SECOND);

	/* Set forward again, but not as far: still nothing to follow. */
	machine_set_wall_offset(WALL - 1);
	assert_int_equal(kuid_clock_now(&clock), WALL + 6 * SECOND);
	machine_set_wall_offset(WALL + 1);
	assert_int_equal(kuid_clock_now(&clock), WALL + 6 * SECOND + 1);
}

/* For threads: assertions of the framework work in its own thread only. */
static struct kuid_clock shared_clock;
static _Atomic u64 shared_now;
static atomic_int went_back;

static void *read_clock(void *arg)
{
	(void)arg;
	for (int i = 0; i < 100000; i++) {
		u64 seen = shared_now;
		u64 now = kuid_clock_now(&shared_clock);

		if (now < seen)
			went_back++;
		while (seen < now &&
		       !atomic_compare_exchange_weak(&shared_now, &seen, now))
			;
	}
	return NULL;
}

static void does_not_go_back_between_threads(void **state)
{
	pthread_t threads[3];

	(void)state;
	shared_clock = (struct kuid_clock) { 0 };
	shared_now = 0;
	went_back = 0;
	machine_set_mono_step(1);
	machine_set_wall_wander(1000);
	for (int i = 0; i < 3; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, read_clock, NULL), 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(went_back, 0);
	assert_true(shared_now > WALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(starts_at_wall_time, setup),
		cmocka_unit_test_setup(goes_on_with_monotonic_time, setup),
		cmocka_unit_test_setup(follows_a_step_forward_at_once, setup),
		cmocka_unit_test_setup(is_not_set_back, setup),
		cmocka_unit_test_setup(does_not_go_back_between_threads, setup),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
