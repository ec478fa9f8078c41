/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * IDs for kernel code, made by the same generator as those of /dev/kuid.
 *
 * They are unique on the host together with all IDs of programs. KUID_ORDER_CPU
 * and KUID_ORDER_HOST of <uapi/linux/kuid.h> say how they are ordered.
 *
 * A call may wake tasks, so don't make one while holding a runqueue lock.
 */
#ifndef _LINUX_KUID_H
#define _LINUX_KUID_H

#include <linux/types.h>
#include <uapi/linux/kuid.h>

ssize_t kuid_ids_generate(u32 format, u32 order, void *ids, size_t count);

#endif /* _LINUX_KUID_H */
