// SPDX-License-Identifier: GPL-2.0-only
/*
 * The machine itself changes its generation ID, as a hypervisor does in a clone,
 * while calls are made: IDs that a twin may have are not returned. vm/clone.sh
 * has clones that a hypervisor makes.
 */
#include "../lib/harness.h"

#include <pthread.h>
#include <sys/uio.h>

#include "../lib/generation_id.h"
#include "../lib/missing_page.h"
#include "../lib/own_module.h"
#include "../lib/private.h"

#define PARAMETERS	"/sys/module/kuid_clone/parameters/"

/* QEMU's method that has the device notify. */
#define NOTIFY		"\\_GPE._E05"

/* Formats that show an identity which is drawn for each epoch. */
#define SHOWING		((STAMPS | SLOTS) & ~(1U << KUID_FORMAT_K64 |	\
					      1U << KUID_FORMAT_SNOWFLAKE))

enum {
	READERS_MAX = 8,
	CHANGES = 200,
	COUNT_MAX = 1500,	/* IDs of a call: more than a chunk */
};

FIXTURE(vmgenid) {
	int fd;			/* /dev/kuid, O_NONBLOCK */
	int blocking;		/* /dev/kuid */
};

FIXTURE_SETUP(vmgenid)
{
	char params[64];
	__u64 address = generation_address();

	if (!module_path() || !getenv("KUID_CLONE"))
		SKIP_TEST("KUID_MODULE or KUID_CLONE doesn't name a module");
	if (!address)
		SKIP_TEST("the machine has no VMGENID");
	take_module(_metadata);
	snprintf(params, sizeof(params), "address=%llu", address);
	ASSERT_EQ(0, load_file(getenv("KUID_CLONE"), params));
	start(_metadata, &self->fd, "");
	self->blocking = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, self->blocking);
}

FIXTURE_TEARDOWN(vmgenid)
{
	close(self->blocking);
	close(self->fd);
	unload_name("kuid_grace");
	unload_name("kuid_clone");
	give_back_module(_metadata);
}

/* Change one of the two words of the generation ID. */
static int change(int word)
{
	return write_text(PARAMETERS "change", word ? "1" : "0");
}

/* Have the device notify, and wait for all who listen. */
static int notify(void)
{
	return write_text(PARAMETERS "notify", NOTIFY);
}

static __u64 forks(struct __test_metadata *_metadata, int fd)
{
	struct kuid_status status;

	ASSERT_EQ(0, get_status(fd, &status));
	return status.vm_forks;
}

static __u64 epoch_of_status(struct __test_metadata *_metadata, int fd)
{
	struct kuid_status status;

	ASSERT_EQ(0, get_status(fd, &status));
	return status.epoch;
}

/* The epoch of the next ID. Waits for it. */
static __u64 next_epoch(struct __test_metadata *_metadata, int fd)
{
	__u8 id[ID_SIZE_MAX];
	__u64 epoch = 0;

	ASSERT_EQ(1, take(fd, DEV_FORMAT, KUID_ORDER_DEFAULT, id, 1, &epoch));
	return epoch;
}

/* Ways to ask for one ID that sleep while they store it. */
enum way { BY_READ, BY_READV, BY_TEXT, BY_IOCTL, NR_WAYS };

/* A thread that asks for one ID. */
struct caller {
	pthread_t thread;
	const struct format *f;
	enum way way;
	int fd;
	void *to;
	long got;
	__u64 epoch;		/* if the call tells it */
};

static void *call(void *arg)
{
	struct caller *c = arg;
	struct iovec piece = { c->to, c->f->id_size };

	switch (c->way) {
	case BY_READV:
		c->got = readv(c->fd, &piece, 1) == c->f->id_size ? 1 : -errno;
		break;
	case BY_TEXT:
		c->got = read(c->fd, c->to, c->f->text_size + 1) > 0 ? 1 :
								 -errno;
		break;
	case BY_IOCTL:
		c->got = take(c->fd, c->f, KUID_ORDER_DEFAULT, c->to, 1,
			      &c->epoch);
		break;
	default:
		c->got = read_ids(c->f, c->fd, c->to, 1);
	}
	return NULL;
}

/* How a change becomes known while a call stores its ID. */
enum found { BY_THE_CALL, BY_ANOTHER_CALL, TWICE, NR_FOUND };

