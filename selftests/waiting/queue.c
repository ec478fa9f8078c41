// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callers that wait for the clock beside others are served, and a waiter that
 * can't run doesn't hold up the others: one that the scheduler doesn't run,
 * that is throttled, stopped, frozen or killed, or whose timers may be late by
 * an hour.
 *
 * No test looks at durations or at the order in which sleepers are served,
 * because a slow machine may run a sleeper late. exact_waits.c and turn_test.c
 * check both, with time under control.
 */
#include "../lib/harness.h"

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "../lib/children.h"
#include "../lib/own_module.h"
#include "../lib/record.h"
#include "../lib/set_wall.h"

/* Batches may use half of the window of 1 ms: less than one of these. */
#define BATCH		1024

#define READERS_MAX	9

/**
 * struct waiters - readers that read until they are killed
 * @f: what they read
 * @cpus: where they run
 * @nr_cpus: how many of these there are
 * @calls: calls that each reader has completed, in shared memory
 * @failed: the errno of a reader that failed, in shared memory; 0 if none did
 * @pids: the readers
 * @stepped: seconds that the wall clock was set
 */
struct waiters {
	const struct format *f;
	int cpus[4];
	int nr_cpus;
	__u64 *calls;
	int *failed;
	pid_t pids[READERS_MAX];
	long stepped;
};

/*
 * After a step back the clock runs at half speed, so fewer IDs are available.
 */
