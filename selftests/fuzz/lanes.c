// SPDX-License-Identifier: GPL-2.0-only
/*
 * IDs of private lanes. Lanes end with each fork, large clock step and change of
 * the identity. While a node is given, or the machine may be a clone, the device
 * makes their IDs.
 *
 * A handle tells before and after a call which epoch it has, and where its IDs
 * are made. If the epoch is the same, these IDs are of a known lane, or known to
 * be the device's. Otherwise they may be of either.
 */
#include <kuid.h>

#include "fuzz.h"

/**
 * struct lanes - a handle
 * @nodes: of its epochs
 */
struct lanes {
	struct kuid *handle;
	const struct format *f;
	struct fuzz_nodes nodes;
};

static const __u32 stamp_formats[] = {
	KUID_FORMAT_V1, KUID_FORMAT_V6, KUID_FORMAT_V7,
};

#define NR_STAMP_FORMATS ARRAY_SIZE(stamp_formats)

/* Handles of all threads, which children inherit; then the thread's own. */
static struct lanes shared[NR_STAMP_FORMATS];
static __thread struct lanes own;

/* The last ID of each, as this thread sees it, with the handle's epoch. */
static __thread struct fuzz_last lasts[NR_STAMP_FORMATS + 1];

/**
 * struct place - where the next ID of a handle is made
 * @epoch: the handle's epoch
 * @made_by: KUID_MADE_BY_*
 * @kernel: the kernel's epoch
 */
struct place {
	__u64 epoch;
	__u32 made_by;
	__u64 kernel;
};

static struct place place_of(struct fuzz_actor *actor,
			     const struct kuid *handle)
{
	struct kuid_handle_status status;
	struct place place = { .kernel = fuzz_status(actor).epoch };

	/* Another thread may begin an epoch between the two members. */
	kuid_read_handle_status(handle, &status);
	do {
		place.epoch = status.epoch;
		kuid_read_handle_status(handle, &status);
		place.made_by = status.made_by;
	} while (status.epoch != place.epoch);
	return place;
}

/* While a node is given there are no lanes, so that this fails. */
static bool open_lanes(struct fuzz_actor *actor, struct lanes *lanes,
		       __u32 format)
{
	fuzz_lock();
	if (!lanes->handle) {
		*lanes = (struct lanes) {
			.handle = kuid_open_flags(format, KUID_PRIVATE),
			.f = format_of(format),
		};
		if (!lanes->handle && errno != EOPNOTSUPP)
			fuzz_fail(actor, "no private lane: %s",
				  strerror(errno));
	}
	fuzz_unlock();
	return lanes->handle;
}

/* In a child, the lanes of a handle are others than in its parent. */
void fuzz_lanes_forked(void)
{
	size_t i;

	for (i = 0; i < NR_STAMP_FORMATS; i++)
		shared[i].nodes = (struct fuzz_nodes) { 0 };
	own.nodes = (struct fuzz_nodes) { 0 };
	memset(lasts, 0, sizeof(lasts));
}

/* The order of the device holds within the kernel's epoch only. */
static void book_lane(struct fuzz_actor *actor, struct lanes *lanes,
		      struct fuzz_last *last, const __u8 *ids, size_t count,
		      const struct place *before, const struct place *after)
{
	bool known = before->epoch == after->epoch;
	bool by_lane = known && before->made_by == KUID_MADE_BY_LANE;
	bool by_kernel = known && !by_lane && before->kernel == after->kernel;
	struct fuzz_made *made = &fuzz_world->made[lanes->f->number];
	struct fuzz_nodes *nodes = by_lane ? &lanes->nodes : NULL;
	struct words order = { 0 };
	struct fields fields;

	if (by_kernel)
		nodes = &fuzz_world->kernel;
	fuzz_book(actor, lanes->f, ids, count, nodes,
		  by_kernel ? after->kernel : after->epoch, 0, &fields, &fields);
	if (!known)
		__atomic_add_fetch(&made->by_any, count, __ATOMIC_RELAXED);
	else if (by_lane)
		__atomic_add_fetch(&made->by_lanes, count, __ATOMIC_RELAXED);
	if (!by_lane && !by_kernel)
		return;
	fuzz_in_order(actor, lanes->f, "lane", last, after->epoch, ids);
	if (count_in_order(lanes->f, ids, count, &order) != count)
		fuzz_fail(actor, "%s: %zu of a lane don't increase",
			  lanes->f->name, count);
	fuzz_raise_last(last, after->epoch, order);
}

void fuzz_lane(struct fuzz_actor *actor)
{
	size_t i = fuzz_below(actor, 2 * NR_STAMP_FORMATS);
	struct lanes *lanes = i < NR_STAMP_FORMATS ? &shared[i] : &own;
	__u32 count = fuzz_count_of_ids(actor);
	struct place before, after;
	ssize_t got;

	if (!open_lanes(actor, lanes, stamp_formats[i % NR_STAMP_FORMATS]))
		return;
	before = place_of(actor, lanes->handle);
	if (count == 1)
		got = kuid_one(lanes->handle, actor->room) ? -1 : 1;
	else
		got = kuid_many(lanes->handle, actor->room, count);
	after = place_of(actor, lanes->handle);
	if (got < 0 && errno != EINTR)
		fuzz_fail(actor, "%s: %s", lanes->f->name, strerror(errno));
	else if (got > 0)
		book_lane(actor, lanes, &lasts[lanes == &own ? NR_STAMP_FORMATS :
								i],
			  actor->room, got, &before, &after);
	memset(actor->room, POISON, count * ID_SIZE_MAX);
	if (lanes != &own || !fuzz_one_in(actor, 250))
		return;
	kuid_close(own.handle);
	own.handle = NULL;
	lasts[NR_STAMP_FORMATS] = (struct fuzz_last) { 0 };
}
