/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Results of the simulation: tables and points of plots, which fleet.py brings
 * into the document, and whether each experiment came out as it should, as TAP
 * on standard output.
 */
#ifndef KUID_FLEET_REPORT_H
#define KUID_FLEET_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A new file in a directory. Both exit on errors. */
FILE *report_create(const char *directory, const char *name);
void report_close(FILE *file);

/* Write to files in a directory. @quick leaves out experiments that are slow. */
void report_start(const char *directory, bool quick);

/* Returns false if a check has failed, or nothing was checked. */
bool report_end(void);

/* Whether to leave out an experiment. */
bool report_skips(bool slow);

/* Begin a table, with the heads of its columns: "a | b". */
void report_table(const char *name, const char *heads);

/* A row of the table: "1 | 2". */
void report_row(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line of plots.tsv: the series and its columns. */
void report_point(const char *series, double x, double y);

void report_check(bool ok, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A number with two digits: 0.0088, 88, 1.2e-09. */
const char *report_number(char *to, size_t size, double x);

#define NUMBER(x) report_number((char[24]) { 0 }, 24, x)

/* The same as a part of 1: "1.2 %", "certain". */
const char *report_odds(char *to, size_t size, double x);

#define ODDS(x) report_odds((char[24]) { 0 }, 24, x)

#endif /* KUID_FLEET_REPORT_H */
