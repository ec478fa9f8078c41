// SPDX-License-Identifier: MIT
/*
 * IDs of private lanes by many threads at once, while the wall clock is set,
 * generations end, the device takes over and the process is forked: none comes
 * twice, and each epoch of a handle has its order.
 */
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "fake_kernel.h"
#include "handles.h"

#define THREADS	 8
#define CHILDREN 10

/* The thread sanitizer makes all of it much slower. */
#ifdef __SANITIZE_THREAD__
#define ROUNDS 1000
#else
#define ROUNDS 5000
#endif

/* The most IDs of one call. */
#define MOST 40

#define NR_HANDLES (NR_FORMATS * NR_KINDS)

/* The most IDs that all processes make. */
#define ROOM ((THREADS * ROUNDS + NR_HANDLES * CHILDREN) * (MOST + 1))

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __real_clock_gettime(clockid_t clock, struct timespec *time);

/* Seconds that are added to the wall clock. */
static int64_t set_by;

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	int ret = __real_clock_gettime(clock, time);

	if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
		time->tv_sec += __atomic_load_n(&set_by, __ATOMIC_RELAXED);
	return ret;
}

/**
 * struct shared - a handle that all threads use
 * @handle: the handle
 * @lock: guards the other members
 * @epoch: the epoch that @highest belongs to
 * @highest: the highest ID of a call that has returned
 */
static struct shared {
	struct kuid *handle;
	pthread_mutex_t lock;
	uint64_t epoch;
	unsigned char highest[ID_SIZE];
} shared[NR_HANDLES];

static struct pile *pile;
static unsigned int rounds_left, in_order;

/* Children that fork_one() has forked. */
static pid_t pids[CHILDREN];

static unsigned int format_of(size_t i)
{
	return formats[i % 3];
}

static struct kuid *open_one(size_t i)
{
	return kuid_open_flags(format_of(i), kinds[i / 3]);
}

/*
 * If the number of the epoch is the same before and after a call, its IDs are
 * above all IDs of that epoch from calls that returned before.
 */
static bool take_shared(size_t i)
{
	unsigned char before[ID_SIZE], ids[MOST * ID_SIZE];
	unsigned int format = format_of(i);
	size_t count = 1 + random_below(4) / 3 * random_below(MOST);
	const unsigned char *last = ids + (count - 1) * ID_SIZE;
	struct shared *of = &shared[i];
	uint64_t epoch, end;
	bool good;

	pthread_mutex_lock(&of->lock);
	memcpy(before, of->highest, sizeof(before));
	epoch = of->epoch;
	pthread_mutex_unlock(&of->lock);

	if (epoch != epoch_of(of->handle)) {
		epoch = epoch_of(of->handle);
		memset(before, 0, sizeof(before));
	}
	if (kuid_many(of->handle, ids, count) != (ssize_t)count)
		return false;
	end = epoch_of(of->handle);
	pile_put(pile, ids, count);
	if (!are_in_order(format, ids, count))
		return false;
	if (epoch != end)
		return true;
	if (*before)
		__atomic_add_fetch(&in_order, 1, __ATOMIC_RELAXED);
	good = !*before || is_after(format, ids, before);
	pthread_mutex_lock(&of->lock);
	if (of->epoch < epoch ||
	    (of->epoch == epoch && is_after(format, last, of->highest))) {
		of->epoch = epoch;
		memcpy(of->highest, last, sizeof(of->highest));
	}
	pthread_mutex_unlock(&of->lock);
	return good;
}

static bool take_own(size_t i, struct kuid *handle)
{
	unsigned char id[ID_SIZE];

	if (kuid_one(handle, id))
		return false;
	pile_put(pile, id, 1);
	return true;
}

static void *make(void *number)
{
	struct kuid *own[NR_HANDLES];
	bool good = true;

	random_thread((uintptr_t)number);
	for (size_t i = 0; i < NR_HANDLES; i++)
		own[i] = open_one(i);
	for (int round = 0; round < ROUNDS && good; round++) {
		size_t i = random_below(NR_HANDLES);

		good = take_shared(i) && take_own(i, own[i]);
		__atomic_sub_fetch(&rounds_left, 1, __ATOMIC_RELAXED);
	}
	for (size_t i = 0; i < NR_HANDLES; i++)
		kuid_close(own[i]);
	return good ? number : NULL;
}

static void pause_for(unsigned int most_us)
{
	const struct timespec time = {
		.tv_nsec = 1000 * (1 + random_below(most_us)),
	};

	nanosleep(&time, NULL);
}

/*
 * Threads make IDs, and something happens again and again meanwhile. asked is
 * called when the kernel is asked for a node. Returns how often it happened.
 */
