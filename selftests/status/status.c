// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check the status of the host and of a file: KUID_IOC_STATUS, the files of
 * sysfs, /proc/PID/fdinfo. One table has the fields, and each file must show the
 * value that the ioctls give. Nothing else may take IDs while this test runs.
 */
#include "../lib/harness.h"

#include <dirent.h>
#include <sys/stat.h>

#include "../lib/children.h"
#include "../lib/commands.h"
#include "../lib/own_module.h"
#include "../lib/set_wall.h"

#define BATCH		4096
#define TEXT_MAX	256

/* All that the ioctls tell of the host. */
struct answers {
	struct kuid_status status;
	struct kuid_query query;
	struct kuid_state state;
};

/**
 * enum kind - how a file shows its value
 * @DECIMAL: a number that only shrinks while nobody asks for IDs
 * @HEX: 12 digits; an empty line while there is no epoch
 * @HEX_64: likewise, 16 digits
 * @SETTING: a number; an empty line while there is no epoch
 * @LOAD_ID: 16 digits, all 0 while there is no epoch
 * @BIT: 1 if the bit &struct field.bit is set, otherwise 0
 * @REASONS: a word for each bit
 * @NAMES: the name of a format for each bit
 */
enum kind { DECIMAL, HEX, HEX_64, SETTING, LOAD_ID, BIT, REASONS, NAMES };

#define SHOWN(name, kind, member, bit)					\
	{ name, kind, offsetof(struct answers, member),			\
	  sizeof(((struct answers *)0)->member), bit }

