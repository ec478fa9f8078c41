// SPDX-License-Identifier: GPL-2.0-only
/* The random numbers of the suites of selftests/unit/. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/random.h>

#include "harness.h"

static unsigned int seed;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "seed of the random numbers, to repeat a run");

static struct rnd_state numbers;

void random_start(void)
{
	if (!seed)
		seed = get_random_u32();
	pr_info("# SEED=%u\n", seed);
	prandom_seed_state(&numbers, seed);
}

u64 random_below(u64 below)
{
	u64 high = prandom_u32_state(&numbers);

	return (high << 32 | prandom_u32_state(&numbers)) % below;
}

MODULE_DESCRIPTION("Unit tests of kuid's core");
MODULE_AUTHOR("The kuid developers");
MODULE_LICENSE("GPL");
