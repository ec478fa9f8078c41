// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check how long callers wait, to within COST_NS. This needs User Mode Linux
 * booted with time-travel=inf-cpu: there time passes only while all tasks
 * sleep, and by 256 ns with each reading of a clock. So waits depend on the
 * module alone, not on the machine's speed or load.
 */
#include "../lib/harness.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "../lib/children.h"
#include "../lib/own_module.h"

#define CHUNK		1024

/* The window of these tests; batches may use half of it. */
#define WINDOW_MS	10
#define WINDOW_NS	(WINDOW_MS * NSEC_PER_MSEC)

/* After this time a waiter that doesn't take its due IDs loses its place. */
#define GRACE_NS	(8 * NSEC_PER_MSEC)

/* A few hundred clock readings of 256 ns may add this to a wait. */
#define COST_NS		(100 * NSEC_PER_USEC)

/* lex has one ID for each microsecond. */
#define LEX_NS(count)	((count) * NSEC_PER_USEC)

#define CLOCK_SOURCE	"/sys/devices/system/clocksource/clocksource0/" \
			"current_clocksource"

#define READERS_MAX	256

/**
 * struct reader - a process that makes a number of reads
 * @pid: 0 if there is none
 * @count: how many IDs each read asks for
 * @order: KUID_ORDER_*
 * @priority: SCHED_FIFO priority; 0 for SCHED_OTHER
 * @calls: how many reads to make
 * @longest: duration of the longest read
 * @got: result of the last read
 * @first: first ID of the last read
 */
struct reader {
	pid_t pid;
	__u32 count;
	__u32 order;
	int priority;
	int calls;
	__u64 longest;
	long got;
	__u8 first[ID_SIZE_MAX];
};

FIXTURE(waits) {
	const struct format *f;
	struct reader *readers;		/* in shared memory */
	bool *stop;			/* in shared memory too */
	pid_t hog;
	int fd;				/* lex, O_NONBLOCK */
	__u8 *ids;
};

static bool time_travels(void)
{
	char name[64] = "";
	FILE *file = fopen(CLOCK_SOURCE, "r");

	if (!file)
		return false;
	if (!fgets(name, sizeof(name), file))
		name[0] = '\0';
	fclose(file);
	return !strcmp(name, "time-travel-clock\n");
}

static int set_priority(int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	return sched_setscheduler(0, priority ? SCHED_FIFO : SCHED_OTHER,
				  &param);
}

/* Otherwise the kernel leaves 5 % of each second to SCHED_OTHER. */
static int let_real_time_run(bool on)
{
	return write_text("/proc/sys/kernel/sched_rt_runtime_us",
			  on ? "-1" : "950000");
}

static __u64 mono_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

/* Wait until sleeps end on time, which they don't just after boot. */
static void wait_for_timers(void)
{
	__u64 began;

	do {
		began = mono_ns();
		usleep(100);
	} while (mono_ns() - began > 2 * COST_NS);
}

FIXTURE_SETUP(waits)
{
	char params[32];

	if (!time_travels())
		SKIP_TEST("needs UML with time travel");
	self->f = format_of(KUID_FORMAT_LEX);
	self->readers = share_memory(READERS_MAX * sizeof(*self->readers));
	ASSERT_NE(NULL, self->readers);
	self->stop = share_memory(sizeof(*self->stop));
	ASSERT_NE(NULL, self->stop);
	self->ids = malloc(CHUNK * ID_SIZE_MAX);
	ASSERT_NE(NULL, self->ids);
	take_module(_metadata);
	snprintf(params, sizeof(params), "max_ahead_ms=%d", WINDOW_MS);
	ASSERT_EQ(0, load(params));
	self->fd = open_device_file(self->f, "", O_NONBLOCK);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, let_real_time_run(true));
	ASSERT_EQ(0, set_priority(3));
	ASSERT_EQ(0, prctl(PR_SET_TIMERSLACK, 1));
	wait_for_timers();
}

