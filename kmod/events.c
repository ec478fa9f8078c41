// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events of the machine that begin an epoch: the wall clock is set, or the
 * machine is cloned, restored or hibernated. epochs.c begins the epochs.
 *
 * Beginning an epoch sleeps. A call for IDs may find a clock step in any
 * context, and a clone may be reported in a hard interrupt. So workers begin
 * the epochs.
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
#include "vmgen.h"
#include "wait.h"

/*
 * Clock steps begin at most one epoch in this time, in jiffies. Until the next
 * epoch begins, stamps go on at half speed. If an epoch fails with -ENOMEM, its
 * worker retries after the same time.
 */
#define KUID_EVENTS_INTERVAL HZ

static atomic64_t kuid_events_nr_forks;

/* When the worker last ran for a clock step, in jiffies. */
static unsigned long kuid_events_last_step;

static void kuid_events_step_epoch(struct work_struct *work)
{
	/* kuid_events_found() reads this without a lock. */
	WRITE_ONCE(kuid_events_last_step, jiffies);
	/* On -ENOMEM retry; until then the former epoch's IDs stay valid. */
	if (kuid_epochs_begin_for_step())
		queue_delayed_work(kuid_epochs_workqueue, to_delayed_work(work),
				   KUID_EVENTS_INTERVAL);
}

static DECLARE_DELAYED_WORK(kuid_events_step_work, kuid_events_step_epoch);

static void kuid_events_fork_epoch(struct work_struct *work)
{
	/*
	 * On -ENOMEM retry. Until it succeeds, the gate stays closed, and no ID
	 * is made that shows a part of the identity.
	 */
	if (kuid_epochs_begin_for_fork())
		queue_delayed_work(kuid_epochs_workqueue, to_delayed_work(work),
				   KUID_EVENTS_INTERVAL);
}

static DECLARE_DELAYED_WORK(kuid_events_fork_work, kuid_events_fork_epoch);

/* A clock step or a fork calls for an epoch, and the work is not queued yet. */
static atomic_t kuid_events_step_epoch_wanted;
static atomic_t kuid_events_fork_epoch_wanted;

/* Runs as irq_work: here waiters can be woken and work can be queued. */
static void kuid_events_found(struct irq_work *irq_work)
{
	unsigned long next =
		READ_ONCE(kuid_events_last_step) + KUID_EVENTS_INTERVAL;
	unsigned long now = jiffies;

	if (atomic_xchg(&kuid_events_step_epoch_wanted, 0))
		queue_delayed_work(kuid_epochs_workqueue,
				   &kuid_events_step_work,
				   time_before(now, next) ? next - now : 0);
	if (atomic_xchg(&kuid_events_fork_epoch_wanted, 0))
		mod_delayed_work(kuid_epochs_workqueue, &kuid_events_fork_work,
				 0);
	kuid_wait_changed();
}

static DEFINE_IRQ_WORK(kuid_events_irq_work, kuid_events_found);

/*
 * The caller may hold the lock of a line and may be in an interrupt. So this
 * only records and traces; the irq_work does the rest.
 */
void kuid_port_stepped(const struct kuid_step *step)
{
	if (step->by)
		trace_kuid_step(step->by, step->stamp_lag, step->slot_lag);
	if (step->epoch_wanted)
		atomic_set(&kuid_events_step_epoch_wanted, 1);
	irq_work_queue(&kuid_events_irq_work);
}

static void kuid_events_refresh(struct work_struct *work)
{
	rcu_read_lock_sched();
	kuid_generator_refresh(&kuid_host);
	rcu_read_unlock_sched();
}

static DECLARE_WORK(kuid_events_refresh_work, kuid_events_refresh);

/**
 * kuid_events_refresh_soon - let a worker refresh the generator after a clock
 * step
 *
 * For a caller that found a clock step and must be quick: a refresh takes the
 * generator's lock and reads all lanes.
 *
 * Context: any in which work can be queued. Does not sleep.
 */
void kuid_events_refresh_soon(void)
{
	queue_work(kuid_epochs_workqueue, &kuid_events_refresh_work);
}

