// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUID_IOC_STATUS: its answers. Nothing else may take IDs while this test runs.
 */
#include "../lib/harness.h"

#include <sys/uio.h>

#include "../lib/children.h"
#include "../lib/commands.h"
#include "../lib/own_module.h"
#include "../lib/set_wall.h"

#define BATCH		4096

FIXTURE(status) {
	int fd;
	__u32 resolution;
	long stepped;		/* seconds that the wall clock was set */
};

FIXTURE_SETUP(status)
{
	struct kuid_query q = { 0 };

	self->fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_QUERY, &q));
	self->resolution = q.clock_resolution_ns;
}

FIXTURE_TEARDOWN(status)
{
	if (self->stepped)
		EXPECT_EQ(0, shift_wall_seconds(-self->stepped));
	/* A test that failed may have left the module loaded. */
	unload_name("kuid_grace");
	close(self->fd);
}

/*
 * A valid call. The out fields are poisoned, because the kernel must not read
 * them.
 */
static struct kuid_status valid_call(int poison)
{
	struct kuid_status s;

	good_request(command_of(KUID_IOC_STATUS), &s, NULL, poison);
	return s;
}

static void get(struct __test_metadata *_metadata,
		FIXTURE_DATA(status) *self, struct kuid_status *s)
{
	*s = valid_call(POISON);
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_STATUS, s));
}

/* Each field is written, whatever was in it. */
TEST_F(status, all_fields_are_written)
{
	const struct kuid_status poison = valid_call(POISON);
	struct kuid_status s, again;
	size_t i;

	let_clock_catch_up();
	get(_metadata, self, &s);
	EXPECT_EQ(0, s.flags);
	EXPECT_NE(poison.clones, s.clones);
	for (i = offsetof(struct kuid_status, reasons);
	     i < offsetof(struct kuid_status, reserved); i += sizeof(__u64)) {
		EXPECT_NE(0, memcmp((__u8 *)&poison + i, (__u8 *)&s + i,
				    sizeof(__u64))) {
			TH_LOG("offset %zu is not written", i);
		}
	}
	EXPECT_TRUE(all_bytes(s.reserved, 0, sizeof(s.reserved)));

	again = valid_call(0x33);
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_STATUS, &again));
	EXPECT_EQ(0, memcmp(&s, &again, sizeof(s)));
}

TEST_F(status, held)
{
	__u64 reasons = KUID_REASON_NO_STATE;
	struct kuid_status s;

	if (self->resolution > NSEC_PER_USEC)
		reasons |= KUID_REASON_COARSE_CLOCK;
	let_clock_catch_up();
	get(_metadata, self, &s);
	TH_LOG("clock resolution %u ns", self->resolution);
	EXPECT_EQ(EVERY_FORMAT, s.unique);
	EXPECT_EQ(EVERY_FORMAT, s.ordered);
	/* NO_VM_FORK depends on the machine. */
	EXPECT_EQ(reasons, s.reasons & ~(__u64)KUID_REASON_NO_VM_FORK);
	EXPECT_EQ(0, s.stamp_lag_ns);
	EXPECT_EQ(0, s.slot_lag_ns);
	EXPECT_EQ(0, s.stamp_ahead_ns);
	EXPECT_EQ(0, s.lex_ahead_ns);
	EXPECT_EQ(0, s.grid_ahead_ns);
}

/* Read the status from every device file, before and after its first ID. */
TEST_F(status, every_device_file)
{
	struct kuid_status s;
	char text[LINE_MAX_SIZE];
	int nr;

	get(_metadata, self, &s);
	for (nr = 0; nr < NR_DEVICES; nr++) {
		const struct device device = device_of(nr);
		struct kuid_status now = valid_call(POISON);
		int fd = open(device.path, O_RDONLY);

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, ioctl(fd, KUID_IOC_STATUS, &now));
		EXPECT_EQ(s.unique, now.unique);
		EXPECT_EQ(s.epoch, now.epoch);
		/* Status takes no ID, so the order can still be set. */
		ASSERT_EQ(0, set_order(fd, KUID_ORDER_FILE));
		ASSERT_LT(0, read(fd, text, device.f->id_size));
		now = valid_call(POISON);
		ASSERT_EQ(0, ioctl(fd, KUID_IOC_STATUS, &now));
		EXPECT_EQ(s.unique, now.unique);
		close(fd);
	}
}

/* Any user who may open the device may read the status. */
TEST_F(status, unprivileged)
{
	pid_t child = fork_child();

	ASSERT_LE(0, child);
	if (!child) {
		struct kuid_status s = valid_call(POISON);
		int fd;

		if (setgid(65534) || setuid(65534))
			_exit(1);
		fd = open(DEV_KUID, O_RDONLY);
		_exit(fd < 0 || ioctl(fd, KUID_IOC_STATUS, &s));
	}
	ASSERT_TRUE(ended_well(child));
}

