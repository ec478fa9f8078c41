// SPDX-License-Identifier: GPL-2.0-only
/*
 * Covers, which prevent repeats after a reboot: which users may begin and raise
 * one, which calls wait for it, and that no ID is made below the floor or at the
 * ceiling. Leaves the module loaded or unloaded, as it was found.
 */
#include "../lib/harness.h"

#include <pthread.h>
#include <signal.h>

#include "../lib/children.h"
#include "../lib/own_module.h"
#include "../lib/set_wall.h"

#define HOUR		(3600 * NSEC_PER_SEC)

#define BATCH		1024

FIXTURE(state) {
	int fd;			/* of /dev/kuid, O_NONBLOCK */
	__u8 *ids;
};

FIXTURE_SETUP(state)
{
	self->fd = -1;
	self->ids = malloc(BATCH * ID_SIZE_MAX);
	ASSERT_NE(NULL, self->ids);
	take_module(_metadata);
}

FIXTURE_TEARDOWN(state)
{
	free(self->ids);
	close(self->fd);
	give_back_module(_metadata);
}

/* Check that a command that failed has changed nothing in the status. */
static void expect_unchanged(struct __test_metadata *_metadata, int fd,
			     const struct kuid_status *before)
{
	struct kuid_status now;

	ASSERT_EQ(0, get_status(fd, &now));
	EXPECT_EQ(before->epoch, now.epoch);
	EXPECT_EQ(before->floor_ns, now.floor_ns);
	EXPECT_EQ(before->ceiling_ns, now.ceiling_ns);
	EXPECT_EQ(before->reboot_safe, now.reboot_safe);
	EXPECT_EQ(before->reasons, now.reasons);
}

/* Each field of a request that can be wrong by itself. */
TEST_F(state, cover_refuses)
{
	const __u64 now = clock_ns(), max = KUID_TIME_MAX_NS, far = 1ULL << 63;
	const __u32 begin = KUID_COVER_BEGIN, back = begin | KUID_COVER_BACK;
	const struct kuid_cover good = { .floor_ns = now, .ceiling_ns = max,
					 .again_from_ns = 1,
					 .again_until_ns = max,
					 .flags = begin };
	const struct kuid_cover bad[] = {
		{ .floor_ns = now, .ceiling_ns = now, .flags = begin },
		{ .floor_ns = now, .ceiling_ns = now - 1, .flags = begin },
		{ .flags = begin },
		{ .floor_ns = max, .ceiling_ns = max + 1, .flags = begin },
		{ .ceiling_ns = far, .flags = begin },
		{ .floor_ns = far, .ceiling_ns = -1, .flags = back },
		{ .ceiling_ns = max, .again_from_ns = 1, .flags = begin },
		{ .ceiling_ns = max, .again_from_ns = 2, .again_until_ns = 1,
		  .flags = back },
		{ .ceiling_ns = max, .again_until_ns = max + 1, .flags = begin },
		{ .ceiling_ns = max, .again_until_ns = -1, .flags = back },
		{ .ceiling_ns = max, .flags = KUID_COVER_BACK },
		{ .floor_ns = 1, .ceiling_ns = max },
		{ .ceiling_ns = max, .again_until_ns = 1 },
		{ .ceiling_ns = max + 1 },
	};
	struct kuid_status before;
	struct kuid_state state;
	struct kuid_cover arg;
	size_t i;

	start(_metadata, &self->fd, "");
	ASSERT_EQ(0, get_state(self->fd, &state));
	ASSERT_EQ(0, get_status(self->fd, &before));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		arg = bad[i];
		EXPECT_EQ(-1, ioctl(self->fd, KUID_IOC_COVER, &arg))
			TH_LOG("request %zu", i);
		EXPECT_EQ(EINVAL, errno);
		EXPECT_EQ(0, memcmp(&arg, &bad[i], sizeof(arg)));
	}
	EXPECT_EQ(-ENODATA, raise_cover(self->fd, max));
	expect_unchanged(_metadata, self->fd, &before);
	arg = good;
	EXPECT_EQ(0, ioctl(self->fd, KUID_IOC_COVER, &arg));
	EXPECT_EQ(before.epoch + 1, arg.epoch);
	/* The highest ceiling is valid, and so is a lower one after it. */
	EXPECT_EQ(0, raise_cover(self->fd, clock_ns() + HOUR));
}

