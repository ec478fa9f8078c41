/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of the machine that begin an epoch: clock steps, VM forks and
 * hibernation. epochs.h has the changes that an administrator makes.
 */
#ifndef KUID_EVENTS_H
#define KUID_EVENTS_H

#include <linux/init.h>
#include <linux/types.h>

u64 kuid_events_forks(void);
void kuid_events_refresh_soon(void);

int __init kuid_events_init(void);
void kuid_events_exit(void);

#endif /* KUID_EVENTS_H */
