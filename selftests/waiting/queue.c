// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callers that wait for the clock beside others: batches leave half of the
 * window to single IDs, and each sleeping caller is served.
 *
 * No test looks at durations or at the order in which sleepers are served,
 * because a slow machine may run a sleeper late. exact_waits.c checks both,
 * with time under control.
 */
#include "../../kselftest_harness.h"

#include <sys/time.h>

#include "../lib/children.h"
#include "../lib/formats.h"
#include "../lib/module.h"
#include "../lib/set_wall.h"
#include "../lib/skip.h"
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

static int compare_words(const void *one, const void *other)
{
	const struct words *a = one, *b = other;

	return words_after(*a, *b) - words_after(*b, *a);
}

/* Sorts the IDs. */
static void check_no_repeat(struct __test_metadata *_metadata,
			    struct words *ids, size_t count)
{
	size_t i;

	qsort(ids, count, sizeof(*ids), compare_words);
	for (i = 1; i < count; i++) {
		ASSERT_TRUE(words_after(ids[i], ids[i - 1])) {
			TH_LOG("%016llx%016llx was given twice",
			       (unsigned long long)ids[i].high,
			       (unsigned long long)ids[i].low);
		}
	}
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
 * Single readers have to wait when the window is used up, and must not wait
 * once it has room again: when the IDs given in an interval can't have used it
 * up.
 */
TEST(no_needless_waits)
{
	enum { READERS = 6, SAMPLES = 60 };
	const struct format *f = format_of(KUID_FORMAT_LEX);
	struct sharing *sharing = share_memory(sizeof(*sharing));
	__u64 in_vain = 0, ids_then = 0;
	struct kuid_status before, after;
	pid_t readers[READERS];
	int samples = 0;
	int cpus[2];
	int i;

	ASSERT_NE(NULL, sharing);
	if (allowed_cpus(cpus, 2) < 2)
		cpus[1] = cpus[0];
	for (i = 0; i < READERS; i++) {
		readers[i] = start_reader(f, sharing, i, cpus[i % 2], 1);
		ASSERT_LE(0, readers[i]);
	}
	usleep(100000);
	for (i = 0; i < SAMPLES; i++) {
		__u64 given;

		ASSERT_EQ(0, host_status(&before));
		usleep(10000);
		ASSERT_EQ(0, host_status(&after));
		given = after.ids[KUID_FORMAT_LEX] -
			before.ids[KUID_FORMAT_LEX];
		/*
		 * An ID moves the end by 1 us; the factor of 2 allows for lost
		 * IDs.
		 */
		if (before.lex_ahead_ns + 2 * given * NSEC_PER_USEC >=
		    AHEAD_NS / 2)
			continue;
		samples++;
		ids_then += given;
		in_vain += after.waits - before.waits;
	}
	stop_readers(_metadata, sharing, readers, READERS);
	TH_LOG("%d of %d times there was enough: %llu IDs, %llu waits", samples,
	       SAMPLES, (unsigned long long)ids_then,
	       (unsigned long long)in_vain);
	/*
	 * Readers may wait behind one that began to wait while there were no
	 * IDs.
	 */
	EXPECT_GE(READERS * (samples + 1), in_vain);
}

/*
 * Readers ask for more lex IDs than there are. Each waits behind the others,
 * and none is given the IDs that another waits for.
 */
TEST(shares_are_fair)
{
	enum { READERS = 5, ENOUGH = 400000 };
	const struct format *f = format_of(KUID_FORMAT_LEX);
	struct sharing *sharing = share_memory(sizeof(*sharing));
	size_t begin[READERS], share[READERS], sum;
	size_t most = 0, least = SIZE_MAX;
	pid_t readers[READERS];
	int i;

	ASSERT_NE(NULL, sharing);
	for (i = 0; i < READERS; i++) {
		readers[i] = start_reader(f, sharing, i, -1, BATCH);
		ASSERT_LE(0, readers[i]);
	}
	wait_for_readers(sharing, READERS);
	for (i = 0; i < READERS; i++)
		begin[i] = sum_of(sharing, i);
	do {
		usleep(1000);
		for (sum = i = 0; i < READERS; i++) {
			share[i] = sum_of(sharing, i) - begin[i];
			sum += share[i];
		}
	} while (sum < ENOUGH &&
		 !__atomic_load_n(&sharing->failed, __ATOMIC_RELAXED));
	stop_readers(_metadata, sharing, readers, READERS);
	for (i = 0; i < READERS; i++) {
		TH_LOG("reader %d: %zu IDs", i, share[i]);
		if (share[i] > most)
			most = share[i];
		if (share[i] < least)
			least = share[i];
	}
	/*
	 * Every reader is served in turn, but one may still be asleep at its
	 * turn.
	 */
	EXPECT_GT(4 * least, most);
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
	struct words *all = malloc((COUNT + AFTER) * sizeof(*all));
	struct words none = { 0 };
	pid_t readers[OTHERS];
	size_t given, i;
	bool asleep;
	pid_t child;
	int status;
	int fd;

	ASSERT_NE(NULL, sharing);
	ASSERT_NE(NULL, ids);
	ASSERT_NE(NULL, after);
	ASSERT_NE(NULL, all);
	for (i = 0; i < OTHERS; i++) {
		readers[i] = start_reader(f, sharing, i, -1, BATCH);
		ASSERT_LE(0, readers[i]);
	}
	wait_for_readers(sharing, OTHERS);
	child = fork_child();
	ASSERT_LE(0, child);
	if (!child) {
		fd = open_device_file(f, "", 0);
		/* Not reached: the signal comes earlier. */
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
		all[given] = id_words(f, id_at(f, ids, given));
		if (!words_after(all[given], none))
			break;
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
		all[given + i] = id_words(f, id_at(f, after, i));
	TH_LOG("%zu IDs before it was killed", given);
	check_no_repeat(_metadata, all, given + AFTER);
	close(fd);
	free(all);
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
		/* By then the window has been used up. */
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

/*
 * One wait covers some hundred IDs of a large call, not just the few that the
 * clock frees in a moment.
 */
TEST(one_wait_for_many_ids)
{
	enum { COUNT = 150000, WORTH = 100 };
	const struct format *f = format_of(KUID_FORMAT_LEX);
	__u8 *ids = malloc(COUNT * f->id_size);
	struct kuid_status before, after;
	int fd = open_device_file(f, "", 0);

	ASSERT_NE(NULL, ids);
	ASSERT_LE(0, fd);
	/* Populate the pages now: faults would cost time in the test. */
	memset(ids, POISON, COUNT * f->id_size);
	ASSERT_EQ(0, host_status(&before));
	ASSERT_EQ(COUNT, generate_ids(f, fd, ids, COUNT));
	ASSERT_EQ(0, host_status(&after));
	TH_LOG("%d IDs, %llu waits", COUNT,
	       (unsigned long long)(after.waits - before.waits));
	EXPECT_GE(before.waits + COUNT / WORTH, after.waits);
	close(fd);
	free(ids);
}

/* On an O_NONBLOCK file each EAGAIN and each short count is counted. */
TEST(would_blocks_are_counted)
{
	enum { ENOUGH = 20, CALLS_MAX = 2000 };
	const struct format *f = format_of(KUID_FORMAT_LEX);
	__u8 *ids = malloc(BATCH * f->id_size);
	struct kuid_status before, after;
	unsigned int again = 0, part = 0;
	int fd = open_device_file(f, "", O_NONBLOCK);
	int call;

	ASSERT_NE(NULL, ids);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, host_status(&before));
	for (call = 0; call < CALLS_MAX && again + part < ENOUGH; call++) {
		long got = call % 2 ? read_ids(f, fd, ids, BATCH) :
				      generate_ids(f, fd, ids, BATCH);

		if (got < 0)
			ASSERT_EQ(-EAGAIN, got);
		again += got < 0;
		part += got > 0 && got < BATCH;
	}
	ASSERT_EQ(0, host_status(&after));
	TH_LOG("%u times EAGAIN, %u short counts", again, part);
	EXPECT_EQ(before.would_blocks + again + part, after.would_blocks);
	EXPECT_EQ(before.waits, after.waits);
	close(fd);
	free(ids);
	if (!again && !part && PASSED_SO_FAR)
		SKIP(return, TOO_SLOW);
}

#define SLEEPERS	6

/* Number of IDs that each sleeper asks for; the first ones ask for more. */
static const __u32 wanted[SLEEPERS] = { 1000, 700, 500, 300, 100, 3 };

#define WANTED_MAX	1000

/* Results of the sleepers, in shared memory. */
struct stage {
	bool begins[SLEEPERS];
	long got[SLEEPERS];
	__u8 ids[SLEEPERS][WANTED_MAX * ID_SIZE_MAX];
};

/*
 * A window of 1 s, with the batches' half used up, leaves time to put callers
 * to sleep one after the other. The clock runs at half speed, because it was
 * set back, so that slow machines can use up the window.
 */
FIXTURE(staged) {
	const struct format *f;
	bool was_loaded;
	long stepped;		/* seconds that the wall clock was set */
	struct stage *stage;
	pid_t sleepers[SLEEPERS];
	int fd;			/* 0 if there is none */
};

FIXTURE_SETUP(staged)
{
	enum { BACK = 9 };
	struct kuid_status status;
	__u8 id[ID_SIZE_MAX];
	int fd;

	if (!module_path())
		SKIP_TEST(NO_MODULE);
	self->f = format_of(KUID_FORMAT_LEX);
	self->stage = share_memory(sizeof(*self->stage));
	ASSERT_NE(NULL, self->stage);
	self->was_loaded = is_loaded();
	if (self->was_loaded)
		ASSERT_EQ(0, unload());
	ASSERT_EQ(0, load("max_ahead_ms=1000"));

	fd = open_device_file(self->f, "", 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(1, read_ids(self->f, fd, id, 1));
	close(fd);
	ASSERT_EQ(0, shift_wall_seconds(-BACK));
	self->stepped = -BACK;
	ASSERT_EQ(0, host_status(&status));
	ASSERT_TRUE(status.reasons & KUID_REASON_SLOTS_HALF_SPEED);
}

FIXTURE_TEARDOWN(staged)
{
	int i;

	for (i = 0; i < SLEEPERS; i++) {
		if (self->sleepers[i] > 0) {
			kill(self->sleepers[i], SIGKILL);
			waitpid(self->sleepers[i], NULL, 0);
		}
	}
	if (self->stepped)
		EXPECT_EQ(0, shift_wall_seconds(-self->stepped));
	if (self->fd > 0)
		close(self->fd);
	EXPECT_EQ(0, unload());
	if (self->was_loaded)
		EXPECT_EQ(0, load(""));
}

/*
 * Take single IDs, by a child on each CPU, until a batch would have to wait for
 * a while. Returns false if this machine is too slow for that.
 */
static bool use_up(struct __test_metadata *_metadata,
		   FIXTURE_DATA(staged) *self)
{
	enum { CHILDREN = 4, BATCHES = 512, ROUNDS = 600, LOOKS = 50 };
	const __u64 enough = 650 * NSEC_PER_MSEC;
	struct kuid_status status;
	pid_t children[CHILDREN];
	int cpus[CHILDREN];
	int nr, i, round;

	nr = allowed_cpus(cpus, CHILDREN);
	for (i = 0; i < nr; i++) {
		__u64 gained = 0;
		__u8 *ids;
		int fd;

		children[i] = fork_child();
		ASSERT_LE(0, children[i]);
		if (children[i])
			continue;
		ids = malloc(BATCH * ID_SIZE_MAX);
		fd = open_device_file(self->f, "", O_NONBLOCK);
		if (!ids || fd < 0 || move_to_cpu(0, cpus[i]))
			_exit(1);
		for (round = 0; round < BATCHES; round++)
			if (read_ids(self->f, fd, ids, BATCH) != BATCH)
				break;
		/*
		 * The machine takes batches no faster than the clock frees IDs.
		 */
		if (round == BATCHES)
			_exit(0);
		for (round = 0; round < ROUNDS; round++) {
			read_singles(self->f, fd, ids);
			if (host_status(&status))
				_exit(1);
			if (status.lex_ahead_ns >= enough)
				break;
			/* Stop if the run-ahead hardly grows. */
			if (round % LOOKS == 0) {
				if (round && status.lex_ahead_ns < gained)
					break;
				gained = status.lex_ahead_ns +
					 5 * NSEC_PER_MSEC;
			}
		}
		_exit(0);
	}
	for (i = 0; i < nr; i++)
		ASSERT_TRUE(ended_well(children[i]));
	ASSERT_EQ(0, host_status(&status));
	TH_LOG("%llu ms ahead",
	       (unsigned long long)(status.lex_ahead_ns / NSEC_PER_MSEC));
	/* Allow for the time that has passed since. */
	return status.lex_ahead_ns >= enough - 50 * NSEC_PER_MSEC;
}

static void nothing(int sig)
{
}

/* Returns when the sleeper sleeps or has been served. */
static void start_sleeper(struct __test_metadata *_metadata,
			  FIXTURE_DATA(staged) *self, int nr, int flags)
{
	const struct sigaction action = {
		.sa_handler = nothing,
		.sa_flags = flags,
	};
	struct stage *stage = self->stage;
	pid_t child = fork_child();
	int fd;

	ASSERT_LE(0, child);
	if (!child) {
		sigaction(SIGUSR1, &action, NULL);
		fd = open_device_file(self->f, "", 0);
		if (fd < 0)
			_exit(1);
		__atomic_store_n(&stage->begins[nr], true, __ATOMIC_RELEASE);
		if (nr % 2)
			stage->got[nr] = read_ids(self->f, fd, stage->ids[nr],
						  wanted[nr]);
		else
			stage->got[nr] = generate_ids(self->f, fd,
						      stage->ids[nr],
						      wanted[nr]);
		_exit(0);
	}
	self->sleepers[nr] = child;
	/* From here on only the call itself can put the child to sleep. */
	while (!__atomic_load_n(&stage->begins[nr], __ATOMIC_ACQUIRE) ||
	       (state_of(child) != 'S' && state_of(child) != 'Z'))
		sched_yield();
}

static void wait_for_sleeper(struct __test_metadata *_metadata,
			     FIXTURE_DATA(staged) *self, int nr)
{
	pid_t child = self->sleepers[nr];

	self->sleepers[nr] = 0;
	ASSERT_TRUE(ended_well(child));
}

/* Sleeper @nr got all IDs that it asked for, in order. */
static void check_served(struct __test_metadata *_metadata,
			 FIXTURE_DATA(staged) *self, int nr)
{
	struct words last = { 0 };

	ASSERT_EQ(wanted[nr], self->stage->got[nr]) {
		TH_LOG("sleeper %d", nr);
	}
	ASSERT_EQ(wanted[nr], count_in_order(self->f, self->stage->ids[nr],
					     wanted[nr], &last));
}

/*
 * Sleeping batches, however many, don't hold up a caller for a single ID that
 * is available.
 */
TEST_F(staged, singles_pass_sleeping_batches)
{
	enum { BATCHES = 200, COUNT = 100000, READS = 2000, ENOUGH = 3000000 };
	const int lex = KUID_FORMAT_LEX;
	bool *begin = share_memory(sizeof(*begin));
	struct kuid_status before, after;
	__u8 id[ID_SIZE_MAX];
	pid_t *batches;
	int asleep = 0;
	int i;

	ASSERT_NE(NULL, begin);
	batches = calloc(BATCHES, sizeof(*batches));
	ASSERT_NE(NULL, batches);
	for (i = 0; i < BATCHES; i++) {
		batches[i] = fork_child();
		ASSERT_LE(0, batches[i]);
		if (!batches[i]) {
			__u8 *ids = malloc(COUNT * self->f->id_size);
			int fd = open_device_file(self->f, "", 0);

			while (!__atomic_load_n(begin, __ATOMIC_ACQUIRE))
				usleep(1000);
			_exit(read_ids(self->f, fd, ids, COUNT) != COUNT);
		}
	}
	self->fd = open_device_file(self->f, "", O_NONBLOCK);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, host_status(&before));
	__atomic_store_n(begin, true, __ATOMIC_RELEASE);
	/*
	 * Wait until many of them sleep, or have got this many IDs without
	 * sleeping.
	 */
	do {
		usleep(1000);
		ASSERT_EQ(0, host_status(&after));
	} while (after.waits < before.waits + BATCHES / 2 &&
		 after.ids[lex] < before.ids[lex] + ENOUGH);
	for (i = 0; i < READS; i++) {
		ASSERT_EQ(1, read_ids(self->f, self->fd, id, 1)) {
			TH_LOG("single %d", i);
		}
	}
	for (i = 0; i < BATCHES; i++)
		asleep += state_of(batches[i]) == 'S';
	TH_LOG("%d batches sleep", asleep);
	for (i = 0; i < BATCHES; i++)
		kill(batches[i], SIGKILL);
	for (i = 0; i < BATCHES; i++)
		ASSERT_EQ(batches[i], waitpid(batches[i], NULL, 0));
	free(batches);
	if (asleep < BATCHES / 2 && PASSED_SO_FAR)
		SKIP(return, TOO_SLOW);
}

/* A waiter that leaves, from head or middle, takes no other waiter along. */
TEST_F(staged, some_waiters_leave)
{
	enum { KILLED = 0, INTERRUPTED = 2 };
	int status;
	int nr;

	if (!use_up(_metadata, self))
		SKIP(return, TOO_SLOW);
	for (nr = 0; nr < SLEEPERS; nr++)
		start_sleeper(_metadata, self, nr, 0);
	ASSERT_EQ(0, kill(self->sleepers[INTERRUPTED], SIGUSR1));
	ASSERT_EQ(0, kill(self->sleepers[KILLED], SIGKILL));
	ASSERT_EQ(self->sleepers[KILLED],
		  waitpid(self->sleepers[KILLED], &status, 0));
	self->sleepers[KILLED] = 0;
	if (WIFSIGNALED(status))
		ASSERT_EQ(SIGKILL, WTERMSIG(status));
	for (nr = 1; nr < SLEEPERS; nr++)
		wait_for_sleeper(_metadata, self, nr);

	TH_LOG("one %s, one got %ld of %u IDs",
	       WIFSIGNALED(status) ? "was killed" : "had been served",
	       self->stage->got[INTERRUPTED], wanted[INTERRUPTED]);
	for (nr = 1; nr < SLEEPERS; nr++) {
		if (nr == INTERRUPTED &&
		    self->stage->got[nr] != wanted[nr]) {
			ASSERT_EQ(-EINTR, self->stage->got[nr]);
			continue;
		}
		check_served(_metadata, self, nr);
	}
}

/* With SA_RESTART the call is restarted and gets all its IDs. */
TEST_F(staged, restarted)
{
	int nr;

	if (!use_up(_metadata, self))
		SKIP(return, TOO_SLOW);
	for (nr = 0; nr < 2; nr++)
		start_sleeper(_metadata, self, nr, SA_RESTART);
	for (nr = 0; nr < 2; nr++)
		ASSERT_EQ(0, kill(self->sleepers[nr], SIGUSR1));
	for (nr = 0; nr < 2; nr++) {
		wait_for_sleeper(_metadata, self, nr);
		check_served(_metadata, self, nr);
	}
}

static int alarms;

static void count_alarm(int sig)
{
	__atomic_add_fetch(&alarms, sig == SIGALRM, __ATOMIC_RELAXED);
}

/* IDs that an interrupted call gave back or got late are given once. */
TEST_F(staged, interrupted)
{
	enum { COUNT = 400000, ROUNDS = 4 };
	struct sigaction action = { .sa_handler = count_alarm };
	/*
	 * Repeat the timer: the first signal may come before the call begins.
	 */
	struct itimerval often = {
		.it_value.tv_usec = 30000,
		.it_interval.tv_usec = 30000,
	};
	struct itimerval never = { 0 };
	struct words *all = malloc(2 * COUNT * sizeof(*all));
	__u8 *ids = malloc(COUNT * self->f->id_size);
	struct kuid_status before, after;
	unsigned int none = 0, part = 0;
	struct words last = { 0 };
	size_t sum = 0;
	int round;
	long got, i;

	ASSERT_NE(NULL, all);
	ASSERT_NE(NULL, ids);
	memset(ids, POISON, COUNT * self->f->id_size);
	self->fd = open_device_file(self->f, "", 0);
	ASSERT_LE(0, self->fd);
	if (!use_up(_metadata, self))
		SKIP(return, TOO_SLOW);
	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	ASSERT_EQ(0, host_status(&before));
	for (round = 0; round < ROUNDS; round++) {
		ASSERT_EQ(0, setitimer(ITIMER_REAL, &often, NULL));
		got = round % 2 ? read_ids(self->f, self->fd, ids, COUNT) :
				  generate_ids(self->f, self->fd, ids, COUNT);
		setitimer(ITIMER_REAL, &never, NULL);
		none += got == -EINTR;
		if (got == -EINTR)
			continue;
		ASSERT_LT(0, got);
		part += got < COUNT;
		ASSERT_EQ(got, count_in_order(self->f, ids, got, &last));
		for (i = 0; i < got && sum < COUNT; i++)
			all[sum++] = id_words(self->f, id_at(self->f, ids, i));
	}
	TH_LOG("%u times EINTR, %u times part", none, part);
	EXPECT_LE(1, __atomic_load_n(&alarms, __ATOMIC_RELAXED));
	ASSERT_EQ(0, host_status(&after));
	if (before.waits < after.waits)
		EXPECT_LT(0, none + part);
	/* Another file may be given IDs below the first file's watermark. */
	close(self->fd);
	self->fd = open_device_file(self->f, "", 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(50000, read_ids(self->f, self->fd, ids, 50000));
	for (i = 0; i < 50000; i++)
		all[sum++] = id_words(self->f, id_at(self->f, ids, i));
	check_no_repeat(_metadata, all, sum);
	free(ids);
	free(all);
	if (before.waits == after.waits && PASSED_SO_FAR)
		SKIP(return, TOO_SLOW);
}

TEST_HARNESS_MAIN
