// SPDX-License-Identifier: GPL-2.0-only
/*
 * Epochs are made and published here. The first one needs random bits, and
 * loading must not wait for the kernel's random generator. So it begins when
 * the device is first opened; if the generator is not ready then, when the
 * first ID is asked for.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include <uapi/linux/kuid.h>

#include "epochs.h"
#include "identity.h"
#include "param.h"
#include "trace.h"
#include "wait.h"

struct kuid_generator kuid_host;

/* For work that begins epochs; unbound, because it sleeps. */
struct workqueue_struct *kuid_epochs_workqueue;

/*
 * Held to publish an epoch, and until the former one's readers are gone; they
 * are in rcu_read_lock_sched().
 */
static DEFINE_MUTEX(kuid_epochs_lock);

/* Where the first epoch's identity comes from. */
static struct kuid_choices kuid_epochs_first_choices __ro_after_init;

/* An image of this machine is being written. Guarded by kuid_epochs_lock. */
static bool kuid_epochs_hibernating;

/**
 * struct kuid_change - what a new epoch is to be
 * @why: why it begins
 * @choices: where its identity comes from
 * @changed: KUID_PART_*: what is to be drawn anew
 * @stale: KUID_PART_*: what another machine may have, too
 * @closings: &kuid_gate.closings, before anything is drawn; KUID_NEVER if the
 *	epoch must not open the gate
 * @floor: for KUID_EPOCH_RESTORE
 */
struct kuid_change {
	enum kuid_why why;
	struct kuid_choices choices;
	u32 changed;
	u32 stale;
	u64 closings;
	u64 floor;
};

/* An epoch like the one in use, to begin with. */
static struct kuid_change kuid_change_none(enum kuid_why why)
{
	const struct kuid_epoch *epoch = kuid_host.epoch;

	lockdep_assert_held(&kuid_epochs_lock);

	return (struct kuid_change) {
		.why = why,
		.choices = epoch ? epoch->choices : kuid_epochs_first_choices,
		.stale = epoch ? epoch->stale : 0,
		/*
		 * An identity that is open in the hibernation image would be
		 * open in every machine resumed from it.
		 */
		.closings = kuid_epochs_hibernating
				    ? KUID_NEVER
				    : READ_ONCE(kuid_host.gate.closings),
	};
}

/* There may be a twin that goes on from where this machine is. */
static void kuid_change_for_fork(struct kuid_change *change)
{
	change->choices.salt = get_random_u64();
	/* Draw all that can be drawn; the rest waits for an administrator. */
	change->changed = KUID_ALL_PARTS;
	change->stale = KUID_ALL_PARTS;
}

static struct kuid_epoch *kuid_epochs_alloc(void)
{
	unsigned int nr_lanes =
		min_t(unsigned int, nr_cpu_ids, KUID_MAX_CPU_LANES);
	struct kuid_epoch *epoch;

	epoch = kvzalloc(struct_size(epoch, lanes,
				     KUID_FIRST_CPU_LANE + nr_lanes),
			 GFP_KERNEL);
	if (epoch)
		epoch->nr_cpu_lanes = nr_lanes;
	return epoch;
}

static struct kuid_sequences *kuid_epochs_alloc_sequences(void)
{
	struct kuid_sequences *sequences;

	sequences =
		kvzalloc(struct_size(sequences, runs, nr_cpu_ids), GFP_KERNEL);
	if (sequences)
		sequences->nr_cpus = nr_cpu_ids;
	return sequences;
}

static u64 kuid_epochs_draw_load_id(void)
{
	u64 load_id;

	do
		load_id = get_random_u64();
	while (!load_id);
	return load_id;
}

/*
 * Make an epoch, with sequences of its own if @change calls for them, and
 * publish it. Returns 0, also if there is no need for it any more, or -ENOMEM.
 */
