/* SPDX-License-Identifier: GPL-2.0-only */
/* Times in nanoseconds, the unit of all times of the device. */
#ifndef KUID_SERVICE_NANOSECONDS_H
#define KUID_SERVICE_NANOSECONDS_H

#include <stdint.h>
#include <time.h>

#define MS_NS  UINT64_C(1000000)
#define SEC_NS UINT64_C(1000000000)
#define DAY_NS (86400 * SEC_NS)

/* The clocks that are read by this are in every kernel, so that can't fail. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * SEC_NS + now.tv_nsec;
}

#endif /* KUID_SERVICE_NANOSECONDS_H */
