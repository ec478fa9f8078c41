// SPDX-License-Identifier: GPL-2.0-only
/*
 * poll, select and epoll: ready means that an ID is available without waiting,
 * and a waiting poller is woken without any help from another caller.
 *
 * A process that takes one ID at a time can use up lex only. lex is tested with
 * a window of 1 ms. With a fine clock the next ID is available a microsecond
 * later, before anyone can look; with a coarse clock there is none until the
 * next tick. All formats are tested at a ceiling, above which there are no IDs
 * whatever the clock says.
 */
#include "../lib/harness.h"

#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>

#include "../lib/children.h"
#include "../lib/own_module.h"
#include "../lib/set_wall.h"

#define BATCH		4096

/* Reached only if the module doesn't wake the poller. */
#define LONG_MS		10000

/* All events that can be asked for; POLLERR and POLLHUP always are. */
#define ALL_EVENTS	(POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM | \
			 POLLPRI | POLLRDBAND | POLLWRBAND | POLLRDHUP)

/* The events that poll reports for a file, or -1. */
static int events_of(int fd, int timeout)
{
	struct pollfd p = { .fd = fd, .events = ALL_EVENTS };
	int ret = poll(&p, 1, timeout);

	if (ret < 0 || ret != !!p.revents)
		return -1;
	return p.revents;
}

#define READY		(POLLIN | POLLRDNORM)

/* How a reader waits: edge-triggered epoll tells of an event once. */
enum { BY_POLL, BY_SELECT, BY_LEVELS, BY_EDGES, NR_WAYS };

static struct epoll_event event_of(int way)
{
	return (struct epoll_event) {
		.events = EPOLLIN | EPOLLOUT | (way == BY_EDGES ? EPOLLET : 0),
	};
}

/* An epoll set that has the file, which other ways don't use. */
static int watch(struct __test_metadata *_metadata, int fd, int way)
{
	struct epoll_event event = event_of(way);
	int set = epoll_create1(0);

	ASSERT_LE(0, set);
	ASSERT_EQ(0, epoll_ctl(set, EPOLL_CTL_ADD, fd, &event));
	return set;
}

/* Whether the file is readable, and nothing else. */
static bool is_told(int fd, int set, int way, int timeout)
{
	struct timeval time = { timeout / 1000, timeout % 1000 * 1000 };
	struct epoll_event told;
	fd_set readers;

	if (way == BY_POLL)
		return events_of(fd, timeout) == READY;
	if (way != BY_SELECT)
		return epoll_wait(set, &told, 1, timeout) == 1 &&
		       told.events == EPOLLIN;
	FD_ZERO(&readers);
	FD_SET(fd, &readers);
	return select(fd + 1, &readers, NULL, NULL, &time) == 1 &&
	       FD_ISSET(fd, &readers);
}

FIXTURE(poll) {
	const struct format *f;
	int fd;
	__u8 id[ID_SIZE_MAX];
	struct words last;
};

FORMAT_VARIANTS(poll)

FIXTURE_SETUP(poll)
{
	self->f = format_of(variant->format);
	self->fd = open_device_file(self->f, "", O_NONBLOCK);
	ASSERT_LE(0, self->fd);
	let_clock_catch_up();
}

FIXTURE_TEARDOWN(poll)
{
	close(self->fd);
}

/* It can't be written to, and poll takes no ID: the format can still be set. */
TEST_F(poll, nothing_to_write)
{
	struct pollfd p = { .fd = self->fd, .events = POLLOUT | POLLWRNORM };
	struct timeval none = { 0 };
	fd_set writers, failed;

	ASSERT_EQ(0, poll(&p, 1, 0));
	ASSERT_EQ(0, p.revents);
	FD_ZERO(&writers);
	FD_ZERO(&failed);
	FD_SET(self->fd, &writers);
	FD_SET(self->fd, &failed);
	ASSERT_EQ(0, select(self->fd + 1, NULL, &writers, &failed, &none));
	ASSERT_EQ(READY, events_of(self->fd, LONG_MS));
	ASSERT_EQ(0, set_order(self->fd, KUID_ORDER_HOST));
}

static const __u32 counts[] = { 1, 2, 37, BATCH };