static void set_up(struct __test_metadata *_metadata, struct waiters *w,
		   __u32 format)
{
	enum { BACK = 1000 };
	struct kuid_status status;
	__u8 id[ID_SIZE_MAX];
	int fd;

	w->f = format_of(format);
	w->nr_cpus = allowed_cpus(w->cpus, ARRAY_SIZE(w->cpus));
	ASSERT_LT(0, w->nr_cpus);
	w->calls = share_memory(READERS_MAX * sizeof(*w->calls));
	w->failed = share_memory(sizeof(*w->failed));
	ASSERT_TRUE(w->calls && w->failed);
	take_module(_metadata);
	ASSERT_EQ(0, load("max_ahead_ms=1"));
	fd = open_device_file(w->f, "", 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(1, read_ids(w->f, fd, id, 1));
	close(fd);
	ASSERT_EQ(0, shift_wall_seconds(-BACK));
	w->stepped = -BACK;
	ASSERT_EQ(0, host_status(&status));
	ASSERT_TRUE(status.reasons & KUID_REASON_SLOTS_HALF_SPEED);
}

static void end(pid_t *child)
{
	if (*child > 0) {
		kill(*child, SIGKILL);
		waitpid(*child, NULL, 0);
	}
	*child = 0;
}

static void end_all(struct waiters *w)
{
	int nr;

	for (nr = 0; nr < READERS_MAX; nr++)
		end(&w->pids[nr]);
}

static void tear_down(struct __test_metadata *_metadata, struct waiters *w)
{
	end_all(w);
	if (w->stepped)
		EXPECT_EQ(0, shift_wall_seconds(-w->stepped));
	give_back_module(_metadata);
}

static __u64 calls_of(const struct waiters *w, int nr)
{
	return __atomic_load_n(&w->calls[nr], __ATOMIC_ACQUIRE);
}

static void fail(struct waiters *w, int error)
{
	__atomic_store_n(w->failed, error, __ATOMIC_RELAXED);
	_exit(1);
}

/*
 * Only two IDs of a call are checked, because checking all would make the
 * reader too slow to use up the IDs.
 */
static void read_for_ever(struct waiters *w, int nr, __u32 count)
{
	__u8 *ids = malloc(count * w->f->id_size);
	int fd = open_device_file(w->f, "", 0);
	struct words last = { 0 };

	if (!ids || fd < 0)
		fail(w, errno);
	for (;;) {
		long got = read_ids(w->f, fd, ids, count);

		/* A signal that stops the reader may cut a batch short. */
		if (got <= 0)
			fail(w, -got ?: EIO);
		if (!count_in_order(w->f, ids, 1, &last) ||
		    (got > 1 && !count_in_order(w->f, id_at(w->f, ids, got - 1),
						1, &last)))
			fail(w, EILSEQ);
		__atomic_add_fetch(&w->calls[nr], 1, __ATOMIC_RELEASE);
	}
}

/* Start a reader on a CPU, with timer slack if @slack isn't 0. */
static void start_reader(struct __test_metadata *_metadata, struct waiters *w,
			 int nr, int cpu, __u32 count, unsigned long slack,
			 int policy)
{
	const struct sched_param param = { 0 };

	w->pids[nr] = fork_child();
	ASSERT_LE(0, w->pids[nr]);
	if (w->pids[nr])
		return;
	if (move_to_cpu(0, w->cpus[cpu % w->nr_cpus]) ||
	    (slack && prctl(PR_SET_TIMERSLACK, slack)) ||
	    sched_setscheduler(0, policy, &param))
		fail(w, errno);
	read_for_ever(w, nr, count);
}

static void check_readers(struct __test_metadata *_metadata, struct waiters *w)
{
	int failed = __atomic_load_n(w->failed, __ATOMIC_RELAXED);

	ASSERT_EQ(0, failed) {
		TH_LOG("a reader failed: %s", strerror(failed));
	}
}

/* Wait until a reader has completed @more calls. */
static void wait_for_calls(struct __test_metadata *_metadata,
			   struct waiters *w, int nr, __u64 more)
{
	__u64 from = calls_of(w, nr);

	while (calls_of(w, nr) < from + more) {
		check_readers(_metadata, w);
		usleep(1000);
	}
}

FIXTURE(beside) {
	struct waiters w;
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
	set_up(_metadata, &self->w, variant->format);
}

FIXTURE_TEARDOWN(beside)
{
	tear_down(_metadata, &self->w);
}

/*
 * Make calls for many IDs beside readers of few IDs, two on each CPU. Single
 * IDs may use the whole window; a batch beside them is served nevertheless.
 * Later callers with small batches don't take the IDs of a waiting batch.
 */
TEST_F(beside, readers_of_few)
{
	enum { COUNT = 20000 };
	const struct format *f = self->w.f;
	__u8 *ids = malloc(COUNT * ID_SIZE_MAX);
	int fd = open_device_file(f, "", 0);
	struct words last = { 0 };
	__u32 few;
	int i;

	ASSERT_NE(NULL, ids);
	ASSERT_LE(0, fd);
	for (few = 1; few <= 2; few++) {
		for (i = 0; i < 2 * self->w.nr_cpus; i++)
			start_reader(_metadata, &self->w, i, i, few, 0,
				     SCHED_OTHER);
		for (i = 0; i < 2 * self->w.nr_cpus; i++)
			wait_for_calls(_metadata, &self->w, i, 1);
		for (i = 0; i < 3; i++) {
			ASSERT_EQ(COUNT, i % 2 ? read_ids(f, fd, ids, COUNT) :
					 generate_ids(f, fd, ids, COUNT));
			ASSERT_EQ(COUNT, count_in_order(f, ids, COUNT, &last));
		}
		check_readers(_metadata, &self->w);
		end_all(&self->w);
	}
	close(fd);
	free(ids);
}

FIXTURE(killed) {
	struct waiters w;
};

FIXTURE_SETUP(killed)
{
	set_up(_metadata, &self->w, KUID_FORMAT_LEX);
}

FIXTURE_TEARDOWN(killed)
{
	tear_down(_metadata, &self->w);
}

/* Wait until the first chunk was delivered and the child sleeps. */
static bool sleeps_in_call(const struct format *f, pid_t child, const __u8 *ids)
{
	char state;

	do {
		usleep(1000);
		state = state_of(child);
	} while (state != 'Z' &&
		 (state != 'S' || all_bytes(ids, 0, f->id_size)));
	return state == 'S';
}

/*
 * A waiter is killed among others: IDs that it was given aren't given again,
 * and the others are served. Then they are all killed, and nothing holds up the
 * next caller.
 */
TEST_F(killed, while_waiting)
{
	enum { COUNT = 1000000, OTHERS = 6, AFTER = 30000, FEW = 100 };
	const struct format *f = self->w.f;
	__u8 *ids = share_memory(COUNT * f->id_size);
	__u8 *after = malloc(AFTER * f->id_size);
	struct kuid_status was, is;
	struct record record;
	size_t given;
	pid_t child;
	int i, fd;

	ASSERT_NE(NULL, ids);
	ASSERT_NE(NULL, after);
	ASSERT_TRUE(record_begin(&record, COUNT + AFTER));
	for (i = 0; i < OTHERS; i++)
		start_reader(_metadata, &self->w, i, i, i % 3 ? 1 : BATCH, 0,
			     SCHED_OTHER);
	child = fork_child();
	ASSERT_LE(0, child);
	if (!child) {
		fd = open_device_file(f, "", 0);
		/* The signal interrupts the call before this. */
		_exit(generate_ids(f, fd, ids, COUNT) != COUNT);
	}
	if (!sleeps_in_call(f, child, ids))
		SKIP(return, TOO_SLOW);
	ASSERT_EQ(0, kill(child, SIGKILL));
	ASSERT_EQ(-1, exit_status(child));
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
	for (i = 0; i < OTHERS; i++)
		wait_for_calls(_metadata, &self->w, i, 20);
	for (i = 0; i < OTHERS; i++)
		ASSERT_EQ(0, kill(self->w.pids[i], SIGKILL));
	end_all(&self->w);

	let_clock_catch_up();
	fd = open_device_file(f, "", 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, host_status(&was));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, fcntl(fd, F_SETFL, i ? O_NONBLOCK : 0));
		ASSERT_EQ(1, read_ids(f, fd, after, 1));
		ASSERT_EQ(1, generate_ids(f, fd, after, 1));
		ASSERT_EQ(FEW, read_ids(f, fd, after, FEW));
	}
	ASSERT_EQ(0, host_status(&is));
	EXPECT_EQ(was.waits, is.waits);
	EXPECT_EQ(was.would_blocks, is.would_blocks);
	ASSERT_EQ(0, fcntl(fd, F_SETFL, 0));
	ASSERT_EQ(AFTER, generate_ids(f, fd, after, AFTER));
	for (i = 0; i < AFTER; i++)
		ASSERT_TRUE(record_add(&record,
				       id_words(f, id_at(f, after, i))));
	TH_LOG("%zu IDs before it was killed", given);
	close(fd);
	record_end(&record);
	free(after);
}

