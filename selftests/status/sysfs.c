// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device's sysfs files: each of them exists, can be read by all users and
 * written by none, and contains one value that agrees with the ioctls.
 */
#include "../lib/harness.h"

#include <dirent.h>
#include <sys/stat.h>

#include "../lib/children.h"
#include "../lib/own_module.h"

/* Kinds of content of a file's single line. */
enum kind {
	DECIMAL,
	HEX,		/* empty while there is no epoch */
	LOAD_ID,	/* 16 digits; all 0 while there is no epoch */
	SETTING,	/* decimal; empty while there is no epoch */
	BIT,
	WORDS,		/* zero or more words */
	NAMES,		/* zero or more names of formats */
};

static const struct attribute {
	const char *name;
	enum kind kind;
} attributes[] = {
	{ "epoch", DECIMAL },
	{ "load_id", LOAD_ID },
	{ "identity/node", HEX },
	{ "identity/worker", HEX },
	{ "identity/interval", SETTING },
	{ "identity/snowflake_worker", SETTING },
	{ "clock/stamp_lag_ns", DECIMAL },
	{ "clock/slot_lag_ns", DECIMAL },
	{ "clock/resolution_ns", DECIMAL },
	{ "ahead/stamps_ns", DECIMAL },
	{ "ahead/lex_ns", DECIMAL },
	{ "ahead/grid_ns", DECIMAL },
	{ "ahead/snowflake_ns", DECIMAL },
	{ "limits/max_ahead_ns", DECIMAL },
	{ "limits/batch_ahead_ns", DECIMAL },
	{ "limits/step_limit_ns", DECIMAL },
#define COUNTER(name, ...) { "counters/" #name, DECIMAL },
	FORMATS(COUNTER)
#undef COUNTER
	{ "counters/waits", DECIMAL },
	{ "counters/would_blocks", DECIMAL },
	{ "counters/steps_back", DECIMAL },
	{ "counters/steps_forward", DECIMAL },
	{ "counters/vm_forks", DECIMAL },
	{ "state/required", BIT },
	{ "state/floor_ns", DECIMAL },
	{ "state/ceiling_ns", DECIMAL },
	{ "state/claim_ceiling_ns", DECIMAL },
	{ "status/unique", NAMES },
	{ "status/ordered", NAMES },
	{ "status/reboot_safe", NAMES },
	{ "status/clones_seen", BIT },
	{ "status/clones_told", BIT },
	{ "status/reasons", WORDS },
};

#define TEXT_MAX	256

static const char *const reasons[] = {
	"stamps_half_speed", "slots_half_speed", "coarse_clock", "no_state",
	"fixed_node", "no_vm_fork", "random_not_ready", "may_repeat",
};

/*
 * A bit for each word in a file, by its place in @words; UINT64_MAX on any error.
 */
static __u64 read_words(const char *name, const char *const *words, size_t nr)
{
	char text[TEXT_MAX];
	__u64 bits = 0;
	char *word;
	size_t i;

	if (read_attribute(name, text, sizeof(text)) <= 0)
		return UINT64_MAX;
	for (word = strtok(text, "\n "); word; word = strtok(NULL, "\n ")) {
		for (i = 0; i < nr; i++) {
			if (!strcmp(word, words[i]))
				break;
		}
		/* An unknown word, or a word that appears twice. */
		if (i == nr || bits >> i & 1)
			return UINT64_MAX;
		bits |= 1ULL << i;
	}
	return bits;
}

/* The bits of the formats that a file names, by their numbers. */
static __u64 read_formats(const char *name)
{
	const char *names[NR_FORMATS];
	size_t i;

	for (i = 0; i < NR_FORMATS; i++)
		names[i] = formats[i].name;
	return read_words(name, names, NR_FORMATS) << 1;
}

