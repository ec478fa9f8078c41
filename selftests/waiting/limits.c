// SPDX-License-Identifier: GPL-2.0-only
/*
 * How far IDs may be ahead of the clock, and what becomes of calls that would
 * take them further. Formats with few IDs a second get there: lex soon, k64 on
 * a machine that is fast enough.
 *
 * How long a call takes is nowhere looked at: what counts is what the clock
 * says when it is over.
 */
#include "../../kselftest_harness.h"

#include <signal.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/uio.h>

#include "../lib/formats.h"

/* What a CPU takes from the host's IDs to give out later, and may drop. */
#define RUN		32

#define BATCH		4096

/* How many IDs are held until they are looked at. */
#define IDS_MAX		(256 * BATCH)

static __u64 slot_of(const struct format *f, const void *id)
{
	struct fields fields = { 0 };

	decode(f, id, &fields);
	return fields.slot;
}

/* How far the last of the IDs is ahead of the clock; 0 if it is not. */
static __u64 ahead_of_clock(const struct format *f, const void *ids,
			    size_t count)
{
	struct fields fields = { 0 };
	__u64 now = clock_ns();

	decode(f, id_at(f, ids, count - 1), &fields);
	return fields.ns > now ? fields.ns - now : 0;
}

/*
 * The same, of what a call that may not wait got: if it asked for many and
 * found none in the half of the window that is for batches, one of the other.
 */
static __u64 ahead_max(long got)
{
	return got > 1 ? BATCH_AHEAD_NS : AHEAD_NS;
}

/* One CPU, so that there is one run; and nothing ahead from tests before. */
static void alone(struct __test_metadata *_metadata)
{
	int cpu;

	ASSERT_EQ(1, allowed_cpus(&cpu, 1));
	ASSERT_EQ(0, move_to_cpu(0, cpu));
	let_clock_catch_up();
}

FIXTURE(limits) {
	const struct format *lex;
	int fd;			/* of lex, O_NONBLOCK */
	__u8 *ids;
	struct words last;
};

FIXTURE_SETUP(limits)
{
	self->lex = format_of(KUID_FORMAT_LEX);
	self->fd = open_node(self->lex, "", O_NONBLOCK);
	ASSERT_LE(0, self->fd);
	self->ids = malloc(IDS_MAX * ID_SIZE_MAX);
	ASSERT_NE(NULL, self->ids);
	/* So that no page of it is missing when time counts. */
	memset(self->ids, POISON, IDS_MAX * ID_SIZE_MAX);
	self->last = (struct words) { 0 };
	alone(_metadata);
}

FIXTURE_TEARDOWN(limits)
{
	free(self->ids);
	close(self->fd);
}

/*
 * Batches until there is no more for them: a call that gives less than it was
 * asked for. Returns how many IDs came, none of which is further ahead than it
 * may be; -1 if this machine can't use them up. Looks at all of them afterwards:
 * that takes longer than to get them, and longer than they last.
 */
static long drain(struct __test_metadata *_metadata,
		  FIXTURE_DATA(limits) *self, bool by_read)
{
	long got, sum = 0;

	do {
		__u8 *to = self->ids + sum * self->lex->id_size;

		got = by_read ? read_ids(self->lex, self->fd, to, BATCH) :
				generate_ids(self->lex, self->fd, to, BATCH);
		if (got > 0) {
			ASSERT_GE(ahead_max(got),
				  ahead_of_clock(self->lex, to, got));
			sum += got;
		} else {
			ASSERT_EQ(-EAGAIN, got);
		}
	} while (got == BATCH && sum <= IDS_MAX - BATCH);
	ASSERT_EQ(sum, count_in_order(self->lex, self->ids, sum, &self->last));
	return got == BATCH ? -1 : sum;
}

static void drain_one_way(struct __test_metadata *_metadata,
			  FIXTURE_DATA(limits) *self, bool by_read)
{
	const __u64 window = BATCH_AHEAD_NS / NSEC_PER_USEC;
	const __u64 runs = RUN * get_nprocs_conf();
	__u64 begin = clock_ns();
	long sum = drain(_metadata, self, by_read);
	/* Later than the last of the calls, which makes it less strict. */
	__u64 elapsed = (clock_ns() - begin) / NSEC_PER_USEC;

	if (sum < 0)
		SKIP(return, TOO_SLOW);
	TH_LOG("%ld IDs in %llu us", sum, (unsigned long long)elapsed);
	/*
	 * There is one for each microsecond, and none for one that is over. The
	 * last call may have got one beyond.
	 */
	EXPECT_GE(elapsed + 1 + window + runs + 1, sum);
	EXPECT_LE(window - runs, sum);
}

TEST_F(limits, batches_by_read)
{
	drain_one_way(_metadata, self, true);
}

TEST_F(limits, batches_by_generate)
{
	drain_one_way(_metadata, self, false);
}