static void end_hog(FIXTURE_DATA(waits) *self)
{
	*self->stop = true;
	if (self->hog > 0)
		waitpid(self->hog, NULL, 0);
	self->hog = 0;
	*self->stop = false;
}

FIXTURE_TEARDOWN(waits)
{
	int nr;

	end_hog(self);
	for (nr = 0; nr < READERS_MAX; nr++) {
		if (self->readers[nr].pid > 0) {
			kill(self->readers[nr].pid, SIGKILL);
			waitpid(self->readers[nr].pid, NULL, 0);
		}
	}
	close(self->fd);
	EXPECT_EQ(0, set_priority(0));
	EXPECT_EQ(0, let_real_time_run(false));
	give_back_module(_metadata);
}

/*
 * In this kernel time passes with each reading of a clock: after four of them
 * the ID that is due in a microsecond is due, and a reader of singles never
 * sleeps. So it is read by readv(), which reads the clock twice before it
 * sleeps, and not by read(), whose single has a short path that reads it too.
 */
static long read_single(const struct format *f, int fd, void *id)
{
	struct iovec one = { id, f->id_size };

	return readv(fd, &one, 1) == f->id_size ? 1 : -errno;
}

static void run_reader(const struct format *f, struct reader *me)
{
	__u8 *ids = malloc(me->count * f->id_size);
	int fd = open_device_file(f, "", 0);
	__u64 began, ended;
	int call;

	if (!ids || fd < 0 || set_order(fd, me->order) ||
	    set_priority(me->priority))
		_exit(1);
	/* Populate the pages now: faults would cost time in the test. */
	memset(ids, POISON, me->count * f->id_size);
	began = mono_ns();
	for (call = 0; call < me->calls; call++, began = ended) {
		me->got = me->count == 1 ? read_single(f, fd, ids) :
					   read_ids(f, fd, ids, me->count);
		ended = mono_ns();
		if (me->got != me->count)
			_exit(1);
		if (me->longest < ended - began)
			me->longest = ended - began;
		memcpy(me->first, ids, f->id_size);
	}
	_exit(0);
}

/* A reader with a lower priority than the caller's runs when that sleeps. */
static void fork_reader(struct __test_metadata *_metadata,
			FIXTURE_DATA(waits) *self, int nr, __u32 count,
			int priority, int calls)
{
	struct reader *reader = &self->readers[nr];
	pid_t pid;

	*reader = (struct reader) {
		.count = count,
		.order = KUID_ORDER_HOST,
		.priority = priority,
		.calls = calls,
	};
	/* *reader is shared: only the parent may write its pid. */
	pid = fork_child();
	ASSERT_LE(0, pid);
	if (!pid)
		run_reader(self->f, reader);
	reader->pid = pid;
}

/*
 * Returns when the reader sleeps or has ended: before that its readings of a
 * clock let less than 3 us pass, so usleep() doesn't return earlier.
 */
static void start_reader(struct __test_metadata *_metadata,
			 FIXTURE_DATA(waits) *self, int nr, __u32 count,
			 int priority, int calls)
{
	fork_reader(_metadata, self, nr, count, priority, calls);
	usleep(3);
}

static void wait_for_reader(struct __test_metadata *_metadata,
			    FIXTURE_DATA(waits) *self, int nr)
{
	struct reader *reader = &self->readers[nr];
	pid_t pid = reader->pid;

	reader->pid = 0;
	ASSERT_TRUE(ended_well(pid)) {
		TH_LOG("reader %d got %ld", nr, reader->got);
	}
}

/* Use up the half of the window that batches may use. */
static void use_up_half(struct __test_metadata *_metadata,
			FIXTURE_DATA(waits) *self)
{
	long got;

	do {
		got = read_ids(self->f, self->fd, self->ids, CHUNK);
		ASSERT_LT(0, got);
	} while (got == CHUNK);
}

