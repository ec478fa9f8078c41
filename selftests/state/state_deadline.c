// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callers wait 30 seconds for saved state, or at the ceiling that the saved
 * state covers. Then calls fail with ENODATA, and pollers are woken.
 *
 * Each test waits in all ways at once, because it takes 30 seconds.
 */
#include "../lib/harness.h"

#include <liburing.h>
#include <sys/uio.h>

#include "../lib/children.h"
#include "../lib/own_module.h"

/* A call fails after 30 s. A coarse clock may show less by some ticks. */
#define NOT_BEFORE_NS	(29 * NSEC_PER_SEC)

#define COUNT		33

/* A way to wait: until an ID comes, or for an error. */
enum {
	BY_READ,
	BY_BATCH,
	BY_GENERATE,
	BY_READV,
	BY_TEXT,
	BY_POLL,
	BY_RING,
	BY_RING_WORKER,
	NR_WAYS,
};

static const char *const way_names[] = {
	[BY_READ] = "read of one ID",
	[BY_BATCH] = "read of a batch",
	[BY_GENERATE] = "generate",
	[BY_READV] = "readv",
	[BY_TEXT] = "read of text",
	[BY_POLL] = "poll",
	[BY_RING] = "io_uring",
	[BY_RING_WORKER] = "io_uring by a worker",
};

/**
 * struct sleeper - a process that waits in one way
 * @pid: 0 after the process was reaped
 * @asleep: the process is about to wait
 * @result: number of IDs, or events of poll, or a negative errno
 * @took: duration of the wait
 */
struct sleeper {
	pid_t pid;
	bool begins;
	long result;
	__u64 took;
};

FIXTURE(deadline) {
	const struct format *f;
	int fd;				/* of /dev/kuid, O_NONBLOCK */
	int nonblock;			/* of the format, O_NONBLOCK */
	struct sleeper *sleepers;	/* in shared memory */
};

/* saved_state.c tests that both kinds of formats are gated in the same way. */
FIXTURE_VARIANT(deadline) {
	__u32 format;
	bool restored;			/* callers wait at a ceiling */
};

FIXTURE_VARIANT_ADD(deadline, lex_without_state) { KUID_FORMAT_LEX, false };
FIXTURE_VARIANT_ADD(deadline, v6_at_the_ceiling) { KUID_FORMAT_V6, true };

static int result_of_ring(int fd, void *to, size_t size, bool worker)
{
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	struct io_uring ring;

	/* The kernel has no io_uring: skip this way. */
	if (io_uring_queue_init(1, &ring, 0))
		return -EOPNOTSUPP;
	sqe = io_uring_get_sqe(&ring);
	io_uring_prep_read(sqe, fd, to, size, -1);
	if (worker)
		io_uring_sqe_set_flags(sqe, IOSQE_ASYNC);
	if (io_uring_submit(&ring) != 1 || io_uring_wait_cqe(&ring, &cqe))
		return -EIO;
	return cqe->res;
}

static long wait_in_a_way(const struct format *f, int way)
{
	int fd = open_device_file(f, way == BY_TEXT ? ".txt" : "", 0);
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	__u8 ids[COUNT * ID_SIZE_MAX];
	struct iovec parts[] = { { ids, 5 }, { ids + 5, sizeof(ids) - 5 } };
	long ret;

	if (fd < 0)
		return -errno;
	switch (way) {
	case BY_READ:
		return read_ids(f, fd, ids, 1);
	case BY_BATCH:
		return read_ids(f, fd, ids, COUNT);
	case BY_GENERATE:
		return generate_ids(f, fd, ids, COUNT);
	case BY_READV:
		ret = readv(fd, parts, 2);
		break;
	case BY_TEXT:
		ret = read(fd, ids, 1);
		break;
	case BY_POLL:
		ret = poll(&ready, 1, -1);
		return ret == 1 ? ready.revents : -EIO;
	default:
		return result_of_ring(fd, ids, sizeof(ids),
				      way == BY_RING_WORKER);
	}
	return ret < 0 ? -errno : ret;
}

