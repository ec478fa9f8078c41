// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that can't deliver their IDs because the buffer can't be written. Such
 * a call uses up at most one ID, so it can't keep IDs from other callers.
 *
 * IDs in host order show how many IDs were used up between two of them, as long
 * as the first of the two is ahead of the clock.
 */
#include "../lib/harness.h"

#include <liburing.h>
#include <sys/uio.h>

#include "../lib/children.h"
#include "../lib/own_module.h"

#define NO_URING	"the kernel has no io_uring, or forbids it"

#define BATCH		4096

/* The largest window, so that slow machines stay ahead of the clock. */
#define PARAMS		"max_ahead_ms=1000"

#define AHEAD_WANTED_NS	(300 * NSEC_PER_MSEC)

/* Few calls, so that a slow machine completes them before the clock arrives. */
#define CALLS		20

FIXTURE(undelivered) {
	const struct format *f;
	int fd;			/* host order, O_NONBLOCK */
	int text;		/* likewise, text */
	long page;
	__u8 *hole;		/* inaccessible page behind a writable one */
	__u8 *ids;
	struct io_uring ring;
	__u64 addresses[BAD_ADDRESSES_MAX];
	int nr_addresses;
};

FIXTURE_VARIANT(undelivered) {
	__u32 format;
};

FIXTURE_VARIANT_ADD(undelivered, lex) { KUID_FORMAT_LEX };
FIXTURE_VARIANT_ADD(undelivered, k64) { KUID_FORMAT_K64 };
FIXTURE_VARIANT_ADD(undelivered, snowflake) { KUID_FORMAT_SNOWFLAKE };

FIXTURE_SETUP(undelivered)
{
	self->f = format_of(variant->format);
	self->page = sysconf(_SC_PAGESIZE);
	/* Keep the page mapped: a later mapping could fill a real hole. */
	self->hole = mmap(NULL, 2 * self->page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->hole);
	self->hole += self->page;
	ASSERT_EQ(0, mprotect(self->hole, self->page, PROT_NONE));
	self->ids = malloc(BATCH * ID_SIZE_MAX);
	ASSERT_NE(NULL, self->ids);
	/* Populate the pages now: faults would cost time in the tests. */
	memset(self->ids, POISON, BATCH * ID_SIZE_MAX);
	self->nr_addresses = bad_addresses(self->addresses);
	take_module(_metadata);
	ASSERT_EQ(0, load(PARAMS));
	self->fd = open_device_file(self->f, "", O_NONBLOCK);
	ASSERT_LE(0, self->fd);
	self->text = open_device_file(self->f, ".txt", O_NONBLOCK);
	ASSERT_LE(0, self->text);
	ASSERT_EQ(0, set_order(self->fd, KUID_ORDER_HOST));
	ASSERT_EQ(0, set_order(self->text, KUID_ORDER_HOST));
}

FIXTURE_TEARDOWN(undelivered)
{
	close(self->fd);
	close(self->text);
	give_back_module(_metadata);
}

/* The slot of the next ID, which is its number, and its time. */
static __u64 next_slot(struct __test_metadata *_metadata,
		       FIXTURE_DATA(undelivered) *self, __u64 *ns)
{
	__u8 id[ID_SIZE_MAX];
	struct fields fields;

	ASSERT_EQ(1, read_ids(self->f, self->fd, id, 1));
	ASSERT_TRUE(decode(self->f, id, &fields));
	*ns = fields.ns;
	return fields.slot;
}

/*
 * Take IDs until they are far enough ahead of the clock. A machine that is too
 * slow for that stops after BATCHES_MAX.
 */
static void get_ahead(struct __test_metadata *_metadata,
		      FIXTURE_DATA(undelivered) *self)
{
	enum { BATCHES_MAX = 5000 };
	struct fields fields;
	int nr;

	for (nr = 0; nr < BATCHES_MAX; nr++) {
		ASSERT_LT(0, read_ids(self->f, self->fd, self->ids, BATCH));
		ASSERT_TRUE(decode(self->f, self->ids, &fields));
		if (fields.ns > clock_ns() + AHEAD_WANTED_NS)
			break;
	}
}

/* A way of failing. Returns the number of IDs delivered or a negative errno. */
typedef long (*fail_t)(FIXTURE_DATA(undelivered) *self, __u8 *to, __u32 count);

static long fail_generate(FIXTURE_DATA(undelivered) *self, __u8 *to,
			  __u32 count)
{
	return generate_in_order(self->f, self->fd, KUID_ORDER_HOST, to, count);
}

