/* SPDX-License-Identifier: MIT */
/*
 * The device vmclock of a virtual machine, from Linux 6.13 on: a page in which
 * the hypervisor changes a number before a clone runs on. The kernel is
 * notified of a clone later, so the page of kuid says it later, too.
 *
 * The number says only that the machine was cloned: twins find the same one.
 */
#ifndef KUID_VMCLOCK_H
#define KUID_VMCLOCK_H

#include <stdbool.h>

#include "core/port.h"

/*
 * The number: it has another value after the machine was cloned. If the process
 * can't read the device, a number that never changes.
 */
const u64 *kuid_vmclock_map(void);
bool kuid_vmclock_is_device(const u64 *number);
void kuid_vmclock_unmap(const u64 *number);

#endif /* KUID_VMCLOCK_H */
