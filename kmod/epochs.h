/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host's generator and its epochs: beginning, changing and reading them.
 * events.h has the events that begin an epoch.
 */
#ifndef KUID_EPOCHS_H
#define KUID_EPOCHS_H

#include <linux/compiler.h>
#include <linux/init.h>
#include <linux/types.h>

#include "core/change.h"
#include "core/reading.h"
#include "host.h"

struct kuid_claim;
struct kuid_cover;
struct kuid_set_identity;

int kuid_epochs_start_now(void);
void kuid_epochs_start_soon(void);
int kuid_epochs_start_slow(bool nonblock);
int kuid_epochs_begin_for_step(void);
int kuid_epochs_begin_for_fork(void);
void kuid_epochs_set_hibernating(bool hibernating);
int kuid_epochs_cover(struct kuid_cover *cover);
int kuid_epochs_raise_cover(const struct kuid_cover *cover);
int kuid_epochs_set_identity(struct kuid_set_identity *set);
int kuid_epochs_claim(struct kuid_claim *claim);
int kuid_epochs_raise_claim(u64 load_id, struct kuid_claimed *claim);
bool kuid_epochs_read(struct kuid_reading *reading);

int __init kuid_epochs_init(void);
void kuid_epochs_exit(void);

/**
 * kuid_epochs_start - begin the first epoch, if there is none
 * @nonblock: don't sleep: let a worker begin the epoch
 *
 * Context: process. Unless @nonblock is set, sleeps: interruptibly for the
 * kernel's random generator, then for memory and the host lock.
 * Return: 0 if there is an epoch; -EAGAIN if @nonblock is set and there is none
 * yet; -ERESTARTSYS after a signal; -ENOMEM.
 */
static inline int kuid_epochs_start(bool nonblock)
{
	if (likely(READ_ONCE(kuid_host.epoch)))
		return 0;
	return kuid_epochs_start_slow(nonblock);
}

#endif /* KUID_EPOCHS_H */
