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

/* A file that is ready gives an ID, in every order. */
TEST_F(poll, ready)
{
	int fds[3];
	int i, n;

	for (n = 0; n < 3; n++) {
		fds[n] = open_device_file(self->f, "", O_NONBLOCK);
		ASSERT_LE(0, fds[n]);
		ASSERT_EQ(0, set_order(fds[n], KUID_ORDER_CPU + n));
		for (i = 0; i < 100; i++) {
			ASSERT_EQ(READY, events_of(fds[n], i % 2 ? 0 : LONG_MS));
			ASSERT_EQ(1, i % 3 ?
				  read_ids(self->f, fds[n], self->id, 1) :
				  generate_ids(self->f, fds[n], self->id, 1));
		}
		close(fds[n]);
	}
}

/* Poll takes no ID: the format can still be set. */
TEST_F(poll, takes_nothing)
{
	ASSERT_EQ(READY, events_of(self->fd, LONG_MS));
	ASSERT_EQ(0, set_order(self->fd, KUID_ORDER_HOST));
}

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
}

TEST_F(poll, by_select)
{
	fd_set readers;
	int i;

	for (i = 0; i < 20; i++) {
		FD_ZERO(&readers);
		FD_SET(self->fd, &readers);
		ASSERT_EQ(1, select(self->fd + 1, &readers, NULL, NULL, NULL));
		ASSERT_TRUE(FD_ISSET(self->fd, &readers));
		ASSERT_EQ(1, read_ids(self->f, self->fd, self->id, 1));
		ASSERT_EQ(1, count_in_order(self->f, self->id, 1, &self->last));
	}
}

TEST_F(poll, by_epoll)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT };
	int set = epoll_create1(0);
	int i;

	ASSERT_LE(0, set);
	ASSERT_EQ(0, epoll_ctl(set, EPOLL_CTL_ADD, self->fd, &event));
	for (i = 0; i < 20; i++) {
		/* A level stays until an ID is taken. */
		ASSERT_EQ(1, epoll_wait(set, &event, 1, LONG_MS));
		ASSERT_EQ(EPOLLIN, event.events);
		ASSERT_EQ(1, epoll_wait(set, &event, 1, 0));
		ASSERT_EQ(EPOLLIN, event.events);
		ASSERT_EQ(1, read_ids(self->f, self->fd, self->id, 1));
	}
	event.events = EPOLLIN | EPOLLOUT | EPOLLET;
	ASSERT_EQ(0, epoll_ctl(set, EPOLL_CTL_MOD, self->fd, &event));
	ASSERT_EQ(1, epoll_wait(set, &event, 1, LONG_MS));
	ASSERT_EQ(EPOLLIN, event.events);
	close(set);
}

/* How a reader waits: by poll, by level-triggered or edge-triggered epoll. */
enum { BY_POLL, BY_LEVELS, BY_EDGES, NR_WAYS };

static const __u32 counts[] = { 1, 2, 37, BATCH };

/*
 * If there is no other reader, a file that is ready gives something for every
 * count: a reader doesn't loop between poll and EAGAIN.
 */
TEST_F(poll, ready_for_every_count)
{
	enum { ROUNDS = 300 };
	__u8 *ids = malloc(BATCH * ID_SIZE_MAX);
	struct kuid_status before, after;
	size_t c;
	int way;

	ASSERT_NE(NULL, ids);
	ASSERT_EQ(0, host_status(&before));
	for (way = BY_POLL; way < NR_WAYS; way++) {
		struct epoll_event event = {
			.events = EPOLLIN | (way == BY_EDGES ? EPOLLET : 0),
		};
		struct epoll_event told;
		int set = epoll_create1(0);
		long got;
		int round;

		ASSERT_LE(0, set);
		ASSERT_EQ(0, epoll_ctl(set, EPOLL_CTL_ADD, self->fd, &event));
		for (round = 0; round < ROUNDS; round++) {
			c = round % ARRAY_SIZE(counts);
			/* Rearm the edge without using up the IDs. */
			if (way == BY_EDGES && round) {
				ASSERT_EQ(0, epoll_ctl(set, EPOLL_CTL_MOD,
						       self->fd, &event));
			}
			if (way == BY_POLL) {
				ASSERT_EQ(READY, events_of(self->fd, LONG_MS));
			} else {
				ASSERT_EQ(1, epoll_wait(set, &told, 1,
							LONG_MS));
				ASSERT_EQ(EPOLLIN, told.events);
			}
			got = round % 3 ?
				read_ids(self->f, self->fd, ids, counts[c]) :
				generate_ids(self->f, self->fd, ids, counts[c]);
			ASSERT_LT(0, got) {
				TH_LOG("way %d, %u asked for: %s", way,
				       counts[c], strerror(-got));
			}
			ASSERT_EQ(got, count_in_order(self->f, ids, got,
						      &self->last));
		}
		close(set);
	}
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

TEST_F(used_up, becomes_ready)
{
	enum { ROUNDS = 20 };
	int not_ready = 0;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		if (!use_up(_metadata, self))
			SKIP(return, TOO_SLOW);
		switch (events_of(self->fd, 0)) {
		case 0:
			not_ready++;
			break;
		case READY:
			break;
		default:
			ASSERT_TRUE(false);
		}
		ASSERT_EQ(READY, events_of(self->fd, LONG_MS));
		ASSERT_EQ(1, read_ids(self->f, self->fd, self->ids, 1));
	}
	TH_LOG("%d times of %d not ready at once", not_ready, ROUNDS);
	EXPECT_LE(self->coarse ? 1 : 0, not_ready);
}