static long take_by_readv(const struct format *f, int fd, void *to,
			  __u32 count)
{
	struct iovec segments[] = {
		{ to, 1 }, { (__u8 *)to + 1, (size_t)count * f->id_size - 1 },
	};
	ssize_t size = readv(fd, segments, 2);

	return size < 0 ? -errno : size / (long)f->id_size;
}

/*
 * A batch that may not wait gets one ID of the half that is not for batches,
 * before it is told that there is none.
 */
TEST_F(limits, one_beyond)
{
	enum { CALLS = 3000 };
	int call;

	for (call = 0; call < CALLS; call++) {
		__u32 count = call % 2 ? 2 : BATCH;
		long got;

		if (call % 100 == 0 && drain(_metadata, self, true) < 0)
			SKIP(return, TOO_SLOW);
		got = call % 3 == 0 ?
			read_ids(self->lex, self->fd, self->ids, count) :
		      call % 3 == 1 ?
			generate_ids(self->lex, self->fd, self->ids, count) :
			take_by_readv(self->lex, self->fd, self->ids, count);
		ASSERT_LT(0, got) {
			TH_LOG("call %d: %s", call, strerror(-got));
		}
		ASSERT_GE(ahead_max(got),
			  ahead_of_clock(self->lex, self->ids, got));
		ASSERT_EQ(got, count_in_order(self->lex, self->ids, got,
					      &self->last));
	}
}

/* As many calls for one ID, or until one of them gets none. */
static long take_singles(const struct format *f, int fd, void *to, int calls)
{
	long got;
	int i;

	for (i = 0; i < calls; i++) {
		got = read_ids(f, fd, (__u8 *)to + i * f->id_size, 1);
		if (got != 1)
			return i ? i : got;
	}
	return calls;
}

/*
 * The half of the window that batches leave is there for IDs one at a time:
 * more of them than the clock makes room for meanwhile.
 */
TEST_F(limits, one_at_a_time_after_batches)
{
	/* By the first rounds not even half of what is left is used up. */
	enum { CALLS = 1024, FIRST = 20, ROUNDS = 200 };
	size_t sum = 0, again = 0;
	int round;

	for (round = 0; round < FIRST; round++) {
		long got;

		if (drain(_metadata, self, round % 2) < 0)
			SKIP(return, TOO_SLOW);
		/* A batch would have to wait, one ID does not. */
		got = take_singles(self->lex, self->fd, self->ids, CALLS);
		ASSERT_EQ(CALLS, got);
		ASSERT_GE(AHEAD_NS,
			  ahead_of_clock(self->lex, self->ids, got));
		ASSERT_EQ(got, count_in_order(self->lex, self->ids, got,
					      &self->last));
		sum += got;
	}

	/* To the end of the window, if this machine is fast enough for it. */
	for (round = FIRST; round < ROUNDS && !again; round++) {
		long got = take_singles(self->lex, self->fd, self->ids, CALLS);

		if (got < 0) {
			ASSERT_EQ(-EAGAIN, got);
			again++;
			break;
		}
		ASSERT_GE(AHEAD_NS,
			  ahead_of_clock(self->lex, self->ids, got));
		sum += got;
	}
	TH_LOG("%zu IDs one at a time, %zu times EAGAIN", sum, again);
}

/* Who may not wait gets what there is: less than the window has room for. */
TEST_F(limits, short_count)
{
	long got;

	if (drain(_metadata, self, true) < 0)
		SKIP(return, TOO_SLOW);
	/* In each of these there are more than one call takes. */
	do {
		usleep(1000);
		got = read_ids(self->lex, self->fd, self->ids, IDS_MAX);
	} while (got == -EAGAIN || got == 1);
	ASSERT_LT(0, got);
	ASSERT_GT(IDS_MAX, got);
	ASSERT_GE(BATCH_AHEAD_NS, ahead_of_clock(self->lex, self->ids, got));
	ASSERT_EQ(got,
		  count_in_order(self->lex, self->ids, got, &self->last));
}

static void take_blocking(struct __test_metadata *_metadata, __u32 format,
			  size_t count)
{
	const struct format *f = format_of(format);
	__u8 *ids = malloc(count * f->id_size);
	struct words last = { 0 };
	int fd = open_node(f, "", 0);

	ASSERT_NE(NULL, ids);
	ASSERT_LE(0, fd);
	ASSERT_EQ(count, read_ids(f, fd, ids, count));
	ASSERT_GE(BATCH_AHEAD_NS, ahead_of_clock(f, ids, count));
	ASSERT_EQ(count, count_in_order(f, ids, count, &last));
	ASSERT_EQ(count, generate_ids(f, fd, ids, count));
	ASSERT_GE(BATCH_AHEAD_NS, ahead_of_clock(f, ids, count));
	ASSERT_EQ(count, count_in_order(f, ids, count, &last));
	close(fd);
	free(ids);
}

TEST(blocking_lex)
{
	take_blocking(_metadata, KUID_FORMAT_LEX, 200000);
}