/*
 * Start a child that keeps taking all available IDs, @count at a time and
 * without waiting, until it is stopped.
 */
static void start_hog(struct __test_metadata *_metadata,
		      FIXTURE_DATA(waits) *self, __u32 count, int priority)
{
	long got = 0;

	self->hog = fork_child();
	ASSERT_LE(0, self->hog);
	if (self->hog)
		return;
	if (set_priority(priority))
		_exit(1);
	while (!__atomic_load_n(self->stop, __ATOMIC_RELAXED) &&
	       (got >= 0 || got == -EAGAIN))
		got = read_ids(self->f, self->fd, self->ids, count);
	_exit(0);
}

/* Wait until the hog has used up the window. */
static void wait_for_hog(struct __test_metadata *_metadata,
			 FIXTURE_DATA(waits) *self)
{
	struct kuid_status before, status;

	ASSERT_EQ(0, host_status(&before));
	do {
		usleep(1000);
		ASSERT_EQ(0, host_status(&status));
	} while (status.would_blocks == before.would_blocks);
}

static void check_wait(struct __test_metadata *_metadata,
		       FIXTURE_DATA(waits) *self, int nr, __u64 most)
{
	struct reader *reader = &self->readers[nr];

	TH_LOG("reader %d of %u waited %llu us", nr, reader->count,
	       (unsigned long long)(reader->longest / NSEC_PER_USEC));
	EXPECT_GE(most + COST_NS, reader->longest);
}

/* Each reader gets its IDs when they and all IDs before them are due. */
TEST_F(waits, first_come_first_served)
{
	static const __u32 counts[] = { 1000, 700, 2, 300, CHUNK, 3, 100 };
	struct words last = { 0 };
	__u64 before = 0;
	size_t nr;

	use_up_half(_metadata, self);
	for (nr = 0; nr < ARRAY_SIZE(counts); nr++)
		start_reader(_metadata, self, nr, counts[nr], 2, 1);
	for (nr = 0; nr < ARRAY_SIZE(counts); nr++) {
		wait_for_reader(_metadata, self, nr);
		before += LEX_NS(counts[nr]);
		check_wait(_metadata, self, nr, before);
		/*
		 * Getting them earlier would mean that the test shows nothing.
		 */
		EXPECT_LE(before, self->readers[nr].longest + COST_NS);
		ASSERT_EQ(1, count_in_order(self->f, self->readers[nr].first, 1,
					    &last)) {
			TH_LOG("reader %zu was served out of turn", nr);
		}
	}
}

/*
 * Single readers beside 200 sleeping batches, with the window used up: each
 * waits for one batch that went over, and for the other singles.
 */
TEST_F(waits, singles_pass_sleeping_batches)
{
	enum { BATCHES = 200, SINGLES = 10, CALLS = 5 };
	int nr;

	use_up_half(_metadata, self);
	for (nr = 0; nr < BATCHES; nr++)
		start_reader(_metadata, self, nr, CHUNK, 0, 1);
	start_hog(_metadata, self, 1, 0);
	wait_for_hog(_metadata, self);
	for (; nr < BATCHES + SINGLES; nr++)
		fork_reader(_metadata, self, nr, 1, 2, CALLS);
	for (nr = BATCHES; nr < BATCHES + SINGLES; nr++) {
		wait_for_reader(_metadata, self, nr);
		check_wait(_metadata, self, nr, LEX_NS(CHUNK + SINGLES));
	}
	/* Most batches must still sleep, or the test shows nothing. */
	EXPECT_EQ('S', state_of(self->readers[BATCHES - 1].pid));
	end_hog(self);
	for (nr = 0; nr < BATCHES; nr++)
		wait_for_reader(_metadata, self, nr);
}

