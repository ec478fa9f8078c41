// SPDX-License-Identifier: GPL-2.0-only
#include <linux/compiler.h>
#include <linux/cpumask.h>

#include "counters.h"

DEFINE_PER_CPU(struct kuid_counters, kuid_counters);

/**
 * kuid_counters_sum - add up what all CPUs have done
 * @sum: set to it; each number was right at some moment of the call
 *
 * Context: any.
 */
void kuid_counters_sum(struct kuid_counters *sum)
{
	unsigned int format;
	int cpu;

	*sum = (struct kuid_counters) { 0 };
	/* CPUs that are off line now, too. */
	for_each_possible_cpu(cpu) {
		const struct kuid_counters *one =
			per_cpu_ptr(&kuid_counters, cpu);

		for (format = 0; format < KUID_NR_FORMATS; format++)
			sum->ids[format] += READ_ONCE(one->ids[format]);
		sum->waits += READ_ONCE(one->waits);
		sum->would_blocks += READ_ONCE(one->would_blocks);
	}
}
