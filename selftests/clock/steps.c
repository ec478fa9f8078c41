// SPDX-License-Identifier: GPL-2.0-only
/*
 * Set the wall clock while IDs are taken: no ID is given twice, the IDs of each
 * file stay in order, the time in them is the one that the module reports, and
 * a new epoch begins only after a step back past step_limit.
 *
 * KUID_STEP_SECONDS sets for how long the test "at_random" steps the clock.
 */
#include "../lib/harness.h"

#include "../lib/skip.h"
#include "../lib/takers.h"

#define STEP_LIMIT_NS	(10 * NSEC_PER_SEC)

FIXTURE(steps) {
	struct takers takers;
	int fds[NR_FORMATS];
	int fd;
	__u64 resolution;
	__u64 epoch;		/* expected number of the current epoch */
	struct moment begin;
};

/* Open all formats and record the state, without starting the load. */
static void set_up(struct __test_metadata *_metadata,
		   FIXTURE_DATA(steps) *self, const char *params)
{
	open_afresh(_metadata, self->fds, params);
	self->fd = self->fds[0];
	self->resolution = resolution_of_clock(self->fd);
	ASSERT_EQ(0, look_at(self->fd, &self->begin));
	self->epoch = self->begin.status.epoch;
	ASSERT_LT(0, self->epoch);
	ASSERT_EQ(0, self->begin.status.stamp_lag_ns);
	ASSERT_EQ(0, self->begin.status.slot_lag_ns);
}

static void tear_down(struct __test_metadata *_metadata,
		      FIXTURE_DATA(steps) *self, const char *params)
{
	int i;

	stop_takers(&self->takers);
	for (i = 0; i < NR_FORMATS; i++)
		close(self->fds[i]);
	EXPECT_EQ(0, start_afresh(params));
}

FIXTURE_SETUP(steps)
{
	set_up(_metadata, self, NULL);
	start_takers(_metadata, &self->takers);
}

FIXTURE_TEARDOWN(steps)
{
	tear_down(_metadata, self, NULL);
}

/* Wait for the expected epoch; no other new epoch may begin meanwhile. */
static void wait_for_epoch(struct __test_metadata *_metadata,
			   FIXTURE_DATA(steps) *self, struct moment *m)
{
	for (;;) {
		ASSERT_EQ(0, look_at(self->fd, m));
		if (m->status.epoch == self->epoch)
			break;
		ASSERT_EQ(self->epoch - 1, m->status.epoch);
		usleep(1000);
	}
}

static void lag_grew(struct __test_metadata *_metadata,
		     const struct moment *before, const struct moment *after,
		     __u64 by, bool stamps)
{
	__u64 elapsed = after->mono_after - before->mono_before;
	__u64 was = lag_of(before, stamps);
	__u64 is = lag_of(after, stamps);

	EXPECT_GE(is + elapsed + AHEAD_NS, was + by) {
		TH_LOG("%s: too little", stamps ? "stamps" : "slots");
	}
	EXPECT_LE(is, was + by + elapsed + AHEAD_NS) {
		TH_LOG("%s: too much", stamps ? "stamps" : "slots");
	}
}

/*
 * Set the clock back and check epoch, lags and counters. @makes_epoch says
 * whether this step has to begin a new epoch.
 */
