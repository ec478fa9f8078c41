// SPDX-License-Identifier: GPL-2.0-only
/* The worker of snowflake, what it counts from, and its text of any length. */
#include "../lib/harness.h"

#include "../lib/own_module.h"

#define NO_WORKER	KUID_SNOWFLAKE_NO_WORKER

FIXTURE(snowflake)
{
	const struct format *f;
};

FIXTURE_SETUP(snowflake)
{
	self->f = format_of(KUID_FORMAT_SNOWFLAKE);
	take_module(_metadata);
}

FIXTURE_TEARDOWN(snowflake)
{
	give_back_module(_metadata);
}

/* Load it without the worker of module.h. */
static int load_plain(const char *params)
{
	return load_file(module_path(), params);
}

static int poll_of(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1 ? p.revents : 0;
}

/* All ways to take an ID fail with an error, and poll tells of one. */
static void expect_none(struct __test_metadata *_metadata, int error)
{
	const struct format *f = format_of(KUID_FORMAT_SNOWFLAKE);
	__u8 ids[8 * 4];
	char line[32];
	int flags, fd;

	for (flags = 0; flags <= O_NONBLOCK; flags += O_NONBLOCK) {
		fd = open_device_file(f, "", flags);
		ASSERT_LE(0, fd);
		EXPECT_EQ(-error, read_ids(f, fd, ids, 1));
		EXPECT_EQ(-error, read_ids(f, fd, ids, 4));
		EXPECT_EQ(-error, generate_ids(f, fd, ids, 1));
		EXPECT_EQ(-error, generate_in_order(f, fd, KUID_ORDER_HOST, ids,
						    4));
		EXPECT_EQ(POLLIN | POLLERR, poll_of(fd));
		close(fd);
		fd = open_device_file(f, ".txt", flags);
		ASSERT_LE(0, fd);
		EXPECT_EQ(-1, read(fd, line, sizeof(line)));
		EXPECT_EQ(error, errno);
		EXPECT_EQ(-1, read(fd, line, 1));
		EXPECT_EQ(error, errno);
		EXPECT_EQ(POLLIN | POLLERR, poll_of(fd));
		close(fd);
	}
	/* Nobody else is held up. */
	fd = open_device_file(format_of(KUID_FORMAT_K64), "", O_NONBLOCK);
	ASSERT_LE(0, fd);
	EXPECT_EQ(1, read_ids(format_of(KUID_FORMAT_K64), fd, ids, 1));
	close(fd);
}

/* IDs have this worker; with NO_WORKER there are none. */
static void expect_worker(struct __test_metadata *_metadata, __u32 worker)
{
	const struct format *f = format_of(KUID_FORMAT_SNOWFLAKE);
	char shown[32], expected[32] = "\n";
	struct kuid_state state;
	struct fields fields;
	__u8 id[8];
	int fd, sysfs;

	if (worker == NO_WORKER) {
		expect_none(_metadata, ENOKEY);
	} else {
		snprintf(expected, sizeof(expected), "%u\n", worker);
		fd = open_device_file(f, "", 0);
		ASSERT_LE(0, fd);
		ASSERT_EQ(1, read_ids(f, fd, id, 1));
		ASSERT_TRUE(decode(f, id, &fields));
		EXPECT_EQ(worker, fields.node);
		close(fd);
	}
	fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, get_state(fd, &state));
	EXPECT_EQ(worker, state.snowflake_worker);
	EXPECT_EQ(SNOWFLAKE_EPOCH_MS, state.snowflake_epoch_ms);
	close(fd);
	sysfs = open("/sys/class/kuid/kuid/identity/snowflake_worker",
		     O_RDONLY);
	ASSERT_LE(0, sysfs);
	memset(shown, 0, sizeof(shown));
	ASSERT_LT(0, read(sysfs, shown, sizeof(shown) - 1));
	EXPECT_STREQ(expected, shown);
	close(sysfs);
}

TEST_F(snowflake, worker_of_the_parameters)
{
	static const struct {
		const char *params;
		__u32 worker;
	} cases[] = {
		{ "", NO_WORKER },
		{ "worker=host", NO_WORKER },
		{ "worker=random", NO_WORKER },
		{ "worker=400", NO_WORKER },
		{ "worker=fedcba9876543210", NO_WORKER },
		{ "worker=10000000000000001", NO_WORKER },
		{ "worker=3ff", 1023 },
		{ "worker=0", 0 },
		{ "snowflake_worker=0", 0 },
		{ "snowflake_worker=1023", 1023 },
		{ "snowflake_worker=5 worker=6", 5 },
		{ "snowflake_worker=worker worker=6", 6 },
		{ "snowflake_worker=worker", NO_WORKER },
		{ "snowflake_worker=5 snowflake_worker=worker", NO_WORKER },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int loaded = load_plain(cases[i].params);

		/* 17 digits are no worker at all. */
		if (strstr(cases[i].params, "=10000000000000001")) {
			ASSERT_EQ(-EINVAL, loaded);
			continue;
		}
		ASSERT_EQ(0, loaded)
			TH_LOG("%s", cases[i].params);
		expect_worker(_metadata, cases[i].worker);
		ASSERT_EQ(0, unload())
			TH_LOG("%s", cases[i].params);
	}
}

