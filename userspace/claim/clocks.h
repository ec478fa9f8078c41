/* SPDX-License-Identifier: GPL-2.0-only */
/* The clocks of this machine. */
#ifndef KUID_CLAIM_CLOCKS_H
#define KUID_CLAIM_CLOCKS_H

#include <stdint.h>

/* The wall clock: nanoseconds since 1970, and seconds, rounded down. */
uint64_t wall_ns(void);
uint64_t wall_s(void);

/* Nanoseconds since the boot, with those of a suspended machine. */
uint64_t boot_ns(void);

#endif /* KUID_CLAIM_CLOCKS_H */
