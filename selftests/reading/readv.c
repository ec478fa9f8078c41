// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads into several segments give the same as one read into all of them,
 * wherever a segment ends. Reads with RWF_NOWAIT never wait, whatever the
 * file's flags.
 */
#include "../lib/harness.h"

#include <limits.h>
#include <signal.h>
#include <sys/uio.h>

#include "../lib/children.h"
#include "../lib/own_module.h"

#define SEGMENTS_MAX	9

/* More lex IDs than the window has. */
#define MANY		150000

/* readv(), or preadv2() if there are flags. */
static ssize_t read_segments(int fd, const struct iovec *segments, int nr,
			     int flags)
{
	return flags ? preadv2(fd, segments, nr, -1, flags) :
		       readv(fd, segments, nr);
}

/* Cut memory into up to SEGMENTS_MAX segments, some of them empty. */
static int cut(struct iovec *segments, __u8 *memory, size_t size, __u32 *seed)
{
	int nr = 1 + pick(seed) % SEGMENTS_MAX;
	int i;

	for (i = 0; i < nr; i++) {
		size_t part = i == nr - 1 ? size : pick(seed) % (size + 1);

		segments[i].iov_base = memory;
		segments[i].iov_len = part;
		memory += part;
		size -= part;
	}
	return nr;
}

FIXTURE(readv) {
	const struct format *f;
	int fd;
	struct words last;	/* order of the last ID taken */
	size_t page;
	__u8 *hole;		/* unmapped, behind a page of memory */
	__u8 *memory;		/* for MANY IDs */
};

FORMAT_VARIANTS(readv)

FIXTURE_SETUP(readv)
{
	self->f = format_of(variant->format);
	self->fd = open_device_file(self->f, "", 0);
	ASSERT_LE(0, self->fd);
	self->page = sysconf(_SC_PAGESIZE);
	self->hole = map_before_hole();
	ASSERT_NE(NULL, self->hole);
	self->memory = malloc((MANY + 1) * ID_SIZE_MAX);
	ASSERT_NE(NULL, self->memory);
}

FIXTURE_TEARDOWN(readv)
{
	free(self->memory);
	close(self->fd);
}

/*
 * Check a call for @size bytes of memory that is poisoned up to @end: as many
 * IDs as fit, each above all before it, and nothing written behind them.
 */
static void check_given(struct __test_metadata *_metadata,
			FIXTURE_DATA(readv) *self, const __u8 *memory,
			size_t size, size_t end, ssize_t got)
{
	size_t whole = size / self->f->id_size;
	size_t nr = got < 0 ? 0 : got / self->f->id_size;

	if (!whole) {
		ASSERT_EQ(-1, got) {
			TH_LOG("%zu bytes", size);
		}
	} else {
		ASSERT_EQ(whole * self->f->id_size, got) {
			TH_LOG("%zu bytes", size);
		}
	}
	ASSERT_EQ(nr, count_in_order(self->f, memory, nr, &self->last));
	ASSERT_TRUE(all_bytes(memory + nr * self->f->id_size, POISON,
			      end - nr * self->f->id_size)) {
		TH_LOG("%zu bytes: written behind the end", size);
	}
}

/* The file still works, and its next IDs are above the earlier ones. */
static void check_still_works(struct __test_metadata *_metadata,
			      FIXTURE_DATA(readv) *self)
{
	__u8 ids[3 * ID_SIZE_MAX];

	ASSERT_EQ(3, read_ids(self->f, self->fd, ids, 3));
	ASSERT_EQ(3, count_in_order(self->f, ids, 3, &self->last));
}

TEST_F(readv, as_one_read)
{
	static const int flags[] = { 0, RWF_HIPRI, RWF_DSYNC | RWF_SYNC };
	struct iovec segments[SEGMENTS_MAX];
	__u32 seed = pick_seed();
	int round;

	TH_LOG("seed %u", seed);
	for (round = 0; round < 1500; round++) {
		size_t size = pick(&seed) % (round % 10 ? 100 : 9000);
		int nr = cut(segments, self->memory, size, &seed);
		ssize_t got;

		memset(self->memory, POISON, size + 16);
		got = read_segments(self->fd, segments, nr,
				    flags[round % ARRAY_SIZE(flags)]);
		ASSERT_TRUE(got >= 0 || errno == EINVAL);
		/* For a size of 0 the kernel doesn't call the driver. */
		if (!size) {
			ASSERT_EQ(0, got);
		} else {
			check_given(_metadata, self, self->memory, size,
				    size + 16, got);
		}
		if (round % 7 == 0)
			check_still_works(_metadata, self);
	}
}

