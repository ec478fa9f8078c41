// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stamps and slots of many CPUs: none twice, in order for each open file, and
 * not too far ahead of the clock.
 */
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
#define NR_CPUS	 2
#define AHEAD	 KUID_MAX_AHEAD_NS

static struct kuid_generator *generator;
static struct kuid_epoch *epoch;

static void *make_zeroed(size_t alignment, size_t size)
{
	void *memory = aligned_alloc(alignment, size);

	return memory ? memset(memory, 0, size) : NULL;
}

static int setup(void **state)
{
	(void)state;
	machine_set_mono(0);
	machine_set_mono_step(0);
	machine_set_wall_offset(NOW);
	machine_set_cpu(0);
	generator = make_zeroed(__alignof__(*generator),
				sizeof(*generator) +
					NR_CPUS * sizeof(generator->runs[0]));
	epoch = make_zeroed(__alignof__(*epoch),
			    sizeof(*epoch) +
				    NR_LANES * sizeof(epoch->cpu_lanes[0]));
	if (!generator || !epoch)
		return -1;
	generator->nr_cpus = NR_CPUS;
	epoch->number = 1;
	epoch->nr_cpu_lanes = NR_LANES;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(generator);
	free(epoch);
	return 0;
}

static struct kuid_stamps on_cpu(unsigned int cpu, atomic64_t *floor, u32 count)
{
	machine_set_cpu(cpu);
	return kuid_generator_stamps(generator, epoch, floor, AHEAD, count);
}

static struct kuid_slots lex_on_cpu(unsigned int cpu, atomic64_t *floor,
				    u64 ahead, u32 count)
{
	machine_set_cpu(cpu);
	return kuid_generator_lex(generator, floor, ahead, count);
}

static struct kuid_slots grid_on_cpu(unsigned int cpu, atomic64_t *floor,
				     u64 ahead, u32 count)
{
	machine_set_cpu(cpu);
	return kuid_generator_grid(generator, floor, ahead, count);
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

/* What a generator that starts over would give out first at this time. */
static void start_over_at(u64 ns)
{
	free(epoch);
	free(generator);
	assert_int_equal(setup(NULL), 0);
	machine_set_wall_offset(ns);
}

static void nothing_is_clear_that_was_not_begun(void **state)
{
	(void)state;
	assert_int_equal(kuid_generator_clear_ns(generator, NULL), 0);
	assert_true(kuid_generator_clear_ns(generator, epoch) <= 1);
}

/* A new load with the same identity may begin where the old one is clear. */
static void
a_generator_that_starts_over_when_clear_repeats_nothing(void **state)
{
	static const u32 counts[] = { 1, 31, 32, 33, 16383, 16384, 16385 };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		atomic64_t floor[3] = { 0 }, fresh[3] = { 0 };
		u64 stamp, lex, grid;
		struct kuid_slots s;

		start_over_at(NOW + i);
		s = lex_on_cpu(1, &floor[0], AHEAD, counts[i]);
		lex = s.first + s.count - 1;
		assert_true(kuid_generator_clear_ns(generator, epoch) >
			    kuid_lex_ns(lex));
		s = grid_on_cpu(1, &floor[1], AHEAD, counts[i]);
		grid = s.first + s.count - 1;
		stamp = on_cpu(1, &floor[2], counts[i]).first + counts[i] - 1;

		start_over_at(kuid_generator_clear_ns(generator, epoch));
		assert_true(lex_on_cpu(0, &fresh[0], AHEAD, 1).first > lex);
		assert_true(grid_on_cpu(0, &fresh[1], AHEAD, 1).first > grid);
		assert_true(on_cpu(0, &fresh[2], 1).first > stamp);
	}
}

/* The lanes alone, far ahead of both sequences. */
static void lanes_are_clear_too(void **state)
{
	atomic64_t floor = 0;

	(void)state;
	on_cpu(1, &floor, 5000000);
	assert_int_equal(kuid_generator_clear_ns(generator, epoch),
			 NOW + 5000000);
}