TEST_F(snowflake, the_log_names_the_command_once)
{
	int log = open_log();

	ASSERT_EQ(0, load_plain(""));
	expect_none(_metadata, ENOKEY);
	EXPECT_TRUE(log_has(log, "snowflake has no worker",
			    "kuid node --snowflake"));
	log = open_log();
	expect_none(_metadata, ENOKEY);
	EXPECT_FALSE(log_has(log, "snowflake has no worker", ""));
}

TEST_F(snowflake, worker_is_set)
{
	struct kuid_set_identity set = { 0 };
	struct kuid_state state;
	int fd;

	ASSERT_EQ(0, load_plain(""));
	fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, fd);
	expect_worker(_metadata, NO_WORKER);
	ASSERT_EQ(0, get_state(fd, &state));
	EXPECT_EQ(KUID_FROM_WORKER, state.snowflake_from);

	set.snowflake_from = KUID_FROM_GIVEN;
	set.snowflake_worker = 1023;
	ASSERT_EQ(0, set_identity(fd, &set));
	expect_worker(_metadata, 1023);
	ASSERT_EQ(0, get_state(fd, &state));
	EXPECT_EQ(KUID_FROM_GIVEN, state.snowflake_from);

	/* The worker of the others leaves it alone, until it is that. */
	set = (struct kuid_set_identity) {
		.worker_from = KUID_FROM_GIVEN,
		.worker = 9,
	};
	ASSERT_EQ(0, set_identity(fd, &set));
	expect_worker(_metadata, 1023);
	set = (struct kuid_set_identity) { .snowflake_from = KUID_FROM_WORKER };
	ASSERT_EQ(0, set_identity(fd, &set));
	expect_worker(_metadata, 9);
	set = (struct kuid_set_identity) {
		.worker_from = KUID_FROM_GIVEN,
		.worker = 1024,
	};
	ASSERT_EQ(0, set_identity(fd, &set));
	expect_worker(_metadata, NO_WORKER);
	set.worker = 1022;
	ASSERT_EQ(0, set_identity(fd, &set));
	expect_worker(_metadata, 1022);
	set = (struct kuid_set_identity) { .worker_from = KUID_FROM_RANDOM };
	ASSERT_EQ(0, set_identity(fd, &set));
	expect_worker(_metadata, NO_WORKER);
	close(fd);
}

TEST_F(snowflake, bad_requests_change_nothing)
{
	static const struct kuid_set_identity bad[] = {
		{ .snowflake_from = KUID_FROM_GIVEN, .snowflake_worker = 1024 },
		{ .snowflake_from = KUID_FROM_GIVEN,
		  .snowflake_worker = NO_WORKER },
		{ .snowflake_from = KUID_FROM_WORKER, .snowflake_worker = 1 },
		{ .snowflake_from = 0, .snowflake_worker = 1 },
		{ .snowflake_from = KUID_FROM_RANDOM },
		{ .snowflake_from = KUID_FROM_MAC },
		{ .snowflake_from = KUID_FROM_HOST },
		{ .snowflake_from = KUID_FROM_WORKER + 1 },
		{ .snowflake_from = 1U << 31 },
		{ .node_from = KUID_FROM_WORKER },
		{ .worker_from = KUID_FROM_WORKER },
	};
	struct kuid_status before, after;
	size_t i;
	int fd;

	ASSERT_EQ(0, load_plain("snowflake_worker=7"));
	fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, fd);
	expect_worker(_metadata, 7);
	ASSERT_EQ(0, get_status(fd, &before));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct kuid_set_identity set = bad[i];

		EXPECT_EQ(-EINVAL, set_identity(fd, &set))
			TH_LOG("request %zu", i);
	}
	ASSERT_EQ(0, get_status(fd, &after));
	EXPECT_EQ(before.epoch, after.epoch);
	expect_worker(_metadata, 7);
	close(fd);
}

/*
 * In the order of the host a slot is left out only where the clock went on to
 * another millisecond. How many of a millisecond's 4096 are used is up to the
 * speed of the machine.
 */
