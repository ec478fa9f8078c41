/* SPDX-License-Identifier: GPL-2.0-only */
/* The status and the state to save. ioctl.c and sysfs.c show them. */
#ifndef KUID_STATUS_H
#define KUID_STATUS_H

#include <linux/types.h>
#include <uapi/linux/kuid.h>

#include "core/reading.h"

void kuid_status_read(struct kuid_reading *reading);
void kuid_status_fill(struct kuid_status *status);
void kuid_status_fill_state(struct kuid_state *state);
unsigned int kuid_status_resolution_ns(void);
u64 kuid_status_step_limit(enum kuid_source source);

#endif /* KUID_STATUS_H */
