// SPDX-License-Identifier: GPL-2.0-only
/* kuid restore: the way out of a state that "kuid keep" refuses. */
#include <stdlib.h>

#include "arguments.h"
#include "cover.h"
#include "device.h"
#include "exit_status.h"
#include "verbs.h"

static bool first;
static bool may_repeat;

static const struct option_row options[] = {
	{ "first", 0, NULL,
	  "If there is no FILE, no IDs were made on this machine before. A FILE" STATE_FILE_UNUSED
	  ", which packages leave, says the same once",
	  take_flag, &first },
	{ "may-repeat", 0, NULL,
	  "Begin at the clock, whatever FILE has and whether it is there. I know "
	  "that IDs of {slot}, and of v1 and v6 with a given node, that were "
	  "made before may come again; \"kuid status\" tells when",
	  take_flag, &may_repeat },
	{ 0 },
};

static void check_form(struct argp_state *state)
{
	if (first && may_repeat)
		argp_error(state, "only one of --first and --may-repeat");
}

static int run(void)
{
	enum cover_how how = first	  ? COVER_FIRST
			     : may_repeat ? COVER_MAY_REPEAT
					  : COVER_AS_SAVED;
	struct kuid *handle = device_open(KUID_FORMAT_DEFAULT);
	struct state_file file;
	struct problem *wrong = state_file_open(&file, cover_target.path);
	bool refused;

	if (!wrong)
		wrong = cover_save(handle, &file, how,
				   cover_target.ahead_s * SEC_NS, &refused);
	if (wrong)
		problem_end(wrong);
	state_file_close(&file);
	kuid_close(handle);
	return EXIT_SUCCESS;
}

const struct verb verb_restore = {
	.name = "restore",
	.summary = "get out of a state that is refused after a reboot",
	.args = "[FILE]",
	.doc = "After a reboot IDs go on above the last one that can have been "
	       "made, which FILE has, as they do when the clock is set back. "
	       "\"kuid keep\" sees to that. If it refuses FILE, or IDs are far "
	       "ahead of the clock, this is the way out.\v"
	       "FILE is " STATE_FILE_USUAL
	       " by default. After it, start \"kuid "
	       "keep\" again: \"systemctl restart kuid\".",
	.examples =
		"  kuid restore --first       # on a machine that never made IDs\n"
		"  kuid restore --may-repeat  # FILE is lost, or far in the future",
	.exits = COVER_EXITS,
	.options = options,
	.shared = cover_options,
	.take_args = cover_take_args,
	.check = check_form,
	.run = run,
};
