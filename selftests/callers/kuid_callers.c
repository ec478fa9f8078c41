// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel code that takes IDs: on each CPU a timer in hard interrupt context, a
 * timer in soft interrupt context, and a thread, until each of them has as many
 * IDs as asked for. debugfs shows the results, in a directory for each caller:
 *
 *	ids	the IDs, one after the other
 *	nr	their number
 *	again	the number of calls that got -EAGAIN
 *	error	the errno that ended the caller, as a positive number, or 0
 *	done	Y when nothing of this changes any more
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/hrtimer.h>
#include <linux/io.h>
#include <linux/kthread.h>
#include <linux/kuid.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "compat.h"

#define KUID_CALLERS_INTERVAL (50 * NSEC_PER_USEC)

/* How long a timer pauses when no IDs were available. */
#define KUID_CALLERS_PAUSE NSEC_PER_MSEC

/* A call asks for 1 to this many IDs. */
#define KUID_CALLERS_MOST 9

static unsigned int format = KUID_FORMAT_V1;
module_param(format, uint, 0444);
MODULE_PARM_DESC(format, "KUID_FORMAT_* (v1)");
static unsigned int order = KUID_ORDER_CPU;
module_param(order, uint, 0444);
MODULE_PARM_DESC(order, "KUID_ORDER_CPU (default) or KUID_ORDER_HOST");
static unsigned int ids = 1000;
module_param(ids, uint, 0444);
MODULE_PARM_DESC(ids, "number of IDs for each caller (1000)");
static unsigned int clone_id;
module_param(clone_id, uint, 0444);
MODULE_PARM_DESC(clone_id,
		 "address of the generation ID: keep IDs made since it changed");

/**
 * struct kuid_caller - one context on one CPU
 * @timer: makes the calls, if @thread is NULL
 * @thread: makes the calls
 * @ids: the IDs so far
 * @nr: as in debugfs
 * @calls: number of calls
 * @clone: the generation ID
 * @keep: IDs are kept
 * @again: number of calls that got -EAGAIN
 * @error: as in debugfs
 * @done: as in debugfs
 */
struct kuid_caller {
	struct hrtimer timer;
	struct task_struct *thread;
	struct debugfs_blob_wrapper ids;
	u32 nr;
	u32 calls;
	u64 clone[2];
	bool keep;
	u32 again;
	u32 error;
	bool done;
};

enum kuid_callers_context {
	KUID_CALLERS_HARD,
	KUID_CALLERS_SOFT,
	KUID_CALLERS_THREAD,
	KUID_CALLERS_CONTEXTS
};

static const char *const kuid_callers_names[] = {
	[KUID_CALLERS_HARD] = "hard",
	[KUID_CALLERS_SOFT] = "soft",
	[KUID_CALLERS_THREAD] = "thread",
};

/* Indexed by CPU. */
static struct kuid_caller (*kuid_callers)[KUID_CALLERS_CONTEXTS];

static struct dentry *kuid_callers_dir;

/* The generation ID; NULL if nobody asks for it. */
static const u64 *kuid_callers_clone;

static size_t kuid_callers_id_size(void)
{
	switch (format) {
	case KUID_FORMAT_K64:
	case KUID_FORMAT_SNOWFLAKE:
		return 8;
	case KUID_FORMAT_K96:
		return 12;
	default:
		return 16;
	}
}

static void kuid_callers_look(struct kuid_caller *caller)
{
	u64 now[] = { READ_ONCE(kuid_callers_clone[0]),
		      READ_ONCE(kuid_callers_clone[1]) };

	if (!memcmp(now, caller->clone, sizeof(now)))
		return;
	memcpy(caller->clone, now, sizeof(now));
	caller->nr = 0;
	caller->keep = true;
}

/* Make one call. Returns false after the last one. */
static bool kuid_callers_take(struct kuid_caller *caller)
{
	u32 count = caller->calls++ % KUID_CALLERS_MOST + 1;
	ssize_t ret;
	bool keep;
	void *to;

	if (kuid_callers_clone)
		kuid_callers_look(caller);
	keep = caller->keep && caller->nr < ids;
	/* Behind the IDs there is room for those that are not kept. */
	to = caller->ids.data +
	     (keep ? caller->nr : ids) * kuid_callers_id_size();
	ret = kuid_ids_generate(format, order, to,
				keep ? min(ids - caller->nr, count) : count);

	if (ret > 0)
		caller->nr += keep ? ret : 0;
	else if (ret == -EAGAIN)
		caller->again++;
	else
		caller->error = ret ? -ret : EIO;
	if ((caller->nr < ids || kuid_callers_clone) && !caller->error)
		return true;
	/* A reader that sees this sees all other fields as well. */
	smp_store_release(&caller->done, true);
	return false;
}

