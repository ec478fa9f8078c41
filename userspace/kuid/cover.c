// SPDX-License-Identifier: GPL-2.0-only
/* See cover.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "cover.h"
#include "device.h"
#include "problem.h"
#include "quoted.h"
#include "service.h"
#include "time_text.h"

#define DAY_NS (86400 * SEC_NS)

/*
 * While a ceiling is being saved, IDs may pass it. Then the next try saves a
 * ceiling that is MORE_NS higher. IDs are at most 100 ms in front of their
 * clock, so even without time ahead they can't pass the ceilings of the last
 * tries.
 */
#define TRIES	20
#define MORE_NS (10 * MS_NS)

struct cover_target cover_target = {
	.path = STATE_FILE_USUAL,
	.ahead_s = COVER_AHEAD_USUAL,
};

const struct option_row cover_options[] = {
	{ "ahead", 0, "SECONDS",
	  "How far ahead the ceiling is saved: 60 by default", take_number,
	  &cover_target.ahead_s, "a time ahead, in seconds", 1,
	  COVER_AHEAD_MOST },
	{ 0 },
};

void cover_take_args(struct argp_state *state, char **args, int count)
{
	if (count > 1)
		refuse_argument(state, args[1]);
	if (!state_file_has_name(args[0]))
		argp_error(state, "\"%s\" names no file", QUOTED(args[0]));
	cover_target.path = args[0];
}

/*
 * The state that this process saved last. If the file is lost or an old copy is
 * put back meanwhile, nothing is lost.
 */
static struct saved_state last;

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static bool is_of_this_load(const struct saved_state *saved,
			    const struct kuid_state *state)
{
	return state->cover_epoch && saved->epoch == state->cover_epoch &&
	       saved->load_id == state->cover_load_id;
}

/* All IDs of this load, and of former ones as far as the kernel knows. */
static uint64_t end_of(const struct kuid_state *state)
{
	return max(max(state->slot_ns, state->stamp_ns), state->floor_ns);
}

static void tell_of_machine(const struct saved_state *saved)
{
	char when[TIME_TEXT_SIZE], machine[MACHINE_ID_SIZE];

	machine_id_read(machine);
	if (!*saved->machine || !strcmp(saved->machine, machine))
		return;
	time_text_ns(saved->saved_ns, when);
	service_log(SERVICE_NOTICE,
		    "%s is of another machine: it was saved on %s, this is %s, "
		    "on %s; IDs begin above both machines' IDs",
		    cover_target.path, saved->machine,
		    *machine ? machine : "without /etc/machine-id", when);
}

static struct problem *check_same(const char *parameter, uint64_t then,
				  uint64_t now, const char *ids)
{
	if (then == now)
		return NULL;
	return problem(
		"%s was saved with %s=%" PRIu64
		", and the module was loaded with %" PRIu64
		": %s may come twice; load it with the former, or " MAY_REPEAT,
		cover_target.path, parameter, then, now, ids);
}

/* With another I or epoch one ID stands for another time. */
static struct problem *check_file(const struct saved_state *saved,
				  const struct kuid_state *state)
{
	char when[TIME_TEXT_SIZE];
	struct problem *wrong;

	time_text_ns(saved->ceiling_ns, when);
	if (state->cover_epoch)
		return problem("%s is older than what has begun since the "
			       "module was loaded, or another file: it ends at "
			       "%s; bring back the latest copy, or " MAY_REPEAT,
			       cover_target.path, when);
	if (saved->ceiling_ns >= KUID_TIME_MAX_NS)
		return problem(
			"%s ends at a time that no clock can have, %s; " MAY_REPEAT,
			cover_target.path, when);
	wrong = check_same("snowflake_epoch_ms", saved->epoch_ms,
			   state->snowflake_epoch_ms, "snowflake IDs");
	if (!wrong)
		wrong = check_same("interval", saved->interval, state->interval,
				   "k96 and k128");
	return wrong;
}

/**
 * struct plan - what to do next
 * @begins: begin a cover, not only raise its ceiling
 * @request: the request, without a ceiling
 * @from_ns: the ceiling is above this time
 * @before_ns, @after_ns: see struct saved_state
 * @found: what the file has; all zeroes if it has nothing
 */
struct plan {
	bool begins;
	struct kuid_cover request;
	uint64_t from_ns;
	uint64_t before_ns, after_ns;
	struct saved_state found;
};

/*
 * If the clock is more than a day above the last ceiling, begin at the clock
 * and note it: if the clock is wrong, IDs can go back to that ceiling, and none
 * comes twice before the clock comes to this time again. A clock that was set
 * after the last save may have had IDs that follow it, unless they wait for a
 * cover.
 */
static void plan_jump(struct plan *plan, const struct kuid_state *state,
		      uint64_t ceiling_ns)
{
	if (!ceiling_ns || state->wall_ns < ceiling_ns + DAY_NS)
		return;
	plan->begins = true;
	plan->request.floor_ns = state->wall_ns;
	plan->from_ns = max(plan->from_ns, state->wall_ns);
	plan->before_ns = ceiling_ns;
	plan->after_ns = state->required ? state->wall_ns : ceiling_ns;
}

