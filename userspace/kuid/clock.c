// SPDX-License-Identifier: GPL-2.0-only
/* kuid clock: how the clocks that IDs carry stand to the wall clock. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "device.h"
#include "formats.h"
#include "nanoseconds.h"
#include "report.h"
#include "verbs.h"

#define KEY_WIDTH 18

static bool json;

static const struct option_row options[] = {
	JSON_OPTION(&json),
	{ 0 },
};

static json_t *describe(const struct kuid_status *status)
{
	json_t *report = report_new();

	report_add_time(report, "wall", clock_ns(CLOCK_REALTIME));
	report_add_number(report, "epoch", status->epoch);
	report_add_clocks(report, status);
	return report;
}

static int run(void)
{
	struct kuid *handle = device_open(KUID_FORMAT_DEFAULT);
	struct kuid_status status;

	status = device_status(handle);
	report_print(describe(&status), json, KEY_WIDTH);
	kuid_close(handle);
	return EXIT_SUCCESS;
}

const struct verb verb_clock = {
	.name = "clock",
	.summary = "the clocks of IDs",
	.doc = "Print the wall clock, how far the clocks of IDs are ahead of "
	       "it because it was set back (lag), how far IDs are ahead of "
	       "theirs, and the floor and the ceiling of this boot.\v"
	       "Times ending in _ns are nanoseconds. stamp is for {stamp}, "
	       "slot for {slot}, lex for {lex}, grid for {grid}, snowflake for "
	       "{snowflake}.",
	.options = options,
	.run = run,
};
