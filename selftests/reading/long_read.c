// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads of the largest possible size: they end at MAX_RW_COUNT, or early on a
 * signal.
 */
#include "../lib/harness.h"

#include <signal.h>
#include <sys/time.h>

#include "../lib/formats.h"

#define MIB		(1024UL * 1024)
#define RANGE		(2048 * MIB)

/*
 * Map 2 GiB of address space to the same 1 MiB of memory, all populated, so
 * that neither a fault nor a lack of memory ends a read.
 */
static __u8 *map_range(void)
{
	int fd = memfd_create("ids", 0);
	__u8 *range;
	size_t at;

	if (fd < 0 || ftruncate(fd, MIB))
		return NULL;
	range = mmap(NULL, RANGE, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (range == MAP_FAILED)
		return NULL;
	for (at = 0; at < RANGE; at += MIB) {
		if (mmap(range + at, MIB, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd,
			 0) == MAP_FAILED)
			return NULL;
	}
	close(fd);
	return range;
}

FIXTURE(long_read) {
	int fd;
	__u8 *range;
	size_t page;
	size_t max;	/* bytes that one read can be given: MAX_RW_COUNT */
};

FIXTURE_SETUP(long_read)
{
	self->fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, self->fd);
	self->range = map_range();
	ASSERT_NE(NULL, self->range);
	self->page = sysconf(_SC_PAGESIZE);
	self->max = INT32_MAX & ~(self->page - 1);
}

FIXTURE_TEARDOWN(long_read)
{
	munmap(self->range, RANGE);
	close(self->fd);
}

/*
 * The largest read ends one page before the end of its last MiB: that page
 * still holds IDs of the round before.
 */
TEST_F_TIMEOUT(long_read, largest, 90)
{
	const struct id *ids = (const struct id *)self->range;
	size_t nr = MIB / sizeof(*ids);
	size_t last_round = (self->max & (MIB - 1)) / sizeof(*ids);
	struct id before, after;
	struct words last;

	ASSERT_EQ(1, read_ids(DEV_FORMAT, self->fd, &before, 1));
	ASSERT_EQ((ssize_t)self->max, read(self->fd, self->range, RANGE));
	ASSERT_EQ(1, read_ids(DEV_FORMAT, self->fd, &after, 1));

	last = id_order(DEV_FORMAT, &before);
	ASSERT_EQ(nr - last_round,
		  count_in_order(DEV_FORMAT, ids + last_round, nr - last_round,
				 &last));
	ASSERT_EQ(last_round,
		  count_in_order(DEV_FORMAT, ids, last_round, &last));
	ASSERT_EQ(1, count_in_order(DEV_FORMAT, &after, 1, &last));
}

static int alarms;

static void count_alarm(int sig)
{
	__atomic_add_fetch(&alarms, sig == SIGALRM, __ATOMIC_RELAXED);
}

/* With and without SA_RESTART: a read that has IDs returns them. */
static void cut_short(struct __test_metadata *_metadata, int fd,
		      __u8 *range, size_t max, int flags)
{
	struct sigaction action = {
		.sa_handler = count_alarm,
		.sa_flags = flags,
	};
	/*
	 * Repeat the timer: the first signal may come before the read begins.
	 */
	struct itimerval often = {
		.it_value.tv_usec = 50000,
		.it_interval.tv_usec = 50000,
	};
	struct itimerval never = { 0 };
	struct id before, after;
	size_t nr, in_round;
	struct words last;
	ssize_t got;
	int error;

	__atomic_store_n(&alarms, 0, __ATOMIC_RELAXED);
	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	ASSERT_EQ(1, read_ids(DEV_FORMAT, fd, &before, 1));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &often, NULL));
	got = read(fd, range, max);
	error = errno;
	setitimer(ITIMER_REAL, &never, NULL);
	ASSERT_LE(1, __atomic_load_n(&alarms, __ATOMIC_RELAXED));
	ASSERT_LT(0, got) {
		TH_LOG("read: %s", strerror(error));
	}
	ASSERT_GT((ssize_t)max, got);
	ASSERT_EQ(0, got % sizeof(struct id));

	/* The last round, as far as the read came, has the newest IDs. */
	nr = got / sizeof(struct id);
	in_round = nr % (MIB / sizeof(struct id));
	last = id_order(DEV_FORMAT, &before);
	ASSERT_EQ(in_round,
		  count_in_order(DEV_FORMAT, range, in_round, &last));
	ASSERT_EQ(1, read_ids(DEV_FORMAT, fd, &after, 1));
	ASSERT_EQ(1, count_in_order(DEV_FORMAT, &after, 1, &last));
}

TEST_F(long_read, cut_short_by_signal)
{
	cut_short(_metadata, self->fd, self->range, self->max, 0);
	cut_short(_metadata, self->fd, self->range, self->max, SA_RESTART);
}

TEST_F(long_read, generate_cut_short_by_signal)
{
	struct sigaction action = { .sa_handler = count_alarm };
	/*
	 * Repeat the timer: the first signal may come before the call begins.
	 */
	struct itimerval often = {
		.it_value.tv_usec = 50000,
		.it_interval.tv_usec = 50000,
	};
	struct itimerval never = { 0 };
	struct kuid_query q = { 0 };
	__u32 count = self->max / sizeof(struct id);
	long done;

	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_QUERY, &q));
	if (count > q.batch_max)
		count = q.batch_max;

	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &often, NULL));
	done = generate_ids(DEV_FORMAT, self->fd, self->range, count);
	setitimer(ITIMER_REAL, &never, NULL);
	ASSERT_LE(1, __atomic_load_n(&alarms, __ATOMIC_RELAXED));
	ASSERT_LT(0, done);
	ASSERT_GT(count, done);
}

/*
 * The first and the last page of the buffer are separate pages. The first shows
 * that the read has begun, the last that it hasn't reached its end.
 */
TEST_F_TIMEOUT(long_read, killed, 90)
{
	size_t last_page = self->max - self->page;
	pid_t child;
	int status;

	ASSERT_EQ(self->range,
		  mmap(self->range, self->page, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	ASSERT_EQ(self->range + last_page,
		  mmap(self->range + last_page, self->page,
		       PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0));

	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		/* fork() doesn't copy the page tables of shared memory. */
		madvise(self->range + self->page, last_page - self->page,
			MADV_POPULATE_WRITE);
		if (read(self->fd, self->range, self->max) < 0)
			_exit(1);
		/* The signal interrupts the call before this. */
		_exit(0);
	}

	while (all_bytes(self->range, 0, self->page))
		sched_yield();
	ASSERT_EQ(0, kill(child, SIGKILL));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status));
	ASSERT_EQ(SIGKILL, WTERMSIG(status));
	ASSERT_TRUE(all_bytes(self->range + last_page, 0, self->page)) {
		TH_LOG("the read reached its end");
	}
}

TEST_HARNESS_MAIN
