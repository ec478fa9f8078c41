// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callers that wait for the clock beside others: batches leave half of the
 * window to single IDs, and each sleeping caller is served.
 *
 * No test looks at durations or at the order in which sleepers are served,
 * because a slow machine may run a sleeper late. exact_waits.c checks both,
 * with time under control.
 */
#include "../lib/harness.h"

#include "../lib/children.h"
#include "../lib/formats.h"
#include "../lib/module.h"
#include "../lib/record.h"
#include "../lib/set_wall.h"
#include "../lib/status.h"

#define BATCH		4096
#define LARGE_BATCH	65536

/* Enough single IDs to make the rest of the loop cheap. */
#define SINGLES		1024

static long read_singles(const struct format *f, int fd, void *to)
{
	long got;
	int i;

	for (i = 0; i < SINGLES; i++) {
		got = read_ids(f, fd, (__u8 *)to + i * f->id_size, 1);
		if (got != 1)
			return i ? i : got;
	}
	return SINGLES;
}

/* Shared by readers that read until they are told to stop. */
struct sharing {
	bool stop;
	bool failed;
	size_t sums[8];		/* IDs of each reader so far */
};

static bool stopped(const struct sharing *sharing)
{
	return __atomic_load_n(&sharing->stop, __ATOMIC_RELAXED);
}

static size_t sum_of(struct sharing *sharing, int nr)
{
	return __atomic_load_n(&sharing->sums[nr], __ATOMIC_ACQUIRE);
}

/*
 * Start a child that reads until it is told to stop: @batch IDs at a time, or
 * SINGLES single IDs. The child checks only a few of them, because checking all
 * would make it too slow to use up the IDs.
 */
static pid_t start_reader(const struct format *f, struct sharing *sharing,
			  int nr, int cpu, __u32 batch)
{
	const long count = batch > 1 ? batch : SINGLES;
	pid_t child = fork_child();
	struct words last = { 0 };
	__u8 *ids;
	int fd;

	if (child)
		return child;
	ids = malloc(count * ID_SIZE_MAX);
	fd = open_device_file(f, "", 0);
	if (!ids || fd < 0 || (cpu >= 0 && move_to_cpu(0, cpu)))
		_exit(1);
	while (!stopped(sharing)) {
		long got = batch > 1 ? read_ids(f, fd, ids, batch) :
				       read_singles(f, fd, ids);

		if (got != count || !count_in_order(f, ids, 1, &last) ||
		    !count_in_order(f, id_at(f, ids, count - 1), 1, &last)) {
			__atomic_store_n(&sharing->failed, true,
					 __ATOMIC_RELAXED);
			_exit(2);
		}
		__atomic_add_fetch(&sharing->sums[nr], got, __ATOMIC_RELEASE);
	}
	_exit(0);
}

/* Wait until all readers have begun, so that the test runs beside them. */
static void wait_for_readers(struct sharing *sharing, int nr)
{
	while (nr--) {
		while (!sum_of(sharing, nr) &&
		       !__atomic_load_n(&sharing->failed, __ATOMIC_RELAXED))
			sched_yield();
	}
}

static void stop_readers(struct __test_metadata *_metadata,
			 struct sharing *sharing, const pid_t *readers, int nr)
{
	__atomic_store_n(&sharing->stop, true, __ATOMIC_RELAXED);
	while (nr--)
		ASSERT_TRUE(ended_well(readers[nr]));
}

/*
 * After a step back the clock runs at half speed, so fewer IDs are available.
 */
FIXTURE(beside) {
	const struct format *f;
	struct sharing *sharing;
	long stepped;		/* seconds that the wall clock was set */
	int fd;
	int cpus[64];
	int nr_cpus;
};

FIXTURE_VARIANT(beside) {
	__u32 format;
};

FIXTURE_VARIANT_ADD(beside, lex) { KUID_FORMAT_LEX };
FIXTURE_VARIANT_ADD(beside, k64) { KUID_FORMAT_K64 };
FIXTURE_VARIANT_ADD(beside, k128) { KUID_FORMAT_K128 };
FIXTURE_VARIANT_ADD(beside, snowflake) { KUID_FORMAT_SNOWFLAKE };

FIXTURE_SETUP(beside)
{
	enum { BACK = 9 };
	struct kuid_status status;
	__u8 id[ID_SIZE_MAX];

	self->f = format_of(variant->format);
	self->sharing = share_memory(sizeof(*self->sharing));
	ASSERT_NE(NULL, self->sharing);
	self->nr_cpus = allowed_cpus(self->cpus, ARRAY_SIZE(self->cpus));
	ASSERT_LT(0, self->nr_cpus);
	let_clock_catch_up();
	self->fd = open_device_file(self->f, "", O_NONBLOCK);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(1, read_ids(self->f, self->fd, id, 1));
	ASSERT_EQ(0, shift_wall_seconds(-BACK));
	self->stepped = -BACK;
	ASSERT_EQ(0, host_status(&status));
	ASSERT_TRUE(status.reasons & KUID_REASON_SLOTS_HALF_SPEED);
}