static void change_during(struct __test_metadata *_metadata,
			  FIXTURE_DATA(vmgenid) *self, enum found found)
{
	int i;

	for (i = 0; i < 1 + (found == TWICE); i++) {
		ASSERT_EQ(0, change(i));
		/* The status looks, too. */
		if (found != BY_THE_CALL)
			forks(_metadata, self->fd);
	}
	if (found != BY_THE_CALL)
		next_epoch(_metadata, self->blocking);
}

/* The generation ID changes while a call stores its ID. */
TEST_F(vmgenid, changes_during_a_call)
{
	unsigned int way, found;
	size_t k;

	if (access(USERFAULTFD, F_OK))
		SKIP(return, NO_USERFAULTFD);
	for (k = 0; k < NR_FORMATS * NR_WAYS * NR_FOUND; k++) {
		const struct format *f = &formats[k % NR_FORMATS];
		struct fields before, shown, after;
		char first[LINE_MAX_SIZE];
		struct caller c = { .f = f, .to = first };
		__u8 id[ID_SIZE_MAX];
		__u64 nr, epoch;
		int fault_fd;

		way = k / NR_FORMATS % NR_WAYS;
		found = k / NR_FORMATS / NR_WAYS;
		if (!among(f, SHOWING))
			continue;
		c.way = way;
		c.fd = open_device_file(f, way == BY_TEXT ? ".txt" : "", 0);
		ASSERT_LE(0, c.fd);
		/* The first call of a file takes no short path. */
		call(&c);
		ASSERT_EQ(1, c.got);
		nr = forks(_metadata, self->fd);
		ASSERT_EQ(0, take_fields(self->blocking, f, &before));
		epoch = next_epoch(_metadata, self->blocking);
		fault_fd = map_missing_page(&c.to);
		ASSERT_LE(0, fault_fd);
		ASSERT_EQ(0, pthread_create(&c.thread, NULL, call, &c));
		ASSERT_TRUE(wait_for_fault(fault_fd));
		change_during(_metadata, self, found);
		ASSERT_EQ(0, provide_page(fault_fd, c.to));
		ASSERT_EQ(0, pthread_join(c.thread, NULL));
		ASSERT_EQ(1, c.got);

		memcpy(id, c.to, f->id_size);
		ASSERT_TRUE(way != BY_TEXT || parse_line(f, c.to, id));
		ASSERT_TRUE(decode(f, id, &shown));
		ASSERT_EQ(0, take_fields(self->blocking, f, &after));
		EXPECT_EQ(after.node, shown.node);
		if (f->number != KUID_FORMAT_V7)
			EXPECT_NE(before.node, shown.node);
		if (way == BY_IOCTL)
			EXPECT_LT(epoch, c.epoch);
		EXPECT_EQ(nr + 1 + (found == TWICE),
			  forks(_metadata, self->fd))
			TH_LOG("%s, way %u, found %u", f->name, way, found);
		munmap(c.to, sysconf(_SC_PAGESIZE));
		close(fault_fd);
		close(c.fd);
		if (!PASSED_SO_FAR)
			break;
	}
}

static void *begin_epoch(void *arg)
{
	struct kuid_set_identity same = { .flags = 0 };

	return set_identity(*(int *)arg, &same) ? arg : NULL;
}

/* No epoch begins between two changes, because another one is beginning. */
TEST_F(vmgenid, changes_twice_before_an_epoch)
{
	struct kuid_status before, status;
	__u64 epoch = next_epoch(_metadata, self->fd);
	__u8 id[ID_SIZE_MAX];
	char params[32];
	pthread_t thread;
	void *failed;
	int cpus[2];
	int i;

	if (!getenv("KUID_GRACE"))
		SKIP(return, "KUID_GRACE doesn't name the module");
	if (allowed_cpus(cpus, 2) < 2)
		SKIP(return, "needs 2 CPUs");
	ASSERT_EQ(0, move_to_cpu(0, cpus[0]));
	snprintf(params, sizeof(params), "cpu=%d", cpus[1]);
	ASSERT_EQ(0, load_file(getenv("KUID_GRACE"), params));
	ASSERT_EQ(0, pthread_create(&thread, NULL, begin_epoch, &self->fd));
	while (next_epoch(_metadata, self->blocking) == epoch)
		;
	ASSERT_EQ(0, get_status(self->fd, &before));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, change(i));
		EXPECT_EQ(-EAGAIN, take(self->fd, DEV_FORMAT,
					KUID_ORDER_DEFAULT, id, 1, NULL));
		EXPECT_FALSE(poll_says_ready(self->fd));
		EXPECT_EQ(i + 1, forks(_metadata, self->fd));
	}
	ASSERT_EQ(0, unload_name("kuid_grace"));
	ASSERT_EQ(0, pthread_join(thread, &failed));
	EXPECT_EQ(NULL, failed);
	EXPECT_LT(before.epoch, next_epoch(_metadata, self->blocking));
	ASSERT_EQ(0, get_status(self->fd, &status));
	/* The worker may have waited for the same epoch since the first one. */
	EXPECT_GE(before.epoch + 2, status.epoch);
	EXPECT_EQ(2, status.vm_forks);
	EXPECT_NE(before.load_id, status.load_id);
}

