// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads by io_uring: they complete at once and without a worker if IDs are
 * available, otherwise as soon as they are. Waiting reads can be polled for and
 * cancelled.
 */
#include "../lib/harness.h"

#include <dirent.h>
#include <liburing.h>

#include "../lib/children.h"
#include "../lib/own_module.h"

#define ENTRIES		64
#define IDS		100

#define NO_URING	"the kernel has no io_uring, or forbids it"

/* Count the io_uring workers of this process. */
static int count_workers(struct __test_metadata *_metadata)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	int workers = 0;

	ASSERT_NE(NULL, tasks);
	while ((task = readdir(tasks))) {
		char path[300], name[16] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm",
			 task->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fgets(name, sizeof(name), file))
			workers += !strncmp(name, "iou-wrk", 7);
		fclose(file);
	}
	closedir(tasks);
	return workers;
}

/* The next submission entry. */
static struct io_uring_sqe *next_entry(struct __test_metadata *_metadata,
				       struct io_uring *ring)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	ASSERT_NE(NULL, sqe);
	return sqe;
}

/* A submission entry for a read, which @number identifies. */
static struct io_uring_sqe *add_read(struct __test_metadata *_metadata,
				     struct io_uring *ring, int fd, void *to,
				     size_t size, __u64 number)
{
	struct io_uring_sqe *sqe = next_entry(_metadata, ring);

	io_uring_prep_read(sqe, fd, to, size, -1);
	io_uring_sqe_set_data64(sqe, number);
	return sqe;
}

static void submit(struct __test_metadata *_metadata, struct io_uring *ring,
		   int nr)
{
	ASSERT_EQ(nr, io_uring_submit(ring));
}

/* Wait for the next completion and return its result. */
static int wait_for_result(struct __test_metadata *_metadata,
			   struct io_uring *ring, __u64 *number, __u32 *flags)
{
	struct io_uring_cqe *cqe;
	int result;

	ASSERT_EQ(0, io_uring_wait_cqe(ring, &cqe));
	result = cqe->res;
	if (number)
		*number = io_uring_cqe_get_data64(cqe);
	if (flags)
		*flags = cqe->flags;
	io_uring_cqe_seen(ring, cqe);
	return result;
}

/* No completion may be pending. */
static void check_none_done(struct __test_metadata *_metadata,
			    struct io_uring *ring)
{
	struct io_uring_cqe *cqe;

	ASSERT_EQ(-EAGAIN, io_uring_peek_cqe(ring, &cqe)) {
		TH_LOG("entry %llu: %d", (unsigned long long)cqe->user_data,
		       cqe->res);
	}
}

FIXTURE(uring) {
	const struct format *f;
	int fd;
	struct io_uring ring;
	struct words last;	/* order of the last ID taken */
	__u8 *memory;		/* for IDS IDs */
	size_t size;
};

FORMAT_VARIANTS(uring)

FIXTURE_SETUP(uring)
{
	self->f = format_of(variant->format);
	self->fd = open_device_file(self->f, "", 0);
	ASSERT_LE(0, self->fd);
	self->size = IDS * self->f->id_size;
	self->memory = malloc(self->size);
	ASSERT_NE(NULL, self->memory);
	if (io_uring_queue_init(ENTRIES, &self->ring, 0))
		SKIP_TEST(NO_URING);
	let_clock_catch_up();
}

FIXTURE_TEARDOWN(uring)
{
	io_uring_queue_exit(&self->ring);
	free(self->memory);
	close(self->fd);
}

/* The read completes at submission with all IDs, each above the ones before. */
static void check_given(struct __test_metadata *_metadata,
			FIXTURE_DATA(uring) *self)
{
	struct io_uring_cqe *cqe;

	submit(_metadata, &self->ring, 1);
	ASSERT_EQ(0, io_uring_peek_cqe(&self->ring, &cqe));
	ASSERT_EQ(self->size, cqe->res);
	io_uring_cqe_seen(&self->ring, cqe);
	ASSERT_EQ(IDS, count_in_order(self->f, self->memory, IDS,
				      &self->last));
}

