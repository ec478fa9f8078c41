// SPDX-License-Identifier: GPL-2.0-only
/*
 * splice() and sendfile() of IDs into pipes, and from these into files and
 * sockets: whole IDs, in order, and no more IDs are made than are delivered.
 */
#include "../lib/harness.h"

#include <signal.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "../lib/children.h"
#include "../lib/own_module.h"

/* Capacity of a pipe by default; some calls ask for more. */
#define PIPE_SIZE	65536
#define TOTAL_MAX	(4 * PIPE_SIZE)

/* The system call behind sendfile() of the C library. */
#ifdef SYS_sendfile64
#define SEND_FILE	SYS_sendfile64
#else
#define SEND_FILE	SYS_sendfile
#endif

static const size_t sizes[] = {
	1, 7, 8, 11, 12, 13, 15, 16, 17, 23, 24, 25, 31, 32, 100, 4095, 4096,
	4097, 8191, 12345, PIPE_SIZE - 1, PIPE_SIZE, PIPE_SIZE + 1, 100001,
};

FIXTURE(splice) {
	const struct format *f;
	int fd;
	int text;
	int pipe[2];
	struct words last;	/* order of the last ID taken */
	__u8 *memory;
};

FORMAT_VARIANTS(splice)

FIXTURE_SETUP(splice)
{
	self->f = format_of(variant->format);
	self->fd = open_device_file(self->f, "", 0);
	ASSERT_LE(0, self->fd);
	self->text = open_device_file(self->f, ".txt", 0);
	ASSERT_LE(0, self->text);
	ASSERT_EQ(0, pipe(self->pipe));
	ASSERT_EQ(PIPE_SIZE, fcntl(self->pipe[0], F_SETPIPE_SZ, PIPE_SIZE));
	self->memory = malloc(TOTAL_MAX);
	ASSERT_NE(NULL, self->memory);
}

FIXTURE_TEARDOWN(splice)
{
	free(self->memory);
	close(self->pipe[0]);
	close(self->pipe[1]);
	close(self->text);
	close(self->fd);
}

static __u64 given_so_far(struct __test_metadata *_metadata,
			  FIXTURE_DATA(splice) *self)
{
	struct kuid_status status;

	ASSERT_EQ(0, get_status(self->fd, &status));
	return status.ids[self->f->number];
}

/* Read @size bytes, waiting for them if necessary. Returns the bytes read. */
static size_t read_all(int fd, __u8 *to, size_t size)
{
	size_t sum = 0;
	ssize_t got;

	while (sum < size && (got = read(fd, to + sum, size - sum)) > 0)
		sum += got;
	return sum;
}

/* The pipe must be empty. */
static void check_empty(struct __test_metadata *_metadata, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	ASSERT_EQ(0, poll(&p, 1, 0));
}

static void check_ids(struct __test_metadata *_metadata,
		      FIXTURE_DATA(splice) *self, size_t size)
{
	size_t nr = size / self->f->id_size;

	ASSERT_EQ(0, size % self->f->id_size);
	ASSERT_EQ(nr, count_in_order(self->f, self->memory, nr, &self->last));
}

static void nothing(int signal)
{
}

/* Send this process signals that restart calls which have done nothing. */
static void interrupt_often(void)
{
	struct itimerval often = {
		.it_value.tv_usec = 2000, .it_interval.tv_usec = 2000,
	};

	signal(SIGALRM, nothing);
	setitimer(ITIMER_REAL, &often, NULL);
}

/* The text must be whole lines with IDs in order. */
static void check_lines(struct __test_metadata *_metadata,
			FIXTURE_DATA(splice) *self, size_t size)
{
	size_t line = self->f->text_size + 1;
	__u8 id[ID_SIZE_MAX];
	size_t at;

	for (at = 0; at + line <= size; at += line) {
		char *text = (char *)self->memory + at;

		ASSERT_TRUE(parse_line(self->f, text, id)) {
			TH_LOG("'%.*s'", (int)line, text);
		}
		ASSERT_EQ(1, count_in_order(self->f, id, 1, &self->last));
	}
	ASSERT_EQ(at, size);
}

