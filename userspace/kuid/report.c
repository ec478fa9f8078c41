// SPDX-License-Identifier: GPL-2.0-only
/* See report.h. */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>

#include "exit_status.h"
#include "output.h"
#include "report.h"
#include "time_text.h"

json_t *report_new(void)
{
	json_t *report = json_object();

	if (!report)
		errx(EXIT_FAILED, "out of memory");
	return report;
}

void report_add(json_t *report, const char *key, json_t *value)
{
	/* The value is freed if this fails, also if it is NULL. */
	if (json_object_set_new(report, key, value))
		errx(EXIT_FAILED, "out of memory");
}

void report_add_number(json_t *report, const char *key, uint64_t value)
{
	report_add(report, key, json_integer(value));
}

void report_add_text(json_t *report, const char *key, const char *text)
{
	report_add(report, key, json_string(text));
}

json_t *report_list(void)
{
	json_t *list = json_array();

	if (!list)
		errx(EXIT_FAILED, "out of memory");
	return list;
}

void report_append(json_t *list, json_t *value)
{
	/* The value is freed if this fails, also if it is NULL. */
	if (json_array_append_new(list, value))
		errx(EXIT_FAILED, "out of memory");
}

void report_add_hex(json_t *report, const char *key, uint64_t value, int digits)
{
	report_add(report, key, json_sprintf("%0*" PRIx64, digits, value));
}

void report_add_time(json_t *report, const char *key, uint64_t ns)
{
	char text[TIME_TEXT_SIZE] = "none", key_ns[32];

	if (ns)
		time_text_ns(ns, text);
	snprintf(key_ns, sizeof(key_ns), "%s_ns", key);
	report_add_text(report, key, text);
	report_add_number(report, key_ns, ns);
}

static void print_lines(json_t *report, int width)
{
	const char *key;
	json_t *value;

	json_object_foreach(report, key, value)
	{
		if (json_is_string(value))
			printf("%-*s %s\n", width, key,
			       json_string_value(value));
		else
			printf("%-*s %" JSON_INTEGER_FORMAT "\n", width, key,
			       json_integer_value(value));
	}
}

void report_add_clocks(json_t *report, const struct kuid_status *status)
{
	report_add_number(report, "stamp_lag_ns", status->stamp_lag_ns);
	report_add_number(report, "slot_lag_ns", status->slot_lag_ns);
	report_add_number(report, "stamp_ahead_ns", status->stamp_ahead_ns);
	report_add_number(report, "lex_ahead_ns", status->lex_ahead_ns);
	report_add_number(report, "grid_ahead_ns", status->grid_ahead_ns);
	report_add_number(report, "snowflake_ahead_ns",
			  status->snowflake_ahead_ns);
	report_add_time(report, "floor", status->floor_ns);
	report_add_time(report, "ceiling", status->ceiling_ns);
}

void report_print(json_t *report, bool json, int width)
{
	if (!json)
		print_lines(report, width);
	else if (json_dumpf(report, stdout, 0) || putchar(output_end()) == EOF)
		output_failed();
	if (ferror(stdout))
		output_failed();
	json_decref(report);
}
