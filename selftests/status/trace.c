// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracepoints: one line for each wait, clock step, epoch and change of a
 * claim, with the right fields.
 */
#include "../lib/harness.h"

#include <stdarg.h>
#include <sys/mount.h>

#include "../lib/own_module.h"
#include "../lib/set_wall.h"

#define TRACING		"/sys/kernel/tracing/"
#define EVENTS		TRACING "events/kuid/"
#define RECORD_COMMANDS	TRACING "options/record-cmd"

#define NO_TRACING	"the kernel has no tracepoints"

/* Reached only if the module begins no epoch. */
#define TRIES		1000

static bool reads_one(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char got = '0';

	if (fd >= 0 && read(fd, &got, 1) != 1)
		got = '0';
	close(fd);
	return got == '1';
}

static bool has_tracing(void)
{
	if (access(TRACING "trace", F_OK))
		mount("tracefs", TRACING, "tracefs", 0, NULL);
	return !access(TRACING "trace", F_OK);
}

static char trace_text[1024 * 1024];

static bool read_trace(void)
{
	int fd = open(TRACING "trace", O_RDONLY | O_CLOEXEC);
	size_t size = 0;
	ssize_t got;

	do {
		got = read(fd, trace_text + size, sizeof(trace_text) - 1 - size);
		size += got > 0 ? got : 0;
	} while (got > 0);
	trace_text[size] = '\0';
	close(fd);
	return !got;
}

/*
 * Scan the next line of @event from *@at on, as sscanf() does. Returns how many
 * values it has, or -1 if there is no such line.
 */
static int scan(const char **at, const char *event, const char *format, ...)
{
	char name[40];
	va_list values;
	int nr;

	snprintf(name, sizeof(name), " %s: ", event);
	*at = strstr(*at, name);
	if (!*at) {
		*at = "";
		return -1;
	}
	*at += strlen(name);
	va_start(values, format);
	nr = vsscanf(*at, format, values);
	va_end(values);
	return nr;
}

FIXTURE(trace) {
	int fd;
	bool commands_recorded;	/* as the test found it */
	long stepped;		/* seconds that the wall clock was set */
};

FIXTURE_SETUP(trace)
{
	self->fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, self->fd);
	if (!has_tracing())
		SKIP_TEST(NO_TRACING);
	ASSERT_EQ(0, write_text(TRACING "trace", ""));
	ASSERT_EQ(0, write_text(TRACING "tracing_on", "1"));
	/*
	 * Recording the commands would patch tracepoints into the running
	 * scheduler, which made an emulated machine crash.
	 */
	self->commands_recorded = reads_one(RECORD_COMMANDS);
	ASSERT_EQ(0, write_text(RECORD_COMMANDS, "0"));
	ASSERT_EQ(0, write_text(EVENTS "enable", "1"));
}

FIXTURE_TEARDOWN(trace)
{
	write_text("/sys/power/pm_test", "none");
	write_text(EVENTS "enable", "0");
	write_text(TRACING "trace", "");
	if (self->commands_recorded)
		EXPECT_EQ(0, write_text(RECORD_COMMANDS, "1"));
	if (self->stepped)
		EXPECT_EQ(0, shift_wall_seconds(-self->stepped));
	close(self->fd);
}

static void take_of_each(struct __test_metadata *_metadata, int fd)
{
	__u8 id[ID_SIZE_MAX];
	size_t i;

	for (i = 0; i < NR_FORMATS; i++)
		ASSERT_EQ(1, generate_ids(&formats[i], fd, id, 1));
}