/* Go back to the clock, and tell what may come again. */
static void plan_back(struct plan *plan, const struct saved_state *saved,
		      const struct kuid_state *state)
{
	struct kuid_cover *request = &plan->request;
	uint64_t from = 0, until = max(saved->ceiling_ns, end_of(state));
	uint64_t start = state->wall_ns;

	/* Without a file nobody knows how far ahead IDs were. */
	if (!saved->ceiling_ns && !state->cover_epoch)
		until = max(until, start + DAY_NS);
	if (saved->after_ns > start && saved->before_ns < start + DAY_NS) {
		request->floor_ns = saved->before_ns;
		start = max(start, saved->before_ns);
		from = saved->after_ns;
	}
	if (saved->again_until_ns > start) {
		from = from < saved->again_from_ns ? from
						   : saved->again_from_ns;
		until = max(until, saved->again_until_ns);
	}
	request->flags = KUID_COVER_BEGIN | KUID_COVER_BACK;
	request->again_from_ns = from;
	request->again_until_ns = max(until, from);
	plan->begins = true;
	plan->from_ns = start;
	plan->before_ns = plan->after_ns = 0;
}

/* Fill in a plan, or return why there is none. */
static struct problem *make_plan(const struct state_file *file,
				 const struct kuid_state *state,
				 enum cover_how how, struct plan *plan)
{
	struct saved_state saved = { 0 };
	struct problem *wrong = state_file_read(file, &saved);

	*plan = (struct plan) {
		.request = { .epoch = state->cover_epoch,
			     .load_id = state->cover_load_id },
		.from_ns = max(state->wall_ns, end_of(state)),
	};
	if (is_of_this_load(&last, state)) {
		free(wrong);
		wrong = NULL;
		saved = last;
	}
	if (how == COVER_MAY_REPEAT) {
		free(wrong);
		plan_back(plan, &saved, state);
		return NULL;
	}
	plan->before_ns = saved.before_ns;
	plan->after_ns = saved.after_ns;
	plan->request.again_from_ns = saved.again_from_ns;
	plan->request.again_until_ns = saved.again_until_ns;
	if (!wrong && is_of_this_load(&saved, state)) {
		plan->request.again_from_ns = state->again_from_ns;
		plan->request.again_until_ns = state->again_until_ns;
		plan_jump(plan, state, state->ceiling_ns);
		return NULL;
	}
	if (!wrong)
		wrong = check_file(&saved, state);
	else if (!state->cover_epoch &&
		 state_file_is_first(file, how == COVER_FIRST)) {
		free(wrong);
		wrong = NULL;
	}
	if (wrong)
		return wrong;
	plan->begins = true;
	plan->found = saved;
	plan->request.floor_ns = saved.ceiling_ns;
	plan->from_ns = max(plan->from_ns, saved.ceiling_ns + 1);
	plan_jump(plan, state, saved.ceiling_ns);
	return NULL;
}

static struct saved_state saved_of(const struct kuid_state *state,
				   const struct plan *plan)
{
	struct saved_state saved = {
		.saved_ns = state->wall_ns,
		.ceiling_ns = plan->request.ceiling_ns,
		.load_id = plan->begins ? state->load_id
					: plan->request.load_id,
		/* The epoch that begins, unless another one comes first. */
		.epoch = plan->begins ? state->epoch + 1 : plan->request.epoch,
		.before_ns = plan->before_ns,
		.after_ns = plan->after_ns,
		.again_from_ns = plan->request.again_from_ns,
		.again_until_ns = plan->request.again_until_ns,
		.epoch_ms = state->snowflake_epoch_ms,
		.interval = state->interval,
	};

	machine_id_read(saved.machine);
	return saved;
}

/*
 * Whether the process may set a ceiling: if not, it must not write one. The
 * kernel checks the capability before it checks the ceiling, and refuses
 * UINT64_MAX, which no clock can have. So this call changes nothing.
 */
static bool may_set(struct kuid *handle)
{
	struct kuid_cover none = { .ceiling_ns = UINT64_MAX };

	return !kuid_set_cover(handle, &none) || errno != EPERM;
}

static struct problem *not_set(bool *passed)
{
	*passed = errno == EINVAL;
	if (errno == EINVAL)
		return problem("IDs pass the ceiling while it is saved to %s: "
			       "give it more time --ahead, or stop what makes "
			       "them",
			       cover_target.path);
	return device_problem("the cover");
}

/*
 * The kernel's ceiling must never be above the file's, also if the machine
 * crashes between the two changes. So raise the file's ceiling first, and lower
 * the kernel's first. A file that goes back has the times that may come again,
 * so it may be first, too.
 */
