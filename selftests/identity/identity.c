// SPDX-License-Identifier: GPL-2.0-only
/*
 * SET_IDENTITY: the identity it sets is what the next IDs show, and no ID is
 * given twice however often the identity changes. The module is left loaded or
 * not, as it was found.
 */
#include "../lib/harness.h"

#include <dirent.h>
#include <signal.h>

#include "../lib/children.h"
#include "../lib/own_module.h"
#include "../lib/takers.h"

FIXTURE(identity) {
	char host[65];
	int fd;			/* /dev/kuid, O_NONBLOCK */
};

FIXTURE_SETUP(identity)
{
	self->fd = -1;
	ASSERT_EQ(0, gethostname(self->host, sizeof(self->host)));
	take_module(_metadata);
}

FIXTURE_TEARDOWN(identity)
{
	sethostname(self->host, strlen(self->host));
	close(self->fd);
	give_back_module(_metadata);
}

/* The identity that IDs show. */
struct shown {
	__u64 node;		/* of v1 and v6 */
	__u64 worker;		/* of lex, k96 and k128 */
	__u32 interval;
};

static __u64 fold(__u64 worker)
{
	return (worker >> 32 ^ worker) & 0xffffffff;
}

/* The position of the node in k96 and k128 depends on the interval. */
static int look(int fd, __u32 interval, struct shown *to)
{
	size_t i;

	to->interval = interval;
	for (i = 0; i < NR_FORMATS; i++) {
		const struct format *f = &formats[i];
		__u8 id[ID_SIZE_MAX];
		struct words w;

		if (take(fd, f, KUID_ORDER_DEFAULT, id, 1, NULL) != 1)
			return -errno;
		w = id_words(f, id);
		switch (f->number) {
		case KUID_FORMAT_V1:
			to->node = bits(w, 80, 48);
			break;
		case KUID_FORMAT_V6:
			if (bits(w, 80, 48) != to->node)
				return -EBADMSG;
			break;
		case KUID_FORMAT_LEX:
			to->worker = w.low;
			break;
		case KUID_FORMAT_K96:
			if (bits(w, 40 - interval, 32) != fold(to->worker))
				return -EBADMSG;
			break;
		case KUID_FORMAT_K128:
			if (bits(w, 40 - interval, 64) != to->worker)
				return -EBADMSG;
			break;
		case KUID_FORMAT_SNOWFLAKE:
			if (bits(w, 42, 10) != SNOWFLAKE_WORKER)
				return -EBADMSG;
			break;
		}
	}
	return 0;
}

/* GET_STATE and the next IDs show the same identity. */
static void expect_shown(struct __test_metadata *_metadata, int fd,
			 const struct shown *expected)
{
	struct kuid_state state;
	struct shown shown;

	ASSERT_EQ(0, look(fd, expected->interval, &shown));
	EXPECT_EQ(expected->node, shown.node);
	EXPECT_EQ(expected->worker, shown.worker);
	ASSERT_EQ(0, get_state(fd, &state));
	EXPECT_EQ(expected->node, state.node);
	EXPECT_EQ(expected->worker, state.worker);
	EXPECT_EQ(expected->interval, state.interval);
}

/* FNV-1a on sign-extended bytes, as Cassie computes it. */
static __u64 worker_of(const char *name)
{
	__u64 hash = 0xcbf29ce484222325ULL;

	for (; *name; name++)
		hash = (hash ^ (__u64)(__s64)(signed char)*name) *
		       0x100000001b3ULL;
	return hash;
}

TEST_F(identity, refuses)
{
	const struct kuid_set_identity bad[] = {
		{ .node = 1 },
		{ .node = 1, .node_from = KUID_FROM_RANDOM },
		{ .node = 1, .node_from = KUID_FROM_MAC },
		{ .node = 1ULL << 48, .node_from = KUID_FROM_GIVEN },
		{ .node = ~0ULL, .node_from = KUID_FROM_GIVEN },
		{ .worker_from = KUID_FROM_MAC },
		{ .worker = 1 },
		{ .worker = 1, .worker_from = KUID_FROM_RANDOM },
		{ .worker = 1, .worker_from = KUID_FROM_HOST },
		/* One invalid part among valid ones. */
		{ .node_from = KUID_FROM_GIVEN, .node = 1,
		  .worker_from = KUID_FROM_MAC },
	};
	struct kuid_status before, after;
	struct shown was;
	size_t i;

	start(_metadata, &self->fd, "");
	ASSERT_EQ(0, look(self->fd, 8, &was));
	ASSERT_EQ(0, get_status(self->fd, &before));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct kuid_set_identity set = bad[i];
		struct kuid_set_identity copy;

		set.epoch = 7;
		copy = set;
		EXPECT_EQ(-EINVAL, set_identity(self->fd, &set))
			TH_LOG("row %zu", i);
		EXPECT_EQ(0, memcmp(&set, &copy, sizeof(set)));
	}
	ASSERT_EQ(0, get_status(self->fd, &after));
	EXPECT_EQ(before.epoch, after.epoch);
	EXPECT_EQ(before.reasons, after.reasons);
	expect_shown(_metadata, self->fd, &was);
}