static int kuid_epochs_begin(const struct kuid_change *change)
{
	struct kuid_epoch *former = kuid_host.epoch;
	struct kuid_sequences *sequences = NULL;
	struct kuid_epoch *epoch;

	lockdep_assert_held(&kuid_epochs_lock);

	epoch = kuid_epochs_alloc();
	if (!epoch)
		return -ENOMEM;
	if (change->why == KUID_EPOCH_FIRST ||
	    change->why == KUID_EPOCH_FORCE) {
		sequences = kuid_epochs_alloc_sequences();
		if (!sequences) {
			kvfree(epoch);
			return -ENOMEM;
		}
		epoch->sequences = sequences;
	}
	kuid_identity_draw(&epoch->identity, &change->choices,
			   former ? &former->identity : NULL, change->changed);
	epoch->choices = change->choices;
	epoch->given = kuid_identity_given(&change->choices);
	epoch->stale = change->stale & epoch->given;
	epoch->closings = change->closings;
	/*
	 * A twin has the load_id of the former epoch. This need not be the epoch
	 * that was begun for the twin: another one may have come before it.
	 */
	if (!former || former->closings != change->closings)
		epoch->load_id = kuid_epochs_draw_load_id();

	if (!kuid_generator_publish(&kuid_host, epoch, change->why,
				    change->floor)) {
		kvfree(epoch);
		return 0;
	}
	trace_kuid_epoch(epoch->number, change->why);
	kuid_wait_changed();

	if (former) {
		synchronize_rcu();
		if (sequences)
			kvfree(former->sequences);
		kvfree(former);
	}
	return 0;
}

static int kuid_epochs_begin_first(void)
{
	int ret = 0;

	mutex_lock(&kuid_epochs_lock);
	if (!kuid_host.epoch) {
		struct kuid_change change = kuid_change_none(KUID_EPOCH_FIRST);

		/* The machine may have been cloned since the load. */
		if (change.closings)
			kuid_change_for_fork(&change);
		ret = kuid_epochs_begin(&change);
	}
	mutex_unlock(&kuid_epochs_lock);
	return ret;
}

/**
 * kuid_epochs_start_now - begin the first epoch, unless there is one
 *
 * Context: process. Sleeps, but not for the random generator.
 * Return: 0; -EAGAIN if the random generator is not ready; -ENOMEM.
 */
int kuid_epochs_start_now(void)
{
	if (READ_ONCE(kuid_host.epoch))
		return 0;
	if (!rng_is_initialized())
		return -EAGAIN;
	return kuid_epochs_begin_first();
}

static void kuid_epochs_start_work(struct work_struct *work)
{
	/* On failure the caller retries, which queues this work again. */
	kuid_epochs_start_now();
}

static DECLARE_WORK(kuid_epochs_first_work, kuid_epochs_start_work);

/* Work can't be queued where kuid_epochs_start_soon() is called. */
static void kuid_epochs_start_irq(struct irq_work *irq_work)
{
	queue_work(kuid_epochs_workqueue, &kuid_epochs_first_work);
}

static DEFINE_IRQ_WORK(kuid_epochs_start_irq_work, kuid_epochs_start_irq);

/**
 * kuid_epochs_start_soon - have the first epoch begun by a worker
 *
 * Context: any.
 */
void kuid_epochs_start_soon(void)
{
	irq_work_queue(&kuid_epochs_start_irq_work);
}

/* For kuid_epochs_start(), when there is no epoch yet. */
int kuid_epochs_start_slow(bool nonblock)
{
	int ret;

	if (nonblock) {
		kuid_epochs_start_soon();
		return -EAGAIN;
	}
	ret = wait_for_random_bytes();
	return ret ?: kuid_epochs_begin_first();
}

/**
 * kuid_epochs_begin_for_step - begin an epoch, if the wall clock was set back
 *	further than the limit
 *
 * Context: process; there is an epoch. Sleeps.
 * Return: 0, or -ENOMEM: the former epoch goes on.
 */
int kuid_epochs_begin_for_step(void)
{
	struct kuid_change change;
	int ret;

	mutex_lock(&kuid_epochs_lock);
	change = kuid_change_none(KUID_EPOCH_STEP);
	ret = kuid_epochs_begin(&change);
	mutex_unlock(&kuid_epochs_lock);
	return ret;
}

