// SPDX-License-Identifier: GPL-2.0-only
/*
 * Claimed numbers: IDs that show one never pass the ceiling of the claim, and a
 * machine that may be a clone makes none.
 */
#include "../lib/harness.h"

#include "../lib/own_module.h"

/* Sets of formats. */
enum {
	OF_SNOWFLAKE = 1 << KUID_FORMAT_SNOWFLAKE,
	OF_WORKER = 1 << KUID_FORMAT_LEX | 1 << KUID_FORMAT_K96 |
		    1 << KUID_FORMAT_K128,
};

#define BATCH		4096
#define HOUR		(3600 * NSEC_PER_SEC)

FIXTURE(claim)
{
	int fd;
};

FIXTURE_SETUP(claim)
{
	self->fd = -1;
	take_module(_metadata);
	ASSERT_EQ(0, load_file(module_path(), ""));
	self->fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(claim)
{
	write_text("/sys/power/pm_test", "none");
	if (self->fd >= 0)
		close(self->fd);
	give_back_module(_metadata);
}

/* The fields of a claim that name the default parameters of a load. */
#define NAME(token0, token1, i, epoch_ms)				\
	.token = { token0, token1 }, .interval = i,			\
	.snowflake_epoch_ms = epoch_ms
#define EPOCH_MS	KUID_SNOWFLAKE_EPOCH_DEFAULT
#define NAMED		NAME(1, 2, GRID_INTERVAL, EPOCH_MS)

/* Name the living claim, if there is one. */
static void name_former(int fd, struct kuid_claim *claim)
{
	struct kuid_state state;

	get_state(fd, &state);
	claim->load_id = state.load_id;
	if (!state.claim_dead)
		memcpy(claim->replaces, state.claim_token,
		       sizeof(claim->replaces));
}

/* These return 0 or a negative errno. */
static int ask(int fd, struct kuid_claim *claim)
{
	return ioctl(fd, KUID_IOC_CLAIM, claim) ? -errno : 0;
}

static int claim_parts(int fd, __u32 parts, __u32 number, __u64 ceiling)
{
	static __u64 drawn;
	struct kuid_claim claim = {
		.parts = parts,
		.worker = parts & KUID_CLAIM_WORKER ? number : 0,
		.snowflake_worker = parts & KUID_CLAIM_SNOWFLAKE ? number : 0,
		.ceiling_ns = ceiling,
		NAMED,
	};

	claim.token[1] += ++drawn;
	name_former(fd, &claim);
	return ask(fd, &claim);
}

static int drop(int fd)
{
	struct kuid_claim none = { 0 };

	name_former(fd, &none);
	return ask(fd, &none);
}

/* Raise or end the claim that there is. */
static int change(int fd, struct kuid_claim_ceiling *raise)
{
	struct kuid_state state;

	get_state(fd, &state);
	raise->load_id = state.load_id;
	memcpy(raise->token, state.claim_token, sizeof(raise->token));
	return ioctl(fd, KUID_IOC_CLAIM_CEILING, raise) ? -errno : 0;
}

static int raise_to(int fd, __u64 ceiling)
{
	struct kuid_claim_ceiling raise = { .ceiling_ns = ceiling };

	return change(fd, &raise);
}

static int end_claim(int fd, __u64 *end)
{
	struct kuid_claim_ceiling raise = { .flags = KUID_CLAIM_END };
	int ret = change(fd, &raise);

	if (!ret)
		*end = raise.ceiling_ns;
	return ret;
}

/*
 * Formats of @numbers fail with @error by all calls, and all others give IDs,
 * except for snowflake while it has no worker.
 */
static void expect_failing(struct __test_metadata *_metadata, __u32 numbers,
			   int error)
{
	const struct format *f;
	__u8 ids[8 * ID_SIZE_MAX];
	struct kuid_state state;
	char line[64];

	for (f = formats; f < formats + NR_FORMATS; f++) {
		int fd = open_device_file(f, "", 0);
		int text = open_device_file(f, ".txt", O_NONBLOCK);
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int expected = among(f, numbers) ? -error : 0;

		ASSERT_LE(0, fd);
		ASSERT_LE(0, text);
		ASSERT_EQ(0, get_state(fd, &state));
		if (f->number == KUID_FORMAT_SNOWFLAKE && !expected &&
		    state.snowflake_worker == KUID_SNOWFLAKE_NO_WORKER)
			expected = -ENOKEY;
		EXPECT_EQ(expected ?: 1, read_ids(f, fd, ids, 1))
			TH_LOG("%s", f->name);
		EXPECT_EQ(expected ?: 8, read_ids(f, fd, ids, 8))
			TH_LOG("%s", f->name);
		EXPECT_EQ(expected ?: 3, generate_ids(f, fd, ids, 3))
			TH_LOG("%s", f->name);
		EXPECT_EQ(expected ? -1 : (int)f->text_size + 1,
			  read(text, line, f->text_size + 1))
			TH_LOG("%s", f->name);
		EXPECT_EQ(-expected, expected ? errno : 0);
		ASSERT_EQ(1, poll(&p, 1, 0));
		EXPECT_EQ(expected ? POLLERR : 0, p.revents & POLLERR);
		close(fd);
		close(text);
	}
}

static __u64 reasons(int fd)
{
	struct kuid_status status = { 0 };

	ioctl(fd, KUID_IOC_STATUS, &status);
	return status.reasons;
}

TEST_F(claim, sets_numbers_and_begins_an_epoch)
{
	struct kuid_claim claim = {
		.parts = KUID_CLAIM_WORKER | KUID_CLAIM_SNOWFLAKE,
		.worker = 0xfedcba9876543210ULL,
		.snowflake_worker = 1023,
		NAMED,
	};
	struct kuid_status before, after;
	struct kuid_state state;
	struct fields fields;
	__u8 id[ID_SIZE_MAX];

	claim.ceiling_ns = clock_ns() + HOUR;
	claim.floor_ns = clock_ns() - HOUR;
	name_former(self->fd, &claim);
	ASSERT_EQ(0, get_status(self->fd, &before));
	ASSERT_EQ(0, ask(self->fd, &claim));
	ASSERT_EQ(0, get_status(self->fd, &after));
	EXPECT_LT(before.epoch, after.epoch);
	EXPECT_EQ(claim.epoch, after.epoch);
	EXPECT_EQ(before.load_id, after.load_id);
	EXPECT_EQ(claim.ceiling_ns, after.claim_ceiling_ns);
	EXPECT_EQ(0, after.ceiling_ns);
	ASSERT_EQ(0, get_state(self->fd, &state));
	EXPECT_EQ(KUID_FROM_CLAIM, state.worker_from);
	EXPECT_EQ(KUID_FROM_CLAIM, state.snowflake_from);
	EXPECT_EQ(claim.worker, state.worker);
	EXPECT_EQ(1023, state.snowflake_worker);
	EXPECT_EQ(claim.floor_ns, state.claim_floor_ns);
	EXPECT_EQ(claim.ceiling_ns, state.claim_ceiling_ns);
	EXPECT_EQ(0, memcmp(claim.token, state.claim_token,
			    sizeof(claim.token)));
	EXPECT_EQ(0, state.claim_dead);
	expect_failing(_metadata, 0, 0);
	ASSERT_EQ(1, generate_ids(format_of(KUID_FORMAT_LEX), self->fd, id, 1));
	ASSERT_TRUE(decode(format_of(KUID_FORMAT_LEX), id, &fields));
	EXPECT_EQ(claim.worker, fields.node);
	ASSERT_EQ(1, generate_ids(format_of(KUID_FORMAT_SNOWFLAKE), self->fd,
				  id, 1));
	ASSERT_TRUE(decode(format_of(KUID_FORMAT_SNOWFLAKE), id, &fields));
	EXPECT_EQ(1023, fields.node);

	/* Dropped: the worker comes from the host, snowflake has none. */
	ASSERT_EQ(0, drop(self->fd));
	ASSERT_EQ(0, get_state(self->fd, &state));
	EXPECT_EQ(KUID_FROM_HOST, state.worker_from);
	EXPECT_EQ(KUID_FROM_WORKER, state.snowflake_from);
	EXPECT_NE(0xfedcba9876543210ULL, state.worker);
	EXPECT_EQ(KUID_SNOWFLAKE_NO_WORKER, state.snowflake_worker);
	EXPECT_EQ(0, state.claim_ceiling_ns);
	EXPECT_EQ(0, state.claim_floor_ns);
	EXPECT_EQ(0, state.claim_token[0] | state.claim_token[1]);
	expect_failing(_metadata, 0, 0);
}

/* The worker of the other formats, but too large for that of snowflake. */
TEST_F(claim, worker_may_be_too_large_for_snowflake)
{
	const __u64 ceiling = clock_ns() + HOUR;
	struct kuid_state state;
	__u64 end;

	ASSERT_EQ(0, claim_parts(self->fd, KUID_CLAIM_WORKER, 1024, ceiling));
	ASSERT_EQ(0, get_state(self->fd, &state));
	EXPECT_EQ(KUID_SNOWFLAKE_NO_WORKER, state.snowflake_worker);
	EXPECT_EQ(0, state.claim_dead);
	expect_failing(_metadata, 0, 0);
	EXPECT_EQ(0, raise_to(self->fd, ceiling + HOUR));
	expect_failing(_metadata, 0, 0);
	EXPECT_EQ(0, end_claim(self->fd, &end));
	expect_failing(_metadata, OF_WORKER, EKEYEXPIRED);
}

TEST_F(claim, refuses)
{
	const __u64 ceiling = clock_ns() + HOUR;
	const struct kuid_claim bad[] = {
		{ .worker = 1 },
		{ .snowflake_worker = 1 },
		{ .floor_ns = 1 },
		{ .ceiling_ns = ceiling },
		{ .interval = GRID_INTERVAL },
		{ .snowflake_epoch_ms = KUID_SNOWFLAKE_EPOCH_DEFAULT },
		{ .token = { 1, 0 } },
		{ .token = { 0, 1 } },
		{ .parts = KUID_CLAIM_WORKER, NAMED },
		{ .parts = KUID_CLAIM_WORKER, .ceiling_ns = ceiling,
		  .floor_ns = ceiling, NAMED },
		{ .parts = KUID_CLAIM_WORKER,
		  .ceiling_ns = KUID_TIME_MAX_NS + 1, NAMED },
		{ .parts = KUID_CLAIM_WORKER, .ceiling_ns = ~0ULL, NAMED },
		{ .parts = KUID_CLAIM_WORKER, .ceiling_ns = ceiling,
		  .snowflake_worker = 1, NAMED },
		{ .parts = KUID_CLAIM_SNOWFLAKE, .ceiling_ns = ceiling,
		  .worker = 1, NAMED },
		{ .parts = KUID_CLAIM_SNOWFLAKE, .ceiling_ns = ceiling,
		  .snowflake_worker = 1024, NAMED },
		{ .parts = KUID_CLAIM_WORKER, .ceiling_ns = ceiling,
		  NAME(0, 0, GRID_INTERVAL, EPOCH_MS) },
		{ .parts = KUID_CLAIM_WORKER, .ceiling_ns = ceiling,
		  NAME(1, 2, GRID_INTERVAL + 1, EPOCH_MS) },
		{ .parts = KUID_CLAIM_WORKER, .ceiling_ns = ceiling,
		  NAME(1, 2, 0, EPOCH_MS) },
		{ .parts = KUID_CLAIM_SNOWFLAKE, .ceiling_ns = ceiling,
		  NAME(1, 2, GRID_INTERVAL, EPOCH_MS + 1) },
		{ .parts = KUID_CLAIM_WORKER, .ceiling_ns = ceiling,
		  NAME(1, 2, GRID_INTERVAL, 0) },
		/* The token of the claim that there is. */
		{ .parts = KUID_CLAIM_WORKER, .ceiling_ns = ceiling,
		  NAME(7, 8, GRID_INTERVAL, EPOCH_MS) },
	};
	const struct kuid_claim_ceiling bad_raises[] = {
		{ .ceiling_ns = 0 },
		{ .ceiling_ns = 1 },
		{ .ceiling_ns = KUID_TIME_MAX_NS + 1 },
		{ .ceiling_ns = ceiling, .flags = KUID_CLAIM_END },
		{ .ceiling_ns = ceiling, .flags = 2 },
		{ .ceiling_ns = ceiling, .reserved0 = 1 },
		{ .ceiling_ns = ceiling, .reserved = { 0, 0, 1 } },
	};
	struct kuid_claim good = {
		.parts = KUID_CLAIM_WORKER,
		.worker = 5,
		.ceiling_ns = ceiling,
		NAME(7, 8, GRID_INTERVAL, EPOCH_MS),
	};
	struct kuid_status before, after;
	size_t i;

	name_former(self->fd, &good);
	ASSERT_EQ(0, ask(self->fd, &good));
	expect_failing(_metadata, 0, 0);
	ASSERT_EQ(0, get_status(self->fd, &before));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct kuid_claim claim = bad[i];

		name_former(self->fd, &claim);
		EXPECT_EQ(-EINVAL, ask(self->fd, &claim))
			TH_LOG("claim %zu", i);
	}
	for (i = 0; i < ARRAY_SIZE(bad_raises); i++) {
		struct kuid_claim_ceiling raise = bad_raises[i];

		EXPECT_EQ(-EINVAL, change(self->fd, &raise))
			TH_LOG("ceiling %zu", i);
		EXPECT_EQ(bad_raises[i].ceiling_ns, raise.ceiling_ns);
	}
	/* A request that is wrong anyway, for a part that is claimed. */
	EXPECT_EQ(-EINVAL, set_identity(self->fd, &(struct kuid_set_identity) {
		.worker_from = KUID_FROM_HOST, .worker = 1 }));
	EXPECT_EQ(-1, ioctl(self->fd, KUID_IOC_CLAIM_CEILING, 16));
	EXPECT_EQ(EFAULT, errno);
	ASSERT_EQ(0, get_status(self->fd, &after));
	EXPECT_EQ(before.epoch, after.epoch);
	EXPECT_EQ(ceiling, after.claim_ceiling_ns);
	expect_failing(_metadata, 0, 0);
}

