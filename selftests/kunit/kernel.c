// SPDX-License-Identifier: GPL-2.0-only
/* The runner of the suites of selftests/unit/: random numbers and threads. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/random.h>

#include "harness.h"

static unsigned int seed;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "seed of the random numbers, to repeat a run");

/* Random numbers of the thread that runs the test. */
static struct rnd_state numbers;

struct thread {
	struct rnd_state numbers;
	unsigned int n;
	void (*run)(unsigned int n);
	struct completion ended;
};

void random_start(void)
{
	if (!seed)
		seed = get_random_u32();
	pr_info("# SEED=%u\n", seed);
	prandom_seed_state(&numbers, seed);
}

u64 random_below(u64 below)
{
	struct rnd_state *state = &numbers;
	u64 high;

	/* KUnit knows the test's own thread only, not those of together(). */
	if (!current->kunit_test)
		state = &((struct thread *)kthread_data(current))->numbers;
	high = prandom_u32_state(state);
	return (high << 32 | prandom_u32_state(state)) % below;
}

static int start(void *data)
{
	struct thread *thread = data;

	thread->run(thread->n);
	/* The thread runs no code of the module after this. */
	kthread_complete_and_exit(&thread->ended, 0);
}

void together(unsigned int threads, void (*run)(unsigned int n))
{
	unsigned int begun, n;
	struct thread *all;

	all = kcalloc(threads, sizeof(*all), GFP_KERNEL);
	assert_non_null(all);
	for (begun = 0; begun < threads; begun++) {
		struct thread *thread = &all[begun];
		struct task_struct *task;

		thread->n = begun;
		thread->run = run;
		init_completion(&thread->ended);
		prandom_seed_state(&thread->numbers, (u64)seed << 32 | begun);
		task = kthread_run(start, thread, "kuid_kunit/%u", begun);
		if (IS_ERR(task))
			break;
	}
	for (n = 0; n < begun; n++)
		wait_for_completion(&all[n].ended);
	kfree(all);
	assert_int_equal(begun, threads);
}

MODULE_DESCRIPTION("Unit tests of kuid's core");
MODULE_AUTHOR("The kuid developers");
MODULE_LICENSE("GPL");
