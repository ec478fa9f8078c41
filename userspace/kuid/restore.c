// SPDX-License-Identifier: GPL-2.0-only
/* kuid restore: begin above all times that former boots can have used. */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "device.h"
#include "problem.h"
#include "save.h"
#include "time_text.h"
#include "verbs.h"

static bool first;
static bool fresh;
static bool force;
static char machine[MACHINE_ID_SIZE];

static const struct option_row options[] = {
	{ "first", 0, NULL,
	  "If FILE is not there, but FILE" STATE_FILE_UNUSED
	  " is, begin without a saved state, and remove FILE" STATE_FILE_UNUSED
	  ", which the installation has left: no IDs were made on this machine "
	  "before",
	  take_flag, &first },
	{ "fresh", 0, NULL,
	  "Begin without a saved state: no IDs were made on this machine "
	  "before. Refused if FILE is there",
	  take_flag, &fresh },
	{ "force", 0, NULL,
	  "Restore also what was saved for another node or worker, another epoch "
	  "of snowflake or another interval, or is more than a day ahead of the clock, where IDs then are too; with another "
	  "interval they begin up to 1,024 s later, where none repeats; or begin "
	  "--fresh though FILE is there, which may make IDs again that were "
	  "made before",
	  take_flag, &force },
	{ 0 },
};

static void check_form(struct argp_state *state)
{
	if (first && fresh)
		argp_error(state, "only one of --first and --fresh");
}

static struct problem *older(const struct saved_state *saved, const char *than,
			     const char *whose, uint64_t their_ns)
{
	char when[TIME_TEXT_SIZE], theirs[TIME_TEXT_SIZE];

	time_text_ns(saved->ceiling_ns, when);
	time_text_ns(their_ns, theirs);
	return problem("%s is older than what was %s: its ceiling is %s, %s "
		       "%s; bring back the latest copy, or run \"kuid save\", "
		       "which replaces it",
		       save_target.path, than, when, whose, theirs);
}

/* Checks that --force does not override, since the file can never be right. */
static struct problem *check_always(const struct saved_state *saved,
				    const struct kuid_state *state)
{
	char when[TIME_TEXT_SIZE];

	time_text_ns(saved->ceiling_ns, when);
	if (saved->ceiling_ns < SAVE_EARLIEST_NS)
		return problem("%s was saved by a clock that was not set: its "
			       "ceiling is %s; " STATE_FILE_OF_NO_USE,
			       save_target.path, when);
	if (saved->ceiling_ns > KUID_TIME_MAX_NS)
		return problem("%s has a ceiling that no clock can have: "
			       "%s; " STATE_FILE_OF_NO_USE,
			       save_target.path, when);
	if (saved->ceiling_ns < state->floor_ns)
		return older(saved, "restored already", "the floor",
			     state->floor_ns);
	if (saved->ceiling_ns < state->ceiling_ns)
		return older(saved, "saved last", "the kernel's",
			     state->ceiling_ns);
	return NULL;
}

static bool is_of_another(const struct saved_state *saved)
{
	return strcmp(machine, saved->machine);
}

/*
 * A floor of another machine is never unsafe: it only has IDs begin later. So
 * a cloned image goes on with the file that is in it.
 */
static void tell_of_machine(const struct saved_state *saved)
{
	char when[TIME_TEXT_SIZE];

	if (!is_of_another(saved))
		return;
	time_text_ns(saved->ceiling_ns, when);
	warnx("%s is of another machine: its machine-id is \"%s\", this "
	      "one's \"%s\"; it is restored all the same, which only keeps "
	      "IDs from times before %s",
	      save_target.path, saved->machine, machine, when);
}

static struct problem *check_identity(const struct saved_state *saved,
				      const struct kuid_state *state)
{
	struct identity_part now[IDENTITY_PARTS];

	/* The identity of another machine has no meaning on this one. */
	if (is_of_another(saved))
		return NULL;
	identity_parts(state, now);
	for (unsigned int i = 0; i < IDENTITY_PARTS; i++) {
		const struct identity_part *then = &saved->parts[i];
		char was[IDENTITY_TEXT_SIZE], is[IDENTITY_TEXT_SIZE];

		if (then->from != KUID_FROM_GIVEN ||
		    now[i].from != KUID_FROM_GIVEN ||
		    then->value == now[i].value)
			continue;
		identity_text(i, then->value, was);
		identity_text(i, now[i].value, is);
		return problem("%s was saved with %s %s, and the module has "
			       "%s: load it with the former or set it with "
			       "\"kuid node\", or use --force if it was "
			       "changed on purpose",
			       save_target.path, identity_name(i), was, is);
	}
	return NULL;
}

static struct problem *check_same(const char *parameter, uint64_t then,
				  uint64_t now, const char *ids)
{
	if (then == now)
		return NULL;
	return problem("%s was saved with %s=%" PRIu64
		       ", and the module was loaded with %" PRIu64
		       ": %s may repeat; load it with the former, or use "
		       "--force if none were made",
		       save_target.path, parameter, then, now, ids);
}

/*
 * With another epoch or another I, IDs of other times and numbers are the same,
 * so the saved ceiling as the floor doesn't keep them from repeating.
 */
static struct problem *check_layout(const struct saved_state *saved,
				    const struct kuid_state *state)
{
	struct problem *wrong =
		check_same("snowflake_epoch_ms", saved->epoch_ms,
			   state->snowflake_epoch_ms, "snowflakes");

	if (!wrong)
		wrong = check_same("interval", saved->interval, state->interval,
				   "k96 and k128");
	return wrong;
}

