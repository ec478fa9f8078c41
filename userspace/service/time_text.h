/* SPDX-License-Identifier: GPL-2.0-only */
/* Times as text. */
#ifndef KUID_SERVICE_TIME_TEXT_H
#define KUID_SERVICE_TIME_TEXT_H

#include <stdint.h>

/* Enough for the last second of 64 bits, with a NUL. */
#define TIME_TEXT_SIZE 48

/*
 * Write a time as RFC 3339 has it, in UTC, with so many digits of its fraction,
 * rounded down; years of more than 4 digits with a sign, as ISO 8601 has them.
 */
void time_text(int64_t sec, uint32_t nsec, int digits,
	       char text[TIME_TEXT_SIZE]);

/* The same for nanoseconds since 1970, with all digits. */
void time_text_ns(uint64_t ns, char text[TIME_TEXT_SIZE]);

/* Enough for 64 bits of nanoseconds, with a NUL. */
#define SECONDS_TEXT_SIZE 24

/* Write nanoseconds as seconds, with as many decimals as are needed. */
void seconds_text(uint64_t ns, char text[SECONDS_TEXT_SIZE]);

#endif /* KUID_SERVICE_TIME_TEXT_H */
