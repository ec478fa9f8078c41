/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of the machine that begin an epoch: clock steps, VM forks and
 * hibernation. epochs.h has the changes that an administrator makes.
 */
#ifndef KUID_EVENTS_H
#define KUID_EVENTS_H

#include <linux/init.h>
#include <linux/types.h>

#include "epochs.h"
#include "vmgen.h"

u64 kuid_events_forks(void);
void kuid_events_forked(void);
void kuid_events_refresh_soon(void);

int __init kuid_events_init(void);
void kuid_events_exit(void);

/**
 * kuid_events_look - find out whether the virtual machine was cloned
 *
 * If its generation ID has changed, and nobody has found that yet, the gate is
 * closed, and a worker begins an epoch.
 *
 * Context: any but NMI. Does not sleep.
 * Return: true if the caller is the first one that may have found it; then what
 * it read before may be that of a twin.
 */
static inline bool kuid_events_look(void)
{
	if (!static_branch_unlikely(&kuid_vmgen_mapped) ||
	    likely(!kuid_generator_is_cloned(&kuid_host)))
		return false;
	kuid_events_forked();
	return true;
}

/**
 * kuid_events_let_pass - check whether IDs may be returned
 * @part: KUID_PART_*: the part of the identity that the IDs show
 * @epoch: number of their epoch
 *
 * The last check of a call, after the IDs were stored. IDs that show no part
 * are unique on one machine only, so they always pass.
 *
 * Context: any but NMI. Does not sleep.
 * Return: false if a twin may have the IDs. Then the caller takes them back,
 * and makes others: the gate is closed until there is an epoch for them.
 */
static __always_inline bool kuid_events_let_pass(const u32 part, u64 epoch)
{
	if (!part || !static_branch_unlikely(&kuid_vmgen_mapped))
		return true;
	/* The compiler must not move the stores behind the check. */
	barrier();
	if (likely(kuid_gate_lets_pass(&kuid_host.gate, kuid_host.vm_id,
				       epoch)))
		return true;
	kuid_events_forked();
	return false;
}

#endif /* KUID_EVENTS_H */