FIXTURE_TEARDOWN(beside)
{
	__atomic_store_n(&self->sharing->stop, true, __ATOMIC_RELAXED);
	if (self->stepped)
		EXPECT_EQ(0, shift_wall_seconds(-self->stepped));
	close(self->fd);
}

/*
 * Single IDs beside bulk readers. The calls take fewer IDs than the half of the
 * window that batches leave, so none of them has to wait, whatever the
 * machine's speed.
 */
TEST_F(beside, bulk_readers)
{
	enum { READERS = 3, CALLS = 16000 };
	/* Small batches can't use up the grid. */
	const __u32 batch = self->f->number == KUID_FORMAT_LEX ? BATCH :
								 LARGE_BATCH;
	struct kuid_status before, after;
	struct words last = { 0 };
	pid_t readers[READERS];
	__u8 id[ID_SIZE_MAX];
	long wrong = 1;
	int call, i;

	ASSERT_EQ(0, host_status(&before));
	for (i = 0; i < READERS; i++) {
		readers[i] = start_reader(self->f, self->sharing, i, -1,
					  batch);
		ASSERT_LE(0, readers[i]);
	}
	wait_for_readers(self->sharing, READERS);

	for (call = 0; wrong == 1 && call < CALLS; call++) {
		wrong = call % 2 ? read_ids(self->f, self->fd, id, 1) :
				   generate_ids(self->f, self->fd, id, 1);
		if (wrong == 1 && !count_in_order(self->f, id, 1, &last))
			wrong = 0;
	}
	stop_readers(_metadata, self->sharing, readers, READERS);
	ASSERT_EQ(0, host_status(&after));
	TH_LOG("%zu IDs in batches, which waited %llu times",
	       self->sharing->sums[0] + self->sharing->sums[1] +
	       self->sharing->sums[2],
	       (unsigned long long)(after.waits - before.waits));
	ASSERT_EQ(1, wrong) {
		TH_LOG("call %d: %s", call,
		       wrong ? strerror(-wrong) : "not in order");
	}
}

/* Make calls for many IDs beside readers of few IDs, two on each CPU. */
static void take_many(struct __test_metadata *_metadata,
		      FIXTURE_DATA(beside) *self, __u32 few)
{
	enum { COUNT = 20000 };
	struct kuid_status before, after;
	__u8 *ids = malloc(COUNT * ID_SIZE_MAX);
	struct words last = { 0 };
	pid_t readers[8];
	size_t sum;
	int nr, i;
	int fd = open_device_file(self->f, "", 0);

	ASSERT_NE(NULL, ids);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, host_status(&before));
	nr = 2 * self->nr_cpus;
	if (nr > (int)ARRAY_SIZE(readers))
		nr = ARRAY_SIZE(readers);
	for (i = 0; i < nr; i++) {
		readers[i] = start_reader(self->f, self->sharing, i,
					  self->cpus[i % self->nr_cpus], few);
		ASSERT_LE(0, readers[i]);
	}
	wait_for_readers(self->sharing, nr);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(COUNT, i % 2 ? read_ids(self->f, fd, ids, COUNT) :
				 generate_ids(self->f, fd, ids, COUNT));
		ASSERT_EQ(COUNT, count_in_order(self->f, ids, COUNT, &last));
	}
	stop_readers(_metadata, self->sharing, readers, nr);
	ASSERT_EQ(0, host_status(&after));
	for (sum = i = 0; i < nr; i++)
		sum += self->sharing->sums[i];
	TH_LOG("%zu IDs, %u at a time, %llu waits", sum, few,
	       (unsigned long long)(after.waits - before.waits));
	close(fd);
	free(ids);
}

/*
 * Single IDs may use the whole window; a batch beside them is served
 * nevertheless.
 */
TEST_F(beside, single_readers)
{
	take_many(_metadata, self, 1);
}

/* Later callers with small batches don't take the IDs of a waiting batch. */
TEST_F(beside, small_batches)
{
	take_many(_metadata, self, 2);
}

/*
 * A waiter is killed among others: IDs that it was given aren't given again,
 * and the waiters behind it are served.
 */
