// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUID_ORDER_CPU, KUID_ORDER_FILE and KUID_ORDER_HOST, of every format: which
 * IDs an ID follows, from several files, threads and processes that take them
 * one after the other and at once.
 *
 * As in order.c, a clock that can be told apart by less than a call takes
 * orders the calls by itself. Under a coarse one nothing but lanes, sequences
 * and floors do.
 */
#include "../../kselftest_harness.h"

#include <pthread.h>

#include "../lib/children.h"
#include "../lib/formats.h"

/* What a call may ask for: mostly little, so that there are many calls. */
static const __u32 counts[] = { 1, 1, 7, 1, 40, 2, 1, 300, 1, 7, 1, 64 };

#define COUNT_MAX	300

/* How many IDs each of those that take them at once is given. */
#define EACH		6000

#define TAKERS		4

/* How many calls one that is moved from CPU to CPU makes. */
#define TURNS		400

/**
 * struct floor - the highest ID that was returned, of those it is for
 * @locked: held by one process or thread that looks at it
 * @highest: only raised
 */
struct floor {
	bool locked;
	struct words highest;
};

static void lock(struct floor *floor)
{
	while (__atomic_test_and_set(&floor->locked, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock(struct floor *floor)
{
	__atomic_clear(&floor->locked, __ATOMIC_RELEASE);
}

/* An open file and what is set for it. */
struct source {
	int fd;
	__u32 order;		/* of a read; 0 for none, as of another format */
	bool text;
	struct floor *floor;	/* in memory that is shared */
};

/* What those who take IDs at once have in common. */
struct sharing {
	struct floor cpus[2];
	struct floor files[TAKERS];
	struct floor host;
	bool failed;
};

struct taker {
	const struct format *f;
	struct sharing *sharing;
	const struct source *source;
	pthread_t thread;
	int cpu;		/* index of the one it stays on */
	int cpu_number;
	__u32 orders;		/* bits: which it asks for */
	__u32 seed;
	const char *wrong;	/* what a call did that was not in order */
	__u32 order;		/* of the last call */
	__u32 nr;		/* IDs taken */
	__u8 ids[(EACH + COUNT_MAX) * ID_SIZE_MAX];
};

static long read_lines(const struct format *f, int fd, void *to, __u32 count)
{
	char lines[COUNT_MAX * LINE_MAX_SIZE];
	size_t line = f->text_size + 1;
	ssize_t got = read(fd, lines, count * line);
	size_t i;

	if (got < 0)
		return -errno;
	for (i = 0; i < got / line; i++) {
		if (!parse_line(f, lines + i * line,
				(__u8 *)to + i * f->id_size))
			return -EIO;
	}
	return got % line ? -EIO : (long)(got / line);
}

static long take(struct taker *me, __u32 order, void *to, __u32 count)
{
	const struct source *source = me->source;

	if (order == source->order) {
		if (source->text)
			return read_lines(me->f, source->fd, to, count);
		switch (pick(&me->seed) % 3) {
		case 0:
			return read_ids(me->f, source->fd, to, count);
		case 1:
			return generate_ids(me->f, source->fd, to, count);
		}
	}
	return generate_in_order(me->f, source->fd, order, to, count);
}

/* One call, of which all that is promised is looked at. */
static bool take_in_order(struct taker *me)
{
	__u8 *to = me->ids + me->nr * me->f->id_size;
	__u32 count = counts[pick(&me->seed) % ARRAY_SIZE(counts)];
	struct floor *floors[2] = { NULL };
	struct words last = { 0 };
	size_t i;

	do {
		me->order = KUID_ORDER_CPU + pick(&me->seed) % 3;
	} while (!(me->orders & 1U << me->order));

	if (me->order == KUID_ORDER_CPU)
		floors[0] = &me->sharing->cpus[me->cpu];
	else
		floors[0] = me->source->floor;
	if (me->order == KUID_ORDER_HOST)
		floors[1] = &me->sharing->host;

	for (i = 0; i < ARRAY_SIZE(floors) && floors[i]; i++) {
		lock(floors[i]);
		if (words_after(floors[i]->highest, last))
			last = floors[i]->highest;
		unlock(floors[i]);
	}
	if (take(me, me->order, to, count) != count)
		me->wrong = "was not given, or not well-formed";
	else if (!count_in_order(me->f, to, 1, &last))
		me->wrong = "is not above all that were returned before";
	else if (count_in_order(me->f, id_at(me->f, to, 1), count - 1, &last) !=
		 count - 1)
		me->wrong = "is not above the one before it";
	if (me->wrong)
		return false;
	me->nr += count;
	for (i = 0; i < ARRAY_SIZE(floors) && floors[i]; i++) {
		lock(floors[i]);
		if (words_after(last, floors[i]->highest))
			floors[i]->highest = last;
		unlock(floors[i]);
	}
	return true;
}

FIXTURE(orders) {
	const struct format *f;
	struct sharing *sharing;
	struct taker *takers;
	struct source sources[TAKERS];
	int cpus[2];
	__u32 seed;
};

FIXTURE_VARIANT(orders) {
	__u32 format;
};

FIXTURE_VARIANT_ADD(orders, v1) { KUID_FORMAT_V1 };
FIXTURE_VARIANT_ADD(orders, v6) { KUID_FORMAT_V6 };
FIXTURE_VARIANT_ADD(orders, v7) { KUID_FORMAT_V7 };
FIXTURE_VARIANT_ADD(orders, lex) { KUID_FORMAT_LEX };
FIXTURE_VARIANT_ADD(orders, k64) { KUID_FORMAT_K64 };
FIXTURE_VARIANT_ADD(orders, k96) { KUID_FORMAT_K96 };
FIXTURE_VARIANT_ADD(orders, k128) { KUID_FORMAT_K128 };

FIXTURE_SETUP(orders)
{
	int i;

	self->f = format_of(variant->format);
	self->sharing = share_memory(sizeof(*self->sharing));
	ASSERT_NE(NULL, self->sharing);
	self->takers = share_memory(TAKERS * sizeof(*self->takers));
	ASSERT_NE(NULL, self->takers);
	if (allowed_cpus(self->cpus, 2) < 2)
		self->cpus[1] = self->cpus[0];
	self->seed = pick_seed();
	TH_LOG("seed %u", self->seed);
	for (i = 0; i < TAKERS; i++) {
		self->sources[i].fd = -1;
		self->sources[i].floor = &self->sharing->files[i];
	}
}

FIXTURE_TEARDOWN(orders)
{
	int i;

	for (i = 0; i < TAKERS; i++)
		close(self->sources[i].fd);
}

static void open_source(struct __test_metadata *_metadata,
			FIXTURE_DATA(orders) *self, int nr, bool text,
			__u32 order)
{
	struct source *source = &self->sources[nr];

	source->fd = open_node(self->f, text ? ".txt" : "", 0);
	ASSERT_LE(0, source->fd);
	ASSERT_EQ(0, set_order(source->fd, order));
	source->order = order;
	source->text = text;
}

static struct taker *start_taker(FIXTURE_DATA(orders) *self, int nr,
				 int source, __u32 orders)
{
	struct taker *taker = &self->takers[nr];

	taker->f = self->f;
	taker->sharing = self->sharing;
	taker->source = &self->sources[source];
	taker->cpu = nr % 2;
	taker->cpu_number = self->cpus[nr % 2];
	taker->orders = orders;
	taker->seed = self->seed + nr;
	return taker;
}

static void *take_each(void *arg)
{
	struct taker *me = arg;

	if (move_to_cpu(0, me->cpu_number))
		me->wrong = "can't be taken on its CPU";
	while (!me->wrong && me->nr < EACH &&
	       !__atomic_load_n(&me->sharing->failed, __ATOMIC_RELAXED))
		take_in_order(me);
	if (me->wrong)
		__atomic_store_n(&me->sharing->failed, true, __ATOMIC_RELAXED);
	return NULL;
}

static int compare_words(const void *one, const void *other)
{
	const struct words *a = one, *b = other;

	return words_after(*a, *b) - words_after(*b, *a);
}

static void check_no_repeat(struct __test_metadata *_metadata,
			    const struct taker *takers, int nr)
{
	struct words *all = malloc(nr * (EACH + COUNT_MAX) * sizeof(*all));
	size_t sum = 0, i;

	ASSERT_NE(NULL, all);
	for (; nr--; takers++) {
		for (i = 0; i < takers->nr; i++)
			all[sum++] = id_words(takers->f,
					      id_at(takers->f, takers->ids, i));
	}
	qsort(all, sum, sizeof(*all), compare_words);
	for (i = 1; i < sum; i++) {
		ASSERT_TRUE(words_after(all[i], all[i - 1])) {
			TH_LOG("%016llx%016llx is there twice",
			       (unsigned long long)all[i].high,
			       (unsigned long long)all[i].low);
		}
	}
	free(all);
}

static void check_takers(struct __test_metadata *_metadata,
			 const struct taker *takers, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		ASSERT_EQ(NULL, takers[i].wrong) {
			TH_LOG("taker %d, after %u IDs: one in order %u %s", i,
			       takers[i].nr, takers[i].order, takers[i].wrong);
		}
	}
	check_no_repeat(_metadata, takers, nr);
}

/* Two threads of this process, and two processes that it starts. */
static void take_at_once(struct __test_metadata *_metadata,
			 FIXTURE_DATA(orders) *self)
{
	struct taker *takers = self->takers;
	pid_t children[2];
	int i;

	for (i = 0; i < 2; i++) {
		children[i] = fork_child();
		ASSERT_LE(0, children[i]);
		if (!children[i]) {
			take_each(&takers[2 + i]);
			_exit(0);
		}
	}
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&takers[i].thread, NULL, take_each,
					    &takers[i]));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_join(takers[i].thread, NULL));
	for (i = 0; i < 2; i++)
		ASSERT_TRUE(ended_well(children[i]));
	check_takers(_metadata, takers, TAKERS);
	for (i = 0; i < TAKERS; i++)
		ASSERT_LE(EACH, takers[i].nr);
}