/* Cut two IDs into three segments at every pair of places. */
TEST_F(readv, cut_anywhere)
{
	size_t two = 2 * self->f->id_size;
	__u8 ids[3][2 * ID_SIZE_MAX];
	__u8 all[2 * ID_SIZE_MAX];
	size_t a, b;

	for (a = 0; a <= two; a++) {
		for (b = a; b <= two; b++) {
			/* Each segment lies in memory of its own. */
			struct iovec segments[] = {
				{ ids[2], a }, { ids[0], b - a },
				{ ids[1], two - b },
			};

			memset(ids, POISON, sizeof(ids));
			ASSERT_EQ(two, readv(self->fd, segments, 3));
			memcpy(all, ids[2], a);
			memcpy(all + a, ids[0], b - a);
			memcpy(all + b, ids[1], two - b);
			ASSERT_EQ(2, count_in_order(self->f, all, 2,
						    &self->last));
			ASSERT_TRUE(all_bytes(ids[2] + a, POISON,
					      sizeof(ids[2]) - a));
			ASSERT_TRUE(all_bytes(ids[0] + b - a, POISON,
					      sizeof(ids[0]) - (b - a)));
			ASSERT_TRUE(all_bytes(ids[1] + two - b, POISON,
					      sizeof(ids[1]) - (two - b)));
		}
	}
}

TEST_F(readv, byte_by_byte)
{
	struct iovec segments[IOV_MAX];
	int nr;

	for (nr = 1; nr <= IOV_MAX; nr += nr < 50 ? 1 : 487) {
		int i;

		memset(self->memory, POISON, IOV_MAX);
		for (i = 0; i < nr; i++)
			segments[i] = (struct iovec) { self->memory + i, 1 };
		check_given(_metadata, self, self->memory, nr, IOV_MAX,
			    readv(self->fd, segments, nr));
	}
}

/* lex has to wait for some of these IDs, unless the machine is slow. */
TEST_F(readv, many)
{
	const size_t size = (size_t)MANY * self->f->id_size;
	struct kuid_status before, after;
	struct iovec segments[] = {
		{ self->memory, 1 },
		{ self->memory + 1, size / 3 },
		{ self->memory + 1 + size / 3, size - 1 - size / 3 + 7 },
	};

	memset(self->memory, POISON, size + ID_SIZE_MAX);
	ASSERT_EQ(0, get_status(self->fd, &before));
	check_given(_metadata, self, self->memory, size + 7,
		    size + ID_SIZE_MAX, readv(self->fd, segments, 3));
	ASSERT_EQ(0, get_status(self->fd, &after));
	/* No more IDs were made than were delivered. */
	EXPECT_EQ(before.ids[self->f->number] + MANY,
		  after.ids[self->f->number]);
	TH_LOG("%llu waits", (unsigned long long)(after.waits - before.waits));
}

/*
 * As many IDs as fit before a hole that begins inside a segment or between two.
 * Writable memory behind the hole is not used.
 */
TEST_F(readv, up_to_a_hole)
{
	__u8 *start = self->hole - self->page;
	__u8 more[5 * ID_SIZE_MAX];
	size_t room, into;

	for (room = 0; room < 100; room++) {
		for (into = 0; into < 2 * ID_SIZE_MAX; into += 5) {
			size_t first = room / 3;
			__u8 *to = self->hole - room;
			struct iovec segments[] = {
				{ to, first },
				{ more, 0 },
				{ to + first, room - first + into },
				{ into ? more : self->hole, sizeof(more) },
				{ self->hole, 2 * ID_SIZE_MAX },
			};
			ssize_t got;

			memset(start, POISON, self->page);
			got = readv(self->fd, segments, ARRAY_SIZE(segments));
			if (room < self->f->id_size) {
				ASSERT_EQ(-1, got);
				ASSERT_EQ(EFAULT, errno);
			} else {
				size_t nr = room / self->f->id_size;

				ASSERT_EQ(nr * self->f->id_size, got) {
					TH_LOG("room %zu, %zu into the hole",
					       room, into);
				}
				ASSERT_EQ(nr, count_in_order(self->f, to, nr,
							     &self->last));
			}
			ASSERT_TRUE(all_bytes(start, POISON,
					      self->page - room));
		}
		check_still_works(_metadata, self);
	}
}