static const struct field_file {
	const char *name;
	enum kind kind;
	size_t offset, size;
	__u32 bit;
} files[] = {
	SHOWN("epoch", DECIMAL, status.epoch, 0),
	SHOWN("load_id", LOAD_ID, status.load_id, 0),
	SHOWN("identity/node", HEX, state.node, 0),
	SHOWN("identity/worker", HEX_64, state.worker, 0),
	SHOWN("identity/interval", SETTING, state.interval, 0),
	SHOWN("identity/snowflake_worker", SETTING, state.snowflake_worker, 0),
	SHOWN("clock/stamp_lag_ns", DECIMAL, status.stamp_lag_ns, 0),
	SHOWN("clock/slot_lag_ns", DECIMAL, status.slot_lag_ns, 0),
	SHOWN("clock/resolution_ns", DECIMAL, query.clock_resolution_ns, 0),
	SHOWN("ahead/stamps_ns", DECIMAL, status.stamp_ahead_ns, 0),
	SHOWN("ahead/lex_ns", DECIMAL, status.lex_ahead_ns, 0),
	SHOWN("ahead/grid_ns", DECIMAL, status.grid_ahead_ns, 0),
	SHOWN("ahead/snowflake_ns", DECIMAL, status.snowflake_ahead_ns, 0),
	SHOWN("limits/max_ahead_ns", DECIMAL, query.max_ahead_ns, 0),
	SHOWN("limits/batch_ahead_ns", DECIMAL, query.batch_ahead_ns, 0),
	SHOWN("limits/step_limit_ns", DECIMAL, query.step_limit_ns, 0),
#define COUNTER(name, NAME, ...) \
	SHOWN("counters/" #name, DECIMAL, status.ids[KUID_FORMAT_##NAME], 0),
	FORMATS(COUNTER)
#undef COUNTER
	SHOWN("counters/waits", DECIMAL, status.waits, 0),
	SHOWN("counters/would_blocks", DECIMAL, status.would_blocks, 0),
	SHOWN("counters/steps_back", DECIMAL, status.steps_back, 0),
	SHOWN("counters/steps_forward", DECIMAL, status.steps_forward, 0),
	SHOWN("counters/vm_forks", DECIMAL, status.vm_forks, 0),
	SHOWN("state/required", BIT, state.required, 1),
	SHOWN("state/floor_ns", DECIMAL, status.floor_ns, 0),
	SHOWN("state/ceiling_ns", DECIMAL, status.ceiling_ns, 0),
	SHOWN("state/claim_ceiling_ns", DECIMAL, status.claim_ceiling_ns, 0),
	SHOWN("status/unique", NAMES, status.unique, 0),
	SHOWN("status/ordered", NAMES, status.ordered, 0),
	SHOWN("status/reboot_safe", NAMES, status.reboot_safe, 0),
	SHOWN("status/clones_seen", BIT, status.clones, KUID_CLONES_SEEN),
	SHOWN("status/clones_told", BIT, status.clones, KUID_CLONES_TOLD),
	SHOWN("status/reasons", REASONS, status.reasons, 0),
};

static const char *const reasons[] = {
	"stamps_half_speed", "slots_half_speed", "coarse_clock", "no_state",
	"fixed_node", "no_vm_fork", "random_not_ready", "may_repeat",
	"past_ceiling", "stale_identity", "expired_claim", "k64_may_repeat",
};

static __u64 value_of(const struct field_file *f, const struct answers *from)
{
	const void *at = (const __u8 *)from + f->offset;
	__u64 value = f->size == 4 ? *(const __u32 *)at : *(const __u64 *)at;

	return f->kind == BIT ? !!(value & f->bit) : value;
}

/* The line that shows a value. */
static void show(const struct field_file *f, __u64 value, char *to)
{
	const int digits = f->kind == HEX ? 12 : 16;
	const char *space = "";
	unsigned int bit;

	switch (f->kind) {
	case HEX:
	case HEX_64:
	case LOAD_ID:
		sprintf(to, "%0*llx\n", digits, (unsigned long long)value);
		return;
	case REASONS:
	case NAMES:
		for (bit = 0; bit < 64; bit++) {
			if (!(value >> bit & 1))
				continue;
			to += sprintf(to, "%s%s", space, f->kind == NAMES ?
				      format_of(bit)->name : reasons[bit]);
			space = " ";
		}
		strcpy(to, "\n");
		return;
	default:
		sprintf(to, "%llu\n", (unsigned long long)value);
	}
}

/* Everything that any user may ask for, except IDs. */
static int ask_all(int fd, struct answers *all)
{
	memset(all, 0, sizeof(*all));
	all->query.format = KUID_FORMAT_V1;
	return ioctl(fd, KUID_IOC_STATUS, &all->status) ||
	       ioctl(fd, KUID_IOC_QUERY, &all->query) ||
	       ioctl(fd, KUID_IOC_GET_STATE, &all->state);
}

/* Whether a file shows its value, or one that a clock has passed since. */
static bool shows(const struct field_file *f, const char *text, int fd,
		  const struct answers *before)
{
	__u64 value = value_of(f, before);
	char expected[TEXT_MAX];
	struct answers after;

	if (f->kind == DECIMAL) {
		if (ask_all(fd, &after) || strtoull(text, NULL, 10) > value)
			return false;
		value = strtoull(text, NULL, 10);
		if (value < value_of(f, &after))
			return false;
	}
	show(f, value, expected);
	return !strcmp(text, expected);
}

/* Whether a file shows what it must while there is no epoch. */
static bool shows_nothing(const struct field_file *f, const char *text)
{
	char zero[TEXT_MAX];

	switch (f->kind) {
	case HEX:
	case HEX_64:
	case SETTING:
		return !strcmp(text, "\n");
	case BIT:
	case REASONS:
	case NAMES:
		return true;
	default:
		show(f, 0, zero);
		return !strcmp(text, zero) || strstr(f->name, "limits/") ||
		       strstr(f->name, "resolution");
	}
}

/*
 * Check all files as the current user, while there is no epoch if @fd is -1.
 * Returns how many are wrong.
 */
static int check_files(int fd)
{
	char text[TEXT_MAX], path[128];
	struct answers all;
	struct stat st;
	int wrong = 0;
	size_t i;

	if (fd >= 0 && ask_all(fd, &all))
		return -1;
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		const char *why = NULL;
		int file;

		snprintf(path, sizeof(path), ATTRIBUTES "/%s", files[i].name);
		file = open(path, O_WRONLY | O_CLOEXEC);
		if (stat(path, &st) || !S_ISREG(st.st_mode) || st.st_uid ||
		    st.st_gid || (st.st_mode & 07777) != 0444)
			why = "is not a file of root's with mode 0444";
		else if (file >= 0 && write(file, "1\n", 2) >= 0)
			why = "can be written";
		else if (read_attribute(files[i].name, text, sizeof(text)) <= 0)
			why = "can't be read";
		else if (!(fd < 0 ? shows_nothing(&files[i], text) :
			   shows(&files[i], text, fd, &all)))
			why = text;
		if (why)
			printf("# %s: %s\n", files[i].name, why);
		wrong += !!why;
		close(file);
	}
	return wrong;
}

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