/* The IDs of one claim: none at the ceiling, whatever the calls are. */
TEST_F(claim, ceiling_is_not_passed)
{
	static const struct {
		__u32 parts, failing;
	} cases[] = {
		{ KUID_CLAIM_SNOWFLAKE, OF_SNOWFLAKE },
		/* A claimed worker serves as snowflake's. */
		{ KUID_CLAIM_WORKER, OF_WORKER | OF_SNOWFLAKE },
		{ KUID_CLAIM_WORKER | KUID_CLAIM_SNOWFLAKE,
		  OF_WORKER | OF_SNOWFLAKE },
	};
	const struct format *f = format_of(KUID_FORMAT_SNOWFLAKE);
	struct kuid_status before, after;
	__u8 *ids = malloc(BATCH * ID_SIZE_MAX);
	struct fields fields;
	size_t i;

	ASSERT_NE(NULL, ids);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		__u64 ceiling = clock_ns() + 400 * NSEC_PER_MSEC, last = 0;
		int fd = open_device_file(f, "", 0);
		long got;

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, claim_parts(self->fd, cases[i].parts, 7, ceiling));
		while ((got = read_ids(f, fd, ids, BATCH)) > 0 ||
		       (got = read_ids(f, fd, ids, 1)) > 0) {
			ASSERT_TRUE(decode(f, id_at(f, ids, got - 1), &fields));
			ASSERT_LT(last, fields.ns + NSEC_PER_MSEC);
			last = fields.ns;
			ASSERT_LT(last, ceiling);
		}
		EXPECT_EQ(-EKEYEXPIRED, got);
		EXPECT_LE(ceiling, clock_ns() + AHEAD_NS + NSEC_PER_MSEC);
		expect_failing(_metadata, cases[i].failing, EKEYEXPIRED);
		EXPECT_NE(0, reasons(self->fd) & KUID_REASON_EXPIRED_CLAIM);

		/* Raising it needs no epoch. */
		ASSERT_EQ(0, get_status(self->fd, &before));
		ASSERT_EQ(0, raise_to(self->fd, clock_ns() + HOUR));
		expect_failing(_metadata, 0, 0);
		ASSERT_EQ(0, get_status(self->fd, &after));
		EXPECT_EQ(before.epoch, after.epoch);
		EXPECT_EQ(0, after.reasons & KUID_REASON_EXPIRED_CLAIM);
		/* The ceiling may be lowered, but not below the IDs. */
		EXPECT_EQ(-EINVAL, raise_to(self->fd, ceiling - NSEC_PER_SEC));
		ASSERT_EQ(0, raise_to(self->fd, clock_ns() + HOUR / 2));
		expect_failing(_metadata, 0, 0);
		close(fd);
	}
	free(ids);
}

