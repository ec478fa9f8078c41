// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check how far IDs may be ahead of the clock, and how calls behave that would
 * go further. Formats with few IDs a second reach the limit, lex soon.
 *
 * No test looks at the duration of a call, only at the clock when the call is
 * over.
 */
#include "../lib/harness.h"

#include <sys/sysinfo.h>
#include <sys/uio.h>

#include "../lib/formats.h"
#include "../lib/status.h"

/* IDs that a CPU takes from the host's sequence at once and may drop. */
#define RUN		32

#define BATCH		4096

/* How many IDs are kept until they are checked. */
#define IDS_MAX		(256 * BATCH)

/* How far the last ID is ahead of the clock; 0 if it isn't. */
static __u64 ahead_of_clock(const struct format *f, const void *ids,
			    size_t count)
{
	struct fields fields = { 0 };
	__u64 now = clock_ns();

	decode(f, id_at(f, ids, count - 1), &fields);
	return fields.ns > now ? fields.ns - now : 0;
}

/*
 * The most that a nonblocking call may be ahead. A batch that finds no ID in
 * its half of the window gets a single ID of the other half.
 */
static __u64 ahead_max(long got)
{
	return got > 1 ? BATCH_AHEAD_NS : AHEAD_NS;
}

/* Use one CPU, so that there is one run, and wait out earlier run-ahead. */
static void use_one_cpu(struct __test_metadata *_metadata)
{
	int cpu;

	ASSERT_EQ(1, allowed_cpus(&cpu, 1));
	ASSERT_EQ(0, move_to_cpu(0, cpu));
	let_clock_catch_up();
}

FIXTURE(limits) {
	const struct format *lex;
	int fd;			/* lex, O_NONBLOCK */
	__u8 *ids;
	struct words last;
};

FIXTURE_SETUP(limits)
{
	self->lex = format_of(KUID_FORMAT_LEX);
	self->fd = open_device_file(self->lex, "", O_NONBLOCK);
	ASSERT_LE(0, self->fd);
	self->ids = malloc(IDS_MAX * ID_SIZE_MAX);
	ASSERT_NE(NULL, self->ids);
	/* Populate the pages now: faults would cost time in the tests. */
	memset(self->ids, POISON, IDS_MAX * ID_SIZE_MAX);
	self->last = (struct words) { 0 };
	use_one_cpu(_metadata);
}

FIXTURE_TEARDOWN(limits)
{
	free(self->ids);
	close(self->fd);
}

/* By read(), by KUID_IOC_GENERATE, or by readv() of parts of an ID. */
enum { BY_READ, BY_GENERATE, BY_READV, NR_WAYS };

static long take(FIXTURE_DATA(limits) *self, int way, void *to, __u32 count)
{
	const size_t size = (size_t)count * self->lex->id_size;
	struct iovec segments[] = {
		{ to, 1 }, { (__u8 *)to + 1, size - 1 },
	};
	ssize_t got;

	if (way == BY_READ)
		return read_ids(self->lex, self->fd, to, count);
	if (way == BY_GENERATE)
		return generate_ids(self->lex, self->fd, to, count);
	got = readv(self->fd, segments, 2);
	return got < 0 ? -errno : got / (long)self->lex->id_size;
}

/*
 * Take batches until a call gives less than it was asked for. Returns the
 * number of IDs, or -1 if this machine can't use them up. None of the IDs may
 * be too far ahead. All IDs are checked afterwards, because checking takes
 * longer than taking them, so that they would never run out.
 */