TEST_F(status, epoch)
{
	struct kuid_generate g = { .count = 1 };
	struct kuid_status s;
	struct id id;

	g.buffer = (uintptr_t)&id;
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_GENERATE, &g));
	get(_metadata, self, &s);
	EXPECT_LE(1, s.epoch);
	EXPECT_EQ(g.epoch, s.epoch);
	EXPECT_NE(0, s.load_id);
	EXPECT_EQ(g.load_id, s.load_id);
}

static void check_counted(struct __test_metadata *_metadata,
			  FIXTURE_DATA(status) *self,
			  struct kuid_status *before, __u32 format,
			  __u64 count, const char *what)
{
	struct kuid_status after;
	size_t i;

	get(_metadata, self, &after);
	for (i = 0; i < ARRAY_SIZE(after.ids); i++) {
		EXPECT_EQ(before->ids[i] + (i == format ? count : 0),
			  after.ids[i]) {
			TH_LOG("%s of format %u: ids[%zu]", what, format, i);
		}
	}
	*before = after;
}

/* The counters are exact, on any CPU and by any kind of call. */
TEST_F(status, ids)
{
	static const __u32 counts[] = { 1, 2, 7, 1, 1023, 1024, 1025, 1, 3000 };
	__u8 *ids = malloc(BATCH * LINE_MAX_SIZE);
	struct iovec lost = { .iov_base = map_before_hole() };
	struct kuid_status before;
	int cpus[2];
	size_t n, i;
	__u32 order;

	ASSERT_NE(NULL, ids);
	ASSERT_NE(NULL, lost.iov_base);
	if (allowed_cpus(cpus, 2) < 2)
		cpus[1] = cpus[0];
	get(_metadata, self, &before);
	ASSERT_EQ(0, before.ids[KUID_FORMAT_DEFAULT]);
	for (n = 0; n < NR_FORMATS; n++) {
		const struct format *f = &formats[n];
		size_t line = f->text_size + 1;
		int fd = open_device_file(f, "", 0);
		int text = open_device_file(f, ".txt", 0);

		ASSERT_LE(0, fd);
		ASSERT_LE(0, text);
		for (i = 0; i < ARRAY_SIZE(counts); i++) {
			__u32 count = counts[i];

			ASSERT_EQ(0, move_to_cpu(0, cpus[i % 2]));
			ASSERT_EQ(count, read_ids(f, fd, ids, count));
			check_counted(_metadata, self, &before, f->number,
				      count, "read");
			for (order = 0; order <= KUID_ORDER_HOST; order++) {
				ASSERT_EQ(count,
					  generate_in_order(f, self->fd, order,
							    ids, count));
				check_counted(_metadata, self, &before,
					      f->number, count, "generate");
			}
			ASSERT_EQ(count * line, read(text, ids, count * line));
			check_counted(_metadata, self, &before, f->number,
				      count, "lines");
		}
		/*
		 * A line counts as given when it is begun; its rest doesn't
		 * count.
		 */
		ASSERT_EQ(3, read(text, ids, 3));
		check_counted(_metadata, self, &before, f->number, 1,
			      "part of a line");
		ASSERT_EQ(line - 3, read(text, ids, line - 3));
		check_counted(_metadata, self, &before, f->number, 0,
			      "rest of a line");
		ASSERT_EQ(3, read(text, ids, 3));
		ASSERT_EQ(2 * line - 3, read(text, ids, 2 * line));
		check_counted(_metadata, self, &before, f->number, 2,
			      "a line after a rest");
		/* Refused, empty and failed calls don't count. */
		lost.iov_len = f->id_size;
		ASSERT_EQ(-1, read(fd, ids, f->id_size - 1));
		ASSERT_EQ(0, read(text, ids, 0));
		ASSERT_EQ(-EINVAL, generate_in_order(f, self->fd,
						     KUID_ORDER_HOST + 1, ids,
						     1));
		ASSERT_EQ(-1, readv(fd, &lost, 1));
		ASSERT_EQ(EFAULT, errno);
		check_counted(_metadata, self, &before, f->number, 0,
			      "nothing");
		close(fd);
		close(text);
	}
	free(ids);
}

