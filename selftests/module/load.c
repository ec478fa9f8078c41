// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading and unloading the module, which leaves nothing behind. The module is
 * left loaded or not, as it was found.
 */
#include "../lib/harness.h"

#include <linux/netlink.h>
#include <sys/socket.h>

#include "../lib/children.h"
#include "../lib/own_module.h"

static bool has_device(void)
{
	return !access(DEV_KUID, F_OK);
}

FIXTURE(load) {
};

FIXTURE_SETUP(load)
{
	take_module(_metadata);
}

FIXTURE_TEARDOWN(load)
{
	give_back_module(_metadata);
}

TEST_F(load, device_comes_and_goes)
{
	ASSERT_FALSE(has_device());
	ASSERT_EQ(0, load(""));
	ASSERT_TRUE(has_device());
	ASSERT_EQ(-EEXIST, load(""));
	ASSERT_EQ(0, unload());
	ASSERT_FALSE(has_device());
	ASSERT_FALSE(is_loaded());
	ASSERT_EQ(-ENOENT, unload());
}

/* Enough loads for a wrong order to show at least once. */
#define LOADS_WATCHED	10

static pid_t load_in_child(void)
{
	pid_t child = fork_child();

	if (!child)
		_exit(load("") ? 1 : 0);
	return child;
}

static int listen_for_events(void)
{
	struct sockaddr_nl from_kernel = {
		.nl_family = AF_NETLINK,
		.nl_groups = 1,
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC,
			NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&from_kernel,
			    sizeof(from_kernel))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The name below /dev if the next event announces a device, or NULL. */
static const char *next_device(int events)
{
	static const char ours[] = "add@/devices/virtual/kuid/";
	static const char key[] = "DEVNAME=";
	static char event[4096];
	ssize_t size = recv(events, event, sizeof(event) - 1, 0);
	const char *at;

	if (size < 0)
		return NULL;
	event[size] = '\0';
	if (strncmp(event, ours, strlen(ours)))
		return NULL;
	for (at = event; at < event + size; at += strlen(at) + 1) {
		if (!strncmp(at, key, strlen(key)))
			return at + strlen(key);
	}
	return NULL;
}

/* A program that acts on the kernel's uevent, like udev, can open the file. */
TEST_F(load, works_when_announced)
{
	int events, nr, fd, i;
	char path[64], id[64];
	const char *name;
	pid_t child;

	events = listen_for_events();
	ASSERT_LE(0, events);
	for (i = 0; i < LOADS_WATCHED; i++) {
		child = load_in_child();
		ASSERT_LE(0, child);
		for (nr = 0; nr < NR_DEVICES;) {
			name = next_device(events);
			if (!name)
				continue;
			snprintf(path, sizeof(path), "/dev/%s", name);
			fd = open(path, O_RDONLY | O_CLOEXEC);
			ASSERT_LE(0, fd)
				TH_LOG("load %d, %s: %s", i, path,
				       strerror(errno));
			ASSERT_LT(0, read(fd, id, sizeof(id)));
			close(fd);
			nr++;
		}
		ASSERT_TRUE(ended_well(child));
		ASSERT_EQ(0, unload());
	}
	close(events);
}

/* A device file can be opened as soon as it exists, without ENXIO. */
TEST_F(load, works_when_created)
{
	bool opened[NR_DEVICES];
	int left, nr, fd, i;
	char id[64];
	pid_t child;

	for (i = 0; i < LOADS_WATCHED; i++) {
		memset(opened, 0, sizeof(opened));
		child = load_in_child();
		ASSERT_LE(0, child);
		for (nr = 0, left = NR_DEVICES; left;
		     nr = (nr + 1) % NR_DEVICES) {
			if (opened[nr])
				continue;
			fd = open(device_of(nr).path, O_RDONLY | O_CLOEXEC);
			if (fd < 0) {
				ASSERT_EQ(ENOENT, errno)
					TH_LOG("load %d, %s", i,
					       device_of(nr).path);
				continue;
			}
			ASSERT_LT(0, read(fd, id, sizeof(id)));
			close(fd);
			opened[nr] = true;
			left--;
		}
		ASSERT_TRUE(ended_well(child));
		ASSERT_EQ(0, unload());
	}
}

TEST_F(load, busy_while_open)
{
	struct id ids[2];
	struct words last;
	int fd, copy;

	ASSERT_EQ(0, load(""));
	fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(-EWOULDBLOCK, unload());
	ASSERT_EQ(1, read_ids(DEV_FORMAT, fd, ids, 1));
	ASSERT_EQ(-EWOULDBLOCK, unload());

	/* A refused unload has changed nothing. */
	ASSERT_TRUE(has_device());
	ASSERT_EQ(1, generate_ids(DEV_FORMAT, fd, ids + 1, 1));
	last = id_order(DEV_FORMAT, ids);
	ASSERT_EQ(1, count_in_order(DEV_FORMAT, ids + 1, 1, &last));

	copy = dup(fd);
	ASSERT_LE(0, copy);
	close(fd);
	ASSERT_EQ(-EWOULDBLOCK, unload());
	close(copy);
	ASSERT_EQ(0, unload());
}

/* Each load draws a new node, so no ID of an earlier load is repeated. */
TEST_F(load, nodes_differ)
{
	enum { LOADS = 10 };
	__u64 nodes[LOADS];
	struct fields fields;
	struct id id;
	int fd, i, k;

	for (i = 0; i < LOADS; i++) {
		ASSERT_EQ(0, load(""));
		fd = open(DEV_KUID, O_RDONLY);
		ASSERT_LE(0, fd);
		ASSERT_EQ(1, read_ids(DEV_FORMAT, fd, &id, 1));
		close(fd);
		ASSERT_EQ(0, unload());

		ASSERT_TRUE(decode(DEV_FORMAT, &id, &fields));
		nodes[i] = fields.node;
		for (k = 0; k < i; k++)
			ASSERT_NE(nodes[k], nodes[i]);
	}
}

#define CACHES_MAX	128

/* The number of objects in use, for each kmalloc cache. */
struct slabs {
	int nr;
	struct {
		char name[32];
		long objects;
	} caches[CACHES_MAX];
};

static char slabinfo_text[1 << 17];

static bool read_slabs(int info, struct slabs *slabs)
{
	size_t size = 0;
	ssize_t got;
	char *line;

	if (lseek(info, 0, SEEK_SET))
		return false;
	while (size < sizeof(slabinfo_text) - 1) {
		got = read(info, slabinfo_text + size,
			   sizeof(slabinfo_text) - 1 - size);
		if (got <= 0)
			break;
		size += got;
	}
	slabinfo_text[size] = '\0';

	slabs->nr = 0;
	for (line = slabinfo_text; line && slabs->nr < CACHES_MAX;
	     line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, "kmalloc-", strlen("kmalloc-")) &&
		    sscanf(line, "%31s %ld", slabs->caches[slabs->nr].name,
			   &slabs->caches[slabs->nr].objects) == 2)
			slabs->nr++;
	}
	return slabs->nr > 0;
}