static enum hrtimer_restart kuid_callers_timer(struct hrtimer *timer)
{
	struct kuid_caller *caller =
		container_of(timer, struct kuid_caller, timer);
	u32 again = caller->again;

	if (!kuid_callers_take(caller))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, caller->again == again
					   ? KUID_CALLERS_INTERVAL
					   : KUID_CALLERS_PAUSE);
	return HRTIMER_RESTART;
}

/* Timers are pinned to the CPU that starts them, so this thread starts them. */
static int kuid_callers_thread(void *data)
{
	struct kuid_caller *callers = data;

	hrtimer_start(&callers[KUID_CALLERS_HARD].timer, KUID_CALLERS_INTERVAL,
		      HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&callers[KUID_CALLERS_SOFT].timer, KUID_CALLERS_INTERVAL,
		      HRTIMER_MODE_REL_PINNED_SOFT);
	while (!kthread_should_stop() &&
	       kuid_callers_take(&callers[KUID_CALLERS_THREAD]))
		cond_resched();

	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int kuid_callers_prepare(struct kuid_caller *caller, int cpu,
				enum kuid_callers_context context)
{
	struct dentry *dir;
	char name[16];

	caller->ids.size = (size_t)ids * kuid_callers_id_size();
	caller->ids.data = vzalloc(caller->ids.size +
				   KUID_CALLERS_MOST * kuid_callers_id_size());
	if (!caller->ids.data)
		return -ENOMEM;
	caller->keep = !kuid_callers_clone;
	if (kuid_callers_clone)
		memcpy(caller->clone, kuid_callers_clone, SZ_16);
	kuid_compat_hrtimer_setup(&caller->timer, kuid_callers_timer,
				  CLOCK_MONOTONIC,
				  context == KUID_CALLERS_HARD
					  ? HRTIMER_MODE_REL_PINNED_HARD
					  : HRTIMER_MODE_REL_PINNED_SOFT);

	snprintf(name, sizeof(name), "%s%d", kuid_callers_names[context], cpu);
	dir = debugfs_create_dir(name, kuid_callers_dir);
	debugfs_create_blob("ids", 0400, dir, &caller->ids);
	debugfs_create_u32("nr", 0400, dir, &caller->nr);
	debugfs_create_u32("again", 0400, dir, &caller->again);
	debugfs_create_u32("error", 0400, dir, &caller->error);
	debugfs_create_bool("done", 0400, dir, &caller->done);
	return 0;
}

static int kuid_callers_start(int cpu)
{
	struct kuid_caller *callers = kuid_callers[cpu];
	struct task_struct *thread;
	int context, ret;

	for (context = 0; context < KUID_CALLERS_CONTEXTS; context++) {
		ret = kuid_callers_prepare(&callers[context], cpu, context);
		if (ret)
			return ret;
	}
	thread = kthread_create_on_cpu(kuid_callers_thread, callers, cpu,
				       "kuid_callers/%u");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	callers[KUID_CALLERS_THREAD].thread = thread;
	wake_up_process(thread);
	return 0;
}

static void kuid_callers_stop(void)
{
	int cpu, context;

	for_each_possible_cpu(cpu) {
		struct kuid_caller *callers = kuid_callers[cpu];

		/* The thread starts the timers, so stop it first. */
		if (callers[KUID_CALLERS_THREAD].thread)
			kthread_stop(callers[KUID_CALLERS_THREAD].thread);
		for (context = 0; context < KUID_CALLERS_THREAD; context++) {
			if (callers[context].ids.data)
				hrtimer_cancel(&callers[context].timer);
		}
	}
	if (kuid_callers_clone)
		memunmap((void *)kuid_callers_clone);
	debugfs_remove_recursive(kuid_callers_dir);
	for_each_possible_cpu(cpu) {
		for (context = 0; context < KUID_CALLERS_CONTEXTS; context++)
			vfree(kuid_callers[cpu][context].ids.data);
	}
	kfree(kuid_callers);
}

static int __init kuid_callers_init(void)
{
	int cpu, ret = 0;

	if (!ids)
		return -EINVAL;
	kuid_callers = kcalloc(nr_cpu_ids, sizeof(*kuid_callers), GFP_KERNEL);
	if (!kuid_callers)
		return -ENOMEM;
	kuid_callers_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	if (clone_id) {
		kuid_callers_clone = memremap(clone_id, SZ_16, MEMREMAP_WB);
		ret = kuid_callers_clone ? 0 : -ENXIO;
	}

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		if (ret)
			break;
		ret = kuid_callers_start(cpu);
	}
	cpus_read_unlock();
	if (ret)
		kuid_callers_stop();
	return ret;
}

static void __exit kuid_callers_exit(void)
{
	kuid_callers_stop();
}

module_init(kuid_callers_init);
module_exit(kuid_callers_exit);

MODULE_DESCRIPTION("Takes IDs of kuid in kernel code");
MODULE_LICENSE("GPL");