/* Batches are served in turn, each after being first for one window. */
TEST_F(waits, batches_beside_saturating_singles)
{
	static const __u32 counts[] = { 2, CHUNK };
	size_t nr;

	start_hog(_metadata, self, 1, 0);
	wait_for_hog(_metadata, self);
	for (nr = 0; nr < ARRAY_SIZE(counts); nr++)
		start_reader(_metadata, self, nr, counts[nr], 2, 1);
	for (nr = 0; nr < ARRAY_SIZE(counts); nr++) {
		wait_for_reader(_metadata, self, nr);
		check_wait(_metadata, self, nr,
			   (nr + 1) * WINDOW_NS + LEX_NS(counts[nr]));
		EXPECT_LE((nr + 1) * WINDOW_NS,
			  self->readers[nr].longest + COST_NS);
	}
}

/*
 * Stuck batches can't run, because the hog has a higher priority. While the hog
 * takes all IDs one at a time, every 16 stuck batches may delay a batch behind
 * them from going over by 8 ms.
 */
static void pass_stuck(struct __test_metadata *_metadata,
		       FIXTURE_DATA(waits) *self, int stuck)
{
	int nr;

	use_up_half(_metadata, self);
	for (nr = 0; nr < stuck; nr++)
		start_reader(_metadata, self, nr, CHUNK, 0, 1);
	start_hog(_metadata, self, 1, 1);
	start_reader(_metadata, self, stuck, CHUNK, 2, 1);
	wait_for_reader(_metadata, self, stuck);
	check_wait(_metadata, self, stuck,
		   LEX_NS((stuck + 2) * CHUNK) +
			   (stuck + 15) / 16 * GRACE_NS + WINDOW_NS);
	for (nr = 0; nr < stuck; nr++)
		EXPECT_EQ(0, self->readers[nr].longest);
	end_hog(self);
	for (nr = 0; nr < stuck; nr++)
		wait_for_reader(_metadata, self, nr);
}

TEST_F(waits, batch_behind_a_stuck_batch)
{
	pass_stuck(_metadata, self, 1);
}

TEST_F(waits, batch_behind_many_stuck_batches)
{
	pass_stuck(_metadata, self, 40);
}

/*
 * A single reader that can't run although its ID is due costs the others no
 * more than that ID. It comes behind a batch, which went over: otherwise it
 * would hardly sleep, for its next ID is due after four readings of a clock.
 */
TEST_F(waits, singles_behind_a_stuck_single)
{
	enum { STUCK, SINGLES = 10, BATCH, CALLS = 5 };
	const struct sched_param usual = { 0 };
	int nr;

	start_hog(_metadata, self, 1, 1);
	wait_for_hog(_metadata, self);
	start_reader(_metadata, self, BATCH, CHUNK, 2, 1);
	usleep(WINDOW_NS / NSEC_PER_USEC + 100);
	start_reader(_metadata, self, STUCK, 1, 2, 1);
	ASSERT_EQ('S', state_of(self->readers[STUCK].pid));
	/* The reader can't run between state_of() and this. */
	ASSERT_EQ(0, sched_setscheduler(self->readers[STUCK].pid, SCHED_OTHER,
					&usual));
	wait_for_reader(_metadata, self, BATCH);
	for (nr = 1; nr <= SINGLES; nr++)
		fork_reader(_metadata, self, nr, 1, 2, CALLS);
	for (nr = 1; nr <= SINGLES; nr++) {
		wait_for_reader(_metadata, self, nr);
		check_wait(_metadata, self, nr, LEX_NS(1 + SINGLES));
	}
	EXPECT_EQ('R', state_of(self->readers[STUCK].pid));
	end_hog(self);
}

/*
 * A chunk larger than the half of the window, which other batches keep used up
 * two IDs at a time: the chunk is served in its turn, and then so is a single
 * reader behind it.
 */