static long drain(struct __test_metadata *_metadata,
		  FIXTURE_DATA(limits) *self, int way)
{
	long got, sum = 0;

	do {
		__u8 *to = self->ids + sum * self->lex->id_size;

		got = take(self, way, to, BATCH);
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

/*
 * Nonblocking batches get the near half of the window, one ID of the other half
 * when that is used up, and later the IDs that have become free.
 */
TEST_F(limits, nonblocking)
{
	enum { CALLS = 1000 };
	const __u64 window = BATCH_AHEAD_NS / NSEC_PER_USEC;
	const __u64 runs = RUN * get_nprocs_conf();
	__u64 begin, elapsed;
	long sum, got;
	int way, call;

	for (way = 0; way < NR_WAYS; way++) {
		let_clock_catch_up();
		begin = clock_ns();
		sum = drain(_metadata, self, way);
		/* After the last call, so the bound is a little too lenient. */
		elapsed = (clock_ns() - begin) / NSEC_PER_USEC;
		if (sum < 0)
			SKIP(return, TOO_SLOW);
		TH_LOG("way %d: %ld IDs in %llu us", way, sum,
		       (unsigned long long)elapsed);
		/*
		 * One ID for each microsecond since the begin and none for
		 * earlier ones, plus one that the last call may have got from
		 * the other half.
		 */
		EXPECT_GE(elapsed + 1 + window + runs + 1, sum);
		EXPECT_LE(window - runs, sum);

		for (call = 0; call < CALLS; call++) {
			if (call % 100 == 0 &&
			    drain(_metadata, self, BY_READ) < 0)
				SKIP(return, TOO_SLOW);
			got = take(self, way, self->ids, call % 2 ? 2 : BATCH);
			ASSERT_LT(0, got) {
				TH_LOG("way %d, call %d: %s", way, call,
				       strerror(-got));
			}
			ASSERT_GE(ahead_max(got),
				  ahead_of_clock(self->lex, self->ids, got));
			ASSERT_EQ(got, count_in_order(self->lex, self->ids, got,
						      &self->last));
		}

		/* Each millisecond frees more than one ID. */
		do {
			usleep(1000);
			got = take(self, way, self->ids, IDS_MAX);
		} while (got == -EAGAIN || got == 1);
		ASSERT_LT(0, got);
		ASSERT_GT(IDS_MAX, got);
		ASSERT_GE(BATCH_AHEAD_NS,
			  ahead_of_clock(self->lex, self->ids, got));
		ASSERT_EQ(got, count_in_order(self->lex, self->ids, got,
					      &self->last));
	}
}

/*
 * One call for more than the window has, by read() or by readv() in any order.
 * Returns the number of IDs, or -1 if this machine can't use up the window.
 */
static long take_much(struct __test_metadata *_metadata,
		      FIXTURE_DATA(limits) *self, int fd, bool by_read,
		      __u32 count, int flags)
{
	struct iovec segments[] = {
		{ self->ids, 1 },
		{ self->ids + 1, (size_t)count * self->lex->id_size - 1 },
	};
	long got = by_read ? read_ids(self->lex, fd, self->ids, count) :
			     preadv2(fd, segments, 2, -1, flags) /
			     (long)self->lex->id_size;
	__u64 ahead;

	ASSERT_LT(0, got);
	ahead = ahead_of_clock(self->lex, self->ids, got);
	ASSERT_GE(BATCH_AHEAD_NS, ahead);
	ASSERT_EQ(got, count_in_order(self->lex, self->ids, got, &self->last));
	/* A slow machine takes all, too, but is below the limit then. */
	if (got == IDS_MAX)
		return ahead + 2 * NSEC_PER_MSEC > BATCH_AHEAD_NS ? got : -1;
	return ahead > BATCH_AHEAD_NS / 2 ? got : -1;
}

/*
 * A nonblocking call ends when it has used up the window. If the clock goes on
 * during the call, a call that took each ID as soon as it is due would not end.
 */
TEST_F(limits, much_without_waiting)
{
	struct kuid_status before, after;
	int way;

	for (way = 0; way < 4; way++) {
		bool by_read = way & 1;
		int fd = open_device_file(self->lex, "",
					  by_read ? O_NONBLOCK : 0);
		long got;

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, set_order(fd, way & 2 ? KUID_ORDER_CPU :
						     KUID_ORDER_HOST));
		let_clock_catch_up();
		ASSERT_EQ(0, get_status(fd, &before));
		got = take_much(_metadata, self, fd, by_read, IDS_MAX,
				RWF_NOWAIT);
		if (got < 0)
			SKIP(return, TOO_SLOW);
		EXPECT_GT(IDS_MAX, got) {
			TH_LOG("way %d", way);
		}
		ASSERT_EQ(0, get_status(fd, &after));
		EXPECT_EQ(before.waits, after.waits);
		EXPECT_EQ(before.would_blocks + 1, after.would_blocks);
		close(fd);
	}
}

/*
 * A blocking call waits for chunks of hundreds of IDs, and doesn't take each ID
 * when it is due: neither by a wait for each, nor by looking without a wait. A
 * machine that stands still meanwhile makes most waits unnecessary, but not all,
 * because the call ends ahead of the clock.
 */
TEST_F(limits, much_in_chunks)
{
	enum { MANY = IDS_MAX / 4, CHUNK = 1024 };
	struct kuid_status before, after;
	int way;

	for (way = 0; way < 4; way++) {
		int fd = open_device_file(self->lex, "", 0);
		long got;

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, set_order(fd, way & 2 ? KUID_ORDER_CPU :
						     KUID_ORDER_FILE));
		ASSERT_EQ(0, get_status(fd, &before));
		got = take_much(_metadata, self, fd, way & 1, MANY, 0);
		if (got < 0)
			SKIP(return, TOO_SLOW);
		EXPECT_EQ(MANY, got);
		ASSERT_EQ(0, get_status(fd, &after));
		EXPECT_LT(before.waits, after.waits) {
			TH_LOG("way %d", way);
		}
		EXPECT_GT(before.waits + 4 * MANY / CHUNK, after.waits) {
			TH_LOG("way %d", way);
		}
		close(fd);
	}
}

TEST_HARNESS_MAIN