TEST_F(trace, fields)
{
	static const struct {
		const char *event, *fields[5];
	} events[] = {
		{ "kuid_wait", { "source", "ns" } },
		{ "kuid_step", { "by", "stamp_lag", "slot_lag" } },
		{ "kuid_epoch", { "number", "why" } },
		{ "kuid_claim", { "state", "worker", "floor", "ceiling" } },
		{ "kuid_claim_span", { "worker", "floor", "end" } },
	};
	char path[128], text[4096] = "", field[64];
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		int fd;

		snprintf(path, sizeof(path), EVENTS "%s/format", events[i].event);
		fd = open(path, O_RDONLY);
		ASSERT_LT(0, read(fd, text, sizeof(text) - 1))
			TH_LOG("no %s", path);
		close(fd);
		for (k = 0; events[i].fields[k]; k++) {
			snprintf(field, sizeof(field), " %s;",
				 events[i].fields[k]);
			EXPECT_NE(NULL, strstr(text, field))
				TH_LOG("%s has no %s", path, events[i].fields[k]);
		}
	}
}

/* Each wait that is counted has a line. */
TEST_F(trace, wait)
{
	const struct format *f = format_of(KUID_FORMAT_LEX);
	/*
	 * More IDs than are available without a wait, even after a long delay.
	 */
	const __u32 count = BATCH_AHEAD_NS / NSEC_PER_USEC + 300000;
	struct kuid_status before = { 0 }, after = { 0 };
	__u8 *ids = malloc(count * f->id_size);
	const char *at = trace_text;
	unsigned long long nr = 0, ns;
	char source[16];
	int values;

	ASSERT_NE(NULL, ids);
	/* Populate the pages now: faults would cost time in the test. */
	memset(ids, POISON, count * f->id_size);
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_STATUS, &before));
	ASSERT_EQ(count, generate_ids(f, self->fd, ids, count));
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_STATUS, &after));
	ASSERT_TRUE(read_trace());
	while ((values = scan(&at, "kuid_wait", "source=%15s ns=%llu", source,
			      &ns)) >= 0) {
		ASSERT_EQ(2, values);
		EXPECT_STREQ("lex", source);
		EXPECT_GT(10 * NSEC_PER_SEC, ns);
		nr++;
	}
	EXPECT_EQ(after.waits - before.waits, nr);
	free(ids);
	if (!nr && PASSED_SO_FAR)
		SKIP(return, TOO_SLOW);
}

/* The next step in the trace must be one by about @by seconds. */
static void check_step(struct __test_metadata *_metadata, const char **at,
		       int by, long long *stamp_lag, long long *slot_lag)
{
	long long by_ns;

	ASSERT_EQ(3, scan(at, "kuid_step",
			  "by_ns=%lld stamp_lag_ns=%lld slot_lag_ns=%lld",
			  &by_ns, stamp_lag, slot_lag))
		TH_LOG("no step by %d seconds", by);
	/*
	 * The wall clock may be slewed as well, and be read between two ticks.
	 */
	EXPECT_GT(100000000, llabs(by_ns - by * 1000000000LL))
		TH_LOG("by %lld ns", by_ns);
}

TEST_F(trace, step)
{
	enum { BACK = 9 };
	const long long most = BACK * NSEC_PER_SEC + AHEAD_NS;
	const char *at = trace_text;
	long long stamp_lag, slot_lag;

	take_of_each(_metadata, self->fd);
	ASSERT_EQ(0, shift_wall_seconds(-BACK));
	self->stepped = -BACK;
	take_of_each(_metadata, self->fd);
	ASSERT_EQ(0, shift_wall_seconds(BACK));
	self->stepped = 0;
	take_of_each(_metadata, self->fd);

	ASSERT_TRUE(read_trace());
	check_step(_metadata, &at, -BACK, &stamp_lag, &slot_lag);
	EXPECT_LT(0, stamp_lag);
	EXPECT_GE(most, stamp_lag);
	EXPECT_LT(0, slot_lag);
	EXPECT_GE(most, slot_lag);
	check_step(_metadata, &at, BACK, &stamp_lag, &slot_lag);
	/* A lag that remains can only be run-ahead. */
	EXPECT_GE((long long)AHEAD_NS, stamp_lag);
	EXPECT_GE((long long)AHEAD_NS, slot_lag);
	EXPECT_EQ(-1, scan(&at, "kuid_step", ""));
	at = trace_text;
	EXPECT_EQ(-1, scan(&at, "kuid_epoch", ""));
}

