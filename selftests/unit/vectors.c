// SPDX-License-Identifier: GPL-2.0-only
/* See vectors.h. */
#include <stdio.h>
#include <stdlib.h>

#include "vectors.h"

int vectors_each(const char *table, void (*check)(char **column))
{
	char path[256], line[512];
	bool heading = true;
	FILE *file;
	int rows = 0;

	snprintf(path, sizeof(path), VECTORS "/%s.tsv", table);
	file = fopen(path, "r");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		char *column[VECTOR_COLUMNS] = { 0 };
		char *rest = line;
		int n = 0;

		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#' || !line[0])
			continue;
		if (heading) {
			heading = false;
			continue;
		}
		while (rest && n < VECTOR_COLUMNS)
			column[n++] = strsep(&rest, "\t");
		check(column);
		rows++;
	}
	fclose(file);
	return rows;
}

u64 vectors_hex(const char *column)
{
	return strtoull(column, NULL, 16);
}

size_t vectors_bytes(const char *column, u8 *bytes)
{
	size_t size = 0;

	if (!strcmp(column, "-"))
		return 0;
	for (; column[0] && column[1]; column += 2) {
		char digits[3] = { column[0], column[1] };

		bytes[size++] = strtoul(digits, NULL, 16);
	}
	return size;
}