/* Read in a way and an order, whenever the file is ready. */
static void read_when_ready(struct __test_metadata *_metadata,
			    FIXTURE_DATA(poll) *self, int way, __u32 order,
			    __u8 *ids)
{
	enum { ROUNDS = 100 };
	int fd = open_device_file(self->f, "", O_NONBLOCK);
	struct epoll_event event = event_of(way);
	struct words last = { 0 };
	int set, round;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, set_order(fd, order));
	set = watch(_metadata, fd, way);
	for (round = 0; round < ROUNDS; round++) {
		__u32 count = counts[round % ARRAY_SIZE(counts)];
		long got;

		/* Rearm the edge without using up the IDs. */
		if (way == BY_EDGES && round)
			ASSERT_EQ(0, epoll_ctl(set, EPOLL_CTL_MOD, fd, &event));
		ASSERT_TRUE(is_told(fd, set, way, LONG_MS));
		/* All but an edge stay until an ID is taken. */
		if (way != BY_EDGES)
			ASSERT_TRUE(is_told(fd, set, way, 0));
		got = round % 3 ? read_ids(self->f, fd, ids, count) :
				  generate_ids(self->f, fd, ids, count);
		ASSERT_LT(0, got) {
			TH_LOG("way %d, order %u, %u asked for: %s", way, order,
			       count, strerror(-got));
		}
		if (order != KUID_ORDER_CPU)
			ASSERT_EQ(got, count_in_order(self->f, ids, got,
						      &last));
	}
	close(set);
	close(fd);
}

/*
 * If there is no other reader, a file that is ready gives something for every
 * count, in every order: a reader doesn't loop between poll and EAGAIN.
 */
TEST_F(poll, ready_for_every_count)
{
	__u8 *ids = malloc(BATCH * ID_SIZE_MAX);
	struct kuid_status before, after;
	int way, n;

	ASSERT_NE(NULL, ids);
	ASSERT_EQ(0, host_status(&before));
	for (way = 0; way < NR_WAYS; way++)
		for (n = 0; n < 3; n++)
			read_when_ready(_metadata, self, way,
					KUID_ORDER_CPU + n, ids);
	ASSERT_EQ(0, host_status(&after));
	EXPECT_EQ(before.waits, after.waits);
	free(ids);
}

/* A text file is ready for a line, and for the rest of a line. */
TEST_F(poll, text)
{
	char line[LINE_MAX_SIZE];
	int fd = open_device_file(self->f, ".txt", O_NONBLOCK);
	size_t at;
	int i;

	ASSERT_LE(0, fd);
	for (i = 0; i < 3; i++) {
		for (at = 0; at <= self->f->text_size; at++) {
			ASSERT_EQ(READY, events_of(fd, 0));
			ASSERT_EQ(1, read(fd, line + at, 1));
		}
		ASSERT_TRUE(parse_line(self->f, line, self->id));
		ASSERT_EQ(1, count_in_order(self->f, self->id, 1, &self->last));
	}
	close(fd);
}

/*
 * lex with a window of 1 ms at half speed, because the wall clock was set back,
 * so that slow machines can use it up.
 */
FIXTURE(used_up) {
	const struct format *f;
	bool coarse;		/* used-up IDs stay so for a while */
	long stepped;		/* seconds that the wall clock was set */
	int fd;
	int text;
	__u8 *ids;
};

FIXTURE_SETUP(used_up)
{
	enum { BACK = 9 };
	struct kuid_status status;
	struct kuid_query q = { 0 };

	self->f = format_of(KUID_FORMAT_LEX);
	self->ids = malloc(BATCH * self->f->id_size);
	ASSERT_NE(NULL, self->ids);
	take_module(_metadata);
	ASSERT_EQ(0, load("max_ahead_ms=1"));
	self->fd = open_device_file(self->f, "", O_NONBLOCK);
	ASSERT_LE(0, self->fd);
	self->text = open_device_file(self->f, ".txt", O_NONBLOCK);
	ASSERT_LE(0, self->text);
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_QUERY, &q));
	ASSERT_EQ(NSEC_PER_MSEC, q.max_ahead_ns);
	self->coarse = q.clock_resolution_ns >= NSEC_PER_MSEC;

	ASSERT_EQ(1, read_ids(self->f, self->fd, self->ids, 1));
	ASSERT_EQ(0, shift_wall_seconds(-BACK));
	self->stepped = -BACK;
	ASSERT_EQ(0, host_status(&status));
	ASSERT_TRUE(status.reasons & KUID_REASON_SLOTS_HALF_SPEED);
}

FIXTURE_TEARDOWN(used_up)
{
	if (self->stepped)
		EXPECT_EQ(0, shift_wall_seconds(-self->stepped));
	close(self->fd);
	close(self->text);
	give_back_module(_metadata);
}

