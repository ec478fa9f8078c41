// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each source has a queue. Its head sleeps to the moment at which the clock
 * allows what it asks for, or until clocks change; the others sleep until it
 * is their turn. A batch goes back to the end after each chunk.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/timer.h>
#include <linux/wait.h>

#include "compat.h"
#include "counters.h"
#include "host.h"
#include "queue.h"
#include "trace.h"

/* How soon to look again where no moment can be told, in nanoseconds. */
#define KUID_QUEUE_LOOK_AGAIN_NS NSEC_PER_MSEC

/* The same where only a change can help: none may look that would find it. */
#define KUID_QUEUE_LOOK_AROUND_NS NSEC_PER_SEC

struct kuid_queue kuid_queues[KUID_NR_SOURCES];

/*
 * Heads of queues, and pollers. Woken without a mask of events: all are to look
 * for themselves, and io_uring would take a mask for what there is. All of
 * them, for one that would be woken alone may want another format.
 */
static DECLARE_WAIT_QUEUE_HEAD(kuid_queue_waiters);

/* How often clocks have changed. */
static atomic_t kuid_queue_changes;

static void kuid_queue_timeout(struct timer_list *timer)
{
	wake_up_all(&kuid_queue_waiters);
}

/* For pollers, who have none of their own. */
static DEFINE_TIMER(kuid_queue_timer, kuid_queue_timeout);

/**
 * kuid_queue_wake - have all who wait look again, because clocks changed
 *
 * Context: any in which a wait queue may be woken: not under a raw spin lock.
 */
void kuid_queue_wake(void)
{
	/* Who sees it with the acquire in kuid_turn_come() sees the clocks. */
	(void)atomic_inc_return_release(&kuid_queue_changes);
	wake_up_all(&kuid_queue_waiters);
}

/**
 * kuid_queue_wake_at - wake pollers at some time
 * @ready: when, in nanoseconds of the monotonic clock; KUID_NEVER if clocks
 *	must change first, which wakes them, too, if someone finds it
 *
 * Context: any but NMI.
 */
void kuid_queue_wake_at(u64 ready)
{
	u64 now = ktime_get_ns();
	u64 delay = ready > now ? ready - now : 0;

	if (ready == KUID_NEVER)
		delay = KUID_QUEUE_LOOK_AROUND_NS;

	/* A poller that joins later looks for itself, and then comes here. */
	if (wq_has_sleeper(&kuid_queue_waiters))
		timer_reduce(&kuid_queue_timer,
			     jiffies + nsecs_to_jiffies(delay) + 1);
}

/**
 * kuid_queue_wake_soon - wake pollers to look again
 *
 * Context: process or soft interrupt.
 */
void kuid_queue_wake_soon(void)
{
	kuid_queue_wake_at(ktime_get_ns() + KUID_QUEUE_LOOK_AGAIN_NS);
}

/**
 * kuid_turn_init - before anything is asked for
 * @turn: the caller's
 * @source: what the caller wants
 * @single: it is one ID
 */
void kuid_turn_init(struct kuid_turn *turn, enum kuid_source source,
		    bool single)
{
	*turn = (struct kuid_turn) {
		.queue = &kuid_queues[source],
		.source = source,
		.single = single,
	};
}

/**
 * kuid_turn_come - whether the caller may try to take something now
 * @turn: the caller's
 *
 * Context: any but NMI.
 * Return: false if others have to be served first.
 */
bool kuid_turn_come(struct kuid_turn *turn)
{
	/*
	 * Before the caller looks at a clock that may change meanwhile. Pairs
	 * with the release in kuid_queue_wake().
	 */
	turn->changes = atomic_read_acquire(&kuid_queue_changes);
	if (turn->held)
		return true;
	if (turn->single)
		return kuid_queue_one_passes(turn->source);
	return !atomic_read(&turn->queue->waiting);
}