TEST_F(uring, at_once_without_a_worker)
{
	struct iovec whole = { self->memory, self->size };
	struct iovec parts[] = {
		{ self->memory, 5 }, { self->memory + 5, self->size - 5 },
	};
	struct io_uring_sqe *sqe;
	int round;

	ASSERT_EQ(0, io_uring_register_buffers(&self->ring, &whole, 1));
	for (round = 0; round < 10; round++) {
		add_read(_metadata, &self->ring, self->fd, self->memory,
			 self->size, 0);
		check_given(_metadata, self);

		sqe = next_entry(_metadata, &self->ring);
		io_uring_prep_readv(sqe, self->fd, parts, 2, -1);
		check_given(_metadata, self);

		sqe = next_entry(_metadata, &self->ring);
		io_uring_prep_read_fixed(sqe, self->fd, self->memory,
					 self->size, -1, 0);
		check_given(_metadata, self);
	}
	ASSERT_EQ(0, count_workers(_metadata));
}

/* IOSQE_ASYNC starts a worker: count_workers() is able to see one. */
TEST_F(uring, worker_if_asked_for)
{
	io_uring_sqe_set_flags(add_read(_metadata, &self->ring, self->fd,
					self->memory, self->size, 0),
			       IOSQE_ASYNC);
	submit(_metadata, &self->ring, 1);
	ASSERT_EQ(self->size,
		  wait_for_result(_metadata, &self->ring, NULL, NULL));
	ASSERT_EQ(IDS, count_in_order(self->f, self->memory, IDS,
				      &self->last));
	ASSERT_LT(0, count_workers(_metadata));
}

/* Linked reads run in order; if one fails, the next ones are cancelled. */
TEST_F(uring, linked)
{
	enum { NR = 8, FAILS = 5 };
	size_t part = 7 * self->f->id_size;
	struct io_uring_sqe *sqe;
	__u64 number;
	int round, i;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < NR; i++) {
			size_t size = round && i == FAILS ? 3 : part;

			sqe = add_read(_metadata, &self->ring, self->fd,
				       self->memory + i * part, size, i);
			if (i < NR - 1)
				io_uring_sqe_set_flags(sqe, IOSQE_IO_LINK);
		}
		submit(_metadata, &self->ring, NR);
		for (i = 0; i < NR; i++) {
			int expected = !round || i < FAILS ? (int)part :
				       i == FAILS ? -EINVAL : -ECANCELED;

			ASSERT_EQ(expected,
				  wait_for_result(_metadata, &self->ring,
						  &number, NULL));
			ASSERT_EQ(i, number);
			if (expected < 0)
				continue;
			ASSERT_EQ(7, count_in_order(self->f,
						    self->memory + i * part, 7,
						    &self->last));
		}
	}
}

/*
 * Many concurrent reads ask for more lex IDs than the window has. All of them
 * complete, and io_uring tries each of them a few times only.
 */