TEST_F(snowflake, slots_follow_each_other)
{
	enum { MOST = 20000 };
	__u64 *ids = malloc(MOST * sizeof(*ids)), last;
	__u32 followed = 0, i;
	long got;
	int fd;

	ASSERT_NE(NULL, ids);
	ASSERT_EQ(0, load(""));
	fd = open_device_file(self->f, "", 0);
	ASSERT_LE(0, fd);
	got = generate_in_order(self->f, fd, KUID_ORDER_HOST, ids, MOST);
	ASSERT_EQ(MOST, got);
	last = be64toh(ids[0]);
	for (i = 1; i < MOST; i++) {
		__u64 id = be64toh(ids[i]);

		EXPECT_EQ(SNOWFLAKE_WORKER, id >> 12 & 1023);
		if (id >> 22 == last >> 22) {
			ASSERT_EQ(last + 1, id);
			followed++;
		} else {
			ASSERT_EQ(0, id & 4095);
			ASSERT_LT(last >> 22, id >> 22);
		}
		last = id;
	}
	EXPECT_LT(0, followed);
	close(fd);
	free(ids);
}

static int load_epoch(__u64 epoch_ms, const char *more)
{
	char params[128];

	snprintf(params, sizeof(params), "snowflake_epoch_ms=%llu %s",
		 (unsigned long long)epoch_ms, more);
	return load(params);
}

TEST_F(snowflake, time_outside_the_range)
{
	__u64 now_ms = clock_ns() / NSEC_PER_MSEC;

	ASSERT_EQ(0, load_epoch(now_ms + 1000000, ""));
	expect_none(_metadata, EOVERFLOW);
	ASSERT_EQ(0, unload());
	/* A missing worker can be helped, and so it is told first. */
	ASSERT_EQ(0, load_epoch(now_ms + 1000000, "snowflake_worker=worker"));
	expect_none(_metadata, ENOKEY);
}

/* Parse one line of any length. Returns its size, or 0 if it is no such line. */
static size_t parse_any(const char *text, size_t size, __u64 *id)
{
	size_t i;

	*id = 0;
	for (i = 0; i < size && text[i] >= '0' && text[i] <= '9'; i++)
		*id = *id * 10 + text[i] - '0';
	if (!i || i > 19 || i == size || text[i] != '\n' ||
	    (text[0] == '0' && i > 1))
		return 0;
	return i + 1;
}

/*
 * From the millisecond after the epoch on, texts grow from 7 digits. Reads of
 * any size join to whole lines, and nothing is written behind them. A read that
 * has room for the longest line ends with a line, and has no room for another.
 */
TEST_F(snowflake, text_of_each_length)
{
	enum { PIECES = 4000, MOST = 1 << 20, LONGEST = 20 };
	static const __u32 sizes[] = { 1, 7, 8, 19, 20, 21, 40, 64, 4096,
				       20000 };
	__u64 epoch_ms = clock_ns() / NSEC_PER_MSEC + 300;
	char *text = malloc(MOST + 64);
	size_t have = 0, at, size;
	__u64 id, last = 0, lines = 0;
	__u32 seed = pick_seed();
	int piece, fd;
	bool first = true;

	ASSERT_NE(NULL, text);
	TH_LOG("seed %u", seed);
	ASSERT_EQ(0, load_epoch(epoch_ms, "snowflake_worker=0"));
	fd = open_device_file(self->f, ".txt", 0);
	ASSERT_LE(0, fd);
	while (read(fd, text, 1) < 0)
		ASSERT_EQ(EOVERFLOW, errno);
	have = 1;
	for (piece = 0; piece < PIECES && have < MOST - 20000; piece++) {
		__u32 want = sizes[pick(&seed) % ARRAY_SIZE(sizes)];
		ssize_t got;

		memset(text + have, 'x', want + 8);
		got = read(fd, text + have, want);
		ASSERT_LT(0, got);
		ASSERT_GE(want, got);
		if (want >= LONGEST) {
			ASSERT_GT(got + LONGEST, want);
			ASSERT_EQ('\n', text[have + got - 1]);
		}
		ASSERT_EQ(0, memcmp(text + have + got, "xxxxxxxx", 8));
		have += got;
	}
	for (at = 0; (size = parse_any(text + at, have - at, &id));
	     at += size, lines++) {
		ASSERT_EQ(0, id >> 12 & 1023);
		ASSERT_LT(0, id >> 22);
		if (first)
			TH_LOG("the first ID is %llu", (unsigned long long)id);
		else
			ASSERT_LT(last, id);
		first = false;
		last = id;
	}
	/* The last line may not be all there. */
	EXPECT_GT(at + 20, have);
	EXPECT_LE(last >> 22,
		  clock_ns() / NSEC_PER_MSEC - epoch_ms + 100);
	TH_LOG("%llu lines", (unsigned long long)lines);
	close(fd);
	free(text);
}

TEST_HARNESS_MAIN
