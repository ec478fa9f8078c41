// SPDX-License-Identifier: MIT
/*
 * IDs made in the process by many threads at once, while the wall clock is set
 * and the process is forked: none comes twice, and each handle has its order.
 */
#include <kuid.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "random.h"

#define SEC	 1000000000LL
#define THREADS	 8
#define CHILDREN 10

/* The thread sanitizer makes all of it much slower. */
#ifdef __SANITIZE_THREAD__
#define ROUNDS 40
#else
#define ROUNDS 150
#endif

/* The most IDs of one call: a chunk, and some of the next. */
#define MOST 300

static const unsigned int formats[] = {
	KUID_FORMAT_V1,	 KUID_FORMAT_V6,  KUID_FORMAT_V7,
	KUID_FORMAT_LEX, KUID_FORMAT_K96, KUID_FORMAT_K128,
};

#define NR_FORMATS (sizeof(formats) / sizeof(formats[0]))

/* Added to the wall clock. */
static int64_t set_by;

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __real_clock_gettime(clockid_t clock, struct timespec *time);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	int ret = __real_clock_gettime(clock, time);

	if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
		time->tv_sec += __atomic_load_n(&set_by, __ATOMIC_RELAXED);
	return ret;
}

struct made {
	unsigned char id[KUID_ID_MAX];
	unsigned int format;
};

/* All that was made in a process and is to be looked at. */
struct pile {
	size_t count;
	struct made made[NR_FORMATS * THREADS * ROUNDS * MOST];
};

/* Handles that all threads share, and the highest ID of each so far. */
static struct {
	struct kuid *handle;
	pthread_mutex_t lock;
	unsigned char highest[KUID_ID_MAX];
} shared[NR_FORMATS];

static struct pile *pile;
static bool in_order;

static void put(unsigned int format, const unsigned char *ids, size_t count)
{
	size_t size = kuid_format_id_size(format);
	size_t at = __atomic_fetch_add(&pile->count, count, __ATOMIC_RELAXED);

	for (size_t i = 0; i < count; i++) {
		memcpy(pile->made[at + i].id, ids + i * size, size);
		pile->made[at + i].format = format;
	}
}

static bool is_after(unsigned int format, const void *id, const void *other)
{
	int order = KUID_EQUAL;

	kuid_compare(format, id, other, &order);
	return order == KUID_AFTER;
}

static bool take_shared(size_t i)
{
	unsigned int format = formats[i];
	size_t size = kuid_format_id_size(format);
	unsigned char before[KUID_ID_MAX], ids[MOST * KUID_ID_MAX];
	size_t count = 1 + random_below(4) / 3 * random_below(MOST);
	bool good = true;

	pthread_mutex_lock(&shared[i].lock);
	memcpy(before, shared[i].highest, size);
	pthread_mutex_unlock(&shared[i].lock);

	if (kuid_many(shared[i].handle, ids, count) != (ssize_t)count)
		return false;
	put(format, ids, count);
	/* It is promised within an epoch. */
	if (!in_order)
		return true;

	good = is_after(format, ids, before);
	for (size_t n = 1; n < count; n++)
		good &= is_after(format, ids + n * size, ids + (n - 1) * size);
	pthread_mutex_lock(&shared[i].lock);
	if (is_after(format, ids + (count - 1) * size, shared[i].highest))
		memcpy(shared[i].highest, ids + (count - 1) * size, size);
	pthread_mutex_unlock(&shared[i].lock);
	return good;
}

static bool take_own(size_t i, struct kuid *handle)
{
	unsigned char id[KUID_ID_MAX];

	if (kuid_one(handle, id))
		return false;
	put(formats[i], id, 1);
	return true;
}

static void *make(void *number)
{
	struct kuid *own[NR_FORMATS];
	bool good = true;

	random_thread((uintptr_t)number);
	for (size_t i = 0; i < NR_FORMATS; i++)
		own[i] = kuid_open_flags(formats[i], KUID_LOCAL);
	for (int round = 0; round < ROUNDS && good; round++) {
		size_t i = random_below(NR_FORMATS);

		good = take_shared(i) && take_own(i, own[i]);
		if (random_below(8) == 0) {
			struct kuid_status status;

			good &= !kuid_read_status(own[i], &status);
		}
	}
	for (size_t i = 0; i < NR_FORMATS; i++)
		kuid_close(own[i]);
	return good ? number : NULL;
}