TEST(lex_over_its_rate)
{
	enum { READS = ENTRIES, COUNT = 4096, ROUNDS = 4 };
	const struct format *f = format_of(KUID_FORMAT_LEX);
	__u8 *ids = malloc((size_t)READS * COUNT * f->id_size);
	struct kuid_status before, after;
	struct io_uring ring;
	int fd = open_device_file(f, "", 0);
	int round, i, part = 0;
	size_t sum = 0;
	__u64 number;

	ASSERT_NE(NULL, ids);
	ASSERT_LE(0, fd);
	if (io_uring_queue_init(READS, &ring, 0))
		SKIP(return, NO_URING);
	ASSERT_EQ(0, get_status(fd, &before));
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < READS; i++)
			add_read(_metadata, &ring, fd, ids + i * COUNT * f->id_size,
				 COUNT * f->id_size, i);
		submit(_metadata, &ring, READS);
		for (i = 0; i < READS; i++) {
			struct words last = { 0 };
			int got = wait_for_result(_metadata, &ring, &number,
						  NULL);

			ASSERT_LT(0, got) {
				TH_LOG("%s", strerror(-got));
			}
			ASSERT_EQ(0, got % f->id_size);
			got /= f->id_size;
			part += got < COUNT;
			ASSERT_EQ(got, count_in_order(f, ids + number * COUNT *
						      f->id_size, got, &last));
			sum += got;
		}
	}
	ASSERT_EQ(0, get_status(fd, &after));
	TH_LOG("%zu IDs, %d reads of %d cut short, %llu times EAGAIN or short",
	       sum, part, READS * ROUNDS,
	       (unsigned long long)(after.would_blocks - before.would_blocks));
	EXPECT_EQ(before.waits, after.waits);
	EXPECT_EQ(before.ids[f->number] + sum, after.ids[f->number]);
	EXPECT_GE(before.would_blocks + 3 * READS * ROUNDS,
		  after.would_blocks);
	EXPECT_EQ(0, count_workers(_metadata));
	io_uring_queue_exit(&ring);
	close(fd);
	free(ids);
}

FIXTURE(none_left) {
	struct all_wait all;
	struct io_uring ring;
	__u8 memory[NR_FORMAT_FILES][8 * LINE_MAX_SIZE];
};

FIXTURE_VARIANT(none_left) {
	int flags;
};

FIXTURE_VARIANT_ADD(none_left, blocking) { 0 };
FIXTURE_VARIANT_ADD(none_left, nonblocking) { O_NONBLOCK };

FIXTURE_SETUP(none_left)
{
	if (io_uring_queue_init(ENTRIES, &self->ring, 0))
		SKIP_TEST(NO_URING);
	set_up_all_wait(_metadata, &self->all, variant->flags);
}

FIXTURE_TEARDOWN(none_left)
{
	io_uring_queue_exit(&self->ring);
	tear_down_all_wait(_metadata, &self->all);
}

/* Ask each device file for some IDs. The file's index identifies the read. */
static void ask_all(struct __test_metadata *_metadata,
		    FIXTURE_DATA(none_left) *self, unsigned int flags)
{
	int i;

	for (i = 0; i < NR_FORMAT_FILES; i++)
		io_uring_sqe_set_flags(add_read(_metadata, &self->ring,
						self->all.fds[i], self->memory[i],
						6 * size_of_one(i), i), flags);
	submit(_metadata, &self->ring, NR_FORMAT_FILES);
}

static void check_all_served(struct __test_metadata *_metadata,
			     FIXTURE_DATA(none_left) *self)
{
	__u8 id[ID_SIZE_MAX];
	__u64 number;
	int i, got;

	for (i = 0; i < NR_FORMAT_FILES; i++) {
		const struct format *f;
		struct words last = { 0 };

		got = wait_for_result(_metadata, &self->ring, &number, NULL);
		f = format_of_file(number);
		ASSERT_LT(0, got) {
			TH_LOG("file %llu: %s", (unsigned long long)number,
			       strerror(-got));
		}
		ASSERT_LE(size_of_one(number), got);
		if (is_text_file(number)) {
			ASSERT_TRUE(parse_line(f, (char *)self->memory[number],
					       id));
		} else {
			ASSERT_EQ(0, got % f->id_size);
			got /= f->id_size;
			ASSERT_EQ(got, count_in_order(f, self->memory[number],
						      got, &last));
		}
	}
}

/*
 * While no IDs are available nothing completes and few tries are made; then all
 * reads complete.
 */
