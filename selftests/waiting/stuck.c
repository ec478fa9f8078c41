// SPDX-License-Identifier: GPL-2.0-only
/*
 * A waiter that can't run must not hold up the others: a waiter that the
 * scheduler doesn't run, that is throttled, stopped, frozen or killed, or whose
 * timers may be late by an hour.
 *
 * No test asserts a time. The others count as served while the reader is stuck
 * if each of them completes some calls during one call of that reader. If the
 * others had to wait for it, each would complete one or two.
 */
#include "../lib/harness.h"

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "../lib/children.h"
#include "../lib/own_module.h"
#include "../lib/set_wall.h"

/* Batches may use half of the window of 1 ms: less than one of these. */
#define BATCH		1024

/* Each other reader completes this many calls during one stuck call. */
#define CALLS		8

#define ROUNDS		5

#define ONE_CPU		"needs 2 CPUs"

/* Number of IDs that each other reader asks for. */
static const __u32 other_counts[] = { 2, BATCH, BATCH, 1 };

#define OTHERS		ARRAY_SIZE(other_counts)

/**
 * struct readers - results of the readers, in shared memory
 * @calls: calls that each reader has completed; the last entry is that of the
 *	stuck reader
 * @failed: the errno of a reader that failed; 0 if none did
 */
struct readers {
	__u64 calls[OTHERS + 1];
	int failed;
};

FIXTURE(stuck) {
	long stepped;		/* seconds that the wall clock was set */
	struct readers *readers;
	pid_t others[OTHERS];
	pid_t stuck;
	pid_t spinner;
	int cpus[2];		/* of the others and of the stuck reader */
	char group[64];		/* its cgroup's directory, or empty */
	char groups[32];	/* where cgroups are mounted, or empty */
};

FIXTURE_VARIANT(stuck) {
	__u32 count;		/* how many IDs the stuck reader asks for */
};

FIXTURE_VARIANT_ADD(stuck, batch) { BATCH };
FIXTURE_VARIANT_ADD(stuck, single) { 1 };

static __u64 calls_of(struct readers *readers, size_t nr)
{
	return __atomic_load_n(&readers->calls[nr], __ATOMIC_ACQUIRE);
}

static void read_for_ever(struct readers *readers, size_t nr, __u32 count)
{
	const struct format *f = format_of(KUID_FORMAT_LEX);
	__u8 *ids = malloc(count * f->id_size);
	int fd = open_device_file(f, "", 0);

	if (!ids || fd < 0)
		_exit(1);
	for (;;) {
		long got = read_ids(f, fd, ids, count);

		/* A signal that stops the reader may cut a batch short. */
		if (got <= 0) {
			__atomic_store_n(&readers->failed, -got ?: EIO,
					 __ATOMIC_RELAXED);
			_exit(1);
		}
		__atomic_add_fetch(&readers->calls[nr], 1, __ATOMIC_RELEASE);
	}
}

/* Start the stuck reader, with timer slack if @slack isn't 0. */
static void start_stuck(struct __test_metadata *_metadata,
			FIXTURE_DATA(stuck) *self,
			const FIXTURE_VARIANT(stuck) *variant,
			unsigned long slack, int policy)
{
	const struct sched_param param = { 0 };

	self->stuck = fork_child();
	ASSERT_LE(0, self->stuck);
	if (self->stuck)
		return;
	if (move_to_cpu(0, self->cpus[1]) ||
	    (slack && prctl(PR_SET_TIMERSLACK, slack)) ||
	    sched_setscheduler(0, policy, &param))
		_exit(1);
	read_for_ever(self->readers, OTHERS, variant->count);
}

/*
 * After a step back the clock runs at half speed, so fewer IDs are available.
 */
