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

/*
 * By how many seconds this machine's wall clock is certainly ahead of another
 * clock, negative if it is behind. The other clock showed other_s, rounded
 * down, at some moment between before_s and after_s of this machine's clock.
 */
int64_t seconds_ahead(int64_t other_s, int64_t before_s, int64_t after_s);

#endif /* KUID_CLAIM_CLOCKS_H */
