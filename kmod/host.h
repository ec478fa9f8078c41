/* SPDX-License-Identifier: GPL-2.0-only */
/* The host's one generator, and what keeps it going: epochs, steps, waiting. */
#ifndef KUID_HOST_H
#define KUID_HOST_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/init.h>
#include <linux/types.h>

#include "core/generator.h"
#include "identity.h"

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

extern atomic64_t kuid_host_forks;

int kuid_host_start_now(void);
void kuid_host_start_soon(void);
int kuid_host_start_slow(bool nonblock);
int kuid_host_force_clock(struct kuid_epoch_name *name);
int kuid_host_restore(u64 floor, struct kuid_epoch_name *name);
int kuid_host_acknowledge(u64 ceiling);
int kuid_host_set_identity(const struct kuid_set_identity *set,
			   struct kuid_epoch_name *name);
void kuid_host_read(struct kuid_reading *reading);
u32 kuid_host_given(void);

int __init kuid_host_init(void);
void kuid_host_exit(void);

/**
 * kuid_host_start - see to it that there is an epoch to make IDs in
 * @nonblock: leave it to a worker rather than wait for memory, a lock or the
 *	random generator
 *
 * Context: process. Sleeps, interruptibly, until the random generator is ready,
 * unless @nonblock.
 * Return: 0; -EAGAIN if @nonblock and there is no epoch yet; -ERESTARTSYS if a
 * signal came first; -ENOMEM.
 */
static inline int kuid_host_start(bool nonblock)
{
	if (likely(READ_ONCE(kuid_host.epoch)))
		return 0;
	return kuid_host_start_slow(nonblock);
}

#endif /* KUID_HOST_H */
