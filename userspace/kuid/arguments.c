// SPDX-License-Identifier: GPL-2.0-only
/* See arguments.h. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <kuid.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arguments.h"
#include "formats.h"
#include "nanoseconds.h"
#include "quoted.h"

void take_interval(struct argp_state *state, const struct option_row *option,
		   const char *arg)
{
	*(uint32_t *)option->to = number_of(state, arg, "an interval",
					    KUID_INTERVAL_MIN,
					    KUID_INTERVAL_MAX);
}

static uint64_t factor(char suffix)
{
	switch (suffix) {
	case '\0':
		return 1;
	case 'k':
		return 1000;
	case 'M':
		return 1000000;
	case 'G':
		return 1000000000;
	default:
		return 0;
	}
}

void take_count(struct argp_state *state, const struct option_row *option,
		const char *arg)
{
	size_t digits = strspn(arg, "0123456789");
	unsigned long long number;
	uint64_t count = 0;

	errno = 0;
	number = strtoull(arg, NULL, 10);
	if (!digits || errno || (arg[digits] && arg[digits + 1]) ||
	    __builtin_mul_overflow(number, factor(arg[digits]), &count) ||
	    !count)
		argp_error(state,
			   "\"%s\" is not a count: a whole number from 1 to "
			   "%" PRIu64 ", which may end in k, M or G",
			   QUOTED(arg), UINT64_MAX);
	*(uint64_t *)option->to = count;
}

uint64_t argument_hex(struct argp_state *state, const char *text,
		      const char *what, int digits, const char *others)
{
	size_t good = strspn(text, "0123456789abcdefABCDEF");

	if (!*text)
		argp_error(state,
			   "\"\" is not %s: 1 to %d hexadecimal digits%s are "
			   "needed",
			   what, digits, others);
	if (text[good] || good > (size_t)digits)
		argp_error(state,
			   "\"%s\" is not %s: 1 to %d hexadecimal digits%s, "
			   "but character %zu is %s",
			   QUOTED(text), what, digits, others,
			   (text[good] ? good : (size_t)digits) + 1,
			   text[good] ? "none" : "one too many");
	return strtoull(text, NULL, 16);
}

/*
 * phash2(NAME, 1 bsl 32) of Erlang: P. J. Weinberger's hash of an atom, whose
 * characters of ISO 8859-1 are a byte each, and all others those of UTF-8.
 */
static uint32_t erlang_hash(const char *name)
{
	const unsigned char *at = (const unsigned char *)name;
	uint32_t hash = 0;

	while (*at) {
		uint32_t byte = *at++;

		if ((byte == 0xc2 || byte == 0xc3) && *at >> 6 == 2)
			byte = (byte & 3) << 6 | (*at++ & 0x3f);
		hash = (hash << 4) + byte;
		hash ^= hash >> 28 << 4;
		hash &= 0x0fffffff;
	}
	return hash;
}

uint64_t argument_node(struct argp_state *state, const char *text,
		       const char *what, const char *others)
{
	static const char erlang[] = "erlang:";

	if (strncmp(text, erlang, strlen(erlang)))
		return argument_hex(state, text, what, 16, others);
	text += strlen(erlang);
	if (!strchr(text, '@'))
		argp_error(state,
			   "\"%s\" is not the name of an Erlang node: "
			   "NAME@HOST is needed",
			   QUOTED(text));
	return erlang_hash(text);
}

void take_format(struct argp_state *state, const struct option_row *option,
		 const char *arg)
{
	int format = kuid_format_number(arg);

	if (format < 0)
		argp_error(state, "\"%s\" is not a format: %s", QUOTED(arg),
			   formats_fill_in("{all}", ' '));
	*(unsigned int *)option->to = format;
}

void take_made_format(struct argp_state *state, const struct option_row *option,
		      const char *arg)
{
	take_format(state, option, arg);
	if (*(unsigned int *)option->to == KUID_ANY_UUID)
		argp_error(state, "\"uuid\" is not a format to make: %s",
			   formats_fill_in("choose one of {uuid}", ' '));
}

/* Read just so many digits, and move behind them. */
static bool read_digits(const char **at, size_t count, int *number)
{
	*number = 0;
	for (; count; count--, (*at)++) {
		if (!isdigit((unsigned char)**at))
			return false;
		*number = *number * 10 + **at - '0';
	}
	return true;
}

static bool read_char(const char **at, char wanted)
{
	if (**at != wanted)
		return false;
	(*at)++;
	return true;
}

/* Read up to 9 decimals behind a point, if there is one. */
static bool read_decimals(const char **at, uint32_t *nsec)
{
	size_t count;
	int number;

	*nsec = 0;
	if (!read_char(at, '.'))
		return true;
	count = strspn(*at, "0123456789");
	if (!count || count > 9 || !read_digits(at, count, &number))
		return false;
	for (; count < 9; count++)
		number *= 10;
	*nsec = number;
	return true;
}

