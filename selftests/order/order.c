// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUID_ORDER_CPU, KUID_ORDER_FILE and KUID_ORDER_HOST, of every format. Several
 * files, threads and processes take IDs in turn, at once, and while they are
 * moved from CPU to CPU. Each ID must be above all IDs that its order names.
 *
 * Under a fine clock, two calls have different times, so the clock alone orders
 * them. Under a coarse clock (clocksource=jiffies), only lanes, sequences and
 * watermarks do.
 *
 * In any order no ID is farther below one that was returned before its call than
 * IDs may be ahead of the clock.
 */
#include "../lib/harness.h"

#include <pthread.h>
#include <sys/syscall.h>

#include "../lib/children.h"
#include "../lib/clock_checks.h"
#include "../lib/record.h"
#include "../lib/watermark.h"

/* IDs of a call: mostly few, so that there are many calls. */
static const __u32 counts[] = { 1, 1, 7, 1, 40, 2, 1, 300, 1, 7, 1, 64 };

#define COUNT_MAX	300
#define BATCH		4096
#define LONG_BATCH	500000

/* IDs that each taker takes at least, if all take at once. */
#define EACH		6000

/* Calls of each of two takers in lockstep; a call takes at most 4 IDs. */
#define STEPS		(EACH / 4)

/* Calls of all takers, if they take by turns. */
#define TURNS		1200

#define TAKERS		4

/* Orders, and bits of the orders that takers ask for. */
enum { CPU = KUID_ORDER_CPU, FILES = KUID_ORDER_FILE, HOST = KUID_ORDER_HOST };
enum { ALL = 1U << CPU | 1U << FILES | 1U << HOST };

/**
 * struct cast - the files of a test, and its takers
 * @orders: bits of the orders that all takers ask for
 * @of: the taker whose file a taker has, by a duplicate; or the taker itself
 * @file: the order of each taker's file; 0 for /dev/kuid
 * @texts: bits of the takers whose files give lines
 * @child: the taker by turns that is a process of its own; 0 if none is
 */
struct cast {
	__u32 orders;
	int of[TAKERS];
	__u32 file[TAKERS];
	__u32 texts;
	int child;
};

/**
 * struct source - an open file
 * @order: order of its reads; 0 if the file has another format, so that only
 *	generate can take IDs of the tested format
 * @text: the file gives lines
 * @watermark: watermark of the file, in shared memory
 */
struct source {
	int fd;
	__u32 order;
	bool text;
	struct watermark *watermark;
};

/**
 * struct shared - memory of all takers
 * @newest_ns: the highest time in an ID that was returned, in any order
 * @failed: a taker has found a fault, so the others stop
 * @begun: number of steps that takers in lockstep have begun
 */
struct shared {
	struct watermark cpus[2];
	struct watermark files[TAKERS];
	struct watermark host;
	__u64 newest_ns;
	bool failed;
	unsigned int begun;
};

/**
 * struct child - a process that takes IDs when its parent asks
 * @ask: a pipe; a byte asks for one call
 * @answer: a pipe; a byte says that the call has returned
 */
struct child {
	pid_t pid;
	int ask[2];
	int answer[2];
};

/**
 * struct taker - a thread or process, and the IDs it was given
 * @child: the process that makes the calls of a taker by turns; NULL if it
 *	makes them itself
 * @cpu: index of the CPU that the taker runs on
 * @moved: the taker may run on any CPU. A call in CPU order may then give fewer
 *	IDs than it was asked for, and need not follow the last call.
 * @orders: bits of the orders that the taker asks for
 * @wrong: the fault of the last call, or NULL
 * @order: order of the last call
 * @nr: number of @ids
 */
struct taker {
	const struct format *f;
	struct shared *shared;
	const struct source *source;
	const struct child *child;
	pthread_t thread;
	const int *cpus;
	int cpu;
	bool moved;
	__u32 orders;
	__u32 seed;
	const char *wrong;
	__u32 order;
	__u32 nr;
	__u8 ids[(EACH + COUNT_MAX) * ID_SIZE_MAX];
};

static long call(struct taker *me, __u32 order, void *to, __u32 count)
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

/* Check the times of the first and the last ID of a call. */
static void check_times(struct taker *me, __u64 newest, const void *ids,
			long nr)
{
	struct fields first, last;

	if (!decode(me->f, ids, &first) ||
	    !decode(me->f, id_at(me->f, ids, nr - 1), &last))
		me->wrong = "is not well-formed";
	else if (first.ns + AHEAD_NS + unit_of(me->f) < newest)
		me->wrong = "is too far below one that was returned before";
	stretch(&me->shared->newest_ns, last.ns, true);
}

