// SPDX-License-Identifier: GPL-2.0-only
/* kuid clock: how the clocks that IDs carry stand to the wall clock. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "arguments.h"
#include "device.h"
#include "output.h"
#include "save.h"
#include "verbs.h"

#define KEY_WIDTH 14

struct clock {
	bool json;
	bool force;
	bool may_repeat;
};

enum {
	FORCE_CLOCK = 0x100, /* Above all characters: these are long only. */
	MAY_REPEAT,
};

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "Print one line of JSON", 0 },
	{ "force-clock", FORCE_CLOCK, NULL, 0,
	  "Set the clocks of all formats to the wall clock, after that was in "
	  "the future; needs --may-repeat",
	  0 },
	{ "may-repeat", MAY_REPEAT, NULL, 0,
	  "I know that IDs of lex, k64, k96 and k128 may then be made that "
	  "were made before",
	  0 },
	{ 0 },
};

static error_t parse(int key, char *arg __attribute__((unused)),
		     struct argp_state *state)
{
	struct clock *clock = state->input;

	switch (key) {
	case 'j':
		clock->json = true;
		return 0;
	case FORCE_CLOCK:
		clock->force = true;
		return 0;
	case MAY_REPEAT:
		clock->may_repeat = true;
		return 0;
	case ARGP_KEY_END:
		if (clock->force && !clock->may_repeat)
			argp_error(state,
				   "--force-clock takes IDs back in time: when "
				   "that time comes again, lex, k64, k96 and "
				   "k128 may be the same as some made before; "
				   "if you can live with that, add "
				   "--may-repeat");
		if (clock->may_repeat && !clock->force)
			argp_error(state, "--may-repeat is for --force-clock");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = no_arguments_child,
	.doc = "Print the wall clock, how far the clocks of IDs are ahead of "
	       "it because it was set back (lag), how far IDs are ahead of "
	       "theirs, and the floor and the ceiling of this boot.\v"
	       "Times ending in _ns are nanoseconds, stamp is for v1, v6 and "
	       "v7, slot for lex, k64, k96 and k128, grid for the latter "
	       "three.\n"
	       "\n" EXIT_HELP,
};

static uint64_t wall_ns(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_REALTIME, &now))
		err(EXIT_FAILED, "the wall clock");
	return now.tv_sec * SAVE_SEC_NS + now.tv_nsec;
}

static json_t *describe(const struct kuid_status *status)
{
	json_t *report = report_new();

	report_add_time(report, "wall", wall_ns());
	report_add(report, "epoch", json_integer(status->epoch));
	report_add(report, "stamp_lag_ns", json_integer(status->stamp_lag_ns));
	report_add(report, "slot_lag_ns", json_integer(status->slot_lag_ns));
	report_add(report, "stamp_ahead_ns",
		   json_integer(status->stamp_ahead_ns));
	report_add(report, "lex_ahead_ns", json_integer(status->lex_ahead_ns));
	report_add(report, "grid_ahead_ns",
		   json_integer(status->grid_ahead_ns));
	report_add_time(report, "floor", status->floor_ns);
	report_add_time(report, "ceiling", status->ceiling_ns);
	return report;
}

static void force(struct kuid *handle)
{
	if (kuid_take_clock_back(handle, KUID_FORCE_CLOCK_MAY_REPEAT, NULL))
		errx(EXIT_FAILED, "setting the clock of IDs: %s",
		     device_error());
	/* Nothing to save again if nothing was ever saved. */
	if (device_status(handle).ceiling_ns)
		warnx("what was saved is still from before: run \"kuid save\"");
}

int verb_clock(int argc, char **argv)
{
	struct kuid_status status;
	struct clock clock = { 0 };
	struct kuid *handle;

	argp_parse(&argp, argc, argv, 0, NULL, &clock);

	handle = device_open(KUID_FORMAT_DEFAULT);
	if (clock.force)
		force(handle);
	status = device_status(handle);
	report_print(describe(&status), clock.json, KEY_WIDTH);
	kuid_close(handle);
	output_finish();
	return EXIT_SUCCESS;
}
