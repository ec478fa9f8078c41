// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module parameters: what they change in the IDs, and which values are refused.
 * The module is left loaded or not, as it was found.
 */
#include "../lib/harness.h"

#include <sys/stat.h>

#include "../lib/own_module.h"

#define PARAMETERS	"/sys/module/kuid/parameters/"

FIXTURE(params) {
};

FIXTURE_SETUP(params)
{
	take_module(_metadata);
}

FIXTURE_TEARDOWN(params)
{
	give_back_module(_metadata);
}

/* One ID of a format in memory order, padded with zeros to 16 bytes. */
static int take_one(__u32 format, __u8 id[16])
{
	struct kuid_generate g = {
		.buffer = (uintptr_t)id,
		.format = format,
		.count = 1,
	};
	int fd = open(DEV_KUID, O_RDONLY);
	int ret;

	memset(id, 0, 16);
	if (fd < 0)
		return -errno;
	ret = ioctl(fd, KUID_IOC_GENERATE, &g) ? -errno : 0;
	close(fd);
	return ret;
}

static __u64 be(const __u8 *bytes, int size)
{
	__u64 value = 0;

	while (size--)
		value = value << 8 | *bytes++;
	return value;
}

/* Load with parameters, take one ID of a format, unload. */
static void take_with(struct __test_metadata *_metadata, const char *params,
		      __u32 format, __u8 id[16])
{
	ASSERT_EQ(0, load(params))
		TH_LOG("%s", params);
	ASSERT_EQ(0, take_one(format, id));
	ASSERT_EQ(0, unload());
}

/* The last bytes of an ID are the node or worker that was given. */
TEST_F(params, node_and_worker)
{
	static const struct {
		const char *params;
		__u32 format;
		int size;
		__u64 value;
	} given[] = {
		{ "node=0123456789ab", KUID_FORMAT_V1, 6, 0x0123456789ab },
		{ "node=f", KUID_FORMAT_V6, 6, 0xf },
		{ "worker=fedcba9876543210", KUID_FORMAT_LEX, 8,
		  0xfedcba9876543210 },
		{ "worker=0", KUID_FORMAT_LEX, 8, 0 },
	};
	__u8 id[16];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(given); i++) {
		take_with(_metadata, given[i].params, given[i].format, id);
		EXPECT_EQ(given[i].value,
			  be(id + 16 - given[i].size, given[i].size));
	}
	take_with(_metadata, "node=random", KUID_FORMAT_V6, id);
	EXPECT_TRUE(node_is_random(be(id + 10, 6)));
}

TEST_F(params, random_workers_differ)
{
	__u8 one[16], other[16];

	take_with(_metadata, "worker=random", KUID_FORMAT_LEX, one);
	take_with(_metadata, "worker=random", KUID_FORMAT_LEX, other);
	EXPECT_NE(be(one + 8, 8), be(other + 8, 8));
}

/* The smaller the interval, the closer the node is to the end of the ID. */
TEST_F(params, interval)
{
	static const int intervals[] = { 5, 7, 8, 10 };
	char params[64];
	__u8 id[16];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(intervals); i++) {
		int behind = intervals[i] + 10 + 14;

		snprintf(params, sizeof(params),
			 "interval=%d worker=deadbeefcafef00d",
			 intervals[i]);
		take_with(_metadata, params, KUID_FORMAT_K128, id);
		EXPECT_EQ(0xdeadbeefcafef00dULL,
			  be(id, 8) << (64 - behind) | be(id + 8, 8) >> behind);
	}
}

