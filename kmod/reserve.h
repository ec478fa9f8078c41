/* SPDX-License-Identifier: GPL-2.0-only */
/* Reserving what IDs are made from: at once, or after waiting for it. */
#ifndef KUID_RESERVE_H
#define KUID_RESERVE_H

#include <linux/init.h>
#include <linux/types.h>

#include "core/turn.h"

struct kuid_batch;

extern struct kuid_line_pair kuid_reserve_lines[KUID_NR_SOURCES];

int kuid_reserve(const struct kuid_batch *batch, bool single, u32 count,
		 struct kuid_taken *taken);
int kuid_reserve_ready(const struct kuid_batch *batch, u64 *when);
void __init kuid_reserve_init(void);

#endif /* KUID_RESERVE_H */