/**
 * kuid_epochs_begin_for_fork - begin an epoch that a twin doesn't have
 *
 * If there was no epoch yet, the first one will be such.
 *
 * Context: process. Sleeps.
 * Return: 0, or -ENOMEM.
 */
int kuid_epochs_begin_for_fork(void)
{
	struct kuid_change change;
	int ret = 0;

	mutex_lock(&kuid_epochs_lock);
	change = kuid_change_none(KUID_EPOCH_FORK);
	kuid_change_for_fork(&change);
	if (kuid_host.epoch)
		ret = kuid_epochs_begin(&change);
	mutex_unlock(&kuid_epochs_lock);
	return ret;
}

/**
 * kuid_epochs_set_hibernating - say whether a hibernation image is written
 * @hibernating: epochs that begin from now on must not open the gate
 *
 * Context: process. Sleeps.
 */
void kuid_epochs_set_hibernating(bool hibernating)
{
	mutex_lock(&kuid_epochs_lock);
	kuid_epochs_hibernating = hibernating;
	mutex_unlock(&kuid_epochs_lock);
}

static struct kuid_epoch_name kuid_epochs_name(void)
{
	lockdep_assert_held(&kuid_epochs_lock);

	return (struct kuid_epoch_name) {
		.number = kuid_host.epoch->number,
		.load_id = kuid_host.epoch->load_id,
	};
}

/* Begin an epoch whose identity is as before. */
static int kuid_epochs_begin_same(enum kuid_why why, u64 floor,
				  struct kuid_epoch_name *name)
{
	struct kuid_change change;
	int ret;

	ret = kuid_epochs_start_now();
	if (ret)
		return ret;
	mutex_lock(&kuid_epochs_lock);
	change = kuid_change_none(why);
	change.floor = floor;
	ret = kuid_epochs_begin(&change);
	*name = kuid_epochs_name();
	mutex_unlock(&kuid_epochs_lock);
	return ret;
}

/**
 * kuid_epochs_force_clock - set all clocks to the wall clock
 * @name: set to the epoch that begins with it
 *
 * Slots may be given out a second time after that.
 *
 * Context: process. Sleeps.
 * Return: 0; -EAGAIN if the random generator is not ready; -ENOMEM.
 */
int kuid_epochs_force_clock(struct kuid_epoch_name *name)
{
	return kuid_epochs_begin_same(KUID_EPOCH_FORCE, 0, name);
}

/**
 * kuid_epochs_restore - give out nothing below a time any more
 * @floor: the time, in nanoseconds since 1970; 0 if there is none
 * @name: set to the epoch that begins with it
 *
 * Context: process. Sleeps.
 * Return: as kuid_epochs_force_clock().
 */
int kuid_epochs_restore(u64 floor, struct kuid_epoch_name *name)
{
	return kuid_epochs_begin_same(KUID_EPOCH_RESTORE, floor, name);
}

/**
 * kuid_epochs_acknowledge - set the ceiling
 * @ceiling: stable storage covers all times below, in nanoseconds since 1970
 *
 * Context: process. Sleeps.
 * Return: 0; -EAGAIN if the random generator is not ready; -EINVAL if IDs were
 * given out that are not below.
 */
int kuid_epochs_acknowledge(u64 ceiling)
{
	bool covers;
	int ret;

	ret = kuid_epochs_start_now();
	if (ret)
		return ret;
	/* The generator looks at the epoch, which must stay meanwhile. */
	mutex_lock(&kuid_epochs_lock);
	covers = kuid_generator_acknowledge(&kuid_host, ceiling);
	mutex_unlock(&kuid_epochs_lock);
	if (!covers)
		return -EINVAL;
	kuid_wait_changed();
	return 0;
}

/**
 * kuid_epochs_set_identity - begin an epoch with another identity
 * @set: the request, whose flags and reserved fields are as they must be
 * @name: set to the epoch
 *
 * Context: process. Sleeps.
 * Return: 0; -EINVAL, -ENODEV, -ENOMEM, and nothing was changed; -EAGAIN if the
 * random generator is not ready.
 */
int kuid_epochs_set_identity(const struct kuid_set_identity *set,
			     struct kuid_epoch_name *name)
{
	struct kuid_change change;
	int ret;

