/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A report: what a verb tells, put together as JSON and printed as that or as
 * lines. Each function ends with a message if memory is short.
 */
#ifndef KUID_TOOL_REPORT_H
#define KUID_TOOL_REPORT_H

#include <jansson.h>
#include <kuid.h>
#include <stdbool.h>
#include <stdint.h>

json_t *report_new(void);
void report_add(json_t *report, const char *key, json_t *value);
void report_add_number(json_t *report, const char *key, uint64_t value);
void report_add_text(json_t *report, const char *key, const char *text);
void report_add_hex(json_t *report, const char *key, uint64_t value,
		    int digits);

/* Nanoseconds since 1970, as KEY_ns and, readable, as KEY; 0 is "none". */
void report_add_time(json_t *report, const char *key, uint64_t ns);

/* A list, and a value behind its last one. */
json_t *report_list(void);
void report_append(json_t *list, json_t *value);

/* The lags, run-aheads, floor and ceiling of a status. */
void report_add_clocks(json_t *report, const struct kuid_status *status);

/*
 * Print a report of strings and integers: as one line of JSON, or each of them
 * as a line, the values behind keys of width characters. Frees the report.
 */
void report_print(json_t *report, bool json, int width);

#endif /* KUID_TOOL_REPORT_H */
