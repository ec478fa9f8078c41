// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUID_IOC_SET_FORMAT: allowed until the first ID is taken, by whatever call.
 */
#include "../lib/harness.h"

#include "../lib/formats.h"

/* Returns 0 or the errno. */
static int set_format(int fd, __u32 format)
{
	struct kuid_set_format set = { .format = format };

	return ioctl(fd, KUID_IOC_SET_FORMAT, &set) ? errno : 0;
}

/* The file's own format, from KUID_IOC_QUERY. */
static __u32 format_now(int fd)
{
	struct kuid_query q = { 0 };

	return ioctl(fd, KUID_IOC_QUERY, &q) ? 0 : q.format;
}

static __u32 order_now(int fd)
{
	struct kuid_query q = { 0 };

	return ioctl(fd, KUID_IOC_QUERY, &q) ? 0 : q.order;
}

/* read() gives IDs of this format, in multiples of its size. */
static void check_reads(struct __test_metadata *_metadata, int fd,
			const struct format *f)
{
	__u8 ids[8 * ID_SIZE_MAX];
	struct words last = { 0 };
	struct fields fields;
	__u64 before, after;
	int i;

	ASSERT_EQ(f->number, format_now(fd));
	ASSERT_EQ(-1, read(fd, ids, f->id_size - 1));
	ASSERT_EQ(EINVAL, errno);
	memset(ids, POISON, sizeof(ids));
	before = clock_ns();
	ASSERT_EQ(7 * f->id_size, read(fd, ids, 8 * f->id_size - 1));
	after = clock_ns();
	ASSERT_EQ(7, count_in_order(f, ids, 7, &last));
	for (i = 0; i < 7; i++) {
		ASSERT_TRUE(decode(f, id_at(f, ids, i), &fields));
		ASSERT_GE(after + NSEC_PER_SEC, fields.ns);
		ASSERT_LE(before - NSEC_PER_SEC, fields.ns);
	}
}

FIXTURE(set_format) {
	const struct format *f;
	int fd;		/* set to format "was", no ID taken */
	const struct format *was;
	__u8 *hole;
};

FORMAT_VARIANTS(set_format)

FIXTURE_SETUP(set_format)
{
	self->f = format_of(variant->format);
	self->was = format_of(self->f->number % NR_FORMATS + 1);
	self->fd = open_device_file(self->was, "", 0);
	ASSERT_LE(0, self->fd);
	self->hole = map_before_hole();
	ASSERT_NE(NULL, self->hole);
}

FIXTURE_TEARDOWN(set_format)
{
	close(self->fd);
}

TEST_F(set_format, repeatedly)
{
	__u32 format;

	ASSERT_EQ(0, set_format(self->fd, KUID_FORMAT_DEFAULT));
	ASSERT_EQ(self->was->number, format_now(self->fd));
	for (format = 1; format <= NR_FORMATS; format++) {
		ASSERT_EQ(0, set_format(self->fd, format));
		ASSERT_EQ(format, format_now(self->fd));
	}
	ASSERT_EQ(0, set_format(self->fd, self->f->number));
	ASSERT_EQ(0, set_format(self->fd, KUID_FORMAT_DEFAULT));
	check_reads(_metadata, self->fd, self->f);
}

TEST_F(set_format, orders)
{
	struct kuid_set_format set = { .format = self->f->number };
	struct kuid_set_format before;
	__u32 order;

	ASSERT_EQ(KUID_ORDER_FILE, order_now(self->fd));
	for (order = KUID_ORDER_CPU; order <= KUID_ORDER_HOST; order++) {
		set.order = order;
		before = set;
		ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_SET_FORMAT, &set));
		ASSERT_EQ(0, memcmp(&before, &set, sizeof(set)));
		ASSERT_EQ(order, order_now(self->fd));
		/* Setting one of format and order leaves the other. */
		ASSERT_EQ(0, set_format(self->fd, self->was->number));
		ASSERT_EQ(order, order_now(self->fd));
		ASSERT_EQ(0, set_format(self->fd, self->f->number));
		ASSERT_EQ(0, set_order(self->fd, KUID_ORDER_DEFAULT));
		ASSERT_EQ(order, order_now(self->fd));
		ASSERT_EQ(self->f->number, format_now(self->fd));
	}
	ASSERT_EQ(0, set_order(self->fd, KUID_ORDER_CPU));
	ASSERT_EQ(self->f->number, format_now(self->fd));
	check_reads(_metadata, self->fd, self->f);
	ASSERT_EQ(KUID_ORDER_CPU, order_now(self->fd));
}

/* The order of a single call doesn't change that of the file. */
TEST_F(set_format, orders_of_calls)
{
	__u8 ids[7 * ID_SIZE_MAX];
	__u32 order;

	ASSERT_EQ(0, set_order(self->fd, KUID_ORDER_HOST));
	for (order = KUID_ORDER_DEFAULT; order <= KUID_ORDER_HOST; order++) {
		struct words last = { 0 };

		ASSERT_EQ(7, generate_in_order(self->f, self->fd, order, ids,
					       7));
		ASSERT_EQ(7, count_in_order(self->f, ids, 7, &last));
		ASSERT_EQ(KUID_ORDER_HOST, order_now(self->fd));
	}
	check_reads(_metadata, self->fd, self->was);
}

