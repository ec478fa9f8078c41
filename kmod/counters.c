// SPDX-License-Identifier: GPL-2.0-only
/* The sums of the per-CPU counters. The code that makes IDs counts them. */
#include <linux/compiler.h>
#include <linux/cpumask.h>

#include "counters.h"

DEFINE_PER_CPU(struct kuid_counters, kuid_counters);

/**
 * kuid_counters_sum - add up the counters of all CPUs
 * @sum: output, all fields are set; each number lies between the values that
 *	the counter has at the beginning and at the end of the call
 *
 * Context: any. Never sleeps.
 */
void kuid_counters_sum(struct kuid_counters *sum)
{
	unsigned int format;
	int cpu;

	*sum = (struct kuid_counters) { 0 };
	/* A CPU that is offline now may have counted before. */
	for_each_possible_cpu(cpu) {
		const struct kuid_counters *one =
			per_cpu_ptr(&kuid_counters, cpu);

		for (format = 0; format < KUID_NR_FORMATS; format++)
			sum->ids[format] += READ_ONCE(one->ids[format]);
		sum->waits += READ_ONCE(one->waits);
		sum->would_blocks += READ_ONCE(one->would_blocks);
	}
}
