// SPDX-License-Identifier: GPL-2.0-only
/* KUID_IOC_QUERY: its answers. */
#include "../lib/harness.h"

#include "../lib/commands.h"

static void check_answer(struct __test_metadata *_metadata,
			 const struct kuid_query *a, const struct format *f,
			 __u32 order)
{
	EXPECT_EQ(f->number, a->format)
		TH_LOG("%s", f->name);
	EXPECT_EQ(f->id_size, a->id_size)
		TH_LOG("%s", f->name);
	EXPECT_EQ(f->text_size, a->text_size)
		TH_LOG("%s", f->name);
	EXPECT_EQ(f->rate, a->rate_max)
		TH_LOG("%s", f->name);
	EXPECT_EQ(AHEAD_NS, a->max_ahead_ns);
	EXPECT_EQ(BATCH_AHEAD_NS, a->batch_ahead_ns);
	/*
	 * Slots of two passes differ by their clock only, so it is never set
	 * back.
	 */
	EXPECT_EQ(f->number < KUID_FORMAT_LEX ? STEP_LIMIT_NS : UINT64_MAX,
		  a->step_limit_ns)
		TH_LOG("%s", f->name);
	EXPECT_EQ(order, a->order);
	EXPECT_EQ((2ULL << LAST_FORMAT) - 2, a->formats);
	EXPECT_EQ(1ULL << KUID_ORDER_CPU | 1ULL << KUID_ORDER_FILE |
		  1ULL << KUID_ORDER_HOST, a->orders);
	EXPECT_EQ(0, a->flags);
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
	const struct command *query = command_of(KUID_IOC_QUERY);
	struct kuid_query q;
	size_t asked;
	__u32 order;
	int nr, fd;

	for (nr = 0; nr < NR_DEVICES; nr++) {
		const struct device device = device_of(nr);

		fd = open(device.path, O_RDONLY);
		ASSERT_LE(0, fd);
		good_request(query, &q, NULL, POISON);
		ASSERT_EQ(0, ioctl(fd, KUID_IOC_QUERY, &q));
		check_answer(_metadata, &q, device.f, device.order);
		for (order = KUID_ORDER_CPU; order <= KUID_ORDER_HOST;
		     order++) {
			ASSERT_EQ(0, set_order(fd, order));
			for (asked = 0; asked < NR_FORMATS; asked++) {
				good_request(query, &q, NULL, POISON);
				q.format = formats[asked].number;
				ASSERT_EQ(0, ioctl(fd, KUID_IOC_QUERY, &q));
				check_answer(_metadata, &q, &formats[asked],
					     order);
			}
		}
		close(fd);
	}
}

/* generate accepts a batch of batch_max; a hole ends it after the first ID. */
TEST(batch_max)
{
	__u8 *hole = map_before_hole();
	int fd = open(DEV_KUID, O_RDONLY);
	struct kuid_generate g = {
		.buffer = (uintptr_t)hole - sizeof(struct id),
	};
	struct kuid_query q = { 0 };

	ASSERT_NE(NULL, hole);
	ASSERT_EQ(0, ioctl(fd, KUID_IOC_QUERY, &q));
	g.count = q.batch_max;
	ASSERT_EQ(0, ioctl(fd, KUID_IOC_GENERATE, &g));
	ASSERT_EQ(1, g.done);
	close(fd);
}

TEST_HARNESS_MAIN