/* A refused call takes no ID, so the format can still be set. */
TEST_F(set_format, after_refused_calls)
{
	struct kuid_generate g = { .format = self->f->number };
	__u8 ids[ID_SIZE_MAX];
	size_t size;

	g.buffer = (uintptr_t)ids;
	for (size = 0; size < self->was->id_size; size++) {
		ASSERT_EQ(-1, read(self->fd, ids, size));
		ASSERT_EQ(EINVAL, errno);
	}
	ASSERT_EQ(-1, ioctl(self->fd, KUID_IOC_GENERATE, &g));
	ASSERT_EQ(EINVAL, errno);
	g.count = 1;
	g.flags = KUID_GENERATE_NOWAIT + 1;
	ASSERT_EQ(-1, ioctl(self->fd, KUID_IOC_GENERATE, &g));
	ASSERT_EQ(EINVAL, errno);
	ASSERT_EQ(0, set_format(self->fd, self->f->number));
	check_reads(_metadata, self->fd, self->f);
}

/* The format of one open file doesn't affect another. */
TEST_F(set_format, files_are_independent)
{
	int other = open_device_file(self->was, "", 0);

	ASSERT_LE(0, other);
	ASSERT_EQ(0, set_format(self->fd, self->f->number));
	ASSERT_EQ(0, set_order(self->fd, KUID_ORDER_HOST));
	ASSERT_EQ(KUID_ORDER_FILE, order_now(other));
	check_reads(_metadata, other, self->was);
	check_reads(_metadata, self->fd, self->f);
	close(other);
}

/* After the first ID even the file's own format and order are refused. */
static void check_busy(struct __test_metadata *_metadata, int fd)
{
	__u32 own = format_now(fd);
	__u32 own_order = order_now(fd);
	int other = dup(fd);
	__u32 format, order;

	ASSERT_LE(0, other);
	for (format = 0; format <= NR_FORMATS; format++) {
		ASSERT_EQ(EBUSY, set_format(fd, format));
		ASSERT_EQ(EBUSY, set_format(other, format));
		ASSERT_EQ(own, format_now(fd));
	}
	for (order = 0; order <= KUID_ORDER_HOST; order++) {
		ASSERT_EQ(EBUSY, set_order(fd, order));
		ASSERT_EQ(EBUSY, set_order(other, order));
		ASSERT_EQ(own_order, order_now(fd));
	}
	close(other);
}

/* Calls that count as taking the first ID. Each returns 0. */
static long read_one(int fd, const struct format *was, const struct format *f,
		     __u8 *hole)
{
	__u8 id[ID_SIZE_MAX];

	return read_ids(was, fd, id, 1) - 1;
}

static long generate_one(int fd, const struct format *was,
			 const struct format *f, __u8 *hole)
{
	__u8 id[ID_SIZE_MAX];

	return generate_ids(was, fd, id, 1) - 1;
}

static long generate_another(int fd, const struct format *was,
			     const struct format *f, __u8 *hole)
{
	__u8 id[ID_SIZE_MAX];

	return generate_ids(f, fd, id, 1) - 1;
}

/* A read that failed. */
static long read_into_hole(int fd, const struct format *was,
			   const struct format *f, __u8 *hole)
{
	return read_ids(was, fd, hole, 1) + EFAULT;
}

/* Parent and child share the open file. */
static long read_in_a_child(int fd, const struct format *was,
			    const struct format *f, __u8 *hole)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(!!read_one(fd, was, f, hole));
	return waitpid(child, &status, 0) != child || status;
}

TEST_F(set_format, after_the_first_id)
{
	static long (*const first[])(int fd, const struct format *was,
				     const struct format *f, __u8 *hole) = {
		read_one, generate_one, generate_another, read_into_hole,
		read_in_a_child,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(first); i++) {
		int fd = open_device_file(self->was, "", 0);

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, set_order(fd, KUID_ORDER_HOST));
		ASSERT_EQ(0, first[i](fd, self->was, self->f, self->hole))
			TH_LOG("%zu", i);
		check_busy(_metadata, fd);
		check_reads(_metadata, fd, self->was);
		close(fd);
	}
}

/* A text file stays text, with lines of the new format. */
TEST_F(set_format, text)
{
	char lines[4 * LINE_MAX_SIZE];
	struct words last = { 0 };
	size_t line = self->f->text_size + 1;
	int fd = open_device_file(self->was, ".txt", 0);
	int i;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, set_format(fd, self->f->number));
	ASSERT_EQ(0, read(fd, lines, 0));
	ASSERT_EQ(0, set_format(fd, self->f->number));
	ASSERT_EQ(self->f->number, format_now(fd));
	/* Half a line counts as the first ID. */
	ASSERT_EQ(3, read(fd, lines, 3));
	check_busy(_metadata, fd);
	ASSERT_EQ(4 * line - 3, read(fd, lines + 3, 4 * line - 3));
	for (i = 0; i < 4; i++) {
		struct fields fields;
		__u8 id[ID_SIZE_MAX];

		ASSERT_TRUE(parse_line(self->f, lines + i * line, id));
		ASSERT_TRUE(decode(self->f, id, &fields));
		ASSERT_EQ(1, count_in_order(self->f, id, 1, &last));
	}
	close(fd);
}

/* An invalid call is EINVAL even where a valid one is EBUSY. */
TEST_F(set_format, invalid_calls_after_an_id)
{
	struct kuid_set_format reserved = { .reserved = { 1 } };
	__u8 id[ID_SIZE_MAX];

	ASSERT_EQ(1, read_ids(self->was, self->fd, id, 1));
	EXPECT_EQ(EINVAL, set_format(self->fd, LAST_FORMAT + 1));
	EXPECT_EQ(EINVAL, set_order(self->fd, KUID_ORDER_HOST + 1));
	EXPECT_EQ(-1, ioctl(self->fd, KUID_IOC_SET_FORMAT, &reserved));
	EXPECT_EQ(EINVAL, errno);
}

TEST_HARNESS_MAIN