/* Two programs with two files can't take turns. */
TEST_F(state, cover_has_a_name)
{
	const __u64 ceiling = clock_ns() + HOUR;
	struct kuid_cover first = { .ceiling_ns = ceiling,
				    .flags = KUID_COVER_BEGIN };
	struct kuid_cover raise = { .ceiling_ns = ceiling };
	struct kuid_cover other = first;
	struct kuid_status before;
	struct kuid_state state;

	start(_metadata, &self->fd, "");
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_COVER, &first));
	ASSERT_EQ(0, get_state(self->fd, &state));
	EXPECT_EQ(state.epoch, first.epoch);
	EXPECT_EQ(state.load_id, first.load_id);
	EXPECT_EQ(state.cover_epoch, first.epoch);
	EXPECT_EQ(state.cover_load_id, first.load_id);
	ASSERT_EQ(0, get_status(self->fd, &before));
	/* One that knows of no cover, of another one, and of another load. */
	EXPECT_EQ(-1, ioctl(self->fd, KUID_IOC_COVER, &other));
	EXPECT_EQ(ESTALE, errno);
	EXPECT_EQ(-1, ioctl(self->fd, KUID_IOC_COVER, &raise));
	EXPECT_EQ(ESTALE, errno);
	raise.load_id = first.load_id;
	raise.epoch = first.epoch + 1;
	EXPECT_EQ(-1, ioctl(self->fd, KUID_IOC_COVER, &raise));
	EXPECT_EQ(ESTALE, errno);
	raise.load_id++;
	raise.epoch--;
	EXPECT_EQ(-1, ioctl(self->fd, KUID_IOC_COVER, &raise));
	EXPECT_EQ(ESTALE, errno);
	expect_unchanged(_metadata, self->fd, &before);
	raise.load_id--;
	raise.ceiling_ns++;
	EXPECT_EQ(0, ioctl(self->fd, KUID_IOC_COVER, &raise));
	/* The next one begins in place of this one, which has ended then. */
	other.epoch = first.epoch;
	other.load_id = first.load_id;
	EXPECT_EQ(0, ioctl(self->fd, KUID_IOC_COVER, &other));
	EXPECT_EQ(-1, ioctl(self->fd, KUID_IOC_COVER, &raise));
	EXPECT_EQ(ESTALE, errno);
}

/* The kernel's clock can't be set to KUID_TIME_MAX_NS or a later time. */
TEST_F(state, no_clock_gets_to_the_bound)
{
	__u64 highest = KUID_TIME_MAX_NS - NSEC_PER_SEC;
	__u64 before = clock_ns();

	ASSERT_EQ(0, KUID_TIME_MAX_NS % NSEC_PER_SEC);
	ASSERT_EQ(-EINVAL, set_wall(KUID_TIME_MAX_NS));
	ASSERT_EQ(0, set_wall(highest));
	ASSERT_EQ(0, shift_wall(before - highest));
}

/* A ceiling must cover all IDs that were handed out. */
TEST_F(state, ceiling_covers_what_was_given)
{
	struct kuid_state state;
	struct fields fields;
	size_t i;

	for (i = 0; i < NR_FORMATS; i++) {
		const struct format *f = &formats[i];
		__u64 end;

		start(_metadata, &self->fd, ALL_PARAMS);
		ASSERT_EQ(0, begin_cover(self->fd, 0));
		ASSERT_EQ(0, take_fields(self->fd, f, &fields));
		ASSERT_EQ(0, get_state(self->fd, &state));
		end = among(f, STAMPS) ? state.stamp_ns : state.slot_ns;
		EXPECT_LT(fields.ns, end)
			TH_LOG("%s", f->name);
		EXPECT_EQ(0, among(f, STAMPS) ? state.slot_ns : state.stamp_ns);
		EXPECT_EQ(-EINVAL, raise_cover(self->fd, fields.ns))
			TH_LOG("%s", f->name);
		/* slot_ns is the end of a grid tick. */
		EXPECT_EQ(among(f, STAMPS) ? -EINVAL : 0,
			  raise_cover(self->fd, end - 1))
			TH_LOG("%s", f->name);
		EXPECT_EQ(0, raise_cover(self->fd, end));
		stop(_metadata, &self->fd);
	}

	start(_metadata, &self->fd, "");
	ASSERT_EQ(0, begin_cover(self->fd, 0));
	ASSERT_EQ(0, take_fields(self->fd, format_of(KUID_FORMAT_V1), &fields));
	ASSERT_EQ(0, get_state(self->fd, &state));
	EXPECT_EQ(0, state.stamp_ns);
	EXPECT_EQ(0, raise_cover(self->fd, 1));
}

/* Out fields are ignored on the way in, all other fields are checked. */
TEST_F(state, get_says)
{
	const struct format *v1 = format_of(KUID_FORMAT_V1);
	struct kuid_state state;
	struct fields fields;
	__u64 before, after, floor;

	start(_metadata, &self->fd, "node=0123456789ab interval=6 state=required");
	memset(&state, POISON, sizeof(state));
	state.flags = 0;
	memset(state.reserved, 0, sizeof(state.reserved));
	before = clock_ns();
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_GET_STATE, &state));
	after = clock_ns();
	EXPECT_EQ(0, state.flags);
	EXPECT_EQ(1, state.required);
	EXPECT_EQ(0, state.cover_epoch);
	EXPECT_EQ(0, state.cover_load_id);
	EXPECT_EQ(0, state.again_from_ns);
	EXPECT_EQ(0, state.again_until_ns);
	EXPECT_EQ(6, state.interval);
	EXPECT_LE(before, state.wall_ns);
	EXPECT_GE(after, state.wall_ns);
	EXPECT_EQ(state.wall_ns, state.clock_ns);
	EXPECT_EQ(0, state.slot_ns);
	EXPECT_EQ(0, state.stamp_ns);
	EXPECT_EQ(0, state.floor_ns);
	EXPECT_EQ(0, state.ceiling_ns);
	EXPECT_EQ(KUID_FROM_GIVEN, state.node_from);
	EXPECT_EQ(KUID_FROM_HOST, state.worker_from);
	EXPECT_EQ(GIVEN_NODE, state.node);
	EXPECT_EQ(1, state.epoch);
	EXPECT_NE(0, state.load_id);
	EXPECT_TRUE(all_bytes(state.reserved, 0, sizeof(state.reserved)));

	floor = clock_ns();
	ASSERT_EQ(0, begin_cover(self->fd, floor));
	ASSERT_EQ(0, raise_cover(self->fd, floor + HOUR));
	ASSERT_EQ(0, take_fields(self->fd, v1, &fields));
	ASSERT_EQ(0, get_state(self->fd, &state));
	EXPECT_EQ(2, state.cover_epoch);
	EXPECT_EQ(floor, state.floor_ns);
	EXPECT_EQ(floor + HOUR, state.ceiling_ns);
	EXPECT_LT(fields.ns, state.stamp_ns);
	EXPECT_LE(floor, state.slot_ns);
	stop(_metadata, &self->fd);

	start(_metadata, &self->fd, "worker=random");
	ASSERT_EQ(0, get_state(self->fd, &state));
	EXPECT_EQ(0, state.required);
	EXPECT_EQ(8, state.interval);
	EXPECT_EQ(KUID_FROM_RANDOM, state.node_from);
	EXPECT_TRUE(node_is_random(state.node));
	EXPECT_EQ(KUID_FROM_RANDOM, state.worker_from);
}