TEST_F(splice, into_a_pipe)
{
	__u64 before = given_so_far(_metadata, self);
	size_t i, whole, sum = 0;
	ssize_t got;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		whole = sizes[i] < PIPE_SIZE ? sizes[i] : PIPE_SIZE;
		whole -= whole % self->f->id_size;
		got = splice(self->fd, NULL, self->pipe[1], NULL, sizes[i],
			     i % 2 ? SPLICE_F_MOVE : 0);
		if (whole) {
			ASSERT_EQ(whole, got) {
				TH_LOG("size %zu", sizes[i]);
			}
		} else {
			ASSERT_EQ(-1, got);
			ASSERT_EQ(EINVAL, errno);
		}
		ASSERT_EQ(whole, read_all(self->pipe[0], self->memory, whole));
		check_empty(_metadata, self->pipe[0]);
		check_ids(_metadata, self, whole);
		sum += whole;
	}
	EXPECT_EQ(before + sum / self->f->id_size,
		  given_so_far(_metadata, self));
}

/* No IDs are made that the pipe has no room for. */
TEST_F(splice, into_a_full_pipe)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t whole = page - page % self->f->id_size;
	__u64 before = given_so_far(_metadata, self);

	memset(self->memory, POISON, PIPE_SIZE);
	ASSERT_EQ(PIPE_SIZE, write(self->pipe[1], self->memory, PIPE_SIZE));
	ASSERT_EQ(-1, splice(self->fd, NULL, self->pipe[1], NULL, 160,
			     SPLICE_F_NONBLOCK));
	ASSERT_EQ(EAGAIN, errno);
	ASSERT_EQ(0, fcntl(self->pipe[1], F_SETFL, O_NONBLOCK));
	ASSERT_EQ(-1, splice(self->fd, NULL, self->pipe[1], NULL, 160, 0));
	ASSERT_EQ(EAGAIN, errno);
	ASSERT_EQ(before, given_so_far(_metadata, self));

	ASSERT_EQ(page, read_all(self->pipe[0], self->memory, page));
	ASSERT_EQ(whole, splice(self->fd, NULL, self->pipe[1], NULL, PIPE_SIZE,
				SPLICE_F_NONBLOCK));
	ASSERT_EQ(before + whole / self->f->id_size,
		  given_so_far(_metadata, self));
	ASSERT_EQ(PIPE_SIZE - page,
		  read_all(self->pipe[0], self->memory, PIPE_SIZE - page));
	ASSERT_TRUE(all_bytes(self->memory, POISON, PIPE_SIZE - page));
	ASSERT_EQ(whole, read_all(self->pipe[0], self->memory, whole));
	check_empty(_metadata, self->pipe[0]);
	check_ids(_metadata, self, whole);
}

TEST_F(splice, waits_for_room)
{
	const size_t size = 10 * self->f->id_size;
	pid_t child;

	memset(self->memory, POISON, PIPE_SIZE);
	ASSERT_EQ(PIPE_SIZE, write(self->pipe[1], self->memory, PIPE_SIZE));
	child = fork_child();
	ASSERT_LE(0, child);
	if (!child)
		_exit(splice(self->fd, NULL, self->pipe[1], NULL, size, 0) !=
		      size);
	ASSERT_TRUE(wait_asleep_in(child, SYS_splice));
	ASSERT_EQ(PIPE_SIZE, read_all(self->pipe[0], self->memory, PIPE_SIZE));
	ASSERT_TRUE(all_bytes(self->memory, POISON, PIPE_SIZE));
	ASSERT_TRUE(ended_well(child));
	ASSERT_EQ(size, read_all(self->pipe[0], self->memory, size));
	check_ids(_metadata, self, size);
}

/* Each call continues the line where the last one ended, whatever its kind. */
TEST_F(splice, text)
{
	size_t line = self->f->text_size + 1;
	__u32 seed = pick_seed();
	size_t sum = 0;

	TH_LOG("seed %u", seed);
	while (sum < TOTAL_MAX - PIPE_SIZE - line) {
		size_t size = 1 + pick(&seed) % (pick(&seed) % 4 ? 100 : 20000);
		size_t wanted = size_of_text(self->f, sum, size);
		__u8 *to = self->memory + sum;

		if (pick(&seed) % 4 == 0) {
			ASSERT_EQ(wanted, read(self->text, to, size));
		} else {
			ASSERT_EQ(wanted,
				  splice(self->text, NULL, self->pipe[1], NULL,
					 size, 0));
			ASSERT_EQ(wanted,
				  read_all(self->pipe[0], to, wanted));
			check_empty(_metadata, self->pipe[0]);
		}
		sum += wanted;
	}
	/* Read up to the end of the line. */
	line -= sum % line;
	ASSERT_EQ(line, read(self->text, self->memory + sum, line));
	check_lines(_metadata, self, sum + line);
}

