// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reserving stamps or slots for a call, and waiting until the call may have
 * them. turn.c decides when that is, wait.c puts the caller to sleep.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ktime.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>

#include "core/turn.h"
#include "counters.h"
#include "host.h"
#include "events.h"
#include "request.h"
#include "reserve.h"
#include "trace.h"
#include "wait.h"

/* A call waits this long at most for a ceiling above the time of its IDs. */
#define KUID_RESERVE_CEILING_NS (30ULL * NSEC_PER_SEC)

/* Indexed by enum kuid_source. The lines of KUID_STAMPS are not used. */
struct kuid_line_pair kuid_reserve_lines[KUID_NR_SOURCES];

static void kuid_reserve_turn(struct kuid_turn *turn,
			      const struct kuid_request *request)
{
	/* Set each field: assigning the struct would clear the waiter twice. */
	turn->generator = &kuid_host;
	turn->lines = &kuid_reserve_lines[request->want.source];
	turn->want = request->want;
	turn->single = request->single;
	turn->may_wait = !request->nonblock;
	turn->has_waited = request->patient;
	kuid_waiter_init(&turn->waiter, current);
}

/*
 * Whether the gate is open for @part of the identity. Returns 0 if it is;
 * -ENOKEY if the identity lacks the part, which must be snowflake's worker;
 * -ESTALE if an administrator must confirm or change it; -EAGAIN if a new epoch
 * will open the gate.
 */
static int kuid_reserve_closed(enum kuid_part part)
{
	const struct kuid_epoch *epoch;
	u32 missing, stale;

	if (!kuid_gate_closed(&kuid_host.gate, part))
		return 0;
	rcu_read_lock_sched();
	/* Pairs with the release in kuid_generator_begin(). */
	epoch = smp_load_acquire(&kuid_host.epoch);
	missing = epoch->missing;
	stale = epoch->stale;
	rcu_read_unlock_sched();
	/*
	 * If no part is stale, a new epoch is about to begin, or has just begun
	 * and opened the gate after the check above. A retry is right for both.
	 */
	if (!(missing & KUID_PARTS_OF(part)))
		return stale & KUID_PARTS_OF(part) ? -ESTALE : -EAGAIN;
	/* Once: any user can repeat the call. */
	pr_notice_once("snowflake has no worker: kuid node --snowflake N\n");
	return -ENOKEY;
}

static int kuid_reserve_why_shut(const struct kuid_turn *turn, u64 *since)
{
	int ret;

	rcu_read_lock_sched();
	ret = kuid_generator_shut(&kuid_host, turn->want.source,
				  turn->want.part, since);
	rcu_read_unlock_sched();
	return ret;
}

/*
 * Whether a caller gives up waiting for a clock that was shut at @since. Sets
 * @until to the moment when it gives up, and returns -ENODATA if that has
 * passed, otherwise -EAGAIN.
 */
static int kuid_reserve_shut(u64 since, u64 *until)
{
	*until = since + KUID_RESERVE_CEILING_NS;
	return *until <= ktime_get_ns() ? -ENODATA : -EAGAIN;
}

/*
 * The error of a call that may not sleep and whose clock is shut. After -EAGAIN,
 * @when is the moment to check again; KUID_NEVER if something must change first.
 */
static int kuid_reserve_refuse(const struct kuid_turn *turn, u64 *when)
{
	u64 since;
	int ret = kuid_reserve_why_shut(turn, &since);

	*when = KUID_NEVER;
	if (!ret)
		return -EAGAIN;
	return ret == -ENODATA ? kuid_reserve_shut(since, when) : ret;
}

/* kuid_reserve_ready() for the turn of a call that is in no line. */
static int kuid_reserve_turn_ready(struct kuid_turn *turn, u64 *when)
{
	int ret = kuid_reserve_closed(turn->want.part);

	*when = KUID_NEVER;
	if (ret)
		return ret;
	rcu_read_lock_sched();
	*when = kuid_turn_when(turn);
	rcu_read_unlock_sched();
	if (*when <= ktime_get_ns())
		return 0;
	return *when == KUID_NEVER ? kuid_reserve_refuse(turn, when) : -EAGAIN;
}

/**
 * kuid_reserve_ready - check whether a call could get one ID now
 * @request: a call for one ID
 * @when: output; after -EAGAIN, the moment to check again, in nanoseconds of
 *	the monotonic clock; KUID_NEVER if clocks or the epoch must change first
 *
 * Reserves nothing, so another caller may be quicker.
 *
 * Context: any but NMI; there is an epoch. Does not sleep.
 * Return: 0 if there is an ID; -EAGAIN if there is none yet; -ESTALE if a part
 * of the identity is stale; -ENOKEY if the identity lacks it; -EKEYEXPIRED at
 * the ceiling of its claim; -EOVERFLOW if the format can't hold the time;
 * -ENODATA if there has been no ceiling above the time of the IDs for 30 s.
 */
int kuid_reserve_ready(const struct kuid_request *request, u64 *when)
{
	struct kuid_turn turn;

	kuid_events_look();
	kuid_reserve_turn(&turn, request);
	return kuid_reserve_turn_ready(&turn, when);
}

/*
 * The error of a call that may not sleep. If it is -EAGAIN, the pollers of its
 * file are woken when an ID is due. If @due is KUID_NEVER, the call has found
 * its clock shut, and must not take the line's lock again to find out.
 */