TEST(blocking_k64)
{
	take_blocking(_metadata, KUID_FORMAT_K64, 2000000);
}

static int alarms;

static void count_alarm(int sig)
{
	__atomic_add_fetch(&alarms, sig == SIGALRM, __ATOMIC_RELAXED);
}

/* While it waits for the clock, a call is ended by a signal. */
TEST(signal_while_waiting)
{
	const struct format *f = format_of(KUID_FORMAT_LEX);
	/* Some seconds' worth. */
	const __u32 count = 5000000;
	/* Again and again: the first may come before the call begins. */
	struct itimerval often = {
		.it_value.tv_usec = 60000,
		.it_interval.tv_usec = 60000,
	};
	struct itimerval never = { 0 };
	struct sigaction action = { .sa_handler = count_alarm };
	__u8 *ids = malloc((size_t)count * f->id_size);
	struct words last = { 0 };
	int fd = open_node(f, "", 0);
	int round;

	ASSERT_NE(NULL, ids);
	ASSERT_LE(0, fd);
	for (round = 0; round < 6; round++) {
		long got;

		action.sa_flags = round < 3 ? 0 : SA_RESTART;
		ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
		__atomic_store_n(&alarms, 0, __ATOMIC_RELAXED);
		ASSERT_EQ(0, setitimer(ITIMER_REAL, &often, NULL));
		got = round % 3 == 0 ? read_ids(f, fd, ids, count) :
		      round % 3 == 1 ? generate_ids(f, fd, ids, count) :
				       take_by_readv(f, fd, ids, count);
		setitimer(ITIMER_REAL, &never, NULL);
		ASSERT_LE(1, __atomic_load_n(&alarms, __ATOMIC_RELAXED));
		if (got == -EINTR)
			continue;
		ASSERT_LT(0, got);
		ASSERT_GT(count, got);
		ASSERT_EQ(got, count_in_order(f, ids, got, &last));
		ASSERT_GE(BATCH_AHEAD_NS, ahead_of_clock(f, ids, got));
	}
	close(fd);
	free(ids);
}

/*
 * The grid's steps are used up one after the other: after a step's last slot
 * comes the next step, and no step is left before that unless the clock has.
 */
TEST(steps_of_the_grid)
{
	const struct format *f = format_of(KUID_FORMAT_K64);
	const __u32 count = 3 * GRID_SLOTS;
	__u8 *ids = malloc(count * f->id_size);
	int fd = open_node(f, "", 0);
	__u32 jumps = 0, full = 0;
	__u64 last, now;
	__u32 i;

	ASSERT_NE(NULL, ids);
	ASSERT_LE(0, fd);
	alone(_metadata);
	ASSERT_EQ(count, generate_ids(f, fd, ids, count));
	now = clock_ns();
	last = slot_of(f, ids);
	for (i = 1; i < count; i++) {
		struct fields fields;

		ASSERT_TRUE(decode(f, id_at(f, ids, i), &fields));
		ASSERT_LT(last, fields.slot);
		if (fields.slot == last + 1) {
			full += !(fields.slot % GRID_SLOTS);
		} else {
			ASSERT_EQ(0, fields.slot % GRID_SLOTS);
			/* The clock is in it, or past it. */
			ASSERT_LE(fields.ns, now);
			jumps++;
		}
		last = fields.slot;
	}
	TH_LOG("%u steps used up, %u left to the clock", full, jumps);
	close(fd);
	free(ids);
}

/*
 * Batches as fast as they come, by a process on each of two CPUs. Whether that
 * is more than the grid has depends on the machine; the limit doesn't.
 */
TEST(k64_as_fast_as_can_be)
{
	enum { CALLS = 100, COUNT = 65536 };
	const struct format *f = format_of(KUID_FORMAT_K64);
	__u8 *ids = malloc(COUNT * f->id_size);
	struct words last = { 0 };
	unsigned long sum = 0;
	unsigned int again = 0;
	int cpus[2];
	pid_t child;
	int call, fd, status;

	ASSERT_NE(NULL, ids);
	if (allowed_cpus(cpus, 2) < 2)
		cpus[1] = cpus[0];
	let_clock_catch_up();
	child = fork();
	ASSERT_LE(0, child);
	ASSERT_EQ(0, move_to_cpu(0, cpus[!child]));
	fd = open_node(f, "", O_NONBLOCK);
	ASSERT_LE(0, fd);
	for (call = 0; call < CALLS; call++) {
		long got = generate_ids(f, fd, ids, COUNT);

		if (got == -EAGAIN) {
			again++;
			continue;
		}
		ASSERT_LT(0, got);
		ASSERT_GE(ahead_max(got), ahead_of_clock(f, ids, got));
		ASSERT_EQ(got, count_in_order(f, ids, got, &last));
		sum += got;
	}
	TH_LOG("%lu IDs, %u times EAGAIN", sum, again);
	if (!child)
		_exit(0);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_EQ(0, status);
	close(fd);
	free(ids);
}

TEST_HARNESS_MAIN
