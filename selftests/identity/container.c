// SPDX-License-Identifier: GPL-2.0-only
/*
 * Outsiders: an ordinary user, root of a user namespace, root of a container.
 * An outsider takes IDs and reads the status as any user does, gets IDs with
 * the identity of the host, and is refused the administrator's commands.
 */
#include "../lib/harness.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "../lib/capabilities.h"
#include "../lib/children.h"
#include "../lib/commands.h"
#include "../lib/own_module.h"

#define NAMESPACES	(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS | \
			 CLONE_NEWIPC)

#define NOBODY		65534

/* The findings of an outsider. */
struct found {
	char wrong[256];	/* empty if all is well */
	__u64 node;
	__u64 worker;
	__u64 first;		/* time of an ID in host order */
	char identity[32];	/* the worker as sysfs shows it */
};

FIXTURE(outsider) {
	char host[65];
	struct found *found;
};

FIXTURE_VARIANT(outsider) {
	uid_t uid;		/* before the namespaces are made */
	int namespaces;
	bool root;		/* before unshare() */
	__u64 capabilities;	/* kept capabilities of the host */
};

FIXTURE_VARIANT_ADD(outsider, user) {
	.uid = NOBODY,
};

FIXTURE_VARIANT_ADD(outsider, root_of_a_user_namespace) {
	.namespaces = CLONE_NEWUSER,
};

FIXTURE_VARIANT_ADD(outsider, container_of_a_user) {
	.uid = NOBODY,
	.namespaces = CLONE_NEWUSER | NAMESPACES,
	.root = true,
};

FIXTURE_VARIANT_ADD(outsider, container_of_root_in_a_user_namespace) {
	.namespaces = CLONE_NEWUSER | NAMESPACES,
	.root = true,
};

/* Drop most capabilities, as container runtimes do for root. */
FIXTURE_VARIANT_ADD(outsider, container_of_root) {
	.namespaces = NAMESPACES,
	.root = true,
	.capabilities = 1ULL << CAP_CHOWN | 1ULL << CAP_DAC_OVERRIDE |
			1ULL << CAP_FOWNER | 1ULL << CAP_MKNOD |
			1ULL << CAP_NET_RAW | 1ULL << CAP_SYS_CHROOT |
			1ULL << CAP_KILL | 1ULL << CAP_AUDIT_WRITE,
};

FIXTURE_SETUP(outsider)
{
	take_module(_metadata);
	/* A host name that makes a worker. */
	ASSERT_EQ(0, gethostname(self->host, sizeof(self->host)));
	ASSERT_EQ(0, sethostname("db1.example.com", 15));
	ASSERT_EQ(0, load(""));
	self->found = share_memory(sizeof(*self->found));
	ASSERT_NE(NULL, self->found);
}

FIXTURE_TEARDOWN(outsider)
{
	sethostname(self->host, strlen(self->host));
	munmap(self->found, sizeof(*self->found));
	give_back_module(_metadata);
}

/* Record an error with the errno. Returns false. */
static bool wrong(struct found *found, const char *what, const char *where)
{
	snprintf(found->wrong, sizeof(found->wrong), "%s: %s, errno %d", where,
		 what, errno);
	return false;
}

static bool bind_to(const char *from, const char *to, bool directory)
{
	if (directory ? mkdir(to, 0755) :
			close(open(to, O_CREAT | O_WRONLY, 0644)))
		return false;
	return !mount(from, to, NULL, MS_BIND | MS_REC, NULL);
}

/* Make a root directory with nothing but the device and sysfs. */
static bool make_root(void)
{
	return !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("none", "/tmp", "tmpfs", 0, NULL) &&
	       !mkdir("/tmp/dev", 0755) &&
	       bind_to("/dev/kuid", "/tmp/dev/kuid", false) &&
	       bind_to("/dev/kuids", "/tmp/dev/kuids", true) &&
	       bind_to("/sys", "/tmp/sys", true) &&
	       !chroot("/tmp") && !chdir("/");
}

static const char *read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t got = read(fd, text, size - 1);

	close(fd);
	if (got <= 0)
		return NULL;
	text[got - 1] = '\0';
	return text;
}

