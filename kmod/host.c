// SPDX-License-Identifier: GPL-2.0-only
/*
 * Epochs are made here: the first when the device is first opened, not when
 * the module is loaded, because it needs random bits, and loading must not
 * wait for the kernel's random generator. Nor need opening: if that is not
 * ready, the epoch is made when the first ID is asked for. A step of the wall
 * clock may be found by anyone who asks for an ID, in whatever context; the
 * epoch that it calls for is made by a worker.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/overflow.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/suspend.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "host.h"
#include "identity.h"
#include "param.h"
#include "trace.h"
#include "wait.h"

/* Steps begin no more than an epoch in this time; until then, half speed. */
#define KUID_HOST_EPOCH_INTERVAL HZ

struct kuid_generator kuid_host;

/*
 * Held to publish an epoch, and until the former one's readers are gone; they
 * are in rcu_read_lock_sched().
 */
static DEFINE_MUTEX(kuid_host_lock);

static struct kuid_bounded kuid_host_max_ahead = {
	.value = KUID_MAX_AHEAD_MS,
	.min = 1,
	.max = 1000,
};

static struct kuid_bounded kuid_host_step_limit = {
	.value = KUID_STEP_LIMIT_MS,
	.min = 0,
	.max = 3600 * 1000,
};

module_param_cb(max_ahead_ms, &kuid_bounded_ops, &kuid_host_max_ahead, 0444);
MODULE_PARM_DESC(max_ahead_ms, "how far an ID may be ahead: 1 to 1000 (100)");
module_param_cb(step_limit_ms, &kuid_bounded_ops, &kuid_host_step_limit, 0444);
MODULE_PARM_DESC(step_limit_ms, "back to a new epoch: 0 to 3600000 (10000)");

/* Whether IDs that a reboot could repeat wait for saved state. */
static bool kuid_host_state_required;

static int kuid_host_state_set(const char *text, const struct kernel_param *kp)
{
	if (!strcmp(text, "off")) {
		kuid_host_state_required = false;
	} else if (!strcmp(text, "required")) {
		kuid_host_state_required = true;
	} else {
		pr_err("%s=%s: must be off or required\n", kp->name, text);
		return -EINVAL;
	}
	return 0;
}

static int kuid_host_state_get(char *text, const struct kernel_param *kp)
{
	return sprintf(text, "%s\n",
		       kuid_host_state_required ? "required" : "off");
}

static const struct kernel_param_ops kuid_host_state_ops = {
	.set = kuid_host_state_set,
	.get = kuid_host_state_get,
};

module_param_cb(state, &kuid_host_state_ops, NULL, 0444);
MODULE_PARM_DESC(state, "off (default), or required: wait for saved state");

/* Where the first epoch's identity comes from, as module parameters say. */
static struct kuid_choices kuid_host_params __ro_after_init;

static struct workqueue_struct *kuid_host_workqueue;

/* How often the machine was cloned, restored or resumed from hibernation. */
atomic64_t kuid_host_forks;

/* An image of this machine is on its way. Protected by kuid_host_lock. */
static bool kuid_host_hibernates;

/**
 * struct kuid_change - what a new epoch is to be
 * @why: why it begins
 * @choices: where its identity comes from
 * @changed: KUID_PART_*: what is to be drawn anew
 * @stale: KUID_PART_*: what another machine may have, too
 * @closings: kuid_gate.closings, before anything is drawn; KUID_NEVER if
 *	nothing may be opened by it
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

/* No change, to begin with. */
static struct kuid_change kuid_host_change(enum kuid_why why)
{
	const struct kuid_epoch *epoch = kuid_host.epoch;

	lockdep_assert_held(&kuid_host_lock);

	return (struct kuid_change) {
		.why = why,
		.choices = epoch ? epoch->choices : kuid_host_params,
		.stale = epoch ? epoch->stale : 0,
		/* Open in the image, it would be so in all that resume it. */
		.closings = kuid_host_hibernates
				    ? KUID_NEVER
				    : READ_ONCE(kuid_host.gate.closings),
	};
}

