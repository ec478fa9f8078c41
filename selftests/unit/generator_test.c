// SPDX-License-Identifier: GPL-2.0-only
/* Stamps of many CPUs: none twice, and in order for each open file. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/generator.h"
#include "machine.h"
#include "random.h"

#define NOW	 1700000000000000000ULL
#define NR_LANES 2

static struct kuid_clock generator_clock;
static struct kuid_epoch *epoch;

static int setup(void **state)
{
	(void)state;
	machine_set_mono(0);
	machine_set_mono_step(0);
	machine_set_wall_offset(NOW);
	machine_set_cpu(0);
	generator_clock = (struct kuid_clock) { 0 };
	epoch = aligned_alloc(__alignof__(*epoch),
			      sizeof(*epoch) +
				      NR_LANES * sizeof(epoch->cpu_lanes[0]));
	if (!epoch)
		return -1;
	memset(epoch, 0,
	       sizeof(*epoch) + NR_LANES * sizeof(epoch->cpu_lanes[0]));
	epoch->number = 1;
	epoch->nr_cpu_lanes = NR_LANES;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(epoch);
	return 0;
}

static struct kuid_stamps on_cpu(unsigned int cpu, atomic64_t *floor, u32 count)
{
	machine_set_cpu(cpu);
	return kuid_generator_reserve(&generator_clock, epoch, floor, count);
}

static void each_cpu_has_its_lane(void **state)
{
	atomic64_t floor[NR_LANES] = { 0 };

	(void)state;
	for (unsigned int cpu = 0; cpu < NR_LANES; cpu++) {
		struct kuid_stamps s = on_cpu(cpu, &floor[cpu], 1);

		assert_int_equal(s.first, NOW);
		assert_int_equal(s.count, 1);
		assert_int_equal(s.lane, KUID_FIRST_CPU_LANE + cpu);
	}
}

static void more_cpus_than_lanes_share_them(void **state)
{
	(void)state;
	for (unsigned int cpu = 0; cpu < 5 * NR_LANES; cpu++) {
		atomic64_t floor = 0;
		struct kuid_stamps s = on_cpu(cpu, &floor, 10);

		assert_int_equal(s.lane, KUID_FIRST_CPU_LANE + cpu % NR_LANES);
		assert_int_equal(s.first, NOW + cpu / NR_LANES * 10);
	}
}

static void a_file_stays_in_order_when_it_changes_cpu(void **state)
{
	atomic64_t file = 0;

	(void)state;
	assert_int_equal(on_cpu(0, &file, 1000).first, NOW);
	assert_int_equal(on_cpu(1, &file, 1).first, NOW + 1000);
	assert_int_equal(on_cpu(0, &file, 1).first, NOW + 1001);
}

static void a_file_does_not_push_other_files(void **state)
{
	atomic64_t one = 0, other = 0;

	(void)state;
	on_cpu(0, &one, 1000);
	assert_int_equal(on_cpu(1, &other, 1).first, NOW);
}

#define THREADS	     4
#define RESERVATIONS 20000

static atomic64_t shared_file;
static _Atomic u64 returned;
static atomic_int disorders;
static struct kuid_stamps all[THREADS][RESERVATIONS];

/*
 * Whatever had been returned when a reservation began must be below all of it.
 * The sizes differ so that lanes and file drift apart.
 */
static void *reserve(void *arg)
{
	struct kuid_stamps *s = arg;
	unsigned int n = (s - all[0]) / RESERVATIONS;

	random_thread(n + 1);
	for (int i = 0; i < RESERVATIONS; i++, s++) {
		u64 before = returned;
		u64 last;

		*s = on_cpu(random_below(2 * NR_LANES), &shared_file,
			    1 + random_below(n % 2 ? 3 : 300));
		if (s->first <= before)
			disorders++;
		last = s->first + s->count - 1;
		while (before < last &&
		       !atomic_compare_exchange_weak(&returned, &before, last))
			;
	}
	return NULL;
}

static int by_lane_and_first(const void *a, const void *b)
{
	const struct kuid_stamps *x = a, *y = b;

	if (x->lane != y->lane)
		return x->lane - y->lane;
	return x->first < y->first ? -1 : x->first > y->first;
}

static void threads_share_a_file_in_order_without_repeats(void **state)
{
	pthread_t threads[THREADS];
	struct kuid_stamps *s = all[0];

	(void)state;
	shared_file = 0;
	returned = 0;
	disorders = 0;
	machine_set_mono_step(20);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, reserve, all[i]), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(disorders, 0);

	qsort(s, THREADS * RESERVATIONS, sizeof(*s), by_lane_and_first);
	for (int i = 1; i < THREADS * RESERVATIONS; i++)
		assert_true(s[i].lane != s[i - 1].lane ||
			    s[i].first >= s[i - 1].first + s[i - 1].count);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(each_cpu_has_its_lane),
		TEST(more_cpus_than_lanes_share_them),
		TEST(a_file_stays_in_order_when_it_changes_cpu),
		TEST(a_file_does_not_push_other_files),
		TEST(threads_share_a_file_in_order_without_repeats),
	};

	random_start();
	return cmocka_run_group_tests_name("generator", tests, NULL, NULL);
}