/* The counters don't depend on the order of the file. */
TEST_F(status, ids_of_each_order)
{
	struct kuid_status before;
	__u8 ids[7 * ID_SIZE_MAX];
	size_t n;
	__u32 order;
	int i;

	get(_metadata, self, &before);
	for (n = 0; n < NR_FORMATS; n++) {
		for (order = KUID_ORDER_CPU; order <= KUID_ORDER_HOST;
		     order++) {
			int fd = open_device_file(&formats[n], "", 0);

			ASSERT_LE(0, fd);
			ASSERT_EQ(0, set_order(fd, order));
			for (i = 0; i < 5; i++)
				ASSERT_EQ(1, read_ids(&formats[n], fd, ids, 1));
			ASSERT_EQ(7, read_ids(&formats[n], fd, ids, 7));
			check_counted(_metadata, self, &before,
				      formats[n].number, 12, "orders");
			close(fd);
		}
	}
}

/* lex has so few IDs that a process can get ahead of the clock. */
TEST_F(status, ahead)
{
	const struct format *f = format_of(KUID_FORMAT_LEX);
	__u8 *ids = malloc(BATCH * f->id_size);
	int fd = open_device_file(f, "", O_NONBLOCK);
	struct fields last;
	struct kuid_status s;
	__u64 after;
	int i;

	ASSERT_NE(NULL, ids);
	ASSERT_LE(0, fd);
	let_clock_catch_up();
	for (i = 0; i < 8; i++)
		ASSERT_EQ(BATCH, read_ids(f, fd, ids, BATCH));
	ASSERT_TRUE(decode(f, id_at(f, ids, BATCH - 1), &last));
	get(_metadata, self, &s);
	after = clock_ns();
	TH_LOG("%llu ns", (unsigned long long)s.lex_ahead_ns);
	/* The run-ahead may have shrunk since, but not grown. */
	EXPECT_LE(last.ns, s.lex_ahead_ns + after);
	EXPECT_GE(BATCH_AHEAD_NS, s.lex_ahead_ns);
	EXPECT_EQ(0, s.grid_ahead_ns);
	EXPECT_EQ(0, s.stamp_ahead_ns);

	/* A batch puts a CPU's lane ahead of the clock. */
	EXPECT_EQ(BATCH, generate_ids(format_of(KUID_FORMAT_V6), self->fd, ids,
				      BATCH));
	get(_metadata, self, &s);
	EXPECT_GE(BATCH_AHEAD_NS, s.stamp_ahead_ns);
	close(fd);
	free(ids);
}

/*
 * After a step back of less than step_limit both clocks are ahead of the wall
 * clock by the lag. A step forward by as much ends the lag.
 */
TEST_F(status, half_speed)
{
	enum { BACK = 3 };
	const __u64 half_speed = KUID_REASON_STAMPS_HALF_SPEED |
				 KUID_REASON_SLOTS_HALF_SPEED;
	const __u64 most = BACK * NSEC_PER_SEC + AHEAD_NS;
	struct kuid_status before, s, later;
	__u8 id[ID_SIZE_MAX];
	size_t i;

	for (i = 0; i < NR_FORMATS; i++)
		ASSERT_EQ(1, generate_ids(&formats[i], self->fd, id, 1));
	get(_metadata, self, &before);
	ASSERT_EQ(0, before.reasons & half_speed);
	ASSERT_EQ(0, shift_wall_seconds(-BACK));
	self->stepped = -BACK;
	for (i = 0; i < NR_FORMATS; i++)
		ASSERT_EQ(1, generate_ids(&formats[i], self->fd, id, 1));
	get(_metadata, self, &s);
	EXPECT_EQ(half_speed, s.reasons & half_speed);
	EXPECT_EQ(EVERY_FORMAT, s.unique);
	EXPECT_EQ(EVERY_FORMAT, s.ordered);
	EXPECT_EQ(before.epoch, s.epoch);
	EXPECT_EQ(before.steps_back + 1, s.steps_back);
	EXPECT_EQ(before.steps_forward, s.steps_forward);
	EXPECT_LT(0, s.stamp_lag_ns);
	EXPECT_GE(most, s.stamp_lag_ns);
	EXPECT_LT(0, s.slot_lag_ns);
	EXPECT_GE(most, s.slot_lag_ns);
	usleep(50000);
	get(_metadata, self, &later);
	EXPECT_GT(s.stamp_lag_ns, later.stamp_lag_ns);
	EXPECT_GT(s.slot_lag_ns, later.slot_lag_ns);
	EXPECT_EQ(before.steps_back + 1, later.steps_back);

	ASSERT_EQ(0, shift_wall_seconds(BACK));
	self->stepped = 0;
	get(_metadata, self, &s);
	EXPECT_EQ(0, s.reasons & half_speed);
	EXPECT_EQ(0, s.stamp_lag_ns);
	EXPECT_EQ(0, s.slot_lag_ns);
	EXPECT_EQ(before.epoch, s.epoch);
	EXPECT_EQ(before.steps_back + 1, s.steps_back);
	EXPECT_EQ(before.steps_forward + 1, s.steps_forward);
	EXPECT_EQ(before.reasons, s.reasons);
}