static void get(struct __test_metadata *_metadata, int fd, struct kuid_status *s)
{
	*s = valid_call(POISON);
	ASSERT_EQ(0, ioctl(fd, KUID_IOC_STATUS, s));
}

/* Each field is written, whatever was in it. */
TEST_F(status, all_fields_are_written)
{
	const struct kuid_status poison = valid_call(POISON);
	struct kuid_status s, again = valid_call(0x33);
	size_t i;

	let_clock_catch_up();
	get(_metadata, self->fd, &s);
	EXPECT_EQ(0, s.flags);
	EXPECT_NE(poison.clones, s.clones);
	for (i = offsetof(struct kuid_status, reasons);
	     i < offsetof(struct kuid_status, reserved); i += sizeof(__u64)) {
		EXPECT_NE(0, memcmp((__u8 *)&poison + i, (__u8 *)&s + i,
				    sizeof(__u64)))
			TH_LOG("offset %zu is not written", i);
	}
	EXPECT_TRUE(all_bytes(s.reserved, 0, sizeof(s.reserved)));
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_STATUS, &again));
	EXPECT_EQ(0, memcmp(&s, &again, sizeof(s)));
}

/* The promises that hold, and the identity of the IDs. */
TEST_F(status, held)
{
	static const size_t nodes[] = {
		[KUID_FORMAT_V1] = offsetof(struct kuid_state, node),
		[KUID_FORMAT_V6] = offsetof(struct kuid_state, node),
		[KUID_FORMAT_LEX] = offsetof(struct kuid_state, worker),
		[KUID_FORMAT_K96] = offsetof(struct kuid_state, worker),
		[KUID_FORMAT_K128] = offsetof(struct kuid_state, worker),
	};
	__u64 expected = KUID_REASON_NO_STATE;
	struct kuid_generate g = { .count = 1 };
	struct fields fields;
	struct answers all;
	__u8 id[ID_SIZE_MAX];
	__u64 node;

	if (self->resolution > NSEC_PER_USEC)
		expected |= KUID_REASON_COARSE_CLOCK;
	g.buffer = (uintptr_t)id;
	for (g.format = 1; g.format < ARRAY_SIZE(nodes); g.format++) {
		ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_GENERATE, &g));
		ASSERT_EQ(0, ask_all(self->fd, &all));
		ASSERT_TRUE(decode(format_of(g.format), id, &fields));
		memcpy(&node, (__u8 *)&all.state + nodes[g.format], sizeof(node));
		if (g.format == KUID_FORMAT_K96)
			node = (__u32)(node >> 32 ^ node);
		if (nodes[g.format])
			EXPECT_EQ(fields.node, node);
		EXPECT_EQ(g.epoch, all.status.epoch);
		EXPECT_EQ(g.load_id, all.status.load_id);
	}
	EXPECT_LE(1, g.epoch);
	EXPECT_NE(0, g.load_id);
	EXPECT_EQ(GRID_INTERVAL, all.state.interval);
	let_clock_catch_up();
	ASSERT_EQ(0, ask_all(self->fd, &all));
	EXPECT_EQ(EVERY_FORMAT, all.status.unique);
	EXPECT_EQ(EVERY_FORMAT, all.status.ordered);
	/* NO_VM_FORK depends on the machine. */
	EXPECT_EQ(expected,
		  all.status.reasons & ~(__u64)KUID_REASON_NO_VM_FORK);
	EXPECT_TRUE(all_bytes(&all.status.stamp_lag_ns, 0, 6 * sizeof(__u64)));
	EXPECT_EQ(0, check_files(self->fd));
}