static bool is_of_kind(enum kind kind, const char *text, bool has_epoch)
{
	static const char *const letters[] = {
		[DECIMAL] = "0123456789",
		[HEX] = "0123456789abcdef",
		[LOAD_ID] = "0123456789abcdef",
		[SETTING] = "0123456789",
		[BIT] = "01",
		[WORDS] = "abcdefghijklmnopqrstuvwxyz_ ",
		[NAMES] = "abcdefghijklmnopqrstuvwxyz0123456789 ",
	};
	size_t size = strspn(text, letters[kind]);

	if (strcmp(text + size, "\n"))
		return false;
	switch (kind) {
	case HEX:
	case SETTING:
		return has_epoch == !!size;
	case LOAD_ID:
		return size == 16 && has_epoch == (strspn(text, "0") != 16);
	case BIT:
		return size == 1;
	case WORDS:
	case NAMES:
		/*
		 * Words are separated by one space, and no other space is
		 * allowed.
		 */
		return !size || (text[0] != ' ' && text[size - 1] != ' ' &&
				 !strstr(text, "  "));
	default:
		/* No leading zeros. */
		return size && (size == 1 || text[0] != '0');
	}
}

/* An error that the current user finds in the files, or NULL. */
static const char *check_all_files(bool has_epoch, const char **name)
{
	char text[TEXT_MAX], path[128];
	struct stat st;
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(attributes); i++) {
		*name = attributes[i].name;
		snprintf(path, sizeof(path), ATTRIBUTES "/%s", *name);
		if (stat(path, &st) || !S_ISREG(st.st_mode))
			return "is not there";
		if ((st.st_mode & 07777) != 0444 || st.st_uid || st.st_gid)
			return "is not root's, or not of mode 0444";
		if (read_attribute(*name, text, sizeof(text)) <= 0)
			return "can't be read";
		if (!is_of_kind(attributes[i].kind, text, has_epoch))
			return "has something else in it";
		fd = open(path, O_WRONLY);
		if (fd >= 0 && write(fd, "1\n", 2) >= 0)
			return "can be written";
		close(fd);
	}
	return NULL;
}

static bool is_attribute(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(attributes); i++) {
		if (!strcmp(attributes[i].name, name))
			return true;
	}
	return false;
}

/* Files that every device has. */
static bool is_of_any_device(const char *name)
{
	return !strcmp(name, "dev") || !strcmp(name, "uevent") ||
	       !strcmp(name, "power") || !strcmp(name, "subsystem") ||
	       !strcmp(name, "waiting_for_supplier") || *name == '.';
}

/* Count a directory's files. @unknown gets the name of an unexpected one. */
static int count_files(const char *dir, char *unknown, size_t size)
{
	char path[320], name[300];
	struct dirent *entry;
	int nr = 0;
	DIR *files;

	snprintf(path, sizeof(path), ATTRIBUTES "/%s", dir);
	files = opendir(path);
	while (files && (entry = readdir(files))) {
		if (is_of_any_device(entry->d_name))
			continue;
		snprintf(name, sizeof(name), "%s%s%s", dir, *dir ? "/" : "",
			 entry->d_name);
		if (entry->d_type == DT_DIR && !*dir)
			nr += count_files(name, unknown, size);
		else if (is_attribute(name))
			nr++;
		else
			snprintf(unknown, size, "%s", name);
	}
	if (files)
		closedir(files);
	return nr;
}

FIXTURE(sysfs) {
	int fd;
};

