// SPDX-License-Identifier: GPL-2.0-only
/*
 * All ways to take IDs from an open file give the same: whole IDs or lines, each
 * above all before it, as many as fit, none twice and none lost. A row of the
 * table of transports is such a way. Most cases try all rows, and then rows in
 * random turn on one file.
 */
#include "../lib/harness.h"

/* 32-bit programs have no liburing. */
#ifdef __LP64__
#include <liburing.h>
#endif
#include <limits.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

#include "../lib/children.h"
#include "../lib/own_module.h"

#define PIPE_SIZE	65536
#define PAGES		10		/* before the hole */
#define MEMORY_PAGES	1600
#define GAP		24		/* between scattered segments */
#define MANY		120000U		/* more lex IDs than the window has */
#define MIB		(1024UL * 1024)
#define RANGE		(2048 * MIB)

/* IDs that no window lacks after let_clock_catch_up(); lex has the fewest. */
#define IDS_READY	40000U

/* The system call behind sendfile() of the C library. */
#ifdef SYS_sendfile64
#define SEND_FILE	SYS_sendfile64
#else
#define SEND_FILE	SYS_sendfile
#endif

/**
 * struct end - an open file, and what transports need
 * @taken: IDs since the window was full
 * @at: bytes of text that were taken
 * @epoch: of all IDs, with @load_id
 */
struct end {
	const struct format *f;
	bool text;
	int fd, pipe[2], socket[2];
	__u32 seed;
	unsigned int taken;
	size_t at;
	__u64 epoch, load_id;
};

/*
 * One for all files of a test: when a ring ends, its work interrupts calls that
 * sleep, as a signal does.
 */
#ifdef __LP64__
static struct io_uring ring;
#endif
static bool has_ring;

/* Bytes of an ID, or of a line. */
static size_t one(const struct end *e)
{
	return e->text ? e->f->text_size + 1 : e->f->id_size;
}

static long result(ssize_t ret)
{
	return ret < 0 ? -errno : ret;
}

/* Cut memory into segments: some of them are empty, or all have one byte. */
static int cut(struct end *e, struct iovec *segments, __u8 *to, size_t size)
{
	bool bytes = size && size <= IOV_MAX && pick(&e->seed) % 4 == 0;
	int nr = bytes ? size : 1 + pick(&e->seed) % 9;
	int i;

	for (i = 0; i < nr; i++) {
		size_t part = i == nr - 1 ? size : bytes ? 1 :
			      pick(&e->seed) % ((pick(&e->seed) % 2 ? size :
						 size % 40) + 1);

		segments[i] = (struct iovec) { to, part };
		to += part;
		size -= part;
	}
	return nr;
}

static long by_read(struct end *e, __u8 *to, size_t size)
{
	return result(read(e->fd, to, size));
}

static long by_readv(struct end *e, __u8 *to, size_t size)
{
	struct iovec segments[IOV_MAX];

	return result(readv(e->fd, segments, cut(e, segments, to, size)));
}

static long read_with(struct end *e, __u8 *to, size_t size, int flags)
{
	struct iovec segments[IOV_MAX];
	int nr = cut(e, segments, to, size);

	return result(preadv2(e->fd, segments, nr, -1, flags));
}

/* The flags that concern disks have no effect. */
static long by_preadv2(struct end *e, __u8 *to, size_t size)
{
	return read_with(e, to, size, RWF_HIPRI | RWF_DSYNC | RWF_SYNC);
}

static long by_preadv2_without_waiting(struct end *e, __u8 *to, size_t size)
{
	return read_with(e, to, size, RWF_NOWAIT);
}

/*
 * Into segments that lie in reverse order, with gaps. A call that wrote more
 * than its segments is -EIO.
 */
static long by_scattered_readv(struct end *e, __u8 *to, size_t size)
{
	static __u8 scattered[(MANY + 1) * LINE_MAX_SIZE + IOV_MAX * GAP];
	__u8 *at = scattered + sizeof(scattered);
	struct iovec segments[IOV_MAX];
	int nr = cut(e, segments, to, size), i;
	long got, left;

	for (i = 0; i < nr; i++) {
		at -= segments[i].iov_len + GAP;
		segments[i].iov_base = at;
	}
	memset(at, POISON, scattered + sizeof(scattered) - at);
	got = result(readv(e->fd, segments, nr));
	left = got < 0 ? 0 : got;
	for (i = 0; i < nr; i++) {
		size_t part = segments[i].iov_len;

		if (part > left)
			part = left;
		memcpy(to, segments[i].iov_base, part);
		if (!all_bytes((__u8 *)segments[i].iov_base + part, POISON,
			       segments[i].iov_len - part + GAP))
			return -EIO;
		to += part;
		left -= part;
	}
	return got;
}

static long by_ring(struct end *e, __u8 *to, size_t size)
{
#ifdef __LP64__
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
	struct io_uring_cqe *cqe;
	long got;

	io_uring_prep_read(sqe, e->fd, to, size, -1);
	if (fcntl(e->fd, F_GETFL) & O_NONBLOCK)
		sqe->rw_flags = RWF_NOWAIT;
	if (io_uring_submit_and_wait(&ring, 1) != 1 ||
	    io_uring_peek_cqe(&ring, &cqe))
		return -EIO;
	got = cqe->res;
	io_uring_cqe_seen(&ring, cqe);
	return got;
#else
	return -EOPNOTSUPP;
#endif
}

/* Read all that a call has put into a pipe or a socket. */
static long drain(int from, __u8 *to, long size)
{
	long sum = 0, got;

	while (sum < size && (got = read(from, to + sum, size - sum)) > 0)
		sum += got;
	return size < 0 || sum == size ? size : -EIO;
}

static long by_splice(struct end *e, __u8 *to, size_t size)
{
	long got = result(splice(e->fd, NULL, e->pipe[1], NULL, size,
				 SPLICE_F_MOVE));

	return drain(e->pipe[0], to, got);
}

static long by_sendfile(struct end *e, __u8 *to, size_t size)
{
	long got = result(sendfile(e->pipe[1], e->fd, NULL, size));

	return drain(e->pipe[0], to, got);
}

/* Through a nonblocking socket, which takes a part at a time. */
static long by_socket(struct end *e, __u8 *to, size_t size)
{
	long got = result(splice(e->fd, NULL, e->pipe[1], NULL, size, 0));
	long sum = 0;

	while (sum < got) {
		long put = splice(e->pipe[0], NULL, e->socket[1], NULL,
				  got - sum, 0);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0 || drain(e->socket[0], to + sum, put) != put)
			return -EIO;
		sum += put;
	}
	return got;
}

