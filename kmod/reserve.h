/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reserving stamps or slots for a call, with or without waiting. core/take.h
 * has the reservation itself.
 */
#ifndef KUID_RESERVE_H
#define KUID_RESERVE_H

#include <linux/compiler.h>
#include <linux/init.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include "core/formats.h"
#include "core/turn.h"
#include "host.h"

struct kuid_request;

extern struct kuid_line_pair kuid_reserve_lines[KUID_NR_SOURCES];

/**
 * kuid_reserve_now - reserve stamps or slots, unless others wait for them
 * @want: what the call wants
 * @single: the call asks for one ID
 * @taken: output; valid only on success
 *
 * The first try of each call, and the only one of most: it needs no turn and no
 * lock. If it fails, kuid_reserve() waits or tells why.
 *
 * Context: any but NMI; there is an epoch. Does not sleep.
 * Return: whether something was reserved.
 */
static __always_inline bool kuid_reserve_now(const struct kuid_want *want,
					     const bool single,
					     struct kuid_taken *taken)
{
	const struct kuid_line_pair *lines = &kuid_reserve_lines[want->source];
	const struct kuid_line *line = single ? &lines->singles
					      : &lines->batches;

	if (want->source != KUID_STAMPS && unlikely(READ_ONCE(line->count)))
		return false;
	rcu_read_lock_sched();
	kuid_generator_take(&kuid_host, want, taken);
	/* Here, gcc 12 joins these checks with those of the take. */
	if (unlikely(!taken->units.count) || unlikely(taken->origin.closed)) {
		rcu_read_unlock_sched();
		return false;
	}
	rcu_read_unlock_sched();
	return true;
}

int kuid_reserve(const struct kuid_request *request, struct kuid_taken *taken);
int kuid_reserve_ready(const struct kuid_request *request, u64 *when);
void __init kuid_reserve_init(void);

#endif /* KUID_RESERVE_H */