/* Number of IDs that each other reader asks for. */
static const __u32 other_counts[] = { 2, BATCH, BATCH, 1 };

#define OTHERS		ARRAY_SIZE(other_counts)
#define STUCK		OTHERS		/* the stuck reader */
#define SPINNER		(OTHERS + 1)	/* a child that reads nothing */

/* Each other reader completes this many calls during one stuck call. */
#define CALLS		8

#define ROUNDS		5

/**
 * struct way - how the reader gets stuck
 * @policy: its scheduling policy
 * @slack: of its timers; 0 is the default
 * @controller: of the cgroup that it is in
 * @file: of the cgroup; NULL if it is in none
 * @on: what is written to @file to get the reader stuck
 * @off: what is written for it to go on
 */
struct way {
	int policy;
	unsigned long slack;
	const char *controller, *file, *on, *off;
};

enum { SLACK, IDLE, THROTTLED, STOPPED, FROZEN, NR_WAYS };

static const struct way ways[NR_WAYS] = {
	/* Its CPU has no timer interrupts but those that are armed. */
	[SLACK] = { .slack = 3600 * NSEC_PER_SEC },
	[IDLE] = { .policy = SCHED_IDLE },
	/*
	 * 1 ms of each second. On kernels that throttle inside a system call
	 * the reader is throttled when its sleep ends.
	 */
	[THROTTLED] = { .controller = "cpu", .file = "cpu.max",
			.on = "1000 1000000", .off = "max" },
	[FROZEN] = { .controller = "", .file = "cgroup.freeze", .on = "1",
		     .off = "0" },
};