/* Make a call, and check that its IDs are above all that its order names. */
static bool take_in_order(struct taker *me, void *to, __u32 count)
{
	struct watermark *watermarks[2] = { NULL };
	struct words last = { 0 }, highest;
	bool free_call;
	__u64 newest;
	long got;
	size_t i;

	do {
		me->order = KUID_ORDER_CPU + pick(&me->seed) % 3;
	} while (!(me->orders & 1U << me->order));

	free_call = me->moved && me->order == KUID_ORDER_CPU;
	if (me->order == KUID_ORDER_CPU)
		watermarks[0] = free_call ? NULL : &me->shared->cpus[me->cpu];
	else
		watermarks[0] = me->source->watermark;
	if (me->order == KUID_ORDER_HOST)
		watermarks[1] = &me->shared->host;

	for (i = 0; i < ARRAY_SIZE(watermarks) && watermarks[i]; i++) {
		highest = read_watermark(watermarks[i]);
		if (words_after(highest, last))
			last = highest;
	}
	newest = __atomic_load_n(&me->shared->newest_ns, __ATOMIC_ACQUIRE);
	got = call(me, me->order, to, count);
	if (got < 1 || (got != count && !free_call))
		me->wrong = "was not given, or not well-formed";
	else if (!count_in_order(me->f, to, 1, &last))
		me->wrong = "is not above all that were returned before";
	else if (count_in_order(me->f, id_at(me->f, to, 1), got - 1, &last) !=
		 got - 1)
		me->wrong = "is not above the one before it";
	else
		check_times(me, newest, to, got);
	for (i = 0; i < ARRAY_SIZE(watermarks) && watermarks[i]; i++)
		raise_watermark(watermarks[i], last);
	return !me->wrong;
}

static __u32 pick_count(__u32 *seed)
{
	return counts[pick(seed) % ARRAY_SIZE(counts)];
}

/* Make and check a call as above, and keep the IDs. */
static bool take_and_keep(struct taker *me, __u32 count)
{
	if (!take_in_order(me, me->ids + me->nr * me->f->id_size, count))
		return false;
	me->nr += count;
	return true;
}

static bool failed(const struct taker *me)
{
	return __atomic_load_n(&me->shared->failed, __ATOMIC_RELAXED);
}

static void go_to_cpu(struct taker *me)
{
	if (move_to_cpu(0, me->cpus[me->cpu]))
		me->wrong = "can't be taken on its CPU";
}

static void *take_each(void *arg)
{
	struct taker *me = arg;

	go_to_cpu(me);
	while (!me->wrong && me->nr < EACH && !failed(me))
		take_and_keep(me, pick_count(&me->seed));
	if (me->wrong)
		__atomic_store_n(&me->shared->failed, true, __ATOMIC_RELAXED);
	return NULL;
}

/*
 * The two calls of a step begin at about the same time, after both calls of the
 * last step have returned. So they often meet in the few instructions that
 * raise a watermark. A step has no further call that could hide a fault there.
 */
static void *take_in_lockstep(void *arg)
{
	struct taker *me = arg;
	unsigned int step;

	go_to_cpu(me);
	for (step = 1; !me->wrong && step <= STEPS; step++) {
		unsigned int delay = pick(&me->seed) % 32;

		__atomic_add_fetch(&me->shared->begun, 1, __ATOMIC_ACQ_REL);
		while (__atomic_load_n(&me->shared->begun, __ATOMIC_ACQUIRE) <
		       2 * step) {
			if (failed(me))
				return NULL;
		}
		while (delay--)
			asm volatile("" : : : "memory");
		take_and_keep(me, 1 + pick(&me->seed) % 4);
	}
	if (me->wrong)
		__atomic_store_n(&me->shared->failed, true, __ATOMIC_RELAXED);
	return NULL;
}

FIXTURE(order)
{
	const struct format *f;
	struct shared *shared;
	struct taker *takers;
	struct source sources[TAKERS];
	struct child child;
	int cpus[2];
	int nr_cpus;
	__u32 seed;
};

FORMAT_VARIANTS(order)