/* A notification tells private lanes of a change; of one that is known, none. */
TEST_F(vmgenid, notification)
{
	const struct kuid_page *page;
	__u64 generation, epoch;
	int log = open_log();

	if (notify() == -ENODEV)
		SKIP(return, "the device doesn't notify");
	EXPECT_EQ(0, forks(_metadata, self->fd));

	page = map_page(self->fd);
	ASSERT_NE(MAP_FAILED, page);
	epoch = next_epoch(_metadata, self->blocking);
	generation = generation_of(page);
	ASSERT_EQ(0, change(0));
	EXPECT_EQ(generation, generation_of(page));
	ASSERT_EQ(0, notify());
	EXPECT_NE(generation, generation_of(page));
	EXPECT_EQ(epoch + 1, next_epoch(_metadata, self->blocking));
	EXPECT_EQ(1, forks(_metadata, self->fd));

	ASSERT_EQ(0, change(1));
	EXPECT_EQ(epoch + 2, next_epoch(_metadata, self->blocking));
	ASSERT_EQ(0, notify());
	ASSERT_EQ(0, notify());
	EXPECT_EQ(2, forks(_metadata, self->fd));
	EXPECT_EQ(epoch + 2, next_epoch(_metadata, self->blocking));
	/* The kernel's driver has told of both, too. */
	EXPECT_TRUE(log_has(log, "virtual machine fork", ""));
	unmap_page(page);
}

/* An administrator may be the first who calls in a clone. */
TEST_F(vmgenid, identity_is_set_first)
{
	const struct format *k128 = format_of(KUID_FORMAT_K128);
	const struct {
		struct kuid_set_identity set;
		int node;	/* result of a call for an ID that shows it */
		int worker;
	} cases[] = {
		{ { .flags = KUID_IDENTITY_CONFIRM }, 1, 1 },
		{ { .node_from = KUID_FROM_GIVEN, .node = 1 }, 1, -ESTALE },
		{ { .worker_from = KUID_FROM_GIVEN }, -ESTALE, 1 },
		{ { .flags = 0 }, -ESTALE, -ESTALE },
	};
	struct kuid_status status;
	__u8 id[ID_SIZE_MAX];
	__u64 load_id;
	size_t i;

	close(self->blocking);
	self->blocking = -1;
	stop(_metadata, &self->fd);
	start(_metadata, &self->fd, ALL_PARAMS);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kuid_set_identity set = cases[i].set;

		ASSERT_EQ(0, get_status(self->fd, &status));
		load_id = status.load_id;
		ASSERT_EQ(0, change(i % 2));
		ASSERT_EQ(0, set_identity(self->fd, &set));
		/* Time for an epoch that would undo it. */
		usleep(100000);
		EXPECT_EQ(i + 1, forks(_metadata, self->fd));
		EXPECT_NE(load_id, set.load_id);
		EXPECT_EQ(cases[i].node, take(self->fd, DEV_FORMAT,
					      KUID_ORDER_DEFAULT, id, 1, NULL))
			TH_LOG("request %zu", i);
		EXPECT_EQ(cases[i].worker, take(self->fd, k128,
						KUID_ORDER_DEFAULT, id, 1,
						NULL))
			TH_LOG("request %zu", i);
	}
}