/* The struct must have nothing but the result, and all of it. */
static long generate(struct end *e, __u32 order, __u32 flags, __u8 *to,
		     size_t size)
{
	struct kuid_generate g, expected;

	memset(&g, 0, sizeof(g));
	g.buffer = (uintptr_t)to;
	g.format = pick(&e->seed) % 2 ? e->f->number : KUID_FORMAT_DEFAULT;
	g.order = order;
	g.flags = flags;
	g.count = size / e->f->id_size;
	memset(&g.done, POISON, sizeof(g.done));
	memset(&g.epoch, POISON, sizeof(g.epoch));
	memset(&g.load_id, POISON, sizeof(g.load_id));
	expected = g;
	if (ioctl(e->fd, KUID_IOC_GENERATE, &g))
		return memcmp(&g, &expected, sizeof(g)) ? -EIO : -errno;
	e->epoch = e->epoch ?: g.epoch;
	e->load_id = e->load_id ?: g.load_id;
	expected.done = g.done;
	expected.epoch = e->epoch;
	expected.load_id = e->load_id;
	return memcmp(&g, &expected, sizeof(g)) || !g.epoch || !g.load_id ?
	       -EIO : (long)(g.done * e->f->id_size);
}

static long by_generate(struct end *e, __u8 *to, size_t size)
{
	return generate(e, KUID_ORDER_DEFAULT, 0, to, size);
}

static long by_generate_of_host(struct end *e, __u8 *to, size_t size)
{
	return generate(e, KUID_ORDER_HOST, 0, to, size);
}

static long by_generate_without_waiting(struct end *e, __u8 *to, size_t size)
{
	return generate(e, KUID_ORDER_DEFAULT, KUID_GENERATE_NOWAIT, to, size);
}

/**
 * enum able - what a transport can do
 * @TEXT: it gives text from a file of text
 * @MEMORY: it writes to the memory of its caller
 * @EMPTY: it calls the module for 0 bytes, too
 * @SHORT: it may give fewer IDs than fit, but not none
 * @NEVER_WAITS: nor does it wait for the first one
 * @IN_PIPE: it gives what a pipe has room for
 */
enum able {
	TEXT = 1, MEMORY = 2, EMPTY = 4, SHORT = 8, NEVER_WAITS = 16, IN_PIPE = 32,
};

/* @call is the system call that it sleeps in, 0 if it sleeps in none. */
static const struct transport {
	const char *name;
	long (*take)(struct end *e, __u8 *to, size_t size);
	unsigned int can;
	long call;
} transports[] = {
	{ "read", by_read, TEXT | MEMORY | EMPTY, SYS_read },
	{ "readv", by_readv, TEXT | MEMORY, SYS_readv },
	{ "readv, scattered", by_scattered_readv, TEXT, SYS_readv },
	{ "preadv2", by_preadv2, TEXT | MEMORY, SYS_preadv2 },
	{ "preadv2, nowait", by_preadv2_without_waiting,
	  TEXT | MEMORY | SHORT | NEVER_WAITS, 0 },
	{ "io_uring", by_ring, TEXT | MEMORY | EMPTY | SHORT, 0 },
	{ "splice", by_splice, TEXT | IN_PIPE, SYS_splice },
	{ "sendfile", by_sendfile, TEXT | IN_PIPE, SEND_FILE },
	{ "splice to a socket", by_socket, TEXT | IN_PIPE, SYS_splice },
	{ "generate", by_generate, MEMORY | EMPTY, SYS_ioctl },
	{ "generate, host", by_generate_of_host, MEMORY | EMPTY, SYS_ioctl },
	{ "generate, nowait", by_generate_without_waiting,
	  MEMORY | EMPTY | SHORT | NEVER_WAITS, 0 },
};

static bool usable(const struct end *e, const struct transport *t,
		   unsigned int can)
{
	return (!e->text || t->can & TEXT) && (t->can & can) == can &&
	       (has_ring || t->take != by_ring);
}

/* The first usable one from @t on. */
static const struct transport *usable_from(const struct transport *t,
					   const struct end *e, unsigned int can)
{
	while (t < transports + ARRAY_SIZE(transports) && !usable(e, t, can))
		t++;
	return t;
}

#define for_each_transport(t, e, can)					\
	for (t = usable_from(transports, e, can);			\
	     t < transports + ARRAY_SIZE(transports);			\
	     t = usable_from(t + 1, e, can))

/* A random one, so that they alternate on one file. */
static const struct transport *any(struct end *e, unsigned int can)
{
	const struct transport *t;

	do
		t = &transports[pick(&e->seed) % ARRAY_SIZE(transports)];
	while (!usable(e, t, can));
	return t;
}

static void start_end(struct __test_metadata *_metadata, struct end *e,
		      const struct format *f, bool text, int flags)
{
	static __u32 seed;

	if (!seed) {
		seed = pick_seed();
		TH_LOG("seed %u", seed);
	}
	*e = (struct end) {
		.f = f, .text = text, .seed = seed, .taken = IDS_READY,
	};
	e->fd = open_device_file(f, text ? ".txt" : "", flags | O_CLOEXEC);
	ASSERT_LE(0, e->fd);
	ASSERT_EQ(0, pipe(e->pipe));
	ASSERT_EQ(PIPE_SIZE, fcntl(e->pipe[0], F_SETPIPE_SZ, PIPE_SIZE));
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, e->socket));
	ASSERT_EQ(0, fcntl(e->socket[1], F_SETFL, O_NONBLOCK));
#ifdef __LP64__
	has_ring = has_ring || !io_uring_queue_init(4, &ring, 0);
#endif
}

/* Does nothing if it has not begun, or has ended. */
static void stop_end(struct end *e)
{
	if (!e->fd)
		return;
	close(e->socket[0]);
	close(e->socket[1]);
	close(e->pipe[0]);
	close(e->pipe[1]);
	close(e->fd);
	e->fd = 0;
}

static __u64 given_so_far(const struct end *e)
{
	struct kuid_status status;

	return get_status(e->fd, &status) ? 0 : status.ids[e->f->number];
}

/* Before a call for so many IDs: no transport may find that they are lacking. */
static void fill_window(struct end *e, unsigned int nr)
{
	if (e->taken + nr > IDS_READY) {
		let_clock_catch_up();
		e->taken = 0;
	}
	e->taken += nr;
}

/* Count whole IDs or lines up to the first wrong one. */
static size_t count_good(const struct end *e, const __u8 *from, size_t size,
			 struct words *last)
{
	size_t nr = size / one(e), i;
	__u8 id[ID_SIZE_MAX];

	if (!e->text)
		return count_in_order(e->f, from, nr, last);
	for (i = 0; i < nr; i++, from += one(e))
		if (!parse_line(e->f, (const char *)from, id) ||
		    count_in_order(e->f, id, 1, last) != 1)
			break;
	return i;
}

FIXTURE(transports) {
	struct end e;
	struct words last;	/* order of the last ID taken */
	size_t page;
	__u8 *memory;		/* MEMORY_PAGES */
	__u8 *hole;		/* a page of it that can't be used */
	__u8 *behind;		/* the memory behind that */
	size_t size;		/* bytes of memory there */
};

FORMAT_VARIANTS(transports)