static struct problem *check_ahead(const struct saved_state *saved,
				   const struct kuid_state *state)
{
	char when[TIME_TEXT_SIZE], now[TIME_TEXT_SIZE];

	if (saved->ceiling_ns <= state->wall_ns + DAY_NS)
		return NULL;
	time_text_ns(saved->ceiling_ns, when);
	time_text_ns(state->wall_ns, now);
	return problem_for_now("%s is more than a day ahead of the clock: its "
			       "ceiling is %s, and now it is %s; set the clock "
			       "right, or if it is %s",
			       save_target.path, when, now,
			       is_of_another(saved)
				       ? "and no IDs were made on this "
					 "machine, whose file it is not, use "
					 "--fresh --force"
				       : "use --force, and have IDs in the "
					 "future");
}

static struct problem *check(const struct saved_state *saved,
			     const struct kuid_state *state)
{
	struct problem *wrong = check_always(saved, state);

	if (!wrong && !force)
		wrong = check_layout(saved, state);
	if (!wrong && !force)
		wrong = check_identity(saved, state);
	if (!wrong && !force)
		wrong = check_ahead(saved, state);
	return wrong;
}

/*
 * IDs of different I differ if their megaseconds, or their seconds in that
 * divided by 1,024, do. No I moves these bits.
 */
static uint64_t floor_of(const struct saved_state *saved,
			 const struct kuid_state *state)
{
	const uint64_t mega_ns = 1000000 * SEC_NS, part_ns = 1024 * SEC_NS;
	uint64_t in_mega_ns = saved->ceiling_ns % mega_ns;
	uint64_t up_ns = (in_mega_ns + part_ns - 1) / part_ns * part_ns;

	if (saved->interval == state->interval)
		return saved->ceiling_ns;
	return saved->ceiling_ns - in_mega_ns +
	       (up_ns < mega_ns ? up_ns : mega_ns);
}

static struct problem *restore_file(struct kuid *handle,
				    const struct state_file *file)
{
	struct saved_state saved;
	struct kuid_state state;
	struct problem *wrong = state_file_read(file, &saved);

	if (wrong)
		return wrong;
	if (kuid_read_state(handle, &state))
		return device_problem("reading the state");
	wrong = check(&saved, &state);
	if (wrong)
		return wrong;
	/*
	 * The file was saved since the module was loaded. If each start of a
	 * service restored that ceiling, IDs would run into the future.
	 */
	if (state.restored && saved.ceiling_ns == state.ceiling_ns)
		return NULL;
	if (kuid_restore_floor(handle, floor_of(&saved, &state), NULL))
		return device_problem("restoring");
	tell_of_machine(&saved);
	return NULL;
}

static struct problem *start_fresh(struct kuid *handle,
				   const struct state_file *file)
{
	struct kuid_state state;
	bool exists;
	struct problem *wrong = state_file_exists(file, &exists);

	if (wrong)
		return wrong;
	if (exists && !force)
		return problem("%s is there: restore it without --fresh; if it "
			       "is of no use, use --force, and IDs that were "
			       "made before may be made again",
			       file->path);
	if (kuid_read_state(handle, &state))
		return device_problem("reading the state");
	if (state.wall_ns < SAVE_EARLIEST_NS)
		return problem_for_now("the clock is before 2020: set it right "
				       "first");
	if (kuid_start_fresh(handle, NULL))
		return device_problem("beginning");
	return NULL;
}

static struct problem *begin(struct kuid *handle, const struct state_file *file)
{
	struct problem *wrong = NULL;

	if (first)
		wrong = state_file_is_unused(file, &fresh);
	if (wrong)
		return wrong;
	wrong = fresh ? start_fresh(handle, file) : restore_file(handle, file);
	if (first && fresh && !wrong)
		warnx("begun without a saved state, since %s" STATE_FILE_UNUSED
		      " says that this is the first start",
		      file->path);
	return wrong;
}

static int run(void)
{
	struct state_file file;
	struct kuid *handle;
	struct problem *wrong;

	/* Before anything is changed: what is saved then needs it, too. */
	machine_id_read(machine);
	handle = device_open(KUID_FORMAT_DEFAULT);
	wrong = state_file_open(&file, save_target.path);
	if (wrong)
		problem_end(wrong);
	wrong = begin(handle, &file);
	if (wrong)
		problem_end(wrong);
	wrong = save_ceiling(handle, &file);
	if (wrong)
		errx(wrong->status, "restored, but not saved again: %s",
		     wrong->text);
	state_file_close(&file);
	kuid_close(handle);
	return EXIT_SUCCESS;
}

const struct verb verb_restore = {
	.name = "restore",
	.summary = "restore the saved state",
	.args = "[FILE]",
	.doc = "Restore what \"kuid save\" has saved, so that no ID is made "
	       "that may have been made before a reboot; then save anew.\v"
	       "FILE is " STATE_FILE_USUAL " by default. If FILE was saved "
	       "since the module was loaded, there is nothing to restore, and "
	       "the command only saves. A FILE of another machine, as in a "
	       "cloned image, is restored, with a message: the time of IDs "
	       "then begins later than needed, never earlier. If FILE is "
	       "refused, nothing is changed. With --first, a FILE that is "
	       "lost is never taken for a first start.",
	.examples =
		"  kuid restore --first  # at boot, before IDs are made\n"
		"  kuid restore --fresh  # on a machine that never made IDs",
	.exits = SAVE_EXITS,
	.options = options,
	.shared = save_options,
	.take_args = save_take_args,
	.check = check_form,
	.run = run,
};