/* Read load_id and epoch in all ways, which must agree. */
static __u64 load_id_of(struct __test_metadata *_metadata, int fd, __u64 *epoch)
{
	struct kuid_generate g = { .count = 1, .format = KUID_FORMAT_V7 };
	struct kuid_status status;
	struct kuid_state state;
	__u8 id[ID_SIZE_MAX];

	g.buffer = (uintptr_t)id;
	EXPECT_EQ(0, ioctl(fd, KUID_IOC_GENERATE, &g));
	EXPECT_EQ(0, get_status(fd, &status));
	EXPECT_EQ(0, get_state(fd, &state));
	EXPECT_EQ(g.epoch, status.epoch);
	EXPECT_EQ(g.epoch, state.epoch);
	EXPECT_EQ(g.load_id, status.load_id);
	EXPECT_EQ(g.load_id, state.load_id);
	EXPECT_EQ(g.load_id, read_number("load_id", 16));
	*epoch = g.epoch;
	return g.load_id;
}

/* All epochs of a load have the same load_id, and other loads have others. */
TEST_F(state, load_id)
{
	enum { BACK = 60 };
	struct kuid_set_identity set = { .worker_from = KUID_FROM_RANDOM };
	struct kuid_status status;
	__u64 epoch, first, now;

	ASSERT_EQ(0, load(""));
	EXPECT_EQ(0, read_number("load_id", 16));
	ASSERT_EQ(0, unload());

	start(_metadata, &self->fd, "");
	first = load_id_of(_metadata, self->fd, &epoch);
	EXPECT_EQ(1, epoch);
	EXPECT_NE(0, first);
	ASSERT_EQ(0, set_identity(self->fd, &set));
	EXPECT_EQ(first, set.load_id);
	EXPECT_EQ(first, load_id_of(_metadata, self->fd, &epoch));
	EXPECT_EQ(2, epoch);
	ASSERT_EQ(0, begin_cover(self->fd, 0));
	EXPECT_EQ(first, load_id_of(_metadata, self->fd, &epoch));
	EXPECT_EQ(3, epoch);
	ASSERT_EQ(0, go_back(self->fd, &epoch));
	EXPECT_EQ(first, load_id_of(_metadata, self->fd, &epoch));
	EXPECT_EQ(4, epoch);
	ASSERT_EQ(0, shift_wall_seconds(-BACK));
	/* Reading the status detects the step; a kworker begins the epoch. */
	do {
		usleep(1000);
		ASSERT_EQ(0, get_status(self->fd, &status));
	} while (status.epoch == 4);
	ASSERT_EQ(0, shift_wall_seconds(BACK));
	EXPECT_EQ(first, load_id_of(_metadata, self->fd, &epoch));
	EXPECT_EQ(5, epoch);
	stop(_metadata, &self->fd);

	start(_metadata, &self->fd, "");
	now = load_id_of(_metadata, self->fd, &epoch);
	EXPECT_EQ(1, epoch);
	EXPECT_NE(0, now);
	EXPECT_NE(first, now);
}

/* Check by read, ioctl and poll that only the formats of a set give IDs. */
static void expect_only(struct __test_metadata *_metadata, int fd, __u32 numbers)
{
	__u8 ids[7 * ID_SIZE_MAX];
	size_t i;

	for (i = 0; i < NR_FORMATS; i++) {
		const struct format *f = &formats[i];
		bool works = among(f, numbers);
		int binary = open_device_file(f, "", O_NONBLOCK);
		int text = open_device_file(f, ".txt", O_NONBLOCK);
		char c;

		ASSERT_LE(0, binary);
		ASSERT_LE(0, text);
		EXPECT_EQ(works, poll_says_ready(binary))
			TH_LOG("%s", f->name);
		EXPECT_EQ(works, poll_says_ready(text));
		EXPECT_EQ(works ? 1 : -EAGAIN, read_ids(f, binary, ids, 1))
			TH_LOG("%s", f->name);
		EXPECT_EQ(works ? 7 : -EAGAIN, read_ids(f, binary, ids, 7));
		EXPECT_EQ(works ? 1 : -EAGAIN, read_ids(f, binary, ids, 1));
		EXPECT_EQ(works ? 3 : -EAGAIN, generate_ids(f, fd, ids, 3));
		errno = EAGAIN;
		EXPECT_EQ(works ? 1 : -1, read(text, &c, 1));
		EXPECT_EQ(EAGAIN, errno);
		close(text);
		close(binary);
	}
}

