// SPDX-License-Identifier: GPL-2.0-only
/* kuid node: show or change the identity. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "choice.h"
#include "device.h"
#include "report.h"
#include "verbs.h"

#define KEY_WIDTH 18

static bool json;
static bool confirm;
static bool new_epoch;

/* The parts that the options set; from is 0 if an option is not given. */
static struct choice wanted[CHOICES];

/* A value, or one of the option's words that say where to take it from. */
static void take_part(struct argp_state *state, const struct option_row *option,
		      const char *arg)
{
	struct choice *to = option->to;
	unsigned int part = to - wanted, from = choice_from_word(arg);
	int digits = choice_digits(part);
	char what[32];

	*to = (struct choice) { .from = from };
	if (from && strstr(option->arg, arg))
		return;
	to->from = KUID_FROM_GIVEN;
	if (!digits) {
		to->value = number_of(state, arg, option->what, option->least,
				      option->most);
		return;
	}
	snprintf(what, sizeof(what), "a %s", choice_name(part));
	to->value =
		part == CHOICE_WORKER
			? argument_node(state, arg, what, option->what)
			: argument_hex(state, arg, what, digits, option->what);
}

static const struct option_row options[] = {
	JSON_OPTION(&json),
	{ "node", 0, "HEX|random|mac",
	  "Node of {node}: 48 bits, drawn, or that of the first suitable "
	  "network interface",
	  take_part, &wanted[CHOICE_NODE], ", \"random\" or \"mac\"" },
	{ "worker", 0, "HEX|erlang:NAME|host|random",
	  "Worker of {worker}: 64 bits, the hash of the name of an Erlang node, "
	  "from the host name, or drawn",
	  take_part, &wanted[CHOICE_WORKER],
	  ", \"erlang:NAME\", \"host\" or \"random\"" },
	{ "snowflake", 0, "NUMBER|worker",
	  "Worker of {snowflake}, which no other host may have: 0 to 1023, or "
	  "the worker, if that was given and is not above 1023",
	  take_part, &wanted[CHOICE_SNOWFLAKE], "a worker of snowflake", 0,
	  KUID_SNOWFLAKE_WORKER_MAX },
	{ "confirm", 0, NULL,
	  "Confirm that the given node and worker are this machine's alone: "
	  "it is no clone, or the other machine is gone",
	  take_flag, &confirm },
	{ "new-epoch", 0, NULL, "Change nothing but the epoch", take_flag,
	  &new_epoch },
	{ 0 },
};

static bool asks_for_change(void)
{
	return confirm || new_epoch || wanted[CHOICE_NODE].from ||
	       wanted[CHOICE_WORKER].from || wanted[CHOICE_SNOWFLAKE].from;
}

static void change_identity(struct kuid *handle)
{
	const struct choice *node = &wanted[CHOICE_NODE];
	const struct choice *worker = &wanted[CHOICE_WORKER];
	const struct choice *snowflake = &wanted[CHOICE_SNOWFLAKE];
	struct kuid_set_identity request = {
		.flags = confirm ? KUID_IDENTITY_CONFIRM : 0,
		.node_from = node->from,
		.node = node->value,
		.worker_from = worker->from,
		.worker = worker->value,
		.snowflake_from = snowflake->from,
		.snowflake_worker = snowflake->value,
	};
	bool claimable = worker->from || snowflake->from;

	if (!kuid_change_identity(handle, &request))
		return;
	if (errno == EBUSY && claimable && !device_drop_claim(handle) &&
	    !kuid_change_identity(handle, &request))
		return;
	if (errno == EBUSY)
		errx(EXIT_FAILED,
		     claimable
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
	struct choice parts[CHOICES];
	json_t *report = report_new();

	choices_of(state, parts);
	for (unsigned int i = 0; i < CHOICES; i++) {
		char key[32], text[CHOICE_TEXT_SIZE];

		choice_text(i, parts[i].value, text);
		if (i == CHOICE_SNOWFLAKE &&
		    parts[i].value == KUID_SNOWFLAKE_NO_WORKER)
			strcpy(text, "none");
		report_add_text(report, choice_name(i), text);
		snprintf(key, sizeof(key), "%s_from", choice_name(i));
		report_add_text(report, key, choice_from(parts[i].from));
	}
	report_add_number(report, "snowflake_epoch_ms",
			  state->snowflake_epoch_ms);
	report_add_number(report, "interval", state->interval);
	report_add_time(report, "claim_ceiling", state->claim_ceiling_ns);
	report_add_number(report, "epoch", status->epoch);
	report_add_text(report, "identity", standing(status));
	return report;
}

static int run(void)
{
	struct kuid *handle = device_open(KUID_FORMAT_DEFAULT);
	struct kuid_status status;
	struct kuid_state state;

	if (asks_for_change())
		change_identity(handle);
	if (kuid_read_state(handle, &state))
		errx(EXIT_FAILED, "reading the identity: %s", device_error());
	status = device_status(handle);
	report_print(describe(&state, &status), json, KEY_WIDTH);
	kuid_close(handle);
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