static void start_sleepers(struct __test_metadata *_metadata,
			   FIXTURE_DATA(deadline) *self)
{
	int way;

	for (way = 0; way < NR_WAYS; way++) {
		struct sleeper *sleeper = &self->sleepers[way];
		pid_t pid = fork_child();
		__u64 began;

		ASSERT_LE(0, pid);
		if (!pid) {
			began = read_clock(CLOCK_MONOTONIC);
			__atomic_store_n(&sleeper->begins, true,
					 __ATOMIC_RELEASE);
			sleeper->result = wait_in_a_way(self->f, way);
			sleeper->took = read_clock(CLOCK_MONOTONIC) - began;
			_exit(0);
		}
		sleeper->pid = pid;
	}
	for (way = 0; way < NR_WAYS; way++) {
		while (!__atomic_load_n(&self->sleepers[way].begins,
					__ATOMIC_ACQUIRE))
			usleep(1000);
	}
}

static void wait_for_sleeper(struct __test_metadata *_metadata,
			     FIXTURE_DATA(deadline) *self, int way)
{
	pid_t pid = self->sleepers[way].pid;

	self->sleepers[way].pid = 0;
	ASSERT_TRUE(ended_well(pid));
}

FIXTURE_SETUP(deadline)
{
	self->f = format_of(variant->format);
	self->sleepers = share_memory(NR_WAYS * sizeof(*self->sleepers));
	ASSERT_NE(NULL, self->sleepers);
	take_module(_metadata);
	start(_metadata, &self->fd, ALL_WAIT_PARAMS);
	self->nonblock = open_device_file(self->f, "", O_NONBLOCK);
	ASSERT_LE(0, self->nonblock);
	if (variant->restored) {
		ASSERT_EQ(0, begin_cover(self->fd, 0));
		have_all_wait(_metadata, self->fd);
	}
}

FIXTURE_TEARDOWN(deadline)
{
	int way;

	for (way = 0; way < NR_WAYS; way++) {
		if (self->sleepers[way].pid > 0) {
			kill(self->sleepers[way].pid, SIGKILL);
			waitpid(self->sleepers[way].pid, NULL, 0);
		}
	}
	close(self->nonblock);
	close(self->fd);
	give_back_module(_metadata);
}

static short events_now(int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	return poll(&ready, 1, 0) < 0 ? -1 : ready.revents;
}

TEST_F_TIMEOUT(deadline, fails_in_the_end, 90)
{
	__u8 ids[COUNT * ID_SIZE_MAX];
	struct kuid_generate g = {
		.buffer = (uintptr_t)ids,
		.count = 1,
		.flags = KUID_GENERATE_NOWAIT,
	};
	int blocking = open_device_file(self->f, "", 0);
	int way;

	start_sleepers(_metadata, self);
	EXPECT_EQ(-EAGAIN, read_ids(self->f, self->nonblock, ids, 1));
	EXPECT_EQ(-EAGAIN, generate_ids(self->f, self->nonblock, ids, COUNT));
	EXPECT_EQ(0, events_now(self->nonblock));
	/* A request may say that it doesn't wait, on a file that does. */
	EXPECT_EQ(-1, ioctl(blocking, KUID_IOC_GENERATE, &g));
	EXPECT_EQ(EAGAIN, errno);
	close(blocking);

	for (way = 0; way < NR_WAYS; way++) {
		const struct sleeper *sleeper = &self->sleepers[way];

		wait_for_sleeper(_metadata, self, way);
		if (sleeper->result == -EOPNOTSUPP)
			continue;
		EXPECT_EQ(way == BY_POLL ? POLLIN | POLLERR : -ENODATA,
			  sleeper->result)
			TH_LOG("%s", way_names[way]);
		/* A poller's time began when the gate was shut. */
		if (way != BY_POLL && way != BY_RING)
			EXPECT_LE(NOT_BEFORE_NS, sleeper->took)
				TH_LOG("%s", way_names[way]);
	}
	EXPECT_EQ(-ENODATA, read_ids(self->f, self->nonblock, ids, 1));
	EXPECT_EQ(-ENODATA, generate_ids(self->f, self->nonblock, ids, COUNT));
	EXPECT_EQ(POLLIN | POLLERR, events_now(self->nonblock));

	/* Once there are IDs, polls report no error any more. */
	ASSERT_EQ(0, begin_cover(self->fd, 0));
	ASSERT_EQ(0, let_all_go(self->fd));
	EXPECT_EQ(POLLIN, events_now(self->nonblock));
	EXPECT_EQ(1, read_ids(self->f, self->nonblock, ids, 1));
	EXPECT_EQ(COUNT, read_ids(self->f, self->nonblock, ids, COUNT));
}