TEST_F(readv, bad_addresses)
{
	__u64 addresses[BAD_ADDRESSES_MAX];
	int nr = bad_addresses(addresses);
	__u8 ids[3 * ID_SIZE_MAX];
	int i;

	for (i = 0; i < nr; i++) {
		struct iovec segments[] = {
			{ as_pointer(addresses[i]), 3 },
			{ ids, sizeof(ids) },
		};

		memset(ids, POISON, sizeof(ids));
		ASSERT_EQ(-1, readv(self->fd, segments, 2));
		ASSERT_EQ(EFAULT, errno);
		ASSERT_EQ(-1, readv(self->fd, as_pointer(addresses[i]), 2));
		ASSERT_EQ(EFAULT, errno);
		ASSERT_TRUE(all_bytes(ids, POISON, sizeof(ids)));
		check_still_works(_metadata, self);
	}
}

TEST_F(readv, has_no_position)
{
	__u8 ids[2 * ID_SIZE_MAX];
	struct iovec segment = { ids, sizeof(ids) };

	memset(ids, POISON, sizeof(ids));
	EXPECT_EQ(-1, preadv(self->fd, &segment, 1, 0));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, preadv2(self->fd, &segment, 1, 0, RWF_NOWAIT));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, preadv2(self->fd, &segment, 1, 4096, 0));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_TRUE(all_bytes(ids, POISON, sizeof(ids)));
	check_still_works(_metadata, self);
}

/* Unknown flags are refused. */
TEST_F(readv, unknown_flags)
{
	__u8 ids[2 * ID_SIZE_MAX];
	struct iovec segment = { ids, sizeof(ids) };
	unsigned int bit;

	memset(ids, POISON, sizeof(ids));
	for (bit = 16; bit < 32; bit++) {
		ASSERT_EQ(-1, preadv2(self->fd, &segment, 1, -1, 1U << bit));
		ASSERT_EQ(EOPNOTSUPP, errno);
		ASSERT_TRUE(all_bytes(ids, POISON, sizeof(ids)));
	}
	check_still_works(_metadata, self);
}

/*
 * Each call continues the line where the last one ended, whatever its kind. A
 * piece of a line that can't be written is lost with the rest of its line.
 */
TEST_F(readv, text)
{
	enum { TEXT_MAX = 100000 };
	struct iovec segments[SEGMENTS_MAX];
	size_t line = self->f->text_size + 1;
	__u8 *text = self->memory;
	__u32 seed = pick_seed();
	int fd = open_device_file(self->f, ".txt", 0);
	__u8 id[ID_SIZE_MAX];
	size_t size = 0, at;
	int holes = 0, faults = 0;

	TH_LOG("seed %u", seed);
	ASSERT_LE(0, fd);
	while (size < TEXT_MAX) {
		size_t more = pick(&seed) % (pick(&seed) % 20 ? 90 : 9000);
		size_t wanted = size_of_text(self->f, size, more);
		int nr = cut(segments, text + size, more, &seed);
		ssize_t got;

		memset(text + size, POISON, more + 16);
		if (pick(&seed) % 8 == 0) {
			got = read(fd, text + size, more);
		} else if (pick(&seed) % 8 == 0 && nr < SEGMENTS_MAX) {
			size_t given = size % line;
			char *from = (char *)text + size - given;
			int whole = 0;

			segments[nr].iov_base = self->hole;
			segments[nr].iov_len = 5;
			got = readv(fd, segments, nr + 1);
			holes++;
			if (got < 0) {
				ASSERT_EQ(EFAULT, errno);
				ASSERT_GT(line - given, more);
				if (given)
					whole = end_lost_line(self->f, fd, from,
							      given);
				ASSERT_LE(0, whole);
				size += whole - given;
				faults++;
				continue;
			}
		} else {
			got = readv(fd, segments, nr);
		}
		ASSERT_EQ(wanted, got);
		size += wanted;
	}
	for (at = 0; at + line <= size; at += line) {
		ASSERT_TRUE(parse_line(self->f, (char *)text + at, id)) {
			TH_LOG("'%.*s'", (int)line, text + at);
		}
		ASSERT_EQ(1, count_in_order(self->f, id, 1, &self->last));
	}
	TH_LOG("%zu bytes, %d calls with a hole, %d of them lost a line", size,
	       holes, faults);
	close(fd);
}