/* Each value stands in one place of sysfs. */
TEST_F(params, are_shown)
{
	static const char *const not_twice[] = {
		"interval", "max_ahead_ms", "state", "step_limit_ms",
	};
	static const struct {
		const char *params, *path, *value;
	} shown[] = {
		{ "", PARAMETERS "node", "random\n" },
		{ "node=0123456789ab", PARAMETERS "node", "0123456789ab\n" },
		{ "", PARAMETERS "worker", "host\n" },
		{ "worker=random", PARAMETERS "worker", "random\n" },
		{ "worker=1", PARAMETERS "worker", "0000000000000001\n" },
		{ "", PARAMETERS "snowflake_epoch_ms", "1288834974657\n" },
		{ "snowflake_epoch_ms=0", PARAMETERS "snowflake_epoch_ms",
		  "0\n" },
		{ "snowflake_epoch_ms=8277292036000",
		  PARAMETERS "snowflake_epoch_ms", "8277292036000\n" },
		{ "snowflake_worker=worker", PARAMETERS "snowflake_worker",
		  "worker\n" },
		{ "snowflake_worker=1023", PARAMETERS "snowflake_worker",
		  "1023\n" },
		{ "", ATTRIBUTES "/identity/interval", "8\n" },
		{ "interval=5", ATTRIBUTES "/identity/interval", "5\n" },
		{ "state=off", ATTRIBUTES "/state/required", "0\n" },
		{ "state=required", ATTRIBUTES "/state/required", "1\n" },
	};
	char path[96], value[64];
	ssize_t size;
	int kuid, fd;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shown); i++) {
		ASSERT_EQ(0, load(shown[i].params));
		/* Begin the first epoch. */
		kuid = open(DEV_KUID, O_RDONLY);
		ASSERT_LE(0, kuid);
		fd = open(shown[i].path, O_RDONLY);
		ASSERT_LE(0, fd);
		size = read(fd, value, sizeof(value) - 1);
		ASSERT_LE(0, size);
		value[size] = '\0';
		close(fd);
		close(kuid);
		EXPECT_STREQ(shown[i].value, value);
		ASSERT_EQ(0, unload());
	}

	ASSERT_EQ(0, load(""));
	for (i = 0; i < ARRAY_SIZE(not_twice); i++) {
		snprintf(path, sizeof(path), PARAMETERS "%s", not_twice[i]);
		EXPECT_NE(0, access(path, F_OK))
			TH_LOG("%s", path);
	}
	ASSERT_EQ(0, unload());
}

/* Whether the machine says of itself that it is virtual; only amd64 does. */
static bool is_virtual(void)
{
	char text[8192] = "";
	FILE *file = fopen("/proc/cpuinfo", "r");

	if (file) {
		text[fread(text, 1, sizeof(text) - 1, file)] = 0;
		fclose(file);
	}
	return strstr(text, " hypervisor");
}

/*
 * How clones are noticed: with QEMU's device, without it, and if it is unused.
 * The driver of 6.1 knows no device in a device tree.
 */
TEST_F(params, clones)
{
	static const char *const loads[] = { "", "vmgenid=0", "vmgenid=1" };
	bool acpi = !access("/sys/bus/acpi/devices/QEMUVGID:00", F_OK);
	bool device = acpi || !access("/proc/device-tree/vmgenid", F_OK);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		__u32 clones = (acpi ? KUID_CLONES_TOLD : 0) |
			       (device && i != 1 ? KUID_CLONES_SEEN : 0);
		struct kuid_status s = { 0 };
		int fd;

		ASSERT_EQ(0, load(loads[i]));
		fd = open(DEV_KUID, O_RDONLY);
		ASSERT_LE(0, fd);
		EXPECT_EQ(0, get_status(fd, &s));
		close(fd);
		EXPECT_EQ(clones, s.clones)
			TH_LOG("%s", loads[i]);
		if (device || is_virtual()) {
			EXPECT_EQ(!clones,
				  !!(s.reasons & KUID_REASON_NO_VM_FORK));
		}
		ASSERT_EQ(0, unload());
	}
}

/* From the moment at which the files are there. */
TEST_F(params, access_is_that_of_all_files)
{
	static const struct {
		const char *params;
		mode_t mode;
		gid_t gid;
	} good[] = {
		{ "", 0444, 0 },
		{ "mode=0440", 0440, 0 },
		{ "mode=400", 0400, 0 },
		{ "mode=0004", 0004, 0 },
		{ "mode=0440 gid=1234", 0440, 1234 },
		{ "gid=4294967294", 0444, 4294967294 },
	};
	static const char *const files[] = {
		DEV_KUID,
		"/dev/kuids/v7",
		"/dev/kuids/snowflake.txt",
		"/dev/kuids/host/k64",
	};
	struct stat st;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		ASSERT_EQ(0, load(good[i].params));
		for (k = 0; k < ARRAY_SIZE(files); k++) {
			ASSERT_EQ(0, stat(files[k], &st));
			EXPECT_EQ(good[i].mode, st.st_mode & 07777)
				TH_LOG("%s %s", good[i].params, files[k]);
			EXPECT_EQ(0, st.st_uid);
			EXPECT_EQ(good[i].gid, st.st_gid)
				TH_LOG("%s %s", good[i].params, files[k]);
		}
		ASSERT_EQ(0, unload());
	}
}