TEST_F(waits, chunk_beside_small_batches)
{
	enum { SMALL = 2, CHUNKS = 3 };
	const __u64 window = NSEC_PER_MSEC;
	int nr;

	close(self->fd);
	ASSERT_EQ(0, unload());
	ASSERT_EQ(0, load("max_ahead_ms=1"));
	self->fd = open_device_file(self->f, "", O_NONBLOCK);
	ASSERT_LE(0, self->fd);

	start_hog(_metadata, self, SMALL, 0);
	usleep(10000);
	start_reader(_metadata, self, 0, CHUNK, 2, 1);
	usleep(1000);
	start_reader(_metadata, self, 1, 1, 2, 1);
	for (nr = 0; nr < 2; nr++) {
		wait_for_reader(_metadata, self, nr);
		check_wait(_metadata, self, nr,
			   CHUNKS * (window + LEX_NS(CHUNK)));
	}
}

/* Reload the module so that no IDs are available until a restore. */
static void have_none(struct __test_metadata *_metadata,
		      FIXTURE_DATA(waits) *self)
{
	close(self->fd);
	ASSERT_EQ(0, unload());
	ASSERT_EQ(0, load("state=required"));
	self->fd = open_device_file(self->f, "", O_NONBLOCK);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(-EAGAIN, read_ids(self->f, self->fd, self->ids, 1));
}

/* A call that waits for a ceiling fails after 30 s. */
TEST_F_TIMEOUT(waits, without_state, 90)
{
	__u64 began, took;
	int fd;

	have_none(_metadata, self);
	fd = open_device_file(self->f, "", 0);
	ASSERT_LE(0, fd);
	began = mono_ns();
	EXPECT_EQ(-ENODATA, read_ids(self->f, fd, self->ids, 1));
	took = mono_ns() - began;
	EXPECT_LE(30 * NSEC_PER_SEC, took);
	EXPECT_GE(30 * NSEC_PER_SEC + COST_NS, took);
	close(fd);
}

/*
 * A change wakes all pollers at once, although each of them would check by
 * itself after a second: many files in one epoll set, and one file in many
 * sets.
 */
TEST_F_TIMEOUT(waits, a_change_wakes_all_pollers, 90)
{
	enum { FILES = 2000, SETS = 500 };
	const struct rlimit many = { FILES + SETS + 100, FILES + SETS + 100 };
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	static struct epoll_event told[FILES];
	int set = epoll_create1(EPOLL_CLOEXEC);
	static int sets[SETS];
	__u64 began;
	int i;

	ASSERT_LE(0, set);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &many));
	have_none(_metadata, self);
	for (i = 0; i < FILES; i++) {
		int fd = open_device_file(self->f, "", O_NONBLOCK);

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, epoll_ctl(set, EPOLL_CTL_ADD, fd, &event));
	}
	for (i = 0; i < SETS; i++) {
		sets[i] = epoll_create1(EPOLL_CLOEXEC);
		ASSERT_LE(0, sets[i]);
		ASSERT_EQ(0, epoll_ctl(sets[i], EPOLL_CTL_ADD, self->fd,
				       &event));
	}
	/* epoll has checked all files, and none is ready. */
	ASSERT_EQ(0, epoll_wait(set, told, FILES, 0));

	ASSERT_EQ(0, begin_cover(self->fd, 0));
	began = mono_ns();
	ASSERT_EQ(0, let_all_go(self->fd));
	/* Another process wakes the pollers: let it run. */
	usleep(1);
	ASSERT_EQ(FILES, epoll_wait(set, told, FILES, 0));
	for (i = 0; i < SETS; i++)
		ASSERT_EQ(1, epoll_wait(sets[i], told, 1, 0));
	EXPECT_GE(NSEC_PER_SEC / 2, mono_ns() - began);
	for (i = 0; i < SETS; i++)
		close(sets[i]);
	close(set);
	for (i = 3; i < FILES + SETS + 100; i++)
		if (i != self->fd)
			close(i);
}

TEST_HARNESS_MAIN