TEST_F(splice, has_no_position)
{
	__u64 before = given_so_far(_metadata, self);
	loff_t at = 0;
	off_t send_at = 0;

	EXPECT_EQ(-1, splice(self->fd, &at, self->pipe[1], NULL, 160, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, sendfile(self->pipe[1], self->fd, &send_at, 160));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(before, given_so_far(_metadata, self));
	check_empty(_metadata, self->pipe[0]);
}

/* IDs can't be spliced into the device. */
TEST_F(splice, is_not_written)
{
	int fd = open("/dev/kuid", O_RDWR);

	ASSERT_EQ(16, write(self->pipe[1], "sixteen bytes...", 16));
	EXPECT_EQ(-1, splice(self->pipe[0], NULL, self->fd, NULL, 16, 0));
	EXPECT_EQ(EBADF, errno);
	if (fd >= 0) {
		EXPECT_EQ(-1, splice(self->pipe[0], NULL, fd, NULL, 16, 0));
		EXPECT_EQ(EINVAL, errno);
		close(fd);
	}
	ASSERT_EQ(16, read_all(self->pipe[0], self->memory, 16));
}

/*
 * Other targets than a pipe take a part of what sendfile() has read, and the
 * rest would be dropped: in the middle of an ID, if the target is a socket.
 */
TEST_F(splice, sends_to_pipes_only)
{
	__u64 before = given_so_far(_metadata, self);
	int file = memfd_create("ids", 0);
	int pair[2];
	size_t i;

	ASSERT_LE(0, file);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		ASSERT_EQ(-1, sendfile(file, self->fd, NULL, sizes[i]));
		ASSERT_EQ(EINVAL, errno);
		ASSERT_EQ(-1, sendfile(pair[0], self->fd, NULL, sizes[i]));
		ASSERT_EQ(EINVAL, errno);
		ASSERT_EQ(-1, sendfile(pair[0], self->text, NULL, sizes[i]));
		ASSERT_EQ(EINVAL, errno);
	}
	check_empty(_metadata, pair[1]);
	EXPECT_EQ(0, lseek(file, 0, SEEK_END));
	EXPECT_EQ(before, given_so_far(_metadata, self));
	close(pair[0]);
	close(pair[1]);
	close(file);
}

/* Move bytes to any target, through the pipe. */
static bool move_to(FIXTURE_DATA(splice) *self, int to, int from, size_t size)
{
	struct pollfd room = { .fd = to, .events = POLLOUT };

	while (size) {
		ssize_t got = splice(from, NULL, self->pipe[1], NULL, size, 0);

		if (got <= 0)
			return false;
		size -= got;
		while (got) {
			ssize_t put = splice(self->pipe[0], NULL, to, NULL, got,
					     0);

			if (put > 0)
				got -= put;
			else if (errno == EAGAIN)
				poll(&room, 1, -1);
			else if (errno != EINTR)
				return false;
		}
	}
	return true;
}

/* One call into a pipe sends what the pipe has room for. */
static bool send_to_pipe(FIXTURE_DATA(splice) *self, int to, int from,
			 size_t size)
{
	while (size) {
		ssize_t got = sendfile(to, from, NULL, size);

		if (got <= 0)
			return false;
		size -= got;
	}
	return true;
}

/*
 * Send more text than the receiver holds at once, while this process reads.
 * Signals interrupt the sender.
 */
static void send_to(struct __test_metadata *_metadata,
		    FIXTURE_DATA(splice) *self, int from, int to,
		    bool (*send)(FIXTURE_DATA(splice) *, int, int, size_t))
{
	const size_t line = self->f->text_size + 1;
	const size_t whole = TOTAL_MAX - TOTAL_MAX % line;
	__u64 before = given_so_far(_metadata, self);
	pid_t child = fork_child();

	ASSERT_LE(0, child);
	if (!child) {
		interrupt_often();
		_exit(!send(self, to, self->text, whole));
	}
	/* If the child ends too early, read_all() sees the end of the file. */
	close(to);
	ASSERT_EQ(whole, read_all(from, self->memory, whole));
	ASSERT_TRUE(ended_well(child));
	check_lines(_metadata, self, whole);
	EXPECT_EQ(before + whole / line, given_so_far(_metadata, self));
}