FIXTURE_SETUP(order)
{
	struct kuid_query query = { 0 };
	int i, fd;

	self->f = format_of(variant->format);
	self->shared = share_memory(sizeof(*self->shared));
	ASSERT_NE(NULL, self->shared);
	self->takers = share_memory(TAKERS * sizeof(*self->takers));
	ASSERT_NE(NULL, self->takers);
	self->nr_cpus = allowed_cpus(self->cpus, 2);
	if (self->nr_cpus < 2)
		self->cpus[1] = self->cpus[0];
	for (i = 0; i < TAKERS; i++) {
		self->sources[i].fd = -1;
		self->sources[i].watermark = &self->shared->files[i];
	}

	fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ioctl(fd, KUID_IOC_QUERY, &query));
	close(fd);
	self->seed = pick_seed();
	TH_LOG("seed %u, clock resolution %u ns", self->seed,
	       query.clock_resolution_ns);
}

FIXTURE_TEARDOWN(order)
{
	int i;

	for (i = 0; i < TAKERS; i++)
		close(self->sources[i].fd);
}

/* Text files and odd ones get the order of the host by their names. */
static void set_up(struct __test_metadata *_metadata,
		   FIXTURE_DATA(order) * self, const struct cast *cast)
{
	char path[40];
	int i;

	for (i = 0; i < TAKERS; i++) {
		struct source *source = &self->sources[i];
		bool text = cast->texts >> i & 1;
		bool by_name = cast->file[i] == HOST && (text || i % 2);

		self->takers[i].f = self->f;
		self->takers[i].shared = self->shared;
		self->takers[i].source = source;
		self->takers[i].cpus = self->cpus;
		self->takers[i].cpu = i % 2;
		self->takers[i].orders = cast->orders;
		self->takers[i].seed = self->seed + i;
		if (cast->of[i] != i) {
			*source = self->sources[cast->of[i]];
			source->fd = dup(source->fd);
			ASSERT_LE(0, source->fd);
			continue;
		}
		snprintf(path, sizeof(path), "/dev/kuids/%s%s%s",
			 by_name ? "host/" : "", self->f->name,
			 text ? ".txt" : "");
		source->fd = open(cast->file[i] ? path : DEV_KUID, O_RDONLY);
		ASSERT_LE(0, source->fd);
		if (cast->file[i] && !by_name)
			ASSERT_EQ(0, set_order(source->fd, cast->file[i]));
		source->order = cast->file[i];
		source->text = text;
	}
}

static void check_takers(struct __test_metadata *_metadata,
			 const struct taker *takers, int nr)
{
	struct record record;
	__u32 k;
	int i;

	ASSERT_TRUE(record_begin(&record, nr * (EACH + COUNT_MAX)));
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(NULL, takers[i].wrong)
		{
			TH_LOG("taker %d, after %u IDs: one in order %u %s", i,
			       takers[i].nr, takers[i].order, takers[i].wrong);
		}
		for (k = 0; k < takers[i].nr; k++)
			ASSERT_TRUE(record_add(&record,
					       id_words(takers->f,
							id_at(takers->f,
							      takers[i].ids,
							      k))));
	}
	record_end(&record);
}

/* Two threads of this process, and two processes that it starts. */
static void take_at_once(struct __test_metadata *_metadata,
			 FIXTURE_DATA(order) * self, const struct cast *cast)
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