FIXTURE_SETUP(transports)
{
	int nothing = memfd_create("nothing", 0);

	start_end(_metadata, &self->e, format_of(variant->format), false, 0);
	self->page = sysconf(_SC_PAGESIZE);
	self->memory = mmap(NULL, MEMORY_PAGES * self->page,
			    PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, self->memory);
	self->hole = self->memory + PAGES * self->page;
	self->behind = self->hole + self->page;
	self->size = self->memory + MEMORY_PAGES * self->page - self->behind;
	/* Behind the end of a file, so that no later mapping fills it. */
	ASSERT_EQ(self->hole, mmap(self->hole, self->page,
				   PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_FIXED, nothing, 0));
}

FIXTURE_TEARDOWN(transports)
{
	stop_end(&self->e);
}

/*
 * Take IDs into @size bytes at @to, of which only @room can be written. Nothing
 * before and behind the IDs may be written, but the beginning of one that the
 * hole cuts.
 */
static void check_taken(struct __test_metadata *_metadata,
			FIXTURE_DATA(transports) *self,
			const struct transport *t, __u8 *to, size_t size,
			size_t room)
{
	const size_t before = to - self->memory < 16 ? 0 : 16;
	struct end *e = &self->e;
	size_t fits = room < size ? room : size;
	long wanted, got;

	if (t->can & IN_PIPE && fits > PIPE_SIZE)
		fits = PIPE_SIZE;
	fits -= fits % one(e);
	wanted = fits ?: size < one(e) ? -EINVAL : -EFAULT;
	fill_window(e, fits / one(e));
	memset(to - before, POISON, before + (room < size ? room : size + 16));
	memset(self->behind, POISON, room < size ? 64 : 0);
	got = t->take(e, to, size);
	ASSERT_EQ(wanted, got) {
		TH_LOG("%s: %zu bytes, room for %zu", t->name, size, room);
	}
	ASSERT_EQ(fits / one(e), count_good(e, to, fits, &self->last)) {
		TH_LOG("%s: %zu bytes, room for %zu", t->name, size, room);
	}
	ASSERT_TRUE(all_bytes(to - before, POISON, before));
	ASSERT_TRUE(room < size ? all_bytes(self->behind, POISON, 64) :
		    all_bytes(to + fits, POISON, size + 16 - fits)) {
		TH_LOG("%s: written behind %zu bytes", t->name, size);
	}
}

TEST_F_TIMEOUT(transports, whole_ids_of_any_size, 60)
{
	static const size_t large[] = { 1000, 4096, 16385, 65537, 160000 };
	struct end *e = &self->e;
	__u8 *to = self->behind + 16;
	const struct transport *t;
	size_t size, rows = 0, i;
	__u64 before;

	for_each_transport(t, e, 0) {
		/* The first call of a file takes the general path. */
		stop_end(e);
		start_end(_metadata, e, e->f, false, 0);
		self->last = (struct words) { 0 };
		for (size = t->can & EMPTY ? 0 : 1; size < 5 * one(e) + 2; size++)
			check_taken(_metadata, self, t, to + size % 16, size,
				    size);
		for (i = 0; i < ARRAY_SIZE(large); i++)
			check_taken(_metadata, self, t, to, large[i], large[i]);
	}
	for (i = 0; i < 2000; i++) {
		size = 1 + pick(&e->seed) % (i % 10 ? 100 : 9000);
		check_taken(_metadata, self, any(e, 0), to + i % 16, size, size);
	}
	/* Each ID is counted once. */
	before = given_so_far(e);
	for_each_transport(t, e, 0) {
		check_taken(_metadata, self, t, to, one(e), one(e));
		check_taken(_metadata, self, t, to, 10 * one(e), 10 * one(e));
		rows++;
	}
	EXPECT_EQ(before + 11 * rows, given_so_far(e));
}

/* Near to a hole and far from it. Writable memory behind it is not used. */
TEST_F_TIMEOUT(transports, up_to_a_hole, 60)
{
	struct end *e = &self->e;
	const struct transport *t;
	size_t room, i;
	__u64 before;

	for_each_transport(t, e, MEMORY) {
		for (room = 0; room < 100; room++) {
			check_taken(_metadata, self, t, self->hole - room,
				    room + (room % 2 ? self->page + 64 :
					    one(e) + room * 7 % 300), room);
			check_taken(_metadata, self, any(e, 0), self->memory,
				    3 * one(e), 3 * one(e));
		}
		for (i = 0; i < 17; i++) {
			room = PAGES * self->page - i;
			before = given_so_far(e);
			check_taken(_metadata, self, t, self->hole - room,
				    room + self->page, room);
			EXPECT_EQ(before + room / one(e), given_so_far(e)) {
				TH_LOG("%s", t->name);
			}
		}
	}
}

TEST_F(transports, memory_that_cannot_be_written)
{
	__u64 addresses[BAD_ADDRESSES_MAX + 2];
	int nr = bad_addresses(addresses), i;
	__u8 *page = self->hole - self->page;
	struct end *e = &self->e;
	const struct transport *t;
	__u64 before = given_so_far(e), given = 0;
	size_t n;

	addresses[nr++] = (uintptr_t)self->hole;
	addresses[nr++] = (uintptr_t)page;
	memset(page, POISON, self->page);
	ASSERT_EQ(0, mprotect(page, self->page, PROT_READ));
	for_each_transport(t, e, MEMORY) {
		for (i = 0; i < nr; i++) {
			for (n = 1; n < 5000; n *= 8) {
				ASSERT_EQ(-EFAULT,
					  t->take(e, as_pointer(addresses[i]),
						  n * one(e))) {
					TH_LOG("%s: %zu at %#llx", t->name, n,
					       (unsigned long long)addresses[i]);
				}
			}
			check_taken(_metadata, self, any(e, 0), self->memory,
				    3 * one(e), 3 * one(e));
			given += 3;
		}
	}
	ASSERT_TRUE(all_bytes(page, POISON, self->page));
	EXPECT_EQ(before + given, given_so_far(e));
}

/* Take text behind what was taken, which a line may have been left of. */
static void take_text(struct __test_metadata *_metadata,
		      FIXTURE_DATA(transports) *self, struct end *e,
		      const struct transport *t, size_t size)
{
	size_t wanted = size_of_text(e->f, e->at, size);
	__u8 *to = self->behind + e->at;

	ASSERT_GE(self->size, e->at + size + 16);
	fill_window(e, size / one(e) + 1);
	memset(to, POISON, size + 16);
	ASSERT_EQ(wanted, t->take(e, to, size)) {
		TH_LOG("%s: %zu after %zu", t->name, size, e->at);
	}
	ASSERT_TRUE(all_bytes(to + wanted, POISON, size - wanted + 16)) {
		TH_LOG("%s: written behind %zu", t->name, wanted);
	}
	e->at += wanted;
}

/*
 * The same before a hole: a piece that can't be written loses its line, and the
 * beginning of that, if it was given, is marked. Returns how many were lost.
 */