/* Any user who may open the device may read the status. */
TEST_F(status, unprivileged)
{
	pid_t child = fork_child();

	ASSERT_LE(0, child);
	if (!child)
		_exit(setgid(65534) || setuid(65534) ||
		      check_files(open(DEV_KUID, O_RDONLY)));
	ASSERT_TRUE(ended_well(child));
}

/* Files that every device has. */
static bool is_of_any_device(const char *name)
{
	return !strcmp(name, "dev") || !strcmp(name, "uevent") ||
	       !strcmp(name, "power") || !strcmp(name, "subsystem") ||
	       !strcmp(name, "waiting_for_supplier") || *name == '.';
}

/* Count the files of a directory and those below, as far as the table has them. */
static int count_files(const char *dir)
{
	char path[600], name[300];
	struct dirent *entry;
	int nr = 0;
	DIR *all;
	size_t i;

	snprintf(path, sizeof(path), ATTRIBUTES "/%s", dir);
	all = opendir(path);
	while (all && (entry = readdir(all))) {
		if (is_of_any_device(entry->d_name))
			continue;
		snprintf(name, sizeof(name), "%s%s%s", dir, *dir ? "/" : "",
			 entry->d_name);
		for (i = 0; i < ARRAY_SIZE(files); i++)
			if (!strcmp(name, files[i].name))
				break;
		if (entry->d_type == DT_DIR)
			nr += count_files(name);
		else if (i < ARRAY_SIZE(files))
			nr++;
		else
			printf("# %s is not in the table\n", name);
	}
	if (all)
		closedir(all);
	return nr;
}

/* Whether the lines of a kuid file in /proc/PID/fdinfo are exactly these. */
static bool file_shows(int fd, const char *format, bool text, __u32 order,
		       bool taken)
{
	static const char *const orders[] = { "", "cpu", "file", "host" };
	char path[48], expected[128], got[1024] = "";
	const char *from;
	int info;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	info = open(path, O_RDONLY);
	if (read(info, got, sizeof(got) - 1) < 0)
		return false;
	close(info);
	snprintf(expected, sizeof(expected),
		 "kuid-format:\t%s\nkuid-text:\t%d\nkuid-order:\t%s\nkuid-taken:\t%d\n",
		 format, text, orders[order], taken);
	from = strstr(got, "kuid-");
	return from && !strcmp(from, expected);
}

/* Every device file, before and after its first ID. */
TEST_F(status, device_files)
{
	struct kuid_status s, now;
	char text[LINE_MAX_SIZE];
	int nr;

	EXPECT_EQ(ARRAY_SIZE(files), count_files(""));
	get(_metadata, self->fd, &s);
	for (nr = 0; nr < NR_DEVICES; nr++) {
		const struct device device = device_of(nr);
		int fd = open(device.path, O_RDONLY), taken;

		ASSERT_LE(0, fd);
		for (taken = 0; taken < 2; taken++) {
			get(_metadata, fd, &now);
			EXPECT_EQ(s.unique, now.unique);
			EXPECT_EQ(s.epoch, now.epoch);
			EXPECT_TRUE(file_shows(fd, device.f->name, device.text,
					       device.order, taken))
				TH_LOG("%s", device.path);
			/* Status takes no ID, so the order can still be set. */
			ASSERT_EQ(taken ? EBUSY : 0, set_order(fd, device.order));
			ASSERT_LT(0, read(fd, text, device.f->id_size));
		}
		close(fd);
	}
}

