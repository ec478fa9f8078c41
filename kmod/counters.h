/* SPDX-License-Identifier: GPL-2.0-only */
/* What has been done so far, counted by each CPU for itself. */
#ifndef KUID_COUNTERS_H
#define KUID_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>

#include "core/formats.h"

/**
 * struct kuid_counters - what was done on one CPU
 * @ids: IDs handed out, by KUID_FORMAT_*
 * @waits: calls that waited for the clock
 * @would_blocks: calls that would have, and were not to
 *
 * Written by this_cpu_*() only; others read it meanwhile, each number at once.
 */
struct kuid_counters {
	u64 ids[KUID_NR_FORMATS];
	u64 waits;
	u64 would_blocks;
};

DECLARE_PER_CPU(struct kuid_counters, kuid_counters);

void kuid_counters_sum(struct kuid_counters *sum);

#endif /* KUID_COUNTERS_H */