FIXTURE(stuck) {
	struct waiters w;
	char group[64];		/* its cgroup's directory, or empty */
	char groups[32];	/* where cgroups are mounted, or empty */
};

FIXTURE_VARIANT(stuck) {
	int way;
	__u32 count;		/* how many IDs the stuck reader asks for */
};

FIXTURE_VARIANT_ADD(stuck, timer_slack_batch) { SLACK, BATCH };
FIXTURE_VARIANT_ADD(stuck, timer_slack_single) { SLACK, 1 };
FIXTURE_VARIANT_ADD(stuck, idle_class_batch) { IDLE, BATCH };
FIXTURE_VARIANT_ADD(stuck, idle_class_single) { IDLE, 1 };
FIXTURE_VARIANT_ADD(stuck, throttled_batch) { THROTTLED, BATCH };
FIXTURE_VARIANT_ADD(stuck, throttled_single) { THROTTLED, 1 };
FIXTURE_VARIANT_ADD(stuck, stopped_batch) { STOPPED, BATCH };
FIXTURE_VARIANT_ADD(stuck, stopped_single) { STOPPED, 1 };
FIXTURE_VARIANT_ADD(stuck, frozen_batch) { FROZEN, BATCH };
FIXTURE_VARIANT_ADD(stuck, frozen_single) { FROZEN, 1 };

FIXTURE_SETUP(stuck)
{
	size_t i;

	if (allowed_cpus(self->w.cpus, 2) < 2)
		SKIP_TEST("needs 2 CPUs");
	set_up(_metadata, &self->w, KUID_FORMAT_LEX);
	ASSERT_EQ(0, move_to_cpu(0, self->w.cpus[0]));
	for (i = 0; i < OTHERS; i++)
		start_reader(_metadata, &self->w, i, 0, other_counts[i], 0,
			     SCHED_OTHER);
}

/* Returns 0 or -errno. */
static int write_line(const char *directory, const char *name, const char *line)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return write_text(path, line);
}

FIXTURE_TEARDOWN(stuck)
{
	if (self->group[0])
		write_line(self->group, "cgroup.freeze", "0");
	end_all(&self->w);
	if (self->group[0])
		EXPECT_EQ(0, rmdir(self->group));
	if (self->groups[0]) {
		EXPECT_EQ(0, umount(self->groups));
		EXPECT_EQ(0, rmdir(self->groups));
	}
	tear_down(_metadata, &self->w);
}

/* Wait until the stuck reader sleeps in a call; false if it never does. */
static bool wait_for_sleep(struct __test_metadata *_metadata,
			   struct waiters *w)
{
	enum { CALLS_MAX = 10000 };
	__u64 from;

	wait_for_calls(_metadata, w, STUCK, 1);
	from = calls_of(w, STUCK);
	while (state_of(w->pids[STUCK]) != 'S') {
		check_readers(_metadata, w);
		if (calls_of(w, STUCK) > from + CALLS_MAX)
			return false;
		sched_yield();
	}
	return true;
}

/*
 * Wait until each other reader has completed CALLS during one stuck call. If
 * the others had to wait for it, each would complete one or two.
 */
static void wait_for_others(struct __test_metadata *_metadata,
			    struct waiters *w)
{
	__u64 stuck, from[OTHERS], gave_up = 0;
	bool served = false;
	size_t i;

	while (!served) {
		stuck = calls_of(w, STUCK);
		for (i = 0; i < OTHERS; i++)
			from[i] = calls_of(w, i);
		do {
			check_readers(_metadata, w);
			usleep(1000);
			for (i = 0; i < OTHERS; i++) {
				if (calls_of(w, i) < from[i] + CALLS)
					break;
			}
			served = i == OTHERS;
		} while (!served && calls_of(w, STUCK) == stuck);
		gave_up += !served;
	}
	if (gave_up)
		TH_LOG("the stuck reader could run %llu times",
		       (unsigned long long)gave_up);
}

