// SPDX-License-Identifier: GPL-2.0-only
/*
 * PRIVATE_LANE: its answer. It refuses all requests of 32-bit programs. rules.c
 * has the rules for every command.
 */
#include "../lib/harness.h"

#include "../lib/admin.h"
#include "../lib/private.h"

FIXTURE(answer) {
	int fd;
};

FIXTURE_SETUP(answer)
{
	self->fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(answer)
{
	close(self->fd);
}

#ifdef __LP64__

TEST_F(answer, fields)
{
	struct kuid_private_lane lane;
	struct kuid_status status;
	struct kuid_query query = { 0 };

	ASSERT_EQ(0, get_lane(self->fd, &lane));
	ASSERT_EQ(0, get_status(self->fd, &status));
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_QUERY, &query));
	EXPECT_EQ(0, lane.flags);
	EXPECT_EQ(0, lane.reserved0);
	EXPECT_EQ(0, lane.node >> 48);
	EXPECT_TRUE(node_is_random(lane.node));
	EXPECT_NE(0, lane.generation);
	EXPECT_EQ(status.epoch, lane.epoch);
	EXPECT_EQ(status.load_id, lane.load_id);
	EXPECT_EQ(query.max_ahead_ns, lane.max_ahead_ns);
	EXPECT_EQ(query.step_limit_ns, lane.step_limit_ns);
	EXPECT_TRUE(all_bytes(lane.reserved, 0, sizeof(lane.reserved)));
}

#else

TEST_F(answer, none_for_32_bits)
{
	struct kuid_private_lane lane, before;

	ASSERT_EQ(-EOPNOTSUPP, get_lane(self->fd, &lane));
	memset(&before, POISON, sizeof(before));
	before.flags = 0;
	before.reserved0 = 0;
	memset(before.reserved, 0, sizeof(before.reserved));
	EXPECT_EQ(0, memcmp(&before, &lane, sizeof(lane)));
	lane.flags = 1;
	EXPECT_EQ(-1, ioctl(self->fd, KUID_IOC_PRIVATE_LANE, &lane));
	EXPECT_EQ(EINVAL, errno);
}

#endif

/* The page is the same for all programs. */
TEST_F(answer, page)
{
	const struct kuid_page *page = map_page(self->fd);

	ASSERT_NE(MAP_FAILED, page);
	EXPECT_EQ(KUID_PAGE_VERSION, page->version);
	EXPECT_EQ(sizeof(*page), page->size);
	EXPECT_NE(0, generation_of(page));
	EXPECT_TRUE(all_bytes((const void *)page->reserved, 0,
			      KUID_PAGE_SIZE -
				      offsetof(struct kuid_page, reserved)));
	EXPECT_EQ(0, unmap_page(page));
}

TEST_HARNESS_MAIN