/* Take single IDs until there is none. Returns false if there always is one. */
static bool use_up(struct __test_metadata *_metadata,
		   FIXTURE_DATA(used_up) *self)
{
	__u64 give_up = read_clock(CLOCK_MONOTONIC) + 3 * NSEC_PER_SEC;
	long got;

	/* One call uses up the batches' half of the window. */
	got = read_ids(self->f, self->fd, self->ids, BATCH);
	while (got > 0 && read_clock(CLOCK_MONOTONIC) < give_up)
		got = read_ids(self->f, self->fd, self->ids, 1);
	if (got < 0)
		ASSERT_EQ(-EAGAIN, got);
	return got < 0;
}

/*
 * Readers that take all they can until EAGAIN get one EAGAIN for each event,
 * and at least one ID before it.
 */
TEST_F(used_up, readers_do_not_spin)
{
	enum { EVENTS = 8, CALLS_MAX = 300000 };
	int not_ready = 0;
	int way, round;

	for (way = 0; way < 2 * NR_WAYS; way++) {
		__u32 count = way % 2 ? BATCH : 1;
		int set = watch(_metadata, self->fd, way / 2);

		for (round = 0; round < EVENTS; round++) {
			long got, calls = 0;

			ASSERT_TRUE(is_told(self->fd, set, way / 2, LONG_MS)) {
				TH_LOG("way %d, round %d", way, round);
			}
			do {
				got = read_ids(self->f, self->fd, self->ids,
					       count);
				calls++;
			} while (got > 0 && calls < CALLS_MAX);
			if (got > 0)
				SKIP(return, TOO_SLOW);
			ASSERT_EQ(-EAGAIN, got);
			ASSERT_LT(1, calls) {
				TH_LOG("way %d: ready, but no ID", way);
			}
			not_ready += !events_of(self->fd, 0);
		}
		close(set);
	}
	TH_LOG("%d times not ready at once", not_ready);
	EXPECT_LE(self->coarse ? 1 : 0, not_ready);
}

/* The rest of a line is ready even if no further ID is available. */
TEST_F(used_up, rest_of_a_line)
{
	enum { ROUNDS = 10, PART = 5 };
	char line[LINE_MAX_SIZE];
	int round, rest;

	rest = self->f->text_size + 1 - PART;
	for (round = 0; round < ROUNDS; round++) {
		ASSERT_EQ(READY, events_of(self->text, LONG_MS));
		ASSERT_EQ(PART, read(self->text, line, PART));
		if (!use_up(_metadata, self))
			SKIP(return, TOO_SLOW);
		ASSERT_EQ(READY, events_of(self->text, 0));
		ASSERT_EQ(rest, read(self->text, line + PART, rest));
		ASSERT_TRUE(parse_line(self->f, line, self->ids));
	}
}

FIXTURE(none_left) {
	struct all_wait all;	/* O_NONBLOCK */
	int set;
};

FIXTURE_SETUP(none_left)
{
	set_up_all_wait(_metadata, &self->all, O_NONBLOCK);
	self->set = epoll_create1(0);
	ASSERT_LE(0, self->set);
}

FIXTURE_TEARDOWN(none_left)
{
	close(self->set);
	tear_down_all_wait(_metadata, &self->all);
}

/* Wait until each file was reported at least once, as readable only. */
static void wait_for_all(struct __test_metadata *_metadata,
			 FIXTURE_DATA(none_left) *self)
{
	bool told[NR_FORMAT_FILES] = { false };
	int left = NR_FORMAT_FILES;

	while (left) {
		struct epoll_event event;

		ASSERT_EQ(1, epoll_wait(self->set, &event, 1, LONG_MS)) {
			TH_LOG("%d files were not reported", left);
		}
		ASSERT_EQ(EPOLLIN, event.events);
		left -= !told[event.data.u32];
		told[event.data.u32] = true;
	}
}