/* Move the stuck reader to its own cgroup; false if the kernel can't. */
static bool group_stuck(struct __test_metadata *_metadata,
			FIXTURE_DATA(stuck) *self, const struct way *way)
{
	char line[32];

	strcpy(self->groups, "/tmp/stuck.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->groups));
	if (mount("none", self->groups, "cgroup2", 0, NULL)) {
		rmdir(self->groups);
		self->groups[0] = '\0';
		return false;
	}
	snprintf(line, sizeof(line), "+%s", way->controller);
	if (*way->controller &&
	    write_line(self->groups, "cgroup.subtree_control", line))
		return false;
	snprintf(self->group, sizeof(self->group), "%s/kuid.%d", self->groups,
		 getpid());
	ASSERT_EQ(0, mkdir(self->group, 0755));
	snprintf(line, sizeof(line), "%d", self->w.pids[STUCK]);
	ASSERT_EQ(0, write_line(self->group, "cgroup.procs", line));
	return !write_line(self->group, way->file, way->off);
}

static void wait_until_frozen(struct __test_metadata *_metadata,
			      const char *group)
{
	char path[128], events[64];
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.events", group);
	do {
		usleep(1000);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		ASSERT_LE(0, fd);
		size = read(fd, events, sizeof(events) - 1);
		close(fd);
		ASSERT_LT(0, size);
		events[size] = '\0';
	} while (!strstr(events, "frozen 1"));
}

/* Start a child that uses all the time of the stuck reader's CPU. */
static void start_spinner(struct __test_metadata *_metadata, struct waiters *w)
{
	w->pids[SPINNER] = fork_child();
	ASSERT_LE(0, w->pids[SPINNER]);
	if (w->pids[SPINNER])
		return;
	if (move_to_cpu(0, w->cpus[1]) || setpriority(PRIO_PROCESS, 0, -20))
		_exit(1);
	for (;;)
		;
}

/* Get the reader stuck in its sleep, or end that. */
static void stick(struct __test_metadata *_metadata, FIXTURE_DATA(stuck) *self,
		  int nr, bool on)
{
	const struct way *way = &ways[nr];
	pid_t stuck = self->w.pids[STUCK];

	if (way->file)
		ASSERT_EQ(0, write_line(self->group, way->file,
					on ? way->on : way->off));
	if (nr == FROZEN && on)
		wait_until_frozen(_metadata, self->group);
	if (nr == IDLE && on)
		start_spinner(_metadata, &self->w);
	if (nr == IDLE && !on)
		end(&self->w.pids[SPINNER]);
	if (nr == STOPPED)
		ASSERT_EQ(0, kill(stuck, on ? SIGSTOP : SIGCONT));
	while (nr == STOPPED && on && state_of(stuck) != 'T')
		usleep(1000);
}

TEST_F(stuck, others_are_served)
{
	enum { ENOUGH = 60 };
	const struct way *way = &ways[variant->way];
	struct waiters *w = &self->w;
	int round;
	size_t i;

	start_reader(_metadata, w, STUCK, 1, variant->count, way->slack,
		     way->policy);
	if (way->file && !group_stuck(_metadata, self, way))
		SKIP(return, "the kernel lacks %s", way->file);
	/* A reader that would sleep for an hour need not be caught. */
	if (way->slack) {
		wait_for_calls(_metadata, w, STUCK, 1);
		for (i = 0; i < OTHERS; i++)
			wait_for_calls(_metadata, w, i, ENOUGH);
		wait_for_calls(_metadata, w, STUCK, 1);
		return;
	}
	for (round = 0; round < ROUNDS; round++) {
		if (!wait_for_sleep(_metadata, w))
			SKIP(return, TOO_SLOW);
		stick(_metadata, self, variant->way, true);
		wait_for_others(_metadata, w);
		stick(_metadata, self, variant->way, false);
		wait_for_calls(_metadata, w, STUCK, 1);
	}
}

TEST_HARNESS_MAIN