/* A file keeps its own format after it gave an ID of another. */
TEST_F(status, file_of_a_set_format)
{
	struct kuid_set_format set = { .format = KUID_FORMAT_K96 };
	int fd = open(DEV_KUID, O_RDONLY);
	__u8 id[ID_SIZE_MAX];

	ASSERT_LE(0, fd);
	for (set.order = KUID_ORDER_CPU; set.order <= KUID_ORDER_HOST; set.order++) {
		ASSERT_EQ(0, ioctl(fd, KUID_IOC_SET_FORMAT, &set));
		EXPECT_TRUE(file_shows(fd, "k96", false, set.order, false));
	}
	ASSERT_EQ(1, generate_in_order(format_of(KUID_FORMAT_K64), fd,
				       KUID_ORDER_FILE, id, 1));
	EXPECT_TRUE(file_shows(fd, "k96", false, KUID_ORDER_HOST, true));
	close(fd);
}

/* The counters are exact on any CPU, and no other format's counter changes. */
TEST_F(status, ids)
{
	static const __u32 counts[] = { 1, 2, 1023, 1024, 1025, 1, 3000 };
	__u8 *ids = malloc(BATCH * ID_SIZE_MAX);
	struct kuid_status before, after;
	int cpus[2];
	__u32 order;
	size_t n, i;

	ASSERT_NE(NULL, ids);
	if (allowed_cpus(cpus, 2) < 2)
		cpus[1] = cpus[0];
	get(_metadata, self->fd, &before);
	ASSERT_EQ(0, before.ids[KUID_FORMAT_DEFAULT]);
	for (n = 0; n < NR_FORMATS; n++) {
		for (order = 0; order <= KUID_ORDER_HOST; order++) {
			for (i = 0; i < ARRAY_SIZE(counts); i++) {
				ASSERT_EQ(0, move_to_cpu(0, cpus[i % 2]));
				ASSERT_EQ(counts[i],
					  generate_in_order(&formats[n], self->fd,
							    order, ids, counts[i]));
				before.ids[formats[n].number] += counts[i];
			}
		}
		/* Refused and failed calls don't count. */
		ASSERT_EQ(-EINVAL, generate_in_order(&formats[n], self->fd, order,
						     ids, 1));
		ASSERT_EQ(-EFAULT, generate_ids(&formats[n], self->fd, NULL, 1));
		get(_metadata, self->fd, &after);
		EXPECT_EQ(0, memcmp(before.ids, after.ids, sizeof(after.ids)))
			TH_LOG("%s", formats[n].name);
	}
	EXPECT_EQ(0, check_files(self->fd));
	free(ids);
}

/* lex has so few IDs that a process gets ahead of the clock, and has to wait. */
TEST_F(status, ahead)
{
	enum { COUNT = 200000 };
	const struct format *f = format_of(KUID_FORMAT_LEX);
	__u8 *ids = malloc(COUNT * f->id_size);
	int fd = open_device_file(f, "", O_NONBLOCK);
	struct kuid_status s, waited;
	struct fields last;
	__u64 after;
	int i;

	ASSERT_NE(NULL, ids);
	ASSERT_LE(0, fd);
	/* Populate the pages now: faults would cost time in the test. */
	memset(ids, POISON, COUNT * f->id_size);
	let_clock_catch_up();
	for (i = 0; i < 8; i++)
		ASSERT_EQ(BATCH, read_ids(f, fd, ids, BATCH));
	ASSERT_TRUE(decode(f, id_at(f, ids, BATCH - 1), &last));
	get(_metadata, self->fd, &s);
	after = clock_ns();
	EXPECT_EQ(0, check_files(self->fd));
	TH_LOG("%llu ns", (unsigned long long)s.lex_ahead_ns);
	/* The run-ahead may have shrunk since, but not grown. */
	EXPECT_LE(last.ns, s.lex_ahead_ns + after);
	EXPECT_GE(BATCH_AHEAD_NS, s.lex_ahead_ns);
	EXPECT_EQ(0, s.grid_ahead_ns);
	EXPECT_EQ(0, s.stamp_ahead_ns);

	/* A batch puts a CPU's lane ahead of the clock. */
	EXPECT_EQ(BATCH, generate_ids(format_of(KUID_FORMAT_V6), self->fd, ids,
				      BATCH));
	get(_metadata, self->fd, &s);
	EXPECT_GE(BATCH_AHEAD_NS, s.stamp_ahead_ns);
	/* Cause a wait and an EAGAIN. */
	ASSERT_EQ(COUNT, generate_ids(f, self->fd, ids, COUNT));
	get(_metadata, self->fd, &waited);
	ASSERT_LT(0, read_ids(f, fd, ids, COUNT));
	EXPECT_EQ(0, check_files(self->fd));
	EXPECT_EQ(s.would_blocks, waited.would_blocks);
	get(_metadata, self->fd, &s);
	EXPECT_EQ(waited.waits, s.waits);
	close(fd);
	free(ids);
	if (!(s.waits && s.would_blocks) && PASSED_SO_FAR)
		SKIP(return, TOO_SLOW);
}