/* In the order of the file. */
static long fail_generate_of_file(FIXTURE_DATA(undelivered) *self, __u8 *to,
				  __u32 count)
{
	return generate_ids(self->f, self->fd, to, count);
}

static long fail_read(FIXTURE_DATA(undelivered) *self, __u8 *to, __u32 count)
{
	return read_ids(self->f, self->fd, to, count);
}

static long fail_readv(FIXTURE_DATA(undelivered) *self, __u8 *to, __u32 count)
{
	struct iovec parts[] = {
		{ to, 1 }, { to + 1, (size_t)count * self->f->id_size - 1 },
	};
	ssize_t size = readv(self->fd, parts, 2);

	return size < 0 ? -errno : size / self->f->id_size;
}

static long fail_text(FIXTURE_DATA(undelivered) *self, __u8 *to, __u32 count)
{
	size_t line = self->f->text_size + 1;
	ssize_t size = read(self->text, to, count * line);

	/* A line that was delivered in part is kept and counts as an ID. */
	return size < 0 ? -errno : (size + line - 1) / line;
}

static long fail_ring(FIXTURE_DATA(undelivered) *self, __u8 *to, __u32 count)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&self->ring);
	struct io_uring_cqe *cqe;
	int got;

	if (!sqe)
		return -ENOBUFS;
	io_uring_prep_read(sqe, self->fd, to, count * self->f->id_size, -1);
	if (io_uring_submit_and_wait(&self->ring, 1) != 1 ||
	    io_uring_peek_cqe(&self->ring, &cqe))
		return -EIO;
	got = cqe->res;
	io_uring_cqe_seen(&self->ring, cqe);
	return got < 0 ? got : got / (int)self->f->id_size;
}

/*
 * Fail again and again, at each of the addresses in turn. Returns false if the
 * clock overtook the IDs.
 */
static bool check_loss(struct __test_metadata *_metadata,
		       FIXTURE_DATA(undelivered) *self, fail_t fail,
		       const __u64 *addresses, int nr_addresses, __u32 count)
{
	__u64 first, last, first_ns, last_ns, delivered = 0;
	int calls;

	get_ahead(_metadata, self);
	first = next_slot(_metadata, self, &first_ns);
	for (calls = 0; calls < CALLS; calls++) {
		long got = fail(self, as_pointer(addresses[calls %
							   nr_addresses]),
				count);

		if (got > 0)
			delivered += got;
		else
			ASSERT_EQ(-EFAULT, got) {
				TH_LOG("call %d for %u at %llx", calls, count,
				       (unsigned long long)
				       addresses[calls % nr_addresses]);
			}
		if (delivered)
			ASSERT_LT(0, got);
	}
	last = next_slot(_metadata, self, &last_ns);
	/* Slots in the past are skipped, which would look like used up. */
	if (clock_ns() >= first_ns)
		return false;
	EXPECT_LE(last - first - 1, delivered + calls) {
		TH_LOG("calls for %u used up %llu and delivered %llu", count,
		       (unsigned long long)(last - first - 1),
		       (unsigned long long)delivered);
	}
	return true;
}

static void check_all_loss(struct __test_metadata *_metadata,
			   FIXTURE_DATA(undelivered) *self, fail_t fail)
{
	static const __u32 counts[] = { 1, 2, 1024, 65536 };
	const __u64 hole = (uintptr_t)self->hole;
	const __u64 page = hole - self->page;
	bool shown = false;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		shown |= check_loss(_metadata, self, fail, self->addresses,
				    self->nr_addresses, counts[i]);
		shown |= check_loss(_metadata, self, fail, &hole, 1, counts[i]);
		/* A call for that many IDs fills the writable page first. */
		if (counts[i] >= 1024)
			shown |= check_loss(_metadata, self, fail, &page, 1,
					    counts[i]);
		ASSERT_EQ(0, mprotect(self->hole - self->page, self->page,
				      PROT_READ));
		shown |= check_loss(_metadata, self, fail, &page, 1, counts[i]);
		ASSERT_EQ(0, mprotect(self->hole - self->page, self->page,
				      PROT_READ | PROT_WRITE));
	}
	if (!shown && PASSED_SO_FAR)
		SKIP(return, TOO_SLOW);
}

TEST_F(undelivered, by_generate)
{
	check_all_loss(_metadata, self, fail_generate);
}

TEST_F(undelivered, by_read)
{
	check_all_loss(_metadata, self, fail_read);
}

/*
 * A call for one ID or line in file order takes a short path first, and the
 * general path if the short one fails. Only one of the two may use up an ID. On
 * one CPU, the IDs of such calls show how many were used up.
 */
