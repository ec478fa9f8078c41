/* SPDX-License-Identifier: GPL-2.0-only */
/* Longer times in nanoseconds, the unit of all times of the device. */
#ifndef KUID_SERVICE_NANOSECONDS_H
#define KUID_SERVICE_NANOSECONDS_H

#include <stdint.h>

#define SEC_NS UINT64_C(1000000000)
#define DAY_NS (86400 * SEC_NS)

#endif /* KUID_SERVICE_NANOSECONDS_H */
