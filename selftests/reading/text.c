// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text device files: one ID a line, in the canonical form of its format,
 * whatever the sizes of the reads. A read gives whole lines; only one that is
 * too small for a line gives a piece.
 */
#include "../lib/harness.h"

#include "../lib/formats.h"
#include "../lib/status.h"

/* Text to collect before its lines are checked. */
#define TEXT_MAX	(4UL * 1024 * 1024)

FIXTURE(text) {
	const struct format *f;
	int fd;
	size_t line;		/* size of a line with the newline */
	char *text;		/* read, but not checked yet */
	size_t size;
	struct words last;	/* order of the last ID checked */
	size_t page;
	__u8 *hole;		/* unmapped, behind a page of memory */
};

FORMAT_VARIANTS(text)

FIXTURE_SETUP(text)
{
	self->f = format_of(variant->format);
	self->fd = open_device_file(self->f, ".txt", 0);
	ASSERT_LE(0, self->fd);
	self->line = self->f->text_size + 1;
	self->text = malloc(TEXT_MAX);
	ASSERT_NE(NULL, self->text);
	self->size = 0;
	self->last = (struct words) { 0 };
	self->page = sysconf(_SC_PAGESIZE);
	self->hole = map_before_hole();
	ASSERT_NE(NULL, self->hole);
}

FIXTURE_TEARDOWN(text)
{
	free(self->text);
	close(self->fd);
}

/*
 * The number of lines of a text up to the first wrong one. The ID of each line
 * must be above that of the line before. *@last becomes the order of the last
 * line's ID.
 */
static size_t count_lines(const struct format *f, const char *text,
			  size_t size, struct words *last)
{
	size_t line = f->text_size + 1;
	__u64 now = clock_ns();
	size_t nr;

	for (nr = 0; (nr + 1) * line <= size; nr++) {
		__u8 id[ID_SIZE_MAX];
		struct fields fields;

		if (!parse_line(f, text + nr * line, id) ||
		    !decode(f, id, &fields) ||
		    fields.ns > now + NSEC_PER_SEC ||
		    fields.ns < now - 30 * NSEC_PER_SEC ||
		    count_in_order(f, id, 1, last) != 1)
			break;
	}
	return nr;
}

/* The collected text must be whole lines, except for a part of the last. */
static void check_text(struct __test_metadata *_metadata,
		       FIXTURE_DATA(text) *self)
{
	size_t lines = self->size / self->line;
	size_t right = count_lines(self->f, self->text, self->size,
				   &self->last);

	ASSERT_EQ(lines, right) {
		TH_LOG("line %zu: '%.*s'", right, (int)self->line,
		       self->text + right * self->line);
	}
	self->size -= lines * self->line;
	memmove(self->text, self->text + lines * self->line, self->size);
}

/* Read @size bytes behind the collected text, or as much as such a read gives. */
static void read_on(struct __test_metadata *_metadata,
		    FIXTURE_DATA(text) *self, size_t size)
{
	size_t wanted = size_of_text(self->f, self->size, size);
	char *to = self->text + self->size;

	ASSERT_GE(TEXT_MAX, self->size + size + 16);
	memset(to, POISON, size + 16);
	ASSERT_EQ(wanted, read(self->fd, to, size)) {
		TH_LOG("size %zu after %zu", size, self->size);
	}
	ASSERT_TRUE(all_bytes(to + wanted, POISON, size - wanted + 16)) {
		TH_LOG("size %zu: written behind the end", size);
	}
	self->size += wanted;
}

/* The next read ends a line whose rest is lost, so that no reader takes it. */
static void expect_torn(struct __test_metadata *_metadata,
			FIXTURE_DATA(text) *self)
{
	size_t given = self->size % self->line;
	char *line = self->text + self->size - given;
	int whole;

	if (!given)
		return;
	whole = end_lost_line(self->f, self->fd, line, given);
	ASSERT_LE(0, whole) {
		TH_LOG("'%.*s'", (int)given + 2, line);
	}
	self->size += whole - given;
}

TEST_F(text, whole_lines)
{
	size_t lines;

	for (lines = 1; lines <= 2500; lines += lines < 40 ? 1 : 409) {
		read_on(_metadata, self, lines * self->line);
		check_text(_metadata, self);
		ASSERT_EQ(0, self->size);
	}
}

TEST_F(text, pieces_of_any_size)
{
	static const size_t odd[] = { 1023, 4097, 37 * 1024 + 1, 65535, 100001 };
	__u32 seed = pick_seed();
	size_t size, i;

	TH_LOG("seed %u", seed);
	for (size = 1; size <= 100; size++) {
		read_on(_metadata, self, size);
		read_on(_metadata, self, 101 - size);
	}
	check_text(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		read_on(_metadata, self, odd[i]);
		read_on(_metadata, self, 1);
		check_text(_metadata, self);
	}
	for (i = 0; i < 1000; i++)
		read_on(_metadata, self, pick(&seed) % (3 * self->line) + 1);
	check_text(_metadata, self);
}