static void check_epoch(struct __test_metadata *_metadata, const char **at,
			__u64 number, const char *why)
{
	unsigned long long value;
	char text[16];

	ASSERT_EQ(2, scan(at, "kuid_epoch", "number=%llu why=%15s", &value,
			  text))
		TH_LOG("no epoch %llu", (unsigned long long)number);
	EXPECT_EQ(number, value);
	EXPECT_STREQ(why, text);
}

/* An hour back: stamps begin a new epoch, slots continue at half speed. */
TEST_F(trace, epoch_by_a_step)
{
	enum { BACK = 3600 };
	struct kuid_status before = { 0 }, after = { 0 };
	long long stamp_lag, slot_lag;
	const char *at = trace_text;
	int try;

	take_of_each(_metadata, self->fd);
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_STATUS, &before));
	ASSERT_EQ(0, shift_wall_seconds(-BACK));
	self->stepped = -BACK;
	/* A worker makes the epoch, at most one a second. */
	for (try = 0; try < TRIES && after.epoch <= before.epoch; try++) {
		usleep(10000);
		take_of_each(_metadata, self->fd);
		ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_STATUS, &after));
	}
	ASSERT_EQ(before.epoch + 1, after.epoch);
	EXPECT_EQ(0, after.stamp_lag_ns);
	EXPECT_LT(0, after.slot_lag_ns);
	ASSERT_EQ(0, shift_wall_seconds(BACK));
	self->stepped = 0;
	take_of_each(_metadata, self->fd);
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_STATUS, &after));
	EXPECT_EQ(0, after.stamp_lag_ns);
	EXPECT_EQ(0, after.slot_lag_ns);
	EXPECT_EQ(before.epoch + 1, after.epoch);

	ASSERT_TRUE(read_trace());
	check_epoch(_metadata, &at, before.epoch + 1, "step");
	EXPECT_EQ(-1, scan(&at, "kuid_epoch", ""));
	at = trace_text;
	check_step(_metadata, &at, -BACK, &stamp_lag, &slot_lag);
	EXPECT_LT(0, slot_lag);
}

TEST_F(trace, epoch_by_cover)
{
	struct kuid_status before = { 0 }, after = { 0 };
	const char *at = trace_text;
	__u64 epoch;

	/*
	 * Without run-ahead nothing is taken back, so nothing can
	 * repeat.
	 */
	let_clock_catch_up();
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_STATUS, &before));
	ASSERT_EQ(0, begin_cover(self->fd, 0));
	ASSERT_EQ(0, go_back(self->fd, &epoch));
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_STATUS, &after));
	EXPECT_EQ(before.epoch + 2, epoch);
	EXPECT_EQ(epoch, after.epoch);
	ASSERT_TRUE(read_trace());
	check_epoch(_metadata, &at, before.epoch + 1, "cover");
	check_epoch(_metadata, &at, before.epoch + 2, "back");
	EXPECT_EQ(-1, scan(&at, "kuid_epoch", ""));
}

#define CLAIMED	"0000000000000007fedcba9876543210"
#define HOUR	(3600 * NSEC_PER_SEC)

/* Claim worker 9, from a floor that is in the future. */
static void set_claim(struct __test_metadata *_metadata, int fd,
		      struct kuid_claim *claim)
{
	struct kuid_state state;

