/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kuid for kernel code: the IDs that /dev/kuid gives, from the same source.
 *
 * An ID that kernel code makes is unique among all of the host, and ordered as
 * the order that was asked for says: KUID_ORDER_CPU or KUID_ORDER_HOST of
 * <uapi/linux/kuid.h>, where formats and orders are explained.
 */
#ifndef _LINUX_KUID_H
#define _LINUX_KUID_H

#include <linux/types.h>
#include <uapi/linux/kuid.h>

ssize_t kuid_ids_generate(u32 format, u32 order, void *ids, size_t count);

#endif /* _LINUX_KUID_H */