FIXTURE_SETUP(stuck)
{
	enum { BACK = 1000 };
	struct kuid_status status;
	__u8 id[ID_SIZE_MAX];
	size_t i;
	int fd;

	if (allowed_cpus(self->cpus, 2) < 2)
		SKIP_TEST(ONE_CPU);
	self->readers = share_memory(sizeof(*self->readers));
	ASSERT_NE(NULL, self->readers);
	ASSERT_EQ(0, move_to_cpu(0, self->cpus[0]));
	take_module(_metadata);
	ASSERT_EQ(0, load("max_ahead_ms=1"));
	fd = open_device_file(format_of(KUID_FORMAT_LEX), "", 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(1, read_ids(format_of(KUID_FORMAT_LEX), fd, id, 1));
	close(fd);
	ASSERT_EQ(0, shift_wall_seconds(-BACK));
	self->stepped = -BACK;
	ASSERT_EQ(0, host_status(&status));
	ASSERT_TRUE(status.reasons & KUID_REASON_SLOTS_HALF_SPEED);
	for (i = 0; i < OTHERS; i++) {
		self->others[i] = fork_child();
		ASSERT_LE(0, self->others[i]);
		if (!self->others[i])
			read_for_ever(self->readers, i, other_counts[i]);
	}
}

static void end(pid_t child)
{
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
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
	size_t i;

	for (i = 0; i < OTHERS; i++)
		end(self->others[i]);
	end(self->spinner);
	if (self->group[0])
		write_line(self->group, "cgroup.freeze", "0");
	end(self->stuck);
	if (self->group[0])
		EXPECT_EQ(0, rmdir(self->group));
	if (self->groups[0]) {
		EXPECT_EQ(0, umount(self->groups));
		EXPECT_EQ(0, rmdir(self->groups));
	}
	if (self->stepped)
		EXPECT_EQ(0, shift_wall_seconds(-self->stepped));
	give_back_module(_metadata);
}

static void check_readers(struct __test_metadata *_metadata,
			  FIXTURE_DATA(stuck) *self)
{
	int failed = __atomic_load_n(&self->readers->failed, __ATOMIC_RELAXED);

	ASSERT_EQ(0, failed) {
		TH_LOG("a reader failed: %s", strerror(failed));
	}
}

/* Wait until a reader has completed @more calls. */
static void wait_for_calls(struct __test_metadata *_metadata,
			   FIXTURE_DATA(stuck) *self, size_t nr, __u64 more)
{
	__u64 from = calls_of(self->readers, nr);

	while (calls_of(self->readers, nr) < from + more) {
		check_readers(_metadata, self);
		usleep(1000);
	}
}

/* Wait until the stuck reader sleeps in a call; false if it never does. */
static bool wait_for_sleep(struct __test_metadata *_metadata,
			   FIXTURE_DATA(stuck) *self)
{
	enum { CALLS_MAX = 10000 };
	__u64 from;

	wait_for_calls(_metadata, self, OTHERS, 1);
	from = calls_of(self->readers, OTHERS);
	while (state_of(self->stuck) != 'S') {
		check_readers(_metadata, self);
		if (calls_of(self->readers, OTHERS) > from + CALLS_MAX)
			return false;
		sched_yield();
	}
	return true;
}

/* Wait until each other reader has completed CALLS during one stuck call. */
static void others_are_served(struct __test_metadata *_metadata,
			      FIXTURE_DATA(stuck) *self)
{
	__u64 stuck, from[OTHERS], gave_up = 0;
	bool served = false;
	size_t i;

	while (!served) {
		stuck = calls_of(self->readers, OTHERS);
		for (i = 0; i < OTHERS; i++)
			from[i] = calls_of(self->readers, i);
		do {
			check_readers(_metadata, self);
			usleep(1000);
			for (i = 0; i < OTHERS; i++) {
				if (calls_of(self->readers, i) < from[i] + CALLS)
					break;
			}
			served = i == OTHERS;
		} while (!served && calls_of(self->readers, OTHERS) == stuck);
		gave_up += !served;
	}
	if (gave_up)
		TH_LOG("the stuck reader could run %llu times",
		       (unsigned long long)gave_up);
}

static void stuck_goes_on(struct __test_metadata *_metadata,
			  FIXTURE_DATA(stuck) *self)
{
	wait_for_calls(_metadata, self, OTHERS, 1);
}

/*
 * The reader is alone on its CPU, which has no timer interrupts other than
 * those that are armed. With its slack it would sleep for an hour.
 */
TEST_F(stuck, timer_slack)
{
	enum { ENOUGH = 60 };
	size_t i;

	start_stuck(_metadata, self, variant, 3600 * NSEC_PER_SEC, SCHED_OTHER);
	wait_for_calls(_metadata, self, OTHERS, 1);
	for (i = 0; i < OTHERS; i++)
		wait_for_calls(_metadata, self, i, ENOUGH);
	stuck_goes_on(_metadata, self);
}

/* Start a child that uses all the time of the stuck reader's CPU. */
static void start_spinner(struct __test_metadata *_metadata,
			  FIXTURE_DATA(stuck) *self)
{
	self->spinner = fork_child();
	ASSERT_LE(0, self->spinner);
	if (self->spinner)
		return;
	if (move_to_cpu(0, self->cpus[1]) || setpriority(PRIO_PROCESS, 0, -20))
		_exit(1);
	for (;;)
		;
}

TEST_F(stuck, idle_class_beside_a_spinner)
{
	int round;

	start_stuck(_metadata, self, variant, 0, SCHED_IDLE);
	for (round = 0; round < ROUNDS; round++) {
		if (!wait_for_sleep(_metadata, self))
			SKIP(return, TOO_SLOW);
		start_spinner(_metadata, self);
		others_are_served(_metadata, self);
		end(self->spinner);
		self->spinner = 0;
		stuck_goes_on(_metadata, self);
	}
}

/* Move the stuck reader to its own cgroup; false if the kernel can't. */
static bool group_stuck(struct __test_metadata *_metadata,
			FIXTURE_DATA(stuck) *self, const char *controller)
{
	char line[32];

	strcpy(self->groups, "/tmp/stuck.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->groups));
	if (mount("none", self->groups, "cgroup2", 0, NULL)) {
		rmdir(self->groups);
		self->groups[0] = '\0';
		return false;
	}
	snprintf(line, sizeof(line), "+%s", controller);
	if (*controller &&
	    write_line(self->groups, "cgroup.subtree_control", line))
		return false;
	snprintf(self->group, sizeof(self->group), "%s/kuid.%d", self->groups,
		 getpid());
	ASSERT_EQ(0, mkdir(self->group, 0755));
	snprintf(line, sizeof(line), "%d", self->stuck);
	ASSERT_EQ(0, write_line(self->group, "cgroup.procs", line));
	return true;
}

/*
 * The group may use 1 ms of each second. On kernels that throttle inside a
 * system call the reader is throttled when its sleep ends.
 */
TEST_F(stuck, throttled)
{
	int round;

	start_stuck(_metadata, self, variant, 0, SCHED_OTHER);
	if (!group_stuck(_metadata, self, "cpu") ||
	    write_line(self->group, "cpu.max", "max"))
		SKIP(return, "the kernel can't limit a cgroup's CPU time");
	for (round = 0; round < ROUNDS; round++) {
		if (!wait_for_sleep(_metadata, self))
			SKIP(return, TOO_SLOW);
		ASSERT_EQ(0, write_line(self->group, "cpu.max",
					"1000 1000000"));
		others_are_served(_metadata, self);
		ASSERT_EQ(0, write_line(self->group, "cpu.max", "max"));
		stuck_goes_on(_metadata, self);
	}
}

TEST_F(stuck, stopped)
{
	int round;

	start_stuck(_metadata, self, variant, 0, SCHED_OTHER);
	for (round = 0; round < ROUNDS; round++) {
		if (!wait_for_sleep(_metadata, self))
			SKIP(return, TOO_SLOW);
		ASSERT_EQ(0, kill(self->stuck, SIGSTOP));
		while (state_of(self->stuck) != 'T')
			usleep(1000);
		others_are_served(_metadata, self);
		ASSERT_EQ(0, kill(self->stuck, SIGCONT));
		stuck_goes_on(_metadata, self);
	}
}

static void wait_until_frozen(struct __test_metadata *_metadata,
			      FIXTURE_DATA(stuck) *self)
{
	char path[128], events[64];
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.events", self->group);
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

TEST_F(stuck, frozen)
{
	int round;

	start_stuck(_metadata, self, variant, 0, SCHED_OTHER);
	if (!group_stuck(_metadata, self, "") ||
	    write_line(self->group, "cgroup.freeze", "0"))
		SKIP(return, "the kernel can't freeze a cgroup");
	for (round = 0; round < ROUNDS; round++) {
		if (!wait_for_sleep(_metadata, self))
			SKIP(return, TOO_SLOW);
		ASSERT_EQ(0, write_line(self->group, "cgroup.freeze", "1"));
		wait_until_frozen(_metadata, self);
		others_are_served(_metadata, self);
		ASSERT_EQ(0, write_line(self->group, "cgroup.freeze", "0"));
		stuck_goes_on(_metadata, self);
	}
}

TEST_F(stuck, killed)
{
	int round;

	for (round = 0; round < ROUNDS; round++) {
		start_stuck(_metadata, self, variant, 0, SCHED_OTHER);
		if (!wait_for_sleep(_metadata, self))
			SKIP(return, TOO_SLOW);
		end(self->stuck);
		self->stuck = 0;
		others_are_served(_metadata, self);
	}
}

TEST_HARNESS_MAIN
