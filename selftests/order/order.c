// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUID_ORDER_FILE: the IDs of one open file increase, whichever CPU, thread or
 * process takes them.
 *
 * How much this can show depends on the clock. Where it can be told apart by
 * less than a call takes, it orders the calls by itself; under a coarse one
 * (clocksource=jiffies) nothing but the file's floor does.
 */
#include "../../kselftest_harness.h"

#include <pthread.h>
#include <sys/syscall.h>

#include "../lib/dev_kuid.h"

#define BATCH		4096

/* What a call may ask for: mostly little, so that there are many calls. */
static const __u32 counts[] = { 1, 1, 7, 1, 64, 2, 1, 1025, 1, 7, 1, 300 };

/* A generator of its own for each thread; xorshift, never 0. */
static __u32 draw(__u32 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static __u32 draw_count(__u32 *state)
{
	return counts[draw(state) % ARRAY_SIZE(counts)];
}

FIXTURE(order) {
	int fd;
	int cpus[2];
	int nr_cpus;
	__u32 seed;
	__u64 last;
	struct id *ids;
};

FIXTURE_VARIANT(order) {
	take_t take;
};

FIXTURE_VARIANT_ADD(order, read) {
	.take = take_by_read,
};

FIXTURE_VARIANT_ADD(order, generate) {
	.take = take_by_generate,
};

FIXTURE_SETUP(order)
{
	struct kuid_query q = { 0 };

	self->fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, self->fd) {
		TH_LOG("can't open %s: %s", DEV_KUID, strerror(errno));
	}
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_QUERY, &q));
	self->nr_cpus = allowed_cpus(self->cpus, 2);
	self->seed = pick_seed();
	TH_LOG("seed %u, clock resolution %u ns", self->seed,
	       q.clock_resolution_ns);

	self->ids = calloc(BATCH, sizeof(*self->ids));
	ASSERT_NE(NULL, self->ids);
	ASSERT_EQ(1, variant->take(self->fd, self->ids, 1));
	self->last = id_key(self->ids);
}

FIXTURE_TEARDOWN(order)
{
	free(self->ids);
	close(self->fd);
}

/* Each CPU has a lane of its own; the reader finds them all behind it. */
TEST_F(order, reader_moves_between_calls)
{
	__u32 n;
	int i;

	if (self->nr_cpus < 2)
		SKIP(return, "needs 2 CPUs");

	for (i = 0; i < 1500; i++) {
		n = i % 500 ? draw_count(&self->seed) : BATCH;
		ASSERT_EQ(0, move_to_cpu(0, self->cpus[i % 2]));
		ASSERT_EQ(n, variant->take(self->fd, self->ids, n));
		ASSERT_EQ(n, count_rising(self->ids, n, &self->last)) {
			TH_LOG("call %d, on CPU %d", i, self->cpus[i % 2]);
		}
	}
}

struct mover {
	pthread_t thread;
	pid_t reader;
	const int *cpus;
	unsigned int moves;
	bool stop;
	int error;
};

/*
 * Change places with the reader, again and again. On one CPU they would take
 * turns by the scheduler's slices, and it would be moved between them only; a
 * mover that may not be a realtime one moves it less often.
 */
static void *move_reader(void *arg)
{
	const struct sched_param lowest = { .sched_priority = 1 };
	struct mover *mover = arg;
	unsigned int moves = 0;

	sched_setscheduler(0, SCHED_FIFO, &lowest);
	while (!__atomic_load_n(&mover->stop, __ATOMIC_RELAXED)) {
		if (move_to_cpu(mover->reader, mover->cpus[moves % 2]) ||
		    move_to_cpu(0, mover->cpus[(moves + 1) % 2])) {
			mover->error = errno;
			break;
		}
		__atomic_store_n(&mover->moves, ++moves, __ATOMIC_RELAXED);
	}
	return NULL;
}

static int start_mover(struct mover *mover)
{
	mover->reader = syscall(SYS_gettid);
	return pthread_create(&mover->thread, NULL, move_reader, mover);
}

/* True once there were that many moves, or there will be no more. */
static bool has_moved(struct mover *mover, unsigned int moves)
{
	return __atomic_load_n(&mover->error, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&mover->moves, __ATOMIC_RELAXED) >= moves;
}

static void stop_mover(struct mover *mover)
{
	__atomic_store_n(&mover->stop, true, __ATOMIC_RELAXED);
	pthread_join(mover->thread, NULL);
}

