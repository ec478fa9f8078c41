// SPDX-License-Identifier: GPL-2.0-only
/* kuid bench: how fast IDs are made here, and what else could be had. */
#include <err.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "device.h"
#include "measure.h"
#include "output.h"
#include "report.h"
#include "verbs.h"

#define THREADS_MOST 1024
#define MS_USUAL     200
#define MS_MOST	     60000

static unsigned int format; /* KUID_FORMAT_DEFAULT: all */
static uint64_t threads = 1;
static uint64_t ms = MS_USUAL;
static bool json;

static const struct option_row options[] = {
	{ "format", 'f', "{all}", "All by default", take_made_format, &format },
	{ "threads", 't', "N",
	  "How many threads take at once, each from a handle of its own; 1 by "
	  "default",
	  take_number, &threads, "a number of threads", 1, THREADS_MOST },
	{ "ms", 0, "MILLISECONDS", "How long each is measured; 200 by default",
	  take_number, &ms, "a time in milliseconds", 1, MS_MOST },
	JSON_OPTION(&json),
	{ 0 },
};

static const char *kind(const struct subject *subject)
{
	return subject->batch ? "batch" : "single";
}

static const char *name(const struct subject *subject)
{
	static char text[32];

	snprintf(text, sizeof(text), "%s%s", subject->name,
		 subject->flags & KUID_PRIVATE ? " private" : "");
	return text;
}

static const char *why(int error)
{
	errno = error;
	switch (error) {
	case EAGAIN:
		return "IDs are waited for: \"kuid status\" says why";
	case EOPNOTSUPP:
		return "no private lane: the node was given";
	default:
		return device_error();
	}
}

static json_t *describe(const struct subject *subject,
			const struct measured *measured, double zero)
{
	json_t *report = report_new();

	report_add_text(report, "name", name(subject));
	report_add_text(report, "kind", kind(subject));
	if (measured->error) {
		report_add_text(report, "error", why(measured->error));
		return report;
	}
	report_add_number(report, "ids", measured->ids);
	report_add(report, "ns_per_id", json_real(measured->ns_per_id));
	report_add(report, "ids_per_second",
		   json_real(measured->ids_per_second));
	report_add(report, "ratio",
		   zero > 0 ? json_real(measured->ns_per_id / zero)
			    : json_null());
	return report;
}

static void print_line(const struct subject *subject,
		       const struct measured *measured, double zero)
{
	printf("%-12s %-6s", name(subject), kind(subject));
	if (measured->error) {
		printf(" %s", why(measured->error));
	} else {
		printf(" %12.1f %14.0f", measured->ns_per_id,
		       measured->ids_per_second);
		if (zero > 0)
			printf(" %8.2f", measured->ns_per_id / zero);
	}
	putchar('\n');
	/* Each as soon as it is known. */
	output_finish();
}

static json_t *new_report(json_t *results)
{
	json_t *report = report_new();

	report_add_number(report, "threads", threads);
	report_add_number(report, "ms", ms);
	report_add_number(report, "batch", SUBJECT_BATCH);
	report_add(report, "results", results);
	return report;
}

static int run(void)
{
	json_t *results = report_list();
	int status = EXIT_SUCCESS;
	struct subject *subjects;
	double zero[2] = { 0 };
	size_t count;

	/* So that what is wrong is said at once. */
	kuid_close(device_open(format));
	output_hold();
	subjects = subjects_all(format, &count);
	if (!json) {
		printf("%-12s %-6s %12s %14s %8s\n", "", "", "ns an ID",
		       "IDs a second", "ratio");
		output_finish();
	}
	for (size_t i = 0; i < count; i++) {
		const struct subject *subject = &subjects[i];
		struct measured measured = measure(subject, threads, ms);

		if (i < 2)
			zero[subject->batch] = measured.ns_per_id;
		/* Most hosts need no snowflakes, and a lane is an offer. */
		if (measured.error && subject->format &&
		    measured.error != EOPNOTSUPP && measured.error != ENOTTY &&
		    measured.error != EPROTONOSUPPORT &&
		    (measured.error != ENOKEY || format != KUID_FORMAT_DEFAULT))
			status = EXIT_FAILED;
		if (!json)
			print_line(subject, &measured, zero[subject->batch]);
		else
			report_append(results, describe(subject, &measured,
							zero[subject->batch]));
	}
	free(subjects);
	if (json)
		report_print(new_report(results), true, 0);
	else
		json_decref(results);
	return status;
}

const struct verb verb_bench = {
	.name = "bench",
	.summary = "how fast IDs are made on this machine",
	.doc = "Measure how fast IDs are made on this machine, one a call and "
	       "in batches of 4096, {stamp} also in private lanes, beside "
	       "/dev/zero, getrandom(2), the "
	       "kernel's random UUIDs and libuuid, if it is there.\v"
	       "The ratio is to 16 bytes of /dev/zero in calls of the same "
	       "kind: what the way into the kernel costs. Time is to one "
	       "thread, IDs a second are those of all together. {slot} "
	       "can't be faster than their grid: \"kuid status\" tells how "
	       "many there are in a second; and the measurement takes them "
	       "from others.",
	.exits = "1 a format could not be measured, 2 wrong usage",
	.options = options,
	.run = run,
};
