/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads that take IDs of all formats on all CPUs while a test changes the
 * machine. They check that each call gives as many IDs as it asked for, in
 * order. At the end all IDs are compared: none may be a repeat.
 */
#ifndef TAKERS_H
#define TAKERS_H

#include <poll.h>
#include <pthread.h>

#include "clock_checks.h"
#include "record.h"

enum {
	TAKER_CPUS = 4,
	CALL_MAX = 4096,	/* IDs of a call */
	READS_MAX = 256,	/* IDs read until a call tells the epoch */
	KEPT_MAX = 1 << 16,	/* keys in the record of a taker */
	EPOCHS_MAX = 256,
};

struct takers;

/**
 * struct taker - a thread with an open file of its own, and the IDs it took
 * @kept: the IDs that it took
 * @epoch: of the last call that returned an epoch
 * @reads: IDs read since then, which belong to that epoch or to the next one
 * @descents: calls since then whose first ID was not above the one before
 * @cut: a call since then gave fewer IDs than it asked for, which only a new
 *	epoch may cause
 * @calls: number of calls; other threads read it
 */
struct taker {
	struct takers *all;
	pthread_t thread;
	const struct format *f;
	int fd;
	int cpu;
	bool blocking;
	__u32 seed;

	struct record kept;

	__u64 epoch;
	struct words last;
	__u8 *reads;
	unsigned int nr_reads;
	unsigned int descents;
	bool cut;
	__u8 *ids;

	unsigned int calls;
	__u64 taken;
	__u64 again;
	const char *wrong;
	long got;
	__u32 count;
};

/**
 * struct takers - all takers of a test
 * @may_be_cut: the test's changes of the machine may cut calls short
 * @cpus_come_and_go: the test unplugs CPUs; a taker returns to its CPU later
 * @nodes_come_again: the test gives a node that an earlier epoch has had
 * @slots_come_again: the test forces the clock, so slots are not compared
 * @only: take this format only; NULL for all formats
 * @greedy: take as many IDs as possible
 * @first_epoch: the epoch in which the takers began
 * @epochs: the node of v1 and v6 in each epoch, 0 if not yet known, and the
 *	times of the first and the last ID with it
 */
struct takers {
	struct taker *takers;
	int nr;
	bool running;
	bool stop;
	bool failed;
	bool may_be_cut;
	bool cpus_come_and_go;
	bool nodes_come_again;
	bool slots_come_again;
	const struct format *only;
	bool greedy;
	__u64 first_epoch;
	struct {
		__u64 node;
		__u64 first_ns;
		__u64 last_ns;
	} epochs[EPOCHS_MAX];
};

static inline void wrong(struct taker *me, const char *what)
{
	if (!me->wrong)
		me->wrong = what;
	__atomic_store_n(&me->all->failed, true, __ATOMIC_RELAXED);
}

/* All v1 and v6 of an epoch have its node. */
static inline void check_node(struct taker *me, __u64 epoch,
			      const struct fields *fields)
{
	__u64 nr = epoch - me->all->first_epoch;
	__u64 seen = 0;

	if (nr >= EPOCHS_MAX)
		return;
	if (!__atomic_compare_exchange_n(&me->all->epochs[nr].node, &seen,
					 fields->node, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED) &&
	    seen != fields->node)
		wrong(me, "has not the node of its epoch");
	stretch(&me->all->epochs[nr].first_ns, fields->ns, false);
	stretch(&me->all->epochs[nr].last_ns, fields->ns, true);
}

/* Check and keep IDs. @epoch is 0 if it is not known. */
static inline void keep_all(struct taker *me, const __u8 *ids, size_t nr,
			    __u64 epoch)
{
	struct fields fields;
	size_t i;

	for (i = 0; i < nr; i++) {
		const __u8 *id = id_at(me->f, ids, i);

		if (!decode(me->f, id, &fields))
			wrong(me, "is malformed");
		if (epoch && source_of(me->f) == KUID_FORMAT_V1)
			check_node(me, epoch, &fields);
		if (me->all->slots_come_again && !is_stamp(me->f))
			continue;
		if (!record_add_span(&me->kept, unique_part(me->f, id, &fields,
							    epoch)))
			wrong(me, "was given before");
	}
}

/* The IDs of a call increase, and are above those of the call before. */
static inline void check_order(struct taker *me, const __u8 *ids, size_t nr)
{
	struct words first = id_order(me->f, ids);

	if (!words_after(first, me->last))
		me->descents++;
	me->last = first;
	if (count_in_order(me->f, ids + me->f->id_size, nr - 1, &me->last) !=
	    nr - 1)
		wrong(me, "is not above the one before it in one call");
}