TEST_F(params, bad_values_are_refused_by_name)
{
	static const struct {
		const char *params, *choices;
	} bad[] = {
		{ "node=", "random, mac or up to 12 hexadecimal digits" },
		{ "node=0x12", "random, mac or up to 12 hexadecimal digits" },
		{ "node=-1", "random, mac or up to 12 hexadecimal digits" },
		{ "node=+1", "random, mac or up to 12 hexadecimal digits" },
		{ "node=0123456789abc", "random, mac or up to 12 hexadecimal" },
		{ "node=Random", "random, mac or up to 12 hexadecimal digits" },
		{ "worker=", "host, random or up to 16 hexadecimal digits" },
		{ "worker=me", "host, random or up to 16 hexadecimal digits" },
		{ "worker=00123456789abcdef", "host, random or up to 16" },
		{ "interval=4", "must be 5 to 10" },
		{ "interval=11", "must be 5 to 10" },
		{ "interval=", "must be 5 to 10" },
		{ "interval=8x", "must be 5 to 10" },
		{ "interval=-8", "must be 5 to 10" },
		{ "interval=4294967304", "must be 5 to 10" },
		{ "max_ahead_ms=0", "must be 1 to 1000" },
		{ "max_ahead_ms=1001", "must be 1 to 1000" },
		{ "max_ahead_ms=-1", "must be 1 to 1000" },
		{ "max_ahead_ms=abc", "must be 1 to 1000" },
		{ "max_ahead_ms=", "must be 1 to 1000" },
		{ "max_ahead_ms=100x", "must be 1 to 1000" },
		{ "max_ahead_ms=0x64", "must be 1 to 1000" },
		{ "max_ahead_ms=4294967396", "must be 1 to 1000" },
		{ "step_limit_ms=3600001", "must be 0 to 3600000" },
		{ "step_limit_ms=-1", "must be 0 to 3600000" },
		{ "step_limit_ms=abc", "must be 0 to 3600000" },
		{ "step_limit_ms=", "must be 0 to 3600000" },
		{ "step_limit_ms=1s", "must be 0 to 3600000" },
		{ "step_limit_ms=4294967296", "must be 0 to 3600000" },
		{ "snowflake_epoch_ms=8277292036001", "0 to 8277292036000" },
		{ "snowflake_epoch_ms=-1", "must be 0 to 8277292036000" },
		{ "snowflake_epoch_ms=", "must be 0 to 8277292036000" },
		{ "snowflake_epoch_ms=18446744073709551616", "must be 0 to" },
		{ "mode=", "must be 0444 or part of it" },
		{ "mode=0", "must be 0444 or part of it" },
		{ "mode=0666", "must be 0444 or part of it" },
		{ "mode=04444", "must be 0444 or part of it" },
		{ "mode=-0444", "must be 0444 or part of it" },
		{ "mode=+0444", "must be 0444 or part of it" },
		{ "mode=0448", "must be 0444 or part of it" },
		{ "mode=0x124", "must be 0444 or part of it" },
		{ "gid=", "must be 0 to 4294967294" },
		{ "gid=-1", "must be 0 to 4294967294" },
		{ "gid=4294967295", "must be 0 to 4294967294" },
		{ "gid=4294967296", "must be 0 to 4294967294" },
		{ "gid=users", "must be 0 to 4294967294" },
		{ "snowflake_worker=1024", "must be worker or 0 to 1023" },
		{ "snowflake_worker=-1", "must be worker or 0 to 1023" },
		{ "snowflake_worker=", "must be worker or 0 to 1023" },
		{ "snowflake_worker=host", "must be worker or 0 to 1023" },
		{ "snowflake_worker=0x11", "must be worker or 0 to 1023" },
		{ "state=", "must be off or required" },
		{ "state=on", "must be off or required" },
		{ "state=Required", "must be off or required" },
		{ "state=requiredx", "must be off or required" },
		{ "state=1", "must be off or required" },
		{ "state=of", "must be off or required" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		int log = open_log();

		ASSERT_LE(0, log);
		EXPECT_EQ(-EINVAL, load(bad[i].params))
			TH_LOG("%s", bad[i].params);
		EXPECT_TRUE(log_has(log, bad[i].params, bad[i].choices))
			TH_LOG("%s: no line with \"%s\"", bad[i].params,
			       bad[i].choices);
		ASSERT_FALSE(is_loaded());
	}
}

/* Query and sysfs report the limits that were set, for each format. */
TEST_F(params, limits)
{
	static const struct {
		const char *params;
		__u64 max_ahead_ms, step_limit_ms;
	} good[] = {
		{ "", 100, 10000 },
		{ "max_ahead_ms=1", 1, 10000 },
		{ "max_ahead_ms=3", 3, 10000 },
		{ "max_ahead_ms=1000", 1000, 10000 },
		{ "step_limit_ms=0", 100, 0 },
		{ "step_limit_ms=1", 100, 1 },
		{ "step_limit_ms=3600000", 100, 3600000 },
		{ "max_ahead_ms=250 step_limit_ms=20000", 250, 20000 },
	};
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		__u64 ahead = good[i].max_ahead_ms * NSEC_PER_MSEC;
		__u64 limit = good[i].step_limit_ms * NSEC_PER_MSEC;
		struct kuid_query q = { 0 };

		ASSERT_EQ(0, load(good[i].params))
			TH_LOG("%s", good[i].params);
		fd = open(DEV_KUID, O_RDONLY);
		ASSERT_LE(0, fd);
		for (q.format = 1; q.format <= NR_FORMATS; q.format++) {
			ASSERT_EQ(0, ioctl(fd, KUID_IOC_QUERY, &q));
			EXPECT_EQ(ahead, q.max_ahead_ns);
			EXPECT_EQ(ahead / 2, q.batch_ahead_ns);
			EXPECT_EQ(q.format < KUID_FORMAT_LEX ? limit :
							       UINT64_MAX,
				  q.step_limit_ns);
		}
		EXPECT_EQ(ahead, read_number("limits/max_ahead_ns", 10));
		EXPECT_EQ(ahead / 2, read_number("limits/batch_ahead_ns", 10));
		EXPECT_EQ(limit, read_number("limits/step_limit_ns", 10));
		close(fd);
		ASSERT_EQ(0, unload());
	}
}