/* Seconds since 1970, behind the "@". */
static bool read_seconds(const char *at, struct time_argument *time)
{
	bool negative = read_char(&at, '-');
	char *end;

	errno = 0;
	time->sec = strtoll(at, &end, 10);
	/* strtoll() would take a sign and white space too. */
	if (!isdigit((unsigned char)*at) || errno)
		return false;
	at = end;
	if (!read_decimals(&at, &time->nsec) || *at)
		return false;
	if (!negative)
		return true;
	time->sec = -time->sec;
	if (time->nsec) {
		time->sec--;
		time->nsec = SEC_NS - time->nsec;
	}
	return true;
}

/* Years of more than 4 digits have a sign, as time_text() prints them. */
static bool read_date(const char **at, struct tm *tm)
{
	size_t digits = 4;

	if (read_char(at, '+')) {
		digits = strspn(*at, "0123456789");
		if (digits < 5 || digits > 9 || **at == '0')
			return false;
	}
	if (!read_digits(at, digits, &tm->tm_year) || !read_char(at, '-') ||
	    !read_digits(at, 2, &tm->tm_mon) || !read_char(at, '-') ||
	    !read_digits(at, 2, &tm->tm_mday))
		return false;
	tm->tm_year -= 1900;
	tm->tm_mon--;
	return true;
}

/* Z, or how far local time is ahead of UTC: +01:00, or +01 as of PostgreSQL. */
static bool read_offset(const char **at, int *offset_min)
{
	int sign = **at == '-' ? -1 : 1, hours, minutes = 0;

	*offset_min = 0;
	if (read_char(at, 'Z') || read_char(at, 'z'))
		return true;
	if ((!read_char(at, '+') && !read_char(at, '-')) ||
	    !read_digits(at, 2, &hours) || hours > 23)
		return false;
	if (read_char(at, ':') &&
	    (!read_digits(at, 2, &minutes) || minutes > 59))
		return false;
	*offset_min = sign * (60 * hours + minutes);
	return true;
}

static bool read_time_of_day(const char **at, struct tm *tm,
			     struct time_argument *time, int *offset_min)
{
	return (read_char(at, 'T') || read_char(at, 't') ||
		read_char(at, ' ')) &&
	       read_digits(at, 2, &tm->tm_hour) && read_char(at, ':') &&
	       read_digits(at, 2, &tm->tm_min) && read_char(at, ':') &&
	       read_digits(at, 2, &tm->tm_sec) &&
	       read_decimals(at, &time->nsec) && read_offset(at, offset_min);
}

/* UTC has leap seconds at the end of months only. */
static bool begins_month(int64_t sec)
{
	time_t time = sec;
	struct tm tm;

	return gmtime_r(&time, &tm) && tm.tm_mday == 1 && !tm.tm_hour &&
	       !tm.tm_min && !tm.tm_sec;
}

/*
 * exists is whether a calendar has the date and a clock the time. A leap second
 * is the second after it, as in the time of POSIX.
 */
static bool read_date_time(const char *at, struct time_argument *time,
			   bool *exists)
{
	struct tm tm = { 0 }, same;
	int offset_min = 0;
	bool leaps;

	if (!read_date(&at, &tm))
		return false;
	time->nsec = 0;
	if (*at && !read_time_of_day(&at, &tm, time, &offset_min))
		return false;
	leaps = tm.tm_sec == 60;
	tm.tm_sec -= leaps;
	same = tm;
	time->sec = timegm(&same) - 60 * offset_min + leaps;
	/* timegm() makes the 30th of February a day of March. */
	*exists = (!leaps || begins_month(time->sec)) &&
		  same.tm_mon == tm.tm_mon && same.tm_mday == tm.tm_mday &&
		  same.tm_hour == tm.tm_hour && same.tm_min == tm.tm_min &&
		  same.tm_sec == tm.tm_sec;
	return !*at;
}

void take_time(struct argp_state *state, const struct option_row *option,
	       const char *arg)
{
	struct time_argument *time = option->to;
	bool exists = true;

	if (*arg == '@' ? !read_seconds(arg + 1, time)
			: !read_date_time(arg, time, &exists))
		argp_error(state,
			   "\"%s\" is not a time: a date as 2026-11-23, a "
			   "date and time as 2026-11-23T08:15:00.5Z or "
			   "2026-11-23T09:15:00+01:00, or seconds since 1970 "
			   "as @1795421700.5",
			   QUOTED(arg));
	if (!exists)
		argp_error(state,
			   "\"%s\" does not exist: no calendar has that date, "
			   "or no clock that time",
			   QUOTED(arg));
	time->is_set = true;
}
