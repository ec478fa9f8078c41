// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sleepers and pollers: putting them to sleep and waking them. This file knows
 * neither slots nor lines; reserve.c computes when a caller may continue.
 *
 * Each sleeper has its own timer without slack. So neither another caller nor
 * the timer slack of its own process delays it. A change of the clocks or of
 * the epoch wakes all sleepers and pollers, because it may move any deadline.
 *
 * The pollers of an open file have their own wait queue and timer, so they wake
 * no pollers of another file. Each poll or failed read arms the timer once at
 * most, so a process pays by its own system calls for the wakeups that it
 * causes.
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "host.h"
#include "wait.h"

/*
 * The longest sleep before a caller looks at the clocks again. If all callers
 * sleep, nobody else notices that the wall clock was set.
 */
#define KUID_WAIT_CHANGE_NS NSEC_PER_SEC

/* Sleepers that the worker wakes before it calls the scheduler. */
#define KUID_WAIT_PORTION 32

/* Counts changes of the clocks and of the epoch, so that no wakeup is lost. */
static atomic_t kuid_wait_changes;

/* All callers that sleep. */
static LIST_HEAD(kuid_wait_sleepers);
static __cacheline_aligned_in_smp DEFINE_SPINLOCK(kuid_wait_sleepers_lock);

/* All open files that have been polled. */
static LIST_HEAD(kuid_wait_pollers);
static __cacheline_aligned_in_smp DEFINE_SPINLOCK(kuid_wait_pollers_lock);

/*
 * Callers that sleep again meanwhile add themselves to the list that was left
 * empty, so this ends.
 */
static void kuid_wait_wake_sleepers(void)
{
	unsigned int n = 0;
	LIST_HEAD(todo);

	spin_lock(&kuid_wait_sleepers_lock);
	list_splice_init(&kuid_wait_sleepers, &todo);
	while (!list_empty(&todo)) {
		struct kuid_sleeper *sleeper =
			list_first_entry(&todo, struct kuid_sleeper, entry);

		list_del_init(&sleeper->entry);
		/* The sleeper needs the lock before it can go away. */
		wake_up_process(sleeper->task);
		if (++n % KUID_WAIT_PORTION)
			continue;
		spin_unlock(&kuid_wait_sleepers_lock);
		cond_resched();
		spin_lock(&kuid_wait_sleepers_lock);
	}
	spin_unlock(&kuid_wait_sleepers_lock);
}

static void kuid_wait_wake_pollers(void)
{
	LIST_HEAD(todo);

	spin_lock(&kuid_wait_pollers_lock);
	list_splice_init(&kuid_wait_pollers, &todo);
	while (!list_empty(&todo)) {
		struct kuid_poller *poller =
			list_first_entry(&todo, struct kuid_poller, entry);

		list_move_tail(&poller->entry, &kuid_wait_pollers);
		/*
		 * A user may make the queue long, so hold no lock that others
		 * need. The file is freed after a grace period.
		 */
		rcu_read_lock();
		spin_unlock(&kuid_wait_pollers_lock);
		/* Pass no events: io_uring would report them as ready. */
		wake_up_all(&poller->queue);
		rcu_read_unlock();
		cond_resched();
		spin_lock(&kuid_wait_pollers_lock);
	}
	spin_unlock(&kuid_wait_pollers_lock);
}

static void kuid_wait_wake_all(struct work_struct *work)
{
	kuid_wait_wake_sleepers();
	kuid_wait_wake_pollers();
}

static DECLARE_WORK(kuid_wait_work, kuid_wait_wake_all);

/**
 * kuid_wait_changed - wake all sleepers and pollers after a change
 *
 * To be called after each change of a clock, of the epoch or of the ceiling:
 * any deadline may have moved. A user may have many sleepers and polled files,
 * so a worker wakes them, a few at a time. It ends before kuid_epochs_exit()
 * returns.
 *
 * Context: any in which work can be queued. Does not sleep.
 */
void kuid_wait_changed(void)
{
	/* Pairs with the acquire in kuid_sleeper_prepare(). */
	(void)atomic_inc_return_release(&kuid_wait_changes);
	queue_work(kuid_epochs_workqueue, &kuid_wait_work);
}

/**
 * kuid_sleeper_prepare - prepare for reading the clocks
 * @sleeper: the caller's sleeper
 *
 * The caller calls this before it reads the clocks or the epoch. If one of them
 * changes after that, the next kuid_sleeper_sleep() does not sleep.
 *
 * Context: any. Does not sleep.
 */
