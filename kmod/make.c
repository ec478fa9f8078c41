// SPDX-License-Identifier: GPL-2.0-only
/*
 * A call's IDs are made in chunks. For each chunk, reserve.c reserves stamps or
 * slots, and sink.c packs IDs from that reservation and stores them.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

#include "compat.h"
#include "counters.h"
#include "events.h"
#include "make.h"
#include "request.h"
#include "reserve.h"
#include "sink.h"

/* Bytes of an iov_iter that one check for writable memory covers. */
#define KUID_MAKE_ITER_SURE SZ_64K

/*
 * The number of bytes of user memory, up to @bytes, that can be written. Reads
 * and writes back one byte in each page: access_ok() alone would miss a page
 * that is unmapped or read-only, and the IDs reserved for it would be lost.
 */
static size_t kuid_make_user_room(u8 __user *to, size_t bytes)
{
	size_t at = 0;
	u8 byte;

	if (!user_access_begin(to, bytes))
		return 0;
	while (at < bytes) {
		unsafe_get_user(byte, to + at, end);
		unsafe_put_user(byte, to + at, end);
		at += PAGE_SIZE - offset_in_page(to + at);
	}
end:
	user_access_end();
	return min(at, bytes);
}

/*
 * The number of bytes of the iov_iter, up to @bytes, that can be written. One
 * check covers several chunks, because chunks of an iov_iter are small.
 */
static size_t kuid_make_iter_room(struct kuid_sink *sink, size_t bytes)
{
	size_t ahead;

	if (sink->sure < bytes) {
		ahead = min_t(size_t, iov_iter_count(sink->iter),
			      KUID_MAKE_ITER_SURE);
		sink->sure =
			ahead - fault_in_iov_iter_writeable(sink->iter, ahead);
	}
	return min(sink->sure, bytes);
}

/* The number of bytes of the sink, up to @bytes, that can be written. */
static __always_inline size_t kuid_make_room(struct kuid_sink *sink,
					     size_t bytes)
{
	if (sink->kind == KUID_SINK_USER)
		return kuid_make_user_room(sink->user, bytes);
	if (sink->kind == KUID_SINK_ITER)
		return kuid_make_iter_room(sink, bytes);
	return bytes;
}

/*
 * Make IDs from one reservation. @left: the room of the sink. Returns the
 * number of IDs that were stored, at least 1; 0 if the reservation does not
 * continue the call's IDs; -EFAULT if the sink stored none; or an error of
 * kuid_reserve().
 */
static __always_inline int kuid_make_chunk(struct kuid_request *request,
					   struct kuid_sink *sink)
{
	struct kuid_taken taken kuid_compat_uninitialized;
	const size_t left = sink->left;
	u32 stored;
	int ret;

	do {
		if (request->patient ||
		    !kuid_reserve_now(&request->want, request->single,
				      &taken)) {
			ret = kuid_reserve(request, &taken);
			if (ret)
				return ret;
		}
		if (!kuid_made_goes_on(&request->made, &taken))
			return 0;
		stored = kuid_sink_store(sink, &taken);
		if (likely(kuid_events_let_pass(request->want.part,
						taken.origin.epoch)))
			break;
		kuid_sink_take_back(sink, left);
	} while (true);
	kuid_made_add(&request->made, &taken, stored);
	this_cpu_add(kuid_counters.ids[request->format], stored);
	return stored ?: -EFAULT;
}

/**
 * kuid_make - make as many IDs as fit
 * @request: the call, which has made no ID yet, as kuid_want_one() begins it
 * @sink: the sink for the IDs, with room for at least one
 *
 * The call ends early, with fewer IDs, if a signal is pending, if memory can't
 * be written, if a reservation fails, if a reservation does not continue the
 * IDs made so far, if the gate or the clock is shut, or if it may not sleep and
 * has used up the window.
 *
 * Context: any but NMI if @request->nonblock is set, the sink is in kernel
 * memory, and the kernel has random bytes in that context if the format needs
 * any. Otherwise process: sleeps as kuid_reserve() does, for scratch memory and
 * for user memory.
 * Return: 0 if the call has made an ID, @request->made.count tells how many;
 * otherwise -EFAULT if memory can't be written, or an error of kuid_reserve().
 */
int kuid_make(struct kuid_request *request, struct kuid_sink *sink)
{
	/* Kernels that clear the stack would clear all of it for each call. */
	u8 few[KUID_SINK_FEW_SIZE] kuid_compat_uninitialized;
	unsigned int rests = 0;
	u32 bytes;
	int ret;

	request->single = sink->left < 2 * sink->size;
	if (!request->single)
		request->want.ahead =
			kuid_host.windows[request->want.source].batch;
	if (kuid_sink_packs(sink))
		kuid_sink_begin(sink, few, request->nonblock);
	do {
		bytes = min_t(size_t, sink->left, sink->most * sink->size);
		/*
		 * Check the memory before reserving: IDs that are reserved and
		 * can't be stored are lost. A single line and a single of an
		 * iov_iter skip the check, because they can lose only one ID.
		 * The short path may have lost another single already.
		 */
		if (!request->single ||
		    (sink->kind == KUID_SINK_USER && !sink->text))
			bytes = kuid_make_room(sink, bytes);
		request->want.count = bytes / sink->size;
		ret = request->want.count ? kuid_make_chunk(request, sink)
					  : -EFAULT;
		if (ret <= 0)
			break;
		/*
		 * Only a signal ends the call. io_uring may run it as task work
		 * with more of that pending, for which signal_pending() would
		 * end it after the rest of a run.
		 */
		if (sink->left < sink->size || sink->full ||
		    task_sigpending(current))
			break;
		request->begun = true;
		/*
		 * One chunk may be short because it is the rest of a run. A
		 * second one shows that the window is used up.
		 */
		if (ret < request->want.count && rests++)
			request->patient = true;
		cond_resched();
	} while (true);
	if (sink->allocated)
		kfree(sink->scratch);
	return request->made.count ? 0 : ret;
}
