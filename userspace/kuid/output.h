/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that a verb prints: IDs, times, reports and progress. All of standard
 * output must be written, or the tool fails.
 */
#ifndef KUID_TOOL_OUTPUT_H
#define KUID_TOOL_OUTPUT_H

#include <jansson.h>
#include <kuid.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The option --null: what is printed for an ID ends in NUL, not a newline. */
extern bool output_null;
char output_end(void);

/* Print a text and the end of a line. */
void output_line(const char *text);

/* Print an ID in one of KUID_FORM_* as a line. */
void output_id(unsigned int format, unsigned int form, const void *id);

/*
 * Hold what is printed back until output_finish(), so that its errno is that of
 * the write. For reports, which print in many steps without looking at errors.
 */
void output_hold(void);

/* Write what is still to be written, and end with a message if it can't be. */
void output_finish(void);

/*
 * End because errno says that standard output can't be written: silently if its
 * reader has gone, which is the reader's choice.
 */
__attribute__((noreturn)) void output_failed(void);

/* Enough for the last second of 64 bits, with a NUL. */
#define TIME_TEXT_SIZE 48

/*
 * Write a time as RFC 3339 has it, in UTC, with so many digits of its fraction,
 * rounded down; years of more than 4 digits with a sign, as ISO 8601 has them.
 */
void time_text(int64_t sec, uint32_t nsec, int digits,
	       char text[TIME_TEXT_SIZE]);

/* The same for nanoseconds since 1970, with all digits. */
void time_text_ns(uint64_t ns, char text[TIME_TEXT_SIZE]);

/* Enough for 64 bits of nanoseconds, with a NUL. */
#define SECONDS_TEXT_SIZE 24

/* Write nanoseconds as seconds, with as many decimals as are needed. */
void seconds_text(uint64_t ns, char text[SECONDS_TEXT_SIZE]);

/*
 * A report: what a verb tells, put together as JSON and printed as that or as
 * lines. Each function ends with a message if memory is short.
 */
json_t *report_new(void);
void report_add(json_t *report, const char *key, json_t *value);
void report_add_hex(json_t *report, const char *key, uint64_t value,
		    int digits);

/* Nanoseconds since 1970, as KEY_ns and, readable, as KEY; 0 is "none". */
void report_add_time(json_t *report, const char *key, uint64_t ns);

/* The lags, run-aheads, floor and ceiling of a status. */
void report_add_clocks(json_t *report, const struct kuid_status *status);

/*
 * Print a report of strings and integers: as one line of JSON, or each of them
 * as a line, the values behind keys of width characters. Frees the report.
 */
void report_print(json_t *report, bool json, int width);

/*
 * A text that the user gave, for a message: no more than 40 characters of it,
 * with those escaped that could do something to a terminal.
 */
#define QUOTED_MAX 40
struct quoted {
	char text[QUOTED_MAX + sizeof("...")];
};
struct quoted quoted(const char *text, size_t size);

/* The same for a string, as an argument of a function that prints. */
#define QUOTED(string) (quoted(string, strlen(string)).text)

/* vasprintf(3), or the program's end if there is no memory. */
char *text_of(const char *format, va_list args);

/*
 * A message, to be freed, for functions whose callers have something to put
 * right before the tool ends. Such functions return NULL if nothing is wrong.
 */
char *problem(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * The same for a problem that may go away without anybody changing the command:
 * the clock is set later, or the disk gets space.
 */
char *problem_for_now(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* The exit status that tells which kind the last problem was of. */
int problem_status(void);

/*
 * How far a verb is, as a line that is written over and over: on standard
 * error, if that is a terminal which standard output does not go to as well.
 * total is how many IDs there will be, 0 if there is no end to them.
 */
void progress_begin(uint64_t total);
void progress_tell(uint64_t done);

/* Take the line away, if there is one, before a message. Keeps errno. */
void progress_end(void);

#endif /* KUID_TOOL_OUTPUT_H */