static int tear_text(struct __test_metadata *_metadata,
		     FIXTURE_DATA(transports) *self, struct end *e,
		     const struct transport *t, size_t size, size_t room)
{
	size_t begun = e->at % one(e);
	__u8 *to = self->behind + e->at;
	long got;
	int whole;

	fill_window(e, room / one(e) + 1);
	got = t->take(e, self->hole - room, size);
	if (got >= 0) {
		ASSERT_EQ(size_of_text(e->f, e->at, room), got) {
			TH_LOG("%s: %zu after %zu, room for %zu", t->name, size,
			       e->at, room);
		}
		memcpy(to, self->hole - room, got);
		e->at += got;
		return 0;
	}
	ASSERT_EQ(-EFAULT, got);
	ASSERT_GT(one(e) - begun, room);
	if (!begun)
		return size < one(e);
	whole = end_lost_line(e->f, e->fd, (char *)to - begun, begun);
	ASSERT_LE(0, whole) {
		TH_LOG("'%.*s'", (int)begun + 2, to - begun);
	}
	e->at += whole - begun;
	return !whole;
}

/* The text so far must be whole lines, and so many IDs were made. */
static void check_text(struct __test_metadata *_metadata,
		       FIXTURE_DATA(transports) *self, struct end *e, __u64 made)
{
	size_t rest = (one(e) - e->at % one(e)) % one(e), lines;

	ASSERT_EQ(0, fcntl(e->fd, F_SETFL, 0));
	ASSERT_EQ(rest, read(e->fd, self->behind + e->at, rest));
	lines = (e->at + rest) / one(e);
	ASSERT_EQ(lines, count_good(e, self->behind, e->at + rest, &self->last)) {
		TH_LOG("of %zu lines", lines);
	}
	EXPECT_EQ(made + lines, given_so_far(e));
}

/* Pieces and lines by all transports, in any turn. */
TEST_F_TIMEOUT(transports, text, 60)
{
	unsigned int round, lost = 0;
	struct end e;
	__u64 before;

	start_end(_metadata, &e, self->e.f, true, 0);
	before = given_so_far(&e);
	for (round = 0; round < 6000; round++) {
		const struct transport *t = any(&e, round % 3 ? 0 : MEMORY);
		size_t rest = (one(&e) - e.at % one(&e)) % one(&e);
		const size_t sizes[] = {
			0, rest, one(&e), rest > 1 ? rest - 1 : one(&e) - 1,
			pick(&e.seed) % (round % 64 ? 200 : 20000),
			pick(&e.seed) % (3 * one(&e)),
		};
		size_t size = sizes[pick(&e.seed) % ARRAY_SIZE(sizes)];
		size_t room = pick(&e.seed) % 4 ?
			      pick(&e.seed) % (3 * one(&e)) : 0;

		if (round % 3)
			take_text(_metadata, self, &e, t, size);
		else
			lost += tear_text(_metadata, self, &e, t,
					  size + room + 1, room);
	}
	EXPECT_LT(100, lost);
	check_text(_metadata, self, &e, before + lost);
	stop_end(&e);
}

/*
 * Take a few at a time until there are none, if the machine is fast enough. A
 * call for many gets one where poll() tells of one.
 */
static void use_up(struct __test_metadata *_metadata,
		   FIXTURE_DATA(transports) *self, struct end *e,
		   const struct transport *t)
{
	/* Lines take long to check, and other formats don't run out. */
	const bool lex = e->f->number == KUID_FORMAT_LEX;
	const int most_calls = lex && !e->text ? 2000 : 200;
	__u8 *to = self->behind;
	int calls, refused = 0;

	for (calls = 0; calls < most_calls && refused < 20; calls++) {
		size_t most = (1 + pick(&e->seed) % 64) * one(e);
		bool ready = poll_says_ready(e->fd);
		long got;

		if (e->text) {
			to = self->behind + e->at;
			most = size_of_text(e->f, e->at, 1 + pick(&e->seed) % most);
		}
		memset(to, POISON, most + 16);
		got = t->take(e, to, most);
		if (got == -EAGAIN && !ready) {
			refused++;
			continue;
		}
		ASSERT_TRUE(got > 0 && got <= most) {
			TH_LOG("%s: %ld of %zu, ready %d", t->name, got, most,
			       ready);
		}
		ASSERT_TRUE(all_bytes(to + got, POISON, most + 16 - got));
		e->at += got;
		if (e->text)
			continue;
		ASSERT_EQ(0, got % one(e));
		ASSERT_EQ(got / one(e), count_good(e, to, got, &self->last)) {
			TH_LOG("%s: call %d", t->name, calls);
		}
	}
}

/*
 * More IDs than there are: all, if the call waits; otherwise some, and each call
 * comes to an end. Only lex has so few that every machine finds none at last.
 */
TEST_F_TIMEOUT(transports, more_than_there_are, 90)
{
	const bool lex = self->e.f->number == KUID_FORMAT_LEX;
	const struct transport *t;
	struct end e;
	int how;

	for (how = 0; how < 4; how++) {
		bool nonblock = how % 2;
		size_t size;

		start_end(_metadata, &e, self->e.f, how / 2, 0);
		ASSERT_EQ(0, fcntl(e.fd, F_SETFL, nonblock * O_NONBLOCK));
		size = (lex ? MANY / (1 + e.text) : IDS_READY / 4) * one(&e);
		self->last = (struct words) { 0 };
		for_each_transport(t, &e, 0) {
			bool all = !nonblock && !(t->can & (SHORT | IN_PIPE));
			__u64 before;
			long got;

			if (!all)
				let_clock_catch_up();
			before = given_so_far(&e);
			memset(self->behind, POISON, size + one(&e));
			got = t->take(&e, self->behind, size + one(&e) - 1);
			ASSERT_TRUE(all ? got == size : got > 0 && got <= size) {
				TH_LOG("%s: %ld of %zu", t->name, got, size);
			}
			ASSERT_EQ(0, got % one(&e));
			ASSERT_EQ(got / one(&e), count_good(&e, self->behind,
							    got, &self->last)) {
				TH_LOG("%s", t->name);
			}
			ASSERT_TRUE(all_bytes(self->behind + got, POISON,
					      size + one(&e) - got));
			EXPECT_EQ(before + got / one(&e), given_so_far(&e)) {
				TH_LOG("%s", t->name);
			}
			if (!nonblock && !(t->can & NEVER_WAITS))
				continue;
			e.at = 0;
			before = given_so_far(&e);
			use_up(_metadata, self, &e, t);
			if (e.text)
				check_text(_metadata, self, &e, before);
			ASSERT_EQ(0, fcntl(e.fd, F_SETFL, nonblock * O_NONBLOCK));
		}
		stop_end(&e);
	}
}