static void step_back(struct __test_metadata *_metadata,
		      FIXTURE_DATA(steps) *self, __u64 by,
		      int (*set)(__s64 by), bool makes_epoch)
{
	__u64 found, since = read_clock(CLOCK_MONOTONIC);
	struct moment before, after, later;

	ids_are_in_time(_metadata, self->fds);
	ASSERT_EQ(0, look_at(self->fd, &before));
	/* The lag counts from the last ID, which may be older than this look. */
	before.mono_before = since;
	ASSERT_EQ(self->epoch, before.status.epoch);
	ASSERT_EQ(0, set(-(__s64)by));
	self->epoch += makes_epoch;
	wait_for_epoch(_metadata, self, &after);

	if (makes_epoch)
		EXPECT_EQ(0, after.status.stamp_lag_ns);
	if (!makes_epoch)
		lag_grew(_metadata, &before, &after, by, true);
	lag_grew(_metadata, &before, &after, by, false);

	/*
	 * The step isn't counted if the clock was back at its old time before
	 * anyone read it.
	 */
	found = after.status.steps_back - before.status.steps_back;
	EXPECT_GE(1, found);
	if (after.mono_after - before.mono_before < by)
		EXPECT_EQ(1, found);
	EXPECT_EQ(before.status.steps_forward, after.status.steps_forward);

	ids_are_in_time(_metadata, self->fds);
	/*
	 * Half speed starts with the next ID; until then the status predicts
	 * it.
	 */
	ASSERT_EQ(0, look_at(self->fd, &after));
	let_them_take(&self->takers, self->takers.greedy ? 30 : 300);
	ids_are_in_time(_metadata, self->fds);
	ASSERT_EQ(0, look_at(self->fd, &later));
	ASSERT_EQ(self->epoch, later.status.epoch);
	lag_has_halved_time(_metadata, &after, &later, self->resolution, true);
	lag_has_halved_time(_metadata, &after, &later, self->resolution, false);
}

/* A step forward begins no epoch, and the IDs have the new time at once. */
static void step_forward(struct __test_metadata *_metadata,
			 FIXTURE_DATA(steps) *self, __u64 by)
{
	struct moment before, after;

	ASSERT_EQ(0, look_at(self->fd, &before));
	ASSERT_EQ(0, step_wall(by));
	ids_are_in_time(_metadata, self->fds);
	ASSERT_EQ(0, look_at(self->fd, &after));
	ASSERT_EQ(self->epoch, after.status.epoch);
	EXPECT_EQ(before.status.steps_back, after.status.steps_back);
	EXPECT_EQ(before.status.steps_forward + 1, after.status.steps_forward);
	EXPECT_EQ(0, after.status.stamp_lag_ns);
	EXPECT_EQ(0, after.status.slot_lag_ns);
}

static void has_caught_up(struct __test_metadata *_metadata,
			  FIXTURE_DATA(steps) *self)
{
	struct moment earlier, later;

	ASSERT_EQ(0, look_at(self->fd, &earlier));
	for (;;) {
		ASSERT_EQ(0, look_at(self->fd, &later));
		ASSERT_EQ(self->epoch, later.status.epoch);
		lag_has_halved_time(_metadata, &earlier, &later,
				    self->resolution, true);
		lag_has_halved_time(_metadata, &earlier, &later,
				    self->resolution, false);
		if (!later.status.stamp_lag_ns && !later.status.slot_lag_ns)
			break;
		usleep(10000);
	}
	ids_are_in_time(_metadata, self->fds);
}

static void finish(struct __test_metadata *_metadata,
		   FIXTURE_DATA(steps) *self)
{
	struct kuid_status status;

	let_them_take(&self->takers, 100);
	check_takers(_metadata, &self->takers);
	ASSERT_EQ(0, get_status(self->fd, &status));
	EXPECT_EQ(self->epoch, status.epoch);
	EXPECT_EQ(EVERY_FORMAT, status.ordered);
	/*
	 * Without module_path() the earlier tests forced the clock instead of
	 * reloading the module, so uniqueness is no longer held.
	 */
	if (module_path())
		EXPECT_EQ(EVERY_FORMAT, status.unique);
}

/* The load alone must not look like a step, however late a clock is read. */
TEST_F(steps, none)
{
	struct kuid_status status;

	let_them_take(&self->takers, 2000);
	ids_are_in_time(_metadata, self->fds);
	ASSERT_EQ(0, get_status(self->fd, &status));
	EXPECT_EQ(self->begin.status.steps_back, status.steps_back);
	EXPECT_EQ(self->begin.status.steps_forward, status.steps_forward);
	EXPECT_EQ(0, status.stamp_lag_ns);
	EXPECT_EQ(0, status.slot_lag_ns);
	finish(_metadata, self);
}

TEST_F(steps, back_1s)
{
	step_back(_metadata, self, NSEC_PER_SEC, step_wall, false);
	has_caught_up(_metadata, self);
	finish(_metadata, self);
}

TEST_F(steps, back_past_the_limit)
{
	step_back(_metadata, self, STEP_LIMIT_NS + 1000 * NSEC_PER_MSEC,
		  shift_wall, true);
	finish(_metadata, self);
}

