// SPDX-License-Identifier: GPL-2.0-only
/*
 * The processes that make IDs in private lanes of libkuid. Their lanes end with
 * each fork, large clock step and change of the identity. While a node is given,
 * or the machine may be a clone, the device makes their IDs.
 *
 * A handle tells before and after a call which epoch it has, and where its IDs
 * are made. If the epoch is the same, these IDs are of a known lane, or known to
 * be the device's. Otherwise they may be of any epoch in between.
 */
#include <pthread.h>

/* The library's. */
#include <kuid.h>

#include "soak.h"

enum {
	THREADS = 4,
	OPEN_FOR = 500,		/* calls until a private handle is reopened */
	CHILD_CALLS = 25,
};

static const __u32 stamp_formats[] = {
	KUID_FORMAT_V1, KUID_FORMAT_V6, KUID_FORMAT_V7,
};

#define NR_STAMP_FORMATS ARRAY_SIZE(stamp_formats)

/**
 * struct lanes - the lanes of a handle, as one thread sees them
 * @handle: the handle
 * @f: its format
 * @name: name of the lane of the handle's epoch 0; the others follow
 * @over: all lanes before this epoch of the handle are over
 * @window: of the last v1 or v6; 0 if there was none
 * @epoch: the handle's epoch of @last
 * @last: the last ID
 */
struct lanes {
	struct kuid *handle;
	const struct format *f;
	__u64 name;
	__u64 over;
	__u32 window;
	__u64 epoch;
	struct words last;
};

/**
 * struct place - where the next ID of a handle is made
 * @epoch: the handle's epoch
 * @made_by: KUID_MADE_BY_*
 */
struct place {
	__u64 epoch;
	__u32 made_by;
};

static struct place place_of(const struct kuid *handle)
{
	struct kuid_handle_status status;
	struct place place;

	/* Another thread may begin an epoch between the two members. */
	kuid_read_handle_status(handle, &status);
	do {
		place.epoch = status.epoch;
		kuid_read_handle_status(handle, &status);
		place.made_by = status.made_by;
	} while (status.epoch != place.epoch);
	return place;
}

/* In a child, the lanes of a handle are others than in its parent. */
static struct lanes other_lanes(struct kuid *handle, const struct format *f)
{
	__u64 nr = __atomic_add_fetch(&soak->handles, 1, __ATOMIC_RELAXED);
	struct lanes lanes = {
		.handle = handle,
		.f = f,
		.name = nr << SOAK_LANE_SHIFT,
	};

	lanes.over = place_of(handle).epoch;
	return lanes;
}

/* While a node is given there are no lanes, so wait until it is random again. */
static struct kuid *open_handle(struct soak_actor *me, const struct format *f)
{
	struct kuid *handle;

	do {
		handle = kuid_open_flags(f->number, KUID_PRIVATE);
		if (handle || errno != EOPNOTSUPP)
			break;
		usleep(20000);
	} while (!soak_stopped());
	if (!handle && !soak_stopped())
		soak_fail("%s: no private lane: %m", me->name);
	return handle;
}

static bool open_lanes(struct soak_actor *me, const struct format *f,
		       struct lanes *lanes)
{
	struct kuid *handle = open_handle(me, f);

	if (handle)
		*lanes = other_lanes(handle, f);
	return handle;
}

/* All IDs of the handle's earlier epochs were made by calls that have begun. */
static void end_lanes(struct lanes *lanes, __u64 before)
{
	if (lanes->f->number == KUID_FORMAT_V7)
		soak_end_lanes(lanes->name + lanes->over,
			       lanes->name + before);
	lanes->over = before;
}

static void close_lanes(struct lanes *lanes)
{
	end_lanes(lanes, place_of(lanes->handle).epoch + 1);
	soak_end_window(lanes->window);
	kuid_close(lanes->handle);
}

/* Within an epoch of the handle, a thread's IDs increase. */
static void check_order(struct soak_actor *me, struct lanes *lanes,
			const __u8 *ids, ssize_t got, __u64 epoch)
{
	if (lanes->epoch != epoch)
		lanes->last = (struct words) { 0 };
	lanes->epoch = epoch;
	if (count_in_order(lanes->f, ids, got, &lanes->last) != got)
		soak_fail("%s, call %llu: %zd %s of a lane don't increase",
			  me->name, (unsigned long long)me->calls, got,
			  lanes->f->name);
}