/*
 * A file that two threads and a child share, one that gives text, and one of
 * another format that is asked for this one call by call.
 */
TEST_F(orders, host_at_once)
{
	const __u32 host = 1U << KUID_ORDER_HOST;

	open_source(_metadata, self, 0, false, KUID_ORDER_HOST);
	open_source(_metadata, self, 1, true, KUID_ORDER_HOST);
	start_taker(self, 0, 0, host);
	start_taker(self, 1, 0, host);
	start_taker(self, 2, 0, host);
	start_taker(self, 3, 1, host);
	take_at_once(_metadata, self);
}

TEST_F(orders, host_call_by_call)
{
	const __u32 host = 1U << KUID_ORDER_HOST;
	int i;

	for (i = 0; i < TAKERS; i++) {
		self->sources[i].fd = open(DEV_KUID, O_RDONLY);
		ASSERT_LE(0, self->sources[i].fd);
		start_taker(self, i, i, host);
	}
	take_at_once(_metadata, self);
}

TEST_F(orders, file_at_once)
{
	int i;

	open_source(_metadata, self, 0, false, KUID_ORDER_FILE);
	for (i = 0; i < TAKERS; i++)
		start_taker(self, i, 0, 1U << KUID_ORDER_FILE);
	take_at_once(_metadata, self);
}

