// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fills in the status and the state that ioctl.c and sysfs.c show: promises,
 * reasons, clocks and counters. core/reading.c reads the clocks and the gate.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/random.h>
#include <linux/timekeeping.h>
#include <uapi/linux/kuid.h>

#include "counters.h"
#include "epochs.h"
#include "events.h"
#include "identity.h"
#include "status.h"
#include "vmgen.h"

/* If the clock's resolution is coarser, so is the time in IDs. */
#define KUID_STATUS_COARSE_NS 1000

DEFINE_PER_CPU(struct kuid_counters, kuid_counters);

/**
 * kuid_status_resolution_ns - the resolution of the system's clock
 *
 * Context: any.
 * Return: the resolution in nanoseconds, at least 1.
 */
unsigned int kuid_status_resolution_ns(void)
{
	/* The kernel returns 0 for a clock that ticks faster than 1 GHz. */
	return max(1U, ktime_get_resolution_ns());
}

/**
 * kuid_status_step_limit - the value of kuid_query.step_limit_ns
 * @source: what the queried format is made from
 *
 * Context: process. Does not sleep.
 * Return: the limit in nanoseconds; U64_MAX if the format goes on at half speed
 * after any clock step: slot formats, and stamp formats with a given node.
 */
u64 kuid_status_step_limit(enum kuid_source source)
{
	struct kuid_reading reading;

	if (source != KUID_STAMPS)
		return U64_MAX;
	kuid_epochs_read(&reading);
	return kuid_identity_given(&reading.choices) & KUID_PARTS_NODE
		       ? U64_MAX
		       : kuid_host.step_limit;
}

/* Whether only the time in IDs of a format tells one load from another. */
static bool kuid_status_by_time(const struct kuid_reading *reading,
				const struct kuid_format *row)
{
	return row->source != KUID_STAMPS ||
	       kuid_identity_given(&reading->choices) &
		       KUID_PARTS_OF(row->part);
}

static bool kuid_status_unique(const struct kuid_reading *reading,
			       const struct kuid_format *row)
{
	if (row->source == KUID_STAMPS)
		return !reading->stamps_again ||
		       !kuid_status_by_time(reading, row);
	/* IDs of a twin differ by their worker, if they show one. */
	return !reading->slots_again &&
	       !(reading->rewound && row->part == KUID_PART_NONE);
}

static void kuid_status_fill_promises(struct kuid_status *status,
				      const struct kuid_reading *reading)
{
	bool covered = kuid_covered_begun(&reading->gate.cover) &&
		       !reading->past_ceiling;
	unsigned int format;

	for (format = 1; format < KUID_NR_FORMATS; format++) {
		const struct kuid_format *row = &kuid_formats[format];
		bool unique = kuid_status_unique(reading, row);

		if (unique)
			status->unique |= BIT_ULL(format);
		/* Order holds by construction. */
		status->ordered |= BIT_ULL(format);
		if (unique && (covered || !kuid_status_by_time(reading, row)))
			status->reboot_safe |= BIT_ULL(format);
	}
}

static u64 kuid_status_why(const struct kuid_reading *reading)
{
	u64 reasons = 0;

	if (reading->stamp_lag)
		reasons |= KUID_REASON_STAMPS_HALF_SPEED;
	if (reading->slot_lag)
		reasons |= KUID_REASON_SLOTS_HALF_SPEED;
	if (kuid_status_resolution_ns() > KUID_STATUS_COARSE_NS)
		reasons |= KUID_REASON_COARSE_CLOCK;
	if (!kuid_covered_begun(&reading->gate.cover)) {
		reasons |= KUID_REASON_NO_STATE;
		if (kuid_identity_given(&reading->choices) & KUID_PARTS_NODE)
			reasons |= KUID_REASON_FIXED_NODE;
	}
	if (!kuid_vmgen_clones() && kuid_vmgen_is_virtual())
		reasons |= KUID_REASON_NO_VM_FORK;
	if (reading->slots_again || reading->stamps_again)
		reasons |= KUID_REASON_MAY_REPEAT;
	if (reading->rewound)
		reasons |= KUID_REASON_K64_MAY_REPEAT;
	if (reading->expired)
		reasons |= KUID_REASON_EXPIRED_CLAIM;
	if (!reading->origin.epoch && !rng_is_initialized())
		reasons |= KUID_REASON_RANDOM_NOT_READY;
	if (reading->past_ceiling)
		reasons |= KUID_REASON_PAST_CEILING;
	if (reading->stale)
		reasons |= KUID_REASON_STALE_IDENTITY;
	return reasons;
}