static void make_once(struct soak_actor *me, struct lanes *lanes, __u8 *ids)
{
	__u32 count = soak_pick_count(&me->seed);
	struct soak_origin origin;
	struct place before, after;
	__u32 window;
	ssize_t got;

	soak_begin(me);
	before = place_of(lanes->handle);
	end_lanes(lanes, before.epoch);
	origin.from = soak_epoch(me);
	if (count == 1)
		got = kuid_one(lanes->handle, ids) ? -1 : 1;
	else
		got = kuid_many(lanes->handle, ids, count);
	if (got < 0) {
		soak_fail("%s, call %llu, %s: %m", me->name,
			  (unsigned long long)me->calls, lanes->f->name);
		return;
	}
	origin.to = soak_epoch(me);
	after = place_of(lanes->handle);
	origin.first_lane = lanes->name + before.epoch;
	origin.last_lane = lanes->name + after.epoch;
	origin.maker = before.epoch != after.epoch ? SOAK_ANYONE :
		       before.made_by == KUID_MADE_BY_LANE ? SOAK_LANE :
							     SOAK_KERNEL;
	/* The order of the device holds within the kernel's epoch only. */
	if (before.epoch == after.epoch &&
	    (origin.maker == SOAK_LANE || origin.from == origin.to))
		check_order(me, lanes, ids, got, after.epoch);
	window = soak_book_from(me, lanes->f, ids, got, &origin);
	if (lanes->window != window)
		soak_end_window(lanes->window);
	lanes->window = window;
	soak_end(me);
}

/**
 * struct maker - a thread that makes IDs in lanes
 * @me: its entry in the shared memory
 * @lanes: of the handles that all threads of the process share
 * @id: the thread
 */
struct maker {
	struct soak_actor *me;
	struct lanes lanes[NR_STAMP_FORMATS];
	pthread_t id;
};

static const struct format *pick_format(__u32 *seed)
{
	return format_of(stamp_formats[pick(seed) % NR_STAMP_FORMATS]);
}

static void *run_maker(void *arg)
{
	static __thread __u8 ids[SOAK_CALL_MAX * ID_SIZE_MAX];
	struct maker *maker = arg;
	struct soak_actor *me = maker->me;
	struct lanes own;

	if (!open_lanes(me, pick_format(&me->seed), &own))
		return NULL;
	while (!soak_stopped()) {
		__u32 choice = pick(&me->seed) % (2 * NR_STAMP_FORMATS);

		make_once(me, choice < NR_STAMP_FORMATS ?
			      &maker->lanes[choice] : &own, ids);
		if (pick(&me->seed) % OPEN_FOR)
			continue;
		close_lanes(&own);
		if (!open_lanes(me, pick_format(&me->seed), &own))
			break;
	}
	return NULL;
}

/* Make IDs in threads, which share some handles and have others of their own. */
void soak_make(__u32 seed, int nr)
{
	struct maker makers[THREADS];
	size_t k;
	int i;

	for (i = 0; i < THREADS; i++)
		makers[i].me = soak_actor("maker", nr + i, seed);
	for (k = 0; k < NR_STAMP_FORMATS; k++) {
		if (!open_lanes(makers[0].me, format_of(stamp_formats[k]),
				&makers[0].lanes[k]))
			return;
	}
	for (i = 0; i < THREADS; i++) {
		memcpy(makers[i].lanes, makers[0].lanes,
		       sizeof(makers[i].lanes));
		if (pthread_create(&makers[i].id, NULL, run_maker, &makers[i]))
			soak_fail("pthread_create: %m");
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(makers[i].id, NULL);
}

static struct lanes inherited[NR_STAMP_FORMATS];

static void make_and_end(__u32 seed, int nr)
{
	static __u8 ids[SOAK_CALL_MAX * ID_SIZE_MAX];
	struct soak_actor *me = soak_actor("maker's child", nr, seed);
	struct lanes lanes[NR_STAMP_FORMATS];
	size_t k;
	int i;

	for (k = 0; k < NR_STAMP_FORMATS; k++)
		lanes[k] = other_lanes(inherited[k].handle, inherited[k].f);
	for (i = 0; i < CHILD_CALLS && !soak_stopped(); i++)
		make_once(me, &lanes[pick(&me->seed) % NR_STAMP_FORMATS], ids);
	for (k = 0; k < NR_STAMP_FORMATS; k++)
		close_lanes(&lanes[k]);
}

/* Fork two children at a time that use the handles of their parent. */
void soak_make_in_children(__u32 seed, int nr)
{
	static __u8 ids[SOAK_CALL_MAX * ID_SIZE_MAX];
	struct soak_actor *me = soak_actor("maker's parent", nr, seed);
	size_t k;
	int i;

	for (k = 0; k < NR_STAMP_FORMATS; k++) {
		if (!open_lanes(me, format_of(stamp_formats[k]), &inherited[k]))
			return;
	}
	while (!soak_stopped()) {
		for (k = 0; k < NR_STAMP_FORMATS; k++)
			make_once(me, &inherited[k], ids);
		for (i = 1; i <= 2; i++) {
			soak_start(make_and_end, pick(&me->seed), nr + i);
			soak_count(&soak->done.children);
		}
		/* While the children make theirs. */
		for (k = 0; k < NR_STAMP_FORMATS; k++)
			make_once(me, &inherited[k], ids);
		while (i-- > 1) {
			int status;

			if (wait(&status) < 0 || status)
				soak_fail("a child ended with status %x",
					  status);
		}
		usleep(1000 * (1 + pick(&me->seed) % 100));
	}
}