/* Behind a floor the clock goes on while nobody makes an ID. */
TEST_F(state, ceiling_above_idle_clock)
{
	struct kuid_state before, state;

	start(_metadata, &self->fd, "node=0123456789ab state=required");
	ASSERT_EQ(0, begin_cover(self->fd, clock_ns() + HOUR));
	ASSERT_EQ(0, get_state(self->fd, &before));
	usleep(100000);
	ASSERT_EQ(0, get_state(self->fd, &state));
	EXPECT_LE(state.floor_ns, before.clock_ns);
	/* At half speed. */
	EXPECT_LE(before.clock_ns + 49 * NSEC_PER_MSEC, state.clock_ns);
	EXPECT_EQ(before.slot_ns, state.slot_ns);
	EXPECT_EQ(before.stamp_ns, state.stamp_ns);
	ASSERT_EQ(0, raise_cover(self->fd, state.clock_ns));
	expect_only(_metadata, self->fd, 0);
	ASSERT_EQ(0, raise_cover(self->fd, state.clock_ns + HOUR));
	expect_only(_metadata, self->fd, EVERY_FORMAT);
}

/* Stamps with a drawn node need no cover, also if they are far ahead. */
TEST_F(state, no_ceiling_above_drawn_stamps)
{
	enum { DAY = 86400 };
	struct kuid_state state;
	struct fields fields;

	start(_metadata, &self->fd, "state=required");
	ASSERT_EQ(0, begin_cover(self->fd, 0));
	ASSERT_EQ(0, shift_wall_seconds(DAY));
	ASSERT_EQ(0, take_fields(self->fd, format_of(KUID_FORMAT_V7), &fields));
	ASSERT_EQ(0, shift_wall_seconds(-DAY));
	/* The first that finds the step. */
	ASSERT_EQ(0, get_state(self->fd, &state));
	EXPECT_LT(state.wall_ns + DAY / 2 * NSEC_PER_SEC, fields.ns);
	EXPECT_EQ(state.wall_ns, state.clock_ns);
}

static void expect_status(struct __test_metadata *_metadata, int fd, bool safe,
			  __u64 reasons)
{
	const __u64 looked_at = KUID_REASON_NO_STATE | KUID_REASON_FIXED_NODE |
				KUID_REASON_PAST_CEILING |
				KUID_REASON_STALE_IDENTITY |
				KUID_REASON_EXPIRED_CLAIM;
	struct kuid_status status;

	ASSERT_EQ(0, get_status(fd, &status));
	EXPECT_EQ(safe ? SLOTS : 0, status.reboot_safe & SLOTS);
	EXPECT_EQ(reasons, status.reasons & looked_at);
}

/* Readers of one file of text. */
struct readers {
	pthread_barrier_t gate;
	int fd;
	bool failed;
};

static void *read_a_line(void *arg)
{
	struct readers *all = arg;
	char line[64];

	pthread_barrier_wait(&all->gate);
	if (read(all->fd, line, sizeof(line)) < 0)
		all->failed = true;
	return NULL;
}

/* Two calls want the rest of a line: one gets it, the other one waits. */
TEST_F(state, one_rest_for_two_readers)
{
	enum { TRIES = 2000 };
	const struct format *lex = format_of(KUID_FORMAT_LEX);
	struct readers all = { 0 };
	struct kuid_state state;
	pthread_t threads[2];
	int i, t;
	char c;

	start(_metadata, &self->fd, "state=required");
	ASSERT_EQ(0, begin_cover(self->fd, 0));
	all.fd = open_device_file(lex, ".txt", 0);
	ASSERT_LE(0, all.fd);
	ASSERT_EQ(0, pthread_barrier_init(&all.gate, NULL, 3));
	for (i = 0; i < TRIES && !all.failed; i++) {
		ASSERT_EQ(0, raise_cover(self->fd, clock_ns() + HOUR));
		ASSERT_EQ(1, read(all.fd, &c, 1));
		ASSERT_EQ(0, get_state(self->fd, &state));
		ASSERT_EQ(0, raise_cover(self->fd, state.slot_ns));
		for (t = 0; t < 2; t++)
			ASSERT_EQ(0, pthread_create(&threads[t], NULL,
						    read_a_line, &all));
		pthread_barrier_wait(&all.gate);
		usleep(100);
		ASSERT_EQ(0, raise_cover(self->fd, clock_ns() + HOUR));
		for (t = 0; t < 2; t++)
			ASSERT_EQ(0, pthread_join(threads[t], NULL));
	}
	EXPECT_FALSE(all.failed)
		TH_LOG("try %d", i);
	pthread_barrier_destroy(&all.gate);
	close(all.fd);
}

/* All combinations of given identity and floor. */
FIXTURE(required) {
	FIXTURE_DATA(state) s;
};

FIXTURE_VARIANT(required) {
	const char *params;
	__u32 gated;
	bool fresh;
};

FIXTURE_VARIANT_ADD(required, random_node_fresh) {
	.params = "state=required",
	.gated = SLOTS,
	.fresh = true,
};

