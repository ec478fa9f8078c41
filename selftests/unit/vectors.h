/* SPDX-License-Identifier: GPL-2.0-only */
/* The golden vectors: the rows of selftests/vectors/, with tabs in between. */
#ifndef KUID_UNIT_VECTORS_H
#define KUID_UNIT_VECTORS_H

#include "core/port.h"

#define VECTOR_COLUMNS 16
#define VECTOR_SIZE    512

/*
 * Call check for each row of a table but its heading, with its columns.
 * Returns how many rows there were.
 */
int vectors_each(const char *table, void (*check)(char **column));

/* A column of digits; 0 if there are none. */
u64 vectors_decimal(const char *column);
u64 vectors_hex(const char *column);

/* Bytes of a column of hexadecimal digits, "-" being none; returns how many. */
size_t vectors_bytes(const char *column, u8 *bytes);

#endif /* KUID_UNIT_VECTORS_H */