/* Each CPU has two, which have a file each. */
TEST_F(orders, cpu_at_once)
{
	int i;

	for (i = 0; i < TAKERS; i++) {
		open_source(_metadata, self, i, i == 3, KUID_ORDER_CPU);
		start_taker(self, i, i, 1U << KUID_ORDER_CPU);
	}
	take_at_once(_metadata, self);
}

TEST_F(orders, mixed_at_once)
{
	const __u32 all = 1U << KUID_ORDER_CPU | 1U << KUID_ORDER_FILE |
			  1U << KUID_ORDER_HOST;

	open_source(_metadata, self, 0, false, KUID_ORDER_FILE);
	open_source(_metadata, self, 1, false, KUID_ORDER_CPU);
	open_source(_metadata, self, 2, true, KUID_ORDER_HOST);
	start_taker(self, 0, 0, all);
	start_taker(self, 1, 0, all);
	start_taker(self, 2, 1, all);
	start_taker(self, 3, 2, all);
	take_at_once(_metadata, self);
}

/*
 * One thread, from CPU to CPU and from file to file: what each CPU has left of
 * what it took before is below what others have been given since.
 */
TEST_F(orders, mixed_by_turns)
{
	const __u32 all = 1U << KUID_ORDER_CPU | 1U << KUID_ORDER_FILE |
			  1U << KUID_ORDER_HOST;
	int turn;

	open_source(_metadata, self, 0, false, KUID_ORDER_FILE);
	open_source(_metadata, self, 1, false, KUID_ORDER_HOST);
	open_source(_metadata, self, 2, true, KUID_ORDER_HOST);
	open_source(_metadata, self, 3, true, KUID_ORDER_CPU);
	for (turn = 0; turn < TAKERS; turn++)
		start_taker(self, turn, turn, all);

	for (turn = 0; turn < TURNS; turn++) {
		struct taker *taker =
			&self->takers[pick(&self->seed) % TAKERS];

		if (taker->nr >= EACH)
			break;
		taker->cpu = pick(&self->seed) % 2;
		ASSERT_EQ(0, move_to_cpu(0, self->cpus[taker->cpu]));
		if (!take_in_order(taker))
			break;
	}
	check_takers(_metadata, self->takers, TAKERS);
}