TEST_F(used_up, becomes_ready_for_select)
{
	fd_set readers;
	int round;

	for (round = 0; round < 5; round++) {
		struct timeval long_time = { .tv_sec = LONG_MS / 1000 };

		if (!use_up(_metadata, self))
			SKIP(return, TOO_SLOW);
		FD_ZERO(&readers);
		FD_SET(self->fd, &readers);
		ASSERT_EQ(1, select(self->fd + 1, &readers, NULL, NULL,
				    &long_time));
		ASSERT_EQ(1, read_ids(self->f, self->fd, self->ids, 1));
	}
}

/*
 * Readers that take all they can until EAGAIN get one EAGAIN for each event,
 * and at least one ID before it.
 */
TEST_F(used_up, readers_do_not_spin)
{
	enum { EVENTS = 8, CALLS_MAX = 300000 };
	__u32 count;
	int way, round;

	for (way = 0; way < 2 * NR_WAYS; way++) {
		struct epoll_event event = {
			.events = EPOLLIN |
				  (way / 2 == BY_EDGES ? EPOLLET : 0),
		};
		struct epoll_event told;
		int set = epoll_create1(0);

		count = way % 2 ? BATCH : 1;
		ASSERT_LE(0, set);
		ASSERT_EQ(0, epoll_ctl(set, EPOLL_CTL_ADD, self->fd, &event));
		for (round = 0; round < EVENTS; round++) {
			long got, calls = 0;

			if (way / 2 == BY_POLL) {
				ASSERT_EQ(READY, events_of(self->fd, LONG_MS));
			} else {
				ASSERT_EQ(1, epoll_wait(set, &told, 1,
							LONG_MS)) {
					TH_LOG("way %d, round %d", way, round);
				}
				ASSERT_EQ(EPOLLIN, told.events);
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
		}
		close(set);
	}
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

static void watch_all(struct __test_metadata *_metadata,
		      FIXTURE_DATA(none_left) *self, __u32 events)
{
	int i;

	for (i = 0; i < NR_FORMAT_FILES; i++) {
		struct epoll_event event = {
			.events = EPOLLIN | events,
			.data.u32 = i,
		};

		ASSERT_EQ(0, epoll_ctl(self->set, EPOLL_CTL_ADD,
				       self->all.fds[i], &event));
	}
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
			 FIXTURE_DATA(none_left) *self)
{
	__u8 memory[8 * LINE_MAX_SIZE];
	struct epoll_event event;
	int round, i;

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
	watch_all(_metadata, self, 0);
	check_events(_metadata, self);
}

TEST_F(none_left, edges)
{
	watch_all(_metadata, self, EPOLLET);
	check_events(_metadata, self);
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

#define MANY_FILES	2000

/* Open @nr files and add them to an epoll set. */
static void watch_many(struct __test_metadata *_metadata, int set, int *fds,
		       int nr)
{
	const struct rlimit limit = { MANY_FILES + 100, MANY_FILES + 100 };
	struct epoll_event event = { .events = EPOLLIN };
	int i;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	for (i = 0; i < nr; i++) {
		fds[i] = open_device_file(format_of(KUID_FORMAT_LEX), "",
					  O_NONBLOCK);
		ASSERT_LE(0, fds[i]);
		event.data.u32 = i;
		ASSERT_EQ(0, epoll_ctl(set, EPOLL_CTL_ADD, fds[i], &event));
	}
}

/*
 * Poll a file while its own reader and those of many other polled files keep
 * getting EAGAIN. The poller checks once a second by itself, and nothing that
 * the readers do may wake it in between.
 */
static void sleep_beside_readers(struct __test_metadata *_metadata,
				 FIXTURE_DATA(none_left) *self, bool own_file)
{
	/* Long enough for timers armed by the first readers to expire. */
	const __u64 enough = 3 * NSEC_PER_SEC;
	static int fds[MANY_FILES];
	int fd = open_device_file(format_of(KUID_FORMAT_LEX), "", O_NONBLOCK);
	__u8 id[ID_SIZE_MAX];
	__u64 began, seconds;
	long sleeps;
	pid_t child;
	int i;

	ASSERT_LE(0, fd);
	watch_many(_metadata, self->set, fds, MANY_FILES);
	child = fork_child();
	ASSERT_LE(0, child);
	if (!child) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };

		/* A direct system call, so that its number is known. */
		_exit(syscall(SYS_ppoll, &ready, 1, NULL, NULL, 0) != 1);
	}
	ASSERT_TRUE(wait_asleep_in(child, SYS_ppoll));

	began = read_clock(CLOCK_MONOTONIC);
	sleeps = sleeps_of(child);
	ASSERT_LE(0, sleeps);
	for (i = 0; read_clock(CLOCK_MONOTONIC) < began + enough; i++) {
		int from = own_file && i % 2 ? fd : fds[i % MANY_FILES];

		ASSERT_EQ(-1, read(from, id, sizeof(id)));
		ASSERT_EQ(EAGAIN, errno);
	}
	sleeps = sleeps_of(child) - sleeps;
	seconds = (read_clock(CLOCK_MONOTONIC) - began) / NSEC_PER_SEC + 1;
	TH_LOG("the poller slept %ld times in %llu s", sleeps,
	       (unsigned long long)seconds);
	EXPECT_GE((long)seconds, sleeps);

	ASSERT_EQ(0, let_all_go(self->all.fd));
	EXPECT_TRUE(ended_well(child));
	for (i = 0; i < MANY_FILES; i++)
		close(fds[i]);
	close(fd);
}

TEST_F(none_left, not_woken_by_readers_of_other_files)
{
	sleep_beside_readers(_metadata, self, false);
}

TEST_F(none_left, not_woken_by_each_reader_of_the_file)
{
	sleep_beside_readers(_metadata, self, true);
}

TEST_HARNESS_MAIN
