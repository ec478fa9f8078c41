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
#include "verbs.h"

#define THREADS_MOST 1024
#define MS_USUAL     200
#define MS_MOST	     60000

struct bench {
	unsigned int format;
	unsigned int threads;
	unsigned int ms;
	bool json;
};

enum {
	MS = 0x100, /* Above all characters: this option is long only. */
};

static const struct argp_option options[] = {
	{ "format", 'f', "FORMAT", 0,
	  "v1 v6 v7 lex k64 k96 k128; all if not given", 0 },
	{ "threads", 't', "N", 0,
	  "How many threads take at once, each from a handle of its own; 1 if "
	  "not given",
	  0 },
	{ "ms", MS, "MILLISECONDS", 0,
	  "How long each is measured; 200 if not given", 0 },
	{ "json", 'j', NULL, 0, "Print one line of JSON", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct bench *bench = state->input;

	switch (key) {
	case 'f':
		bench->format = argument_made_format(state, arg);
		return 0;
	case 't':
		bench->threads = argument_number(
			state, arg, "a number of threads", 1, THREADS_MOST);
		return 0;
	case MS:
		bench->ms = argument_number(
			state, arg, "a time in milliseconds", 1, MS_MOST);
		return 0;
	case 'j':
		bench->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = no_arguments_child,
	.doc = "Measure how fast IDs are made on this machine, one a call and "
	       "in batches of 4096, beside /dev/zero, getrandom(2), the "
	       "kernel's random UUIDs and libuuid, if it is there.\v"
	       "The ratio is to 16 bytes of /dev/zero in calls of the same "
	       "kind: what the way into the kernel costs. Time is to one "
	       "thread, IDs a second are those of all together. lex and the "
	       "k-ordered formats can't be faster than their grid: "
	       "\"kuid status\" tells how many there are in a second; and the "
	       "measurement takes them from others.\n"
	       "\n"
	       "Exit status: 0 done, 1 a format could not be measured, 2 "
	       "wrong usage.",
};

static const char *kind(const struct subject *subject)
{
	return subject->batch ? "batch" : "single";
}

static const char *why(int error)
{
	errno = error;
	return error == EAGAIN ? "IDs are waited for: \"kuid status\" says why"
			       : device_error();
}

static json_t *describe(const struct subject *subject,
			const struct measured *measured, double zero)
{
	json_t *report = report_new();

	report_add(report, "name", json_string(subject->name));
	report_add(report, "kind", json_string(kind(subject)));
	if (measured->error) {
		report_add(report, "error", json_string(why(measured->error)));
		return report;
	}
	report_add(report, "ids", json_integer(measured->ids));
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
	printf("%-12s %-6s", subject->name, kind(subject));
	if (measured->error) {
		printf(" %s\n", why(measured->error));
		return;
	}
	printf(" %12.1f %14.0f", measured->ns_per_id, measured->ids_per_second);
	if (zero > 0)
		printf(" %8.2f", measured->ns_per_id / zero);
	putchar('\n');
	/* Each as soon as it is known. */
	output_finish();
}

static json_t *new_report(const struct bench *bench, json_t *results)
{
	json_t *report = report_new();

	report_add(report, "threads", json_integer(bench->threads));
	report_add(report, "ms", json_integer(bench->ms));
	report_add(report, "batch", json_integer(SUBJECT_BATCH));
	report_add(report, "results", results);
	return report;
}

int verb_bench(int argc, char **argv)
{
	struct bench bench = { .threads = 1, .ms = MS_USUAL };
	json_t *results = json_array();
	int status = EXIT_SUCCESS;
	struct subject *subjects;
	double zero[2] = { 0 };
	size_t count;

	argp_parse(&argp, argc, argv, 0, NULL, &bench);

	/* So that what is wrong is said at once. */
	kuid_close(device_open(bench.format));
	subjects = subjects_all(bench.format, &count);
	if (!bench.json)
		printf("%-12s %-6s %12s %14s %8s\n", "", "", "ns an ID",
		       "IDs a second", "ratio");
	for (size_t i = 0; i < count; i++) {
		const struct subject *subject = &subjects[i];
		struct measured measured =
			measure(subject, bench.threads, bench.ms);

		if (i < 2)
			zero[subject->batch] = measured.ns_per_id;
		if (measured.error && subject->format)
			status = EXIT_FAILED;
		if (!bench.json)
			print_line(subject, &measured, zero[subject->batch]);
		else if (json_array_append_new(results,
					       describe(subject, &measured,
							zero[subject->batch])))
			errx(EXIT_FAILED, "out of memory");
	}
	free(subjects);
	if (bench.json)
		report_print(new_report(&bench, results), true, 0);
	else
		json_decref(results);
	output_finish();
	return status;
}
