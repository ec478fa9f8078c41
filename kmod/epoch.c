// SPDX-License-Identifier: GPL-2.0-only
/*
 * The epoch is made when the device is first opened, not when the module is
 * loaded: it needs random bits, and loading must not wait for the kernel's
 * random generator. Nor need opening: if that is not ready, the epoch is made
 * when the first ID is asked for.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/random.h>

#include "epoch.h"
#include "identity.h"

struct kuid_epoch *kuid_epoch_current;

/* Held to set kuid_epoch_current. */
static DEFINE_MUTEX(kuid_epoch_lock);

static struct kuid_epoch *kuid_epoch_make(void)
{
	unsigned int nr_lanes =
		min_t(unsigned int, nr_cpu_ids, KUID_MAX_CPU_LANES);
	struct kuid_epoch *epoch;

	lockdep_assert_held(&kuid_epoch_lock);

	epoch = kvzalloc(struct_size(epoch, cpu_lanes, nr_lanes), GFP_KERNEL);
	if (!epoch)
		return ERR_PTR(-ENOMEM);
	epoch->number = 1;
	epoch->nr_cpu_lanes = nr_lanes;
	kuid_identity_draw(&epoch->identity);

	/* Pairs with the acquire in kuid_epoch_peek(). */
	smp_store_release(&kuid_epoch_current, epoch);
	return epoch;
}

static struct kuid_epoch *kuid_epoch_first(bool nonblock)
{
	struct kuid_epoch *epoch;
	int ret;

	if (nonblock && !rng_is_initialized())
		return ERR_PTR(-EAGAIN);
	ret = wait_for_random_bytes();
	if (ret)
		return ERR_PTR(ret);

	mutex_lock(&kuid_epoch_lock);
	epoch = kuid_epoch_current ?: kuid_epoch_make();
	mutex_unlock(&kuid_epoch_lock);
	return epoch;
}

/**
 * kuid_epoch_get - the epoch to make IDs in
 * @nonblock: fail rather than wait for the random generator
 *
 * Context: process. May sleep, interruptibly, until the first epoch is there.
 * Return: the epoch, valid until the module is unloaded; or
 * ERR_PTR(-EAGAIN) if @nonblock and the random generator is not ready,
 * ERR_PTR(-ERESTARTSYS) if a signal came first, ERR_PTR(-ENOMEM).
 */
struct kuid_epoch *kuid_epoch_get(bool nonblock)
{
	return kuid_epoch_peek() ?: kuid_epoch_first(nonblock);
}

/**
 * kuid_epoch_exit - free the epoch
 *
 * Context: module unload, when no one can ask for IDs any more.
 */
void kuid_epoch_exit(void)
{
	kvfree(kuid_epoch_current);
}