/* A request leaves the parts that it doesn't name as they were. */
TEST_F(identity, is_shown)
{
	const __u64 host = worker_of("db1.example.com");
	const struct {
		const char *what;
		struct kuid_set_identity set;
		struct shown shown;
	} steps[] = {
		{ "a node", { .node_from = KUID_FROM_GIVEN, .node = GIVEN_NODE },
		  { GIVEN_NODE, host, 7 } },
		{ "nothing", { .flags = 0 }, { GIVEN_NODE, host, 7 } },
		{ "a worker",
		  { .worker_from = KUID_FROM_GIVEN,
		    .worker = 0xfedcba9876543210ULL },
		  { GIVEN_NODE, 0xfedcba9876543210ULL, 7 } },
		{ "all at once",
		  { .node_from = KUID_FROM_GIVEN,
		    .node = 0xffffffffffffULL, .worker_from = KUID_FROM_GIVEN,
		    .worker = ~0ULL },
		  { 0xffffffffffffULL, ~0ULL, 7 } },
		{ "worker 0", { .worker_from = KUID_FROM_GIVEN },
		  { 0xffffffffffffULL, 0, 7 } },
		{ "worker of the host", { .worker_from = KUID_FROM_HOST },
		  { 0xffffffffffffULL, host, 7 } },
		{ "a confirmation", { .flags = KUID_IDENTITY_CONFIRM },
		  { 0xffffffffffffULL, host, 7 } },
		{ "the lowest", { .node_from = KUID_FROM_GIVEN },
		  { 0, host, 7 } },
	};
	size_t i;

	ASSERT_EQ(0, sethostname("db1.example.com", 15));
	start(_metadata, &self->fd, "interval=7");
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct kuid_set_identity set = steps[i].set;
		const struct format *v1 = format_of(KUID_FORMAT_V1);
		struct kuid_status before, after;
		__u8 id[ID_SIZE_MAX];
		__u64 epoch = 0;

		ASSERT_EQ(0, get_status(self->fd, &before));
		set.epoch = ~0ULL;
		ASSERT_EQ(0, set_identity(self->fd, &set))
			TH_LOG("%s", steps[i].what);
		ASSERT_EQ(0, get_status(self->fd, &after));
		EXPECT_EQ(set.epoch, after.epoch);
		/*
		 * If there was no epoch, the request makes the first one before
		 * its own.
		 */
		EXPECT_EQ((before.epoch ?: 1) + 1, after.epoch)
			TH_LOG("%s", steps[i].what);
		ASSERT_EQ(1, take(self->fd, v1, KUID_ORDER_DEFAULT, id, 1,
				  &epoch));
		EXPECT_EQ(set.epoch, epoch);
		expect_shown(_metadata, self->fd, &steps[i].shown);
		EXPECT_EQ(!!(steps[i].shown.node), !!bits(id_words(v1, id), 80,
							  48));
	}
}

/*
 * A random worker is drawn again only on request, a random node for each epoch.
 */
TEST_F(identity, is_drawn)
{
	struct kuid_set_identity node = { .node_from = KUID_FROM_RANDOM };
	struct kuid_set_identity worker = { .worker_from = KUID_FROM_RANDOM };
	struct kuid_set_identity nothing = { .flags = 0 };
	struct shown was, now;
	int round;

	start(_metadata, &self->fd, ALL_PARAMS);
	ASSERT_EQ(0, look(self->fd, 8, &was));
	EXPECT_EQ(GIVEN_NODE, was.node);
	for (round = 0; round < 10; round++) {
		ASSERT_EQ(0, set_identity(self->fd, &node));
		ASSERT_EQ(0, look(self->fd, 8, &now));
		EXPECT_TRUE(node_is_random(now.node));
		EXPECT_NE(was.node, now.node);
		EXPECT_EQ(was.worker, now.worker);
		was = now;

		ASSERT_EQ(0, set_identity(self->fd, &worker));
		ASSERT_EQ(0, look(self->fd, 8, &now));
		EXPECT_NE(was.worker, now.worker);
		EXPECT_NE(was.node, now.node);
		was = now;

		ASSERT_EQ(0, set_identity(self->fd, &nothing));
		ASSERT_EQ(0, look(self->fd, 8, &now));
		EXPECT_EQ(was.worker, now.worker);
		EXPECT_NE(was.node, now.node);
		was = now;
	}
}

