// SPDX-License-Identifier: GPL-2.0-only
/* KUID_IOC_QUERY: its answers, and queries with one single error each. */
#include "../../kselftest_harness.h"

#include <limits.h>

#include "../lib/formats.h"

FIXTURE(query) {
	int fd;
	struct kuid_query answer;
};

FIXTURE_SETUP(query)
{
	self->fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_QUERY, &self->answer));
}

FIXTURE_TEARDOWN(query)
{
	close(self->fd);
}

/*
 * A valid query. The out fields are poisoned, because the kernel must not read
 * them.
 */
static struct kuid_query valid_query(void)
{
	struct kuid_query q;

	memset(&q, POISON, sizeof(q));
	q.format = KUID_FORMAT_DEFAULT;
	q.flags = 0;
	q.reserved0 = 0;
	memset(q.reserved, 0, sizeof(q.reserved));
	return q;
}

static void check_still_works(struct __test_metadata *_metadata,
			      FIXTURE_DATA(query) *self)
{
	struct kuid_query q = valid_query();

	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_QUERY, &q));
	ASSERT_EQ(0, memcmp(&self->answer, &q, sizeof(q)));
}

static void check_refused(struct __test_metadata *_metadata,
			  FIXTURE_DATA(query) *self, struct kuid_query *q,
			  const char *what, unsigned long long value)
{
	struct kuid_query before = *q;

	ASSERT_EQ(-1, ioctl(self->fd, KUID_IOC_QUERY, q)) {
		TH_LOG("%s %#llx was taken", what, value);
	}
	ASSERT_EQ(EINVAL, errno) {
		TH_LOG("%s %#llx", what, value);
	}
	ASSERT_EQ(0, memcmp(&before, q, sizeof(before))) {
		TH_LOG("%s %#llx: the struct was written", what, value);
	}
	check_still_works(_metadata, self);
}

TEST_F(query, answer)
{
	const struct kuid_query *a = &self->answer;

	EXPECT_EQ(KUID_FORMAT_V1, a->format);
	EXPECT_EQ(0, a->flags);
	EXPECT_EQ((2ULL << LAST_FORMAT) - 2, a->formats);
	EXPECT_EQ(1ULL << KUID_ORDER_CPU | 1ULL << KUID_ORDER_FILE |
		  1ULL << KUID_ORDER_HOST, a->orders);
	/* Bit 0 is never set: KUID_*_DEFAULT stands for another number. */
	EXPECT_FALSE(a->formats & 1);
	EXPECT_FALSE(a->orders & 1);
	EXPECT_EQ(16, a->id_size);
	EXPECT_LE(1, a->batch_max);
	EXPECT_LE(1, a->clock_resolution_ns);
	EXPECT_EQ(1000000000, a->rate_max);
	EXPECT_EQ(36, a->text_size);
	EXPECT_EQ(100000000, a->max_ahead_ns);
	EXPECT_EQ(50000000, a->batch_ahead_ns);
	EXPECT_EQ(10000000000, a->step_limit_ns);
	EXPECT_EQ(KUID_ORDER_FILE, a->order);
	EXPECT_EQ(0, a->reserved0);
	EXPECT_TRUE(all_bytes(a->reserved, 0, sizeof(a->reserved)));
}

/*
 * An answer can be used as the next query: the kernel reads the in fields only.
 */
TEST_F(query, answer_is_a_valid_query)
{
	struct kuid_query q = self->answer;

	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_QUERY, &q));
	ASSERT_EQ(0, memcmp(&self->answer, &q, sizeof(q)));
	check_still_works(_metadata, self);
}

static void check_answer(struct __test_metadata *_metadata,
			 const struct kuid_query *a, const struct format *f,
			 __u32 order)
{
	EXPECT_EQ(f->number, a->format) {
		TH_LOG("%s", f->name);
	}
	EXPECT_EQ(f->id_size, a->id_size) {
		TH_LOG("%s", f->name);
	}
	EXPECT_EQ(f->text_size, a->text_size) {
		TH_LOG("%s", f->name);
	}
	EXPECT_EQ(f->rate, a->rate_max) {
		TH_LOG("%s", f->name);
	}
	EXPECT_EQ(AHEAD_NS, a->max_ahead_ns);
	EXPECT_EQ(BATCH_AHEAD_NS, a->batch_ahead_ns);
	/*
	 * Slots of two passes differ by their clock only, so it is never set
	 * back.
	 */
	EXPECT_EQ(f->number < KUID_FORMAT_LEX ? STEP_LIMIT_NS : UINT64_MAX,
		  a->step_limit_ns) {
		TH_LOG("%s", f->name);
	}
	EXPECT_EQ(order, a->order);
	EXPECT_LE(1, a->batch_max);
	EXPECT_LE(1, a->clock_resolution_ns);
	EXPECT_EQ(0, a->reserved0);
	EXPECT_TRUE(all_bytes(a->reserved, 0, sizeof(a->reserved)));
}

