// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nodes for private lanes: nobody else has or gets one, and the generation
 * tells when a lane must not be used any more. The module is left loaded or
 * not, as it was found.
 */
#include "../lib/harness.h"

#include "../lib/children.h"
#include "../lib/own_module.h"
#include "../lib/private.h"
#include "../lib/record.h"
#include "../lib/set_wall.h"

/* No lane can have this node. */
#define CARD_NODE	0x0223456789abULL

FIXTURE(lane) {
	int fd;			/* /dev/kuid, O_NONBLOCK */
	const struct kuid_page *page;
};

FIXTURE_SETUP(lane)
{
	self->fd = -1;
	self->page = MAP_FAILED;
	take_module(_metadata);
}

static void give_back_page(FIXTURE_DATA(lane) *self)
{
	if (self->page != MAP_FAILED)
		unmap_page(self->page);
	self->page = MAP_FAILED;
}

FIXTURE_TEARDOWN(lane)
{
	give_back_page(self);
	close(self->fd);
	give_back_module(_metadata);
}

static void start_mapped(struct __test_metadata *_metadata,
			 FIXTURE_DATA(lane) *self, const char *params)
{
	start(_metadata, &self->fd, params);
	self->page = map_page(self->fd);
	ASSERT_NE(MAP_FAILED, self->page);
}

/* Begin an epoch, with a node that is given or drawn, or as it was. */
static int set_node(int fd, __u32 from, __u64 node)
{
	struct kuid_set_identity set = { .node_from = from, .node = node };

	return set_identity(fd, &set);
}

#define PROCESSES	8
#define NODES		500

struct nodes {
	__u64 of[PROCESSES][NODES];
};

/* Processes get nodes at the same time, from all device files. */
TEST_F(lane, each_node_is_handed_out_once)
{
	struct nodes *nodes = share_memory(sizeof(*nodes));
	struct record record;
	struct kuid_state state;
	pid_t pids[PROCESSES];
	int p, i;

	ASSERT_NE(NULL, nodes);
	ASSERT_TRUE(record_begin(&record, PROCESSES * NODES));
	start(_metadata, &self->fd, "");
	ASSERT_EQ(0, get_state(self->fd, &state));
	for (p = 0; p < PROCESSES; p++) {
		pids[p] = fork_child();
		ASSERT_LE(0, pids[p]);
		if (pids[p])
			continue;
		for (i = 0; i < NODES; i++) {
			int nr = (p + i) % NR_FORMAT_FILES;
			int fd = open_device_file(format_of_file(nr),
						  is_text_file(nr) ? ".txt" : "",
						  0);
			struct kuid_private_lane lane;

			if (get_lane(fd, &lane) || lane.epoch != state.epoch ||
			    lane.load_id != state.load_id)
				_exit(1);
			nodes->of[p][i] = lane.node;
			close(fd);
		}
		_exit(0);
	}
	for (p = 0; p < PROCESSES; p++)
		EXPECT_TRUE(ended_well(pids[p]));
	for (i = 0; i < PROCESSES * NODES; i++) {
		__u64 node = nodes->of[i / NODES][i % NODES];

		ASSERT_TRUE(node_is_random(node));
		ASSERT_EQ(0, node >> 48);
		ASSERT_NE(state.node, node);
		ASSERT_TRUE(record_add(&record, (struct words) { 0, node }));
	}
	record_end(&record);
}

/* The command changes neither the counters nor the open file. */
TEST_F(lane, nothing_is_counted)
{
	struct kuid_set_format set = { .format = KUID_FORMAT_V7 };
	struct kuid_status before, after;
	struct kuid_private_lane lane;
	int i;

	start(_metadata, &self->fd, "max_ahead_ms=7 step_limit_ms=123");
	ASSERT_EQ(0, get_lane(self->fd, &lane));
	EXPECT_EQ(7 * NSEC_PER_MSEC, lane.max_ahead_ns);
	EXPECT_EQ(123 * NSEC_PER_MSEC, lane.step_limit_ns);
	ASSERT_EQ(0, get_status(self->fd, &before));
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, get_lane(self->fd, &lane));
	ASSERT_EQ(0, get_status(self->fd, &after));
	EXPECT_EQ(0, memcmp(before.ids, after.ids, sizeof(after.ids)));
	EXPECT_EQ(before.epoch, after.epoch);
	EXPECT_EQ(before.waits, after.waits);
	EXPECT_EQ(before.would_blocks, after.would_blocks);
	/* The file's format can still be set. */
	EXPECT_EQ(0, ioctl(self->fd, KUID_IOC_SET_FORMAT, &set));
}