	ASSERT_EQ(0, get_state(fd, &state));
	*claim = (struct kuid_claim) {
		.parts = KUID_CLAIM_WORKER,
		.worker = 9,
		.floor_ns = clock_ns() + NSEC_PER_SEC,
		.ceiling_ns = clock_ns() + HOUR,
		.token = { 7, 0xfedcba9876543210ULL },
		.load_id = state.load_id,
		.snowflake_epoch_ms = state.snowflake_epoch_ms,
		.interval = state.interval,
	};
	ASSERT_EQ(0, ioctl(fd, KUID_IOC_CLAIM, claim));
}

/* The next line must be of the claim; sets where its IDs end. */
static void check_claim(struct __test_metadata *_metadata, const char **at,
			const char *event, const char *state,
			const struct kuid_claim *claim, __u64 ceiling,
			long long *end)
{
	unsigned long long worker, floor, shown;
	char token[40], has[16], parts[40];

	ASSERT_EQ(7, scan(at, event,
			  "token=%39s state=%15s parts=%39s worker=%llx snowflake=%*u floor_ns=%llu ceiling_ns=%llu end_ns=%lld",
			  token, has, parts, &worker, &floor, &shown, end))
		TH_LOG("no %s", event);
	EXPECT_STREQ(CLAIMED, token);
	EXPECT_STREQ(state, has);
	/* The worker may serve for snowflake. */
	EXPECT_EQ(0, strncmp("worker", parts, 6));
	EXPECT_EQ(9, worker);
	EXPECT_EQ(claim->floor_ns, floor);
	EXPECT_EQ(ceiling, shown);
}

TEST_F(trace, claim)
{
	struct kuid_claim_ceiling end = { .flags = KUID_CLAIM_END };
	struct kuid_claim_ceiling raise = { .flags = 0 };
	struct kuid_set_identity same = { .flags = 0 };
	struct kuid_claim claim, drop = { 0 };
	const char *at = trace_text, *spans = at;
	long long set, first, last, value;
	struct fields fields;

	set_claim(_metadata, self->fd, &claim);
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_SET_IDENTITY, &same));
	ASSERT_EQ(0, take_fields(self->fd, format_of(KUID_FORMAT_K128),
				 &fields));
	drop.load_id = claim.load_id;
	raise.load_id = claim.load_id;
	end.load_id = claim.load_id;
	memcpy(raise.token, claim.token, sizeof(raise.token));
	memcpy(end.token, claim.token, sizeof(end.token));
	raise.ceiling_ns = claim.ceiling_ns + HOUR;
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_CLAIM_CEILING, &raise));
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_CLAIM_CEILING, &end));
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_CLAIM, &drop));

	ASSERT_TRUE(read_trace());
	check_claim(_metadata, &at, "kuid_claim", "lives", &claim,
		    claim.ceiling_ns, &set);
	check_claim(_metadata, &at, "kuid_claim", "lives", &claim,
		    claim.ceiling_ns + HOUR, &value);
	EXPECT_LT(fields.ns, value);
	check_claim(_metadata, &at, "kuid_claim", "ended", &claim,
		    end.ceiling_ns, &last);
	EXPECT_EQ(end.ceiling_ns, last);
	ASSERT_EQ(0, scan(&at, "kuid_claim", ""));

	/* A span when an epoch begins, and with each change of the claim. */
	check_claim(_metadata, &spans, "kuid_claim_span", "lives", &claim,
		    claim.ceiling_ns, &first);
	EXPECT_LE(claim.floor_ns, first);
	check_claim(_metadata, &spans, "kuid_claim_span", "lives", &claim,
		    claim.ceiling_ns + HOUR, &value);
	EXPECT_LT(fields.ns, value);
	check_claim(_metadata, &spans, "kuid_claim_span", "ended", &claim,
		    end.ceiling_ns, &value);
	check_claim(_metadata, &spans, "kuid_claim_span", "ended", &claim,
		    end.ceiling_ns, &value);
	EXPECT_EQ(last, value);
	EXPECT_EQ(-1, scan(&spans, "kuid_claim_span", ""));
}