static void check_single_loss(struct __test_metadata *_metadata,
			      FIXTURE_DATA(undelivered) *self, fail_t fail)
{
	const __u64 hole = (uintptr_t)self->hole;
	const __u64 page = hole - self->page;
	size_t line = self->f->text_size + 1;
	bool shown = false;
	__u64 ns;
	int cpu;

	ASSERT_EQ(1, allowed_cpus(&cpu, 1));
	ASSERT_EQ(0, move_to_cpu(0, cpu));
	close(self->fd);
	self->fd = open_device_file(self->f, "", O_NONBLOCK);
	ASSERT_LE(0, self->fd);
	close(self->text);
	self->text = open_device_file(self->f, ".txt", O_NONBLOCK);
	ASSERT_LE(0, self->text);
	/* The first call of a file never takes the short path. */
	next_slot(_metadata, self, &ns);
	ASSERT_EQ(line, read(self->text, self->ids, line));

	shown |= check_loss(_metadata, self, fail, self->addresses,
			    self->nr_addresses, 1);
	shown |= check_loss(_metadata, self, fail, &hole, 1, 1);
	ASSERT_EQ(0, mprotect(self->hole - self->page, self->page, PROT_READ));
	shown |= check_loss(_metadata, self, fail, &page, 1, 1);
	if (!shown && PASSED_SO_FAR)
		SKIP(return, TOO_SLOW);
}

TEST_F(undelivered, by_single_generate_in_file_order)
{
	check_single_loss(_metadata, self, fail_generate_of_file);
}

TEST_F(undelivered, by_single_read_in_file_order)
{
	check_single_loss(_metadata, self, fail_read);
}

TEST_F(undelivered, by_reading_a_line_in_file_order)
{
	check_single_loss(_metadata, self, fail_text);
}

TEST_F(undelivered, by_readv)
{
	check_all_loss(_metadata, self, fail_readv);
}

TEST_F(undelivered, by_reading_text)
{
	check_all_loss(_metadata, self, fail_text);
}

TEST_F(undelivered, by_io_uring)
{
	if (io_uring_queue_init(1, &self->ring, 0))
		SKIP(return, NO_URING);
	check_all_loss(_metadata, self, fail_ring);
	io_uring_queue_exit(&self->ring);
}

/*
 * Other processes fail all the time. The reader takes fewer IDs than batches
 * may use at once, so even the slowest machine must not make it wait.
 */
TEST_F(undelivered, reader_beside_failing_calls)
{
	enum { OTHERS = 2, READS = 2000, COUNT = 8 };
	static const fail_t ways[OTHERS] = { fail_generate, fail_read };
	struct kuid_status before, after;
	struct words last = { 0 };
	pid_t others[OTHERS];
	__u64 *calls;
	int nr, i;

	calls = share_memory(OTHERS * sizeof(*calls));
	ASSERT_NE(NULL, calls);
	ASSERT_EQ(0, get_status(self->fd, &before));
	for (nr = 0; nr < OTHERS; nr++) {
		others[nr] = fork_child();
		ASSERT_LE(0, others[nr]);
		while (!others[nr]) {
			if (ways[nr](self, self->hole, BATCH) != -EFAULT)
				_exit(1);
			__atomic_add_fetch(&calls[nr], 1, __ATOMIC_RELAXED);
		}
	}
	for (i = 0; i < READS; i++) {
		/* Let the others run between some of the reads. */
		if (i % 100 == 0)
			usleep(1000);
		ASSERT_EQ(COUNT, read_ids(self->f, self->fd, self->ids, COUNT));
		ASSERT_EQ(COUNT, count_in_order(self->f, self->ids, COUNT,
						&last));
	}
	for (nr = 0; nr < OTHERS; nr++) {
		while (!__atomic_load_n(&calls[nr], __ATOMIC_RELAXED))
			usleep(1000);
		ASSERT_EQ(0, waitpid(others[nr], NULL, WNOHANG));
		ASSERT_EQ(0, kill(others[nr], SIGKILL));
		ASSERT_EQ(others[nr], waitpid(others[nr], NULL, 0));
	}
	ASSERT_EQ(0, get_status(self->fd, &after));
	EXPECT_EQ(before.waits, after.waits);
	EXPECT_EQ(before.would_blocks, after.would_blocks);
	TH_LOG("%llu calls failed meanwhile",
	       (unsigned long long)(calls[0] + calls[1]));
}

TEST_HARNESS_MAIN