TEST_F_TIMEOUT(order, reader_is_moved_during_calls, 60)
{
	enum { CALLS = 40000, MOVES = 300 };
	struct mover mover = { .cpus = self->cpus };
	size_t wrong_call = 0, taken = 0, rising = 0;
	__u32 n;
	long got;
	int i;

	if (self->nr_cpus < 2)
		SKIP(return, "needs 2 CPUs");

	ASSERT_EQ(0, start_mover(&mover));
	/* Nothing may leave this loop while the other thread runs. */
	for (i = 1; !wrong_call && (i <= CALLS || !has_moved(&mover, MOVES));
	     i++) {
		n = i % 100 ? draw_count(&self->seed) : BATCH;
		got = variant->take(self->fd, self->ids, n);
		taken += n;
		if (got == n)
			rising += count_rising(self->ids, n, &self->last);
		if (rising != taken)
			wrong_call = i;
	}

	stop_mover(&mover);
	ASSERT_EQ(0, mover.error);
	ASSERT_EQ(0, wrong_call) {
		TH_LOG("call %zu: %ld IDs of %u, %zu of all %zu in order",
		       wrong_call, got, n, rising, taken);
	}
}

/*
 * A batch of many chunks, each made on a CPU that the mover chose. The taker
 * is alone on its file, so the whole of it must increase.
 */
TEST_F(order, reader_is_moved_during_long_batches)
{
	enum { LONG_BATCH = 500000, ROUNDS = 4 };
	struct mover mover = { .cpus = self->cpus };
	struct id *ids = calloc(LONG_BATCH, sizeof(*ids));
	size_t rising[ROUNDS];
	long got[ROUNDS];
	int i;

	if (self->nr_cpus < 2)
		SKIP(return, "needs 2 CPUs");
	ASSERT_NE(NULL, ids);

	ASSERT_EQ(0, start_mover(&mover));
	for (i = 0; i < ROUNDS; i++) {
		got[i] = variant->take(self->fd, ids, LONG_BATCH);
		rising[i] = count_rising(ids, LONG_BATCH, &self->last);
	}
	stop_mover(&mover);

	ASSERT_EQ(0, mover.error);
	for (i = 0; i < ROUNDS; i++) {
		EXPECT_EQ(LONG_BATCH, got[i]);
		EXPECT_EQ(LONG_BATCH, rising[i]);
	}
	free(ids);
}

