// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocating, publishing and freeing epochs. identity.c draws their identities,
 * events.c notices clock steps and clones, core/change.c puts an epoch into use.
 *
 * The first epoch needs random bits, and loading the module must not wait for
 * the kernel's random generator. So the first epoch begins at the first open of
 * the device. If the random generator is not ready then, a later call that
 * needs the epoch begins it.
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
#include "page.h"
#include "param.h"
#include "trace.h"
#include "vmgen.h"
#include "wait.h"

struct kuid_generator kuid_host;

/*
 * For the work of this file and of events.c; unbound, because beginning an
 * epoch sleeps.
 */
struct workqueue_struct *kuid_epochs_workqueue;

/*
 * The host lock. A writer holds it to publish an epoch, and until the readers
 * of the former epoch are gone, which are in rcu_read_lock_sched(). So at most
 * two epochs have readers.
 */
static DEFINE_MUTEX(kuid_epochs_lock);

/* Where the first epoch's identity comes from, as the parameters say. */
static struct kuid_choices kuid_epochs_first_choices __ro_after_init;

/* A hibernation image is being written. Guarded by kuid_epochs_lock. */
static bool kuid_epochs_hibernating;

/*
 * Begin a change, which holds the lock. It keeps choices, worker and stale
 * parts; the caller adds what is to change.
 */
