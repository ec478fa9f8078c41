/* SPDX-License-Identifier: GPL-2.0-only */
/* The epoch that the host's IDs are made in. */
#ifndef KUID_EPOCH_H
#define KUID_EPOCH_H

#include <linux/types.h>

#include "core/generator.h"

/* Set once, with release. */
extern struct kuid_epoch *kuid_epoch_current;

/**
 * kuid_epoch_peek - the epoch to make IDs in, if there is one yet
 *
 * Context: any. Never sleeps.
 * Return: the epoch, valid until the module is unloaded, or NULL.
 */
static inline struct kuid_epoch *kuid_epoch_peek(void)
{
	/* Pairs with the release in kuid_epoch_make(): all of it, or NULL. */
	return smp_load_acquire(&kuid_epoch_current);
}

struct kuid_epoch *kuid_epoch_get(bool nonblock);
void kuid_epoch_exit(void);

#endif /* KUID_EPOCH_H */
