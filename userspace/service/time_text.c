// SPDX-License-Identifier: GPL-2.0-only
/* See time_text.h. */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "exit_status.h"
#include "nanoseconds.h"
#include "time_text.h"

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