/* Again and again: the first signal may come too early. 0 ends it. */
static void signal_every(int usec, int flags)
{
	const struct sigaction action = {
		.sa_handler = ignore_signal, .sa_flags = flags,
	};
	const struct itimerval timer = { { 0, usec }, { 0, usec } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/*
 * Whatever signals interrupt, with or without SA_RESTART: a call that has IDs
 * returns them, so none is lost.
 */
TEST_F_TIMEOUT(transports, under_signals, 60)
{
	__u64 before = given_so_far(&self->e), given = 0;
	/* Lines are kept, binary IDs need little memory. */
	__u8 *rest = self->behind + self->size - 2 * PIPE_SIZE;
	struct end ends[2];
	int i;

	for (i = 0; i < 2; i++)
		start_end(_metadata, &ends[i], self->e.f, i, 0);
	for (i = 0; i < 600; i++) {
		struct end *e = &ends[i % 2];
		const struct transport *t = any(e, 0);
		size_t size = pick(&e->seed) % (i % 3 ? 300 : 60000) + one(e);
		size_t most = e->text ? size_of_text(e->f, e->at, size) :
			      size / one(e) * one(e);
		__u8 *to = e->text ? self->behind + e->at : rest;
		long got;

		/* The library doesn't go on after a signal. */
		if (t->take == by_ring || (e->text && to + size + 64 > rest))
			continue;
		signal_every(1000, i % 4 / 2 ? SA_RESTART : 0);
		got = t->take(e, to, size);
		signal_every(0, 0);
		if (got == (t->can & NEVER_WAITS ? -EAGAIN : -EINTR))
			continue;
		ASSERT_TRUE(got > 0 && got <= most) {
			TH_LOG("%s: %ld of %zu", t->name, got, size);
		}
		if (e->text) {
			e->at += got;
			continue;
		}
		given += got / one(e);
		ASSERT_EQ(0, got % one(e));
		ASSERT_EQ(got / one(e), count_good(e, to, got, &self->last));
	}
	self->last = (struct words) { 0 };
	check_text(_metadata, self, &ends[1], before + given);
	stop_end(&ends[0]);
	stop_end(&ends[1]);
}

/* No IDs are made that a pipe has no room for. */
TEST_F(transports, into_a_full_pipe)
{
	struct end *e = &self->e;
	const size_t whole = self->page / one(e) * one(e), few = 10 * one(e);
	__u64 before = given_so_far(e);
	__u8 *to = self->behind;
	pid_t child;

	memset(to, POISON, PIPE_SIZE);
	ASSERT_EQ(PIPE_SIZE, write(e->pipe[1], to, PIPE_SIZE));
	ASSERT_EQ(-1, splice(e->fd, NULL, e->pipe[1], NULL, 160,
			     SPLICE_F_NONBLOCK));
	ASSERT_EQ(EAGAIN, errno);
	ASSERT_EQ(0, fcntl(e->pipe[1], F_SETFL, O_NONBLOCK));
	ASSERT_EQ(-EAGAIN, by_splice(e, to, 160));
	ASSERT_EQ(-EAGAIN, by_sendfile(e, to, 160));
	ASSERT_EQ(before, given_so_far(e));

	ASSERT_EQ(self->page, drain(e->pipe[0], to, self->page));
	ASSERT_EQ(whole, splice(e->fd, NULL, e->pipe[1], NULL, PIPE_SIZE, 0));
	ASSERT_EQ(before + whole / one(e), given_so_far(e));
	ASSERT_EQ(PIPE_SIZE - self->page,
		  drain(e->pipe[0], to, PIPE_SIZE - self->page));
	ASSERT_TRUE(all_bytes(to, POISON, PIPE_SIZE - self->page));
	ASSERT_EQ(whole, drain(e->pipe[0], to, whole));
	ASSERT_EQ(whole / one(e), count_good(e, to, whole, &self->last));

	/* A call that may wait waits for room. */
	ASSERT_EQ(0, fcntl(e->pipe[1], F_SETFL, 0));
	ASSERT_EQ(PIPE_SIZE, write(e->pipe[1], to, PIPE_SIZE));
	child = fork_child();
	ASSERT_LE(0, child);
	if (!child)
		_exit(splice(e->fd, NULL, e->pipe[1], NULL, few, 0) != few);
	ASSERT_TRUE(wait_asleep_in(child, SYS_splice));
	ASSERT_EQ(PIPE_SIZE, drain(e->pipe[0], to, PIPE_SIZE));
	ASSERT_TRUE(ended_well(child));
	ASSERT_EQ(few, drain(e->pipe[0], to, few));
	ASSERT_EQ(10, count_good(e, to, few, &self->last));
}

/* Returns 0 or the errno. */
static int set_format(int fd, __u32 format, __u32 order)
{
	struct kuid_set_format set = { .format = format, .order = order };

	return ioctl(fd, KUID_IOC_SET_FORMAT, &set) ? errno : 0;
}

/*
 * The first call that asks for an ID fixes format and order, even if its memory
 * can't be written. A call that is refused, or asks for something else, does not.
 */
TEST_F(transports, asking_fixes_the_format)
{
	const __u32 other = self->e.f->number % LAST_FORMAT + 1;
	const struct transport *t;
	struct kuid_query q = { 0 };
	struct end e;
	int how;

	for_each_transport(t, &self->e, 0) {
		/* For an ID, into a hole, and for too few bytes, of text or not. */
		for (how = 0; how < 6; how++) {
			bool asks = how < 4, text = how % 2 && t->can & TEXT;
			bool fails = how / 2 == 1 && t->can & MEMORY;

			start_end(_metadata, &e, self->e.f, text, 0);
			t->take(&e, fails ? self->hole : self->memory,
				asks ? one(&e) : !text * 3);
			EXPECT_EQ(asks ? EBUSY : 0,
				  set_format(e.fd, other, KUID_ORDER_CPU)) {
				TH_LOG("%s, %d", t->name, how);
			}
			stop_end(&e);
		}
	}
	start_end(_metadata, &e, self->e.f, false, 0);
	EXPECT_EQ(-1, pread(e.fd, self->memory, 160, 0));
	given_so_far(&e);
	EXPECT_EQ(0, ioctl(e.fd, KUID_IOC_QUERY, &q));
	EXPECT_TRUE(poll_says_ready(e.fd));
	EXPECT_EQ(0, set_format(e.fd, other, KUID_ORDER_CPU));
	stop_end(&e);
}

/* A file has no position, nothing is written to it, and only pipes get its IDs. */
TEST_F(transports, refused)
{
	int fd = self->e.fd, *ends = self->e.pipe, *pair = self->e.socket;
	int text = open_device_file(self->e.f, ".txt", O_CLOEXEC);
	int file = memfd_create("ids", 0), flags, bit;
	const size_t sizes[] = { 1, 16, 37, 4096, 100001 };
	__u64 before = given_so_far(&self->e);
	__u8 id[ID_SIZE_MAX] = { 0 };
	struct iovec segment = { id, sizeof(id) };
	off_t offset = 0;
	loff_t at = 0;
	size_t i;
#define REFUSED(error, call) do {					\
		EXPECT_EQ(-1, call);					\
		EXPECT_EQ(error, errno);				\
	} while (0)

	ASSERT_LE(0, text);
	ASSERT_LE(0, file);
	REFUSED(ESPIPE, pread(fd, id, sizeof(id), 0));
	REFUSED(ESPIPE, lseek(fd, 0, SEEK_SET));
	REFUSED(ESPIPE, preadv(fd, &segment, 1, 0));
	REFUSED(ESPIPE, preadv2(fd, &segment, 1, 4096, RWF_NOWAIT));
	REFUSED(EINVAL, splice(fd, &at, ends[1], NULL, 160, 0));
	REFUSED(ESPIPE, sendfile(ends[1], fd, &offset, 160));
	for (bit = 16; bit < 32; bit++)
		REFUSED(EOPNOTSUPP, preadv2(fd, &segment, 1, -1, 1U << bit));
	/* They would take a part of the call's IDs, and the rest would be lost. */
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		REFUSED(EINVAL, sendfile(file, fd, NULL, sizes[i]));
		REFUSED(EINVAL, sendfile(pair[0], fd, NULL, sizes[i]));
		REFUSED(EINVAL, sendfile(pair[0], text, NULL, sizes[i]));
	}
	EXPECT_EQ(0, lseek(file, 0, SEEK_END));
	EXPECT_EQ(-1, recv(pair[1], id, 1, MSG_DONTWAIT));

	REFUSED(EBADF, write(fd, id, sizeof(id)));
	ASSERT_EQ(16, write(ends[1], id, 16));
	REFUSED(EBADF, splice(ends[0], NULL, fd, NULL, 16, 0));
	/* Root can open the device file for writing in spite of mode 0444. */
	for (flags = O_WRONLY; flags <= O_RDWR; flags++) {
		int to = open(DEV_KUID, flags);

		if (to < 0) {
			EXPECT_EQ(EACCES, errno);
			continue;
		}
		REFUSED(EINVAL, write(to, id, sizeof(id)));
		REFUSED(EINVAL, splice(ends[0], NULL, to, NULL, 16, 0));
		if (flags == O_WRONLY)
			REFUSED(EBADF, read(to, id, sizeof(id)));
		close(to);
	}
	EXPECT_TRUE(all_bytes(id, 0, sizeof(id)));
	EXPECT_EQ(before, given_so_far(&self->e));
	close(file);
	close(text);
}

