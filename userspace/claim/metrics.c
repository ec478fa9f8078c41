// SPDX-License-Identifier: GPL-2.0-only
/* See metrics.h. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "clocks.h"
#include "exit_status.h"
#include "metrics.h"
#include "nanoseconds.h"
#include "problem.h"
#include "text.h"

static void metric(FILE *file, const struct claim *claim, const char *name,
		   const char *type, const char *help, uint64_t value)
{
	fprintf(file,
		"# HELP kuid_claim_%s %s\n# TYPE kuid_claim_%s %s\n"
		"kuid_claim_%s{space=\"%s\"} %" PRIu64 "\n",
		name, help, name, type, name, claim->settings->space, value);
}

static void print(FILE *file, const struct claim *claim)
{
	uint64_t left_s = claim_left_s(claim);

	metric(file, claim, "used", "gauge",
	       "Whether the machine has a number and may use it now.",
	       left_s > 0);
	if (*claim->mine)
		metric(file, claim, "number", "gauge", "The number.",
		       claim->number);
	metric(file, claim, "ceiling_left_seconds", "gauge",
	       "How long until IDs come to the ceiling, 0 if they have.",
	       left_s);
	if (claim->raised_ns)
		metric(file, claim, "raise_age_seconds", "gauge",
		       "How long ago the ceiling was raised.",
		       (boot_ns() - claim->raised_ns) / SEC_NS);
	metric(file, claim, "failures_total", "counter",
	       "How often claiming or raising failed.", claim->failed);
}

struct problem *metrics_write(const struct claim *claim, const char *path)
{
	char *next = text_new("%s.new", path);
	struct problem *wrong = NULL;
	FILE *file;
	bool done;

	file = fopen(next, "we");
	if (file)
		print(file, claim);
	/* The collector of metrics is another user. */
	done = file && !ferror(file) && !fchmod(fileno(file), 0644);
	if (file && fclose(file))
		done = false;
	if (!done || rename(next, path))
		wrong = problem("writing %s: %s", path, strerror(errno));
	free(next);
	return wrong;
}
