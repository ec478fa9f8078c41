/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sleepers and pollers: putting them to sleep and waking them. line.h has the
 * order in which waiters are served.
 */
#ifndef KUID_WAIT_H
#define KUID_WAIT_H

#include <linux/list.h>
#include <linux/poll.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "core/line.h"

/**
 * struct kuid_sleeper - a caller that may have to sleep
 * @since: when the caller first slept, in nanoseconds of the monotonic clock; 0
 *	if it has not slept
 * @changes: the number of changes at the last kuid_sleeper_prepare()
 * @entry: entry in the list of sleepers, while the caller sleeps
 * @task: the task to wake
 *
 * A new caller begins with all zeroes.
 */
struct kuid_sleeper {
	u64 since;
	int changes;
	struct list_head entry;
	struct task_struct *task;
};

/**
 * struct kuid_poller - the pollers of one open file
 * @queue: the wait queue of the pollers
 * @timer: wakes the pollers when an ID is due
 * @entry: entry in the list of polled files, which a change wakes
 * @polled: the file has been polled, so @entry is in that list; set by
 *	smp_store_release(), because later polls read it without a lock
 */
struct kuid_poller {
	wait_queue_head_t queue;
	struct timer_list timer;
	struct list_head entry;
	bool polled;
};

void kuid_sleeper_prepare(struct kuid_sleeper *sleeper);
int kuid_sleeper_sleep(struct kuid_sleeper *sleeper,
		       const struct kuid_waiter *waiter, u64 until);

void kuid_poller_init(struct kuid_poller *poller);
void kuid_poller_exit(struct kuid_poller *poller);
void kuid_poller_add(struct kuid_poller *poller, struct file *file,
		     poll_table *table);
void kuid_poller_wake_at(struct kuid_poller *poller, u64 when);

void kuid_wait_changed(void);

#endif /* KUID_WAIT_H */