/* The lane has ended and there is another one, which replaces it. */
static void expect_next_lane(struct __test_metadata *_metadata,
			     FIXTURE_DATA(lane) *self,
			     struct kuid_private_lane *lane)
{
	struct kuid_private_lane next;

	EXPECT_FALSE(is_in_use(lane, self->page));
	ASSERT_EQ(0, get_lane(self->fd, &next));
	EXPECT_TRUE(is_in_use(&next, self->page));
	EXPECT_NE(0, next.generation);
	EXPECT_LT(lane->epoch, next.epoch);
	EXPECT_EQ(lane->load_id, next.load_id);
	EXPECT_NE(lane->node, next.node);
	*lane = next;
}

TEST_F(lane, ends_with_the_epoch)
{
	struct kuid_private_lane lane;
	__u64 epoch, generation;

	start_mapped(_metadata, self, "");
	ASSERT_EQ(0, get_lane(self->fd, &lane));
	EXPECT_TRUE(is_in_use(&lane, self->page));

	ASSERT_EQ(0, set_node(self->fd, 0, 0));
	expect_next_lane(_metadata, self, &lane);
	ASSERT_EQ(0, begin_cover(self->fd, 0));
	expect_next_lane(_metadata, self, &lane);
	ASSERT_EQ(0, go_back(self->fd, &epoch));
	expect_next_lane(_metadata, self, &lane);
	ASSERT_EQ(0, set_node(self->fd, KUID_FROM_GIVEN, CARD_NODE));
	EXPECT_FALSE(is_in_use(&lane, self->page));
	generation = generation_of(self->page);
	ASSERT_EQ(0, set_node(self->fd, KUID_FROM_RANDOM, 0));
	EXPECT_NE(generation, generation_of(self->page));
	expect_next_lane(_metadata, self, &lane);

	/* A ceiling begins no epoch. */
	ASSERT_EQ(0, raise_cover(self->fd, clock_ns() + 3600 * NSEC_PER_SEC));
	EXPECT_TRUE(is_in_use(&lane, self->page));
}

/* Only a step back that begins an epoch ends a lane. */
TEST_F(lane, ends_after_a_large_clock_step)
{
	const struct format *v1 = format_of(KUID_FORMAT_V1);
	struct kuid_private_lane lane, next;
	__u8 id[ID_SIZE_MAX];

	start_mapped(_metadata, self, "");
	ASSERT_EQ(1, take(self->fd, v1, KUID_ORDER_DEFAULT, id, 1, NULL));
	ASSERT_EQ(0, get_lane(self->fd, &lane));

	ASSERT_EQ(0, shift_wall_seconds(-5));
	ASSERT_EQ(1, take(self->fd, v1, KUID_ORDER_DEFAULT, id, 1, NULL));
	ASSERT_EQ(0, shift_wall_seconds(5));
	ASSERT_EQ(1, take(self->fd, v1, KUID_ORDER_DEFAULT, id, 1, NULL));
	ASSERT_EQ(0, get_lane(self->fd, &next));
	EXPECT_TRUE(is_in_use(&lane, self->page));
	EXPECT_EQ(lane.epoch, next.epoch);

	ASSERT_EQ(0, shift_wall_seconds(-100));
	ASSERT_EQ(1, take(self->fd, v1, KUID_ORDER_DEFAULT, id, 1, NULL));
	/* A worker begins the epoch. */
	while (is_in_use(&lane, self->page))
		usleep(5000);
	expect_next_lane(_metadata, self, &lane);
	ASSERT_EQ(0, shift_wall_seconds(100));
}

/*
 * Opening /dev/snapshot announces hibernation, closing it the resume. Until
 * then no machine that resumes from the image may use a lane.
 */
TEST_F(lane, there_is_none_while_closed)
{
	struct kuid_private_lane lane, none;
	__u64 generation;
	int snapshot;

	start_mapped(_metadata, self, "");
	ASSERT_EQ(0, get_lane(self->fd, &lane));
	snapshot = open("/dev/snapshot", O_RDONLY | O_CLOEXEC);
	if (snapshot < 0)
		SKIP(return, "this kernel has no user space hibernation");

	EXPECT_FALSE(is_in_use(&lane, self->page));
	EXPECT_EQ(-EAGAIN, get_lane(self->fd, &none));
	generation = generation_of(self->page);
	EXPECT_NE(0, generation);
	/* An epoch that begins meanwhile is closed as well. */
	ASSERT_EQ(0, set_node(self->fd, 0, 0));
	EXPECT_FALSE(is_in_use(&lane, self->page));
	EXPECT_NE(generation, generation_of(self->page));
	EXPECT_EQ(-EAGAIN, get_lane(self->fd, &none));
	/* The node is given, whether the machine has a twin or not. */
	ASSERT_EQ(0, set_node(self->fd, KUID_FROM_GIVEN, CARD_NODE));
	EXPECT_EQ(-EOPNOTSUPP, get_lane(self->fd, &none));
	ASSERT_EQ(0, set_node(self->fd, KUID_FROM_RANDOM, 0));
	EXPECT_EQ(-EAGAIN, get_lane(self->fd, &none));
	generation = generation_of(self->page);

	close(snapshot);
	EXPECT_NE(generation, generation_of(self->page));
	ASSERT_EQ(0, get_lane(self->fd, &none));
	EXPECT_TRUE(is_in_use(&none, self->page));
	EXPECT_NE(lane.generation, none.generation);
	EXPECT_NE(lane.load_id, none.load_id);
	EXPECT_NE(lane.node, none.node);
}