FIXTURE_VARIANT_ADD(required, random_node_floor) {
	.params = "state=required worker=random",
	.gated = SLOTS,
};

FIXTURE_VARIANT_ADD(required, given_node_floor) {
	.params = "state=required " ALL_PARAMS,
	.gated = SLOTS | STAMPS,
};

FIXTURE_VARIANT_ADD(required, given_node_fresh) {
	.params = "state=required " ALL_PARAMS,
	.gated = SLOTS | STAMPS,
	.fresh = true,
};

FIXTURE_SETUP(required)
{
	self->s.fd = -1;
	self->s.ids = malloc(BATCH * ID_SIZE_MAX);
	ASSERT_NE(NULL, self->s.ids);
	take_module(_metadata);
	start(_metadata, &self->s.fd, variant->params);
}

FIXTURE_TEARDOWN(required)
{
	free(self->s.ids);
	close(self->s.fd);
	give_back_module(_metadata);
}

TEST_F(required, waits_for_state)
{
	const __u32 all = SLOTS | STAMPS;
	const __u64 fixed = variant->gated & STAMPS ? KUID_REASON_FIXED_NODE : 0;
	__u64 now = clock_ns();
	int fd = self->s.fd;

	expect_only(_metadata, fd, all & ~variant->gated);
	expect_status(_metadata, fd, false, KUID_REASON_NO_STATE | fixed);

	/* A ceiling that is reached is not enough. */
	ASSERT_EQ(0, begin_cover(fd, variant->fresh ? 0 : now));
	expect_only(_metadata, fd, all & ~variant->gated);
	ASSERT_EQ(0, raise_cover(fd, now + HOUR));
	expect_only(_metadata, fd, all);
	expect_status(_metadata, fd, true, 0);
}

static void expect_asleep(struct __test_metadata *_metadata, const pid_t *pids,
			  const long *calls, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		EXPECT_TRUE(wait_asleep_in(pids[i], calls[i]))
			TH_LOG("sleeper %d", i);
	}
}

static void expect_woken(struct __test_metadata *_metadata, const pid_t *pids,
			 int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		EXPECT_EQ(0, exit_status(pids[i]))
			TH_LOG("sleeper %d", i);
	}
}

/*
 * Start a child for each format and each way to wait, and wait until all sleep.
 * Returns the number of children.
 */
#define SLEEPERS_MAX	(NR_FORMATS * 4)

static int start_sleepers(struct __test_metadata *_metadata, __u32 numbers,
			  pid_t *pids, long *calls)
{
	int nr = 0;
	size_t i;
	int way;

	for (i = 0; i < NR_FORMATS; i++) {
		const struct format *f = &formats[i];

		if (!among(f, numbers))
			continue;
		for (way = 0; way < 4; way++) {
			int fd = open_device_file(f, way == 3 ? ".txt" : "", 0);
			struct pollfd p = { .fd = fd, .events = POLLIN };
			__u8 ids[33 * ID_SIZE_MAX];
			pid_t pid;

			ASSERT_LE(0, fd);
			pid = fork();
			ASSERT_LE(0, pid);
			if (!pid) {
				switch (way) {
				case 0:
					_exit(read_ids(f, fd, ids, 1) != 1);
				case 1:
					_exit(generate_ids(f, fd, ids, 33) < 1);
				case 2:
					/* Not poll(), which may be SYS_poll. */
					_exit(syscall(SYS_ppoll, &p, 1, NULL,
						      NULL, 0) != 1 ||
					      p.revents != POLLIN);
				default:
					_exit(read(fd, ids, 1) != 1);
				}
			}
			close(fd);
			calls[nr] = way == 1 ? SYS_ioctl :
				    way == 2 ? SYS_ppoll : SYS_read;
			pids[nr++] = pid;
		}
	}
	expect_asleep(_metadata, pids, calls, nr);
	return nr;
}

TEST_F(required, sleepers_are_woken)
{
	__u64 now = clock_ns();
	struct kuid_status status;
	pid_t pids[SLEEPERS_MAX];
	long calls[SLEEPERS_MAX];
	int fd = self->s.fd;
	int nr;

	nr = start_sleepers(_metadata, variant->gated, pids, calls);
	ASSERT_LT(0, nr);
	/* Each waiting read or ioctl counts once, and poll never. */
	ASSERT_EQ(0, get_status(fd, &status));
	EXPECT_EQ(nr / 4 * 3, status.waits);
	EXPECT_EQ(0, status.would_blocks);
	ASSERT_EQ(0, begin_cover(fd, variant->fresh ? 0 : now));
	expect_asleep(_metadata, pids, calls, nr);
	ASSERT_EQ(0, raise_cover(fd, clock_ns() + HOUR));
	expect_woken(_metadata, pids, nr);

	/* A higher ceiling wakes callers that wait at the ceiling. */
	ASSERT_EQ(0, raise_cover(fd, clock_ns() + 3 * AHEAD_NS));
	wait_past(clock_ns() + 3 * AHEAD_NS);
	nr = start_sleepers(_metadata, variant->gated, pids, calls);
	ASSERT_EQ(0, raise_cover(fd, clock_ns() + HOUR));
	expect_woken(_metadata, pids, nr);
}

/*
 * In a child: take IDs in all ways until the clock is past the ceiling. Returns
 * 1 if the time of an ID is not below the ceiling, 2 on an error or an invalid
 * ID, NONE if no call gave an ID, otherwise 0.
 */