#define ORDER_TEST(name, run, timeout, ...)			\
	static const struct cast cast_##name = { __VA_ARGS__ };	\
								\
	TEST_F_TIMEOUT(order, name, timeout)			\
	{							\
		set_up(_metadata, self, &cast_##name);		\
		run(_metadata, self, &cast_##name);		\
	}

/*
 * Two threads share a file, and two children read whole lines of another one, in
 * /dev/kuids/host. No line is torn.
 */
ORDER_TEST(host_at_once, take_at_once, 30, .orders = 1U << HOST,
	   .of = { 0, 0, 2, 2 }, .file = { HOST, 0, HOST }, .texts = 1 << 2)

ORDER_TEST(host_call_by_call, take_at_once, 30, .orders = 1U << HOST,
	   .of = { 0, 1, 2, 3 })

ORDER_TEST(file_at_once, take_at_once, 30, .orders = 1U << FILES,
	   .file = { FILES })

/* Each CPU has two takers, and each taker has its own file. */
ORDER_TEST(cpu_at_once, take_at_once, 30, .orders = 1U << CPU,
	   .of = { 0, 1, 2, 3 }, .file = { CPU, CPU, CPU, CPU },
	   .texts = 1 << 3)

#define MIX	.orders = ALL, .of = { 0, 0, 2, 3 }, \
		.file = { FILES, 0, CPU, HOST }, .texts = 1 << 3

ORDER_TEST(mixed_at_once, take_at_once, 30, MIX)

/* Small steps keep the clock behind, but not so far that an epoch begins. */
static void *set_clock(void *arg)
{
	FIXTURE_DATA(order) *self = arg;
	int i;

	for (i = 0; i < 24; i++) {
		step_wall(i % 3 < 2 ? -90 * (__s64)NSEC_PER_MSEC :
				      50 * (__s64)NSEC_PER_MSEC);
		while (!failed(&self->takers[0]) &&
		       __atomic_load_n(&self->takers[0].nr, __ATOMIC_RELAXED) <
		       i * EACH / 24)
			usleep(500);
	}
	return NULL;
}

static void take_while_set(struct __test_metadata *_metadata,
			   FIXTURE_DATA(order) * self, const struct cast *cast)
{
	struct kuid_status before, after;
	pthread_t setter;

	ASSERT_EQ(0, get_status(self->sources[0].fd, &before));
	ASSERT_EQ(0, pthread_create(&setter, NULL, set_clock, self));
	take_at_once(_metadata, self, cast);
	ASSERT_EQ(0, pthread_join(setter, NULL));
	ASSERT_EQ(0, get_status(self->sources[0].fd, &after));
	EXPECT_EQ(before.epoch, after.epoch);
	EXPECT_LT(before.steps_back, after.steps_back);
	restore_wall();
}

ORDER_TEST(mixed_while_the_clock_is_set, take_while_set, 30, MIX)

/*
 * Two threads on two CPUs. Slow if they can't run at once: each waits for the
 * other.
 */
static void run_lockstep(struct __test_metadata *_metadata,
			 FIXTURE_DATA(order) * self, const struct cast *cast)
{
	struct taker *takers = self->takers;
	int i;

	if (self->nr_cpus < 2)
		SKIP(return, "needs 2 CPUs");
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&takers[i].thread, NULL,
					    take_in_lockstep, &takers[i]));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_join(takers[i].thread, NULL));
	check_takers(_metadata, takers, 2);
}

ORDER_TEST(file_in_lockstep, run_lockstep, 60, .orders = 1U << FILES,
	   .file = { FILES })

/* Each thread has its own file, so file order can't hide a fault. */
ORDER_TEST(host_in_lockstep, run_lockstep, 60, .orders = 1U << HOST,
	   .of = { 0, 1 }, .file = { HOST, HOST })

/* Start a process that makes a taker's calls by the files it inherits. */
static void start_child(struct __test_metadata *_metadata, struct child *child,
			struct taker *taker)
{
	char byte;

