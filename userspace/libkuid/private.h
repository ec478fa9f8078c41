/* SPDX-License-Identifier: MIT */
/*
 * Private lanes: v1, v6 and v7 that this process makes itself.
 *
 * A lane is a node that nobody else has, and nanoseconds that increase. A
 * handle has one lane at a time, which all threads and signal handlers of the
 * process share. The handle gets another lane after a fork, when the lane's
 * generation is over, and when the wall clock was set back beyond the limit.
 * Each lane counts as an epoch of its handle.
 *
 * The lane is in memory that the kernel wipes in a child, whichever system call
 * forked it. There the node is 0, so a child can't make IDs of its parent's
 * lane.
 *
 * A call may be stopped at any instruction, and meanwhile the process may fork,
 * the virtual machine may be cloned, and another thread may replace the lane.
 * So an ID exists only after the last check of its call: the generation, the
 * number of vmclock and the node are those that the call began with. Otherwise
 * the call drops all its IDs and begins again. See holds() in private.c.
 */
#ifndef KUID_PRIVATE_H
#define KUID_PRIVATE_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/clock.h"
#include "core/lane.h"
#include "handle.h"

/**
 * struct kuid_private - a handle's lane
 * @node: the node, different for each lane of the handle; 0 if there is no lane
 * @generation: the lane may be used only while kuid.generation has this value
 * @vmclock: the same of kuid.vmclock
 * @max_ahead: the window in nanoseconds: how far stamps may be in front of the
 *	lane's clock
 * @key: of the hash in v7
 * @seq_offset: as in struct kuid_identity
 * @lane_scramble: as in struct kuid_identity
 * @lane: the stamps that were handed out
 * @lock: held by the thread that changes @clock or replaces the lane. Its
 *	signals are blocked meanwhile
 * @clock: for stamps that are further than @max_ahead in front of the wall clock
 * @step_limit: the lag in nanoseconds above which the lane is replaced
 * @refused: the generation in which the kernel handed out no node, so that the
 *	device makes the IDs; 0 if there was none
 * @load_id: of the epoch that @node belongs to
 *
 * All members but @lane, @lock and @clock change only while @node is 0.
 */
struct kuid_private {
	u64 node;
	u64 generation;
	u64 vmclock;
	u64 max_ahead;
	u64 key[2];
	u8 seq_offset;
	u8 lane_scramble;

	struct kuid_lane lane;

	raw_spinlock_t lock ____cacheline_aligned_in_smp;
	struct kuid_clock clock;
	u64 step_limit;
	u64 refused;
	u64 load_id;
};

/**
 * struct kuid_private_reading - the state of a lane at one moment
 * @lag: how far the lane's clock is in front of the wall clock, in nanoseconds
 * @ahead: how far the highest stamp is in front of the lane's clock, in
 *	nanoseconds
 * @load_id: &kuid_private.load_id
 */
struct kuid_private_reading {
	u64 lag;
	u64 ahead;
	u64 load_id;
};

/*
 * Get the first lane of a handle. If the handle has a file, the lane is the
 * kernel's, else the process draws it. Sets kuid.one. 0, or -1 and errno;
 * EOPNOTSUPP for what can't be made here.
 */
int kuid_private_open(struct kuid *handle);
void kuid_private_close(struct kuid *handle);

/* As kuid_make(), but may have stored IDs that it drops. */
ssize_t kuid_private_make(struct kuid *handle, const struct kuid_layout *layout,
			  unsigned int order, unsigned int flags, void *ids,
			  size_t count);

/*
 * The number of the handle's epoch: if it is the same before and after a call,
 * the IDs of this call are from that epoch.
 */
u64 kuid_private_epoch(const struct kuid *handle);

/* Whether the device makes the IDs of the handle at present. */
bool kuid_private_is_refused(const struct kuid *handle);

/* Zeroes if there is no lane. */
void kuid_private_read(const struct kuid *handle,
		       struct kuid_private_reading *reading);

#endif /* KUID_PRIVATE_H */