static void take_of_each(struct __test_metadata *_metadata, int fd)
{
	__u8 id[ID_SIZE_MAX];
	size_t i;

	for (i = 0; i < NR_FORMATS; i++)
		ASSERT_EQ(1, generate_ids(&formats[i], fd, id, 1));
}

/*
 * After a step back of less than step_limit both clocks are ahead of the wall
 * clock by the lag. A step forward by as much ends the lag.
 */
TEST_F(status, half_speed)
{
	enum { BACK = 9 };
	const __u64 half_speed = KUID_REASON_STAMPS_HALF_SPEED |
				 KUID_REASON_SLOTS_HALF_SPEED;
	const __u64 most = BACK * NSEC_PER_SEC + AHEAD_NS;
	struct kuid_status before, s, later;

	take_of_each(_metadata, self->fd);
	get(_metadata, self->fd, &before);
	ASSERT_EQ(0, before.reasons & half_speed);
	ASSERT_EQ(0, shift_wall_seconds(-BACK));
	self->stepped = -BACK;
	take_of_each(_metadata, self->fd);
	get(_metadata, self->fd, &s);
	EXPECT_EQ(half_speed, s.reasons & half_speed);
	EXPECT_EQ(EVERY_FORMAT, s.unique);
	EXPECT_EQ(EVERY_FORMAT, s.ordered);
	EXPECT_EQ(before.epoch, s.epoch);
	EXPECT_EQ(before.steps_back + 1, s.steps_back);
	EXPECT_EQ(before.steps_forward, s.steps_forward);
	EXPECT_TRUE(s.stamp_lag_ns && s.stamp_lag_ns <= most);
	EXPECT_TRUE(s.slot_lag_ns && s.slot_lag_ns <= most);
	usleep(50000);
	EXPECT_EQ(0, check_files(self->fd));
	get(_metadata, self->fd, &later);
	EXPECT_GT(s.stamp_lag_ns, later.stamp_lag_ns);
	EXPECT_GT(s.slot_lag_ns, later.slot_lag_ns);
	EXPECT_EQ(before.steps_back + 1, later.steps_back);

	ASSERT_EQ(0, shift_wall_seconds(BACK));
	self->stepped = 0;
	get(_metadata, self->fd, &s);
	EXPECT_EQ(0, s.stamp_lag_ns);
	EXPECT_EQ(0, s.slot_lag_ns);
	EXPECT_EQ(before.epoch, s.epoch);
	EXPECT_EQ(before.steps_back + 1, s.steps_back);
	EXPECT_EQ(before.steps_forward + 1, s.steps_forward);
	EXPECT_EQ(before.reasons, s.reasons);
}