/* There may be a twin that goes on from where this machine is. */
static void kuid_host_change_forked(struct kuid_change *change)
{
	change->choices.salt = get_random_u64();
	/* All that can change, does; the rest waits for an administrator. */
	change->changed = KUID_ALL_PARTS;
	change->stale = KUID_ALL_PARTS;
}

static struct kuid_epoch *kuid_host_alloc_epoch(void)
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

static struct kuid_sequences *kuid_host_alloc_sequences(void)
{
	struct kuid_sequences *sequences;

	sequences =
		kvzalloc(struct_size(sequences, runs, nr_cpu_ids), GFP_KERNEL);
	if (sequences)
		sequences->nr_cpus = nr_cpu_ids;
	return sequences;
}

static u64 kuid_host_draw_load_id(void)
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
static int kuid_host_begin_epoch(const struct kuid_change *change)
{
	struct kuid_epoch *former = kuid_host.epoch;
	struct kuid_sequences *sequences = NULL;
	struct kuid_epoch *epoch;

	lockdep_assert_held(&kuid_host_lock);

	epoch = kuid_host_alloc_epoch();
	if (!epoch)
		return -ENOMEM;
	if (change->why == KUID_EPOCH_FIRST ||
	    change->why == KUID_EPOCH_FORCE) {
		sequences = kuid_host_alloc_sequences();
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
		epoch->load_id = kuid_host_draw_load_id();

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

static int kuid_host_first_epoch(void)
{
	int ret = 0;

	mutex_lock(&kuid_host_lock);
	if (!kuid_host.epoch) {
		struct kuid_change change = kuid_host_change(KUID_EPOCH_FIRST);

		/* Before that it may have been so, too. */
		if (change.closings)
			kuid_host_change_forked(&change);
		ret = kuid_host_begin_epoch(&change);
	}
	mutex_unlock(&kuid_host_lock);
	return ret;
}

/**
 * kuid_host_start_now - begin the first epoch, unless there is one
 *
 * Context: process. Sleeps, but not for the random generator.
 * Return: 0; -EAGAIN if the random generator is not ready; -ENOMEM.
 */
int kuid_host_start_now(void)
{
	if (READ_ONCE(kuid_host.epoch))
		return 0;
	if (!rng_is_initialized())
		return -EAGAIN;
	return kuid_host_first_epoch();
}

static void kuid_host_start_work(struct work_struct *work)
{
	/* On failure the caller retries, which queues this work again. */
	kuid_host_start_now();
}

static DECLARE_WORK(kuid_host_first_work, kuid_host_start_work);

/* A context in which work may be queued. */
static void kuid_host_start_irq(struct irq_work *irq_work)
{
	queue_work(kuid_host_workqueue, &kuid_host_first_work);
}

static DEFINE_IRQ_WORK(kuid_host_start_irq_work, kuid_host_start_irq);

/**
 * kuid_host_start_soon - have the first epoch begun by a worker
 *
 * Context: any.
 */
void kuid_host_start_soon(void)
{
	irq_work_queue(&kuid_host_start_irq_work);
}

/* For kuid_host_start(), when there is no epoch yet. */
int kuid_host_start_slow(bool nonblock)
{
	int ret;

	if (nonblock) {
		kuid_host_start_soon();
		return -EAGAIN;
	}
	ret = wait_for_random_bytes();
	return ret ?: kuid_host_first_epoch();
}

static struct kuid_epoch_name kuid_host_epoch_name(void)
{
	lockdep_assert_held(&kuid_host_lock);

	return (struct kuid_epoch_name) {
		.number = kuid_host.epoch->number,
		.load_id = kuid_host.epoch->load_id,
	};
}

/* Begin an epoch whose identity is as before. */
static int kuid_host_begin_same(enum kuid_why why, u64 floor,
				struct kuid_epoch_name *name)
{
	struct kuid_change change;
	int ret;

	ret = kuid_host_start_now();
	if (ret)
		return ret;
	mutex_lock(&kuid_host_lock);
	change = kuid_host_change(why);
	change.floor = floor;
	ret = kuid_host_begin_epoch(&change);
	*name = kuid_host_epoch_name();
	mutex_unlock(&kuid_host_lock);
	return ret;
}

/**
 * kuid_host_force_clock - set all clocks to the wall clock
 * @name: set to the epoch that begins with it
 *
 * Slots may be given out a second time after that.
 *
 * Context: process. Sleeps.
 * Return: 0; -EAGAIN if the random generator is not ready; -ENOMEM.
 */
int kuid_host_force_clock(struct kuid_epoch_name *name)
{
	return kuid_host_begin_same(KUID_EPOCH_FORCE, 0, name);
}

/**
 * kuid_host_restore - give out nothing below a time any more
 * @floor: the time, in nanoseconds since 1970; 0 if there is none
 * @name: set to the epoch that begins with it
 *
 * Context: process. Sleeps.
 * Return: as kuid_host_force_clock().
 */
int kuid_host_restore(u64 floor, struct kuid_epoch_name *name)
{
	return kuid_host_begin_same(KUID_EPOCH_RESTORE, floor, name);
}

/**
 * kuid_host_acknowledge - set the ceiling
 * @ceiling: stable storage covers all times below, in nanoseconds since 1970
 *
 * Context: process. Sleeps.
 * Return: 0; -EAGAIN if the random generator is not ready; -EINVAL if IDs were
 * given out that are not below.
 */
int kuid_host_acknowledge(u64 ceiling)
{
	bool covers;
	int ret;

	ret = kuid_host_start_now();
	if (ret)
		return ret;
	/* Or the epoch could go under the generator's eyes. */
	mutex_lock(&kuid_host_lock);
	covers = kuid_generator_acknowledge(&kuid_host, ceiling);
	mutex_unlock(&kuid_host_lock);
	if (!covers)
		return -EINVAL;
	kuid_wait_changed();
	return 0;
}

/**
 * kuid_host_set_identity - begin an epoch with another identity
 * @set: the request, whose flags and reserved fields are as they must be
 * @name: set to the epoch
 *
 * Context: process. Sleeps.
 * Return: 0; -EINVAL, -ENODEV, -ENOMEM, and nothing was changed; -EAGAIN if the
 * random generator is not ready.
 */
int kuid_host_set_identity(const struct kuid_set_identity *set,
			   struct kuid_epoch_name *name)
{
	struct kuid_change change;
	int ret;

	ret = kuid_host_start_now();
	if (ret)
		return ret;
	mutex_lock(&kuid_host_lock);
	change = kuid_host_change(KUID_EPOCH_SET);
	ret = kuid_identity_change(&change.choices, set);
	if (!ret) {
		change.changed = kuid_identity_changed(set);
		change.stale &= ~change.changed;
		if (set->flags & KUID_IDENTITY_CONFIRM)
			change.stale = 0;
		ret = kuid_host_begin_epoch(&change);
	}
	*name = kuid_host_epoch_name();
	mutex_unlock(&kuid_host_lock);
	return ret;
}

static void kuid_host_tell_step(struct work_struct *work)
{
	rcu_read_lock_sched();
	kuid_generator_refresh(&kuid_host, &kuid_host.stamp_clock);
	rcu_read_unlock_sched();
}

static DECLARE_WORK(kuid_host_found_work, kuid_host_tell_step);

/**
 * kuid_host_read - how things stand on the host
 * @reading: set in all of it; before the first epoch module parameters answer
 *	for what is not zero then
 *
 * Context: process. Does not sleep.
 */
void kuid_host_read(struct kuid_reading *reading)
{
	bool found;

	rcu_read_lock_sched();
	found = kuid_generator_read(&kuid_host, reading);
	rcu_read_unlock_sched();
	/* Telling the generator takes its lock, and a look at all lanes. */
	if (found)
		queue_work(kuid_host_workqueue, &kuid_host_found_work);
	if (!reading->origin.epoch)
		reading->choices = kuid_host_params;
}

/**
 * kuid_host_given - what another machine could have, too
 *
 * Context: any but NMI.
 * Return: KUID_PART_* of the epoch, or of the one to come if there is none yet.
 */
u32 kuid_host_given(void)
{
	const struct kuid_epoch *epoch;
	u32 given;

	rcu_read_lock_sched();
	/* Pairs with the release in kuid_generator_publish(). */
	epoch = smp_load_acquire(&kuid_host.epoch);
	given = epoch ? epoch->given : kuid_identity_given(&kuid_host_params);
	rcu_read_unlock_sched();
	return given;
}

static void kuid_host_step_epoch(struct work_struct *work);
static DECLARE_DELAYED_WORK(kuid_host_step_work, kuid_host_step_epoch);

/*
 * When the worker last began an epoch, in jiffies; written by it alone, and
 * read by steps meanwhile.
 */
static unsigned long kuid_host_last_step;

static void kuid_host_step_epoch(struct work_struct *work)
{
	struct kuid_change change;
	int ret;

	mutex_lock(&kuid_host_lock);
	WRITE_ONCE(kuid_host_last_step, jiffies);
	change = kuid_host_change(KUID_EPOCH_STEP);
	ret = kuid_host_begin_epoch(&change);
	mutex_unlock(&kuid_host_lock);
	/* The former one goes on at half speed, whose IDs are good, too. */
	if (ret)
		queue_delayed_work(kuid_host_workqueue, &kuid_host_step_work,
				   KUID_HOST_EPOCH_INTERVAL);
}

static void kuid_host_fork_epoch(struct work_struct *work);
static DECLARE_DELAYED_WORK(kuid_host_fork_work, kuid_host_fork_epoch);

static void kuid_host_fork_epoch(struct work_struct *work)
{
	struct kuid_change change;
	int ret = 0;

	mutex_lock(&kuid_host_lock);
	change = kuid_host_change(KUID_EPOCH_FORK);
	kuid_host_change_forked(&change);
	if (kuid_host.epoch)
		ret = kuid_host_begin_epoch(&change);
	mutex_unlock(&kuid_host_lock);
	/* Until then there are no IDs that a twin could have, too. */
	if (ret)
		queue_delayed_work(kuid_host_workqueue, &kuid_host_fork_work,
				   KUID_HOST_EPOCH_INTERVAL);
}

static void kuid_host_forked(void)
{
	atomic64_inc(&kuid_host_forks);
	/* At once, for there may be no memory for an epoch. */
	kuid_generator_close(&kuid_host);
	mod_delayed_work(kuid_host_workqueue, &kuid_host_fork_work, 0);
}

/* May be told by a hard interrupt, so does not wait for the epoch. */
static int kuid_host_vm_fork(struct notifier_block *nb, unsigned long action,
			     void *data)
{
	kuid_host_forked();
	return NOTIFY_DONE;
}

static struct notifier_block kuid_host_vm_fork_block = {
	.notifier_call = kuid_host_vm_fork,
};

/* An image of hibernation may be resumed from more than once. */
static int kuid_host_pm(struct notifier_block *nb, unsigned long action,
			void *data)
{
	bool begins = action == PM_HIBERNATION_PREPARE;

	if (!begins && action != PM_POST_HIBERNATION)
		return NOTIFY_DONE;
	mutex_lock(&kuid_host_lock);
	kuid_host_hibernates = begins;
	mutex_unlock(&kuid_host_lock);
	/* The image is of a generator that is closed until it is told. */
	if (begins) {
		kuid_generator_close(&kuid_host);
	} else {
		kuid_host_forked();
		flush_delayed_work(&kuid_host_fork_work);
	}
	return NOTIFY_DONE;
}

static struct notifier_block kuid_host_pm_block = {
	.notifier_call = kuid_host_pm,
};

/*
 * Set by a step that calls for an epoch, in any context, until the worker is
 * told.
 */
static bool kuid_host_epoch_wanted;

/* A context in which waiters can be woken and work be queued. */
static void kuid_host_stepped(struct irq_work *irq_work)
{
	unsigned long next =
		READ_ONCE(kuid_host_last_step) + KUID_HOST_EPOCH_INTERVAL;
	unsigned long now = jiffies;

	if (xchg(&kuid_host_epoch_wanted, false))
		queue_delayed_work(kuid_host_workqueue, &kuid_host_step_work,
				   time_before(now, next) ? next - now : 0);
	kuid_wait_changed();
}

static DEFINE_IRQ_WORK(kuid_host_step_irq_work, kuid_host_stepped);

void kuid_port_stepped(const struct kuid_step *step)
{
	if (step->by)
		trace_kuid_step(step->by, step->stamp_lag, step->slot_lag);
	if (step->epoch_wanted)
		WRITE_ONCE(kuid_host_epoch_wanted, true);
	irq_work_queue(&kuid_host_step_irq_work);
}

/**
 * kuid_host_init - prepare for making IDs
 *
 * Context: module load.
 * Return: 0; -ENOMEM; -ENODEV if the node can't be made as a parameter says.
 */
int __init kuid_host_init(void)
{
	int ret;

	ret = kuid_identity_init(&kuid_host_params);
	if (ret)
		return ret;
	kuid_host_workqueue = alloc_workqueue("kuid", WQ_UNBOUND, 0);
	if (!kuid_host_workqueue)
		return -ENOMEM;
	kuid_host_last_step = jiffies - KUID_HOST_EPOCH_INTERVAL;
	kuid_generator_init(&kuid_host,
			    (u64)kuid_host_max_ahead.value * NSEC_PER_MSEC,
			    (u64)kuid_host_step_limit.value * NSEC_PER_MSEC,
			    kuid_host_state_required);

	ret = register_random_vmfork_notifier(&kuid_host_vm_fork_block);
	if (ret)
		goto err_workqueue;
	ret = register_pm_notifier(&kuid_host_pm_block);
	if (ret)
		goto err_vm_fork;
	return 0;

err_vm_fork:
	unregister_random_vmfork_notifier(&kuid_host_vm_fork_block);
err_workqueue:
	destroy_workqueue(kuid_host_workqueue);
	return ret;
}

/*
 * Wait until the wall clock has passed all that could be given out again by
 * the next load; or if that would take longer than IDs may be ahead of a clock
 * that was not set back, say so.
 */
static void kuid_host_wait_clear(void)
{
	u64 clear = kuid_generator_clear(&kuid_host);
	u64 now;

	/* It may be set back meanwhile. */
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
 * kuid_host_exit - the reverse of kuid_host_init()
 *
 * Context: module unload, when no one can ask for IDs any more. Sleeps until
 * the wall clock has passed what was given out ahead of it.
 */
void kuid_host_exit(void)
{
	unregister_pm_notifier(&kuid_host_pm_block);
	unregister_random_vmfork_notifier(&kuid_host_vm_fork_block);
	irq_work_sync(&kuid_host_start_irq_work);
	cancel_work_sync(&kuid_host_first_work);
	cancel_work_sync(&kuid_host_found_work);
	irq_work_sync(&kuid_host_step_irq_work);
	cancel_delayed_work_sync(&kuid_host_step_work);
	cancel_delayed_work_sync(&kuid_host_fork_work);
	/* Epochs that began just now may have found steps, but want no epoch. */
	irq_work_sync(&kuid_host_step_irq_work);
	destroy_workqueue(kuid_host_workqueue);
	kuid_host_wait_clear();
	if (kuid_host.epoch)
		kvfree(kuid_host.epoch->sequences);
	kvfree(kuid_host.epoch);
}