	ASSERT_EQ(0, pipe(child->ask));
	ASSERT_EQ(0, pipe(child->answer));
	child->pid = fork_child();
	ASSERT_LE(0, child->pid);
	if (!child->pid) {
		close(child->ask[1]);
		while (read(child->ask[0], &byte, 1) == 1) {
			go_to_cpu(taker);
			if (!taker->wrong)
				take_and_keep(taker, pick_count(&taker->seed));
			if (write(child->answer[1], &byte, 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	close(child->answer[1]);
	taker->child = child;
}

/*
 * Make one call after the other, by a random taker on a random CPU. A CPU's
 * lane and the rest of its run are then below the IDs that the other CPU has
 * given since.
 */
static void take_by_turns(struct __test_metadata *_metadata,
			  FIXTURE_DATA(order) * self, const struct cast *cast)
{
	int turn;

	if (cast->child)
		start_child(_metadata, &self->child,
			    &self->takers[cast->child]);
	for (turn = 0; turn < TURNS; turn++) {
		struct taker *taker = &self->takers[pick(&self->seed) % TAKERS];
		char byte = 0;

		/* A lane or run that doesn't follow the clock is late then. */
		if (turn == TURNS / 4)
			usleep(3 * AHEAD_NS / NSEC_PER_USEC);
		if (taker->nr >= EACH)
			break;
		taker->cpu = pick(&self->seed) % 2;
		if (taker->child) {
			ASSERT_EQ(1, write(taker->child->ask[1], &byte, 1));
			ASSERT_EQ(1, read(taker->child->answer[0], &byte, 1));
		} else {
			go_to_cpu(taker);
			if (!taker->wrong)
				take_and_keep(taker, pick_count(&taker->seed));
		}
		if (taker->wrong)
			break;
	}
	check_takers(_metadata, self->takers, TAKERS);
	if (!cast->child)
		return;
	close(self->child.ask[1]);
	ASSERT_TRUE(ended_well(self->child.pid));
}

#define ONE_OF_EACH	.of = { 0, 1, 2, 3 }, \
			.file = { FILES, HOST, HOST, CPU }, \
			.texts = 1 << 1 | 1 << 3

ORDER_TEST(mixed_by_turns, take_by_turns, 30, .orders = ALL, ONE_OF_EACH)

/* A process of its own reads lines of the file with the order in its name. */
ORDER_TEST(host_by_turns, take_by_turns, 30, .orders = 1U << HOST, ONE_OF_EACH,
	   .child = 1)

/*
 * A duplicate and an inherited descriptor are the same open file. The text file
 * has a watermark of its own.
 */
ORDER_TEST(file_by_turns, take_by_turns, 30, .orders = 1U << FILES,
	   .of = { 0, 0, 0, 3 }, .file = { FILES, 0, 0, FILES },
	   .texts = 1 << 3, .child = 2)

/**
 * struct mover - a thread that moves another thread from CPU to CPU
 * @moves: number of moves
 */
struct mover {
	pthread_t thread;
	pid_t moved;
	const int *cpus;
	unsigned int moves;
	bool stop;
	int error;
};

/*
 * The mover changes places with the other thread. If both ran on one CPU, the
 * scheduler would run them in slices, and the thread would be moved only
 * between its slices. Without real-time priority, the mover moves it less
 * often.
 */
static void *move_other(void *arg)
{
	const struct sched_param lowest = { .sched_priority = 1 };
	struct mover *mover = arg;
	unsigned int moves = 0;

	sched_setscheduler(0, SCHED_FIFO, &lowest);
	while (!__atomic_load_n(&mover->stop, __ATOMIC_RELAXED)) {
		if (move_to_cpu(mover->moved, mover->cpus[moves % 2]) ||
		    move_to_cpu(0, mover->cpus[(moves + 1) % 2])) {
			mover->error = errno;
			break;
		}
		__atomic_store_n(&mover->moves, ++moves, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Whether the mover has made that many moves, or has failed. */
static bool has_moved(struct mover *mover, unsigned int moves)
{
	return __atomic_load_n(&mover->error, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&mover->moves, __ATOMIC_RELAXED) >= moves;
}

/*
 * Take IDs while another thread moves this one: make at least @calls calls, and
 * go on until there were @moves moves. Each call asks for @count IDs; if @count
 * is 0, for a random number.
 */
static void take_while_moved(struct __test_metadata *_metadata,
			     FIXTURE_DATA(order) * self, __u32 order,
			     __u32 count, int calls, unsigned int moves)
{
	struct mover mover = {
		.moved = syscall(SYS_gettid),
		.cpus = self->cpus,
	};
	const struct cast cast = { .orders = 1U << order, .file = { order } };
	struct taker *taker = &self->takers[0];
	__u32 most = count ? count : BATCH;
	__u8 *ids;
	int i;

	if (self->nr_cpus < 2)
		SKIP(return, "needs 2 CPUs");
	ids = calloc(most, ID_SIZE_MAX);
	ASSERT_NE(NULL, ids);
	set_up(_metadata, self, &cast);
	taker->moved = true;

	ASSERT_EQ(0, pthread_create(&mover.thread, NULL, move_other, &mover));
	/* No assertion may leave this loop while the mover runs. */
	for (i = 0; !taker->wrong && (i < calls || !has_moved(&mover, moves));
	     i++) {
		__u32 n = count	    ? count
			  : i % 100 ? pick_count(&taker->seed)
				    : BATCH;
		take_in_order(taker, ids, n);
	}
	__atomic_store_n(&mover.stop, true, __ATOMIC_RELAXED);
	pthread_join(mover.thread, NULL);
	free(ids);

	ASSERT_EQ(0, mover.error);
	ASSERT_EQ(NULL, taker->wrong)
	{
		TH_LOG("call %d of %d: one %s", i, calls, taker->wrong);
	}
}

TEST_F_TIMEOUT(order, file_while_moved, 60)
{
	take_while_moved(_metadata, self, KUID_ORDER_FILE, 0, 8000, 300);
}

/* Each chunk of these is made on a CPU that the mover chose. */
TEST_F_TIMEOUT(order, file_in_long_batches_while_moved, 60)
{
	take_while_moved(_metadata, self, KUID_ORDER_FILE, LONG_BATCH, 2, 20);
}

/*
 * The IDs of a call increase, even if it is moved to a CPU that is behind the
 * first one.
 */
TEST_F_TIMEOUT(order, cpu_in_batches_while_moved, 60)
{
	take_while_moved(_metadata, self, KUID_ORDER_CPU, BATCH, 50, 50);
}

TEST_HARNESS_MAIN
