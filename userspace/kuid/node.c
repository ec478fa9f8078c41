// SPDX-License-Identifier: GPL-2.0-only
/* kuid node: whose IDs they are. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "device.h"
#include "identity.h"
#include "output.h"
#include "verbs.h"

#define KEY_WIDTH 14

struct node {
	struct kuid_set_identity request;
	bool json;
	bool change;
};

enum {
	NODE = 0x100, /* Above all characters: these options are long only. */
	WORKER,
	INTERVAL,
	CONFIRM,
	NEW_EPOCH,
};

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "Print one line of JSON", 0 },
	{ "node", NODE, "HEX|random|mac", 0,
	  "Node of v1 and v6: 48 bits, drawn, or that of the first suitable "
	  "network interface",
	  0 },
	{ "worker", WORKER, "HEX|host|random", 0,
	  "Worker of lex, k96 and k128: 64 bits, from the host name, or drawn",
	  0 },
	{ "interval", INTERVAL, "I", 0, "Interval I of k96 and k128, 5 to 10",
	  0 },
	{ "confirm", CONFIRM, NULL, 0,
	  "What was given is this machine's alone: it is no clone, or the "
	  "other one is gone",
	  0 },
	{ "new-epoch", NEW_EPOCH, NULL, 0, "Change nothing but the epoch", 0 },
	{ 0 },
};

/* A part's value, or one of the words that say where to take it from. */
static struct identity_part parse_part(struct argp_state *state,
				       const char *text, unsigned int part,
				       const char *words, const char *others)
{
	unsigned int from = identity_from_word(text);
	struct identity_part given = { .from = KUID_FROM_GIVEN };
	char what[32];

	if (from && strstr(words, text))
		return (struct identity_part) { .from = from };
	snprintf(what, sizeof(what), "a %s", identity_name(part));
	given.value =
		argument_hex(state, text, what, identity_digits(part), others);
	return given;
}

static void parse_parts(int key, const char *arg, struct argp_state *state)
{
	struct node *node = state->input;
	struct kuid_set_identity *request = &node->request;
	struct identity_part part;

	switch (key) {
	case NODE:
		part = parse_part(state, arg, IDENTITY_NODE, "random mac",
				  ", \"random\" or \"mac\"");
		request->node_from = part.from;
		request->node = part.value;
		break;
	case WORKER:
		part = parse_part(state, arg, IDENTITY_WORKER, "host random",
				  ", \"host\" or \"random\"");
		request->worker_from = part.from;
		request->worker = part.value;
		break;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct node *node = state->input;

	switch (key) {
	case 'j':
		node->json = true;
		return 0;
	case NODE:
	case WORKER:
		parse_parts(key, arg, state);
		break;
	case INTERVAL:
		node->request.interval = argument_interval(state, arg);
		break;
	case CONFIRM:
		node->request.flags |= KUID_IDENTITY_CONFIRM;
		break;
	case NEW_EPOCH:
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	node->change = true;
	return 0;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = no_arguments_child,
	.doc = "Print the node and worker that IDs carry and where they come "
	       "from: given, random, mac (network interface) or host (host "
	       "name).\v"
	       "Options but --json change it first, which begins a new epoch. "
	       "What is given is confirmed by that. Module parameters say what a next load begins with.\n"
	       "\n"
	       "identity is \"stale\" if this machine may be a clone: then "
	       "formats that use something given make no IDs.\n"
	       "\n" EXIT_HELP,
};

static void change(struct kuid *handle, struct node *node)
{
	if (!kuid_change_identity(handle, &node->request))
		return;
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
		char key[32];

		report_add_hex(report, identity_name(i), parts[i].value,
			       identity_digits(i));
		snprintf(key, sizeof(key), "%s_from", identity_name(i));
		report_add(report, key,
			   json_string(identity_from(parts[i].from)));
	}
	report_add(report, "interval", json_integer(state->interval));
	report_add(report, "epoch", json_integer(status->epoch));
	report_add(report, "identity", json_string(standing(status)));
	return report;
}

int verb_node(int argc, char **argv)
{
	struct kuid_status status;
	struct kuid_state state;
	struct node node = { 0 };
	struct kuid *handle;

	argp_parse(&argp, argc, argv, 0, NULL, &node);

	handle = device_open(KUID_FORMAT_DEFAULT);
	if (node.change)
		change(handle, &node);
	if (kuid_read_state(handle, &state))
		errx(EXIT_FAILED, "reading the identity: %s", device_error());
	status = device_status(handle);
	report_print(describe(&state, &status), node.json, KEY_WIDTH);
	kuid_close(handle);
	output_finish();
	return EXIT_SUCCESS;
}
