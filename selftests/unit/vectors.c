// SPDX-License-Identifier: GPL-2.0-only
/* See vectors.h. */
#include "vectors.h"

static const struct row {
	const char *table;
	const char *columns;
} rows[] = {
#include "rows.h"
};

int vectors_each(const char *table, void (*check)(char **column))
{
	int found = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *column[VECTOR_COLUMNS] = { 0 };
		size_t size = strlen(rows[i].columns) + 1;
		char line[VECTOR_SIZE], *rest = line;

		if (strcmp(rows[i].table, table))
			continue;
		if (size > sizeof(line))
			continue;
		memcpy(line, rows[i].columns, size);
		for (int n = 0; rest && n < VECTOR_COLUMNS; n++)
			column[n] = strsep(&rest, "\t");
		check(column);
		found++;
	}
	return found;
}

/* The value of a digit; 16 if the character is no digit. */
static unsigned int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

static u64 number(const char *column, unsigned int base)
{
	u64 value = 0;

	for (; digit(*column) < base; column++)
		value = value * base + digit(*column);
	return value;
}

u64 vectors_decimal(const char *column)
{
	return number(column, 10);
}

u64 vectors_hex(const char *column)
{
	return number(column, 16);
}

size_t vectors_bytes(const char *column, u8 *bytes)
{
	size_t size = 0;

	for (; digit(column[0]) < 16; column += 2)
		bytes[size++] = digit(column[0]) << 4 | digit(column[1]);
	return size;
}