TEST_F(steps, back_1h)
{
	step_back(_metadata, self, 3600 * NSEC_PER_SEC, step_wall, true);
	finish(_metadata, self);
}

TEST_F(steps, forward_10_years_and_back)
{
	step_forward(_metadata, self, 10 * YEAR_NS);
	let_them_take(&self->takers, 300);
	step_back(_metadata, self, 10 * YEAR_NS, step_wall, true);
	finish(_metadata, self);
}

/*
 * A reader that is interrupted between reading the two clocks must not take a
 * step forward for a step back past the limit.
 */
TEST_F_TIMEOUT(steps, forward_often, 60)
{
	int i;

	for (i = 0; i < 30; i++) {
		step_forward(_metadata, self, STEP_LIMIT_NS + NSEC_PER_SEC);
		let_them_take(&self->takers, 2);
	}
	finish(_metadata, self);
}

static __u64 step_seconds(void)
{
	const char *given = getenv("KUID_STEP_SECONDS");

	return given ? strtoull(given, NULL, 0) : 10;
}

/* Step by -20 s to +20 s without a pause, but stay near the true time. */
TEST_F_TIMEOUT(steps, at_random, 600)
{
	const __s64 most = 20 * NSEC_PER_SEC;
	const __s64 far = 600 * NSEC_PER_SEC;
	__u64 begin = read_clock(CLOCK_MONOTONIC);
	__u32 seed = pick_seed();
	unsigned int steps = 0;
	struct kuid_status status;
	__u64 elapsed;

	TH_LOG("seed %u", seed);
	do {
		__s64 off = clock_ns() - read_clock(CLOCK_BOOTTIME) -
			    wall_offset;
		__s64 by = ((__u64)pick(&seed) << 16 | pick(&seed)) %
			   (2 * most) - most;

		if (off > far)
			by = -most;
		else if (off < -far)
			by = most;
		ASSERT_EQ(0, step_wall(by));
		steps++;
		elapsed = read_clock(CLOCK_MONOTONIC) - begin;
	} while (elapsed < step_seconds() * NSEC_PER_SEC &&
		 !self->takers.failed);

	/* All takers still get IDs. */
	let_them_take(&self->takers, 100);
	check_takers(_metadata, &self->takers);
	ASSERT_EQ(0, get_status(self->fd, &status));
	elapsed = read_clock(CLOCK_MONOTONIC) - begin;
	TH_LOG("%u steps; %llu back and %llu forward found, %llu epochs", steps,
	       (unsigned long long)(status.steps_back -
				    self->begin.status.steps_back),
	       (unsigned long long)(status.steps_forward -
				    self->begin.status.steps_forward),
	       (unsigned long long)(status.epoch - self->epoch));
	EXPECT_LT(self->begin.status.steps_back, status.steps_back);
	EXPECT_LT(self->begin.status.steps_forward, status.steps_forward);
	/* At most one epoch a second. */
	EXPECT_GE(self->epoch + elapsed / NSEC_PER_SEC + 1, status.epoch);
	EXPECT_LT(self->epoch, status.epoch);
}

/* After an inserted leap second 23:59:59 comes twice. */
TEST_F_TIMEOUT(steps, leap_second, 60)
{
	const __u64 day = 86400 * NSEC_PER_SEC;
	__u64 midnight = (clock_ns() / day + 1) * day;
	__u64 off, since;
	struct moment m;

	ASSERT_EQ(0, set_wall(midnight - 3 * NSEC_PER_SEC));
	set_leap(STA_INS);
	off = clock_ns() - read_clock(CLOCK_BOOTTIME);
	ids_are_in_time(_metadata, self->fds);
	do {
		since = read_clock(CLOCK_MONOTONIC);
		ASSERT_GT(midnight + NSEC_PER_SEC, clock_ns()) {
			TH_LOG("there was no leap");
		}
		usleep(10000);
	} while (clock_ns() - read_clock(CLOCK_BOOTTIME) >
		 off - NSEC_PER_SEC / 2);
	ASSERT_EQ(0, look_at(self->fd, &m));
	/* As in step_back(). */
	if (m.mono_after - since < NSEC_PER_SEC)
		EXPECT_EQ(self->begin.status.steps_back + 1,
			  m.status.steps_back);
	/* A few seconds later the kernel would schedule another leap second. */
	set_leap(0);
	let_them_take(&self->takers, 300);
	ids_are_in_time(_metadata, self->fds);
	ASSERT_EQ(0, look_at(self->fd, &m));
	ASSERT_EQ(self->epoch, m.status.epoch);
	EXPECT_GE(self->begin.status.steps_back + 1, m.status.steps_back);
	EXPECT_GE(NSEC_PER_SEC + AHEAD_NS, m.status.stamp_lag_ns);
	EXPECT_GE(NSEC_PER_SEC + AHEAD_NS, m.status.slot_lag_ns);
	finish(_metadata, self);
}