/**
 * kuid_status_read - read the generator
 * @reading: output, all fields are set, as by kuid_epochs_read()
 *
 * If the reading shows a clock step that the generator has not found yet, a
 * worker refreshes the generator. If the machine was cloned, the reading is of
 * the time after that was found.
 *
 * Context: process. Does not sleep.
 */
void kuid_status_read(struct kuid_reading *reading)
{
	do {
		if (kuid_epochs_read(reading))
			kuid_events_refresh_soon();
	} while (kuid_events_look());
}

/*
 * Add the counters of all CPUs to those of the status, which are zero. Each sum
 * lies between the values that the counter has at the beginning and at the end
 * of the call.
 */
static void kuid_status_add_counters(struct kuid_status *status)
{
	unsigned int format;
	int cpu;

	static_assert(ARRAY_SIZE(status->ids) >= KUID_NR_FORMATS);

	/* A CPU that is offline now may have counted before. */
	for_each_possible_cpu(cpu) {
		const struct kuid_counters *one =
			per_cpu_ptr(&kuid_counters, cpu);

		for (format = 0; format < KUID_NR_FORMATS; format++)
			status->ids[format] += READ_ONCE(one->ids[format]);
		status->waits += READ_ONCE(one->waits);
		status->would_blocks += READ_ONCE(one->would_blocks);
	}
}

/**
 * kuid_status_fill - fill in struct kuid_status
 * @status: output, all fields are set
 *
 * Context: process. Does not sleep.
 */
void kuid_status_fill(struct kuid_status *status)
{
	struct kuid_reading reading;

	kuid_status_read(&reading);
	*status = (struct kuid_status) {
		.reasons = kuid_status_why(&reading),
		.epoch = reading.origin.epoch,
		.load_id = reading.origin.load_id,
		.stamp_lag_ns = reading.stamp_lag,
		.slot_lag_ns = reading.slot_lag,
		.stamp_ahead_ns = reading.ahead[KUID_STAMPS],
		.lex_ahead_ns = reading.ahead[KUID_LEX],
		.grid_ahead_ns = reading.ahead[KUID_GRID],
		.snowflake_ahead_ns = reading.ahead[KUID_SNOWFLAKE],
		.steps_back = reading.steps_back,
		.steps_forward = reading.steps_forward,
		.vm_forks = kuid_events_forks(),
		.floor_ns = reading.gate.cover.floor,
		.ceiling_ns = reading.gate.cover.ceiling,
		.claim_ceiling_ns = reading.gate.claim.ceiling,
		.clones = kuid_vmgen_clones(),
	};
	kuid_status_fill_promises(status, &reading);
	kuid_status_add_counters(status);
}

/**
 * kuid_status_fill_state - fill in struct kuid_state
 * @state: output, all fields are set
 *
 * Context: process. Does not sleep. The caller has begun the first epoch, for
 * example by kuid_epochs_start_now().
 */
void kuid_status_fill_state(struct kuid_state *state)
{
	const struct kuid_identity *identity;
	const struct kuid_claimed *claim;
	struct kuid_reading reading;

	static_assert(KUID_CLAIM_ENDED == KUID_CLAIM_DEAD_ENDED);
	static_assert(KUID_CLAIM_FORKED == KUID_CLAIM_DEAD_FORKED);

	kuid_status_read(&reading);
	identity = &reading.origin.identity;
	claim = &reading.gate.claim;
	*state = (struct kuid_state) {
		.required = kuid_host.gate.required,
		.interval = identity->interval,
		.wall_ns = reading.wall,
		.slot_ns = reading.slot_end,
		.stamp_ns = reading.stamp_end,
		.floor_ns = reading.gate.cover.floor,
		.ceiling_ns = reading.gate.cover.ceiling,
		.node_from = reading.choices.node.from,
		.worker_from = reading.choices.worker.from,
		.node = identity->node,
		.worker = identity->worker,
		.snowflake_from = reading.choices.snowflake.from,
		.snowflake_worker = kuid_identity_missing(&reading.choices)
					    ? KUID_SNOWFLAKE_NO_WORKER
					    : identity->snowflake_worker,
		.snowflake_epoch_ms = identity->snowflake_epoch,
		.claim_ceiling_ns = claim->ceiling,
		.claim_dead = claim->dead,
		.epoch = reading.origin.epoch,
		.load_id = reading.origin.load_id,
		.claim_floor_ns = claim->floor,
		.claim_token = { claim->token.words[0], claim->token.words[1] },
		.again_from_ns = reading.gate.cover.again_from,
		.again_until_ns = reading.gate.cover.again_until,
		.cover_load_id = reading.gate.cover.load_id,
		.cover_epoch = reading.gate.cover.epoch,
		.clock_ns = reading.clock,
	};
}