static unsigned int make_meanwhile(void (*happen)(unsigned int n),
				   void (*asked)(void))
{
	pthread_t threads[THREADS];
	unsigned int n;

	fake_kernel_reset();
	fake_kernel.asked = asked;
	for (size_t i = 0; i < NR_HANDLES; i++) {
		shared[i].handle = open_one(i);
		assert_non_null(shared[i].handle);
		pthread_mutex_init(&shared[i].lock, NULL);
		shared[i].epoch = 0;
	}
	in_order = 0;
	rounds_left = THREADS * ROUNDS;
	pile = pile_open(ROOM);
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, make,
						(void *)(i + 1)),
				 0);
	for (n = 0; (int)__atomic_load_n(&rounds_left, __ATOMIC_RELAXED) > 0;
	     n++) {
		happen(n);
		pause_for(2000);
	}
	for (int i = 0; i < CHILDREN; i++)
		if (pids[i])
			assert_done(pids[i]);
	for (uintptr_t i = 0; i < THREADS; i++) {
		void *good;

		pthread_join(threads[i], &good);
		assert_ptr_equal(good, (void *)(i + 1));
	}
	assert_true(pile->count >= 2 * THREADS * ROUNDS);
	pile_check_and_close(pile);
	return n;
}

static int close_shared(void **state)
{
	for (size_t i = 0; i < NR_HANDLES; i++)
		kuid_close(shared[i].handle);
	return 0;
}

/* The epochs of the handles with local lanes, and of the others. */
static void assert_epochs(unsigned int least, unsigned int most,
			  unsigned int least_local, unsigned int most_local)
{
	for (size_t i = 0; i < NR_HANDLES; i++) {
		bool is_local = kinds[i / 3] == KUID_LOCAL;

		assert_in_range(epoch_of(shared[i].handle),
				is_local ? least_local : least,
				is_local ? most_local : most);
	}
}

static void do_nothing(unsigned int n)
{
}

/* Nothing ends the lanes: each handle has one. */
TEST(threads_share_handles)
{
	make_meanwhile(do_nothing, NULL);
	/* Order was compared in most calls. */
	assert_in_range(in_order, THREADS * ROUNDS / 4, THREADS * ROUNDS);
	assert_epochs(1, 1, 1, 1);
}

/* By more than the limit, by less, and back. */
static void set_clock(unsigned int n)
{
	const int by[] = { -60, 60, -5, 5, -12, 3, -3 };

	__atomic_add_fetch(&set_by, by[n % 7], __ATOMIC_RELAXED);
}

TEST(clock_is_set_meanwhile)
{
	make_meanwhile(set_clock, NULL);
	assert_epochs(2, UINT32_MAX, 2, UINT32_MAX);
}

/* Let other threads find that the lane is over. */
static void linger(void)
{
	pause_for(400);
}

static void end_generation(unsigned int n)
{
	fake_kernel_step();
	pause_for(50);
	fake_kernel_step();
}

/* Each generation begins one epoch of a handle, and not one for each thread. */
TEST(generations_end_meanwhile)
{
	unsigned int changes = make_meanwhile(end_generation, linger);

	assert_epochs(2, 1 + changes, 1, 1);
}

static void refuse_or_not(unsigned int n)
{
	__atomic_xor_fetch(&fake_kernel.lane_errno, EAGAIN, __ATOMIC_RELAXED);
	fake_kernel_change();
}

/* Each thread gets other IDs from the device, too. */
TEST(device_takes_over_meanwhile)
{
	make_meanwhile(refuse_or_not, NULL);
	assert_true(fake_kernel.shared->ids);
}

/* The thread sanitizer knows of no threads in a child. */
#ifndef __SANITIZE_THREAD__
/* A child has none of the locks and lanes of its parent's threads. */
static void fork_one(unsigned int n)
{
	if (n >= CHILDREN)
		return;
	/* Threads are in the midst of replacing their lanes. */
	fake_kernel_change();
	__atomic_add_fetch(&set_by, n % 2 ? 60 : -60, __ATOMIC_RELAXED);
	pids[n] = fork();
	assert_true(pids[n] >= 0);
	if (pids[n])
		return;
	for (size_t i = 0; i < NR_HANDLES; i++) {
		unsigned char ids[MOST * ID_SIZE];

		if (kuid_many(shared[i].handle, ids, MOST) != MOST)
			_exit(1);
		pile_put(pile, ids, MOST);
	}
	_exit(0);
}

TEST(forks_meanwhile)
{
	assert_true(make_meanwhile(fork_one, NULL) >= CHILDREN);
}
#endif

int main(void)
{
	return run_cases("threads", NULL, close_shared);
}