/* No file is reported before there are IDs; then every file is. */
static void check_events(struct __test_metadata *_metadata,
			 FIXTURE_DATA(none_left) *self, int way)
{
	__u8 memory[8 * LINE_MAX_SIZE];
	struct epoll_event event = event_of(way);
	int round, i;

	for (i = 0; i < NR_FORMAT_FILES; i++) {
		event.data.u32 = i;
		ASSERT_EQ(0, epoll_ctl(self->set, EPOLL_CTL_ADD,
				       self->all.fds[i], &event));
	}
	for (round = 0; round < 3; round++) {
		struct kuid_state state;

		/*
		 * Waiters are woken and clocks change, and still there are no
		 * IDs.
		 */
		ASSERT_EQ(0, get_state(self->all.fd, &state));
		ASSERT_EQ(0, raise_cover(self->all.fd, state.ceiling_ns));
		ASSERT_EQ(0, epoll_wait(self->set, &event, 1, 5));
		for (i = 0; i < NR_FORMAT_FILES; i++)
			ASSERT_EQ(0, events_of(self->all.fds[i], 0));

		ASSERT_EQ(0, let_all_go(self->all.fd));
		wait_for_all(_metadata, self);
		for (i = 0; i < NR_FORMAT_FILES; i++) {
			size_t size = 6 * size_of_one(i);

			ASSERT_EQ(READY, events_of(self->all.fds[i], 0));
			ASSERT_EQ(size, read(self->all.fds[i], memory, size));
		}

		have_all_wait(_metadata, self->all.fd);
		for (i = 0; i < NR_FORMAT_FILES; i++) {
			ASSERT_EQ(-1, read(self->all.fds[i], memory,
					   6 * size_of_one(i)));
			ASSERT_EQ(EAGAIN, errno);
		}
		/* Drop events reported before the IDs ran out. */
		while (epoll_wait(self->set, &event, 1, 0))
			;
	}
}

TEST_F(none_left, levels)
{
	check_events(_metadata, self, BY_LEVELS);
}

TEST_F(none_left, edges)
{
	check_events(_metadata, self, BY_EDGES);
}

/* How often a process went to sleep by itself; -1 on error. */
static long sleeps_of(pid_t pid)
{
	static const char name[] = "voluntary_ctxt_switches:";
	char path[64], line[128];
	long count = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, name, strlen(name)))
			count = strtol(line + strlen(name), NULL, 10);
	}
	if (file)
		fclose(file);
	return count;
}

/*
 * Poll a file while its own reader and those of many other polled files keep
 * getting EAGAIN. The poller checks once a second by itself, and nothing that
 * the readers do may wake it in between.
 */
TEST_F(none_left, not_woken_by_readers)
{
	enum { FILES = 2000 };
	/* Long enough for timers armed by the first readers to expire. */
	const __u64 enough = 3 * NSEC_PER_SEC;
	const struct rlimit limit = { FILES + 100, FILES + 100 };
	struct epoll_event event = event_of(BY_LEVELS);
	static int fds[FILES];
	__u8 id[ID_SIZE_MAX];
	__u64 began, seconds;
	long sleeps;
	pid_t child;
	int i;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	for (i = 0; i < FILES; i++) {
		fds[i] = open_device_file(format_of(KUID_FORMAT_LEX), "",
					  O_NONBLOCK);
		ASSERT_LE(0, fds[i]);
		if (i)
			ASSERT_EQ(0, epoll_ctl(self->set, EPOLL_CTL_ADD, fds[i],
					       &event));
	}
	child = fork_child();
	ASSERT_LE(0, child);
	if (!child) {
		struct pollfd ready = { .fd = fds[0], .events = POLLIN };

		/* A direct system call, so that its number is known. */
		_exit(syscall(SYS_ppoll, &ready, 1, NULL, NULL, 0) != 1);
	}
	ASSERT_TRUE(wait_asleep_in(child, SYS_ppoll));

	began = read_clock(CLOCK_MONOTONIC);
	sleeps = sleeps_of(child);
	ASSERT_LE(0, sleeps);
	for (i = 0; read_clock(CLOCK_MONOTONIC) < began + enough; i++) {
		ASSERT_EQ(-1, read(fds[i % 2 ? 0 : i % FILES], id, sizeof(id)));
		ASSERT_EQ(EAGAIN, errno);
	}
	sleeps = sleeps_of(child) - sleeps;
	seconds = (read_clock(CLOCK_MONOTONIC) - began) / NSEC_PER_SEC + 1;
	TH_LOG("the poller slept %ld times in %llu s", sleeps,
	       (unsigned long long)seconds);
	EXPECT_GE((long)seconds, sleeps);

	ASSERT_EQ(0, let_all_go(self->all.fd));
	EXPECT_TRUE(ended_well(child));
	for (i = 0; i < FILES; i++)
		close(fds[i]);
}

TEST_HARNESS_MAIN