/*
 * All takers ask for more IDs than are available, so they wait for a clock at
 * half speed. A step forward and a new epoch must wake them.
 */
FIXTURE(scarce) {
	FIXTURE_DATA(steps) steps;
};

FIXTURE_SETUP(scarce)
{
	set_up(_metadata, &self->steps, NULL);
	self->steps.takers.only = format_of(KUID_FORMAT_LEX);
	self->steps.takers.greedy = true;
	start_takers(_metadata, &self->steps.takers);
}

FIXTURE_TEARDOWN(scarce)
{
	tear_down(_metadata, &self->steps, NULL);
}

TEST_F(scarce, back_and_forward)
{
	FIXTURE_DATA(steps) *steps = &self->steps;
	struct moment m;
	int i;

	for (i = 0; i < 2; i++) {
		step_back(_metadata, steps, 3 * NSEC_PER_SEC, shift_wall,
			  false);
		ASSERT_EQ(0, shift_wall(3 * NSEC_PER_SEC));
		ids_are_in_time(_metadata, steps->fds);
		let_them_take(&steps->takers, 20);
	}
	step_back(_metadata, steps, 3600 * NSEC_PER_SEC, step_wall, true);
	ids_are_in_time(_metadata, steps->fds);
	ASSERT_EQ(0, step_wall(3600 * NSEC_PER_SEC));
	let_them_take(&steps->takers, 20);
	ids_are_in_time(_metadata, steps->fds);
	ASSERT_EQ(0, look_at(steps->fd, &m));
	TH_LOG("waited %llu times",
	       (unsigned long long)(m.status.waits -
				    steps->begin.status.waits));
	let_them_take(&steps->takers, 20);
	check_takers(_metadata, &steps->takers);
	EXPECT_EQ(steps->epoch, m.status.epoch);
}

FIXTURE(loaded) {
	FIXTURE_DATA(steps) steps;
};

FIXTURE_VARIANT(loaded) {
	const char *params;
	__u64 by;
	__u64 limit;
	bool makes_epoch;
	bool fixed_node;
};

/*
 * With a given node two passes through the same time would repeat IDs, so the
 * clock goes on at half speed however large the step is.
 */
FIXTURE_VARIANT_ADD(loaded, fixed_node_back_1h) {
	.params = "node=0123456789ab",
	.by = 3600 * NSEC_PER_SEC,
	.limit = -1ULL,
	.fixed_node = true,
};

FIXTURE_VARIANT_ADD(loaded, limit_0_back_1s) {
	.params = "step_limit_ms=0",
	.by = NSEC_PER_SEC,
	.makes_epoch = true,
};

FIXTURE_VARIANT_ADD(loaded, limit_1h_back_59min) {
	.params = "step_limit_ms=3600000",
	.by = 59 * 60 * NSEC_PER_SEC,
	.limit = 3600 * NSEC_PER_SEC,
};

FIXTURE_SETUP(loaded)
{
	if (!module_path())
		SKIP_TEST(NO_MODULE);
	set_up(_metadata, &self->steps, variant->params);
	start_takers(_metadata, &self->steps.takers);
}

FIXTURE_TEARDOWN(loaded)
{
	tear_down(_metadata, &self->steps, "");
}

TEST_F(loaded, step)
{
	struct kuid_query query = { 0 };
	struct kuid_status status;

	ASSERT_EQ(0, ioctl(self->steps.fd, KUID_IOC_QUERY, &query));
	EXPECT_EQ(variant->limit, query.step_limit_ns);
	step_back(_metadata, &self->steps, variant->by, step_wall,
		  variant->makes_epoch);
	ASSERT_EQ(0, get_status(self->steps.fd, &status));
	EXPECT_EQ(variant->fixed_node,
		  !!(status.reasons & KUID_REASON_FIXED_NODE));
	finish(_metadata, &self->steps);
}