FIXTURE_SETUP(sysfs)
{
	self->fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(sysfs)
{
	close(self->fd);
}

TEST_F(sysfs, files)
{
	const char *name = "";
	const char *wrong = check_all_files(true, &name);

	ASSERT_EQ(NULL, wrong) {
		TH_LOG("%s %s", name, wrong);
	}
}

/* There are no other files. */
TEST_F(sysfs, no_other_files)
{
	char unknown[300] = "";

	EXPECT_EQ(ARRAY_SIZE(attributes),
		  count_files("", unknown, sizeof(unknown)));
	EXPECT_STREQ("", unknown);
}

TEST_F(sysfs, unprivileged)
{
	pid_t child = fork_child();
	const char *name = "";

	ASSERT_LE(0, child);
	if (!child)
		_exit(setgid(65534) || setuid(65534) ||
		      check_all_files(true, &name));
	ASSERT_TRUE(ended_well(child));
}

/* The files show the node, worker and interval of the IDs. */
TEST_F(sysfs, identity)
{
	static const char *const names[] = {
		[KUID_FORMAT_V1] = "identity/node",
		[KUID_FORMAT_V6] = "identity/node",
		[KUID_FORMAT_LEX] = "identity/worker",
		[KUID_FORMAT_K96] = "identity/worker",
		[KUID_FORMAT_K128] = "identity/worker",
	};
	struct kuid_generate g = { .count = 1 };
	struct fields fields;
	__u8 id[ID_SIZE_MAX];

	g.buffer = (uintptr_t)id;
	for (g.format = 1; g.format < ARRAY_SIZE(names); g.format++) {
		__u64 shown;

		if (!names[g.format])
			continue;
		ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_GENERATE, &g));
		ASSERT_TRUE(decode(format_of(g.format), id, &fields));
		shown = read_number(names[g.format], 16);
		if (g.format == KUID_FORMAT_K96)
			shown = (__u32)(shown >> 32 ^ shown);
		EXPECT_EQ(fields.node, shown) {
			TH_LOG("%s", names[g.format]);
		}
	}
	EXPECT_EQ(g.epoch, read_number("epoch", 10));
	EXPECT_EQ(g.load_id, read_number("load_id", 16));
	EXPECT_EQ(GRID_INTERVAL, read_number("identity/interval", 10));
}

TEST_F(sysfs, limits)
{
	struct kuid_query q = { .format = KUID_FORMAT_V1 };

	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_QUERY, &q));
	EXPECT_EQ(q.clock_resolution_ns,
		  read_number("clock/resolution_ns", 10));
	EXPECT_EQ(q.max_ahead_ns, read_number("limits/max_ahead_ns", 10));
	EXPECT_EQ(q.batch_ahead_ns, read_number("limits/batch_ahead_ns", 10));
	EXPECT_EQ(q.step_limit_ns, read_number("limits/step_limit_ns", 10));
}