TEST_F(trace, claim_in_a_twin)
{
	const char *at = trace_text, *spans = at;
	/* The worker of snowflake was given. */
	struct kuid_set_identity confirm = { .flags = KUID_IDENTITY_CONFIRM };
	struct kuid_claim claim, drop = { 0 };
	struct kuid_state state;
	long long end;

	if (write_text("/sys/power/pm_test", "freezer"))
		SKIP(return, "this kernel can't test power management");
	set_claim(_metadata, self->fd, &claim);
	if (write_text("/sys/power/state", "disk"))
		SKIP(return, "this kernel can't hibernate");
	ASSERT_TRUE(read_trace());
	check_claim(_metadata, &at, "kuid_claim", "lives", &claim,
		    claim.ceiling_ns, &end);
	check_claim(_metadata, &at, "kuid_claim", "forked", &claim,
		    claim.ceiling_ns, &end);
	EXPECT_EQ(-1, scan(&at, "kuid_claim", ""));
	check_claim(_metadata, &spans, "kuid_claim_span", "forked", &claim,
		    claim.ceiling_ns, &end);
	ASSERT_EQ(0, get_state(self->fd, &state));
	drop.load_id = state.load_id;
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_CLAIM, &drop));
	ASSERT_EQ(0, set_identity(self->fd, &confirm));
}

/* A step first noticed when an epoch begins has exactly one line too. */
TEST_F(trace, step_found_by_a_new_epoch)
{
	enum { BACK = 3, TIMES = 3 };
	struct kuid_set_identity same = { .flags = 0 };
	struct kuid_status before = { 0 }, after = { 0 };
	long long stamp_lag, slot_lag;
	const char *at = trace_text;
	int i;

	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_STATUS, &before));
	for (i = 1; i <= TIMES; i++) {
		take_of_each(_metadata, self->fd);
		ASSERT_EQ(0, shift_wall_seconds(-BACK));
		self->stepped = -i * BACK;
		ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_SET_IDENTITY, &same));
		EXPECT_EQ(before.epoch + i, same.epoch);
		same.epoch = 0;
	}
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_STATUS, &after));
	EXPECT_EQ(before.steps_back + TIMES, after.steps_back);
	EXPECT_EQ(before.steps_forward, after.steps_forward);

	ASSERT_TRUE(read_trace());
	for (i = 1; i <= TIMES; i++) {
		check_step(_metadata, &at, -BACK, &stamp_lag, &slot_lag);
		/*
		 * Stamps of the new epoch have a new node, and start at the
		 * wall clock.
		 */
		EXPECT_EQ(0, stamp_lag);
		EXPECT_LT(0, slot_lag);
		check_epoch(_metadata, &at, before.epoch + i, "set");
	}
	at = trace_text;
	for (i = 0; i < TIMES; i++)
		EXPECT_EQ(0, scan(&at, "kuid_step", ""));
	EXPECT_EQ(-1, scan(&at, "kuid_step", ""));
}

/* The first open begins the first epoch. */
TEST_F(trace, first_epoch)
{
	const char *at = trace_text;

	close(self->fd);
	self->fd = -1;
	write_text(EVENTS "enable", "0");
	take_module(_metadata);
	ASSERT_EQ(0, load(""));
	ASSERT_EQ(0, write_text(TRACING "trace", ""));
	ASSERT_EQ(0, write_text(EVENTS "enable", "1"));
	ASSERT_TRUE(read_trace());
	EXPECT_EQ(-1, scan(&at, "kuid_epoch", ""));
	self->fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, self->fd);
	ASSERT_TRUE(read_trace());
	at = trace_text;
	check_epoch(_metadata, &at, 1, "first");
	EXPECT_EQ(-1, scan(&at, "kuid_epoch", ""));
	ASSERT_EQ(0, write_text(EVENTS "enable", "0"));
	stop(_metadata, &self->fd);
	give_back_module(_metadata);
}

TEST_HARNESS_MAIN
