// SPDX-License-Identifier: GPL-2.0-only
/*
 * The machine is cloned, restored or hibernated, or its wall clock is set. Any
 * caller that asks for an ID may find a clock step, in whatever context, and
 * hard interrupts may tell of a clone. So workers begin the epochs.
 */
#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/notifier.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/suspend.h>
#include <linux/workqueue.h>

#include "epochs.h"
#include "events.h"
#include "trace.h"
#include "wait.h"

/*
 * Clock steps begin one epoch in this time at most, in jiffies. Until then
 * stamps go on at half speed.
 */
#define KUID_EVENTS_INTERVAL HZ

static atomic64_t kuid_events_nr_forks;

/* When the worker last began an epoch for a clock step, in jiffies. */
static unsigned long kuid_events_last_step;

static void kuid_events_step_epoch(struct work_struct *work);
static DECLARE_DELAYED_WORK(kuid_events_step_work, kuid_events_step_epoch);

static void kuid_events_step_epoch(struct work_struct *work)
{
	/* Written by this worker alone; steps read it meanwhile. */
	WRITE_ONCE(kuid_events_last_step, jiffies);
	/* Without memory the former epoch goes on, whose IDs are good, too. */
	if (kuid_epochs_begin_for_step())
		queue_delayed_work(kuid_epochs_workqueue,
				   &kuid_events_step_work,
				   KUID_EVENTS_INTERVAL);
}

/* A clock step calls for an epoch, and no worker has been told yet. */
static bool kuid_events_epoch_wanted;

/* A context in which waiters can be woken and work be queued. */
static void kuid_events_stepped(struct irq_work *irq_work)
{
	unsigned long next =
		READ_ONCE(kuid_events_last_step) + KUID_EVENTS_INTERVAL;
	unsigned long now = jiffies;

	if (xchg(&kuid_events_epoch_wanted, false))
		queue_delayed_work(kuid_epochs_workqueue,
				   &kuid_events_step_work,
				   time_before(now, next) ? next - now : 0);
	kuid_wait_changed();
}

static DEFINE_IRQ_WORK(kuid_events_step_irq_work, kuid_events_stepped);

void kuid_port_stepped(const struct kuid_step *step)
{
	if (step->by)
		trace_kuid_step(step->by, step->stamp_lag, step->slot_lag);
	if (step->epoch_wanted)
		WRITE_ONCE(kuid_events_epoch_wanted, true);
	irq_work_queue(&kuid_events_step_irq_work);
}

static void kuid_events_look(struct work_struct *work)
{
	rcu_read_lock_sched();
	kuid_generator_refresh(&kuid_host, &kuid_host.stamp_clock);
	rcu_read_unlock_sched();
}

static DECLARE_WORK(kuid_events_look_work, kuid_events_look);

/**
 * kuid_events_look_soon - have a worker tell the generator of a clock step
 *
 * For a caller that found one and must not wait: telling takes the generator's
 * lock and a look at all lanes.
 *
 * Context: any but NMI.
 */
void kuid_events_look_soon(void)
{
	queue_work(kuid_epochs_workqueue, &kuid_events_look_work);
}

static void kuid_events_fork_epoch(struct work_struct *work);
static DECLARE_DELAYED_WORK(kuid_events_fork_work, kuid_events_fork_epoch);

static void kuid_events_fork_epoch(struct work_struct *work)
{
	/* Until it succeeds no ID is made that a twin could have, too. */
	if (kuid_epochs_begin_for_fork())
		queue_delayed_work(kuid_epochs_workqueue,
				   &kuid_events_fork_work,
				   KUID_EVENTS_INTERVAL);
}

static void kuid_events_forked(void)
{
	atomic64_inc(&kuid_events_nr_forks);
	/* At once: there may be no memory for an epoch. */
	kuid_generator_close(&kuid_host);
	mod_delayed_work(kuid_epochs_workqueue, &kuid_events_fork_work, 0);
}

/**
 * kuid_events_forks - how often the machine was cloned, restored or resumed
 *	from hibernation
 *
 * Context: any.
 * Return: the number since the load.
 */
u64 kuid_events_forks(void)
{
	return atomic64_read(&kuid_events_nr_forks);
}

/* A hard interrupt may call this, so it does not wait for the epoch. */
static int kuid_events_vm_fork(struct notifier_block *nb, unsigned long action,
			       void *data)
{
	kuid_events_forked();
	return NOTIFY_DONE;
}

static struct notifier_block kuid_events_vm_fork_block = {
	.notifier_call = kuid_events_vm_fork,
};

/* A hibernation image may be resumed from more than once. */
static int kuid_events_pm(struct notifier_block *nb, unsigned long action,
			  void *data)
{
	bool begins = action == PM_HIBERNATION_PREPARE;

	if (!begins && action != PM_POST_HIBERNATION)
		return NOTIFY_DONE;
	kuid_epochs_set_hibernating(begins);
	/* The image has a closed generator, until this function opens it. */
	if (begins) {
		kuid_generator_close(&kuid_host);
	} else {
		kuid_events_forked();
		flush_delayed_work(&kuid_events_fork_work);
	}
	return NOTIFY_DONE;
}

static struct notifier_block kuid_events_pm_block = {
	.notifier_call = kuid_events_pm,
};

/**
 * kuid_events_init - listen for events
 *
 * Context: module load, after kuid_epochs_init().
 * Return: 0, or the errno of the notifier that can't be registered.
 */
int __init kuid_events_init(void)
{
	int ret;

	kuid_events_last_step = jiffies - KUID_EVENTS_INTERVAL;
	ret = register_random_vmfork_notifier(&kuid_events_vm_fork_block);
	if (ret)
		return ret;
	ret = register_pm_notifier(&kuid_events_pm_block);
	if (ret)
		unregister_random_vmfork_notifier(&kuid_events_vm_fork_block);
	return ret;
}

/**
 * kuid_events_exit - the reverse of kuid_events_init()
 *
 * Context: module unload, when no caller can ask for IDs any more. Sleeps.
 */
void kuid_events_exit(void)
{
	unregister_pm_notifier(&kuid_events_pm_block);
	unregister_random_vmfork_notifier(&kuid_events_vm_fork_block);
	cancel_work_sync(&kuid_events_look_work);
	irq_work_sync(&kuid_events_step_irq_work);
	cancel_delayed_work_sync(&kuid_events_step_work);
	cancel_delayed_work_sync(&kuid_events_fork_work);
	/* An epoch that began just now may have found a clock step. */
	irq_work_sync(&kuid_events_step_irq_work);
}