static void kuid_events_claim_died(const struct kuid_claimed *died)
{
	if (!kuid_token_is_none(&died->token)) {
		trace_kuid_claim_span(died);
		trace_kuid_claim(died);
	}
}

/*
 * Count a fork and let a worker begin an epoch. The gate was closed before: the
 * epoch may have to wait for memory.
 */
static void kuid_events_fork(void)
{
	atomic64_inc(&kuid_events_nr_forks);
	atomic_set(&kuid_events_fork_epoch_wanted, 1);
	irq_work_queue(&kuid_events_irq_work);
}

/**
 * kuid_events_forked - report that the virtual machine was cloned
 *
 * The same clone may be found by several calls, and told of by the kernel and
 * the device. If the generation ID can be read, the first one counts; otherwise
 * each does.
 *
 * Context: any but NMI. Does not sleep.
 */
void kuid_events_forked(void)
{
	struct kuid_claimed died;

	if (kuid_generator_close(&kuid_host, true, &died)) {
		kuid_events_claim_died(&died);
		kuid_events_fork();
	}
}

/**
 * kuid_events_forks - count the events after which there may be a twin
 *
 * Context: any.
 * Return: how often the machine was cloned or restored, resumed from
 * hibernation, or failed to hibernate, since the module was loaded.
 */
u64 kuid_events_forks(void)
{
	return atomic64_read(&kuid_events_nr_forks);
}

/* May run in a hard interrupt, so it does not wait for the epoch. */
static int kuid_events_vm_fork(struct notifier_block *nb, unsigned long action,
			       void *data)
{
	kuid_events_forked();
	return NOTIFY_DONE;
}

static struct notifier_block kuid_events_vm_fork_block = {
	.notifier_call = kuid_events_vm_fork,
};

/*
 * More than one machine may resume from a hibernation image. So the gate is
 * closed before the image is written and stays closed in the image, and each
 * machine that resumes begins an epoch of its own.
 */
static int kuid_events_pm(struct notifier_block *nb, unsigned long action,
			  void *data)
{
	bool begins = action == PM_HIBERNATION_PREPARE;
	struct kuid_claimed died;

	if (!begins && action != PM_POST_HIBERNATION)
		return NOTIFY_DONE;
	kuid_epochs_set_hibernating(begins);
	kuid_generator_close(&kuid_host, false, &died);
	kuid_events_claim_died(&died);
	if (!begins) {
		kuid_events_fork();
		irq_work_sync(&kuid_events_irq_work);
		flush_delayed_work(&kuid_events_fork_work);
	}
	return NOTIFY_DONE;
}

static struct notifier_block kuid_events_pm_block = {
	.notifier_call = kuid_events_pm,
};

/**
 * kuid_events_init - register for VM forks and hibernation
 *
 * Context: module load, after kuid_epochs_init(). Sleeps.
 * Return: 0, or the negative errno of the registration that failed.
 */
int __init kuid_events_init(void)
{
	int ret;

	kuid_events_last_step = jiffies - KUID_EVENTS_INTERVAL;
	ret = register_random_vmfork_notifier(&kuid_events_vm_fork_block);
	if (ret)
		return ret;
	ret = register_pm_notifier(&kuid_events_pm_block);
	if (ret) {
		unregister_random_vmfork_notifier(&kuid_events_vm_fork_block);
		return ret;
	}
	kuid_vmgen_listen(kuid_events_forked);
	return 0;
}

/**
 * kuid_events_exit - undo kuid_events_init() and stop all work of this file
 *
 * Context: module unload, or a failed load; no caller can ask for IDs any more.
 * Sleeps.
 */
void kuid_events_exit(void)
{
	kuid_vmgen_ignore();
	unregister_pm_notifier(&kuid_events_pm_block);
	unregister_random_vmfork_notifier(&kuid_events_vm_fork_block);
	cancel_work_sync(&kuid_events_refresh_work);
	irq_work_sync(&kuid_events_irq_work);
	cancel_delayed_work_sync(&kuid_events_step_work);
	cancel_delayed_work_sync(&kuid_events_fork_work);
	/* The work above may have begun an epoch, which found a clock step. */
	irq_work_sync(&kuid_events_irq_work);
}