TEST_F(text, size_0)
{
	__u8 buffer[2 * LINE_MAX_SIZE];
	size_t i;

	memset(buffer, POISON, sizeof(buffer));
	for (i = 0; i < 3 * self->line; i++) {
		ASSERT_EQ(0, read(self->fd, NULL, 0));
		ASSERT_EQ(0, read(self->fd, buffer, 0));
		ASSERT_TRUE(all_bytes(buffer, POISON, sizeof(buffer))) {
			TH_LOG("buffer written after %zu characters", i);
		}
		read_on(_metadata, self, 1);
	}
	check_text(_metadata, self);
}

/* Generate gives binary IDs from a text file, and breaks none of its lines. */
TEST_F(text, beside_generate)
{
	struct words last = { 0 };
	__u8 ids[7 * ID_SIZE_MAX];
	size_t i;

	for (i = 0; i < 5 * self->line; i++) {
		read_on(_metadata, self, 7);
		ASSERT_EQ(7, generate_ids(self->f, self->fd, ids, 7));
		ASSERT_EQ(7, count_in_order(self->f, ids, 7, &last));
	}
	check_text(_metadata, self);
}

/*
 * A read that hits a hole gives the lines before it. If it can't give a piece of
 * a line, that line is lost: what was given of it is marked, and all other text
 * still is whole lines.
 */
TEST_F(text, up_to_a_hole)
{
	__u32 seed = pick_seed();
	unsigned int faults = 0, part = 0;
	int round;

	TH_LOG("seed %u", seed);
	for (round = 0; round < 3000; round++) {
		size_t room = pick(&seed) % (3 * self->line);
		size_t size = room + 1 + pick(&seed) % (4 * self->line);
		size_t begun = self->size % self->line;
		ssize_t got = read(self->fd, self->hole - room, size);

		if (got < 0) {
			ASSERT_EQ(EFAULT, errno);
			ASSERT_GT(self->line - begun, room);
			expect_torn(_metadata, self);
			faults++;
		} else {
			ASSERT_EQ(size_of_text(self->f, self->size, room), got);
			memcpy(self->text + self->size, self->hole - room, got);
			self->size += got;
			part++;
		}
		/*
		 * Stop inside a line, so that the next read may start with its
		 * rest.
		 */
		read_on(_metadata, self, pick(&seed) % self->line + 1);
	}
	EXPECT_LT(0, faults);
	EXPECT_LT(0, part);
	check_text(_metadata, self);
}

/* A read that can't be written, at any place in a line, loses one ID at most. */
TEST_F(text, piece_is_lost)
{
	struct kuid_status before, after;
	__u64 lost = 0, lines = 0;
	size_t first, size;

	ASSERT_EQ(0, get_status(self->fd, &before));
	for (first = 0; first < self->line; first++) {
		for (size = 1; size < self->line; size++) {
			if (first)
				read_on(_metadata, self, first);
			ASSERT_EQ(-1, read(self->fd, self->hole, size));
			ASSERT_EQ(EFAULT, errno);
			expect_torn(_metadata, self);
			lost += first < self->line - 1;
			read_on(_metadata, self, self->line);
			lines += self->size / self->line;
			check_text(_metadata, self);
			ASSERT_EQ(0, self->size);
		}
	}
	ASSERT_EQ(0, get_status(self->fd, &after));
	EXPECT_EQ(before.ids[self->f->number] + lines + lost,
		  after.ids[self->f->number]);
}

TEST_F(text, bad_addresses)
{
	__u64 addresses[BAD_ADDRESSES_MAX];
	int nr = bad_addresses(addresses);
	int i;

	for (i = 0; i < nr; i++) {
		ASSERT_EQ(-1, read(self->fd, as_pointer(addresses[i]), 5));
		ASSERT_EQ(EFAULT, errno);
		ASSERT_EQ(-1, read(self->fd, as_pointer(addresses[i]), 4096));
		ASSERT_EQ(EFAULT, errno);
		read_on(_metadata, self, 4096);
	}
	check_text(_metadata, self);
}

/*
 * Read pieces and lines until nothing is available: the text is whole lines.
 * Only lex is slow enough for every machine to run out of IDs; the others stop
 * earlier.
 */
TEST_F(text, nonblocking)
{
	bool few = self->f->number == KUID_FORMAT_LEX;
	size_t enough = few ? TEXT_MAX - 65536 : 4 * 65536;
	unsigned int pieces = 0, cut_short = 0, again = 0;
	ssize_t got;

	/* Populate the pages first: faults would slow the reads. */
	memset(self->text, POISON, TEXT_MAX);
	close(self->fd);
	self->fd = open_device_file(self->f, ".txt", O_NONBLOCK);
	ASSERT_LE(0, self->fd);
	while (self->size < enough && again + cut_short < 8) {
		size_t size = pieces % 2 ? 60001 : 5;

		got = read(self->fd, self->text + self->size, size);
		if (got < 0) {
			ASSERT_EQ(EAGAIN, errno);
			again++;
			continue;
		}
		ASSERT_LT(0, got);
		cut_short += got < size_of_text(self->f, self->size, size);
		self->size += got;
		pieces++;
	}
	check_text(_metadata, self);
	TH_LOG("%s: %u pieces, %u cut short, %u times EAGAIN", self->f->name,
	       pieces, cut_short, again);
	ASSERT_LT(0, pieces);
	/* In blocking mode the file continues the line that was begun. */
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, 0));
	read_on(_metadata, self, 3 * self->line);
	check_text(_metadata, self);
	ASSERT_EQ(0, self->size);
}

TEST_HARNESS_MAIN
