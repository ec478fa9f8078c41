// SPDX-License-Identifier: GPL-2.0-only
/*
 * A call's IDs are made in chunks, each of one reservation: reserve stamps or
 * slots, then let the sink make IDs of them and store those.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "counters.h"
#include "make.h"
#include "reserve.h"
#include "sink.h"

/*
 * Whether what was taken goes on with the call's IDs. It does not if it is of
 * another epoch, or below them because it was taken on another CPU: then the
 * call ends, and what was taken is lost.
 */
static bool kuid_request_goes_on(struct kuid_request *request,
				 const struct kuid_taken *taken)
{
	const struct kuid_units *units = &taken->units;

	if (request->epoch && (request->epoch != taken->origin.epoch ||
			       request->last >= units->first))
		return false;
	request->epoch = taken->origin.epoch;
	request->load_id = taken->origin.load_id;
	request->last = units->first + units->count - 1;
	return true;
}

/**
 * kuid_make_chunk - make IDs of one reservation
 * @request: the call
 * @sink: where the IDs go
 * @single: the call asks for one ID in all
 * @count: how many IDs, at least 1 and not more than %KUID_MAKE_CHUNK
 *
 * Context: any but NMI if @request->nonblock, the sink is in kernel memory and
 * the kernel gives random bytes there; else process, sleeps as kuid_reserve().
 * Return: how many were made; 0 if what there is now does not go on with what
 * the call has got; -EFAULT if the sink took none; or as kuid_reserve().
 */
ssize_t kuid_make_chunk(struct kuid_request *request, struct kuid_sink *sink,
			bool single, u32 count)
{
	struct kuid_taken taken;
	u32 stored;
	int ret;

	ret = kuid_reserve(request, single, count, &taken);
	if (ret)
		return ret;
	if (!kuid_request_goes_on(request, &taken))
		return 0;
	stored = kuid_sink_store(sink, &taken);
	this_cpu_add(kuid_counters.ids[request->format], stored);
	if (!stored)
		return -EFAULT;
	return stored;
}

/**
 * kuid_make - make IDs
 * @request: the call
 * @sink: where the IDs go: user memory or an iov_iter
 * @count: how many, at least 1
 *
 * Context: process. Sleeps, unless @request->nonblock, while the IDs would be
 * too far ahead of the clock; may sleep for memory and user memory.
 * Return: how many were made, at least 1: fewer than @count after a signal, at
 * memory that can't be written, or where the call would sleep and may not; if
 * that comes before the first ID: -ERESTARTSYS, -EFAULT, -EAGAIN; -ESTALE if
 * the identity may not be used; -ENODATA as kuid_reserve().
 */
ssize_t kuid_make(struct kuid_request *request, struct kuid_sink *sink,
		  size_t count)
{
	bool single = count == 1;
	size_t done = 0;
	ssize_t ret;

	kuid_sink_begin(sink, count, request->nonblock);
	for (;;) {
		u32 n = min_t(size_t, count - done, sink->most);

		/* IDs that are taken and can't be stored are lost. */
		n = kuid_sink_room(sink, n);
		if (!n) {
			ret = -EFAULT;
			break;
		}
		ret = kuid_make_chunk(request, sink, single, n);
		if (ret <= 0)
			break;
		done += ret;
		/* io_uring's work for this task can wait. */
		if (done == count || sink->full || task_sigpending(current))
			break;
		cond_resched();
	}
	kuid_sink_end(sink);
	return done ? done : ret;
}
