// SPDX-License-Identifier: GPL-2.0-only
/* kuid convert: the same IDs in another format or form. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "device.h"
#include "formats.h"
#include "forms.h"
#include "input_id.h"
#include "output.h"
#include "quoted.h"
#include "verbs.h"

static unsigned int target;	/* a format, or ... */
static const struct form *form; /* ... a form; NULL: neither was given */
static uint64_t node;
static bool has_node;
static bool any_node;

#define TARGETS "{target}|" FORMS_ARG

static void take_target(struct argp_state *state,
			const struct option_row *option, const char *arg)
{
	char *targets = formats_fill_in(TARGETS, '|');
	int number = kuid_format_number(arg);

	form = form_named(arg);
	if (!form && !formats_is("{target}", number))
		argp_error(state, "nothing is converted to \"%s\": %s",
			   QUOTED(arg), targets);
	free(targets);
	*(unsigned int *)option->to = form ? 0 : number;
}

static void take_node(struct argp_state *state, const struct option_row *option,
		      const char *arg)
{
	any_node = !strcmp(arg, "any");
	has_node = !any_node;
	if (has_node)
		*(uint64_t *)option->to = argument_node(
			state, arg, "a node", ", \"erlang:NAME\" or \"any\"");
}

static const struct option_row options[] = {
	{ "to", 0, TARGETS,
	  "A format with the same bits, or a form as \"kuid gen\" prints it",
	  take_target, &target },
	{ "node", 0, "HEX|erlang:NAME|any",
	  "Node to put into {host_only} for {interval}, or that {interval} must "
	  "have to become {host_only}: this host's if not given",
	  take_node, &node },
	{ 0 },
};

static void check(struct argp_state *state)
{
	if (!target && !form)
		argp_error(state, "--to is needed");
	if ((has_node || any_node) && !formats_is("{grid}", target))
		argp_error(state, "%s",
			   formats_fill_in("--node is for {grid}", ' '));
}

static void print(const struct form *as, unsigned int format, const void *id)
{
	char text[KUID_TEXT_MAX];

	form_text(as, format, id, text);
	output_line(text);
}

static const char *change_form(const struct input_id *id)
{
	if (!form_is_of(form, id->format))
		return input_id_wrong(id, "%s has no form \"%s\"",
				      kuid_format_name(id->format), form->name);
	print(form, id->format, id->bytes);
	return NULL;
}

/*
 * The node that this host puts into IDs of a format, and its interval unless
 * one was given. Returns NULL, or why it is not known.
 */
static const char *find_host_node(unsigned int format, uint64_t *of_host)
{
	static struct kuid_state state;
	static const char *why;
	static bool asked;

	if (!asked) {
		struct kuid *handle;
		struct problem *wrong =
			device_try_open(KUID_FORMAT_DEFAULT, &handle);

		if (!wrong && kuid_read_state(handle, &state))
			wrong = device_problem("reading the identity");
		kuid_close(handle);
		why = wrong ? wrong->text : NULL;
		asked = true;
	}
	if (!why && !input.interval)
		input.interval = state.interval;
	*of_host = state.worker;
	/* Folded, as the kernel does. */
	if (kuid_format_id_size(format) < 16)
		*of_host = (uint32_t)(state.worker ^ state.worker >> 32);
	return why;
}

static const char *change_format(const struct input_id *id)
{
	const char *from = kuid_format_name(id->format);
	const char *to = kuid_format_name(target);
	const char *unknown = NULL;
	bool gains = formats_is("{host_only}", id->format) &&
		     formats_is("{interval}", target);
	bool loses = formats_is("{interval}", id->format) &&
		     formats_is("{host_only}", target);
	unsigned char out[KUID_ID_MAX];
	uint64_t wanted = node, had;

	if ((has_node && !gains && !loses) || (any_node && !loses))
		return input_id_wrong(id, "--node%s is not for %s to %s",
				      any_node ? " any" : "", from, to);
	if ((gains || loses) && !has_node && !any_node)
		unknown = find_host_node(gains ? target : id->format, &wanted);
	if (gains && unknown)
		return input_id_wrong(id,
				      "from %s to %s a --node is needed, as "
				      "this host's is not known: %s",
				      from, to, unknown);
	had = wanted;
	if (kuid_convert(id->format, id->bytes, target, out,
			 input_id_setting(gains ? target : id->format), &had))
		return errno == ERANGE
			       ? input_id_wrong(
					 id, "the node is too wide for %s", to)
			       : input_id_wrong(id,
						"%s can't be converted to %s",
						from, to);
	if (loses && unknown)
		return input_id_wrong(id,
				      "its node may be another host's, where "
				      "the same %s may exist: --node any "
				      "converts it: %s",
				      to, unknown);
	if (loses && !any_node && had != wanted)
		return input_id_wrong(id,
				      "its node %" PRIx64 " is not %" PRIx64
				      ", and the same %s may exist there: "
				      "--node any converts it",
				      had, wanted, to);
	print(form_named("text"), target, out);
	return NULL;
}

static const char *convert_id(const struct input_id *id)
{
	struct input_id known = *id;
	struct kuid_fields fields;

	/* -f uuid also reads UUIDs of formats that have more forms. */
	if (kuid_decode(id->format, id->bytes, input_id_setting(id->format), 0,
			&fields))
		err(EXIT_FAILED, "fields of an ID");
	known.format = fields.format;
	return form ? change_form(&known) : change_format(&known);
}

static int run(void)
{
	return input_id_each(convert_id, input_id_print_mark);
}

const struct verb verb_convert = {
	.name = "convert",
	.summary = "the same IDs in another format or form",
	.args = "--to WHAT [ID...]",
	.examples =
		"  kuid convert --to v6 c232ab00-9414-11ec-b3c8-9f6bdeced846\n"
		"  kuid convert --to ulid 017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n"
		"  kuid convert --keep-going --to hex <ids | paste ids -",
	.exits = INPUT_ID_EXITS,
	.doc = "Print IDs, given as arguments or as lines of standard input, "
	       "in another format with the same bits, or in another form.\v"
	       "Formats with the same fields become each other. {host_only} is "
	       "given a node when it becomes {interval}: that of this host, or "
	       "of --node. {interval} lose theirs when they become {host_only}, "
	       "so only IDs of this host do, or of the node of --node; --node "
	       "any takes all, which may give one {host_only} for IDs of two "
	       "hosts. A GUID in hexadecimal "
	       "becomes its UUID by -f uuid --to guid. The command stops at "
	       "the first ID that can't be converted, unless --keep-going is "
	       "given: then it prints a line \"-\" in its place.",
	.options = options,
	.shared = input_id_options,
	.take_args = input_id_take_args,
	.check = check,
	.run = run,
};
