/* SPDX-License-Identifier: GPL-2.0-only */
/* Sleeping callers and pollers: how they are put to sleep, and what wakes them.
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
 * struct kuid_sleeper - a caller that may have to sleep; all zeroes at first
 * @since: when it slept first; 0 if it hasn't
 * @changes: how often clocks and epochs had changed when it looked last
 */
struct kuid_sleeper {
	u64 since;
	int changes;
};

/**
 * struct kuid_poller - the pollers of one open file
 * @queue: they wait here
 * @timer: wakes them when an ID is due
 * @entry: in the list of all that a change has to wake
 * @polled: the file has been polled, so that it is in that list
 */
struct kuid_poller {
	wait_queue_head_t queue;
	struct timer_list timer;
	struct list_head entry;
	bool polled;
};

void kuid_sleeper_look(struct kuid_sleeper *sleeper);
int kuid_sleeper_sleep(struct kuid_sleeper *sleeper,
		       const struct kuid_waiter *waiter, u64 until);

void kuid_poller_init(struct kuid_poller *poller);
void kuid_poller_exit(struct kuid_poller *poller);
void kuid_poller_add(struct kuid_poller *poller, struct file *file,
		     poll_table *table);
void kuid_poller_wake_at(struct kuid_poller *poller, u64 when);

void kuid_wait_changed(void);
void kuid_wait_exit(void);

#endif /* KUID_WAIT_H */