TEST_F(claim, ends_for_good)
{
	const struct format *f = format_of(KUID_FORMAT_K96);
	__u8 *ids = malloc(BATCH * ID_SIZE_MAX);
	struct kuid_state state;
	struct fields fields;
	__u64 end = 0, again = 0;

	ASSERT_NE(NULL, ids);
	ASSERT_EQ(0, claim_parts(self->fd, KUID_CLAIM_WORKER, 7,
				 clock_ns() + HOUR));
	ASSERT_EQ(BATCH, generate_in_order(f, self->fd, KUID_ORDER_HOST, ids,
					   BATCH));
	ASSERT_EQ(0, end_claim(self->fd, &end));
	ASSERT_TRUE(decode(f, id_at(f, ids, BATCH - 1), &fields));
	EXPECT_LT(fields.ns, end);
	EXPECT_GT(clock_ns() + AHEAD_NS + 2 * NSEC_PER_MSEC, end);
	expect_failing(_metadata, OF_WORKER | OF_SNOWFLAKE, EKEYEXPIRED);
	EXPECT_NE(0, reasons(self->fd) & KUID_REASON_EXPIRED_CLAIM);
	ASSERT_EQ(0, get_state(self->fd, &state));
	EXPECT_EQ(KUID_CLAIM_DEAD_ENDED, state.claim_dead);
	EXPECT_EQ(end, state.claim_ceiling_ns);
	EXPECT_EQ(7, state.worker);

	EXPECT_EQ(-ESTALE, raise_to(self->fd, end + HOUR));
	expect_failing(_metadata, OF_WORKER | OF_SNOWFLAKE, EKEYEXPIRED);
	EXPECT_EQ(0, end_claim(self->fd, &again));
	EXPECT_EQ(end, again);
	/* Another claim replaces it without naming it. */
	ASSERT_EQ(0, claim_parts(self->fd, KUID_CLAIM_WORKER, 7,
				 clock_ns() + HOUR));
	expect_failing(_metadata, 0, 0);
	free(ids);
}