TEST_F(none_left, served_in_the_end)
{
	struct kuid_status before, after;
	__u64 begin, seconds;
	int i;

	ASSERT_EQ(0, get_status(self->all.fd, &before));
	begin = clock_ns();
	ask_all(_metadata, self, 0);
	for (i = 0; i < 20; i++) {
		usleep(10000);
		check_none_done(_metadata, &self->ring);
	}
	ASSERT_EQ(0, get_status(self->all.fd, &after));
	seconds = (clock_ns() - begin) / NSEC_PER_SEC;
	TH_LOG("%llu times EAGAIN",
	       (unsigned long long)(after.would_blocks - before.would_blocks));
	EXPECT_EQ(0, count_workers(_metadata));
	/* One try at submission, and a few at the module's periodic checks. */
	EXPECT_GE(before.would_blocks + (2 + 2 * seconds) * NR_FORMAT_FILES,
		  after.would_blocks);
	EXPECT_EQ(before.waits, after.waits);
	ASSERT_EQ(0, let_all_go(self->all.fd));
	check_all_served(_metadata, self);
}

TEST_F(none_left, served_by_a_worker)
{
	ask_all(_metadata, self, IOSQE_ASYNC);
	usleep(20000);
	check_none_done(_metadata, &self->ring);
	ASSERT_EQ(0, let_all_go(self->all.fd));
	check_all_served(_metadata, self);
}

/* A cancelled read has taken no ID and doesn't block later reads. */
static void cancel_all(struct __test_metadata *_metadata,
		       FIXTURE_DATA(none_left) *self, unsigned int flags)
{
	enum { CANCEL = 1000 };
	struct kuid_status before, after;
	struct io_uring_sqe *sqe;
	__u64 number;
	int i, result;

	ASSERT_EQ(0, get_status(self->all.fd, &before));
	ask_all(_metadata, self, flags);
	usleep(20000);
	for (i = 0; i < NR_FORMAT_FILES; i++) {
		sqe = next_entry(_metadata, &self->ring);
		io_uring_prep_cancel64(sqe, i, 0);
		io_uring_sqe_set_data64(sqe, CANCEL + i);
	}
	submit(_metadata, &self->ring, NR_FORMAT_FILES);
	for (i = 0; i < 2 * NR_FORMAT_FILES; i++) {
		result = wait_for_result(_metadata, &self->ring, &number, NULL);
		if (number >= CANCEL) {
			/*
			 * -EALREADY: the read is running and has been told to
			 * stop.
			 */
			ASSERT_TRUE(!result || result == -EALREADY);
		} else {
			ASSERT_TRUE(result == -ECANCELED || result == -EINTR) {
				TH_LOG("file %llu: %d",
				       (unsigned long long)number, result);
			}
		}
	}
	ASSERT_EQ(0, get_status(self->all.fd, &after));
	EXPECT_EQ(0, memcmp(before.ids, after.ids, sizeof(before.ids)));
	ASSERT_EQ(0, let_all_go(self->all.fd));
	ask_all(_metadata, self, 0);
	check_all_served(_metadata, self);
}

TEST_F(none_left, cancelled)
{
	cancel_all(_metadata, self, 0);
}

TEST_F(none_left, cancelled_in_a_worker)
{
	cancel_all(_metadata, self, IOSQE_ASYNC);
}

/* Close the ring with reads pending; leftovers would keep the module in use. */
TEST_F(none_left, ring_closed)
{
	ask_all(_metadata, self, 0);
	io_uring_queue_exit(&self->ring);
	ASSERT_EQ(0, io_uring_queue_init(ENTRIES, &self->ring, 0));
	ask_all(_metadata, self, IOSQE_ASYNC);
	io_uring_queue_exit(&self->ring);
	ASSERT_EQ(0, io_uring_queue_init(ENTRIES, &self->ring, 0));
	ASSERT_EQ(0, let_all_go(self->all.fd));
	ask_all(_metadata, self, 0);
	check_all_served(_metadata, self);
}

