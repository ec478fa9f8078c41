/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters for the status, which adds them up. Each CPU counts for itself,
 * without atomics.
 */
#ifndef KUID_COUNTERS_H
#define KUID_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>

#include "core/formats.h"

/**
 * struct kuid_counters - the counters of one CPU
 * @ids: IDs that were made for callers, by KUID_FORMAT_*
 * @waits: reservations that a caller slept for; one for each chunk at most
 * @would_blocks: calls that failed with -EAGAIN or ended early, because they
 *	would have had to sleep for a reservation
 *
 * A CPU writes its counters by this_cpu_*() only, while other CPUs read them
 * with READ_ONCE().
 */
struct kuid_counters {
	u64 ids[KUID_NR_FORMATS];
	u64 waits;
	u64 would_blocks;
};

DECLARE_PER_CPU(struct kuid_counters, kuid_counters);

#endif /* KUID_COUNTERS_H */