static void more_cpus_than_runs_share_them(void **state)
{
	(void)state;
	for (unsigned int cpu = 0; cpu < 5 * NR_CPUS; cpu++) {
		atomic64_t floor = 0;
		struct kuid_slots s = lex_on_cpu(cpu, &floor, AHEAD, 1);

		assert_int_equal(s.first,
				 NOW / 1000 + cpu % NR_CPUS * KUID_RUN_SLOTS +
					 cpu / NR_CPUS);
		assert_int_equal(floor, s.first);
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

static void stamps_are_not_too_far_ahead(void **state)
{
	atomic64_t file = 0;
	struct kuid_stamps s = on_cpu(0, &file, AHEAD);

	(void)state;
	assert_int_equal(s.count, AHEAD);
	s = on_cpu(0, &file, 2);
	assert_int_equal(s.first, NOW + AHEAD);
	assert_int_equal(s.count, 1);
	s = on_cpu(1, &file, 1);
	assert_int_equal(s.count, 0);
	assert_int_equal(s.first, NOW + AHEAD + 1);
	assert_int_equal(file, NOW + AHEAD);
	machine_set_mono(1);
	assert_int_equal(on_cpu(1, &file, 5).count, 1);
}

static void microseconds_are_not_too_far_ahead(void **state)
{
	u32 most = AHEAD / 1000;
	atomic64_t file = 0;
	struct kuid_slots s = lex_on_cpu(0, &file, AHEAD, most);

	(void)state;
	assert_int_equal(s.first, NOW / 1000);
	assert_int_equal(s.count, most);
	assert_int_equal(lex_on_cpu(0, &file, AHEAD, 2).count, 1);
	s = lex_on_cpu(1, &file, AHEAD, 1);
	assert_int_equal(s.count, 0);
	assert_int_equal(kuid_lex_ns(s.first), NOW + AHEAD + 1000);
	assert_int_equal(kuid_lex_ns(file), NOW + AHEAD);
	/* Who may only go half as far has to wait longer. */
	machine_set_mono(AHEAD / 2);
	assert_int_equal(lex_on_cpu(0, &file, AHEAD / 2, 1).count, 0);
	machine_set_mono(AHEAD / 2 + 1000);
	assert_int_equal(lex_on_cpu(0, &file, AHEAD / 2, 2).count, 1);
}

/* To the end of the last step that begins in time. */
static void the_grid_is_not_too_far_ahead(void **state)
{
	atomic64_t file = 0;
	u64 last = 0;

	(void)state;
	for (;;) {
		struct kuid_slots s = grid_on_cpu(0, &file, AHEAD, 16384);

		if (!s.count) {
			assert_int_equal(s.first, last + 1);
			break;
		}
		last = s.first + s.count - 1;
		assert_true(kuid_grid_ns(last) <= NOW + AHEAD);
	}
	assert_int_equal((last & KUID_GRID_SEQ_MAX), KUID_GRID_SEQ_MAX);
	assert_int_equal(file, last);
	assert_true(kuid_grid_ns(last + 1) > NOW + AHEAD - KUID_GRID_STEP_NS);
}

/* Over the end of a second, where a step is short, and at any time in it. */
static void the_grid_keeps_its_bound_at_all_times(void **state)
{
	(void)state;
	for (int i = 0; i < 20000; i++) {
		u64 wall = NOW + random_below(2000000000);
		u64 ahead = random_below(2 * AHEAD);
		atomic64_t file = 0;
		struct kuid_slots s;

		teardown(NULL);
		setup(NULL);
		machine_set_wall_offset(wall);
		/* The last slot there is: take all below it at once. */
		s = grid_on_cpu(0, &file, ahead, ~0U);
		assert_true(s.count > 0);
		assert_true(kuid_grid_ns(s.first) <= wall);
		assert_true(kuid_grid_ns(s.first + s.count - 1) <=
			    wall + ahead);
	}
}

static void files_and_formats_have_floors_of_their_own(void **state)
{
	struct kuid_floors one = { 0 }, other = { 0 };

	(void)state;
	assert_int_equal(lex_on_cpu(0, &one.lex, AHEAD, 100).count, 100);
	assert_int_equal(grid_on_cpu(0, &one.grid, AHEAD, 1).first,
			 kuid_grid_slot(NOW));
	assert_int_equal(on_cpu(0, &one.stamp, 1).first, NOW);
	/* CPU 1's run begins behind what CPU 0 has carved. */
	assert_int_equal(lex_on_cpu(1, &other.lex, AHEAD, 1).first,
			 (NOW / 1000 + 100 + KUID_RUN_SLOTS - 1) /
				 KUID_RUN_SLOTS * KUID_RUN_SLOTS);
	assert_int_equal(on_cpu(1, &other.stamp, 1).first, NOW);
}

#define THREADS	     4
#define RESERVATIONS 20000

enum {
	STAMPS,
	LEX,
	GRID,
};

/* What was given out: of lane 0 for all CPUs together in the case of slots. */
struct range {
	u64 first;
	u32 count;
	u8 lane;
};

static int kind;
static atomic64_t shared_file;
static _Atomic u64 returned;
static atomic_int disorders;
static struct range all[THREADS][RESERVATIONS];

static struct range take(unsigned int cpu, u32 count)
{
	struct kuid_slots slots;
	struct kuid_stamps s;

	if (kind == STAMPS) {
		s = on_cpu(cpu, &shared_file, count);
		return (struct range) { s.first, s.count, s.lane };
	}
	slots = kind == LEX ? lex_on_cpu(cpu, &shared_file, AHEAD, count)
			    : grid_on_cpu(cpu, &shared_file, AHEAD, count);
	return (struct range) { slots.first, slots.count, 0 };
}

/*
 * Whatever had been returned when a reservation began must be below all of it.
 * The sizes differ so that lanes and file drift apart.
 */
static void *reserve(void *arg)
{
	struct range *s = arg;
	unsigned int n = (s - all[0]) / RESERVATIONS;

	random_thread(n + 1);
	for (int i = 0; i < RESERVATIONS; i++, s++) {
		u64 before = returned;
		u64 last;

		*s = take(random_below(2 * NR_LANES),
			  1 + random_below(n % 2 ? 3 : 300));
		if (!s->count)
			continue;
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
	const struct range *x = a, *y = b;

	if (x->lane != y->lane)
		return x->lane - y->lane;
	return x->first < y->first ? -1 : x->first > y->first;
}

static void share_a_file(int what, u64 mono_step)
{
	const struct range *last = NULL;
	struct range *s = all[0];
	pthread_t threads[THREADS];
	int got = 0;

	kind = what;
	shared_file = 0;
	returned = 0;
	disorders = 0;
	machine_set_mono_step(mono_step);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, reserve, all[i]), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(disorders, 0);

	qsort(s, THREADS * RESERVATIONS, sizeof(*s), by_lane_and_first);
	for (int i = 0; i < THREADS * RESERVATIONS; i++) {
		if (!s[i].count)
			continue;
		assert_true(!last || s[i].lane != last->lane ||
			    s[i].first >= last->first + last->count);
		last = &s[i];
		got++;
	}
	assert_true(got > THREADS * RESERVATIONS / 2);
}

static void threads_share_a_file_in_order_without_repeats(void **state)
{
	(void)state;
	share_a_file(STAMPS, 20);
}

static void threads_share_a_file_of_lex(void **state)
{
	(void)state;
	share_a_file(LEX, 100000);
}

static void threads_share_a_file_of_the_grid(void **state)
{
	(void)state;
	share_a_file(GRID, 5000);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(each_cpu_has_its_lane),
		TEST(more_cpus_than_lanes_share_them),
		TEST(more_cpus_than_runs_share_them),
		TEST(a_file_stays_in_order_when_it_changes_cpu),
		TEST(a_file_does_not_push_other_files),
		TEST(stamps_are_not_too_far_ahead),
		TEST(microseconds_are_not_too_far_ahead),
		TEST(the_grid_is_not_too_far_ahead),
		TEST(the_grid_keeps_its_bound_at_all_times),
		TEST(files_and_formats_have_floors_of_their_own),
		TEST(nothing_is_clear_that_was_not_begun),
		TEST(a_generator_that_starts_over_when_clear_repeats_nothing),
		TEST(lanes_are_clear_too),
		TEST(threads_share_a_file_in_order_without_repeats),
		TEST(threads_share_a_file_of_lex),
		TEST(threads_share_a_file_of_the_grid),
	};

	random_start();
	return cmocka_run_group_tests_name("generator", tests, NULL, NULL);
}