TEST_F(claim, answers_to_its_name_only)
{
	static const __u64 others[][2] = { { 1, 3 }, { 5, 2 }, { 2, 1 } };
	const __u64 ceiling = clock_ns() + HOUR;
	struct kuid_claim_ceiling raise = { .token = { 1, 2 } };
	struct kuid_claim claim = {
		.parts = KUID_CLAIM_SNOWFLAKE,
		.snowflake_worker = 9,
		.ceiling_ns = ceiling,
		NAMED,
	}, other, drop = { 0 };
	struct kuid_state before, after;
	size_t i;

	/* Nothing is claimed. */
	EXPECT_EQ(-ESTALE, raise_to(self->fd, ceiling));
	name_former(self->fd, &claim);
	other = claim;
	other.replaces[0] = 1;
	EXPECT_EQ(-ESTALE, ask(self->fd, &other));
	other = claim;
	other.load_id++;
	EXPECT_EQ(-ESTALE, ask(self->fd, &other));
	ASSERT_EQ(0, ask(self->fd, &claim));

	ASSERT_EQ(0, get_state(self->fd, &before));
	claim.token[0] = 77;
	drop.load_id = 77;
	EXPECT_EQ(-EBUSY, ask(self->fd, &claim));
	EXPECT_EQ(-ESTALE, ask(self->fd, &drop));
	drop.load_id = claim.load_id;
	EXPECT_EQ(-EBUSY, ask(self->fd, &drop));
	for (i = 0; i < 2 * ARRAY_SIZE(others); i++) {
		memcpy(claim.replaces, others[i / 2], sizeof(claim.replaces));
		memcpy(drop.replaces, others[i / 2], sizeof(drop.replaces));
		EXPECT_EQ(-ESTALE, ask(self->fd, &claim));
		EXPECT_EQ(-ESTALE, ask(self->fd, &drop));
		memcpy(raise.token, others[i / 2], sizeof(raise.token));
		raise.load_id = claim.load_id;
		raise.flags = i & 1 ? KUID_CLAIM_END : 0;
		raise.ceiling_ns = i & 1 ? 0 : ceiling + HOUR;
		EXPECT_EQ(-1, ioctl(self->fd, KUID_IOC_CLAIM_CEILING, &raise));
		EXPECT_EQ(ESTALE, errno);
		memcpy(raise.token, before.claim_token, sizeof(raise.token));
		raise.load_id++;
		EXPECT_EQ(-1, ioctl(self->fd, KUID_IOC_CLAIM_CEILING, &raise));
		EXPECT_EQ(ESTALE, errno);
	}
	ASSERT_EQ(0, get_state(self->fd, &after));
	EXPECT_EQ(before.epoch, after.epoch);
	EXPECT_EQ(ceiling, after.claim_ceiling_ns);
	EXPECT_EQ(0, after.claim_dead);
	expect_failing(_metadata, 0, 0);

	memcpy(claim.replaces, before.claim_token, sizeof(claim.replaces));
	EXPECT_EQ(0, ask(self->fd, &claim));
	/* The request for the former claim does not reach this one. */
	raise.load_id = claim.load_id;
	EXPECT_EQ(-1, ioctl(self->fd, KUID_IOC_CLAIM_CEILING, &raise));
	EXPECT_EQ(ESTALE, errno);
}

