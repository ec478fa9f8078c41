// SPDX-License-Identifier: GPL-2.0-only
/* See output.h. */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <kuid.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "nanoseconds.h"
#include "output.h"
#include "verbs.h"

void output_failed(void)
{
	/* Only where SIGPIPE is ignored does it get here. */
	if (errno == EPIPE)
		exit(EXIT_FAILED);
	err(EXIT_FAILED, "standard output");
}

bool output_null;

char output_end(void)
{
	return output_null ? '\0' : '\n';
}

void output_line(const char *text)
{
	if (fputs(text, stdout) == EOF || putchar(output_end()) == EOF)
		output_failed();
}

void output_id(unsigned int format, unsigned int form, const void *id)
{
	char text[KUID_TEXT_MAX];

	if (kuid_text_form(format, form, id, text, sizeof(text)))
		err(EXIT_FAILED, "text of an ID");
	output_line(text);
}

void output_hold(void)
{
	/* As long as the longest report of all formats, and more. */
	static char buffer[64 * 1024];

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
}

void output_finish(void)
{
	if (ferror(stdout) || fflush(stdout))
		output_failed();
}

void time_text(int64_t sec, uint32_t nsec, int digits,
	       char text[TIME_TEXT_SIZE])
{
	time_t time = sec;
	struct tm tm;

	if (!gmtime_r(&time, &tm))
		err(EXIT_FAILED, "date of the second %" PRId64, sec);
	for (int i = digits; i < 9; i++)
		nsec /= 10;
	snprintf(text, TIME_TEXT_SIZE,
		 "%s%04d-%02d-%02dT%02d:%02d:%02d.%0*" PRIu32 "Z",
		 tm.tm_year > 9999 - 1900 ? "+" : "", tm.tm_year + 1900,
		 tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
		 digits, nsec);
}

void time_text_ns(uint64_t ns, char text[TIME_TEXT_SIZE])
{
	time_text(ns / SEC_NS, ns % SEC_NS, 9, text);
}

void seconds_text(uint64_t ns, char text[SECONDS_TEXT_SIZE])
{
	int end = snprintf(text, SECONDS_TEXT_SIZE, "%" PRIu64 ".%09" PRIu64,
			   ns / SEC_NS, ns % SEC_NS);

	while (text[end - 1] == '0')
		end--;
	if (text[end - 1] == '.')
		end--;
	text[end] = '\0';
}

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
	report_add(report, key, json_string(text));
	report_add(report, key_ns, json_integer(ns));
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
	report_add(report, "stamp_lag_ns", json_integer(status->stamp_lag_ns));
	report_add(report, "slot_lag_ns", json_integer(status->slot_lag_ns));
	report_add(report, "stamp_ahead_ns",
		   json_integer(status->stamp_ahead_ns));
	report_add(report, "lex_ahead_ns", json_integer(status->lex_ahead_ns));
	report_add(report, "grid_ahead_ns",
		   json_integer(status->grid_ahead_ns));
	report_add(report, "snowflake_ahead_ns",
		   json_integer(status->snowflake_ahead_ns));
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

struct quoted quoted(const char *text, size_t size)
{
	struct quoted shown = { 0 };
	char piece[sizeof("\\x00")];
	size_t used = 0;

	for (size_t i = 0; i < size; i++) {
		unsigned char c = text[i];
		const char *how = isprint(c) && c != '\\' ? "%c" : "\\x%02x";
		size_t length = snprintf(piece, sizeof(piece), how, c);

		if (used + length > QUOTED_MAX) {
			strcpy(shown.text + used, "...");
			break;
		}
		memcpy(shown.text + used, piece, length);
		used += length;
	}
	return shown;
}

static int status = EXIT_FAILED;

char *text_of(const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		errx(EXIT_FAILED, "out of memory");
	return text;
}

char *problem(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = text_of(format, args);
	va_end(args);
	status = EXIT_FAILED;
	return text;
}

char *problem_for_now(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = text_of(format, args);
	va_end(args);
	status = EXIT_LATER;
	return text;
}

int problem_status(void)
{
	return status;
}

/* Work that ends sooner is not worth a line, and people read no faster. */
#define EVERY_NS (SEC_NS / 2)

static struct {
	bool wanted;
	bool shown;
	uint64_t total;
	uint64_t began_ns;
	uint64_t last_ns;
} progress;

/* The coarse clock costs less, and is fine enough here. */
static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec * SEC_NS + now.tv_nsec;
}

void progress_begin(uint64_t total)
{
	progress.wanted = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
	if (!progress.wanted)
		return;
	progress.total = total;
	progress.began_ns = now_ns();
	progress.last_ns = progress.began_ns;
}

void progress_tell(uint64_t done)
{
	uint64_t now;

	if (!progress.wanted)
		return;
	now = now_ns();
	if (now - progress.last_ns < EVERY_NS)
		return;
	progress.last_ns = now;
	progress.shown = true;
	fprintf(stderr, "\r%" PRIu64, done);
	if (progress.total)
		fprintf(stderr, " of %" PRIu64 " IDs, %.0f%%", progress.total,
			100.0 * done / progress.total);
	else
		fprintf(stderr, " IDs");
	fprintf(stderr, ", %.0f a second\033[K",
		done / ((now - progress.began_ns) / (double)SEC_NS));
}

void progress_end(void)
{
	int error = errno;

	if (progress.shown)
		fprintf(stderr, "\r\033[K");
	errno = error;
	progress.shown = false;
}
