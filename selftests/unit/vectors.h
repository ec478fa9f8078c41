/* SPDX-License-Identifier: GPL-2.0-only */
/* The test vectors: the rows of selftests/vectors/, with tabs as separators. */
#ifndef KUID_UNIT_VECTORS_H
#define KUID_UNIT_VECTORS_H

#include "core/port.h"

#define VECTOR_COLUMNS 16
#define VECTOR_SIZE    512

/*
 * Call @check for each row of a table except the heading, with its columns.
 * Returns the number of rows, without those that are longer than VECTOR_SIZE.
 */
int vectors_each(const char *table, void (*check)(char **column));

/* Convert a column of digits; 0 if there are none. */
u64 vectors_decimal(const char *column);
u64 vectors_hex(const char *column);

/*
 * Convert a column of hexadecimal digits to bytes; "-" means none. Returns the
 * number of bytes.
 */
size_t vectors_bytes(const char *column, u8 *bytes);

#endif /* KUID_UNIT_VECTORS_H */