/* Take IDs from each device file in each way. */
static bool check_ids(struct found *found)
{
	__u8 ids[7 * ID_SIZE_MAX];
	struct fields fields;
	size_t i;
	int fd;

	for (i = 0; i < NR_FORMATS; i++) {
		const struct format *f = &formats[i];
		struct words last = { 0 };

		fd = open_device_file(f, "", 0);
		if (fd < 0 || set_order(fd, KUID_ORDER_HOST) ||
		    !poll_says_ready(fd) ||
		    read_ids(f, fd, ids, 1) != 1 ||
		    count_in_order(f, ids, 1, &last) != 1 ||
		    generate_ids(f, fd, ids, 7) != 7 ||
		    count_in_order(f, ids, 7, &last) != 7 ||
		    !decode(f, ids, &fields))
			return wrong(found, "gives no IDs", f->name);
		close(fd);
		if (f->number == KUID_FORMAT_V6)
			found->node = fields.node;
		if (f->number == KUID_FORMAT_LEX) {
			found->worker = fields.node;
			found->first = fields.ns;
		}
		fd = open_device_file(f, ".txt", 0);
		if (fd < 0 || read_lines(f, fd, ids, 1) != 1)
			return wrong(found, "gives no text", f->name);
		close(fd);
	}
	return true;
}

/*
 * Commands without a capability succeed, all others fail with EPERM and tell
 * nothing else.
 */
static bool check_commands(struct found *found)
{
	__u8 arg[ARG_MAX_SIZE], before[ARG_MAX_SIZE], ids[ROOM];
	struct kuid_status was, now;
	int fd = open(DEV_KUID, O_RDONLY);
	size_t i;

	if (fd < 0 || get_status(fd, &was))
		return wrong(found, "can't be opened", DEV_KUID);
	for (i = 0; i < NR_COMMANDS; i++) {
		const struct command *c = &commands[i];
		int own = open(DEV_KUID, O_RDONLY);
		int ret;

		good_request(c, arg, ids, POISON);
		memcpy(before, arg, sizeof(arg));
		ret = ioctl(own, c->cmd, arg);
		if (c->capability == NO_CAPABILITY) {
			if (ret)
				return wrong(found, "is refused", c->name);
		} else if (!ret || errno != EPERM) {
			return wrong(found, "is not refused", c->name);
		} else if (memcmp(before, arg, c->size)) {
			return wrong(found, "is written to", c->name);
		} else if (!ioctl(own, c->cmd, NULL) || errno != EPERM) {
			return wrong(found, "tells more", c->name);
		}
		close(own);
	}
	if (get_status(fd, &now) || was.epoch != now.epoch ||
	    was.floor_ns != now.floor_ns || was.ceiling_ns != now.ceiling_ns ||
	    was.reasons != now.reasons)
		return wrong(found, "has changed", "status");
	close(fd);
	return true;
}

/* All files can be read, and none can be written. */
static bool check_files(struct found *found)
{
	static const char *const files[] = {
		"/sys/class/kuid/kuid/epoch",
		"/sys/class/kuid/kuid/load_id",
		"/sys/class/kuid/kuid/identity/node",
		"/sys/class/kuid/kuid/identity/worker",
		"/sys/class/kuid/kuid/clock/slot_lag_ns",
		"/sys/class/kuid/kuid/ahead/lex_ns",
		"/sys/class/kuid/kuid/limits/max_ahead_ns",
		"/sys/class/kuid/kuid/counters/v1",
		"/sys/class/kuid/kuid/state/ceiling_ns",
		"/sys/class/kuid/kuid/status/reasons",
		"/sys/class/kuid/kuid/dev",
		"/sys/module/kuid/parameters/node",
		"/sys/class/kuid/kuid/state/required",
		"/sys/module/kuid/version",
	};
	char text[256];
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		if (!read_text(files[i], text, sizeof(text)))
			return wrong(found, "can't be read", files[i]);
		/* Even with CAP_DAC_OVERRIDE. */
		fd = open(files[i], O_WRONLY);
		if (fd >= 0)
			return wrong(found, "can be written", files[i]);
	}
	if (!read_text("/sys/class/kuid/kuid/identity/worker", found->identity,
		       sizeof(found->identity)))
		return wrong(found, "can't be read", "worker");
	return true;
}