/* Free objects in a CPU's slabs count as in use until a shrink. */
static int open_shrink(const char *cache)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink", cache);
	return open(path, O_WRONLY);
}

/*
 * Take the minimum of several counts, each after a shrink: other tasks only add
 * to a count, and never hide objects that the module holds. All files are
 * opened before that, because an open file needs objects too.
 */
static bool count_objects(struct slabs *least)
{
	int info = open("/proc/slabinfo", O_RDONLY);
	struct slabs *slabs = calloc(1, sizeof(*slabs));
	int shrinks[CACHES_MAX];
	bool ok;
	int i, k;

	ok = slabs && info >= 0 && read_slabs(info, least);
	for (k = 0; ok && k < least->nr; k++) {
		shrinks[k] = open_shrink(least->caches[k].name);
		ok = shrinks[k] >= 0;
	}
	if (!ok)
		return false;

	for (i = 0; i < 20 && ok; i++) {
		for (k = 0; k < least->nr; k++)
			ok = write(shrinks[k], "1", 1) == 1 && ok;
		ok = ok && read_slabs(info, slabs) && slabs->nr == least->nr;
		for (k = 0; ok && k < least->nr; k++) {
			long objects = slabs->caches[k].objects;

			if (!i || objects < least->caches[k].objects)
				least->caches[k].objects = objects;
		}
		/* Let RCU free the objects that wait for a grace period. */
		usleep(20000);
	}

	for (k = 0; k < least->nr; k++)
		close(shrinks[k]);
	close(info);
	free(slabs);
	return ok;
}

/* Load, use and unload the module. @hole makes a call fail late. */
static void use_once(struct __test_metadata *_metadata, void *hole)
{
	struct kuid_query q = { 0 };
	struct id ids[7];
	int fd;

	ASSERT_EQ(0, load(""));
	fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ioctl(fd, KUID_IOC_QUERY, &q));
	ASSERT_EQ(1, read_ids(DEV_FORMAT, fd, ids, 1));
	ASSERT_EQ(7, generate_ids(DEV_FORMAT, fd, ids, 7));
	ASSERT_EQ(-EFAULT, read_ids(DEV_FORMAT, fd, hole, 1));
	close(fd);
	ASSERT_EQ(0, unload());
}

/* A leak of one object a round would add ROUNDS objects to a cache. */
TEST_F_TIMEOUT(load, leaves_no_memory_behind, 120)
{
	enum { WARM_UP = 20, ROUNDS = 100, NOISE = ROUNDS / 4 };
	struct slabs *before = calloc(2, sizeof(*before));
	struct slabs *after = before + 1;
	void *hole = map_before_hole();
	const char *most_in = "any cache";
	long most = 0;
	int i;

	ASSERT_NE(NULL, before);
	ASSERT_NE(NULL, hole);

	for (i = 0; i < WARM_UP; i++)
		use_once(_metadata, hole);
	if (!count_objects(before))
		SKIP(return, "the kernel doesn't count slab objects");
	for (i = 0; i < ROUNDS; i++)
		use_once(_metadata, hole);
	ASSERT_TRUE(count_objects(after));
	ASSERT_EQ(before->nr, after->nr);

	for (i = 0; i < before->nr; i++) {
		long grown = after->caches[i].objects -
			     before->caches[i].objects;

		EXPECT_GT(NOISE, grown)
			TH_LOG("%s: %ld objects more after %d rounds",
			       before->caches[i].name, grown, ROUNDS);
		if (grown > most) {
			most = grown;
			most_in = before->caches[i].name;
		}
	}
	TH_LOG("at most %ld objects more, in %s, after %d rounds", most,
	       most_in, ROUNDS);
	free(before);
}

TEST_HARNESS_MAIN