TEST_F(lane, there_is_none_with_a_given_node)
{
	static const char *const params[] = {
		"node=0123456789ab", "node=0223456789ab",
	};
	struct kuid_private_lane lane;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(params); i++) {
		start_mapped(_metadata, self, params[i]);
		EXPECT_EQ(-EOPNOTSUPP, get_lane(self->fd, &lane));
		EXPECT_NE(0, generation_of(self->page));
		EXPECT_EQ(0, set_node(self->fd, KUID_FROM_RANDOM, 0));
		EXPECT_EQ(0, get_lane(self->fd, &lane));
		EXPECT_TRUE(is_in_use(&lane, self->page));
		EXPECT_EQ(0, set_node(self->fd, KUID_FROM_GIVEN, CARD_NODE));
		EXPECT_FALSE(is_in_use(&lane, self->page));
		EXPECT_EQ(-EOPNOTSUPP, get_lane(self->fd, &lane));
		give_back_page(self);
		stop(_metadata, &self->fd);
	}
}

/* A lane may have the node. The lanes that there are end, and others follow. */
static void expect_refused(struct __test_metadata *_metadata,
			   FIXTURE_DATA(lane) *self, __u64 node)
{
	struct kuid_private_lane lane;
	struct kuid_state before, after;

	EXPECT_EQ(0, get_lane(self->fd, &lane));
	EXPECT_EQ(0, get_state(self->fd, &before));
	EXPECT_EQ(-EBUSY, set_node(self->fd, KUID_FROM_GIVEN, node));
	EXPECT_EQ(0, get_state(self->fd, &after));
	EXPECT_EQ(before.node, after.node);
	EXPECT_EQ(before.node_from, after.node_from);
	EXPECT_EQ(before.epoch, after.epoch);
	EXPECT_EQ(before.load_id, after.load_id);
	EXPECT_FALSE(is_in_use(&lane, self->page));
	EXPECT_EQ(0, get_lane(self->fd, &lane));
	EXPECT_TRUE(is_in_use(&lane, self->page));
}

TEST_F(lane, its_node_can_not_be_given)
{
	const struct format *v1 = format_of(KUID_FORMAT_V1);
	struct kuid_private_lane lane;
	struct kuid_status status;
	__u8 id[ID_SIZE_MAX];

	start_mapped(_metadata, self, "");
	/* No lane has had a node yet. */
	ASSERT_EQ(0, set_node(self->fd, KUID_FROM_GIVEN, GIVEN_NODE));
	ASSERT_EQ(0, set_node(self->fd, KUID_FROM_GIVEN, GIVEN_NODE));
	ASSERT_EQ(0, set_node(self->fd, KUID_FROM_RANDOM, 0));

	ASSERT_EQ(0, get_lane(self->fd, &lane));
	expect_refused(_metadata, self, lane.node);
	expect_refused(_metadata, self, GIVEN_NODE);
	ASSERT_EQ(1, take(self->fd, v1, KUID_ORDER_DEFAULT, id, 1, NULL));
	ASSERT_EQ(0, set_node(self->fd, 0, 0));
	expect_refused(_metadata, self, lane.node);

	ASSERT_EQ(0, set_node(self->fd, KUID_FROM_GIVEN, CARD_NODE));
	EXPECT_EQ(-EBUSY, set_node(self->fd, KUID_FROM_GIVEN, lane.node));
	EXPECT_EQ(-EOPNOTSUPP, get_lane(self->fd, &lane));
	ASSERT_EQ(0, get_status(self->fd, &status));
	EXPECT_EQ(0, status.stamp_lag_ns);
	ASSERT_EQ(0, set_node(self->fd, KUID_FROM_RANDOM, 0));
	expect_refused(_metadata, self, GIVEN_NODE);
}

TEST_HARNESS_MAIN