/* From file to file and CPU to CPU, nothing but the order of the host. */
TEST_F(orders, host_by_turns)
{
	const __u32 host = 1U << KUID_ORDER_HOST;
	int turn;

	open_source(_metadata, self, 0, false, KUID_ORDER_HOST);
	open_source(_metadata, self, 1, false, KUID_ORDER_FILE);
	open_source(_metadata, self, 2, true, KUID_ORDER_HOST);
	open_source(_metadata, self, 3, false, KUID_ORDER_CPU);
	for (turn = 0; turn < TAKERS; turn++)
		start_taker(self, turn, turn, host);

	for (turn = 0; turn < TURNS; turn++) {
		struct taker *taker = &self->takers[turn % TAKERS];

		ASSERT_EQ(0, move_to_cpu(0, self->cpus[turn / 3 % 2]));
		if (taker->nr >= EACH || !take_in_order(taker))
			break;
	}
	check_takers(_metadata, self->takers, TAKERS);
}

/*
 * Big batches by CPU, of a child that is moved meanwhile: another CPU may be
 * behind the one that the batch was begun on, but the IDs of a call increase.
 */
TEST_F(orders, batches_by_cpu)
{
	const size_t count = 4096;
	unsigned int moves = 0;
	int status;
	pid_t pid;

	open_source(_metadata, self, 0, false, KUID_ORDER_CPU);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		__u8 *ids = malloc(count * ID_SIZE_MAX);
		int turn, bad = !ids;

		for (turn = 0; turn < TURNS && !bad; turn++) {
			struct words last = { 0 };
			long got = generate_in_order(self->f,
						     self->sources[0].fd,
						     KUID_ORDER_CPU, ids,
						     count);

			bad = got <= 0 ||
			      count_in_order(self->f, ids, got, &last) != got;
			/* Of those of small grids this takes seconds. */
			if (self->f->rate < NSEC_PER_SEC)
				turn += 15;
		}
		_exit(bad);
	}
	while (!waitpid(pid, &status, WNOHANG))
		move_to_cpu(pid, self->cpus[moves++ % 2]);
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

TEST_HARNESS_MAIN
