// SPDX-License-Identifier: GPL-2.0-only
/* See report.h. */
#include <err.h>
#include <stdarg.h>
#include <stdio.h>

#include "report.h"

static const char *directory;
static bool quick;
static FILE *table;
static FILE *points;
static int checks;
static int failed;

static FILE *create(const char *name, const char *suffix)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s%s", directory, name, suffix);
	file = fopen(path, "w");
	if (!file)
		err(1, "%s", path);
	return file;
}

static void finish(FILE *file)
{
	if (file && (ferror(file) || fclose(file)))
		err(1, "writing to %s", directory);
}

void report_start(const char *to, bool only_quick)
{
	directory = to;
	quick = only_quick;
	points = create("plots", ".tsv");
	fputs("# SPDX-License-Identifier: GPL-2.0-only\n", points);
}

bool report_end(void)
{
	finish(table);
	finish(points);
	return checks && !failed;
}

bool report_skips(bool slow)
{
	return slow && quick;
}

void report_table(const char *name, const char *heads)
{
	const char *at;

	finish(table);
	table = create(name, ".md");
	fprintf(table, "| %s |\n|", heads);
	for (at = heads; *at; at++)
		if (*at == '|')
			fputs("---|", table);
	fputs("---|\n", table);
}

void report_row(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("| ", table);
	vfprintf(table, format, args);
	fputs(" |\n", table);
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