static struct problem *carry_out(struct kuid *handle,
				 const struct state_file *file,
				 const struct kuid_state *state,
				 struct plan *plan, bool *passed)
{
	struct saved_state saved = saved_of(state, plan);
	struct kuid_cover request = plan->request;
	bool lowers = !plan->begins && request.ceiling_ns < state->ceiling_ns;
	struct problem *wrong = NULL;
	bool replaced;

	*passed = false;
	if (plan->begins)
		request.flags |= KUID_COVER_BEGIN;
	else
		request.again_from_ns = request.again_until_ns = 0;
	if (!lowers)
		wrong = state_file_write(file, &saved, &replaced);
	if (wrong)
		return wrong;
	if (kuid_set_cover(handle, &request))
		return not_set(passed);
	if (!lowers && saved.epoch == request.epoch &&
	    saved.load_id == request.load_id) {
		last = saved;
		return NULL;
	}
	saved.epoch = request.epoch;
	saved.load_id = request.load_id;
	wrong = state_file_write(file, &saved, &replaced);
	if (!wrong || replaced || plan->begins) {
		last = saved;
		return wrong;
	}
	/* The old file is still there, so the old ceiling is covered. */
	request.ceiling_ns = state->ceiling_ns;
	if (kuid_set_cover(handle, &request))
		service_log(SERVICE_ERR, "the former ceiling: %s",
			    device_error());
	return wrong;
}

static void tell_of_begin(const struct plan *plan)
{
	char time[TIME_TEXT_SIZE];

	if (!plan->begins)
		return;
	tell_of_machine(&plan->found);
	time_text_ns(plan->request.floor_ns, time);
	if (plan->request.flags & KUID_COVER_BACK)
		service_log(SERVICE_NOTICE, "IDs go on at the clock; \"kuid "
					    "status\" tells which may repeat");
	else if (plan->request.floor_ns)
		service_log(SERVICE_NOTICE, "IDs go on above %s", time);
	else
		service_log(SERVICE_NOTICE,
			    "IDs begin: none were made here before");
}

/* Once, for it may be all right on a machine whose clock is never set. */
static void tell_of_ahead(const struct kuid_state *state,
			  const struct plan *plan)
{
	uint64_t end = plan->request.flags & KUID_COVER_BACK ? 0
							     : plan->from_ns;
	char time[TIME_TEXT_SIZE];
	static bool told;

	if (end > state->wall_ns + DAY_NS && !told) {
		time_text_ns(end, time);
		service_log(SERVICE_ERR,
			    "IDs are more than a day ahead of the clock, at "
			    "%s: set the clock right; if it is right, and IDs "
			    "are not to stay there, " MAY_REPEAT,
			    time);
	}
	told = end > state->wall_ns + DAY_NS;
}

struct problem *cover_save(struct kuid *handle, const struct state_file *file,
			   enum cover_how how, uint64_t ahead_ns, bool *refused)
{
	struct problem *wrong = NULL;
	bool passed = true;

	*refused = false;
	if (!may_set(handle))
		return problem("saving %s: %s", file->path, device_error());
	if (how == COVER_MAY_REPEAT && device_drop_claim(handle))
		return errno == EBUSY
			       ? problem("a number is claimed, so IDs can't go "
					 "back: first \"systemctl stop "
					 "kuid-claim\"")
			       : device_problem("dropping the claim");
	for (int i = 0; passed && i < TRIES; i++) {
		struct kuid_state state;
		struct plan plan;

		free(wrong);
		if (kuid_read_state(handle, &state))
			return device_problem("reading the state");
		wrong = make_plan(file, &state, how, &plan);
		*refused = wrong;
		if (wrong)
			return wrong;
		/* While no IDs are made, their clock passes the last one. */
		if (ahead_ns && how != COVER_MAY_REPEAT)
			plan.from_ns = max(plan.from_ns, state.clock_ns);
		plan.request.ceiling_ns = plan.from_ns + ahead_ns + i * MORE_NS;
		if (plan.request.ceiling_ns > KUID_TIME_MAX_NS)
			return problem(
				"the time of IDs has come to the last "
				"that can be saved, in 2232; " MAY_REPEAT);
		wrong = carry_out(handle, file, &state, &plan, &passed);
		if (wrong)
			continue;
		tell_of_begin(&plan);
		tell_of_ahead(&state, &plan);
	}
	return wrong;
}

struct problem *cover_refusal(void)
{
	struct kuid *handle;
	struct kuid_state state;
	struct state_file file;
	struct plan plan;
	struct problem *wrong = device_try_open(KUID_FORMAT_DEFAULT, &handle);

	if (wrong)
		return wrong;
	wrong = state_file_open(&file, STATE_FILE_USUAL);
	if (!wrong && kuid_read_state(handle, &state))
		wrong = device_problem("reading the state");
	if (!wrong)
		wrong = make_plan(&file, &state, COVER_AS_SAVED, &plan);
	state_file_close(&file);
	kuid_close(handle);
	return wrong;
}