/* The next owner goes on above the ceiling of the last one. */
TEST_F(claim, begins_at_the_floor)
{
	const struct format *f;
	struct kuid_claim claim = {
		.parts = KUID_CLAIM_WORKER | KUID_CLAIM_SNOWFLAKE,
		.worker = 9,
		.snowflake_worker = 9,
		NAMED,
	};
	struct kuid_status status;
	struct fields fields;
	__u8 id[ID_SIZE_MAX];

	claim.floor_ns = clock_ns() + HOUR;
	claim.ceiling_ns = claim.floor_ns + HOUR;
	name_former(self->fd, &claim);
	ASSERT_EQ(0, ask(self->fd, &claim));
	for (f = formats; f < formats + NR_FORMATS; f++) {
		ASSERT_EQ(1, generate_ids(f, self->fd, id, 1));
		ASSERT_TRUE(decode(f, id, &fields));
		EXPECT_EQ(is_stamp(f), fields.ns < claim.floor_ns)
			TH_LOG("%s", f->name);
	}
	/* A claim does not restore the state. */
	ASSERT_EQ(0, get_status(self->fd, &status));
	EXPECT_EQ(0, status.floor_ns);
	EXPECT_NE(0, status.reasons & KUID_REASON_NO_STATE);
}

TEST_F(claim, keeps_others_away)
{
	struct kuid_set_identity worker = {
		.worker_from = KUID_FROM_GIVEN,
		.worker = 5,
	};
	struct kuid_set_identity snowflake = {
		.snowflake_from = KUID_FROM_WORKER,
	};
	struct kuid_set_identity node = { .node_from = KUID_FROM_RANDOM };
	__u64 epoch;

	ASSERT_EQ(0, claim_parts(self->fd, KUID_CLAIM_WORKER, 7,
				 clock_ns() + HOUR));
	EXPECT_EQ(-EBUSY, set_identity(self->fd, &worker));
	EXPECT_EQ(0, set_identity(self->fd, &snowflake));
	EXPECT_EQ(0, set_identity(self->fd, &node));
	EXPECT_EQ(-EBUSY, go_back(self->fd, &epoch));
	ASSERT_EQ(0, claim_parts(self->fd, KUID_CLAIM_SNOWFLAKE, 7,
				 clock_ns() + HOUR));
	EXPECT_EQ(-EBUSY, set_identity(self->fd, &snowflake));
	EXPECT_EQ(0, set_identity(self->fd, &worker));
	EXPECT_EQ(-EBUSY, go_back(self->fd, &epoch));
	ASSERT_EQ(0, drop(self->fd));
	EXPECT_EQ(0, set_identity(self->fd, &snowflake));
	EXPECT_EQ(0, go_back(self->fd, &epoch));
}

