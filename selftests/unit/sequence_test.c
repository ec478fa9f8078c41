// SPDX-License-Identifier: GPL-2.0-only
/* A sequence gives out each slot once, in runs, whatever the clock. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/sequence.h"
#include "random.h"

#define RUN KUID_RUN_SLOTS

/* A multiple of a run, as the first slot of every step is. */
#define NOW   (1ULL << 40)
#define NEVER (1ULL << 62) /* a limit that is not reached */

static struct kuid_sequence sequence;
static struct kuid_run runs[2];

static int setup(void **state)
{
	(void)state;
	memset(&sequence, 0, sizeof(sequence));
	memset(runs, 0, sizeof(runs));
	return 0;
}

static struct kuid_slots take(struct kuid_run *run, u64 now, u64 floor,
			      u64 limit, u32 count)
{
	return kuid_sequence_reserve(&sequence, run, now, floor, limit, count);
}

#define assert_slots(slots, from, size)                   \
	do {                                              \
		struct kuid_slots got = (slots);          \
                                                          \
		assert_int_equal(got.count, size);        \
		assert_int_equal(got.first, (u64)(from)); \
	} while (0)

static void a_run_is_counted_off_to_its_end(void **state)
{
	(void)state;
	for (int i = 0; i < RUN; i++)
		assert_slots(take(&runs[0], NOW, 0, NEVER, 1), NOW + i, 1);
	/* The sequence was written once for all of it. */
	assert_int_equal(sequence.next, NOW + RUN);
	assert_slots(take(&runs[0], NOW, 0, NEVER, 1), NOW + RUN, 1);
	assert_int_equal(sequence.next, NOW + 2 * RUN);
}

static void a_run_ends_at_a_multiple(void **state)
{
	(void)state;
	assert_slots(take(&runs[0], NOW + 5, 0, NEVER, 1), NOW + 5, 1);
	assert_int_equal(sequence.next, NOW + RUN);
	assert_slots(take(&runs[0], NOW, 0, NEVER, 2 * RUN), NOW + 6, RUN - 6);
	assert_slots(take(&runs[0], NOW, 0, NEVER, 1), NOW + RUN, 1);
}

static void each_cpu_has_a_run_of_its_own(void **state)
{
	(void)state;
	assert_slots(take(&runs[0], NOW, 0, NEVER, 3), NOW, 3);
	assert_slots(take(&runs[1], NOW, 0, NEVER, 3), NOW + RUN, 3);
	assert_slots(take(&runs[0], NOW, 0, NEVER, 3), NOW + 3, 3);
	assert_slots(take(&runs[1], NOW, 0, NEVER, 3), NOW + RUN + 3, 3);
}

static void more_than_a_run_is_taken_at_once(void **state)
{
	(void)state;
	assert_slots(take(&runs[0], NOW, 0, NEVER, 100), NOW, 100);
	assert_int_equal(sequence.next, NOW + 4 * RUN);
	/* What was carved beyond it stays with the CPU. */
	assert_slots(take(&runs[1], NOW, 0, NEVER, 1), NOW + 4 * RUN, 1);
	assert_slots(take(&runs[0], NOW, 0, NEVER, 100), NOW + 100,
		     4 * RUN - 100);
}

static void what_fills_a_run_leaves_it_empty(void **state)
{
	(void)state;
	assert_slots(take(&runs[0], NOW, 0, NEVER, RUN), NOW, RUN);
	assert_int_equal((u64)runs[0].next % RUN, 0);
	assert_slots(take(&runs[0], NOW, 0, NEVER, 2 * RUN), NOW + RUN,
		     2 * RUN);
}

/* Two tasks that carved for one CPU: the lower of what is left is dropped. */
static void filling_a_run_does_not_lower_it(void **state)
{
	(void)state;
	kuid_raise(&runs[0].next, NOW + RUN + 5);
	kuid_raise(&runs[0].next, NOW + 9);
	assert_slots(take(&runs[0], NOW, 0, NEVER, 1), NOW + RUN + 5, 1);
	kuid_raise(&runs[0].next, NOW + 3 * RUN + 1);
	assert_slots(take(&runs[0], NOW, 0, NEVER, 1), NOW + 3 * RUN + 1, 1);
}