TEST_F(identity, worker_of_the_host)
{
	char longest[65];
	const struct {
		const char *name;
		bool common;
	} names[] = {
		{ "\xe4\xb8\xbb\xe6\x9c\xba", false },
		{ "", true },
		{ "localhost", true },
		{ "localhost.localdomain", true },
		{ "(none)", true },
		{ longest, false },
		{ "localhost.", false },
		{ "localhost.localdomai", false },
		{ "db1.example.com", false },
	};
	struct kuid_set_identity set = { .worker_from = KUID_FROM_HOST };
	struct kuid_set_identity nothing = { .flags = 0 };
	struct shown was, now;
	size_t i;

	memset(longest, 'h', 63);
	longest[63] = (char)0xff;
	longest[64] = '\0';
	start(_metadata, &self->fd, "worker=1");
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const char *name = names[i].name;
		int log = open_log();

		ASSERT_LE(0, log);
		ASSERT_EQ(0, sethostname(name, strlen(name)));
		/*
		 * The host name is read by the request, not when an epoch
		 * begins.
		 */
		ASSERT_EQ(0, look(self->fd, 8, &was));
		ASSERT_EQ(0, set_identity(self->fd, &nothing));
		ASSERT_EQ(0, look(self->fd, 8, &now));
		EXPECT_EQ(was.worker, now.worker);

		ASSERT_EQ(0, set_identity(self->fd, &set));
		ASSERT_EQ(0, look(self->fd, 8, &now));
		EXPECT_NE(was.worker, now.worker);
		EXPECT_EQ(names[i].common, worker_of(name) != now.worker)
			TH_LOG("\"%s\"", name);
		EXPECT_EQ(names[i].common,
			  log_has(log, "kuid", "makes no worker"))
			TH_LOG("\"%s\"", name);
	}
	/* A known value, not computed by worker_of(). */
	EXPECT_EQ(0x3d6a136326453505ULL, now.worker);
	/* The host name of another UTS namespace doesn't count. */
	ASSERT_EQ(0, unshare(CLONE_NEWUTS));
	ASSERT_EQ(0, sethostname("elsewhere", 9));
	ASSERT_EQ(0, set_identity(self->fd, &set));
	ASSERT_EQ(0, look(self->fd, 8, &now));
	EXPECT_EQ(0x3d6a136326453505ULL, now.worker);
}

static long number_in(const char *dir, const char *name)
{
	char path[320];
	long number = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/net/%s/%s", dir, name);
	file = fopen(path, "r");
	if (file && fscanf(file, "%ld", &number) != 1)
		number = -1;
	if (file)
		fclose(file);
	return number;
}

/* The permanent MAC address of an Ethernet interface. */
static bool host_mac(__u64 *mac)
{
	DIR *dir = opendir("/sys/class/net");
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		unsigned int b[6];
		char path[320];
		FILE *file;

		if (number_in(entry->d_name, "type") != 1 ||
		    number_in(entry->d_name, "addr_assign_type") != 0)
			continue;
		snprintf(path, sizeof(path), "/sys/class/net/%s/address",
			 entry->d_name);
		file = fopen(path, "r");
		found = file && fscanf(file, "%x:%x:%x:%x:%x:%x", &b[0], &b[1],
				       &b[2], &b[3], &b[4], &b[5]) == 6;
		if (file)
			fclose(file);
		if (found)
			*mac = (__u64)b[0] << 40 | (__u64)b[1] << 32 |
			       (__u64)b[2] << 24 | b[3] << 16 | b[4] << 8 |
			       b[5];
	}
	if (dir)
		closedir(dir);
	return found;
}

/*
 * First without a network interface, then with one if KUID_NIC names a driver.
 */