void kuid_sleeper_prepare(struct kuid_sleeper *sleeper)
{
	/* Pairs with the release in kuid_wait_changed(). */
	sleeper->changes = atomic_read_acquire(&kuid_wait_changes);
}

/**
 * kuid_sleeper_sleep - sleep until a moment or a change
 * @sleeper: the caller's sleeper, after kuid_sleeper_prepare()
 * @waiter: the caller's waiter, which need not be in a line
 * @until: the moment to wake, in nanoseconds of the monotonic clock; KUID_NEVER
 *	if only a change can help
 *
 * Sleeps one second at most. Returns early if the clocks or the epoch have
 * changed since kuid_sleeper_prepare(), or if @waiter is called.
 *
 * Context: process. Sleeps.
 * Return: 0, or -ERESTARTSYS if a signal is pending.
 */
int kuid_sleeper_sleep(struct kuid_sleeper *sleeper,
		       const struct kuid_waiter *waiter, u64 until)
{
	u64 now = ktime_get_ns();
	ktime_t expires = min(until, now + KUID_WAIT_CHANGE_NS);

	if (!sleeper->since)
		sleeper->since = now;
	sleeper->task = current;
	spin_lock(&kuid_wait_sleepers_lock);
	list_add_tail(&sleeper->entry, &kuid_wait_sleepers);
	spin_unlock(&kuid_wait_sleepers_lock);
	/* Before the checks, so that a wakeup after them ends the sleep. */
	set_current_state(TASK_INTERRUPTIBLE);
	if (!signal_pending(current) && !READ_ONCE(waiter->called) &&
	    atomic_read(&kuid_wait_changes) == sleeper->changes)
		schedule_hrtimeout(&expires, HRTIMER_MODE_ABS);
	__set_current_state(TASK_RUNNING);
	spin_lock(&kuid_wait_sleepers_lock);
	list_del(&sleeper->entry);
	spin_unlock(&kuid_wait_sleepers_lock);
	return signal_pending(current) ? -ERESTARTSYS : 0;
}

static void kuid_poller_timeout(struct timer_list *timer)
{
	struct kuid_poller *poller =
		container_of(timer, struct kuid_poller, timer);

	/* Wake all of them, because each may wait for something else. */
	wake_up_all(&poller->queue);
}

/**
 * kuid_poller_init - initialize the pollers of an open file
 * @poller: the file's pollers
 *
 * Context: any.
 */
void kuid_poller_init(struct kuid_poller *poller)
{
	init_waitqueue_head(&poller->queue);
	timer_setup(&poller->timer, kuid_poller_timeout, 0);
	poller->polled = false;
}

/**
 * kuid_poller_exit - undo kuid_poller_init()
 * @poller: the file's pollers; they must not be freed before an RCU grace
 *	period has passed
 *
 * Context: process; nobody can poll the file any more. May sleep.
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
 * kuid_poller_add - register a poller
 * @poller: the file's pollers
 * @file: the open file
 * @table: the poll table of the new poller
 *
 * From now on changes and kuid_poller_wake_at() wake the poller.
 *
 * Context: process.
 */
void kuid_poller_add(struct kuid_poller *poller, struct file *file,
		     poll_table *table)
{
	/*
	 * Pairs with the release below. Without it, a poller that finds the
	 * file in the list could still read clocks of before a change whose
	 * worker did not find the file there.
	 */
	if (!smp_load_acquire(&poller->polled)) {
		spin_lock(&kuid_wait_pollers_lock);
		if (!poller->polled)
			list_add_tail(&poller->entry, &kuid_wait_pollers);
		/* Pairs with the acquire above. */
		smp_store_release(&poller->polled, true);
		spin_unlock(&kuid_wait_pollers_lock);
	}
	poll_wait(file, &poller->queue, table);
}

/**
 * kuid_poller_wake_at - wake the pollers of a file at some moment
 * @poller: the file's pollers
 * @when: the moment, in nanoseconds of the monotonic clock; KUID_NEVER if only
 *	a change can help
 *
 * Wakes them after one second at the latest: a change wakes pollers only if a
 * caller finds it, and a poller that looks again may be the one.
 *
 * Context: any but NMI. Does not sleep.
 */
void kuid_poller_wake_at(struct kuid_poller *poller, u64 when)
{
	u64 now = ktime_get_ns();
	u64 until = clamp(when, now, now + KUID_WAIT_CHANGE_NS);

	/* A poller that registers later checks by itself and arms the timer. */
	if (wq_has_sleeper(&poller->queue))
		timer_reduce(&poller->timer,
			     jiffies + nsecs_to_jiffies(until - now) + 1);
}