/* Check how many IDs a call gave. Returns false if it gave none. */
static inline bool check_count(struct taker *me, long got, __u32 count)
{
	me->got = got;
	me->count = count;
	if (got == count)
		return true;
	if (got == -EAGAIN && !me->blocking) {
		struct pollfd ready = { .fd = me->fd, .events = POLLIN };

		me->again++;
		if (is_stamp(me->f))
			wrong(me, "would have to wait, of which there are enough");
		if (poll(&ready, 1, -1) != 1 || !(ready.revents & POLLIN))
			wrong(me, "can't be waited for");
		return false;
	}
	if (got <= 0 || got > count) {
		wrong(me, "was not given");
		return false;
	}
	if ((me->blocking || is_stamp(me->f)) && !me->all->may_be_cut)
		me->cut = true;
	return true;
}

static inline void take_by_reading(struct taker *me, __u32 count)
{
	__u8 *to = me->reads + me->nr_reads * me->f->id_size;
	long got = read_ids(me->f, me->fd, to, count);

	if (!check_count(me, got, count))
		return;
	check_order(me, to, got);
	me->nr_reads += got;
	me->taken += got;
}

static inline void take_by_ioctl(struct taker *me, __u32 order, __u32 count)
{
	struct kuid_generate g = {
		.buffer = (uintptr_t)me->ids,
		.format = me->f->number,
		.order = order,
		.count = count,
	};
	bool was_cut = me->cut;
	__u64 epochs;
	long got;

	me->cut = false;
	got = ioctl(me->fd, KUID_IOC_GENERATE, &g) ? -errno : (long)g.done;
	if (!check_count(me, got, count)) {
		me->cut |= was_cut;
		return;
	}
	check_order(me, me->ids, got);
	me->taken += got;

	if (g.epoch < me->epoch)
		wrong(me, "is of an older epoch than the one before");
	epochs = g.epoch - me->epoch;
	if (me->descents > epochs)
		wrong(me, "is not above the one before it in its epoch");
	if (was_cut && !epochs)
		wrong(me, "was cut short though no epoch began");
	keep_all(me, me->reads, me->nr_reads, epochs ? 0 : me->epoch);
	keep_all(me, me->ids, got, g.epoch);
	me->epoch = g.epoch;
	me->nr_reads = 0;
	me->descents = 0;
}

/* Mostly small counts, so that there are many calls. */
static inline __u32 pick_count(__u32 *seed)
{
	__u32 choice = pick(seed) & 0xfff;

	return !choice ? CALL_MAX : choice < 16 ? 300 : choice < 1200 ? 7 : 1;
}

static inline void *take_until_stopped(void *arg)
{
	struct taker *me = arg;
	struct takers *all = me->all;

	move_to_cpu(0, me->cpu);
	while (!__atomic_load_n(&all->stop, __ATOMIC_RELAXED) &&
	       !__atomic_load_n(&all->failed, __ATOMIC_RELAXED)) {
		__u32 count = all->greedy ? CALL_MAX : pick_count(&me->seed);
		__u32 choice = pick(&me->seed);

		if (choice & 1 && me->nr_reads + count <= READS_MAX)
			take_by_reading(me, count);
		else
			take_by_ioctl(me, choice & 0xe ? KUID_ORDER_DEFAULT :
							 KUID_ORDER_HOST,
				      count);
		__atomic_store_n(&me->calls, me->calls + 1, __ATOMIC_RELAXED);
		if (all->cpus_come_and_go && !(me->calls % 64))
			move_to_cpu(0, me->cpu);
	}

	/* Check the last reads, too: that needs a call that tells the epoch. */
	while (me->nr_reads && !me->wrong)
		take_by_ioctl(me, KUID_ORDER_DEFAULT, 1);
	return NULL;
}

/* Wait until each taker has made @calls more calls, or one found a fault. */
static inline void let_them_take(struct takers *all, unsigned int calls)
{
	unsigned int from[TAKER_CPUS * NR_FORMATS];
	int t;

	for (t = 0; t < all->nr; t++)
		from[t] = __atomic_load_n(&all->takers[t].calls,
					  __ATOMIC_RELAXED);
	for (t = 0; t < all->nr; t++) {
		while (__atomic_load_n(&all->takers[t].calls,
				       __ATOMIC_RELAXED) - from[t] < calls &&
		       !__atomic_load_n(&all->failed, __ATOMIC_RELAXED))
			usleep(1000);
	}
}

/*
 * Start a taker for each format on each CPU. The caller zeroes @all before, and
 * sets the options in it.
 */
static inline void start_takers(struct __test_metadata *_metadata,
				struct takers *all)
{
	int cpus[TAKER_CPUS];
	int nr_cpus = allowed_cpus(cpus, TAKER_CPUS);
	__u32 seed = pick_seed();
	int t, nr;