static void check_status(struct __test_metadata *_metadata, int fd)
{
#define COUNTER(name, NAME, ...) \
	[KUID_FORMAT_##NAME] = "counters/" #name,
	static const char *const counters[] = { FORMATS(COUNTER) };
#undef COUNTER
	struct kuid_status s = { 0 };
	size_t i;

	ASSERT_EQ(0, ioctl(fd, KUID_IOC_STATUS, &s));
	for (i = 1; i < ARRAY_SIZE(counters); i++) {
		EXPECT_EQ(s.ids[i], read_number(counters[i], 10)) {
			TH_LOG("%s", counters[i]);
		}
	}
	EXPECT_EQ(s.epoch, read_number("epoch", 10));
	EXPECT_EQ(s.load_id, read_number("load_id", 16));
	EXPECT_EQ(s.vm_forks, read_number("counters/vm_forks", 10));
	EXPECT_EQ(s.floor_ns, read_number("state/floor_ns", 10));
	EXPECT_EQ(s.ceiling_ns, read_number("state/ceiling_ns", 10));
	EXPECT_EQ(s.waits, read_number("counters/waits", 10));
	EXPECT_EQ(s.would_blocks, read_number("counters/would_blocks", 10));
	EXPECT_EQ(s.steps_back, read_number("counters/steps_back", 10));
	EXPECT_EQ(s.steps_forward, read_number("counters/steps_forward", 10));
	EXPECT_EQ(s.unique, read_formats("status/unique"));
	EXPECT_EQ(s.ordered, read_formats("status/ordered"));
	EXPECT_EQ(s.reboot_safe, read_formats("status/reboot_safe"));
	EXPECT_EQ(!!(s.clones & KUID_CLONES_SEEN),
		  read_number("status/clones_seen", 10));
	EXPECT_EQ(!!(s.clones & KUID_CLONES_TOLD),
		  read_number("status/clones_told", 10));
	EXPECT_EQ(s.reasons,
		  read_words("status/reasons", reasons, ARRAY_SIZE(reasons)));
}

TEST_F(sysfs, status)
{
	enum { COUNT = 200000 };
	const struct format *lex = format_of(KUID_FORMAT_LEX);
	__u8 *ids = malloc(COUNT * ID_SIZE_MAX);
	bool slow;
	size_t i;
	int fd;

	ASSERT_NE(NULL, ids);
	/* Populate the pages now: faults would cost time in the test. */
	memset(ids, POISON, COUNT * ID_SIZE_MAX);
	check_status(_metadata, self->fd);
	for (i = 0; i < NR_FORMATS; i++)
		ASSERT_EQ(i + 1, generate_ids(&formats[i], self->fd, ids,
					      i + 1));
	check_status(_metadata, self->fd);
	/* Cause a wait and an EAGAIN. */
	ASSERT_EQ(COUNT, generate_ids(lex, self->fd, ids, COUNT));
	fd = open_device_file(lex, "", O_NONBLOCK);
	ASSERT_LE(0, fd);
	ASSERT_LT(0, read_ids(lex, fd, ids, COUNT));
	check_status(_metadata, self->fd);
	slow = !read_number("counters/waits", 10) ||
	       !read_number("counters/would_blocks", 10);

	let_clock_catch_up();
	EXPECT_EQ(0, read_number("ahead/stamps_ns", 10));
	EXPECT_EQ(0, read_number("ahead/lex_ns", 10));
	EXPECT_EQ(0, read_number("ahead/grid_ns", 10));
	EXPECT_EQ(0, read_number("clock/stamp_lag_ns", 10));
	EXPECT_EQ(0, read_number("clock/slot_lag_ns", 10));
	close(fd);
	free(ids);
	if (slow && PASSED_SO_FAR)
		SKIP(return, TOO_SLOW);
}

/* Before the device is opened first there is no epoch and no identity. */
TEST(before_the_first_open)
{
	const char *name = "";
	const char *wrong;
	size_t i;
	int fd;

	take_module(_metadata);
	ASSERT_EQ(0, load("max_ahead_ms=40 step_limit_ms=2000"));
	wrong = check_all_files(false, &name);
	EXPECT_EQ(NULL, wrong) {
		TH_LOG("%s %s", name, wrong);
	}
	EXPECT_EQ(0, read_number("epoch", 10));
	for (i = 0; i < ARRAY_SIZE(attributes); i++) {
		if (strncmp(attributes[i].name, "counters/", 9) &&
		    strncmp(attributes[i].name, "ahead/", 6) &&
		    strncmp(attributes[i].name, "clock/s", 7))
			continue;
		EXPECT_EQ(0, read_number(attributes[i].name, 10)) {
			TH_LOG("%s", attributes[i].name);
		}
	}
	EXPECT_EQ(40 * NSEC_PER_MSEC, read_number("limits/max_ahead_ns", 10));
	EXPECT_EQ(20 * NSEC_PER_MSEC,
		  read_number("limits/batch_ahead_ns", 10));
	EXPECT_EQ(2000 * NSEC_PER_MSEC,
		  read_number("limits/step_limit_ns", 10));

	fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, fd);
	wrong = check_all_files(true, &name);
	EXPECT_EQ(NULL, wrong) {
		TH_LOG("%s %s", name, wrong);
	}
	EXPECT_EQ(1, read_number("epoch", 10));
	check_status(_metadata, fd);
	close(fd);
	give_back_module(_metadata);
}

/* A reader gets a whole value or an error while the module is unloaded. */
TEST(while_it_is_unloaded)
{
	enum { ROUNDS = 5 };
	bool *stop = share_memory(sizeof(*stop));
	const char *name;
	int status, i;
	pid_t child;

	ASSERT_NE(NULL, stop);
	take_module(_metadata);
	child = fork_child();
	ASSERT_LE(0, child);
	if (!child) {
		while (!__atomic_load_n(stop, __ATOMIC_RELAXED))
			check_all_files(false, &name);
		_exit(0);
	}
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, load(""));
		usleep(10000);
		ASSERT_EQ(0, unload());
	}
	__atomic_store_n(stop, true, __ATOMIC_RELAXED);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_EQ(0, status);
	give_back_module(_metadata);
}

TEST_HARNESS_MAIN
