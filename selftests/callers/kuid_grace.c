// SPDX-License-Identifier: GPL-2.0-only
/*
 * An RCU reader that holds up grace periods from loading until unloading, but
 * not so long that the kernel reports a stall.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/processor.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

/* The kernel reports a stuck CPU after 20 seconds at the earliest. */
#define KUID_GRACE_LIMIT (10 * NSEC_PER_SEC)

static unsigned int cpu;
module_param(cpu, uint, 0444);
MODULE_PARM_DESC(cpu, "CPU of the reader (0)");
static bool held;
module_param(held, bool, 0444);
MODULE_PARM_DESC(held, "whether grace periods are held up");

static struct task_struct *kuid_grace_thread;
static DECLARE_COMPLETION(kuid_grace_begun);

static int kuid_grace_read(void *unused)
{
	u64 end = ktime_get_ns() + KUID_GRACE_LIMIT;

	rcu_read_lock();
	WRITE_ONCE(held, true);
	complete(&kuid_grace_begun);
	while (!kthread_should_stop() && ktime_get_ns() < end)
		cpu_relax();
	WRITE_ONCE(held, false);
	rcu_read_unlock();

	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int __init kuid_grace_init(void)
{
	kuid_grace_thread =
		kthread_create_on_cpu(kuid_grace_read, NULL, cpu, "kuid_grace");
	if (IS_ERR(kuid_grace_thread))
		return PTR_ERR(kuid_grace_thread);
	wake_up_process(kuid_grace_thread);
	wait_for_completion(&kuid_grace_begun);
	return 0;
}

static void __exit kuid_grace_exit(void)
{
	kthread_stop(kuid_grace_thread);
}

module_init(kuid_grace_init);
module_exit(kuid_grace_exit);

MODULE_DESCRIPTION("Holds up grace periods of RCU");
MODULE_LICENSE("GPL");
