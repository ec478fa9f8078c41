/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for IDs that the clock does not allow yet. */
#ifndef KUID_QUEUE_H
#define KUID_QUEUE_H

#include <linux/atomic.h>
#include <linux/init.h>
#include <linux/poll.h>
#include <linux/semaphore.h>
#include <linux/types.h>

#include "core/generator.h"

/**
 * struct kuid_queue - who waits for one source
 * @turn: held by the one who is next; others get it in the order they came
 * @waiting: how many have or want @turn
 * @singles: how many of these want one ID
 */
struct kuid_queue {
	struct semaphore turn;
	atomic_t waiting;
	atomic_t singles;
};

extern struct kuid_queue kuid_queues[KUID_NR_SOURCES];

/**
 * struct kuid_turn - one caller's way through a queue
 * @queue: the queue
 * @source: what it is for
 * @single: the caller wants one ID
 * @held: it is this caller's turn
 * @changes: how often clocks had changed when the caller last tried
 * @since: when the caller began to wait, in nanoseconds of the monotonic clock
 */
struct kuid_turn {
	struct kuid_queue *queue;
	enum kuid_source source;
	bool single;
	bool held;
	int changes;
	u64 since;
};

/**
 * kuid_queue_one_passes - whether who wants one ID needs not queue
 * @source: what it is made from
 *
 * Who waits for a batch waits for the half of the window that is for batches,
 * and is not passed by one who takes an ID from the other half.
 *
 * Context: any.
 * Return: false if others wait for one ID each.
 */
static __always_inline bool kuid_queue_one_passes(enum kuid_source source)
{
	return !atomic_read(&kuid_queues[source].singles);
}

void kuid_turn_init(struct kuid_turn *turn, enum kuid_source source,
		    bool single);
bool kuid_turn_come(struct kuid_turn *turn);
int kuid_turn_wait(struct kuid_turn *turn, u64 ready);
void kuid_turn_end(struct kuid_turn *turn);

bool kuid_queue_poll(struct file *file, poll_table *wait,
		     enum kuid_source source, struct kuid_floors *floors);
void kuid_queue_wake(void);
void kuid_queue_wake_at(u64 ready);
void kuid_queue_wake_soon(void);

void __init kuid_queue_init(void);
void kuid_queue_exit(void);

#endif /* KUID_QUEUE_H */