/* Get in line, and wait for one's turn. */
static int kuid_turn_queue(struct kuid_turn *turn)
{
	struct kuid_queue *queue = turn->queue;

	this_cpu_inc(kuid_counters.waits);
	turn->since = ktime_get_ns();
	atomic_inc(&queue->waiting);
	if (turn->single)
		atomic_inc(&queue->singles);
	turn->held = !down_interruptible(&queue->turn);
	if (turn->held)
		return 0;
	if (turn->single)
		atomic_dec(&queue->singles);
	atomic_dec(&queue->waiting);
	return -ERESTARTSYS;
}

static bool kuid_turn_changed(const struct kuid_turn *turn)
{
	return atomic_read(&kuid_queue_changes) != turn->changes;
}

/**
 * kuid_turn_wait - wait before trying again
 * @turn: the caller's, after kuid_turn_come()
 * @ready: from when on there may be what the caller wants, in nanoseconds of
 *	the monotonic clock; KUID_NEVER if clocks must change first; used if it
 *	is the caller's turn
 *
 * Context: process. Sleeps.
 * Return: 0, or -ERESTARTSYS if a signal came first.
 */
int kuid_turn_wait(struct kuid_turn *turn, u64 ready)
{
	u64 now = ktime_get_ns();
	int ret;

	if (!turn->held)
		return kuid_turn_queue(turn);
	if (ready == KUID_NEVER)
		ready = now + KUID_QUEUE_LOOK_AROUND_NS;
	if (now >= ready) {
		/* Someone who wants less was quicker. */
		cond_resched();
		return signal_pending(current) ? -ERESTARTSYS : 0;
	}
	ret = wait_event_interruptible_hrtimeout(kuid_queue_waiters,
						 kuid_turn_changed(turn),
						 ns_to_ktime(ready - now));
	return ret == -ERESTARTSYS ? ret : 0;
}

/**
 * kuid_turn_end - let the next one have its turn
 * @turn: the caller's
 *
 * Context: process.
 */
void kuid_turn_end(struct kuid_turn *turn)
{
	struct kuid_queue *queue = turn->queue;

	if (!turn->held)
		return;
	turn->held = false;
	if (turn->single)
		atomic_dec(&queue->singles);
	atomic_dec(&queue->waiting);
	up(&queue->turn);
	trace_kuid_wait(turn->source, ktime_get_ns() - turn->since);
}

/**
 * kuid_queue_poll - whether there is an ID to be had, and wake who waits for it
 * @file: the open file
 * @wait: what waits
 * @source: what the IDs of the file are made from
 * @floors: of the file
 *
 * Context: process.
 * Return: true if one is there.
 */
bool kuid_queue_poll(struct file *file, poll_table *wait,
		     enum kuid_source source, struct kuid_floors *floors)
{
	const struct kuid_window *window = &kuid_host.windows[source];
	/* As kuid_batch_ids() does it. */
	u64 ahead = kuid_queue_one_passes(source) ? window->one : window->batch;
	u64 ready;

	poll_wait(file, &kuid_queue_waiters, wait);
	if (kuid_host_start(true)) {
		ready = ktime_get_ns() + KUID_QUEUE_LOOK_AGAIN_NS;
	} else {
		rcu_read_lock_sched();
		ready = kuid_generator_when(&kuid_host, source, floors, ahead,
					    1);
		rcu_read_unlock_sched();
		if (ready <= ktime_get_ns())
			return true;
	}
	kuid_queue_wake_at(ready);
	return false;
}

/**
 * kuid_queue_init - prepare for waiting
 *
 * Context: module load.
 */
void __init kuid_queue_init(void)
{
	unsigned int i;

	for (i = 0; i < KUID_NR_SOURCES; i++)
		sema_init(&kuid_queues[i].turn, 1);
}

/**
 * kuid_queue_exit - the reverse of kuid_queue_init()
 *
 * Context: module unload, when no one can wait any more.
 */
void kuid_queue_exit(void)
{
	kuid_compat_timer_delete_sync(&kuid_queue_timer);
}