#define NONE	3

static int run_into(int cpu, __u32 numbers, __u64 ceiling, __u32 seed)
{
	static const __u32 counts[] = { 1, 1, 1, 7, 33, BATCH };
	static __u8 ids[BATCH * ID_SIZE_MAX];
	int fd = open(DEV_KUID, O_RDONLY | O_NONBLOCK);
	bool any = false;

	if (fd < 0 || move_to_cpu(0, cpu))
		return 4;
	while (clock_ns() <= ceiling + AHEAD_NS) {
		const struct format *f = &formats[pick(&seed) % NR_FORMATS];
		__u32 count = counts[pick(&seed) % ARRAY_SIZE(counts)];
		__u32 order = pick(&seed) % 4;
		struct fields fields;
		long got;

		if (!among(f, numbers))
			continue;
		got = take(fd, f, order, ids, count, NULL);
		if (got == -EAGAIN)
			continue;
		if (got <= 0 || !decode(f, id_at(f, ids, got - 1), &fields))
			return 2;
		if (fields.ns >= ceiling) {
			fprintf(stderr, "# %s, order %u, %ld: past by %llu ns\n",
				f->name, order, got, fields.ns - ceiling);
			return 1;
		}
		any = true;
	}
	close(fd);
	return any ? 0 : NONE;
}

/* The ceilings lie anywhere in a tick of the grid, the coarsest time. */
TEST_F(required, stops_at_the_ceiling)
{
	const __u32 all = SLOTS | STAMPS;
	__u32 seed = pick_seed();
	int fd = self->s.fd;
	int cpus[2], nr, i;
	bool any = false;
	pid_t pids[2];
	int round;

	TH_LOG("seed %u", seed);
	nr = allowed_cpus(cpus, 2);
	ASSERT_LE(1, nr);
	ASSERT_EQ(0, begin_cover(fd, variant->fresh ? 0 : clock_ns()));
	for (round = 0; round < 3; round++) {
		__u64 ceiling = clock_ns() + pick(&seed) * 37 +
				(round ? 2 * AHEAD_NS : NSEC_PER_SEC);

		ASSERT_EQ(0, raise_cover(fd, ceiling));
		for (i = 0; i < nr; i++) {
			__u32 own = pick(&seed);

			pids[i] = fork();
			ASSERT_LE(0, pids[i]);
			if (!pids[i])
				_exit(run_into(cpus[i], variant->gated, ceiling,
					       own));
		}
		for (i = 0; i < nr; i++) {
			int status = exit_status(pids[i]);

			EXPECT_TRUE(status == 0 || status == NONE)
				TH_LOG("round %d, CPU %d: %d", round, cpus[i],
				       status);
			any |= !status;
		}
		expect_only(_metadata, fd, all & ~variant->gated);
		expect_status(_metadata, fd, false, KUID_REASON_PAST_CEILING);
		/* Nothing at or above it was made. */
		ASSERT_EQ(0, raise_cover(fd, ceiling));
	}
	EXPECT_TRUE(any);
	ASSERT_EQ(0, raise_cover(fd, clock_ns() + HOUR));
	expect_only(_metadata, fd, all);
	expect_status(_metadata, fd, true, 0);
}

/* If state is not required, only the status changes, and no call waits. */
TEST_F(state, off_only_tells)
{
	const __u32 all = SLOTS | STAMPS;
	static const struct {
		const char *params;
		__u64 reasons;
	} loads[] = {
		{ "", KUID_REASON_NO_STATE },
		{ "state=off", KUID_REASON_NO_STATE },
		{ ALL_PARAMS, KUID_REASON_NO_STATE | KUID_REASON_FIXED_NODE },
	};
	__u64 ceiling;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		start(_metadata, &self->fd, loads[i].params);
		expect_status(_metadata, self->fd, false, loads[i].reasons);
		expect_only(_metadata, self->fd, all);
		expect_status(_metadata, self->fd, false, loads[i].reasons);

		ASSERT_EQ(0, begin_cover(self->fd, 0));
		ASSERT_EQ(0, raise_cover(self->fd, clock_ns() + HOUR));
		expect_status(_metadata, self->fd, true, 0);
		expect_only(_metadata, self->fd, all);

		ceiling = clock_ns() + 2 * AHEAD_NS;
		ASSERT_EQ(0, raise_cover(self->fd, ceiling));
		wait_past(ceiling);
		expect_status(_metadata, self->fd, false, KUID_REASON_PAST_CEILING);
		expect_only(_metadata, self->fd, all);
		EXPECT_EQ(-EINVAL, raise_cover(self->fd, ceiling));
		ASSERT_EQ(0, raise_cover(self->fd, clock_ns() + HOUR));
		expect_status(_metadata, self->fd, true, 0);
		stop(_metadata, &self->fd);
	}
}

/*
 * Take IDs in all orders and counts, on each CPU, and check that all are at or
 * above a time, or that all are below it.
 */