static int kuid_reserve_would_block(const struct kuid_request *request,
				    struct kuid_turn *turn, u64 due)
{
	u64 when;
	int ret;

	/* Pollers wait for one ID. */
	kuid_turn_go_over(turn, 1);
	ret = due == KUID_NEVER ? kuid_reserve_refuse(turn, &when)
				: kuid_reserve_turn_ready(turn, &when);
	if (ret && ret != -EAGAIN)
		return ret;
	this_cpu_inc(kuid_counters.would_blocks);
	if (request->poller)
		kuid_poller_wake_at(request->poller, when);
	return -EAGAIN;
}

/* Leave the line. Tasks that this wakes must not be freed meanwhile. */
static void kuid_reserve_end(struct kuid_turn *turn)
{
	rcu_read_lock_sched();
	kuid_turn_end(turn);
	rcu_read_unlock_sched();
}

/*
 * Try to take units. Returns 0 if some were taken; -ESTALE and -ENOKEY as
 * kuid_reserve_closed(); otherwise -EAGAIN, and @due is the moment to try
 * again, KUID_NEVER if the clocks must change first.
 */
static int kuid_reserve_try(struct kuid_turn *turn, struct kuid_taken *taken,
			    u64 *due)
{
	int ret = kuid_reserve_closed(turn->want.part);
	bool done;

	if (ret) {
		/*
		 * A new epoch wakes the caller. It needs no place in the line
		 * until then.
		 */
		kuid_reserve_end(turn);
		*due = ktime_get_ns() + NSEC_PER_SEC;
		return ret;
	}
	rcu_read_lock_sched();
	done = kuid_turn_try(turn, taken, due);
	rcu_read_unlock_sched();
	return done ? 0 : -EAGAIN;
}

/* kuid_reserve() for a call that may not sleep. */
static int kuid_reserve_nonblock(const struct kuid_request *request,
				 struct kuid_turn *turn,
				 struct kuid_taken *taken)
{
	u64 due;
	int ret;

	ret = kuid_reserve_try(turn, taken, &due);
	if (ret == -EAGAIN && due != KUID_NEVER && !turn->single &&
	    !request->begun) {
		/* poll told of one ID, which may be in the far half. */
		kuid_turn_go_over(turn, 1);
		ret = kuid_reserve_try(turn, taken, &due);
	}
	return ret == -EAGAIN ? kuid_reserve_would_block(request, turn, due)
			      : ret;
}

/**
 * kuid_reserve - reserve stamps or slots when it is the caller's turn
 * @request: the call
 * @taken: output: the reservation, of at most the stamps or slots that the call
 *	wants; valid only on success
 *
 * Context: any but NMI if @request->nonblock is set; otherwise process, and
 * sleeps interruptibly. There is an epoch.
 * Return: 0; -EAGAIN if @request->nonblock is set and nothing is available, or
 * if @request->begun is set and the gate or the clock is shut;
 * -ERESTARTSYS after a signal; -ESTALE if a part of the identity is stale;
 * -ENOKEY if the identity lacks it; -EKEYEXPIRED at the ceiling of its claim;
 * -EOVERFLOW if the format can't hold the time; -ENODATA if the call has waited
 * 30 s for a ceiling above the time of the IDs, or if it may not sleep and
 * there has been no such ceiling for 30 s.
 */
int kuid_reserve(const struct kuid_request *request, struct kuid_taken *taken)
{
	struct kuid_sleeper sleeper = { 0 };
	struct kuid_turn turn;
	u64 shut_since = 0;
	u64 due;
	int ret;

	kuid_reserve_turn(&turn, request);
	if (request->nonblock)
		return kuid_reserve_nonblock(request, &turn, taken);
	for (;;) {
		/* Changes from here on end the sleep below at once. */
		kuid_sleeper_prepare(&sleeper);
		ret = kuid_reserve_try(&turn, taken, &due);
		if (ret != -EAGAIN)
			break;
		/* The call returns what it has. */
		if (request->begun &&
		    (due == KUID_NEVER ||
		     kuid_gate_closed(&kuid_host.gate, turn.want.part)))
			break;
		if (due != KUID_NEVER) {
			shut_since = 0;
		} else {
			u64 since;

			ret = kuid_reserve_why_shut(&turn, &since);
			if (ret && ret != -ENODATA)
				break;
			shut_since = shut_since ?: ktime_get_ns();
			ret = kuid_reserve_shut(shut_since, &due);
			if (ret == -ENODATA)
				break;
		}
		if (!sleeper.since)
			this_cpu_inc(kuid_counters.waits);
		turn.has_waited = true;
		ret = kuid_sleeper_sleep(&sleeper, &turn.waiter, due);
		if (ret)
			break;
	}
	kuid_reserve_end(&turn);
	if (sleeper.since)
		trace_kuid_wait(turn.want.source,
				ktime_get_ns() - sleeper.since);
	return ret;
}

/**
 * kuid_reserve_init - initialize the lines
 *
 * Context: module load. Does not sleep.
 */
void __init kuid_reserve_init(void)
{
	unsigned int source;

	for (source = 0; source < KUID_NR_SOURCES; source++)
		kuid_line_pair_init(&kuid_reserve_lines[source]);
}