/* Status and query with a given node. */
TEST_F(status, fixed_node)
{
	struct kuid_query q = { 0 };
	struct kuid_status s;

	get(_metadata, self, &s);
	EXPECT_EQ(0, s.reasons & KUID_REASON_FIXED_NODE);
	close(self->fd);
	take_module(_metadata);
	ASSERT_EQ(0, load("node=0123456789ab"));
	self->fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, self->fd);
	get(_metadata, self, &s);
	EXPECT_EQ(KUID_REASON_FIXED_NODE, s.reasons & KUID_REASON_FIXED_NODE);
	EXPECT_EQ(EVERY_FORMAT, s.unique);
	EXPECT_EQ(EVERY_FORMAT, s.ordered);
	for (q.format = 1; q.format <= NR_FORMATS; q.format++) {
		ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_QUERY, &q));
		EXPECT_EQ(UINT64_MAX, q.step_limit_ns) {
			TH_LOG("%s", format_of(q.format)->name);
		}
	}
	/* All counters start at zero when the module is loaded. */
	EXPECT_TRUE(all_bytes(s.ids, 0, sizeof(s.ids)));
	EXPECT_EQ(0, s.waits);
	EXPECT_EQ(0, s.would_blocks);
	EXPECT_EQ(0, s.steps_back);
	EXPECT_EQ(0, s.steps_forward);
	EXPECT_EQ(1, s.epoch);
	close(self->fd);
	self->fd = -1;
	give_back_module(_metadata);
}

/* Everything that any user may read, apart from IDs. */
static void ask_all(struct __test_metadata *_metadata,
		    FIXTURE_DATA(status) *self, __u64 epoch)
{
	static const char *const files[] = {
		"epoch", "identity/node", "identity/worker",
		"clock/stamp_lag_ns", "ahead/lex_ns", "limits/step_limit_ns",
		"counters/v1", "state/floor_ns", "status/unique",
		"status/reasons",
	};
	struct kuid_state state = { 0 };
	struct kuid_query q = { 0 };
	struct kuid_status s;
	char text[256];
	size_t i;

	get(_metadata, self, &s);
	EXPECT_EQ(epoch, s.epoch);
	for (q.format = 1; q.format <= NR_FORMATS; q.format++)
		ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_QUERY, &q));
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_GET_STATE, &state));
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		ASSERT_LT(0, read_attribute(files[i], text, sizeof(text))) {
			TH_LOG("%s", files[i]);
		}
	}
	EXPECT_EQ(epoch, read_number("epoch", 10));
}

static bool grace_is_held(void)
{
	int fd = open("/sys/module/kuid_grace/parameters/held", O_RDONLY);
	char got = 0;
	ssize_t size = read(fd, &got, 1);

	close(fd);
	return size == 1 && got == 'Y';
}

/*
 * A new epoch waits for an RCU grace period. While kuid_grace keeps that from
 * ending, status, state and sysfs still answer.
 */
TEST_F(status, answers_while_an_epoch_begins)
{
	struct kuid_set_identity same = { .flags = 0 };
	struct kuid_status before;
	char params[32];
	__u64 epoch;
	int cpus[2];
	pid_t child;

	if (!getenv("KUID_GRACE"))
		SKIP(return, "KUID_GRACE doesn't name the module");
	if (allowed_cpus(cpus, 2) < 2)
		SKIP(return, "needs 2 CPUs");
	get(_metadata, self, &before);
	ASSERT_EQ(0, move_to_cpu(0, cpus[0]));
	snprintf(params, sizeof(params), "cpu=%d", cpus[1]);
	ASSERT_EQ(0, load_file(getenv("KUID_GRACE"), params));

	child = fork_child();
	ASSERT_LE(0, child);
	if (!child)
		_exit(ioctl(self->fd, KUID_IOC_SET_IDENTITY, &same) ? 1 : 0);
	/*
	 * IDs show when the epoch has begun, which is before the grace period.
	 */
	do {
		struct id id;
		struct kuid_generate g = {
			.buffer = (uintptr_t)&id,
			.count = 1,
		};

		ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_GENERATE, &g));
		epoch = g.epoch;
	} while (epoch == before.epoch);
	ASSERT_EQ(before.epoch + 1, epoch);
	ask_all(_metadata, self, epoch);

	EXPECT_TRUE(grace_is_held()) {
		TH_LOG("the grace period ended before the answers came");
	}
	EXPECT_EQ(0, waitpid(child, NULL, WNOHANG));
	ASSERT_EQ(0, unload_name("kuid_grace"));
	ASSERT_TRUE(ended_well(child));
}

TEST_HARNESS_MAIN