/* The limit holds: no ID of a batch is further ahead. */
TEST_F(params, ahead_of_the_clock)
{
	static const __u64 ahead_ms[] = { 1, 10, 400 };
	enum { BATCH = 4096, CALLS = 200 };
	const struct format *f = format_of(KUID_FORMAT_LEX);
	__u8 *ids = malloc(BATCH * f->id_size);
	bool slow = false;
	char params[64];
	size_t i;

	ASSERT_NE(NULL, ids);
	memset(ids, POISON, BATCH * f->id_size);
	for (i = 0; i < ARRAY_SIZE(ahead_ms); i++) {
		__u64 limit = ahead_ms[i] * NSEC_PER_MSEC / 2;
		unsigned int again = 0;
		__u64 most = 0;
		int call, fd;

		snprintf(params, sizeof(params), "max_ahead_ms=%llu",
			 (unsigned long long)ahead_ms[i]);
		ASSERT_EQ(0, load(params));
		fd = open_device_file(f, "", O_NONBLOCK);
		ASSERT_LE(0, fd);
		for (call = 0; call < CALLS && !again; call++) {
			long got = read_ids(f, fd, ids, BATCH);
			struct fields fields;
			__u64 now = clock_ns();

			if (got == -EAGAIN) {
				again++;
				break;
			}
			ASSERT_LT(0, got);
			again += got < BATCH;
			ASSERT_TRUE(decode(f, id_at(f, ids, got - 1), &fields));
			if (fields.ns > now && fields.ns - now > most)
				most = fields.ns - now;
		}
		TH_LOG("%s: at most %llu ns ahead", params,
		       (unsigned long long)most);
		slow |= !again;
		EXPECT_GE(limit, most);
		/* The next smaller limit would not allow as much. */
		if (i && again)
			EXPECT_LT(ahead_ms[i - 1] * NSEC_PER_MSEC / 2, most);
		close(fd);
		ASSERT_EQ(0, unload());
	}
	free(ids);
	if (slow && PASSED_SO_FAR)
		SKIP(return, TOO_SLOW);
}

/* A batch larger than the window is given in pieces, as the clock advances. */
TEST_F(params, batches_beyond_the_limit)
{
	enum { BATCH = 4096 };
	__u8 *ids = malloc(BATCH * ID_SIZE_MAX);
	unsigned int i, ms;
	char params[64];
	int fd;

	ASSERT_NE(NULL, ids);
	for (ms = 1; ms <= 3; ms++) {
		snprintf(params, sizeof(params), "max_ahead_ms=%u", ms);
		ASSERT_EQ(0, load(params));
		for (i = 0; i < NR_FORMATS; i++) {
			fd = open_device_file(&formats[i], "", 0);
			ASSERT_LE(0, fd);
			EXPECT_EQ(BATCH, read_ids(&formats[i], fd, ids, BATCH));
			close(fd);
		}
		ASSERT_EQ(0, unload());
	}
	free(ids);
}

TEST_HARNESS_MAIN