TEST_F_TIMEOUT(claim, is_stale_in_a_twin, 120)
{
	struct kuid_set_identity confirm = { .flags = KUID_IDENTITY_CONFIRM };
	struct kuid_set_identity nothing = { .flags = 0 };
	struct kuid_claim late = {
		.parts = KUID_CLAIM_WORKER,
		.ceiling_ns = clock_ns() + HOUR,
		NAMED,
	};
	const __u32 both = OF_WORKER | OF_SNOWFLAKE;
	__u64 ceiling = clock_ns() + HOUR, end;
	struct kuid_state state;

	name_former(self->fd, &late);
	if (write_text("/sys/power/pm_test", "freezer"))
		SKIP(return, "this kernel can't test power management");
	ASSERT_EQ(0, claim_parts(self->fd, KUID_CLAIM_WORKER, 7, ceiling));
	if (write_text("/sys/power/state", "disk"))
		SKIP(return, "this kernel can't hibernate");
	expect_failing(_metadata, both, ESTALE);
	ASSERT_EQ(0, get_state(self->fd, &state));
	EXPECT_EQ(KUID_CLAIM_DEAD_FORKED, state.claim_dead);
	EXPECT_EQ(ceiling, state.claim_ceiling_ns);
	EXPECT_EQ(7, state.worker);
	EXPECT_EQ(-ESTALE, raise_to(self->fd, ceiling + HOUR));
	EXPECT_EQ(-ESTALE, end_claim(self->fd, &end));
	ASSERT_EQ(0, set_identity(self->fd, &confirm));
	expect_failing(_metadata, both, ESTALE);
	ASSERT_EQ(0, set_identity(self->fd, &nothing));
	expect_failing(_metadata, both, ESTALE);
	/* The store was asked before the twin, who may have done so, too. */
	EXPECT_EQ(-ESTALE, ask(self->fd, &late));
	/* Claimed again. */
	ASSERT_EQ(0, claim_parts(self->fd, KUID_CLAIM_WORKER, 7, ceiling));
	expect_failing(_metadata, 0, 0);
	ASSERT_EQ(0, get_state(self->fd, &state));
	EXPECT_EQ(0, state.claim_dead);
	EXPECT_EQ(0, raise_to(self->fd, ceiling + HOUR));
	EXPECT_EQ(0, reasons(self->fd) & KUID_REASON_STALE_IDENTITY);
}

TEST_HARNESS_MAIN