static void kuid_change_open(struct kuid_change *change, enum kuid_why why)
{
	const struct kuid_epoch *epoch;

	mutex_lock(&kuid_epochs_lock);
	epoch = kuid_host.epoch;
	*change = (struct kuid_change) {
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

/* Whether there may be a twin, and no epoch has begun since that has no twin. */
static bool kuid_change_is_after_fork(const struct kuid_change *change)
{
	lockdep_assert_held(&kuid_epochs_lock);

	return change->closings != kuid_host.gate.reopened;
}

/* Make the change one for a machine that may have a twin. */
static void kuid_change_for_fork(struct kuid_change *change)
{
	change->choices.salt = kuid_vmgen_random();
	/*
	 * Draw all parts again. A given part can't be drawn; it is stale until
	 * an administrator confirms or changes it.
	 */
	change->changed = KUID_PARTS_ALL;
	change->stale = KUID_PARTS_ALL;
	change->redrawn = true;
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

/* Snowflake's worker is as stale as the worker, if it is the worker. */
static u32 kuid_epochs_stale(const struct kuid_change *change)
{
	if (change->choices.snowflake.from != KUID_FROM_WORKER)
		return change->stale;
	if (change->stale & KUID_PARTS_WORKER)
		return change->stale | KUID_PARTS_SNOWFLAKE;
	return change->stale & ~KUID_PARTS_SNOWFLAKE;
}

/*
 * Allocate and publish an epoch, and wait until the former one can be freed.
 * The first epoch and slots that go back begin new sequences; all others share
 * the former epoch's. Returns 0; -ENOMEM; or an error of
 * kuid_generator_publish().
 */
static int kuid_epochs_begin(struct kuid_change *change)
{
	struct kuid_epoch *former = kuid_host.epoch;
	struct kuid_sequences *sequences = NULL;
	struct kuid_epoch *epoch;
	int ret = -ENOMEM;

	lockdep_assert_held(&kuid_epochs_lock);

	epoch = kuid_epochs_alloc();
	if (change->fresh_slots)
		sequences = kuid_epochs_alloc_sequences();
	if (!epoch || (change->fresh_slots && !sequences))
		goto free;
	epoch->sequences = sequences;
	kuid_identity_draw(&epoch->identity, &epoch->key, &change->choices,
			   former ? &former->identity : NULL, change->changed);
	epoch->choices = change->choices;
	epoch->given = kuid_identity_given(&change->choices);
	epoch->stale = kuid_epochs_stale(change) & epoch->given;
	epoch->missing = kuid_identity_missing(&change->choices);
	epoch->claimed = kuid_identity_claimed(&change->choices);
	epoch->closings = change->closings;
	/*
	 * If the gate was closed since the former epoch's identity was drawn,
	 * there may be a twin with the same load_id. The first epoch after that
	 * draws another load_id, whatever it begins for: an administrator may
	 * begin one before the worker of events.c does.
	 */
	if (!former || former->closings != change->closings)
		epoch->load_id = kuid_vmgen_random() ?: 1;

	ret = kuid_generator_publish(&kuid_host, epoch, change);
	if (ret)
		goto free;
	if (!kuid_token_is_none(&change->former.token))
		trace_kuid_claim_span(&change->former);
	trace_kuid_epoch(epoch->number, change->why);
	if (change->claiming)
		trace_kuid_claim(&change->claiming->claim);
	kuid_wait_changed();
	if (!former)
		return 0;
	synchronize_rcu();
	/* The epoch and sequences that are not in use any more. */
	sequences = change->fresh_slots ? former->sequences : NULL;
	epoch = former;
free:
	kvfree(sequences);
	kvfree(epoch);
	return ret;
}

/*
 * End a change: begin its epoch, unless @ret is an error, and drop the lock.
 * @number and @load_id, unless they are NULL, are set to the name of the epoch.
 * -EALREADY means that no epoch is needed, which is no error.
 */
static int kuid_change_close(struct kuid_change *change, int ret, u64 *number,
			     u64 *load_id)
{
	if (!ret)
		ret = kuid_epochs_begin(change);
	if (!ret && number) {
		*number = kuid_host.epoch->number;
		*load_id = kuid_host.epoch->load_id;
	}
	mutex_unlock(&kuid_epochs_lock);
	return ret == -EALREADY ? 0 : ret;
}

static int kuid_epochs_begin_first(void)
{
	struct kuid_change change;

	kuid_change_open(&change, KUID_EPOCH_FIRST);
	/* The machine may have been cloned or hibernated before. */
	if (kuid_change_is_after_fork(&change))
		kuid_change_for_fork(&change);
	change.redrawn = true;
	change.fresh_slots = true;
	return kuid_change_close(&change, kuid_host.epoch ? -EALREADY : 0, NULL,
				 NULL);
}

/**
 * kuid_epochs_start_now - begin the first epoch, if there is none
 *
 * Context: process. Sleeps for memory and the host lock, but not for the
 * kernel's random generator.
 * Return: 0 if there is an epoch; -EAGAIN if the random generator is not ready;
 * -ENOMEM.
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

/* A caller of kuid_epochs_start_soon() may not be able to queue work. */
static void kuid_epochs_start_irq(struct irq_work *irq_work)
{
	queue_work(kuid_epochs_workqueue, &kuid_epochs_first_work);
}

static DEFINE_IRQ_WORK(kuid_epochs_start_irq_work, kuid_epochs_start_irq);

/**
 * kuid_epochs_start_soon - let a worker begin the first epoch
 *
 * Context: any. Does not sleep.
 */
void kuid_epochs_start_soon(void)
{
	irq_work_queue(&kuid_epochs_start_irq_work);
}

/* The path of kuid_epochs_start() while there is no epoch yet. */
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
 * kuid_epochs_begin_for_fork - begin an epoch whose drawn parts a twin doesn't
 *	have
 *
 * If there is no epoch yet, nothing happens: the first one will do this. Nor if
 * an administrator was quicker: kuid_epochs_set_identity() has done it.
 *
 * Context: process. Sleeps.
 * Return: 0; -ENOMEM, and the gate stays closed.
 */
int kuid_epochs_begin_for_fork(void)
{
	struct kuid_change change;
	bool wanted;

	kuid_change_open(&change, KUID_EPOCH_FORK);
	wanted = kuid_host.epoch && kuid_change_is_after_fork(&change);
	kuid_change_for_fork(&change);
	return kuid_change_close(&change, wanted ? 0 : -EALREADY, NULL, NULL);
}

/**
 * kuid_epochs_set_hibernating - begin or end a hibernation
 * @hibernating: true: epochs that begin from now on must not open the gate
 *
 * Context: process. Sleeps for the host lock.
 */
void kuid_epochs_set_hibernating(bool hibernating)
{
	mutex_lock(&kuid_epochs_lock);
	kuid_epochs_hibernating = hibernating;
	mutex_unlock(&kuid_epochs_lock);
}

/**
 * kuid_epochs_begin_for_step - begin an epoch, if the stamps are ahead of the
 *	wall clock by more than the step limit
 *
 * Context: process; there is an epoch. Sleeps.
 * Return: 0, also if no epoch is needed; -ENOMEM, and the former epoch goes on.
 */
int kuid_epochs_begin_for_step(void)
{
	struct kuid_change change;

	kuid_change_open(&change, KUID_EPOCH_STEP);
	change.if_behind = true;
	return kuid_change_close(&change, 0, NULL, NULL);
}

static struct kuid_covered kuid_covered_of(const struct kuid_cover *cover)
{
	return (struct kuid_covered) {
		.load_id = cover->load_id,
		.epoch = cover->epoch,
		.floor = cover->floor_ns,
		.ceiling = cover->ceiling_ns,
		.again_from = cover->again_from_ns,
		.again_until = cover->again_until_ns,
	};
}

/**
 * kuid_epochs_cover - begin a cover
 * @cover: the request, which the caller has checked; its epoch and load_id are
 *	set
 *
 * From now on no slot, and no stamp with a given node, is handed out below the
 * floor. Stamps with a random node need none. With KUID_COVER_BACK, they begin
 * anew at the wall clock or the floor, so they may be handed out a second time.
 *
 * Context: process. Sleeps.
 * Return: 0; -ESTALE if another cover has begun than the request names; -EINVAL
 * if a time at or above the ceiling was used; -EBUSY if the slots are to go
 * back and a number is claimed; -ENOMEM. After an error nothing has changed.
 */
int kuid_epochs_cover(struct kuid_cover *cover)
{
	bool back = cover->flags & KUID_COVER_BACK;
	struct kuid_change change;
	int ret = 0;

	kuid_change_open(&change, back ? KUID_EPOCH_BACK : KUID_EPOCH_COVER);
	change.fresh_slots = back;
	/* The next owner of a number trusts that its times don't come again. */
	if (back && kuid_identity_claimed(&change.choices))
		ret = -EBUSY;
	change.covers = true;
	change.floor = cover->floor_ns;
	change.cover = kuid_covered_of(cover);
	return kuid_change_close(&change, ret, &cover->epoch, &cover->load_id);
}

/**
 * kuid_epochs_raise_cover - set the ceiling of the cover
 * @cover: the request, which the caller has checked
 *
 * Context: process. Sleeps.
 * Return: as kuid_generator_raise_cover().
 */
int kuid_epochs_raise_cover(const struct kuid_cover *cover)
{
	const struct kuid_covered covered = kuid_covered_of(cover);
	int ret;

	/* Without the lock, the epoch could be freed while it is read. */
	mutex_lock(&kuid_epochs_lock);
	ret = kuid_generator_raise_cover(&kuid_host, &covered);
	mutex_unlock(&kuid_epochs_lock);
	if (!ret)
		kuid_wait_changed();
	return ret;
}

/**
 * kuid_epochs_set_identity - begin an epoch with another identity
 * @set: the request; the caller has checked its flags and reserved fields. Its
 *	epoch and load_id are set
 *
 * If the machine was cloned and the epoch for the clone has not begun, this one
 * takes its place: that one would make stale what is set or confirmed here.
 *
 * Context: process. Sleeps.
 * Return: 0; -EBUSY, -EINVAL or -ENODEV as kuid_identity_change(); -EBUSY also
 * if a private lane may have had the given node; -ENOMEM. After an error the
 * epoch and its identity have not changed.
 */
int kuid_epochs_set_identity(struct kuid_set_identity *set)
{
	struct kuid_change change;
	u32 changed = 0;
	int ret;

	kuid_change_open(&change, KUID_EPOCH_SET);
	if (kuid_change_is_after_fork(&change))
		kuid_change_for_fork(&change);
	ret = kuid_identity_change(&change.choices, set, &changed);
	change.changed |= changed;
	change.stale &= ~changed;
	if (set->flags & KUID_IDENTITY_CONFIRM)
		change.stale &= kuid_identity_claimed(&change.choices);
	return kuid_change_close(&change, ret, &set->epoch, &set->load_id);
}

/**
 * kuid_epochs_claim - begin an epoch with claimed numbers
 * @claim: the request, which the caller has checked; its epoch is set
 *
 * Context: process. Sleeps.
 * Return: 0; -EINVAL if another I or another epoch of snowflake is in use, or if
 * the claim that is there has the same token; -ESTALE if the load_id is another
 * one, or if @claim->replaces is not the living claim; -EBUSY if a claim lives
 * and is not to be replaced; -ENOMEM. After an error nothing has changed.
 */
int kuid_epochs_claim(struct kuid_claim *claim)
{
	struct kuid_claiming claiming = {
		.claim = {
			.token = { { claim->token[0], claim->token[1] } },
			.floor = claim->floor_ns,
			.ceiling = claim->ceiling_ns,
		},
		.replaces = { { claim->replaces[0], claim->replaces[1] } },
		.load_id = claim->load_id,
	};
	struct kuid_change change;
	int ret;

	kuid_change_open(&change, KUID_EPOCH_CLAIM);
	ret = kuid_identity_claim(&change.choices, claim, &change.changed);
	change.stale &= ~change.changed;
	change.floor = claim->floor_ns;
	change.claiming = &claiming;
	return kuid_change_close(&change, ret, &claim->epoch, &claim->load_id);
}

/**
 * kuid_epochs_raise_claim - change the ceiling of the claim, or end it
 * @load_id: as for kuid_generator_raise_claim()
 * @claim: as for kuid_generator_raise_claim()
 *
 * Context: process. Sleeps.
 * Return: as kuid_generator_raise_claim().
 */
int kuid_epochs_raise_claim(u64 load_id, struct kuid_claimed *claim)
{
	int ret;

	/* Without the lock, the epoch could be freed while it is read. */
	mutex_lock(&kuid_epochs_lock);
	ret = kuid_generator_raise_claim(&kuid_host, load_id, claim);
	if (!ret) {
		trace_kuid_claim_span(claim);
		trace_kuid_claim(claim);
	}
	mutex_unlock(&kuid_epochs_lock);
	if (!ret)
		kuid_wait_changed();
	return ret;
}

/**
 * kuid_epochs_read - read the generator
 * @reading: output, all fields are set; before the first epoch all are zero,
 *	except the choices, which are those of the module parameters
 *
 * Context: process. Does not sleep and takes no lock.
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
 * kuid_epochs_init - initialize the generator from the module parameters
 *
 * Begins no epoch, because the kernel's random generator may not be ready.
 *
 * Context: module load, after kuid_page_init(). May sleep.
 * Return: 0; -ENOMEM; -ENODEV if the node is to be the address of a network
 * interface, and none is suitable.
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
	kuid_host.generation = kuid_page_generation();
	return 0;
}

/*
 * Wait until the wall clock has passed all IDs that the next load could hand
 * out again. If the wall clock is further behind than IDs may be ahead of it,
 * it was set back or is behind a floor, and waiting could take very
 * long. Then warn instead.
 */
static void kuid_epochs_wait_clear(void)
{
	u64 clear = kuid_generator_clear(&kuid_host);
	u64 now;

	/* Read the clock again after each sleep: it may have been set back. */
	while ((now = ktime_get_real_ns()) < clear) {
		if (clear - now > kuid_host.max_ahead + 2 * KUID_GRID_TICK_NS) {
			pr_warn("the wall clock is %llu s behind the last IDs: if the module is loaded again before the clock has caught up, it may repeat IDs\n",
				div_u64(clear - now, NSEC_PER_SEC) + 1);
			return;
		}
		fsleep(div_u64(clear - now, NSEC_PER_USEC) + 1);
	}
}

/**
 * kuid_epochs_exit - undo kuid_epochs_init() and free the epoch
 *
 * Context: module unload, or a failed load; no caller can ask for IDs any more,
 * and events.c has stopped. Sleeps until the wall clock has passed the IDs that
 * were handed out ahead of it.
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