	ret = kuid_epochs_start_now();
	if (ret)
		return ret;
	mutex_lock(&kuid_epochs_lock);
	change = kuid_change_none(KUID_EPOCH_SET);
	ret = kuid_identity_change(&change.choices, set);
	if (!ret) {
		change.changed = kuid_identity_changed(set);
		change.stale &= ~change.changed;
		if (set->flags & KUID_IDENTITY_CONFIRM)
			change.stale = 0;
		ret = kuid_epochs_begin(&change);
	}
	*name = kuid_epochs_name();
	mutex_unlock(&kuid_epochs_lock);
	return ret;
}

/**
 * kuid_epochs_read - how things stand on the host
 * @reading: set in all of it; before the first epoch module parameters answer
 *	for what is not zero then
 *
 * Context: process. Does not sleep.
 * Return: as kuid_generator_read().
 */
bool kuid_epochs_read(struct kuid_reading *reading)
{
	bool found;

	rcu_read_lock_sched();
	found = kuid_generator_read(&kuid_host, reading);
	rcu_read_unlock_sched();
	if (!reading->origin.epoch)
		reading->choices = kuid_epochs_first_choices;
	return found;
}

/**
 * kuid_epochs_given - what another machine could have, too
 *
 * Context: any but NMI.
 * Return: KUID_PART_* of the epoch, or of the one to come if there is none yet.
 */
u32 kuid_epochs_given(void)
{
	const struct kuid_epoch *epoch;
	u32 given;

	rcu_read_lock_sched();
	/* Pairs with the release in kuid_generator_publish(). */
	epoch = smp_load_acquire(&kuid_host.epoch);
	given = epoch ? epoch->given
		      : kuid_identity_given(&kuid_epochs_first_choices);
	rcu_read_unlock_sched();
	return given;
}

/**
 * kuid_epochs_init - prepare for epochs
 *
 * Context: module load.
 * Return: 0; -ENOMEM; -ENODEV if the node can't be made as a parameter says.
 */
int __init kuid_epochs_init(void)
{
	struct kuid_params params;
	int ret;

	kuid_param_read(&params);
	ret = kuid_identity_init(&params.choices);
	if (ret)
		return ret;
	kuid_epochs_first_choices = params.choices;
	kuid_epochs_workqueue = alloc_workqueue("kuid", WQ_UNBOUND, 0);
	if (!kuid_epochs_workqueue)
		return -ENOMEM;
	kuid_generator_init(&kuid_host, params.max_ahead_ns,
			    params.step_limit_ns, params.state_required);
	return 0;
}

/*
 * Wait until the wall clock has passed all that the next load could give out
 * again. If that would take longer than IDs may be ahead of a clock that was
 * not set back, warn instead.
 */
static void kuid_epochs_wait_clear(void)
{
	u64 clear = kuid_generator_clear(&kuid_host);
	u64 now;

	/* The wall clock may be set back meanwhile. */
	while ((now = ktime_get_real_ns()) < clear) {
		if (clear - now > kuid_host.max_ahead + 2 * KUID_GRID_TICK_NS) {
			pr_warn("the wall clock was set back and is %llu s behind the last IDs: loaded before it has caught up, the module may repeat them\n",
				div_u64(clear - now, NSEC_PER_SEC) + 1);
			return;
		}
		fsleep(div_u64(clear - now, NSEC_PER_USEC) + 1);
	}
}

/**
 * kuid_epochs_exit - the reverse of kuid_epochs_init()
 *
 * Context: module unload, when no caller can ask for IDs any more. Sleeps until
 * the wall clock has passed what was given out ahead of it.
 */
void kuid_epochs_exit(void)
{
	irq_work_sync(&kuid_epochs_start_irq_work);
	cancel_work_sync(&kuid_epochs_first_work);
	destroy_workqueue(kuid_epochs_workqueue);
	kuid_epochs_wait_clear();
	if (kuid_host.epoch)
		kvfree(kuid_host.epoch->sequences);
	kvfree(kuid_host.epoch);
}