TEST(killed_while_waiting)
{
	enum { COUNT = 1000000, OTHERS = 2, AFTER = 60000 };
	const struct format *f = format_of(KUID_FORMAT_LEX);
	struct sharing *sharing = share_memory(sizeof(*sharing));
	__u8 *ids = share_memory(COUNT * f->id_size);
	__u8 *after = malloc(AFTER * f->id_size);
	struct record record;
	pid_t readers[OTHERS];
	size_t given, i;
	bool asleep;
	pid_t child;
	int status;
	int fd;

	ASSERT_NE(NULL, sharing);
	ASSERT_NE(NULL, ids);
	ASSERT_NE(NULL, after);
	ASSERT_TRUE(record_begin(&record, COUNT + AFTER));
	for (i = 0; i < OTHERS; i++) {
		readers[i] = start_reader(f, sharing, i, -1, BATCH);
		ASSERT_LE(0, readers[i]);
	}
	wait_for_readers(sharing, OTHERS);
	child = fork_child();
	ASSERT_LE(0, child);
	if (!child) {
		fd = open_device_file(f, "", 0);
		/* The signal interrupts the call before this. */
		_exit(generate_ids(f, fd, ids, COUNT) != COUNT);
	}
	/* Wait until the first chunk was delivered and the child sleeps. */
	do {
		char state = state_of(child);

		asleep = !all_bytes(ids, 0, f->id_size) && state == 'S';
		if (state == 'Z')
			break;
		usleep(1000);
	} while (!asleep);
	if (!asleep) {
		stop_readers(_metadata, sharing, readers, OTHERS);
		SKIP(return, TOO_SLOW);
	}
	ASSERT_EQ(0, kill(child, SIGKILL));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status));
	ASSERT_EQ(SIGKILL, WTERMSIG(status));

	for (given = 0; given < COUNT; given++) {
		struct words id = id_words(f, id_at(f, ids, given));

		if (!is_key(id))
			break;
		ASSERT_TRUE(record_add(&record, id));
	}
	EXPECT_GT(COUNT, given) {
		TH_LOG("the call completed");
	}
	/* No ID was written behind the first gap. */
	ASSERT_TRUE(all_bytes(id_at(f, ids, given), 0,
			      (COUNT - given) * f->id_size));

	/* The others are still served. */
	for (i = 0; i < OTHERS; i++) {
		size_t so_far = sum_of(sharing, i);

		while (sum_of(sharing, i) < so_far + 2 * BATCH &&
		       !__atomic_load_n(&sharing->failed, __ATOMIC_RELAXED))
			usleep(1000);
	}
	stop_readers(_metadata, sharing, readers, OTHERS);

	fd = open_device_file(f, "", 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(AFTER, generate_ids(f, fd, after, AFTER));
	for (i = 0; i < AFTER; i++)
		ASSERT_TRUE(record_add(&record, id_words(f, id_at(f, after, i))));
	TH_LOG("%zu IDs before it was killed", given);
	close(fd);
	record_end(&record);
	free(after);
}

/*
 * Readers of one ID and of many are all killed while waiting. Nothing may hold
 * up the next caller.
 */
TEST(all_waiters_killed)
{
	enum { READERS = 6, ROUNDS = 3, COUNT = 1000, ENOUGH = 30000 };
	const struct format *f = format_of(KUID_FORMAT_LEX);
	struct kuid_status before, after;
	__u8 ids[COUNT * ID_SIZE_MAX];
	pid_t readers[READERS];
	int cpus[2];
	int round, i, fd;

	if (allowed_cpus(cpus, 2) < 2)
		cpus[1] = cpus[0];
	for (round = 0; round < ROUNDS; round++) {
		struct sharing *sharing = share_memory(sizeof(*sharing));

		ASSERT_NE(NULL, sharing);
		for (i = 0; i < READERS; i++) {
			readers[i] = start_reader(f, sharing, i, cpus[i % 2],
						  i % 3 ? 1 : BATCH);
			ASSERT_LE(0, readers[i]);
		}
		wait_for_readers(sharing, READERS);
		ASSERT_EQ(0, host_status(&before));
		/* The window has been used up meanwhile. */
		do {
			usleep(1000);
			ASSERT_EQ(0, host_status(&after));
		} while (after.waits < before.waits + ENOUGH &&
			 sum_of(sharing, 1) + sum_of(sharing, 2) < ENOUGH &&
			 !__atomic_load_n(&sharing->failed, __ATOMIC_RELAXED));
		for (i = 0; i < READERS; i++)
			ASSERT_EQ(0, kill(readers[i], SIGKILL));
		for (i = 0; i < READERS; i++)
			ASSERT_EQ(readers[i], waitpid(readers[i], NULL, 0));
		ASSERT_FALSE(sharing->failed);
		munmap(sharing, sizeof(*sharing));
	}

	let_clock_catch_up();
	fd = open_device_file(f, "", O_NONBLOCK);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, host_status(&before));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(1, read_ids(f, fd, ids, 1));
		ASSERT_EQ(1, generate_ids(f, fd, ids, 1));
		ASSERT_EQ(COUNT, read_ids(f, fd, ids, COUNT));
	}
	ASSERT_EQ(0, fcntl(fd, F_SETFL, 0));
	ASSERT_EQ(COUNT, read_ids(f, fd, ids, COUNT));
	ASSERT_EQ(1, read_ids(f, fd, ids, 1));
	ASSERT_EQ(0, host_status(&after));
	EXPECT_EQ(before.waits, after.waits);
	EXPECT_EQ(before.would_blocks, after.would_blocks);
	close(fd);
}

TEST_HARNESS_MAIN