static void start(pthread_t *threads)
{
	for (size_t i = 0; i < NR_FORMATS; i++) {
		shared[i].handle = kuid_open_flags(formats[i], KUID_LOCAL);
		pthread_mutex_init(&shared[i].lock, NULL);
		memset(shared[i].highest, 0, KUID_ID_MAX);
		assert_non_null(shared[i].handle);
	}
	pile = mmap(NULL, sizeof(*pile), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(pile, MAP_FAILED);
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, make,
						(void *)(i + 1)),
				 0);
}

static int by_id(const void *a, const void *b)
{
	const struct made *x = a, *y = b;

	if (x->format != y->format)
		return x->format < y->format ? -1 : 1;
	return memcmp(x->id, y->id, sizeof(x->id));
}

static void finish(pthread_t *threads)
{
	for (uintptr_t i = 0; i < THREADS; i++) {
		void *good;

		pthread_join(threads[i], &good);
		assert_ptr_equal(good, (void *)(i + 1));
	}
	assert_in_range(pile->count, THREADS * ROUNDS,
			sizeof(pile->made) / sizeof(pile->made[0]));
	qsort(pile->made, pile->count, sizeof(pile->made[0]), by_id);
	for (size_t i = 1; i < pile->count; i++)
		assert_int_not_equal(by_id(&pile->made[i], &pile->made[i - 1]),
				     0);
	munmap(pile, sizeof(*pile));
	for (size_t i = 0; i < NR_FORMATS; i++)
		kuid_close(shared[i].handle);
}

static void threads_share_handles(void **state)
{
	pthread_t threads[THREADS];

	(void)state;
	in_order = true;
	start(threads);
	finish(threads);
}

static uint64_t epoch_now(void)
{
	struct kuid_status status;

	assert_int_equal(kuid_read_status(shared[0].handle, &status), 0);
	return status.epoch;
}

static bool all_done(void)
{
	return __atomic_load_n(&pile->count, __ATOMIC_RELAXED) >=
	       THREADS * ROUNDS;
}

/* Back by much and forward again, so that slots don't lag for ever. */
static void clock_is_set_meanwhile(void **state)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	pthread_t threads[THREADS];
	uint64_t first;

	(void)state;
	/* Of epochs, of which some begin meanwhile, each has its own. */
	in_order = false;
	start(threads);
	first = epoch_now();
	while (!all_done() || epoch_now() < first + 3) {
		unsigned char id[KUID_ID_MAX];

		__atomic_fetch_sub(&set_by, 20, __ATOMIC_RELAXED);
		nanosleep(&pause, NULL);
		/* One finds out, and the next begins an epoch. */
		assert_int_equal(kuid_one(shared[0].handle, id), 0);
		assert_int_equal(kuid_one(shared[0].handle, id), 0);
		__atomic_fetch_add(&set_by, 21, __ATOMIC_RELAXED);
		nanosleep(&pause, NULL);
		/* The clock only goes back from times that were handed out. */
		assert_int_equal(kuid_one(shared[0].handle, id), 0);
	}
	finish(threads);
}

/* The thread sanitizer knows of no threads in a child. */
#ifndef __SANITIZE_THREAD__
/* Whatever other threads were in the midst of is not there in a child. */
static void forks_meanwhile(void **state)
{
	pthread_t threads[THREADS];
	pid_t pids[CHILDREN];

	(void)state;
	in_order = true;
	start(threads);
	for (int n = 0; n < CHILDREN; n++) {
		pids[n] = fork();
		assert_true(pids[n] >= 0);
		if (pids[n])
			continue;
		for (size_t i = 0; i < NR_FORMATS; i++) {
			unsigned char ids[MOST * KUID_ID_MAX];

			if (kuid_many(shared[i].handle, ids, MOST) != MOST)
				_exit(1);
			put(formats[i], ids, MOST);
		}
		_exit(0);
	}
	for (int n = 0; n < CHILDREN; n++) {
		int status;

		assert_int_equal(waitpid(pids[n], &status, 0), pids[n]);
		assert_int_equal(status, 0);
	}
	finish(threads);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_share_handles),
		cmocka_unit_test(clock_is_set_meanwhile),
#ifndef __SANITIZE_THREAD__
		cmocka_unit_test(forks_meanwhile),
#endif
	};

	random_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
