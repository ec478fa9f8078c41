// SPDX-License-Identifier: GPL-2.0-only
/*
 * A call's IDs are made in chunks. For each chunk, reserve.c reserves stamps or
 * slots, and sink.c packs IDs from that reservation and stores them.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "compat.h"
#include "counters.h"
#include "events.h"
#include "make.h"
#include "reserve.h"
#include "sink.h"

/**
 * kuid_make_chunk - make IDs from one reservation
 * @request: the call; its want and made are updated
 * @sink: the sink for the IDs
 * @count: number of IDs to make, 1 to &struct kuid_sink.most
 *
 * Context: any but NMI if @request->nonblock is set, the sink is in kernel
 * memory, and the kernel has random bytes in that context if the format needs
 * any. Otherwise process: sleeps as kuid_reserve() does, and may fault.
 * Return: the number of IDs that were stored, at least 1; 0 if the reservation
 * does not continue the call's IDs; -EFAULT if the sink stored none; or an
 * error of kuid_reserve().
 */
ssize_t kuid_make_chunk(struct kuid_request *request, struct kuid_sink *sink,
			u32 count)
{
	struct kuid_taken taken;
	u32 stored;
	int ret;

	request->want.count = count;
	for (;;) {
		ret = kuid_reserve(request, &taken);
		if (ret)
			return ret;
		if (!kuid_made_goes_on(&request->made, &taken))
			return 0;
		stored = kuid_sink_store(sink, &taken);
		if (likely(kuid_events_let_pass(request->want.part,
						taken.origin.epoch)))
			break;
		kuid_sink_take_back(sink);
	}
	kuid_made_add(&request->made, &taken, stored);
	this_cpu_add(kuid_counters.ids[request->format], stored);
	if (!stored)
		return -EFAULT;
	return stored;
}

/**
 * kuid_make - make as many IDs as fit
 * @request: the call, which may have made IDs by the short path
 * @sink: the sink for the next IDs: user memory or an iov_iter, with room for
 *	at least one ID
 *
 * The call ends early, with fewer IDs, if a signal is pending, if memory can't
 * be written, if a reservation fails, or if a reservation does not continue the
 * IDs made so far.
 *
 * Context: process. Unless @request->nonblock is set, sleeps for reservations
 * as kuid_reserve() does. May sleep for scratch memory and user memory.
 * Return: the number of IDs that the call has made, at least 1. If it ends
 * before the first ID: -EFAULT if memory can't be written, or an error of
 * kuid_reserve().
 */
ssize_t kuid_make(struct kuid_request *request, struct kuid_sink *sink)
{
	/* Kernels that clear the stack would clear all of it for each call. */
	u8 few[KUID_SINK_FEW_SIZE] kuid_compat_uninitialized;
	size_t count = kuid_sink_left(sink) / sink->size;
	ssize_t ret;

	request->single = count == 1 && !request->made.count;
	kuid_sink_begin(sink, few, count, request->nonblock);
	for (;;) {
		u32 n = min_t(size_t, count, sink->most);

		/*
		 * Check the memory before reserving: IDs that are reserved and
		 * can't be stored are lost. A single of an iov_iter skips the
		 * check, because it can lose only one ID. In user memory, the
		 * short path may have lost that one.
		 */
		if (!request->single || sink->kind == KUID_SINK_USER)
			n = kuid_sink_room(sink, n);
		if (!n) {
			ret = -EFAULT;
			break;
		}
		ret = kuid_make_chunk(request, sink, n);
		if (ret <= 0)
			break;
		count -= ret;
		/* Lines may be shorter than the longest one: then more fit. */
		if (sink->text)
			count = kuid_sink_left(sink) / sink->size;
		/*
		 * Only a signal ends the call. signal_pending() would end it
		 * for io_uring's task work as well, which can wait.
		 */
		if (!count || sink->full || task_sigpending(current))
			break;
		cond_resched();
	}
	kuid_sink_end(sink);
	return request->made.count ? request->made.count : ret;
}