static void expect_from(struct __test_metadata *_metadata, int fd, __u8 *ids,
			__u64 floor, __u32 numbers, bool above)
{
	static const __u32 counts[] = { 1, 7, 1, 40, BATCH, 1 };
	int cpus[8], nr = allowed_cpus(cpus, 8);
	size_t i, k;
	__u32 order;
	int cpu;

	for (k = 0; k < ARRAY_SIZE(counts); k++) {
		for (cpu = 0; cpu < nr; cpu++) {
			ASSERT_EQ(0, move_to_cpu(0, cpus[cpu]));
			for (i = 0; i < NR_FORMATS * 3; i++) {
				const struct format *f = &formats[i / 3];
				struct fields fields;
				long got;

				if (!among(f, numbers))
					continue;
				order = KUID_ORDER_CPU + i % 3;
				got = take(fd, f, order, ids, counts[k], NULL);
				/* lex may have used up its window. */
				if (got == -EAGAIN)
					continue;
				ASSERT_LT(0, got);
				ASSERT_TRUE(decode(f, ids, &fields));
				EXPECT_EQ(above, fields.ns >= floor)
					TH_LOG("%s, order %u, count %u, CPU %d: %lld ns above",
					       f->name, order, counts[k], cpu,
					       (__s64)(fields.ns - floor));
			}
		}
	}
}

/* Leave each CPU with the rest of a run from before the floor. */
static void begin_runs(struct __test_metadata *_metadata, int fd, __u8 *ids)
{
	int cpus[8], nr = allowed_cpus(cpus, 8);
	size_t i;
	int cpu;

	for (cpu = 0; cpu < nr; cpu++) {
		ASSERT_EQ(0, move_to_cpu(0, cpus[cpu]));
		for (i = 0; i < NR_FORMATS; i++)
			ASSERT_EQ(1, take(fd, &formats[i], KUID_ORDER_CPU, ids,
					  1, NULL));
	}
}

static __u64 monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

/*
 * Check that lagging clocks advance at half speed: between two readings of the
 * status their lag shrinks by half of the time that passed. The duration of the
 * readings only widens the bounds.
 */
static void expect_half_speed(struct __test_metadata *_metadata, int fd,
			      bool stamps, bool slots)
{
	__u64 begin[2], end[2], least, most;
	struct kuid_status status[2];
	int i;

	for (i = 0; i < 2; i++) {
		begin[i] = monotonic_ns();
		ASSERT_EQ(0, get_status(fd, &status[i]));
		end[i] = monotonic_ns();
		EXPECT_EQ(stamps, !!(status[i].reasons &
				     KUID_REASON_STAMPS_HALF_SPEED));
		EXPECT_EQ(slots, !!(status[i].reasons &
				    KUID_REASON_SLOTS_HALF_SPEED));
		EXPECT_EQ(stamps, !!status[i].stamp_lag_ns);
		EXPECT_EQ(slots, !!status[i].slot_lag_ns);
		if (!i)
			usleep(200000);
	}
	least = begin[1] - end[0] - (end[1] - begin[0]) / 2;
	most = end[1] - begin[0] - (begin[1] - end[0]) / 2;
	if ((__s64)least < 0)
		least = 0;
	/* A coarse clock may be off by a tick. */
	least -= least < 8000000 ? least : 8000000;
	most += 8000000;
	if (slots) {
		EXPECT_LE(least, status[0].slot_lag_ns - status[1].slot_lag_ns);
		EXPECT_GE(most, status[0].slot_lag_ns - status[1].slot_lag_ns);
	}
	if (stamps) {
		EXPECT_LE(least,
			  status[0].stamp_lag_ns - status[1].stamp_lag_ns);
		EXPECT_GE(most,
			  status[0].stamp_lag_ns - status[1].stamp_lag_ns);
	}
}

TEST_F(state, nothing_below_the_floor)
{
	static const char *const loads[] = {
		"", "state=required", ALL_PARAMS, "state=required " ALL_PARAMS,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		bool given = strstr(loads[i], "node=");
		__u32 above = given ? SLOTS | STAMPS : SLOTS;
		struct kuid_status before, after;
		__u64 floor;

		TH_LOG("%s", loads[i]);
		start(_metadata, &self->fd, loads[i]);
		if (!strstr(loads[i], "required"))
			begin_runs(_metadata, self->fd, self->ids);
		ASSERT_EQ(0, get_status(self->fd, &before));
		floor = clock_ns() + HOUR + 123456;
		ASSERT_EQ(0, begin_cover(self->fd, floor));
		ASSERT_EQ(0, raise_cover(self->fd, floor + HOUR));
		ASSERT_EQ(0, get_status(self->fd, &after));
		EXPECT_EQ(before.epoch + 1, after.epoch);
		EXPECT_EQ(floor, after.floor_ns);
		EXPECT_EQ(floor + HOUR, after.ceiling_ns);
		EXPECT_EQ(EVERY_FORMAT, after.reboot_safe);

		expect_from(_metadata, self->fd, self->ids, floor, above, true);
		if (!given)
			expect_from(_metadata, self->fd, self->ids, floor,
				    STAMPS, false);
		expect_half_speed(_metadata, self->fd, given, true);

		/* A lower floor than before only begins a new epoch. */
		ASSERT_EQ(0, get_status(self->fd, &before));
		ASSERT_EQ(0, begin_cover(self->fd, floor - NSEC_PER_SEC));
		ASSERT_EQ(0, begin_cover(self->fd, 0));
		ASSERT_EQ(0, get_status(self->fd, &after));
		EXPECT_EQ(before.epoch + 2, after.epoch);
		EXPECT_EQ(floor, after.floor_ns);
		expect_from(_metadata, self->fd, self->ids, floor, above, true);
		stop(_metadata, &self->fd);
	}
}