/* Force the clock. Only some of these tests run under load. */
FIXTURE(force) {
	FIXTURE_DATA(steps) steps;
};

FIXTURE_SETUP(force)
{
	set_up(_metadata, &self->steps, NULL);
}

FIXTURE_TEARDOWN(force)
{
	tear_down(_metadata, &self->steps, NULL);
}

/* Take IDs of a time ten years from now, then set the clock back. */
static void make_bogus(struct __test_metadata *_metadata,
		       FIXTURE_DATA(steps) *self)
{
	struct moment m;

	ASSERT_EQ(0, step_wall(10 * YEAR_NS));
	ids_are_in_time(_metadata, self->fds);
	ASSERT_EQ(0, step_wall(-10 * YEAR_NS));
	self->epoch++;
	wait_for_epoch(_metadata, self, &m);
	ids_are_in_time(_metadata, self->fds);
	ASSERT_EQ(0, look_at(self->fd, &m));
	EXPECT_EQ(0, m.status.stamp_lag_ns);
	EXPECT_LE(10 * YEAR_NS - (m.mono_after - self->begin.mono_before),
		  m.status.slot_lag_ns);
	EXPECT_TRUE(m.status.reasons & KUID_REASON_SLOTS_HALF_SPEED);
	EXPECT_FALSE(m.status.reasons & KUID_REASON_STAMPS_HALF_SPEED);
}

/* The command returns the number of the new epoch. */
static void force(struct __test_metadata *_metadata, FIXTURE_DATA(steps) *self)
{
	__u64 epoch = 0;

	ASSERT_EQ(0, go_back(self->fd, &epoch));
	self->epoch++;
	ASSERT_EQ(self->epoch, epoch);
}

/* A refused call changes nothing: the slot clock keeps its lag. */
static void nothing_changed(struct __test_metadata *_metadata,
			    FIXTURE_DATA(steps) *self,
			    const struct moment *before)
{
	struct moment after;

	ASSERT_EQ(0, look_at(self->fd, &after));
	EXPECT_EQ(self->epoch, after.status.epoch);
	EXPECT_EQ(before->status.steps_back, after.status.steps_back);
	EXPECT_EQ(before->status.steps_forward, after.status.steps_forward);
	EXPECT_EQ(before->status.unique, after.status.unique);
	EXPECT_EQ(before->status.reboot_safe, after.status.reboot_safe);
	EXPECT_EQ(before->status.reasons, after.status.reasons);
	EXPECT_EQ(0, after.status.stamp_lag_ns);
	lag_has_halved_time(_metadata, before, &after, self->resolution, false);
}

TEST_F(force, needs_both_flags)
{
	struct kuid_cover call = { .ceiling_ns = KUID_TIME_MAX_NS,
				   .flags = KUID_COVER_BACK, .epoch = 0x55 };
	struct moment before;

	make_bogus(_metadata, &self->steps);
	ASSERT_EQ(0, look_at(self->steps.fd, &before));
	EXPECT_EQ(-1, ioctl(self->steps.fd, KUID_IOC_COVER, &call));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0x55, call.epoch);
	nothing_changed(_metadata, &self->steps, &before);
}

/*
 * The open files have given IDs of a time ten years from now. They must give
 * the next ID without waiting for that time.
 */
