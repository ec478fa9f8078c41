// SPDX-License-Identifier: GPL-2.0-only
/* kuid save: save a ceiling for the next boot. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "device.h"
#include "problem.h"
#include "quoted.h"
#include "save.h"
#include "verbs.h"

/*
 * While a ceiling is being saved, IDs may pass it. Then the next try saves a
 * ceiling that is MORE_NS higher. IDs are at most 100 ms in front of their
 * clock, so even with --ahead 0 they can't pass the ceilings of the last tries.
 */
#define TRIES	20
#define MORE_NS (10 * MS_NS)

struct save_target save_target = {
	.path = STATE_FILE_USUAL,
	.ahead_s = SAVE_AHEAD_USUAL,
};

const struct option_row save_options[] = {
	{ "ahead", 0, "SECONDS",
	  "How far ahead the ceiling is saved: 60 by default; 0 if no IDs "
	  "are made from then on, as at a shutdown",
	  take_number, &save_target.ahead_s, "a time ahead, in seconds", 0,
	  SAVE_AHEAD_MOST },
	{ 0 },
};

void save_take_args(struct argp_state *state, char **args, int count)
{
	if (count > 1)
		refuse_argument(state, args[1]);
	if (!state_file_has_name(args[0]))
		argp_error(state, "\"%s\" names no file", QUOTED(args[0]));
	save_target.path = args[0];
}

/*
 * The ceiling to save: ahead_ns above all times that may have been handed out.
 * These include all times below the floor, where former boots have made IDs,
 * even if this boot has not come to them.
 */
static uint64_t ceiling_of(const struct kuid_state *state, uint64_t ahead_ns)
{
	uint64_t ceiling = state->wall_ns;

	if (ceiling < state->slot_ns)
		ceiling = state->slot_ns;
	if (ceiling < state->stamp_ns)
		ceiling = state->stamp_ns;
	if (ceiling < state->floor_ns)
		ceiling = state->floor_ns;
	return ceiling + ahead_ns;
}

/*
 * If nothing was restored since the module was loaded, the file may cover times
 * that the kernel does not know of. Then it must not be replaced.
 */
static struct problem *check_state(const struct kuid_state *state,
				   uint64_t ceiling_ns)
{
	if (!state->restored)
		return problem("nothing was restored since the module was "
			       "loaded: first run \"kuid restore\", or, if no "
			       "IDs were made on this machine before, \"kuid "
			       "restore --fresh\"");
	if (ceiling_ns < SAVE_EARLIEST_NS)
		return problem_for_now("the clock is before 2020: set it right "
				       "first");
	if (ceiling_ns > KUID_TIME_MAX_NS)
		return problem("the time of IDs has come to the last that can "
			       "be saved, in 2232: if the clock was in the "
			       "future by mistake, set it right, then see "
			       "\"kuid clock --help\"");
	return NULL;
}

static struct saved_state saved_of(const struct kuid_state *state,
				   uint64_t ceiling_ns)
{
	struct saved_state saved = {
		.saved_ns = state->wall_ns,
		.ceiling_ns = ceiling_ns,
	};

	machine_id_read(saved.machine);
	saved.epoch_ms = state->snowflake_epoch_ms;
	saved.interval = state->interval;
	identity_parts(state, saved.parts);
	for (unsigned int i = 0; i < IDENTITY_PARTS; i++)
		if (saved.parts[i].from != KUID_FROM_GIVEN)
			saved.parts[i].value = 0;
	return saved;
}

/*
 * Whether the process may acknowledge a ceiling: if not, it must not write one.
 * The kernel checks the capability before it checks the ceiling, and refuses
 * UINT64_MAX, which no clock can have. So this call changes nothing.
 */
static bool may_acknowledge(struct kuid *handle)
{
	return !kuid_acknowledge_ceiling(handle, UINT64_MAX) || errno != EPERM;
}

