// SPDX-License-Identifier: GPL-2.0-only
/* kuid node: show or change the identity. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "device.h"
#include "identity.h"
#include "output.h"
#include "report.h"
#include "verbs.h"

#define KEY_WIDTH 18

static bool json;
static bool change;
static struct kuid_set_identity request;

/* A part's value, or one of the option's words that say where to take it from. */
static struct identity_part part_of(struct argp_state *state,
				    const struct option_row *option,
				    const char *arg, unsigned int part)
{
	unsigned int from = identity_from_word(arg);
	struct identity_part given = { .from = KUID_FROM_GIVEN };
	char what[32];

	change = true;
	if (from && strstr(option->arg, arg))
		return (struct identity_part) { .from = from };
	snprintf(what, sizeof(what), "a %s", identity_name(part));
	given.value = argument_hex(state, arg, what, identity_digits(part),
				   option->what);
	return given;
}

static void take_node(struct argp_state *state, const struct option_row *option,
		      const char *arg)
{
	struct identity_part part = part_of(state, option, arg, IDENTITY_NODE);

	request.node_from = part.from;
	request.node = part.value;
}

static void take_worker(struct argp_state *state,
			const struct option_row *option, const char *arg)
{
	struct identity_part part =
		part_of(state, option, arg, IDENTITY_WORKER);

	request.worker_from = part.from;
	request.worker = part.value;
}

static void take_snowflake(struct argp_state *state,
			   const struct option_row *option, const char *arg)
{
	struct option_row number = *option;
	uint64_t worker;

	change = true;
	request.snowflake_from = KUID_FROM_WORKER;
	request.snowflake_worker = 0;
	if (!strcmp(arg, identity_from(KUID_FROM_WORKER)))
		return;
	number.to = &worker;
	take_number(state, &number, arg);
	request.snowflake_from = KUID_FROM_GIVEN;
	request.snowflake_worker = worker;
}

static void take_confirm(struct argp_state *state,
			 const struct option_row *option, const char *arg)
{
	request.flags |= KUID_IDENTITY_CONFIRM;
	change = true;
}

static const struct option_row options[] = {
	JSON_OPTION(&json),
	{ "node", 0, "HEX|random|mac",
	  "Node of {node}: 48 bits, drawn, or that of the first suitable "
	  "network interface",
	  take_node, NULL, ", \"random\" or \"mac\"" },
	{ "worker", 0, "HEX|host|random",
	  "Worker of {worker}: 64 bits, from the host name, or drawn",
	  take_worker, NULL, ", \"host\" or \"random\"" },
	{ "snowflake", 0, "NUMBER|worker",
	  "Worker of {snowflake}, which no other host may have: 0 to 1023, or "
	  "the worker, if that was given and is not above 1023",
	  take_snowflake, NULL, "a worker of snowflake", 0,
	  KUID_SNOWFLAKE_WORKER_MAX },
	{ "confirm", 0, NULL,
	  "Confirm that the given node and worker are this machine's alone: "
	  "it is no clone, or the other machine is gone",
	  take_confirm },
	{ "new-epoch", 0, NULL, "Change nothing but the epoch", take_flag,
	  &change },
	{ 0 },
};

static void change_identity(struct kuid *handle)
{
	if (!kuid_change_identity(handle, &request))
		return;
	if (errno == EBUSY)
		errx(EXIT_FAILED,
		     request.worker_from || request.snowflake_from
			     ? "what is to be changed is claimed: stop "
			       "\"kuid-claim\" first"
			     : "the node has the multicast bit, and a process "
			       "may have had it in a private lane: give one "
			       "without that bit, or load the module again");
	if (errno == ENODEV)
		errx(EXIT_FAILED, "no network interface is suitable to take a "
				  "node from: give --node HEX");
	errx(EXIT_FAILED, "changing the identity: %s", device_error());
}

static const char *standing(const struct kuid_status *status)
{
	return status->reasons & KUID_REASON_STALE_IDENTITY ? "stale" : "good";
}

static json_t *describe(const struct kuid_state *state,
			const struct kuid_status *status)
{
	struct identity_part parts[IDENTITY_PARTS];
	json_t *report = report_new();

	identity_parts(state, parts);
	for (unsigned int i = 0; i < IDENTITY_PARTS; i++) {
		char key[32], text[IDENTITY_TEXT_SIZE];

		identity_text(i, parts[i].value, text);
		if (i == IDENTITY_SNOWFLAKE &&
		    parts[i].value == KUID_SNOWFLAKE_NO_WORKER)
			strcpy(text, "none");
		report_add(report, identity_name(i), json_string(text));
		snprintf(key, sizeof(key), "%s_from", identity_name(i));
		report_add(report, key,
			   json_string(identity_from(parts[i].from)));
	}
	report_add(report, "snowflake_epoch_ms",
		   json_integer(state->snowflake_epoch_ms));
	report_add(report, "interval", json_integer(state->interval));
	report_add_time(report, "claim_ceiling", state->claim_ceiling_ns);
	report_add(report, "epoch", json_integer(status->epoch));
	report_add(report, "identity", json_string(standing(status)));
	return report;
}

static int run(void)
{
	struct kuid *handle = device_open(KUID_FORMAT_DEFAULT);
	struct kuid_status status;
	struct kuid_state state;

	if (change)
		change_identity(handle);
	if (kuid_read_state(handle, &state))
		errx(EXIT_FAILED, "reading the identity: %s", device_error());
	status = device_status(handle);
	report_print(describe(&state, &status), json, KEY_WIDTH);
	kuid_close(handle);
	output_finish();
	return EXIT_SUCCESS;
}

const struct verb verb_node = {
	.name = "node",
	.summary = "show or change the identity",
	.doc = "Print the node and worker that IDs carry and where they come "
	       "from: given, random, mac (network interface), host (host "
	       "name), worker (of the other formats) or claim.\v"
	       "All options but --json change the identity first, which begins "
	       "a new epoch. A node or worker that is given is confirmed by "
	       "that. The next load begins with what module parameters say.\n"
	       "\n"
	       "identity is \"stale\" if this machine may be a clone: then "
	       "formats that use something given make no IDs.",
	.options = options,
	.run = run,
};
