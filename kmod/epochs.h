/* SPDX-License-Identifier: GPL-2.0-only */
/* The host's one generator, and its epochs. */
#ifndef KUID_EPOCHS_H
#define KUID_EPOCHS_H

#include <linux/compiler.h>
#include <linux/init.h>
#include <linux/types.h>

#include "core/generator.h"

struct kuid_set_identity;
struct workqueue_struct;

/**
 * struct kuid_epoch_name - what tells an epoch from all others
 * @number: its number
 * @load_id: see &struct kuid_origin.load_id
 */
struct kuid_epoch_name {
	u64 number;
	u64 load_id;
};

extern struct kuid_generator kuid_host;

extern struct workqueue_struct *kuid_epochs_workqueue;

int kuid_epochs_start_now(void);
void kuid_epochs_start_soon(void);
int kuid_epochs_start_slow(bool nonblock);
int kuid_epochs_begin_for_step(void);
int kuid_epochs_begin_for_fork(void);
void kuid_epochs_set_hibernating(bool hibernating);
int kuid_epochs_force_clock(struct kuid_epoch_name *name);
int kuid_epochs_restore(u64 floor, struct kuid_epoch_name *name);
int kuid_epochs_acknowledge(u64 ceiling);
int kuid_epochs_set_identity(const struct kuid_set_identity *set,
			     struct kuid_epoch_name *name);
bool kuid_epochs_read(struct kuid_reading *reading);
u32 kuid_epochs_given(void);

int __init kuid_epochs_init(void);
void kuid_epochs_exit(void);

/**
 * kuid_epochs_start - see to it that there is an epoch to make IDs in
 * @nonblock: leave it to a worker rather than wait for memory, a lock or the
 *	random generator
 *
 * Context: process. Sleeps, interruptibly, until the random generator is ready,
 * unless @nonblock.
 * Return: 0; -EAGAIN if @nonblock and there is no epoch yet; -ERESTARTSYS if a
 * signal came first; -ENOMEM.
 */
static inline int kuid_epochs_start(bool nonblock)
{
	if (likely(READ_ONCE(kuid_host.epoch)))
		return 0;
	return kuid_epochs_start_slow(nonblock);
}

#endif /* KUID_EPOCHS_H */