/* The way back from a clock that was wrong, with all times known. */
TEST_F(state, goes_back_and_tells)
{
	const struct format *lex = format_of(KUID_FORMAT_LEX);
	const __u64 now = clock_ns(), wrong = now + HOUR;
	struct kuid_cover cover = { .floor_ns = wrong,
				    .ceiling_ns = wrong + HOUR,
				    .flags = KUID_COVER_BEGIN };
	struct kuid_status status;
	struct kuid_state state;
	struct fields fields;

	start(_metadata, &self->fd, "state=required");
	ASSERT_EQ(0, ask_cover(self->fd, &cover));
	ASSERT_EQ(0, take_fields(self->fd, lex, &fields));
	EXPECT_LE(wrong, fields.ns);
	cover.floor_ns = now;
	cover.ceiling_ns = now + HOUR / 2;
	cover.again_from_ns = wrong;
	cover.again_until_ns = wrong + HOUR / 2;
	cover.flags |= KUID_COVER_BACK;
	ASSERT_EQ(0, ask_cover(self->fd, &cover));
	ASSERT_EQ(0, take_fields(self->fd, lex, &fields));
	EXPECT_GT(wrong, fields.ns);
	ASSERT_EQ(0, get_state(self->fd, &state));
	EXPECT_EQ(wrong, state.again_from_ns);
	EXPECT_EQ(wrong + HOUR / 2, state.again_until_ns);
	ASSERT_EQ(0, get_status(self->fd, &status));
	EXPECT_EQ(EVERY_FORMAT, status.unique);
	EXPECT_EQ(0, status.reasons & KUID_REASON_MAY_REPEAT);
	expect_status(_metadata, self->fd, true, 0);

	/* The clock comes to that time. */
	ASSERT_EQ(0, raise_cover(self->fd, wrong + HOUR));
	ASSERT_EQ(0, shift_wall_seconds(HOUR / NSEC_PER_SEC));
	ASSERT_EQ(0, get_status(self->fd, &status));
	EXPECT_EQ(STAMPS, status.unique);
	EXPECT_EQ(STAMPS, status.reboot_safe);
	EXPECT_NE(0, status.reasons & KUID_REASON_MAY_REPEAT);
	ASSERT_EQ(0, shift_wall_seconds(-(long)(HOUR / NSEC_PER_SEC)));
}

/* Restore the end of all IDs handed out, while CPUs have runs beyond it. */
TEST_F(state, floor_at_the_end)
{
	int cpus[8], nr = allowed_cpus(cpus, 8);
	size_t i;
	int cpu;

	for (i = 0; i < NR_FORMATS; i++) {
		const struct format *f = &formats[i];
		struct kuid_state state;
		struct fields fields;
		__u64 floor;

		start(_metadata, &self->fd, ALL_PARAMS);
		for (cpu = 0; cpu < nr; cpu++) {
			ASSERT_EQ(0, move_to_cpu(0, cpus[cpu]));
			ASSERT_EQ(1, take(self->fd, f, KUID_ORDER_CPU,
					  self->ids, 1, NULL));
		}
		ASSERT_EQ(0, get_state(self->fd, &state));
		floor = among(f, SLOTS) ? state.slot_ns : state.stamp_ns;
		ASSERT_EQ(0, begin_cover(self->fd, floor));
		/* First on the CPU that took the last ID. */
		ASSERT_EQ(0, take_fields(self->fd, f, &fields));
		EXPECT_LE(floor, fields.ns)
			TH_LOG("%s: %llu ns below", f->name, floor - fields.ns);
		expect_from(_metadata, self->fd, self->ids, floor,
			    1U << f->number, true);
		stop(_metadata, &self->fd);
	}
}

TEST_F(state, highest_floor)
{
	const __u64 floor = KUID_TIME_MAX_NS - 1;

	start(_metadata, &self->fd, ALL_PARAMS);
	begin_runs(_metadata, self->fd, self->ids);
	ASSERT_EQ(0, begin_cover(self->fd, floor));
	/* Snowflake ends before that time. */
	expect_from(_metadata, self->fd, self->ids, floor,
		    (SLOTS | STAMPS) & ~(1U << KUID_FORMAT_SNOWFLAKE), true);
}

/*
 * A floor that is below IDs already made must not move the clocks, however far
 * these IDs are ahead: repeated moves would add up.
 */
TEST_F(state, lower_floors_move_no_clock)
{
	const struct format *lex = format_of(KUID_FORMAT_LEX);
	struct kuid_status status;
	int round;

	start(_metadata, &self->fd, "");
	for (round = 0; round < 20; round++) {
		/* Use up the window, if the machine is fast enough. */
		int batches = 200;

		while (batches-- && take(self->fd, lex, KUID_ORDER_FILE,
					 self->ids, BATCH, NULL) == BATCH)
			;
		ASSERT_EQ(0, begin_cover(self->fd, round % 2));
	}
	ASSERT_EQ(0, get_status(self->fd, &status));
	EXPECT_EQ(0, status.slot_lag_ns);
	EXPECT_EQ(0, status.reasons & KUID_REASON_SLOTS_HALF_SPEED);
	EXPECT_GE(AHEAD_NS, status.lex_ahead_ns);
}

TEST_HARNESS_MAIN