TEST_F(none_left, killed)
{
	pid_t child;
	int *ready = share_memory(sizeof(*ready));

	ASSERT_NE(NULL, ready);
	child = fork_child();
	ASSERT_LE(0, child);
	if (!child) {
		if (io_uring_queue_init(ENTRIES, &self->ring, 0))
			_exit(1);
		ask_all(_metadata, self, 0);
		__atomic_store_n(ready, 1, __ATOMIC_RELEASE);
		for (;;)
			pause();
	}
	while (!__atomic_load_n(ready, __ATOMIC_ACQUIRE) &&
	       state_of(child) != 'Z')
		usleep(1000);
	ASSERT_EQ(0, kill(child, SIGKILL));
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	ASSERT_EQ(1, *ready);
	ASSERT_EQ(0, let_all_go(self->all.fd));
	ask_all(_metadata, self, 0);
	check_all_served(_metadata, self);
}

/*
 * Set the same ceiling again. This makes the module's waiters check
 * again without any ID becoming available, so it must not look like an event to
 * io_uring.
 */
static void look_again(struct __test_metadata *_metadata,
		       FIXTURE_DATA(none_left) *self)
{
	struct kuid_state state;

	ASSERT_EQ(0, get_state(self->all.fd, &state));
	ASSERT_EQ(0, raise_cover(self->all.fd, state.ceiling_ns));
}

/* Poll until IDs are available, then read. */
TEST_F(none_left, polled_then_read)
{
	enum { POLL = 1000 };
	struct io_uring_sqe *sqe;
	__u64 number;
	int i, result;

	for (i = 0; i < NR_FORMAT_FILES; i++) {
		sqe = next_entry(_metadata, &self->ring);
		io_uring_prep_poll_add(sqe, self->all.fds[i], POLLIN);
		io_uring_sqe_set_data64(sqe, POLL + i);
		io_uring_sqe_set_flags(sqe, IOSQE_IO_LINK);
		add_read(_metadata, &self->ring, self->all.fds[i],
			 self->memory[i], size_of_one(i), i);
	}
	submit(_metadata, &self->ring, 2 * NR_FORMAT_FILES);
	for (i = 0; i < 5; i++) {
		look_again(_metadata, self);
		usleep(5000);
		check_none_done(_metadata, &self->ring);
	}
	ASSERT_EQ(0, let_all_go(self->all.fd));
	for (i = 0; i < 2 * NR_FORMAT_FILES; i++) {
		result = wait_for_result(_metadata, &self->ring, &number, NULL);
		if (number >= POLL) {
			/* POLLERR would mean that no IDs ever come. */
			ASSERT_EQ(POLLIN, result);
		} else {
			ASSERT_EQ(size_of_one(number), result);
		}
	}
}

/* A multishot poll reports each time that IDs become available again. */
TEST_F(none_left, polled_many_times)
{
	struct io_uring_sqe *sqe;
	int told[NR_FORMAT_FILES] = { 0 };
	__u64 number;
	__u32 flags;
	int i, round;

	for (i = 0; i < NR_FORMAT_FILES; i++) {
		sqe = next_entry(_metadata, &self->ring);
		io_uring_prep_poll_multishot(sqe, self->all.fds[i], POLLIN);
		io_uring_sqe_set_data64(sqe, i);
	}
	submit(_metadata, &self->ring, NR_FORMAT_FILES);
	for (round = 1; round <= 3; round++) {
		struct io_uring_cqe *cqe;
		int left = NR_FORMAT_FILES;

		look_again(_metadata, self);
		usleep(5000);
		check_none_done(_metadata, &self->ring);
		ASSERT_EQ(0, let_all_go(self->all.fd));
		while (left) {
			ASSERT_EQ(POLLIN,
				  wait_for_result(_metadata, &self->ring,
						  &number, &flags));
			ASSERT_TRUE(flags & IORING_CQE_F_MORE);
			left -= told[number] < round;
			told[number] = round;
		}
		have_all_wait(_metadata, self->all.fd);
		/* Events reported before the IDs ran out are valid. */
		while (!io_uring_peek_cqe(&self->ring, &cqe)) {
			ASSERT_EQ(POLLIN, cqe->res);
			io_uring_cqe_seen(&self->ring, cqe);
		}
	}
}

TEST_HARNESS_MAIN
