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
#include "save.h"
#include "verbs.h"

#define KEY_WIDTH 18

static bool json;
static bool force;
static bool may_repeat;

static const struct option_row options[] = {
	JSON_OPTION(&json),
	{ "force-clock", 0, NULL,
	  "Set the clocks of all formats to the wall clock, after that was in "
	  "the future; needs --may-repeat",
	  take_flag, &force },
	{ "may-repeat", 0, NULL,
	  "I know that IDs of {slot} may then be made that were made before",
	  take_flag, &may_repeat },
	{ 0 },
};

static void check(struct argp_state *state)
{
	if (force && !may_repeat)
		argp_error(state, "%s",
			   formats_fill_in("--force-clock takes IDs back in "
					   "time: when that time comes again, "
					   "IDs of {slot} may be the same as "
					   "some made before; if you can live "
					   "with that, add --may-repeat",
					   ' '));
	if (may_repeat && !force)
		argp_error(state, "--may-repeat is for --force-clock");
}

static json_t *describe(const struct kuid_status *status)
{
	json_t *report = report_new();

	report_add_time(report, "wall", clock_ns(CLOCK_REALTIME));
	report_add_number(report, "epoch", status->epoch);
	report_add_clocks(report, status);
	return report;
}

static void force_clock(struct kuid *handle)
{
	if (kuid_take_clock_back(handle, KUID_FORCE_CLOCK_MAY_REPEAT, NULL))
		errx(EXIT_FAILED, "setting the clock of IDs: %s",
		     device_error());
	/* Nothing to save again if nothing was ever saved. */
	if (device_status(handle).ceiling_ns)
		warnx("what was saved is still from before: run \"kuid save\"");
}

static int run(void)
{
	struct kuid *handle = device_open(KUID_FORMAT_DEFAULT);
	struct kuid_status status;

	if (force)
		force_clock(handle);
	status = device_status(handle);
	report_print(describe(&status), json, KEY_WIDTH);
	kuid_close(handle);
	return EXIT_SUCCESS;
}

const struct verb verb_clock = {
	.name = "clock",
	.summary = "the clocks of IDs; set them to the wall clock",
	.doc = "Print the wall clock, how far the clocks of IDs are ahead of "
	       "it because it was set back (lag), how far IDs are ahead of "
	       "theirs, and the floor and the ceiling of this boot.\v"
	       "Times ending in _ns are nanoseconds. stamp is for {stamp}, "
	       "slot for {slot}, lex for {lex}, grid for {grid}, snowflake for "
	       "{snowflake}.",
	.options = options,
	.check = check,
	.run = run,
};
