// SPDX-License-Identifier: GPL-2.0-only
/*
 * One open file used by several threads or processes: it has one format, the
 * order holds for all users of the file, and closing a descriptor affects
 * neither the other users nor calls in progress.
 */
#include "../lib/harness.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "../lib/children.h"
#include "../lib/missing_page.h"
#include "../lib/own_module.h"

#define HOUR		(3600 * NSEC_PER_SEC)

/* Returns 0 or the errno. */
static int set_format(int fd, __u32 format, __u32 order)
{
	struct kuid_set_format set = { .format = format, .order = order };

	return ioctl(fd, KUID_IOC_SET_FORMAT, &set) ? errno : 0;
}

/* Each test loads the module with its own parameters. */
FIXTURE(sharing) {
};

FIXTURE_SETUP(sharing)
{
	take_module(_metadata);
}

FIXTURE_TEARDOWN(sharing)
{
	give_back_module(_metadata);
}

/* A thread that sets the format while another one asks for IDs. */
struct race {
	int fd;
	int cpu;
	int rounds;
	struct kuid_set_format set;
	pthread_barrier_t gate;
	int result;
};

static void *race_to_set(void *arg)
{
	struct race *race = arg;

	move_to_cpu(0, race->cpu);
	while (race->rounds--) {
		pthread_barrier_wait(&race->gate);
		race->result = ioctl(race->fd, KUID_IOC_SET_FORMAT,
				     &race->set) ? errno : 0;
		pthread_barrier_wait(&race->gate);
	}
	return NULL;
}

static void start_race(struct __test_metadata *_metadata, struct race *race,
		       pthread_t *thread)
{
	int cpus[2];

	if (allowed_cpus(cpus, 2) < 2)
		cpus[1] = cpus[0];
	race->cpu = cpus[1];
	ASSERT_EQ(0, move_to_cpu(0, cpus[0]));
	ASSERT_EQ(0, pthread_barrier_init(&race->gate, NULL, 2));
	ASSERT_EQ(0, pthread_create(thread, NULL, race_to_set, race));
}

/*
 * The format of @count IDs if nothing else was written, otherwise NULL. They were
 * taken since @begin.
 */
static const struct format *format_of_ids(const __u8 *ids, size_t count,
					  size_t size, __u64 begin)
{
	static const __u32 tried[] = { KUID_FORMAT_V7, KUID_FORMAT_K64 };
	__u64 now = clock_ns();
	size_t t, i;

	for (t = 0; t < ARRAY_SIZE(tried); t++) {
		const struct format *f = format_of(tried[t]);
		struct words last = { 0 };
		struct fields fields;

		if (count_in_order(f, ids, count, &last) != count ||
		    !all_bytes(ids + count * f->id_size, POISON,
			       size - count * f->id_size))
			continue;
		for (i = 0; i < count; i++) {
			if (!decode(f, id_at(f, ids, i), &fields) ||
			    fields.ns + NSEC_PER_SEC < begin ||
			    fields.ns > now + NSEC_PER_SEC)
				break;
		}
		if (i == count)
			return f;
	}
	return NULL;
}

/*
 * One thread sets the format while another reads or generates for the first
 * time. Whichever wins, the IDs are of one format, and the file keeps it.
 */
TEST_F(sharing, set_and_take_at_once)
{
	enum { ROUNDS = 300, COUNT = 7 };
	struct race race = {
		.rounds = ROUNDS,
		.set = { .format = KUID_FORMAT_K64, .order = KUID_ORDER_HOST },
	};
	static const struct format of_file = { .number = KUID_FORMAT_DEFAULT };
	__u8 ids[COUNT * ID_SIZE_MAX];
	unsigned int set = 0;
	pthread_t thread;
	int round, call;

	ASSERT_EQ(0, load(""));
	start_race(_metadata, &race, &thread);
	for (round = 0; round < ROUNDS; round++) {
		struct kuid_query q = { 0 };
		const struct format *f;
		__u64 begin = clock_ns();
		long got, expected;

		race.fd = open_device_file(format_of(KUID_FORMAT_V7), "", 0);
		ASSERT_LE(0, race.fd);
		memset(ids, POISON, sizeof(ids));
		pthread_barrier_wait(&race.gate);
		/*
		 * Delay the call more each round, so that either side wins
		 * sometimes.
		 */
		for (call = 0; call < round; call++)
			getppid();
		got = round % 2 ? generate_ids(&of_file, race.fd, ids, COUNT) :
				  read(race.fd, ids, sizeof(ids));
		pthread_barrier_wait(&race.gate);

		if (race.result)
			ASSERT_EQ(EBUSY, race.result);
		set += !race.result;
		ASSERT_EQ(0, ioctl(race.fd, KUID_IOC_QUERY, &q));
		f = format_of(q.format);
		expected = round % 2 ? COUNT : sizeof(ids) / f->id_size;
		ASSERT_EQ(round % 2 ? COUNT : sizeof(ids), got);
		ASSERT_EQ(race.result ? KUID_FORMAT_V7 : KUID_FORMAT_K64,
			  q.format);
		ASSERT_EQ(race.result ? KUID_ORDER_FILE : KUID_ORDER_HOST,
			  q.order);
		ASSERT_EQ(f, format_of_ids(ids, expected, sizeof(ids), begin));
		close(race.fd);
	}
	ASSERT_EQ(0, pthread_join(thread, NULL));
	TH_LOG("%u times set, %u times too late", set, ROUNDS - set);
}