TEST_F(identity, mac)
{
	struct kuid_set_identity set = { .node_from = KUID_FROM_MAC };
	struct kuid_set_identity random = { .node_from = KUID_FROM_RANDOM };
	const char *driver = getenv("KUID_NIC");
	struct kuid_status before, after;
	struct kuid_state state;
	struct shown was;
	__u64 mac;
	int fd;

	if (!host_mac(&mac)) {
		int log = open_log();

		ASSERT_LE(0, log);
		EXPECT_EQ(-ENODEV, load("node=mac"));
		EXPECT_TRUE(log_has(log, "kuid: node=mac",
				    "no network interface"));
		ASSERT_FALSE(is_loaded());

		start(_metadata, &self->fd, "");
		ASSERT_EQ(0, look(self->fd, 8, &was));
		ASSERT_EQ(0, get_status(self->fd, &before));
		EXPECT_EQ(-ENODEV, set_identity(self->fd, &set));
		/* A request that fails changes no other part either. */
		set.worker_from = KUID_FROM_GIVEN;
		set.worker = 5;
		EXPECT_EQ(-ENODEV, set_identity(self->fd, &set));
		set.worker_from = 0;
		set.worker = 0;
		ASSERT_EQ(0, get_status(self->fd, &after));
		EXPECT_EQ(before.epoch, after.epoch);
		expect_shown(_metadata, self->fd, &was);
		stop(_metadata, &self->fd);

		if (!driver && PASSED_SO_FAR)
			SKIP(return, "KUID_NIC doesn't name a driver");
		ASSERT_NE(NULL, driver);
		fd = open(driver, O_RDONLY | O_CLOEXEC);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, syscall(SYS_finit_module, fd, "", 0));
		close(fd);
		ASSERT_TRUE(host_mac(&mac));
	}

	start(_metadata, &self->fd, "node=mac");
	ASSERT_EQ(0, look(self->fd, 8, &was));
	EXPECT_EQ(mac, was.node);
	ASSERT_EQ(0, get_state(self->fd, &state));
	EXPECT_EQ(KUID_FROM_MAC, state.node_from);
	EXPECT_EQ(mac, state.node);
	/* A MAC address counts as a given node: the clock can't go back. */
	ASSERT_EQ(0, get_status(self->fd, &after));
	EXPECT_NE(0, after.reasons & KUID_REASON_FIXED_NODE);
	EXPECT_LT(0, state.stamp_ns);

	ASSERT_EQ(0, set_identity(self->fd, &random));
	ASSERT_EQ(0, look(self->fd, 8, &was));
	EXPECT_TRUE(node_is_random(was.node));
	ASSERT_EQ(0, set_identity(self->fd, &set));
	ASSERT_EQ(0, look(self->fd, 8, &was));
	EXPECT_EQ(mac, was.node);
}

#define OTHER_NODE	0x010000000001ULL

FIXTURE(changes) {
	FIXTURE_DATA(identity) s;
	struct takers takers;
};

FIXTURE_VARIANT(changes) {
	const char *params;
	__u64 nodes[4];
};

FIXTURE_VARIANT_ADD(changes, same_node) {
	.params = ALL_PARAMS,
	.nodes = { GIVEN_NODE, GIVEN_NODE, GIVEN_NODE, GIVEN_NODE },
};

FIXTURE_VARIANT_ADD(changes, there_and_back) {
	.params = ALL_PARAMS,
	.nodes = { OTHER_NODE, 0xfddcba987654ULL, GIVEN_NODE, OTHER_NODE },
};

/* 0 stands for a random node. */
FIXTURE_VARIANT_ADD(changes, random_between) {
	.params = "worker=5",
	.nodes = { OTHER_NODE, 0, GIVEN_NODE, 0 },
};

FIXTURE_SETUP(changes)
{
	self->s.fd = -1;
	take_module(_metadata);
	start(_metadata, &self->s.fd, variant->params);
	self->takers.nodes_come_again = true;
}

FIXTURE_TEARDOWN(changes)
{
	stop_takers(&self->takers);
	close(self->s.fd);
	give_back_module(_metadata);
}

TEST_F(changes, repeat_nothing)
{
	enum { CHANGES = 40 };
	int k;

	start_takers(_metadata, &self->takers);
	for (k = 0; k < CHANGES; k++) {
		__u64 node = variant->nodes[k % ARRAY_SIZE(variant->nodes)];
		struct kuid_set_identity set = {
			.node_from = node ? KUID_FROM_GIVEN : KUID_FROM_RANDOM,
			.node = node,
		};

		EXPECT_EQ(0, set_identity(self->s.fd, &set));
		EXPECT_EQ(k + 2, set.epoch);
		let_them_take(&self->takers, 2);
	}
	check_takers(_metadata, &self->takers);
}

TEST_HARNESS_MAIN