/*
 * Query each format on each device file. The default is the file's own format.
 * The order is that of the file, whatever format the query names.
 */
TEST(each_device_file)
{
	struct kuid_query q;
	size_t asked;
	__u32 order;
	int nr, fd;

	for (nr = 0; nr < NR_DEVICES; nr++) {
		const struct device device = device_of(nr);

		fd = open(device.path, O_RDONLY);
		ASSERT_LE(0, fd);
		q = valid_query();
		ASSERT_EQ(0, ioctl(fd, KUID_IOC_QUERY, &q));
		check_answer(_metadata, &q, device.f, device.order);
		for (order = KUID_ORDER_CPU; order <= KUID_ORDER_HOST;
		     order++) {
			ASSERT_EQ(0, set_order(fd, order));
			for (asked = 0; asked < NR_FORMATS; asked++) {
				q = valid_query();
				q.format = formats[asked].number;
				ASSERT_EQ(0, ioctl(fd, KUID_IOC_QUERY, &q));
				check_answer(_metadata, &q, &formats[asked],
					     order);
			}
		}
		close(fd);
	}
}

/* Query knows exactly the formats that can be generated. */
TEST_F(query, formats)
{
	struct kuid_query q;
	__u32 format;

	for (format = 1; format <= 65; format++) {
		q = valid_query();
		q.format = format <= 64 ? format : UINT_MAX;
		if (format < 64 && self->answer.formats >> format & 1) {
			ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_QUERY, &q));
			ASSERT_EQ(format, q.format);
			ASSERT_EQ(self->answer.formats, q.formats);
		} else {
			check_refused(_metadata, self, &q, "format", q.format);
		}
	}
}

TEST_F(query, flags)
{
	struct kuid_query q;
	int bit;

	for (bit = 0; bit < 32; bit++) {
		q = valid_query();
		q.flags = 1U << bit;
		check_refused(_metadata, self, &q, "flags", q.flags);
	}
}

TEST_F(query, reserved)
{
	struct kuid_query q;
	size_t i;

	for (i = 0; i < sizeof(q.reserved0); i++) {
		q = valid_query();
		((__u8 *)&q.reserved0)[i] = 1;
		check_refused(_metadata, self, &q, "reserved0, byte", i);
	}
	for (i = 0; i < sizeof(q.reserved); i++) {
		q = valid_query();
		((__u8 *)q.reserved)[i] = 0x80;
		check_refused(_metadata, self, &q, "reserved, byte", i);
	}
}

/* generate accepts a batch of batch_max; a hole ends it after the first ID. */
TEST_F(query, batch_max)
{
	__u8 *hole = map_before_hole();
	struct kuid_generate g = {
		.buffer = (uintptr_t)hole - sizeof(struct id),
		.count = self->answer.batch_max,
	};

	ASSERT_NE(NULL, hole);
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_GENERATE, &g));
	ASSERT_EQ(1, g.done);
}

static void check_struct_faults(struct __test_metadata *_metadata,
				FIXTURE_DATA(query) *self, void *arg)
{
	ASSERT_EQ(-1, ioctl(self->fd, KUID_IOC_QUERY, arg)) {
		TH_LOG("struct at %p was taken", arg);
	}
	ASSERT_EQ(EFAULT, errno) {
		TH_LOG("struct at %p", arg);
	}
	check_still_works(_metadata, self);
}

TEST_F(query, bad_structs)
{
	struct kuid_query good = valid_query();
	size_t page = sysconf(_SC_PAGESIZE);
	__u8 *hole = map_before_hole();
	__u64 addresses[BAD_ADDRESSES_MAX];
	int nr = bad_addresses(addresses);
	size_t there;
	int i;

	ASSERT_NE(NULL, hole);
	for (i = 0; i < nr; i++)
		check_struct_faults(_metadata, self, as_pointer(addresses[i]));

	/* The kernel needs the whole struct, and reads no byte behind it. */
	for (there = 0; there < sizeof(good); there++) {
		memcpy(hole - there, &good, there);
		check_struct_faults(_metadata, self, hole - there);
		ASSERT_EQ(0, memcmp(hole - there, &good, there));
	}
	memcpy(hole - sizeof(good), &good, sizeof(good));
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_QUERY, hole - sizeof(good)));

	memcpy(hole - page, &good, sizeof(good));
	ASSERT_EQ(0, mprotect(hole - page, page, PROT_READ));
	check_struct_faults(_metadata, self, hole - page);
	ASSERT_EQ(0, memcmp(hole - page, &good, sizeof(good)));
}

TEST_HARNESS_MAIN