/* Before the device is opened first there is no epoch. Then a node is fixed. */
TEST_F(status, from_the_load_on)
{
	struct kuid_query q = { 0 };
	struct kuid_status s;
	int fixed;

	get(_metadata, self->fd, &s);
	EXPECT_EQ(0, s.reasons & KUID_REASON_FIXED_NODE);
	close(self->fd);
	take_module(_metadata);
	for (fixed = 0; fixed < 2; fixed++) {
		ASSERT_EQ(0, load(fixed ? "node=0123456789ab" :
				  "max_ahead_ms=40 step_limit_ms=2000"));
		EXPECT_EQ(0, check_files(-1));
		self->fd = open(DEV_KUID, O_RDONLY);
		ASSERT_LE(0, self->fd);
		get(_metadata, self->fd, &s);
		EXPECT_EQ(fixed, !!(s.reasons & KUID_REASON_FIXED_NODE));
		EXPECT_EQ(EVERY_FORMAT, s.unique);
		EXPECT_EQ(EVERY_FORMAT, s.ordered);
		for (q.format = 1; q.format <= NR_FORMATS; q.format++) {
			ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_QUERY, &q));
			if (fixed) {
				EXPECT_EQ(UINT64_MAX, q.step_limit_ns);
				continue;
			}
			EXPECT_EQ(0, check_files(self->fd));
			EXPECT_EQ(40 * NSEC_PER_MSEC, q.max_ahead_ns);
			EXPECT_EQ(20 * NSEC_PER_MSEC, q.batch_ahead_ns);
			if (is_stamp(format_of(q.format)))
				EXPECT_EQ(2 * NSEC_PER_SEC, q.step_limit_ns);
		}
		EXPECT_TRUE(all_bytes(&s.waits, 0, 4 * sizeof(__u64)));
		EXPECT_TRUE(all_bytes(s.ids, 0, sizeof(s.ids)));
		EXPECT_EQ(1, s.epoch);
		stop(_metadata, &self->fd);
	}
	give_back_module(_metadata);
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
	struct kuid_generate g = { .count = 1 };
	struct answers all;
	char params[32];
	struct id id;
	int cpus[2];
	pid_t child;

	if (!getenv("KUID_GRACE"))
		SKIP(return, "KUID_GRACE doesn't name the module");
	if (allowed_cpus(cpus, 2) < 2)
		SKIP(return, "needs 2 CPUs");
	get(_metadata, self->fd, &before);
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
	g.buffer = (uintptr_t)&id;
	do {
		ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_GENERATE, &g));
	} while (g.epoch == before.epoch);
	EXPECT_EQ(before.epoch + 1, g.epoch);
	ASSERT_EQ(0, ask_all(self->fd, &all));
	EXPECT_EQ(g.epoch, all.status.epoch);
	EXPECT_EQ(0, check_files(self->fd));

	EXPECT_TRUE(grace_is_held())
		TH_LOG("the grace period ended before the answers came");
	EXPECT_EQ(0, waitpid(child, NULL, WNOHANG));
	ASSERT_EQ(0, unload_name("kuid_grace"));
	ASSERT_TRUE(ended_well(child));
}

/* A reader gets a whole value or an error while the module is unloaded. */
TEST(while_it_is_unloaded)
{
	enum { ROUNDS = 5 };
	bool *done = share_memory(sizeof(*done));
	pid_t child;
	int i;

	ASSERT_NE(NULL, done);
	take_module(_metadata);
	child = fork_child();
	ASSERT_LE(0, child);
	if (!child) {
		char text[TEXT_MAX];

		for (i = 0; !__atomic_load_n(done, __ATOMIC_RELAXED); i++)
			if (!read_attribute(files[i % ARRAY_SIZE(files)].name,
					    text, sizeof(text)))
				_exit(1);
		_exit(0);
	}
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, load(""));
		usleep(10000);
		ASSERT_EQ(0, unload());
	}
	__atomic_store_n(done, true, __ATOMIC_RELAXED);
	ASSERT_TRUE(ended_well(child));
	give_back_module(_metadata);
}

TEST_HARNESS_MAIN
