// SPDX-License-Identifier: GPL-2.0-only
/* See report.h. */
#include <err.h>
#include <stdarg.h>
#include <stdio.h>

#include "report.h"

static const char *table;
static FILE *tables, *points;
static bool quick;
static int checks;
static int failed;

FILE *report_create(const char *directory, const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	if (!file)
		err(1, "%s", path);
	return file;
}

void report_close(FILE *file)
{
	if (ferror(file) || fclose(file))
		err(1, "writing results");
}

void report_start(const char *directory, bool only_quick)
{
	const char *licence = "# SPDX-License-Identifier: GPL-2.0-only\n";

	quick = only_quick;
	tables = report_create(directory, "tables.tsv");
	points = report_create(directory, "plots.tsv");
	fputs(licence, tables);
	fputs(licence, points);
}

bool report_end(void)
{
	report_close(tables);
	report_close(points);
	return checks && !failed;
}

bool report_skips(bool slow)
{
	return slow && quick;
}

void report_table(const char *name, const char *heads)
{
	table = name;
	fprintf(tables, "%s\t%s\n", table, heads);
}

void report_row(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(tables, "%s\t", table);
	vfprintf(tables, format, args);
	fputc('\n', tables);
	va_end(args);
}

void report_point(const char *series, double x, double y)
{
	fprintf(points, "%s\t%.4g\t%.4g\n", series, x, y);
}

void report_check(bool ok, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("%s - ", ok ? "ok" : "not ok");
	vprintf(format, args);
	putchar('\n');
	fflush(stdout);
	va_end(args);
	checks++;
	failed += !ok;
}

const char *report_number(char *to, size_t size, double x)
{
	if (x >= 1e7 || (x > 0 && x < 1e-3))
		snprintf(to, size, "%.1e", x);
	else if (x >= 99.5)
		snprintf(to, size, "%.0f", x);
	else
		snprintf(to, size, "%.2g", x);
	return to;
}

const char *report_odds(char *to, size_t size, double x)
{
	if (x > 0.9995)
		snprintf(to, size, "certain");
	else if (x < 1e-5)
		snprintf(to, size, "%.1e", x);
	else
		snprintf(to, size, "%.2g %%", x * 100);
	return to;
}