static void a_run_is_dropped_when_the_clock_has_passed_it(void **state)
{
	(void)state;
	assert_slots(take(&runs[0], NOW, 0, NEVER, 1), NOW, 1);
	/* Within it, what the clock has passed is left out. */
	assert_slots(take(&runs[0], NOW + 10, 0, NEVER, 1), NOW + 10, 1);
	assert_slots(take(&runs[0], NOW + RUN - 1, 0, NEVER, 2), NOW + RUN - 1,
		     1);
	assert_slots(take(&runs[1], NOW, 0, NEVER, 1), NOW + RUN, 1);
	assert_slots(take(&runs[1], NOW + 5 * RUN, 0, NEVER, 1), NOW + 5 * RUN,
		     1);
	/* And another one is carved in its place. */
	assert_int_equal(sequence.next, NOW + 6 * RUN);
	assert_slots(take(&runs[1], NOW + 5 * RUN, 0, NEVER, 1),
		     NOW + 5 * RUN + 1, 1);
	assert_int_equal(sequence.next, NOW + 6 * RUN);
}

static void a_floor_is_respected(void **state)
{
	(void)state;
	assert_slots(take(&runs[0], NOW, NOW, NEVER, 1), NOW + 1, 1);
	assert_slots(take(&runs[0], NOW, NOW + 9, NEVER, 1), NOW + 10, 1);
	/* A floor below what comes anyway changes nothing. */
	assert_slots(take(&runs[0], NOW, NOW + 3, NEVER, 1), NOW + 11, 1);
	assert_slots(take(&runs[1], NOW, NOW + 99, NEVER, 1), NOW + 100, 1);
}

/* A file that comes from a CPU far ahead must not cost this one its run. */
static void a_floor_beyond_a_run_does_not_drop_it(void **state)
{
	(void)state;
	assert_slots(take(&runs[0], NOW, 0, NEVER, 1), NOW, 1);
	assert_slots(take(&runs[0], NOW, NOW + 3 * RUN + 4, NEVER, 2),
		     NOW + 3 * RUN + 5, 2);
	assert_slots(take(&runs[0], NOW, 0, NEVER, 1), NOW + 1, 1);
}

static void the_limit_is_the_last_slot(void **state)
{
	(void)state;
	assert_slots(take(&runs[0], NOW, 0, NOW + 9, 100), NOW, 10);
	assert_slots(take(&runs[0], NOW, 0, NOW + 9, 1), NOW + 10, 0);
	assert_slots(take(&runs[0], NOW, 0, NOW + 10, 1), NOW + 10, 1);
	assert_slots(take(&runs[0], NOW + 20, 0, NOW + 19, 1), NOW + 20, 0);
	assert_int_equal(sequence.next, NOW + 11);
	assert_int_equal((u64)runs[0].next % RUN, 0);
}

/* With the clock stopped and no run to spare nothing is left out. */
static void carving_leaves_nothing_out(void **state)
{
	u64 next = NOW;

	(void)state;
	for (u32 count = 1; count < 100; count++) {
		u64 limit = next + count - 1;

		assert_slots(take(&runs[0], NOW, 0, limit, 1000), next, count);
		next += count;
	}
	assert_int_equal(sequence.next, next);
}

/* What is above the limit now must be there for a caller who may have it. */
static void no_run_goes_beyond_the_limit(void **state)
{
	(void)state;
	assert_slots(take(&runs[0], NOW, 0, NOW + 9, 1), NOW, 1);
	assert_int_equal(sequence.next, NOW + 1);
	assert_slots(take(&runs[0], NOW, 0, NOW + RUN - 1, 1), NOW + 1, 1);
	assert_int_equal(sequence.next, NOW + RUN);

	/* A lower limit takes what it may of a run, and leaves the rest. */
	assert_slots(take(&runs[0], NOW, 0, NOW + 9, 100), NOW + 2, 8);
	assert_slots(take(&runs[0], NOW, 0, NOW + 9, 1), NOW + RUN, 0);
	assert_slots(take(&runs[0], NOW, 0, NEVER, 1), NOW + 10, 1);
}