static struct problem *not_acknowledged(const struct state_file *file)
{
	if (errno == EINVAL)
		return problem("IDs pass the ceiling while it is saved to %s: "
			       "give it more time --ahead, or stop what makes "
			       "them",
			       file->path);
	return problem("acknowledging what is saved in %s: %s", file->path,
		       device_error());
}

/*
 * The kernel's ceiling must never be above the file's, also if the machine
 * crashes between the two changes. So raise the file's ceiling first, and lower
 * the kernel's first.
 */
static struct problem *raise_ceiling(struct kuid *handle,
				     const struct state_file *file,
				     const struct saved_state *saved,
				     bool *passed)
{
	bool replaced;
	struct problem *wrong = state_file_write(file, saved, &replaced);

	if (wrong || !kuid_acknowledge_ceiling(handle, saved->ceiling_ns))
		return wrong;
	*passed = errno == EINVAL;
	return not_acknowledged(file);
}

static struct problem *lower_ceiling(struct kuid *handle,
				     const struct state_file *file,
				     const struct saved_state *saved,
				     uint64_t from_ns, bool *passed)
{
	bool replaced;
	struct problem *wrong;

	if (kuid_acknowledge_ceiling(handle, saved->ceiling_ns)) {
		*passed = errno == EINVAL;
		return not_acknowledged(file);
	}
	wrong = state_file_write(file, saved, &replaced);
	/* The old file is still there, so the old ceiling is covered. */
	if (wrong && !replaced && kuid_acknowledge_ceiling(handle, from_ns))
		warnx("acknowledging the former ceiling again: %s",
		      device_error());
	return wrong;
}

struct problem *save_ceiling(struct kuid *handle, const struct state_file *file)
{
	uint64_t ahead_ns = save_target.ahead_s * SEC_NS;
	struct problem *wrong = NULL;
	bool passed = true;

	if (!may_acknowledge(handle))
		return problem("saving %s: %s", file->path, device_error());
	for (int i = 0; passed && i < TRIES; i++) {
		struct saved_state saved;
		struct kuid_state state;

		free(wrong);
		passed = false;
		if (kuid_read_state(handle, &state))
			return device_problem("reading the state");
		saved = saved_of(&state,
				 ceiling_of(&state, ahead_ns + i * MORE_NS));
		wrong = check_state(&state, saved.ceiling_ns);
		if (wrong)
			return wrong;
		if (saved.ceiling_ns < state.ceiling_ns)
			wrong = lower_ceiling(handle, file, &saved,
					      state.ceiling_ns, &passed);
		else
			wrong = raise_ceiling(handle, file, &saved, &passed);
	}
	return wrong;
}

struct problem *save_once(const struct state_file *file)
{
	struct kuid *handle;
	struct problem *wrong = device_try_open(KUID_FORMAT_DEFAULT, &handle);

	if (!wrong)
		wrong = save_ceiling(handle, file);
	kuid_close(handle);
	return wrong;
}

static int run(void)
{
	struct state_file file;
	struct problem *wrong = state_file_open(&file, save_target.path);

	if (!wrong)
		wrong = save_once(&file);
	if (wrong)
		problem_end(wrong);
	state_file_close(&file);
	return EXIT_SUCCESS;
}

const struct verb verb_save = {
	.name = "save",
	.summary = "save the state for the next boot",
	.args = "[FILE]",
	.doc = "Save a time that no ID will be above for a while, so that "
	       "after a reboot \"kuid restore\" can begin there.\v"
	       "FILE is " STATE_FILE_USUAL " by default. When this fails, "
	       "what was saved and acknowledged before holds. Do it again "
	       "before the time ahead is over.",
	.examples =
		"  kuid save\n"
		"  kuid save --ahead 0   # at shutdown, when no more IDs are made",
	.exits = SAVE_EXITS,
	.shared = save_options,
	.take_args = save_take_args,
	.run = run,
};