	ASSERT_LT(0, nr_cpus);
	TH_LOG("seed %u", seed);
	nr = nr_cpus * (all->only ? 1 : NR_FORMATS);
	all->takers = calloc(nr, sizeof(*all->takers));
	ASSERT_NE(NULL, all->takers);
	for (t = 0; t < EPOCHS_MAX; t++)
		all->epochs[t].first_ns = -1ULL;

	for (t = 0; t < nr; t++) {
		struct taker *me = &all->takers[t];
		struct kuid_generate g = { .count = 1 };

		me->all = all;
		me->f = all->only ? all->only : &formats[t % NR_FORMATS];
		me->cpu = cpus[all->only ? t : t / NR_FORMATS];
		/* Each format has blocking and non-blocking takers. */
		me->blocking = (t + t / NR_FORMATS) & 1;
		me->seed = seed + t;
		me->fd = open_device_file(me->f, "",
					  me->blocking ? 0 : O_NONBLOCK);
		ASSERT_LE(0, me->fd);
		ASSERT_TRUE(record_begin(&me->kept, KEPT_MAX));
		me->reads = malloc(READS_MAX * ID_SIZE_MAX);
		ASSERT_NE(NULL, me->reads);
		me->ids = malloc(CALL_MAX * ID_SIZE_MAX);
		ASSERT_NE(NULL, me->ids);

		g.buffer = (uintptr_t)me->ids;
		ASSERT_EQ(0, ioctl(me->fd, KUID_IOC_GENERATE, &g));
		me->epoch = g.epoch;
		me->last = id_order(me->f, me->ids);
		if (!t)
			all->first_epoch = g.epoch;
		keep_all(me, me->ids, 1, g.epoch);
	}
	all->running = true;
	for (t = 0; t < nr; t++) {
		ASSERT_EQ(0, pthread_create(&all->takers[t].thread, NULL,
					    take_until_stopped,
					    &all->takers[t]));
		all->nr++;
	}
	let_them_take(all, 100);
}

/* Stop all takers. A teardown may call this a second time. */
static inline void stop_takers(struct takers *all)
{
	int t;

	if (!all->running)
		return;
	all->running = false;
	__atomic_store_n(&all->stop, true, __ATOMIC_RELAXED);
	for (t = 0; t < all->nr; t++) {
		pthread_join(all->takers[t].thread, NULL);
		close(all->takers[t].fd);
	}
}

/* How many IDs of a source were given to more than one taker. */
static inline size_t count_repeats(struct __test_metadata *_metadata,
				   const struct takers *all, __u64 source)
{
	struct record record;
	size_t repeats = 0, nr = 0;
	int t;

	for (t = 0; t < all->nr; t++)
		nr += all->takers[t].kept.nr;
	ASSERT_TRUE(record_begin(&record, nr));
	for (t = 0; t < all->nr; t++) {
		if (source_of(all->takers[t].f) == source)
			record.mask |= all->takers[t].kept.mask;
	}
	for (t = 0; t < all->nr; t++) {
		if (source_of(all->takers[t].f) == source)
			repeats += record_join(&record, &all->takers[t].kept);
	}
	TH_LOG("like %s: %zu compared, 1 of %llu of all",
	       format_of(source)->name, record.nr,
	       (unsigned long long)record.mask + 1);
	record_end(&record);
	return repeats;
}

/* Stop the takers, and check that they found no fault and no repeat. */
static inline void check_takers(struct __test_metadata *_metadata,
				struct takers *all)
{
	__u64 taken = 0, again = 0;
	size_t k;
	int t, e, other;

	stop_takers(all);
	for (t = 0; t < all->nr; t++) {
		const struct taker *taker = &all->takers[t];

		EXPECT_EQ(NULL, taker->wrong) {
			TH_LOG("%s on CPU %d, %s, call %u: got %ld of %u, one %s",
			       taker->f->name, taker->cpu,
			       taker->blocking ? "blocking" : "non-blocking",
			       taker->calls, taker->got, taker->count,
			       taker->wrong);
		}
		taken += taker->taken;
		again += taker->again;
	}
	TH_LOG("%llu IDs, %llu times EAGAIN", (unsigned long long)taken,
	       (unsigned long long)again);
	for (k = 0; k < NR_FORMATS; k++) {
		if (source_of(&formats[k]) == formats[k].number)
			EXPECT_EQ(0, count_repeats(_metadata, all,
						   formats[k].number));
	}
	/* Epochs with one node follow each other, and share no tick. */
	for (e = 0; e < EPOCHS_MAX; e++) {
		for (other = 0; all->epochs[e].node && other < e; other++) {
			if (all->epochs[other].node != all->epochs[e].node)
				continue;
			EXPECT_TRUE(all->nodes_come_again);
			EXPECT_LT(all->epochs[other].last_ns,
				  all->epochs[e].first_ns);
		}
	}
}

#endif /* TAKERS_H */