/* The module was told not to compare the ID, or is loaded after a change. */
TEST_F(vmgenid, depends_on_the_load)
{
	struct kuid_status status;
	__u64 epoch;

	close(self->blocking);
	self->blocking = -1;
	stop(_metadata, &self->fd);
	ASSERT_EQ(0, change(0));
	start(_metadata, &self->fd, "");
	epoch = next_epoch(_metadata, self->fd);
	EXPECT_EQ(0, forks(_metadata, self->fd));
	ASSERT_EQ(0, get_status(self->fd, &status));
	EXPECT_TRUE(status.clones & KUID_CLONES_SEEN);
	EXPECT_EQ(epoch, next_epoch(_metadata, self->fd));

	stop(_metadata, &self->fd);
	start(_metadata, &self->fd, "vmgenid=N");
	epoch = next_epoch(_metadata, self->fd);
	ASSERT_EQ(0, change(1));
	EXPECT_EQ(epoch, next_epoch(_metadata, self->fd));
	ASSERT_EQ(0, get_status(self->fd, &status));
	EXPECT_FALSE(status.clones & KUID_CLONES_SEEN);
	EXPECT_EQ(0, status.vm_forks);
}

/**
 * struct readers - threads that take IDs on all CPUs
 * @ended: a call that begins now may not return IDs of this epoch, nor of an
 *	earlier one
 */
struct readers {
	__u64 ended;
	bool stop;
	struct reader {
		struct readers *all;
		pthread_t thread;
		int cpu;
		__u32 seed;
		long got;
		__u64 epoch;
		bool failed;
	} one[READERS_MAX];
};

/* Take IDs in any format and order. Returns false for a wrong result. */
static bool take_later(struct reader *me, int fd, void *ids, __u64 ended)
{
	const struct format *f;

	do
		f = &formats[pick(&me->seed) % NR_FORMATS];
	while (!among(f, SHOWING));
	me->got = take(fd, f, KUID_ORDER_CPU + pick(&me->seed) % 3, ids,
		       pick(&me->seed) & 1 ? 1 :
					     1 + pick(&me->seed) % COUNT_MAX,
		       &me->epoch);
	return me->got > 0 && me->epoch > ended;
}

static void *read_on(void *arg)
{
	struct reader *me = arg;
	int fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
	__u8 *ids = malloc(COUNT_MAX * ID_SIZE_MAX);

	move_to_cpu(0, me->cpu);
	while (!__atomic_load_n(&me->all->stop, __ATOMIC_RELAXED) &&
	       !me->failed) {
		__u64 ended = __atomic_load_n(&me->all->ended,
					      __ATOMIC_ACQUIRE);

		me->failed = !take_later(me, fd, ids, ended);
	}
	free(ids);
	close(fd);
	return NULL;
}

/* It changes while all CPUs make IDs: each change counts once. */
TEST_F(vmgenid, changes_beside_readers)
{
	struct readers all = { 0 };
	struct reader own = { .seed = pick_seed() };
	__u8 *ids = malloc(COUNT_MAX * ID_SIZE_MAX);
	__u64 ended = 0, first;
	int cpus[READERS_MAX];
	int nr = allowed_cpus(cpus, READERS_MAX);
	int i;

	ASSERT_NE(NULL, ids);
	TH_LOG("seed %u", own.seed);
	first = next_epoch(_metadata, self->blocking);
	for (i = 0; i < nr; i++) {
		all.one[i] = (struct reader) {
			.all = &all,
			.cpu = cpus[i],
			.seed = own.seed + i + 1,
		};
		ASSERT_EQ(0, pthread_create(&all.one[i].thread, NULL, read_on,
					    &all.one[i]));
	}
	for (i = 0; i < CHANGES; i++) {
		ended = epoch_of_status(_metadata, self->fd);
		ASSERT_EQ(0, change(i & 1));
		/* This call races with those that find the change. */
		own.failed = !take_later(&own, self->blocking, ids, ended);
		__atomic_store_n(&all.ended, ended, __ATOMIC_RELEASE);
		EXPECT_FALSE(own.failed)
			TH_LOG("change %d: got %ld of epoch %llu after %llu", i,
			       own.got, own.epoch, ended);
		if (!(i % 8))
			notify();
		EXPECT_EQ(i + 1, forks(_metadata, self->fd));
		if (!PASSED_SO_FAR)
			break;
		if (pick(&own.seed) & 1)
			usleep(pick(&own.seed) % 5000);
	}
	__atomic_store_n(&all.stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < nr; i++) {
		struct reader *one = &all.one[i];

		ASSERT_EQ(0, pthread_join(one->thread, NULL));
		EXPECT_FALSE(one->failed)
			TH_LOG("CPU %d: got %ld of epoch %llu", one->cpu,
			       one->got, one->epoch);
	}
	EXPECT_LT(ended, epoch_of_status(_metadata, self->fd));
	EXPECT_GE(first + CHANGES, epoch_of_status(_metadata, self->fd));
	free(ids);
}

TEST_HARNESS_MAIN