TEST_F(splice, send_to_a_pipe)
{
	int to = dup(self->pipe[1]);

	ASSERT_EQ(0, close(self->pipe[1]));
	self->pipe[1] = -1;
	send_to(_metadata, self, self->pipe[0], to, send_to_pipe);
}

TEST_F(splice, move_to_a_nonblocking_socket)
{
	int pair[2];

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	ASSERT_EQ(0, fcntl(pair[1], F_SETFL, O_NONBLOCK));
	send_to(_metadata, self, pair[0], pair[1], move_to);
	close(pair[0]);
}

TEST_F(splice, move_to_a_file)
{
	const size_t line = self->f->text_size + 1;
	int to = memfd_create("lines", 0);

	ASSERT_LE(0, to);
	ASSERT_TRUE(move_to(self, to, self->text, 2000 * line));
	ASSERT_EQ(2000 * line, pread(to, self->memory, TOTAL_MAX, 0));
	check_lines(_metadata, self, 2000 * line);
	close(to);
}

FIXTURE(none_left) {
	struct all_wait all;	/* not O_NONBLOCK */
	int pipe[2];
};

FIXTURE_SETUP(none_left)
{
	set_up_all_wait(_metadata, &self->all, 0);
	ASSERT_EQ(0, pipe(self->pipe));
}

FIXTURE_TEARDOWN(none_left)
{
	close(self->pipe[0]);
	close(self->pipe[1]);
	tear_down_all_wait(_metadata, &self->all);
}

/* The file's O_NONBLOCK counts: SPLICE_F_NONBLOCK concerns the pipe only. */
TEST_F(none_left, nonblocking)
{
	int i;

	for (i = 0; i < NR_FORMAT_FILES; i++) {
		int fd = self->all.fds[i];

		ASSERT_EQ(0, fcntl(fd, F_SETFL, O_NONBLOCK));
		ASSERT_EQ(-1, splice(fd, NULL, self->pipe[1], NULL, 4096, 0));
		ASSERT_EQ(EAGAIN, errno);
		ASSERT_EQ(-1, splice(fd, NULL, self->pipe[1], NULL, 4096,
				     SPLICE_F_NONBLOCK));
		ASSERT_EQ(EAGAIN, errno);
		ASSERT_EQ(-1, sendfile(self->pipe[1], fd, NULL, 4096));
		ASSERT_EQ(EAGAIN, errno);
		check_empty(_metadata, self->pipe[0]);
	}
}

/* A waiting call is ended by a signal or by new IDs. */
TEST_F(none_left, waits)
{
	__u8 memory[4096];
	int i;

	ASSERT_EQ(0, end_calls_by(SIGUSR1));
	for (i = 0; i < 2 * NR_FORMAT_FILES; i++) {
		int fd = self->all.fds[i / 2];
		bool send = i % 2;
		const size_t size = 10 * size_of_one(i / 2);
		int round;

		for (round = 0; round < 2; round++) {
			pid_t child = fork_child();

			ASSERT_LE(0, child);
			if (!child) {
				ssize_t got = send ?
					sendfile(self->pipe[1], fd, NULL,
						 size) :
					splice(fd, NULL, self->pipe[1], NULL,
					       size, 0);

				_exit(round ? got != size :
				      got != -1 || errno != EINTR);
			}
			ASSERT_TRUE(wait_asleep_in(child, !send ? SYS_splice :
						   SEND_FILE));
			ASSERT_EQ(0, round ? let_all_go(self->all.fd) :
				  kill(child, SIGUSR1));
			ASSERT_TRUE(ended_well(child)) {
				TH_LOG("file %d, %s, round %d", i / 2,
				       send ? "sendfile" : "splice", round);
			}
		}
		ASSERT_EQ(size, read_all(self->pipe[0], memory, size));
		check_empty(_metadata, self->pipe[0]);
		have_all_wait(_metadata, self->all.fd);
	}
}

TEST_HARNESS_MAIN