static void a_run_does_not_cross_the_steps_of_the_grid(void **state)
{
	(void)state;
	assert_int_equal(RUN & (RUN - 1), 0);
	assert_true(RUN <= 1 << 14);
	for (u64 from = NOW; from < NOW + 3 * RUN; from++) {
		setup(NULL);
		take(&runs[0], from, 0, NEVER, 1);
		assert_int_equal((u64)sequence.next % RUN, 0);
		assert_true((u64)sequence.next > from &&
			    (u64)sequence.next - from <= RUN);
	}
}

#define THREADS	     4
#define RESERVATIONS 30000
#define FILES	     3

static atomic64_t clock_slot;
static _Atomic u64 returned[FILES]; /* highest slot that a call returned */
static atomic64_t floors[FILES];
static atomic_int wrong;
static struct kuid_slots all[THREADS][RESERVATIONS];

static void raise(atomic64_t *value, u64 to)
{
	s64 seen = atomic64_read(value);

	while ((u64)seen < to && !atomic64_try_cmpxchg(value, &seen, to))
		;
}

/*
 * As on a machine: tasks come to any CPU, also between choosing a run and
 * taking from it, files are shared, the clock goes on, and callers have
 * different limits.
 */
static void *reserve(void *arg)
{
	struct kuid_slots *s = arg;
	unsigned int n = (s - all[0]) / RESERVATIONS;

	random_thread(n + 1);
	for (int i = 0; i < RESERVATIONS; i++, s++) {
		unsigned int file = random_below(FILES);
		struct kuid_run *run = &runs[random_below(2)];
		u32 count = 1 + random_below(i % 2 ? 3 : 100);
		u64 now = atomic64_read(&clock_slot);
		u64 limit = now + random_below(4) * 40;
		u64 before = returned[file];
		u64 last;

		raise(&clock_slot, now + random_below(60));
		*s = take(run, now, atomic64_read(&floors[file]), limit, count);
		if (!s->count) {
			if (s->first <= limit)
				wrong++;
			continue;
		}
		last = s->first + s->count - 1;
		if (s->first < now || s->first <= before || last > limit ||
		    s->count > count)
			wrong++;
		raise(&floors[file], last);
		while (before < last && !atomic_compare_exchange_weak(
						&returned[file], &before, last))
			;
	}
	return NULL;
}

static int by_first(const void *a, const void *b)
{
	const struct kuid_slots *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

static void threads_get_no_slot_twice(void **state)
{
	struct kuid_slots *s = all[0];
	pthread_t threads[THREADS];
	u64 next = 0;
	int got = 0;

	(void)state;
	clock_slot = NOW;
	wrong = 0;
	memset(floors, 0, sizeof(floors));
	for (int i = 0; i < FILES; i++)
		returned[i] = 0;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, reserve, all[i]), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(wrong, 0);

	qsort(s, THREADS * RESERVATIONS, sizeof(*s), by_first);
	for (int i = 0; i < THREADS * RESERVATIONS; i++) {
		if (!s[i].count)
			continue;
		assert_true(s[i].first >= next);
		next = s[i].first + s[i].count;
		got++;
	}
	assert_true(got > THREADS * RESERVATIONS / 4);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, setup)
	const struct CMUnitTest tests[] = {
		TEST(a_run_is_counted_off_to_its_end),
		TEST(a_run_ends_at_a_multiple),
		TEST(each_cpu_has_a_run_of_its_own),
		TEST(more_than_a_run_is_taken_at_once),
		TEST(what_fills_a_run_leaves_it_empty),
		TEST(filling_a_run_does_not_lower_it),
		TEST(a_run_is_dropped_when_the_clock_has_passed_it),
		TEST(a_floor_is_respected),
		TEST(a_floor_beyond_a_run_does_not_drop_it),
		TEST(the_limit_is_the_last_slot),
		TEST(carving_leaves_nothing_out),
		TEST(no_run_goes_beyond_the_limit),
		TEST(a_run_does_not_cross_the_steps_of_the_grid),
		TEST(threads_get_no_slot_twice),
	};

	random_start();
	return cmocka_run_group_tests_name("sequence", tests, NULL, NULL);
}