/* One of two threads that set format and order again and again. */
struct setter {
	int fd;
	struct kuid_set_format set;
	pthread_t thread;
	bool done;
	int result;
};

static void *set_again_and_again(void *arg)
{
	enum { ROUNDS = 20000 };
	struct setter *setter = arg;
	int round;

	for (round = 0; round < ROUNDS && !setter->result; round++)
		setter->result = ioctl(setter->fd, KUID_IOC_SET_FORMAT,
				       &setter->set) ? errno : 0;
	__atomic_store_n(&setter->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static bool both_done(const struct setter *setters)
{
	return __atomic_load_n(&setters[0].done, __ATOMIC_ACQUIRE) &&
	       __atomic_load_n(&setters[1].done, __ATOMIC_ACQUIRE);
}

/* The file always has format and order of the same thread, never a mixture. */
TEST_F(sharing, two_set_at_once)
{
	struct setter setters[] = {
		{ .set = { KUID_FORMAT_V7, KUID_ORDER_CPU } },
		{ .set = { KUID_FORMAT_K64, KUID_ORDER_HOST } },
	};
	unsigned int looks = 0, seen[2] = { 0 };
	int fd, i;

	ASSERT_EQ(0, load(""));
	fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, set_format(fd, KUID_FORMAT_V7, KUID_ORDER_CPU));
	for (i = 0; i < 2; i++) {
		setters[i].fd = fd;
		ASSERT_EQ(0, pthread_create(&setters[i].thread, NULL,
					    set_again_and_again, &setters[i]));
	}
	do {
		struct kuid_query q = { 0 };

		ASSERT_EQ(0, ioctl(fd, KUID_IOC_QUERY, &q));
		for (i = 0; i < 2; i++) {
			seen[i] += q.format == setters[i].set.format &&
				   q.order == setters[i].set.order;
		}
		looks++;
		ASSERT_EQ(looks, seen[0] + seen[1]) {
			TH_LOG("format %u, order %u", q.format, q.order);
		}
	} while (!both_done(setters));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pthread_join(setters[i].thread, NULL));
		EXPECT_EQ(0, setters[i].result);
	}
	close(fd);
	TH_LOG("%u queries: %u times the first setting, %u times the second",
	       looks, seen[0], seen[1]);
}