static void run_checks(struct found *found, const FIXTURE_VARIANT(outsider) *v)
{
	/* The host name of a container doesn't change the worker in its IDs. */
	if (v->namespaces & CLONE_NEWUTS && sethostname("container", 9)) {
		wrong(found, "can't be set", "host name");
		return;
	}
	if (v->capabilities && !keep_capabilities(v->capabilities)) {
		wrong(found, "can't be kept", "capabilities");
		return;
	}
	if (check_ids(found) && check_commands(found))
		check_files(found);
}

/* In a child: become an outsider and run the checks. */
static int step_outside(struct found *found, const FIXTURE_VARIANT(outsider) *v)
{
	char map[64];
	pid_t pid;

	/*
	 * After setuid() a process is not dumpable, and may not write its
	 * uid_map.
	 */
	if (v->uid && (setgid(v->uid) || setuid(v->uid) ||
		       prctl(PR_SET_DUMPABLE, 1)))
		return 1;
	if (unshare(v->namespaces))
		return 2;
	snprintf(map, sizeof(map), "0 %u 1", v->uid);
	if (v->namespaces & CLONE_NEWUSER &&
	    (write_text("/proc/self/setgroups", "deny") ||
	     write_text("/proc/self/uid_map", map) ||
	     write_text("/proc/self/gid_map", map)))
		return 3;
	if (v->root && !make_root())
		return 4;
	/*
	 * unshare() puts the children into the new PID namespace, not the
	 * caller.
	 */
	pid = fork();
	if (!pid) {
		run_checks(found, v);
		_exit(0);
	}
	return exit_status(pid) ? 5 : 0;
}

/* Lex IDs in host order show in which order the two sides took theirs. */
static __u64 lex_time(struct __test_metadata *_metadata)
{
	const struct format *lex = format_of(KUID_FORMAT_LEX);
	int fd = open_device_file(lex, "", 0);
	struct fields fields = { 0 };
	__u8 id[ID_SIZE_MAX];

	ASSERT_LE(0, fd);
	EXPECT_EQ(1, take(fd, lex, KUID_ORDER_HOST, id, 1, NULL));
	EXPECT_TRUE(decode(lex, id, &fields));
	close(fd);
	return fields.ns;
}

static void run_outsider(struct __test_metadata *_metadata,
			 FIXTURE_DATA(outsider) *self,
			 const FIXTURE_VARIANT(outsider) *variant)
{
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid)
		_exit(step_outside(self->found, variant));
	ASSERT_EQ(0, exit_status(pid))
		TH_LOG("can't make an outsider");
	ASSERT_STREQ("", self->found->wrong);
}

/*
 * If an outsider opens the device first, the first epoch still has the host's
 * identity.
 */
TEST_F(outsider, is_first)
{
	struct kuid_state state;
	char worker[17];
	int fd;

	run_outsider(_metadata, self, variant);
	EXPECT_LT(self->found->first, lex_time(_metadata));

	fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, get_state(fd, &state));
	EXPECT_EQ(KUID_FROM_HOST, state.worker_from);
	EXPECT_EQ(state.worker, self->found->worker);
	EXPECT_EQ(state.node, self->found->node);
	snprintf(worker, sizeof(worker), "%016llx",
		 (unsigned long long)state.worker);
	EXPECT_STREQ(worker, self->found->identity);
	close(fd);

	/* The worker is the one that the host's own name makes. */
	ASSERT_EQ(0, unload());
	ASSERT_EQ(0, load(""));
	fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, get_state(fd, &state));
	EXPECT_EQ(state.worker, self->found->worker);
	close(fd);
}

TEST_F(outsider, comes_later)
{
	__u64 before = lex_time(_metadata);

	run_outsider(_metadata, self, variant);
	EXPECT_LT(before, self->found->first);
	EXPECT_LT(self->found->first, lex_time(_metadata));
}

TEST_HARNESS_MAIN