/* Reads of the largest possible size, into the same MiB again and again. */
FIXTURE(huge) {
	struct end e;
	__u8 *range;	/* RANGE bytes that are MIB bytes */
	size_t max;	/* bytes that one read can be given: MAX_RW_COUNT */
};

FIXTURE_SETUP(huge)
{
	int fd = memfd_create("ids", 0);
	size_t at;

	start_end(_metadata, &self->e, DEV_FORMAT, false, 0);
	self->max = INT32_MAX & ~(sysconf(_SC_PAGESIZE) - 1);
	ASSERT_EQ(0, ftruncate(fd, MIB));
	self->range = mmap(NULL, RANGE, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ASSERT_NE(MAP_FAILED, self->range);
	/* Populate it, so that neither a fault nor a lack of memory ends a read. */
	for (at = 0; at < RANGE; at += MIB)
		ASSERT_EQ(self->range + at,
			  mmap(self->range + at, MIB, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, 0));
	ASSERT_EQ(MIB, read(self->e.fd, self->range, MIB));
}

FIXTURE_TEARDOWN(huge)
{
	munmap(self->range, RANGE);
	stop_end(&self->e);
}

/* The memory has the last IDs of a call that gave so many bytes, or all. */
static void check_last_ids(struct __test_metadata *_metadata,
			   FIXTURE_DATA(huge) *self, size_t got)
{
	const size_t end = got % MIB / 16, all = (got < MIB ? got : MIB) / 16;
	struct words last = { 0 };
	struct id after;

	ASSERT_EQ(all - end, count_in_order(DEV_FORMAT, self->range + 16 * end,
					    all - end, &last));
	ASSERT_EQ(end, count_in_order(DEV_FORMAT, self->range, end, &last));
	ASSERT_EQ(1, read_ids(DEV_FORMAT, self->e.fd, &after, 1));
	ASSERT_EQ(1, count_in_order(DEV_FORMAT, &after, 1, &last));
}

TEST_F_TIMEOUT(huge, largest, 90)
{
	ASSERT_EQ(self->max, read(self->e.fd, self->range, self->max + 1));
	check_last_ids(_metadata, self, self->max);
}

TEST_F_TIMEOUT(huge, cut_short_by_signal, 60)
{
	const struct transport *t;
	int i;

	for_each_transport(t, &self->e, MEMORY) {
		for (i = 0; i < 2 && t->call; i++) {
			/* More than generate's limit is EINVAL. */
			size_t size = self->max / (t->call == SYS_ioctl ? 2 : 1);
			long got;

			signal_every(50000, i ? SA_RESTART : 0);
			got = t->take(&self->e, self->range, size);
			signal_every(0, 0);
			ASSERT_TRUE(got > 0 && got < size && got % 16 == 0) {
				TH_LOG("%s: %ld", t->name, got);
			}
			check_last_ids(_metadata, self, got);
		}
	}
}

/*
 * Two pages of the memory are shared with the child alone. The first shows that
 * the read has begun, the last that it hasn't reached its end.
 */
TEST_F_TIMEOUT(huge, killed, 90)
{
	size_t page = sysconf(_SC_PAGESIZE), last = self->max - page, at;
	pid_t child;
	int status;

	for (at = 0; at <= last; at += last)
		ASSERT_EQ(self->range + at,
			  mmap(self->range + at, page, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	child = fork_child();
	ASSERT_LE(0, child);
	if (!child) {
		/* fork() doesn't copy the page tables of shared memory. */
		madvise(self->range + page, last - page, MADV_POPULATE_WRITE);
		_exit(read(self->e.fd, self->range, self->max) < 0);
	}
	while (all_bytes(self->range, 0, page))
		sched_yield();
	ASSERT_EQ(0, kill(child, SIGKILL));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status));
	ASSERT_EQ(SIGKILL, WTERMSIG(status));
	ASSERT_TRUE(all_bytes(self->range + last, 0, page)) {
		TH_LOG("the read reached its end");
	}
}

FIXTURE(none_left) {
	struct all_wait all;	/* not O_NONBLOCK */
	struct end e;
	__u8 memory[4096];
};

FIXTURE_SETUP(none_left)
{
	set_up_all_wait(_metadata, &self->all, 0);
}

FIXTURE_TEARDOWN(none_left)
{
	stop_end(&self->e);
	tear_down_all_wait(_metadata, &self->all);
}

/* EAGAIN for any size. A call that asks in vain fixes the format. */
TEST_F(none_left, without_waiting)
{
	struct kuid_status before, after;
	const struct transport *t;
	struct end *e = &self->e;
	int i, asked = 0;

	memset(self->memory, POISON, sizeof(self->memory));
	ASSERT_EQ(0, get_status(self->all.fd, &before));
	for (i = 0; i < NR_FORMAT_FILES; i++) {
		start_end(_metadata, e, format_of_file(i), is_text_file(i), 0);
		EXPECT_FALSE(poll_says_ready(e->fd));
		EXPECT_EQ(0, set_format(e->fd, 0, KUID_ORDER_FILE));
		for_each_transport(t, e, 0) {
			ASSERT_EQ(0, fcntl(e->fd, F_SETFL, t->can & NEVER_WAITS ?
					   0 : O_NONBLOCK));
			ASSERT_EQ(-EAGAIN, t->take(e, self->memory, 2048)) {
				TH_LOG("%s", t->name);
			}
			ASSERT_EQ(-EAGAIN, t->take(e, self->memory, one(e)));
			ASSERT_EQ(EBUSY, set_format(e->fd, 0, KUID_ORDER_FILE));
			asked += 2;
		}
		stop_end(e);
	}
	ASSERT_EQ(0, get_status(self->all.fd, &after));
	EXPECT_EQ(before.waits, after.waits);
	EXPECT_EQ(before.would_blocks + asked, after.would_blocks);
	ASSERT_TRUE(all_bytes(self->memory, POISON, sizeof(self->memory)));
}

/* The rest of a line is there even if no further ID is, also for a call that waits. */
TEST_F(none_left, rest_of_a_line)
{
	const struct transport *t;
	char line[2 * LINE_MAX_SIZE];
	__u8 id[ID_SIZE_MAX];
	struct end *e = &self->e;
	int i;

	for (i = 0; i < NR_FORMATS; i++) {
		start_end(_metadata, e, &formats[i], true, 0);
		for_each_transport(t, e, 0) {
			ASSERT_EQ(0, let_all_go(self->all.fd));
			ASSERT_EQ(7, read(e->fd, line, 7));
			have_all_wait(_metadata, self->all.fd);
			ASSERT_TRUE(poll_says_ready(e->fd));
			ASSERT_EQ(one(e) - 7, t->take(e, (__u8 *)line + 7,
						      sizeof(line) - 7)) {
				TH_LOG("%s", t->name);
			}
			ASSERT_TRUE(parse_line(e->f, line, id));
		}
		stop_end(e);
	}
}

/* A waiting call is ended by a signal, or by new IDs. */
TEST_F_TIMEOUT(none_left, waits, 60)
{
	const struct transport *t;
	struct end *e = &self->e;
	int i, round;

	ASSERT_EQ(0, end_calls_by(SIGUSR1));
	for (i = 0; i < NR_FORMAT_FILES; i++) {
		start_end(_metadata, e, format_of_file(i), is_text_file(i), 0);
		for_each_transport(t, e, 0) {
			for (round = 0; round < 2 && t->call; round++) {
				const size_t size = 9 * one(e);
				pid_t child = fork_child();

				ASSERT_LE(0, child);
				if (!child)
					_exit(t->take(e, self->memory, size) !=
					      (round ? size : -EINTR));
				ASSERT_TRUE(wait_asleep_in(child, t->call));
				ASSERT_EQ(0, round ? let_all_go(self->all.fd) :
					  kill(child, SIGUSR1));
				ASSERT_TRUE(ended_well(child)) {
					TH_LOG("%s of %s, round %d", t->name,
					       e->f->name, round);
				}
			}
			have_all_wait(_metadata, self->all.fd);
		}
		stop_end(e);
	}
}

/*
 * Half of the memory goes away while a call sleeps. It gives what fits into the
 * other half, and does not count an ID of which only the beginning was stored.
 */
TEST_F_TIMEOUT(none_left, memory_goes_away, 60)
{
	const size_t half = sysconf(_SC_PAGESIZE);
	int file = memfd_create("ids", 0), i;
	__u8 *memory = mmap(NULL, 2 * half, PROT_READ | PROT_WRITE, MAP_SHARED,
			    file, 0);
	const struct transport *t;
	struct end *e = &self->e;

	ASSERT_NE(MAP_FAILED, memory);
	for (i = 0; i < NR_FORMAT_FILES; i++) {
		struct words last = { 0 };

		start_end(_metadata, e, format_of_file(i), is_text_file(i), 0);
		for_each_transport(t, e, MEMORY) {
			const size_t whole = half / one(e) * one(e);
			pid_t child;

			ASSERT_EQ(0, ftruncate(file, 2 * half));
			child = t->call ? fork_child() : -1;
			if (!t->call)
				continue;
			ASSERT_LE(0, child);
			if (!child)
				_exit(t->take(e, memory, 2 * half) != whole);
			ASSERT_TRUE(wait_asleep_in(child, t->call));
			ASSERT_EQ(0, ftruncate(file, half));
			ASSERT_EQ(0, let_all_go(self->all.fd));
			ASSERT_TRUE(ended_well(child)) {
				TH_LOG("%s of %s", t->name, e->f->name);
			}
			ASSERT_EQ(whole / one(e),
				  count_good(e, memory, whole, &last));
			have_all_wait(_metadata, self->all.fd);
		}
		stop_end(e);
	}
}

/*
 * Calls that don't wait take IDs until the clock is too near to a ceiling, and no
 * other IDs are made than the ones that they give.
 */
TEST_F_TIMEOUT(none_left, up_to_the_ceiling, 60)
{
	const size_t max = MANY * ID_SIZE_MAX;
	struct kuid_status before, after;
	__u8 *ids = malloc(max);
	const struct transport *t;
	struct kuid_state state;
	struct fields fields;
	struct end *e = &self->e;
	int i;

	ASSERT_NE(NULL, ids);
	for (i = 0; i < NR_FORMATS; i++) {
		struct words last = { 0 };
		__u64 all = 0;

		if (is_stamp(&formats[i]))
			continue;
		start_end(_metadata, e, &formats[i], false, O_NONBLOCK);
		for_each_transport(t, e, 0) {
			__u64 ceiling = clock_ns(), sum = 0;
			bool shut;

			ASSERT_EQ(0, get_status(e->fd, &before));
			ASSERT_EQ(0, get_state(e->fd, &state));
			if (ceiling < state.slot_ns)
				ceiling = state.slot_ns;
			ceiling += AHEAD_NS + 20 * NSEC_PER_MSEC;
			ASSERT_EQ(0, raise_cover(self->all.fd, ceiling));
			do {
				long got = t->take(e, ids, max), nr;

				shut = got == -EAGAIN &&
				       clock_ns() + AHEAD_NS > ceiling;
				if (got == -EAGAIN)
					continue;
				nr = got / e->f->id_size;
				ASSERT_LT(0, got);
				ASSERT_EQ(0, got % e->f->id_size);
				ASSERT_EQ(nr, count_good(e, ids, got, &last));
				ASSERT_TRUE(decode(e->f, id_at(e->f, ids, nr - 1),
						   &fields));
				ASSERT_GT(ceiling, fields.ns);
				sum += nr;
			} while (!shut);
			ASSERT_EQ(-EAGAIN, t->take(e, ids, max)) {
				TH_LOG("%s", t->name);
			}
			ASSERT_EQ(0, get_status(e->fd, &after));
			EXPECT_EQ(before.waits, after.waits);
			EXPECT_EQ(before.ids[e->f->number] + sum,
				  after.ids[e->f->number]) {
				TH_LOG("%s", t->name);
			}
			all += sum;
		}
		/* A machine may be too slow for some of them. */
		EXPECT_LT(0, all);
		stop_end(e);
	}
	free(ids);
}

/* If a signal comes after the first IDs, the call returns their size. */
TEST_F_TIMEOUT(none_left, some_then_a_signal, 60)
{
	const struct format *f = format_of(KUID_FORMAT_LEX);
	const size_t size = 2000000 * (size_t)f->id_size;
	__u8 *ids = share_memory(size);
	long *got = share_memory(sizeof(*got));
	const struct transport *t;
	struct words last = { 0 };
	struct end *e = &self->e;

	ASSERT_NE(NULL, ids);
	ASSERT_NE(NULL, got);
	ASSERT_EQ(0, end_calls_by(SIGUSR1));
	ASSERT_EQ(0, let_all_go(self->all.fd));
	start_end(_metadata, e, f, false, 0);
	for_each_transport(t, e, MEMORY) {
		pid_t child = t->call ? fork_child() : -1;

		if (!t->call)
			continue;
		ASSERT_LE(0, child);
		if (!child) {
			*got = t->take(e, ids, size);
			_exit(0);
		}
		while (all_bytes(ids, 0, 2 * f->id_size))
			usleep(1000);
		ASSERT_EQ(0, kill(child, SIGUSR1));
		ASSERT_TRUE(ended_well(child));
		ASSERT_TRUE(*got > 0 && *got < size) {
			TH_LOG("%s: %ld", t->name, *got);
		}
		ASSERT_EQ(0, *got % f->id_size);
		ASSERT_EQ(*got / f->id_size, count_good(e, ids, *got, &last));
		ASSERT_TRUE(all_bytes(ids + *got, 0, size - *got));
		memset(ids, 0, *got);
	}
	stop_end(e);
}

/*
 * A call that can't deliver its IDs uses up one at most, so that it keeps none
 * from others. Slots in the order of the host tell how many were used up, as
 * long as they are ahead of the clock: slots in the past are skipped.
 */
FIXTURE(undelivered) {
	struct end ends[2];	/* binary, text */
	__u8 *hole, *ids;
	__u64 addresses[BAD_ADDRESSES_MAX + 3];
	int nr;
};

FIXTURE_SETUP(undelivered)
{
	const size_t page = sysconf(_SC_PAGESIZE), room = PAGES * page;
	int i;

	take_module(_metadata);
	/* The largest window, so that slow machines stay ahead of the clock. */
	ASSERT_EQ(0, load("max_ahead_ms=1000"));
	for (i = 0; i < 2; i++)
		start_end(_metadata, &self->ends[i],
			  format_of(KUID_FORMAT_LEX), i, O_NONBLOCK);
	self->ids = calloc(4096, ID_SIZE_MAX);
	self->hole = mmap(NULL, room + 2 * page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, self->hole);
	self->hole += room;
	ASSERT_EQ(0, mprotect(self->hole, page, PROT_NONE));
	ASSERT_EQ(0, mprotect(self->hole + page, page, PROT_READ));
	self->nr = bad_addresses(self->addresses);
	self->addresses[self->nr++] = (uintptr_t)self->hole;
	self->addresses[self->nr++] = (uintptr_t)self->hole + page;
	/* A call for many fills some chunks before it fails. */
	self->addresses[self->nr++] = (uintptr_t)self->hole - room;
}

FIXTURE_TEARDOWN(undelivered)
{
	stop_end(&self->ends[0]);
	stop_end(&self->ends[1]);
	wait_until_unused();
	give_back_module(_metadata);
}

/* The slot of the next ID, and its time. */
static __u64 next_slot(struct __test_metadata *_metadata, struct end *e,
		       __u64 *ns)
{
	__u8 id[ID_SIZE_MAX];
	struct fields fields;

	ASSERT_EQ(1, read_ids(e->f, e->fd, id, 1));
	ASSERT_TRUE(decode(e->f, id, &fields));
	*ns = fields.ns;
	return fields.slot;
}

/* Returns whether the clock was behind all the time. */
static bool check_loss(struct __test_metadata *_metadata,
		       FIXTURE_DATA(undelivered) *self,
		       const struct transport *t, struct end *e, size_t count,
		       __u64 address)
{
	enum { CALLS = 4, BATCHES_MAX = 5000 };
	__u64 first, last, first_ns, last_ns, delivered = 0;
	int i;

	/* A machine that is too slow for this stops in the end. */
	for (i = 0; i < BATCHES_MAX; i++) {
		first = next_slot(_metadata, &self->ends[0], &first_ns);
		if (first_ns > clock_ns() + 300 * NSEC_PER_MSEC)
			break;
		ASSERT_LT(0, read_ids(e->f, self->ends[0].fd, self->ids, 4096));
	}
	for (i = 0; i < CALLS; i++) {
		long got = t->take(e, as_pointer(address), count * one(e));

		ASSERT_TRUE(got > 0 || got == -EFAULT) {
			TH_LOG("%s: %ld", t->name, got);
		}
		/* A line that was given in part counts as one. */
		if (got > 0)
			delivered += (got + one(e) - 1) / one(e);
	}
	last = next_slot(_metadata, &self->ends[0], &last_ns);
	if (clock_ns() >= first_ns)
		return false;
	EXPECT_LE(last - first - 1, delivered + CALLS) {
		TH_LOG("%s%s: calls for %zu at %#llx used up %llu and gave %llu",
		       t->name, e->text ? " of text" : "", count,
		       (unsigned long long)address,
		       (unsigned long long)(last - first - 1),
		       (unsigned long long)delivered);
	}
	return true;
}

static void check_all_loss(struct __test_metadata *_metadata,
			   FIXTURE_DATA(undelivered) *self, bool host)
{
	static const size_t counts[] = { 1, 2, 1024, 65536 };
	const struct transport *t;
	bool shown = false;
	int i, text;
	size_t c;

	for (text = 0; text < 2; text++) {
		struct end *e = &self->ends[text];

		for_each_transport(t, e, MEMORY) {
			if (!host && t->take == by_generate_of_host)
				continue;
			for (i = 0; i < self->nr; i++)
				for (c = 0; c < (host ? ARRAY_SIZE(counts) : 1); c++)
					shown |= check_loss(_metadata, self, t, e,
							    counts[c],
							    self->addresses[i]);
		}
	}
	if (!shown && PASSED_SO_FAR)
		SKIP(return, TOO_SLOW);
}

TEST_F_TIMEOUT(undelivered, one_at_most, 90)
{
	ASSERT_EQ(0, set_order(self->ends[0].fd, KUID_ORDER_HOST));
	ASSERT_EQ(0, set_order(self->ends[1].fd, KUID_ORDER_HOST));
	check_all_loss(_metadata, self, true);
}

/*
 * A call for one takes a short path first, and then the general one. On one CPU
 * slots in the order of the file tell the loss, too.
 */
TEST_F_TIMEOUT(undelivered, one_at_most_by_both_paths, 60)
{
	__u64 ns;
	int cpu;

	ASSERT_EQ(1, allowed_cpus(&cpu, 1));
	ASSERT_EQ(0, move_to_cpu(0, cpu));
	/* The first call of a file never takes the short path. */
	next_slot(_metadata, &self->ends[0], &ns);
	ASSERT_LT(0, read(self->ends[1].fd, self->ids, 4096));
	check_all_loss(_metadata, self, false);
}

TEST_HARNESS_MAIN