/* A duplicate is the same open file; so is what a child inherits. */
TEST_F(order, duplicate_and_child_take_turns)
{
	enum { ROUNDS = 500 };
	struct turn {
		long got;
		__u32 count;
		struct id ids[BATCH];
	} *turn;
	int to_child[2], to_parent[2];
	__u32 n;
	pid_t child;
	int copy, i;
	char c = 0;

	if (self->nr_cpus < 2)
		SKIP(return, "needs 2 CPUs");

	turn = mmap(NULL, sizeof(*turn), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, turn);
	copy = dup(self->fd);
	ASSERT_LE(0, copy);
	ASSERT_EQ(0, pipe(to_child));
	ASSERT_EQ(0, pipe(to_parent));

	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		close(to_child[1]);
		move_to_cpu(0, self->cpus[1]);
		while (read(to_child[0], &c, 1) == 1) {
			turn->got = variant->take(copy, turn->ids, turn->count);
			if (write(to_parent[1], &c, 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	close(to_parent[1]);
	ASSERT_EQ(0, move_to_cpu(0, self->cpus[0]));

	for (i = 0; i < ROUNDS; i++) {
		n = draw_count(&self->seed);
		ASSERT_EQ(n, variant->take(self->fd, self->ids, n));
		ASSERT_EQ(n, count_rising(self->ids, n, &self->last)) {
			TH_LOG("parent, round %d", i);
		}
		n = draw_count(&self->seed);
		ASSERT_EQ(n, variant->take(copy, self->ids, n));
		ASSERT_EQ(n, count_rising(self->ids, n, &self->last)) {
			TH_LOG("duplicate, round %d", i);
		}

		turn->count = draw_count(&self->seed);
		ASSERT_EQ(1, write(to_child[1], &c, 1));
		ASSERT_EQ(1, read(to_parent[0], &c, 1));
		ASSERT_EQ(turn->count, turn->got);
		ASSERT_EQ(turn->count,
			  count_rising(turn->ids, turn->count, &self->last)) {
			TH_LOG("child, round %d", i);
		}
	}
	close(to_child[1]);
	ASSERT_EQ(child, waitpid(child, &i, 0));
	ASSERT_EQ(0, i);
}

/* What the two threads that share a file share. */
struct sharing {
	int fd;
	take_t take;
	unsigned int calls;	/* that each makes at least */
	unsigned int slow;	/* threads that have not made them yet */
	unsigned int started;	/* calls, of both, where they wait for that */
	bool failed;		/* one was wrong, the other can stop */
	__u64 highest;	/* of all IDs returned, a key; only raised */
};

struct sharer {
	struct sharing *sharing;
	pthread_t thread;
	int cpu;
	__u32 seed;
	unsigned int calls;	/* that were in order */
	const char *wrong;	/* what the one that was not did */
	__u32 count;		/* of the last call */
	struct id ids[BATCH];
};

static void raise_highest(struct sharing *sharing, __u64 key)
{
	__u64 seen = __atomic_load_n(&sharing->highest, __ATOMIC_RELAXED);

	while (key_after(key, seen) &&
	       !__atomic_compare_exchange_n(&sharing->highest, &seen, key,
					    false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
}

static const char *take_in_order(struct sharer *me, __u32 n)
{
	struct sharing *sharing = me->sharing;
	/* Pairs with the release above: those calls returned before this. */
	__u64 last = __atomic_load_n(&sharing->highest, __ATOMIC_ACQUIRE);

	me->count = n;
	if (sharing->take(sharing->fd, me->ids, n) != (long)n)
		return "was not given";
	if (!key_after(id_key(me->ids), last))
		return "is not above all that were returned before";
	if (count_rising(me->ids, n, &last) != n)
		return "is not above the one before it";
	raise_highest(sharing, last);
	return NULL;
}

/*
 * The thread that is done first goes on until the other is too, so that they
 * overlap even where one is not run for a while.
 */
static void *call_freely(void *arg)
{
	struct sharer *me = arg;
	struct sharing *sharing = me->sharing;

	if (move_to_cpu(0, me->cpu))
		me->wrong = "can't be taken on its CPU";

	while (!me->wrong && __atomic_load_n(&sharing->slow, __ATOMIC_RELAXED) &&
	       !__atomic_load_n(&sharing->failed, __ATOMIC_RELAXED)) {
		me->wrong = take_in_order(me, draw_count(&me->seed));
		if (!me->wrong && ++me->calls == sharing->calls)
			__atomic_sub_fetch(&sharing->slow, 1, __ATOMIC_RELAXED);
	}
	if (me->wrong)
		__atomic_store_n(&sharing->failed, true, __ATOMIC_RELAXED);
	return NULL;
}

/*
 * Each call begins when those of the round before have returned, and about when
 * the other's does. So they meet in the few instructions in which the file's
 * floor is raised, and no later call of this round can make good what went
 * wrong there.
 */
static void *call_together(void *arg)
{
	struct sharer *me = arg;
	struct sharing *sharing = me->sharing;

	if (move_to_cpu(0, me->cpu))
		me->wrong = "can't be taken on its CPU";

	while (!me->wrong && me->calls < sharing->calls) {
		unsigned int both = 2 * (me->calls + 1);
		unsigned int delay = draw(&me->seed) % 32;

		__atomic_add_fetch(&sharing->started, 1, __ATOMIC_ACQ_REL);
		while (__atomic_load_n(&sharing->started, __ATOMIC_ACQUIRE) <
		       both) {
			if (__atomic_load_n(&sharing->failed, __ATOMIC_RELAXED))
				return NULL;
		}
		while (delay--)
			asm volatile("" : : : "memory");
		me->wrong = take_in_order(me, 1 + draw(&me->seed) % 8);
		me->calls += !me->wrong;
	}
	if (me->wrong)
		__atomic_store_n(&sharing->failed, true, __ATOMIC_RELAXED);
	return NULL;
}

static void share_file(struct __test_metadata *_metadata,
		       FIXTURE_DATA(order) *self, take_t take,
		       void *(*call)(void *), unsigned int calls)
{
	struct sharing sharing = {
		.fd = self->fd,
		.take = take,
		.calls = calls,
		.slow = 2,
		.highest = self->last,
	};
	struct sharer *sharers = calloc(2, sizeof(*sharers));
	int i;

	if (self->nr_cpus < 2)
		SKIP(return, "needs 2 CPUs");
	ASSERT_NE(NULL, sharers);

	for (i = 0; i < 2; i++) {
		sharers[i].sharing = &sharing;
		sharers[i].cpu = self->cpus[i];
		sharers[i].seed = draw(&self->seed);
		ASSERT_EQ(0, pthread_create(&sharers[i].thread, NULL, call,
					    &sharers[i]));
	}
	for (i = 0; i < 2; i++)
		pthread_join(sharers[i].thread, NULL);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(NULL, sharers[i].wrong) {
			TH_LOG("thread %d, after %u calls: one of %u IDs %s", i,
			       sharers[i].calls, sharers[i].count,
			       sharers[i].wrong);
		}
	}
	free(sharers);
}

TEST_F_TIMEOUT(order, threads_share_a_file, 60)
{
	share_file(_metadata, self, variant->take, call_freely, 60000);
}

/* Slow where the two are not run at the same time: each waits for the other. */
TEST_F_TIMEOUT(order, threads_call_together, 60)
{
	share_file(_metadata, self, variant->take, call_together, 4000);
}

TEST_HARNESS_MAIN