/* Pass an open file to another process. */
static int send_file(int socket, int fd)
{
	char data = 0, control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec io = { &data, 1 };
	struct msghdr message = {
		.msg_iov = &io,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	return sendmsg(socket, &message, 0) == 1 ? 0 : -1;
}

static int receive_file(int socket)
{
	char data, control[CMSG_SPACE(sizeof(int))];
	struct iovec io = { &data, 1 };
	struct msghdr message = {
		.msg_iov = &io,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *header;
	int fd;

	if (recvmsg(socket, &message, 0) != 1)
		return -1;
	header = CMSG_FIRSTHDR(&message);
	if (!header || header->cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}

/* A file in a message that nobody has received yet is still open. */
TEST_F(sharing, in_a_message)
{
	const struct format *f = format_of(KUID_FORMAT_V6);
	struct words last = { 0 };
	__u8 id[ID_SIZE_MAX];
	int fd, sockets[2];

	ASSERT_EQ(0, load(""));
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	fd = open_device_file(f, "", 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(1, read_ids(f, fd, id, 1));
	ASSERT_EQ(1, count_in_order(f, id, 1, &last));
	ASSERT_EQ(0, send_file(sockets[0], fd));
	close(fd);
	EXPECT_EQ(-EWOULDBLOCK, unload());
	fd = receive_file(sockets[1]);
	ASSERT_LE(0, fd);
	EXPECT_EQ(EBUSY, set_format(fd, KUID_FORMAT_V7, 0));
	ASSERT_EQ(1, read_ids(f, fd, id, 1));
	ASSERT_EQ(1, count_in_order(f, id, 1, &last));

	/* A message that is never received is released with the socket. */
	ASSERT_EQ(0, send_file(sockets[0], fd));
	close(fd);
	close(sockets[0]);
	EXPECT_EQ(-EWOULDBLOCK, unload());
	close(sockets[1]);
}

FIXTURE(passed) {
	int sockets[2];
};

FIXTURE_VARIANT(passed) {
	bool by_message;	/* otherwise by fork */
};

FIXTURE_VARIANT_ADD(passed, by_fork) { false };
FIXTURE_VARIANT_ADD(passed, by_message) { true };

FIXTURE_SETUP(passed)
{
	take_module(_metadata);
	ASSERT_EQ(0, load(""));
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, self->sockets));
}

FIXTURE_TEARDOWN(passed)
{
	give_back_module(_metadata);
}

/* In a child: take an ID for each byte received, until the socket is closed. */
static int take_when_told(int socket, int fd, const struct format *f, __u8 *id)
{
	char told;

	while (read(socket, &told, 1) == 1) {
		if (read_ids(f, fd, id, 1) != 1 || write(socket, "", 1) != 1)
			return 1;
	}
	/* The parent has closed the file; it must still work here. */
	return read_ids(f, fd, id, 1) != 1;
}

/* Two processes of different users alternate. */
TEST_F(passed, order_and_closing)
{
	size_t i;

	for (i = 0; i < NR_FORMATS; i++) {
		const struct format *f = &formats[i];
		int fd = open_device_file(f, "", 0);
		__u8 *theirs = share_memory(ID_SIZE_MAX);
		__u8 mine[ID_SIZE_MAX];
		struct words last = { 0 };
		int cpus[2], pair[2], turn;
		char told;
		pid_t pid;

		ASSERT_LE(0, fd);
		ASSERT_NE(NULL, theirs);
		if (allowed_cpus(cpus, 2) < 2)
			cpus[1] = cpus[0];
		ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
		if (variant->by_message)
			ASSERT_EQ(0, send_file(self->sockets[0], fd));
		pid = fork_child();
		ASSERT_LE(0, pid);
		if (!pid) {
			int own = fd;

			close(pair[0]);
			if (variant->by_message) {
				close(fd);
				own = receive_file(self->sockets[1]);
			}
			if (own < 0 || setgid(65534) || setuid(65534) ||
			    move_to_cpu(0, cpus[1]))
				_exit(2);
			_exit(take_when_told(pair[1], own, f, theirs));
		}
		close(pair[1]);
		ASSERT_EQ(0, move_to_cpu(0, cpus[0]));
		for (turn = 0; turn < 40; turn++) {
			ASSERT_EQ(1, read_ids(f, fd, mine, 1));
			ASSERT_EQ(1, count_in_order(f, mine, 1, &last));
			ASSERT_EQ(1, write(pair[0], "", 1));
			ASSERT_EQ(1, read(pair[0], &told, 1));
			ASSERT_EQ(1, count_in_order(f, theirs, 1, &last)) {
				TH_LOG("%s, turn %d", f->name, turn);
			}
		}
		/* The file stays open as long as one process has it. */
		close(fd);
		EXPECT_EQ(-EWOULDBLOCK, unload());
		close(pair[0]);
		EXPECT_EQ(0, exit_status(pid));
		EXPECT_EQ(1, count_in_order(f, theirs, 1, &last));
		munmap(theirs, ID_SIZE_MAX);
	}
	close(self->sockets[0]);
	close(self->sockets[1]);
}

/* A thread that waits for an ID from a file that is closed meanwhile. */
struct waiter {
	pthread_t thread;
	const struct format *f;
	int fd;
	enum kind { READ, GENERATE, TEXT, POLL } call;
	pid_t tid;		/* set by the thread */
	long ret;
	struct words id;
};

static const long call_numbers[] = { SYS_read, SYS_ioctl, SYS_read, SYS_ppoll };

static void *wait_for_id(void *arg)
{
	struct waiter *w = arg;
	struct pollfd p = { .fd = w->fd, .events = POLLIN };
	__u8 id[ID_SIZE_MAX];

	__atomic_store_n(&w->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	switch (w->call) {
	case READ:
		w->ret = read_ids(w->f, w->fd, id, 1);
		break;
	case GENERATE:
		w->ret = generate_ids(w->f, w->fd, id, 1);
		break;
	case TEXT:
		w->ret = read_lines(w->f, w->fd, id, 1);
		break;
	case POLL:
		/* A direct system call, so that its number is known. */
		w->ret = syscall(SYS_ppoll, &p, 1, NULL, NULL, 0);
		if (w->ret < 0)
			w->ret = -errno;
		return NULL;
	}
	if (w->ret == 1)
		w->id = id_order(w->f, id);
	return NULL;
}

/* Start a thread. Returns when the thread sleeps in its call. */
static bool start_waiter(struct waiter *w)
{
	pid_t tid;

	w->tid = 0;
	w->ret = -ENODATA;
	if (pthread_create(&w->thread, NULL, wait_for_id, w))
		return false;
	while (!(tid = __atomic_load_n(&w->tid, __ATOMIC_ACQUIRE)))
		usleep(1000);
	return wait_asleep_in(tid, call_numbers[w->call]);
}

FIXTURE(closed) {
};

FIXTURE_VARIANT(closed) {
	enum kind call;
};

FIXTURE_VARIANT_ADD(closed, read) { READ };
FIXTURE_VARIANT_ADD(closed, generate) { GENERATE };
FIXTURE_VARIANT_ADD(closed, text) { TEXT };
FIXTURE_VARIANT_ADD(closed, poll) { POLL };

FIXTURE_SETUP(closed)
{
	take_module(_metadata);
}

FIXTURE_TEARDOWN(closed)
{
	give_back_module(_metadata);
}

/* No IDs are made until a floor and a ceiling are set. */
#define NO_IDS		"state=required " ALL_PARAMS

static int let_ids_come(__u64 ceiling)
{
	int fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
	int ret = begin_cover(fd, 0) ?: raise_cover(fd, ceiling);

	close(fd);
	return ret;
}

enum end { IDS_COME, SIGNAL_COMES };

/*
 * The first thread waits for the clock, the second for its turn, with the same
 * open file or its own. The main thread closes all of them.
 */
static void close_under(struct __test_metadata *_metadata,
			const struct format *f, enum kind call, bool same_file,
			enum end end)
{
	struct waiter w[2] = {
		{ .f = f, .call = call }, { .f = f, .call = call },
	};
	const char *suffix = call == TEXT ? ".txt" : "";
	int i;

	ASSERT_EQ(0, load(NO_IDS));
	w[0].fd = open_device_file(f, suffix, O_CLOEXEC);
	w[1].fd = same_file ? w[0].fd : open_device_file(f, suffix, O_CLOEXEC);
	ASSERT_LE(0, w[0].fd);
	ASSERT_LE(0, w[1].fd);
	for (i = 0; i < 2; i++)
		ASSERT_TRUE(start_waiter(&w[i]));
	EXPECT_EQ(0, close(w[0].fd));
	if (!same_file)
		EXPECT_EQ(0, close(w[1].fd));
	/*
	 * The descriptors are closed, but both calls keep their files open. Only
	 * poll() looks its descriptor up again, within a second, and ends.
	 */
	for (i = 0; i < 2; i++) {
		if (call != POLL)
			EXPECT_TRUE(wait_asleep_in(w[i].tid, call_numbers[call]));
		EXPECT_EQ(-1, fcntl(w[i].fd, F_GETFD));
		EXPECT_EQ(EBADF, errno);
	}
	if (call != POLL)
		EXPECT_EQ(-EWOULDBLOCK, unload());

	if (end == IDS_COME) {
		EXPECT_EQ(0, let_ids_come(clock_ns() + HOUR));
	} else {
		for (i = 1; i >= 0; i--)
			EXPECT_EQ(0, pthread_kill(w[i].thread, SIGUSR1));
	}
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pthread_join(w[i].thread, NULL));
		/*
		 * poll() looks up the descriptor again and finds it invalid:
		 * POLLNVAL.
		 */
		EXPECT_EQ(end == IDS_COME || call == POLL ? 1 : -EINTR,
			  w[i].ret) {
			TH_LOG("%s, waiter %d", f->name, i);
		}
	}
	if (call != POLL && end == IDS_COME) {
		EXPECT_TRUE(w[0].id.high != w[1].id.high ||
			    w[0].id.low != w[1].id.low);
	}
	/* The calls hold neither the files nor the module any more. */
	ASSERT_EQ(0, unload());
}

TEST_F(closed, ids_come)
{
	size_t i;

	for (i = 0; i < NR_FORMATS; i++) {
		close_under(_metadata, &formats[i], variant->call, false,
			    IDS_COME);
		close_under(_metadata, &formats[i], variant->call, true,
			    IDS_COME);
	}
}

TEST_F(closed, signal_comes)
{
	size_t i;

	ASSERT_EQ(0, end_calls_by(SIGUSR1));
	for (i = 0; i < NR_FORMATS; i++) {
		close_under(_metadata, &formats[i], variant->call, false,
			    SIGNAL_COMES);
		close_under(_metadata, &formats[i], variant->call, true,
			    SIGNAL_COMES);
	}
}

/* dup2() replaces the descriptor that a call is waiting with. */
TEST_F(closed, replaced)
{
	const struct format *f = format_of(KUID_FORMAT_K128);
	struct waiter w = { .f = f, .call = variant->call };
	char nothing;
	int other;

	ASSERT_EQ(0, load(NO_IDS));
	w.fd = open_device_file(f, w.call == TEXT ? ".txt" : "", O_CLOEXEC);
	ASSERT_LE(0, w.fd);
	ASSERT_TRUE(start_waiter(&w));
	other = open("/dev/null", O_RDONLY);
	ASSERT_LE(0, other);
	ASSERT_EQ(w.fd, dup2(other, w.fd));
	EXPECT_EQ(0, read(w.fd, &nothing, 1));
	EXPECT_EQ(0, let_ids_come(clock_ns() + HOUR));
	ASSERT_EQ(0, pthread_join(w.thread, NULL));
	EXPECT_EQ(1, w.ret);
	close(w.fd);
	close(other);
	ASSERT_EQ(0, unload());
}

/* A thread that reads a piece of text and sleeps in the call. */
struct text_reader {
	pthread_t thread;
	int fd;
	void *to;
	size_t size;
	pid_t tid;		/* set by the thread */
	ssize_t ret;
};

static void *read_text(void *arg)
{
	struct text_reader *r = arg;

	__atomic_store_n(&r->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	r->ret = read(r->fd, r->to, r->size);
	if (r->ret < 0)
		r->ret = -errno;
	return NULL;
}

/*
 * Start a read into a page that is missing until the caller provides it, and
 * return when the read sleeps in the page fault. Returns a userfaultfd, or a
 * negative errno.
 */
static int start_faulting(struct text_reader *r)
{
	int fd = map_missing_page(&r->to);

	if (fd < 0)
		return fd;
	return pthread_create(&r->thread, NULL, read_text, r) ||
	       !wait_for_fault(fd) ? -EIO : fd;
}

/* A read that sleeps, here for its memory, holds up no other of its file. */
TEST_F(sharing, asleep_in_text)
{
	enum { PIECE = 5, NR = 8 };
	size_t page = sysconf(_SC_PAGESIZE), way, i;

	if (access(USERFAULTFD, F_OK))
		SKIP(return, NO_USERFAULTFD);
	ASSERT_EQ(0, load(""));
	for (i = 0; i < 3 * NR_FORMATS; i++) {
		const struct format *f = &formats[i / 3];
		size_t line = f->text_size + 1;
		int fd = open_device_file(f, ".txt", O_CLOEXEC);
		struct text_reader asleep = { .fd = fd };
		char text[NR * LINE_MAX_SIZE];
		struct iovec whole = { text, line };
		size_t given = 0;
		__u8 id[ID_SIZE_MAX];
		int fault_fd;

		way = i % 3;
		ASSERT_LE(0, fd);
		/* Lines, the beginning of a line, or a piece from its middle. */
		asleep.size = way ? PIECE : NR * line;
		if (way == 2) {
			ASSERT_EQ(PIECE, read(fd, text, PIECE));
			given = PIECE;
		}
		fault_fd = start_faulting(&asleep);
		ASSERT_LE(0, fault_fd);
		if (way) {
			given += PIECE;
			ASSERT_TRUE(poll_says_ready(fd));
			ASSERT_EQ(line - given,
				  read(fd, text + given, line - given));
		} else {
			ASSERT_TRUE(poll_says_ready(fd));
			ASSERT_EQ(line, preadv2(fd, &whole, 1, -1, RWF_NOWAIT));
			ASSERT_TRUE(parse_line(f, text, id));
			ASSERT_EQ(line, read(fd, text, line));
		}
		ASSERT_EQ(0, provide_page(fault_fd, asleep.to));
		ASSERT_EQ(0, pthread_join(asleep.thread, NULL));
		ASSERT_EQ(asleep.size, asleep.ret);
		close(fault_fd);
		if (way)
			memcpy(text + given - PIECE, asleep.to, PIECE);
		ASSERT_TRUE(parse_line(f, text, id)) {
			TH_LOG("%s, way %zu: '%.*s'", f->name, way, (int)line,
			       text);
		}
		munmap(asleep.to, page);
		close(fd);
	}
}

/* A piece that can't be written drops its own line, and no other. */
TEST_F(sharing, failed_piece_beside_another_line)
{
	enum { PIECE = 5 };
	const struct format *f = format_of(KUID_FORMAT_V7);
	size_t line = f->text_size + 1, page = sysconf(_SC_PAGESIZE);
	struct text_reader asleep = { .size = PIECE };
	char text[LINE_MAX_SIZE];
	__u8 id[ID_SIZE_MAX];
	int fault_fd;

	if (access(USERFAULTFD, F_OK))
		SKIP(return, NO_USERFAULTFD);
	ASSERT_EQ(0, load(""));
	asleep.fd = open_device_file(f, ".txt", O_CLOEXEC);
	ASSERT_LE(0, asleep.fd);
	fault_fd = start_faulting(&asleep);
	ASSERT_LE(0, fault_fd);
	ASSERT_EQ(line - PIECE, read(asleep.fd, text, line - PIECE));
	ASSERT_EQ(PIECE, read(asleep.fd, text, PIECE));
	/* Closing it makes the read look for its page again. */
	ASSERT_EQ(0, munmap(asleep.to, page));
	close(fault_fd);
	ASSERT_EQ(0, pthread_join(asleep.thread, NULL));
	ASSERT_EQ(-EFAULT, asleep.ret);
	ASSERT_EQ(line - PIECE,
		  read(asleep.fd, text + PIECE, line - PIECE));
	ASSERT_TRUE(parse_line(f, text, id)) {
		TH_LOG("'%.*s'", (int)line, text);
	}
	close(asleep.fd);
}

/* Two reads that begin a line at once get pieces of one line. */
TEST_F(sharing, two_begin_a_line)
{
	enum { PIECE = 5 };
	/* A format that waits for a ceiling. */
	const struct format *f = format_of(KUID_FORMAT_K128);
	size_t line = f->text_size + 1;
	char text[LINE_MAX_SIZE], pieces[2][PIECE];
	struct kuid_status status;
	struct text_reader r[2];
	__u8 id[ID_SIZE_MAX];
	bool whole = false;
	int fd, i;

	ASSERT_EQ(0, load(NO_IDS));
	fd = open_device_file(f, ".txt", O_CLOEXEC);
	ASSERT_LE(0, fd);
	for (i = 0; i < 2; i++) {
		r[i] = (struct text_reader) {
			.fd = fd, .to = pieces[i], .size = PIECE,
		};
		ASSERT_EQ(0, pthread_create(&r[i].thread, NULL, read_text,
					    &r[i]));
		while (!__atomic_load_n(&r[i].tid, __ATOMIC_ACQUIRE))
			usleep(1000);
		ASSERT_TRUE(wait_asleep_in(r[i].tid, SYS_read));
	}
	ASSERT_EQ(0, let_ids_come(clock_ns() + HOUR));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pthread_join(r[i].thread, NULL));
		ASSERT_EQ(PIECE, r[i].ret);
	}
	ASSERT_EQ(line - 2 * PIECE,
		  read(fd, text + 2 * PIECE, line - 2 * PIECE));
	for (i = 0; i < 2; i++) {
		memcpy(text, pieces[i], PIECE);
		memcpy(text + PIECE, pieces[!i], PIECE);
		whole |= parse_line(f, text, id);
	}
	EXPECT_TRUE(whole);
	/* The other line was given up. */
	ASSERT_EQ(0, get_status(fd, &status));
	EXPECT_EQ(2, status.ids[f->number]);
	close(fd);
}

TEST_HARNESS_MAIN
