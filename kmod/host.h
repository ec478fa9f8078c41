/* SPDX-License-Identifier: GPL-2.0-only */
/* The generator of the host, and the queue of its workers; epochs.c has both. */
#ifndef KUID_HOST_H
#define KUID_HOST_H

#include "core/take.h"

struct workqueue_struct;

/*
 * Readers of its epoch are in rcu_read_lock_sched(), and a writer waits for
 * them by synchronize_rcu(). Plain RCU would let a reader be preempted between
 * its look at the epoch and its reservation, so any user could hold up the next
 * epoch by a task of low priority.
 */
extern struct kuid_generator kuid_host;
extern struct workqueue_struct *kuid_epochs_workqueue;

#endif /* KUID_HOST_H */
