// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>
#include <linux/rcupdate.h>

#include "core/turn.h"
#include "counters.h"
#include "epochs.h"
#include "make.h"
#include "reserve.h"
#include "trace.h"
#include "wait.h"

/* How long a call waits for a ceiling above the time of its IDs. */
#define KUID_RESERVE_CEILING_NS (30ULL * NSEC_PER_SEC)

/* By source; those of stamps are not used. */
struct kuid_line_pair kuid_reserve_lines[KUID_NR_SOURCES];

static void kuid_reserve_turn(struct kuid_turn *turn,
			      const struct kuid_request *request, bool single,
			      u32 count)
{
	const struct kuid_format *of = &kuid_formats[request->format];

	*turn = (struct kuid_turn) {
		.generator = &kuid_host,
		.lines = &kuid_reserve_lines[of->source],
		.watermarks = request->watermarks,
		.source = of->source,
		.order = request->order,
		.parts = of->part,
		.count = count,
		.single = single,
		.may_wait = !request->nonblock,
	};
	kuid_waiter_init(&turn->waiter, current);
}

/* Why IDs may not be made with some parts of the identity. */
static int kuid_reserve_closed(u32 parts)
{
	u32 stale;

	if (!kuid_gate_closed(&kuid_host.gate, parts))
		return 0;
	rcu_read_lock_sched();
	/* Pairs with the release in kuid_generator_publish(). */
	stale = smp_load_acquire(&kuid_host.epoch)->stale;
	rcu_read_unlock_sched();
	/* Otherwise a new epoch is on its way, or they may by now. */
	return stale & parts ? -ESTALE : -EAGAIN;
}

/*
 * Whether a source has been shut for so long that callers give up: -ENODATA, or
 * -EAGAIN and until when they don't.
 */
static int kuid_reserve_shut(u64 since, u64 *until)
{
	*until = since + KUID_RESERVE_CEILING_NS;
	return *until <= ktime_get_ns() ? -ENODATA : -EAGAIN;
}

/**
 * kuid_reserve_ready - whether one ID could be had now
 * @request: what would be asked for
 * @when: on -EAGAIN set to when there may be one, in nanoseconds of the
 *	monotonic clock; KUID_NEVER if clocks or the epoch must change first
 *
 * Context: any but NMI; there is an epoch.
 * Return: 0, -EAGAIN, -ESTALE, or -ENODATA if there has been no ceiling above
 * the time of the IDs for 30 s.
 */
int kuid_reserve_ready(const struct kuid_request *request, u64 *when)
{
	struct kuid_turn turn;
	u64 shut;
	int ret;

	kuid_reserve_turn(&turn, request, true, 1);
	*when = KUID_NEVER;
	ret = kuid_reserve_closed(turn.parts);
	if (ret)
		return ret;
	rcu_read_lock_sched();
	*when = kuid_turn_when(&turn);
	rcu_read_unlock_sched();
	if (*when <= ktime_get_ns())
		return 0;
	shut = kuid_generator_shut(&kuid_host, turn.source);
	if (*when == KUID_NEVER && shut != KUID_NEVER)
		return kuid_reserve_shut(shut, when);
	return -EAGAIN;
}

/* What a call that may not wait returns. Its pollers are woken in time. */
static int kuid_reserve_would_block(const struct kuid_request *request)
{
	u64 when;
	int ret = kuid_reserve_ready(request, &when);

	if (ret && ret != -EAGAIN)
		return ret;
	this_cpu_inc(kuid_counters.would_blocks);
	if (request->poller)
		kuid_poller_wake_at(request->poller, when);
	return -EAGAIN;
}

/**
 * kuid_reserve - take what IDs are made from, when it is the caller's turn
 * @request: the batch that the IDs are for
 * @single: the caller asks for one ID in all
 * @count: how many IDs it asks for now, at least 1
 * @taken: set to what was taken, for one ID at least
 *
 * Context: any but NMI if @request->nonblock; otherwise process, sleeps.
 * Return: 0; -EAGAIN if @request->nonblock and there is none; -ERESTARTSYS
 * after a signal; -ESTALE if the identity may not be used; -ENODATA if the call
 * has waited 30 s for a ceiling above the time of the IDs, or may not wait and
 * there has been none for so long.
 */
int kuid_reserve(const struct kuid_request *request, bool single, u32 count,
		 struct kuid_taken *taken)
{
	struct kuid_sleeper sleeper = { 0 };
	u64 when, shut_since = 0;
	struct kuid_turn turn;
	int ret;

	kuid_reserve_turn(&turn, request, single, count);
	for (;;) {
		kuid_sleeper_look(&sleeper);
		ret = kuid_reserve_closed(turn.parts);
		if (ret && ret != -EAGAIN)
			break;
		when = KUID_NEVER;
		if (ret) {
			kuid_turn_end(&turn);
		} else {
			rcu_read_lock_sched();
			when = kuid_turn_try(&turn, taken);
			rcu_read_unlock_sched();
		}
		if (!when)
			break;
		if (request->nonblock) {
			if (turn.single || request->epoch)
				return kuid_reserve_would_block(request);
			/* poll told of one ID, which may be in the far half. */
			turn.single = true;
			turn.count = 1;
			continue;
		}
		if (ret || when != KUID_NEVER)
			shut_since = 0;
		else if (!shut_since)
			shut_since = ktime_get_ns();
		if (shut_since) {
			ret = kuid_reserve_shut(shut_since, &when);
			if (ret == -ENODATA)
				break;
		}
		if (!sleeper.since)
			this_cpu_inc(kuid_counters.waits);
		turn.has_waited = true;
		ret = kuid_sleeper_sleep(&sleeper, &turn.waiter, when);
		if (ret)
			break;
	}
	kuid_turn_end(&turn);
	if (sleeper.since)
		trace_kuid_wait(turn.source, ktime_get_ns() - sleeper.since);
	return ret;
}

/**
 * kuid_reserve_init - prepare the lines
 *
 * Context: module load.
 */
void __init kuid_reserve_init(void)
{
	unsigned int source;

	for (source = 0; source < KUID_NR_SOURCES; source++)
		kuid_line_pair_init(&kuid_reserve_lines[source]);
}