FIXTURE(none_left) {
	struct all_wait all;	/* not O_NONBLOCK */
};

FIXTURE_SETUP(none_left)
{
	set_up_all_wait(_metadata, &self->all, 0);
}

FIXTURE_TEARDOWN(none_left)
{
	tear_down_all_wait(_metadata, &self->all);
}

/* EAGAIN for any size; everything once there are IDs. */
TEST_F(none_left, without_waiting)
{
	__u8 memory[4096], poison[sizeof(memory)];
	struct iovec segments[] = { { memory, 5 }, { memory + 5, 2048 } };
	struct kuid_status before, after;
	int i;

	memset(memory, POISON, sizeof(memory));
	memset(poison, POISON, sizeof(poison));
	ASSERT_EQ(0, get_status(self->all.fd, &before));
	for (i = 0; i < NR_FORMAT_FILES; i++) {
		const struct format *f = format_of_file(i);

		segments[1].iov_len = 2048;
		ASSERT_EQ(-1, preadv2(self->all.fds[i], segments, 2, -1,
				      RWF_NOWAIT));
		ASSERT_EQ(EAGAIN, errno);
		segments[1].iov_len = f->id_size - 5;
		ASSERT_EQ(-1, preadv2(self->all.fds[i], segments, 2, -1,
				      RWF_NOWAIT));
		ASSERT_EQ(EAGAIN, errno);
		ASSERT_EQ(0, memcmp(memory, poison, sizeof(memory)));
	}
	ASSERT_EQ(0, get_status(self->all.fd, &after));
	EXPECT_EQ(before.waits, after.waits);
	EXPECT_EQ(before.would_blocks + 2 * NR_FORMAT_FILES,
		  after.would_blocks);

	ASSERT_EQ(0, let_all_go(self->all.fd));
	for (i = 0; i < NR_FORMAT_FILES; i++) {
		size_t size = 6 * size_of_one(i);

		segments[1].iov_len = size - 5;
		ASSERT_EQ(size, preadv2(self->all.fds[i], segments, 2, -1,
					RWF_NOWAIT));
	}
}

/*
 * Batches with RWF_NOWAIT on a blocking file take all IDs below a ceiling: they
 * get whole IDs in order below the ceiling, and no other IDs are made.
 */
TEST_F(none_left, up_to_the_ceiling)
{
	enum { COUNT = 100000 };
	__u8 *ids = malloc(COUNT * ID_SIZE_MAX);
	struct kuid_status before, after;
	struct words last = { 0 };
	struct kuid_state state;
	struct fields fields;
	__u32 format;
	__u64 ceiling;

	ASSERT_NE(NULL, ids);
	for (format = 1; format <= LAST_FORMAT; format++) {
		const struct format *f = format_of(format);
		const size_t size = COUNT * f->id_size;
		struct iovec segments[] = {
			{ ids, size / 2 + 1 },
			{ ids + size / 2 + 1, size - size / 2 - 1 },
		};
		int fd = self->all.fds[2 * (format - 1)];
		size_t sum = 0;
		ssize_t got;

		if (is_stamp(f))
			continue;
		ASSERT_EQ(0, get_status(fd, &before));
		ASSERT_EQ(0, get_state(fd, &state));
		ceiling = clock_ns();
		if (ceiling < state.slot_ns)
			ceiling = state.slot_ns;
		ceiling += 30 * NSEC_PER_MSEC;
		ASSERT_EQ(0, raise_cover(self->all.fd, ceiling));
		last = (struct words) { 0 };
		while ((got = preadv2(fd, segments, 2, -1, RWF_NOWAIT)) >= 0) {
			ASSERT_LT(0, got);
			ASSERT_EQ(0, got % f->id_size);
			got /= f->id_size;
			ASSERT_EQ(got, count_in_order(f, ids, got, &last));
			ASSERT_TRUE(decode(f, id_at(f, ids, got - 1), &fields));
			ASSERT_GT(ceiling, fields.ns);
			sum += got;
		}
		ASSERT_EQ(EAGAIN, errno);
		ASSERT_EQ(0, get_status(fd, &after));
		EXPECT_EQ(before.waits, after.waits);
		EXPECT_LT(before.would_blocks, after.would_blocks);
		EXPECT_EQ(before.ids[format] + sum, after.ids[format]);
		TH_LOG("%zu of %s", sum, f->name);
	}
	free(ids);
}