TEST_F(force, open_files_go_on)
{
	int again[NR_FORMATS];
	__u8 id[ID_SIZE_MAX];
	struct words last[NR_FORMATS];
	long (*take)(const struct format *f, int fd, void *to, __u32 count);
	struct moment after;
	int i, nr;

	for (i = 0; i < NR_FORMATS; i++) {
		again[i] = open_device_file(&formats[i], "", O_NONBLOCK);
		ASSERT_LE(0, again[i]);
	}
	ASSERT_EQ(0, step_wall(10 * YEAR_NS));
	for (i = 0; i < NR_FORMATS; i++) {
		ASSERT_EQ(1, read_ids(&formats[i], again[i], id, 1));
		ASSERT_EQ(1, generate_ids(&formats[i], again[i], id, 1));
	}
	ASSERT_EQ(0, step_wall(-10 * YEAR_NS));
	make_bogus(_metadata, &self->steps);

	force(_metadata, &self->steps);
	ASSERT_EQ(0, look_at(self->steps.fd, &after));
	EXPECT_EQ(self->steps.epoch, after.status.epoch);
	EXPECT_EQ(0, after.status.stamp_lag_ns);
	EXPECT_EQ(0, after.status.slot_lag_ns);
	EXPECT_FALSE(half_speed(&after, true));
	EXPECT_FALSE(half_speed(&after, false));
	EXPECT_TRUE(after.status.reasons & KUID_REASON_MAY_REPEAT);
	EXPECT_EQ(STAMPS, after.status.unique);
	EXPECT_EQ(EVERY_FORMAT, after.status.ordered);

	for (i = 0; i < NR_FORMATS; i++) {
		struct kuid_generate g = {
			.buffer = (uintptr_t)id,
			.format = formats[i].number,
			.count = 1,
		};

		id_is_in_time(_metadata, &formats[i], again[i]);
		id_is_in_time(_metadata, &formats[i], self->steps.fds[i]);
		ASSERT_EQ(0, ioctl(again[i], KUID_IOC_GENERATE, &g));
		EXPECT_EQ(self->steps.epoch, g.epoch);
		last[i] = id_order(&formats[i], id);
	}
	/* From now on each file is in order, by read and by generate. */
	for (nr = 0; nr < 200; nr++) {
		for (i = 0; i < NR_FORMATS; i++) {
			take = nr % 2 ? read_ids : generate_ids;
			ASSERT_EQ(1, take(&formats[i], again[i], id, 1));
			ASSERT_EQ(1, count_in_order(&formats[i], id, 1,
						    &last[i]));
		}
	}
	ids_are_in_time(_metadata, self->steps.fds);
	for (i = 0; i < NR_FORMATS; i++)
		close(again[i]);
}

/*
 * The IDs from before have a time that has passed, and the bogus IDs have a
 * time ten years from now: no ID is given twice.
 */
TEST_F(force, under_load)
{
	FIXTURE_DATA(steps) *steps = &self->steps;
	struct moment m;

	start_takers(_metadata, &steps->takers);
	ASSERT_EQ(0, step_wall(10 * YEAR_NS));
	let_them_take(&steps->takers, 300);
	ASSERT_EQ(0, step_wall(-10 * YEAR_NS));
	steps->epoch++;
	wait_for_epoch(_metadata, steps, &m);
	let_them_take(&steps->takers, 300);
	/* Wait until the run-ahead from before the force is over. */
	let_clock_catch_up();

	force(_metadata, steps);
	ids_are_in_time(_metadata, steps->fds);
	let_them_take(&steps->takers, 300);
	ids_are_in_time(_metadata, steps->fds);
	let_them_take(&steps->takers, 100);
	check_takers(_metadata, &steps->takers);
	ASSERT_EQ(0, look_at(steps->fd, &m));
	EXPECT_EQ(steps->epoch, m.status.epoch);
	EXPECT_EQ(0, m.status.slot_lag_ns);
}

/* Force a correct clock again and again. */
TEST_F(force, often_under_load)
{
	FIXTURE_DATA(steps) *steps = &self->steps;
	int i;

	steps->takers.slots_come_again = true;
	start_takers(_metadata, &steps->takers);
	for (i = 0; i < 20; i++) {
		force(_metadata, steps);
		let_them_take(&steps->takers, 2);
	}
	check_takers(_metadata, &steps->takers);
}

/* A batch shows one node, so a batch ends where a new epoch begins. */
TEST_F(force, cuts_batches)
{
	FIXTURE_DATA(steps) *steps = &self->steps;
	int i;

	steps->takers.only = format_of(KUID_FORMAT_V6);
	steps->takers.greedy = true;
	start_takers(_metadata, &steps->takers);
	for (i = 0; i < 50; i++) {
		force(_metadata, steps);
		let_them_take(&steps->takers, 1);
	}
	check_takers(_metadata, &steps->takers);
}

TEST_HARNESS_MAIN