/* If the gate opens in time, all waiters get their IDs. */
TEST_F(deadline, opens_in_time)
{
	int way;

	start_sleepers(_metadata, self);
	usleep(2000000);
	ASSERT_EQ(0, begin_cover(self->fd, 0));
	ASSERT_EQ(0, let_all_go(self->fd));
	for (way = 0; way < NR_WAYS; way++) {
		const struct sleeper *sleeper = &self->sleepers[way];

		wait_for_sleeper(_metadata, self, way);
		if (sleeper->result == -EOPNOTSUPP)
			continue;
		EXPECT_LT(0, sleeper->result)
			TH_LOG("%s: %ld", way_names[way], sleeper->result);
		if (way == BY_POLL)
			EXPECT_EQ(POLLIN, sleeper->result);
	}
}

FIXTURE(at_the_ceiling) {
	struct all_wait all;	/* not O_NONBLOCK */
};

FIXTURE_SETUP(at_the_ceiling)
{
	set_up_all_wait(_metadata, &self->all, 0);
}

FIXTURE_TEARDOWN(at_the_ceiling)
{
	tear_down_all_wait(_metadata, &self->all);
}

/*
 * At the ceiling, a call that has IDs or the rest of a line returns them. If it
 * waited for a higher ceiling, the gate would have been shut for 30 s then, and
 * further calls would fail.
 */
TEST_F(at_the_ceiling, gives_what_it_has)
{
	enum { MANY = 2400000 };
	const struct format *f = format_of(KUID_FORMAT_LEX);
	int fd = self->all.fds[2 * (KUID_FORMAT_LEX - 1)];
	int text = self->all.fds[2 * (KUID_FORMAT_LEX - 1) + 1];
	const size_t size = MANY * LINE_MAX_SIZE;
	char *ids = malloc(size);
	struct iovec parts[] = { { ids, 5 }, { ids + 5, size - 5 } };
	int nonblock = open_device_file(f, "", O_NONBLOCK);
	__u8 id[ID_SIZE_MAX];
	int way;

	ASSERT_NE(NULL, ids);
	ASSERT_LE(0, nonblock);
	for (way = 0; way < 4; way++) {
		long got;

		/* The ceiling allows half of what is asked for. */
		ASSERT_EQ(0, raise_cover(self->all.fd,
					 clock_ns() + AHEAD_NS + NSEC_PER_SEC));
		got = way == 0 ? read(fd, ids, size) :
		      way == 1 ? readv(fd, parts, 2) :
		      way == 2 ? read(text, ids, size) :
				 generate_ids(f, fd, ids, MANY);
		EXPECT_LT(0, got);
		EXPECT_GT(way == 3 ? MANY : size, got);
		EXPECT_EQ(-EAGAIN, read_ids(f, nonblock, id, 1))
			TH_LOG("way %d", way);
	}

	ASSERT_EQ(0, let_all_go(self->all.fd));
	ASSERT_EQ(7, read(text, ids, 7));
	have_all_wait(_metadata, self->all.fd);
	EXPECT_EQ(f->text_size + 1 - 7, read(text, ids + 7, size - 7));
	EXPECT_TRUE(parse_line(f, ids, id));
	EXPECT_EQ(-EAGAIN, read_ids(f, nonblock, id, 1));
	close(nonblock);
	free(ids);
}

TEST_HARNESS_MAIN