/* The rest of a line is delivered even if no further ID is available. */
TEST_F(none_left, rest_of_a_line)
{
	char lines[NR_FORMATS][2 * LINE_MAX_SIZE];
	__u8 id[ID_SIZE_MAX];
	int i;

	ASSERT_EQ(0, let_all_go(self->all.fd));
	for (i = 1; i < NR_FORMAT_FILES; i += 2)
		ASSERT_EQ(7, read(self->all.fds[i], lines[i / 2], 7));
	have_all_wait(_metadata, self->all.fd);
	for (i = 1; i < NR_FORMAT_FILES; i += 2) {
		const struct format *f = format_of_file(i);
		char *line = lines[i / 2];
		struct iovec segments[] = {
			{ line + 7, 2 }, { line + 9, sizeof(lines[0]) - 9 },
		};

		ASSERT_EQ(f->text_size + 1 - 7,
			  preadv2(self->all.fds[i], segments, 2, -1, RWF_NOWAIT));
		ASSERT_TRUE(parse_line(f, line, id));
		ASSERT_EQ(-1, preadv2(self->all.fds[i], segments, 2, -1,
				      RWF_NOWAIT));
		ASSERT_EQ(EAGAIN, errno);
	}
}

/* A waiting readv() is ended by a signal or by new IDs. */
TEST_F(none_left, waits)
{
	__u8 memory[4096];
	struct iovec segments[] = { { memory, 5 }, { memory + 5, 2048 } };
	pid_t child;
	int i;

	ASSERT_EQ(0, end_calls_by(SIGUSR1));
	for (i = 0; i < NR_FORMAT_FILES; i++) {
		child = fork_child();
		ASSERT_LE(0, child);
		if (!child)
			_exit(readv(self->all.fds[i], segments, 2) != -1 ||
			      errno != EINTR);
		ASSERT_TRUE(wait_asleep_in(child, SYS_readv));
		ASSERT_EQ(0, kill(child, SIGUSR1));
		ASSERT_TRUE(ended_well(child)) {
			TH_LOG("file %d", i);
		}
	}
	for (i = 0; i < NR_FORMAT_FILES; i++) {
		size_t one = size_of_one(i);
		size_t whole = 2053 / one * one;

		child = fork_child();
		ASSERT_LE(0, child);
		if (!child)
			_exit(readv(self->all.fds[i], segments, 2) != whole);
		ASSERT_TRUE(wait_asleep_in(child, SYS_readv));
		ASSERT_EQ(0, let_all_go(self->all.fd));
		ASSERT_TRUE(ended_well(child)) {
			TH_LOG("file %d", i);
		}
		have_all_wait(_metadata, self->all.fd);
	}
}

/* If a signal comes after the first IDs, the call returns their size. */
TEST_F(none_left, some_then_a_signal)
{
	enum { COUNT = 2000000 };
	const struct format *f = format_of(KUID_FORMAT_LEX);
	const size_t size = (size_t)COUNT * f->id_size;
	int fd = self->all.fds[2 * (KUID_FORMAT_LEX - 1)];
	__u8 *ids = share_memory(size);
	struct iovec segments[] = { { ids, 40 }, { ids + 40, size - 40 } };
	long *result = share_memory(sizeof(*result));
	struct words last = { 0 };
	pid_t child;

	ASSERT_NE(NULL, ids);
	ASSERT_NE(NULL, result);
	ASSERT_EQ(0, end_calls_by(SIGUSR1));
	ASSERT_EQ(0, let_all_go(self->all.fd));
	child = fork_child();
	ASSERT_LE(0, child);
	if (!child) {
		*result = readv(fd, segments, 2);
		_exit(0);
	}
	while (all_bytes(ids, 0, 2 * f->id_size))
		usleep(1000);
	ASSERT_TRUE(wait_asleep_in(child, SYS_readv));
	ASSERT_EQ(0, kill(child, SIGUSR1));
	ASSERT_TRUE(ended_well(child));
	ASSERT_LT(0, *result);
	ASSERT_GT(size, *result);
	ASSERT_EQ(0, *result % f->id_size);
	*result /= f->id_size;
	ASSERT_EQ(*result, count_in_order(f, ids, *result, &last));
	ASSERT_TRUE(all_bytes(id_at(f, ids, *result), 0,
			      size - *result * f->id_size));
	TH_LOG("%ld IDs", *result);
}

TEST_HARNESS_MAIN
