// SPDX-License-Identifier: GPL-2.0-only
/*
 * A sleeping caller has a timer of its own and no timer slack, so that neither
 * another caller nor its own process can delay it. A change of clocks or of the
 * epoch wakes all sleepers and pollers, because it may move any deadline.
 *
 * Pollers wait at their open file, whose timer wakes no others. Each poll or
 * failed read arms that timer once at most, so a process pays by its own system
 * calls for the wakeups that it causes.
 */
#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "wait.h"

/*
 * How long to sleep where only a change can help. Nobody else may be looking at
 * the wall clock, so it is the time after which a clock step is found.
 */
#define KUID_WAIT_CHANGE_NS NSEC_PER_SEC

/* How many pollers a change wakes before others may run. */
#define KUID_WAIT_POLLERS 32

/* How often clocks or the epoch have changed. */
static atomic_t kuid_wait_changes;

static DECLARE_WAIT_QUEUE_HEAD(kuid_wait_sleepers);

/* Files that have been polled. */
static LIST_HEAD(kuid_wait_pollers);
static DEFINE_SPINLOCK(kuid_wait_pollers_lock);

static void kuid_wait_wake_pollers(struct work_struct *work)
{
	unsigned int n = 0;
	LIST_HEAD(todo);

	spin_lock(&kuid_wait_pollers_lock);
	list_splice_init(&kuid_wait_pollers, &todo);
	while (!list_empty(&todo)) {
		struct kuid_poller *poller =
			list_first_entry(&todo, struct kuid_poller, entry);

		list_move_tail(&poller->entry, &kuid_wait_pollers);
		/* Without events: io_uring would take them for what is ready. */
		wake_up_all(&poller->queue);
		if (++n % KUID_WAIT_POLLERS == 0) {
			spin_unlock(&kuid_wait_pollers_lock);
			cond_resched();
			spin_lock(&kuid_wait_pollers_lock);
		}
	}
	spin_unlock(&kuid_wait_pollers_lock);
}

static DECLARE_WORK(kuid_wait_pollers_work, kuid_wait_wake_pollers);

/**
 * kuid_wait_changed - have all sleepers and pollers look again, because a clock
 *	or the epoch has changed
 *
 * Context: any in which a wait queue may be woken: not under a raw spin lock.
 */
void kuid_wait_changed(void)
{
	/* Pairs with the acquire in kuid_sleeper_look(). */
	(void)atomic_inc_return_release(&kuid_wait_changes);
	wake_up_all(&kuid_wait_sleepers);
	/* Any user may have many files polled, so not here. */
	schedule_work(&kuid_wait_pollers_work);
}

/**
 * kuid_sleeper_look - before the caller reads the clock
 * @sleeper: the caller's
 *
 * A change that comes after this ends the next kuid_sleeper_sleep() at once.
 *
 * Context: any.
 */
void kuid_sleeper_look(struct kuid_sleeper *sleeper)
{
	/* Pairs with the release in kuid_wait_changed(). */
	sleeper->changes = atomic_read_acquire(&kuid_wait_changes);
}

/**
 * kuid_sleeper_sleep - sleep until there may be something
 * @sleeper: the caller's, after kuid_sleeper_look()
 * @waiter: its place in a line, if it has one
 * @until: when, in nanoseconds of the monotonic clock; KUID_NEVER if only a
 *	change can help
 *
 * Returns early if clocks or the epoch have changed, or if @waiter was called.
 *
 * Context: process. Sleeps.
 * Return: 0, or -ERESTARTSYS if a signal came first.
 */
int kuid_sleeper_sleep(struct kuid_sleeper *sleeper,
		       const struct kuid_waiter *waiter, u64 until)
{
	u64 now = ktime_get_ns();
	ktime_t expires = min(until, now + KUID_WAIT_CHANGE_NS);
	DEFINE_WAIT(wait);

	if (!sleeper->since)
		sleeper->since = now;
	prepare_to_wait(&kuid_wait_sleepers, &wait, TASK_INTERRUPTIBLE);
	if (!signal_pending(current) && !READ_ONCE(waiter->called) &&
	    atomic_read(&kuid_wait_changes) == sleeper->changes)
		schedule_hrtimeout(&expires, HRTIMER_MODE_ABS);
	finish_wait(&kuid_wait_sleepers, &wait);
	return signal_pending(current) ? -ERESTARTSYS : 0;
}

static void kuid_poller_timeout(struct timer_list *timer)
{
	struct kuid_poller *poller =
		container_of(timer, struct kuid_poller, timer);

	/* All, because each may wait for something else. */
	wake_up_all(&poller->queue);
}

/**
 * kuid_poller_init - prepare an open file for pollers
 * @poller: the file's
 */
void kuid_poller_init(struct kuid_poller *poller)
{
	init_waitqueue_head(&poller->queue);
	timer_setup(&poller->timer, kuid_poller_timeout, 0);
	poller->polled = false;
}

/**
 * kuid_poller_exit - the reverse, when nobody can poll the file any more
 * @poller: the file's
 *
 * Context: process.
 */
void kuid_poller_exit(struct kuid_poller *poller)
{
	if (!poller->polled)
		return;
	kuid_compat_timer_delete_sync(&poller->timer);
	spin_lock(&kuid_wait_pollers_lock);
	list_del(&poller->entry);
	spin_unlock(&kuid_wait_pollers_lock);
}

/**
 * kuid_poller_add - have a poller woken by changes and by
 *	kuid_poller_wake_at()
 * @poller: the file's
 * @file: the file
 * @table: the poller's
 *
 * Context: process.
 */
void kuid_poller_add(struct kuid_poller *poller, struct file *file,
		     poll_table *table)
{
	spin_lock(&kuid_wait_pollers_lock);
	if (!poller->polled)
		list_add_tail(&poller->entry, &kuid_wait_pollers);
	poller->polled = true;
	spin_unlock(&kuid_wait_pollers_lock);
	poll_wait(file, &poller->queue, table);
}

/**
 * kuid_poller_wake_at - wake the pollers of a file at some time
 * @poller: the file's
 * @when: the time, in nanoseconds of the monotonic clock; KUID_NEVER if a
 *	change must come first, which wakes them, too, if somebody finds it
 *
 * Context: any but NMI.
 */
void kuid_poller_wake_at(struct kuid_poller *poller, u64 when)
{
	u64 now = ktime_get_ns();
	u64 until = clamp(when, now, now + KUID_WAIT_CHANGE_NS);

	/* A poller that joins later looks for itself, and then comes here. */
	if (wq_has_sleeper(&poller->queue))
		timer_reduce(&poller->timer,
			     jiffies + nsecs_to_jiffies(until - now) + 1);
}

/**
 * kuid_wait_exit - finish, when nobody can wait any more
 *
 * Context: module unload.
 */
void kuid_wait_exit(void)
{
	cancel_work_sync(&kuid_wait_pollers_work);
}
