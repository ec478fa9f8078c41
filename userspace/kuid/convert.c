// SPDX-License-Identifier: GPL-2.0-only
/* kuid convert: the same IDs in another format or form. */
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
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
	*(uint64_t *)option->to = argument_hex(state, arg, "a node", 16, "");
	has_node = true;
}

static const struct option_row options[] = {
	{ "to", 0, TARGETS,
	  "A format with the same bits, or a form as \"kuid gen\" prints it",
	  take_target, &target },
	{ "node", 0, "HEX", "Node to put into {host_only} for {interval}",
	  take_node, &node },
	{ 0 },
};

static void check(struct argp_state *state)
{
	input_id_check(state);
	if (!target && !form)
		argp_error(state, "--to is needed");
	if (has_node && !formats_is("{interval}", target))
		argp_error(state, "%s",
			   formats_fill_in("--node is for {interval}", ' '));
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

static const char *change_format(const struct input_id *id)
{
	static char *host_only;
	const char *from = kuid_format_name(id->format);
	const char *to = kuid_format_name(target);
	bool takes_node = formats_is("{host_only}", id->format) &&
			  formats_is("{interval}", target);
	unsigned char out[KUID_ID_MAX];
	uint64_t own_node = node;

	if (!host_only)
		host_only = formats_fill_in("{host_only}", ' ');
	if (has_node && !takes_node)
		return input_id_wrong(id, "--node is for IDs of %s, not of %s",
				      host_only, from);
	if (!kuid_convert(id->format, id->bytes, target, out,
			  input_id_setting(id->format),
			  takes_node && !has_node ? NULL : &own_node)) {
		print(form_named("text"), target, out);
		return NULL;
	}
	if (errno == ERANGE)
		return input_id_wrong(id, "the node is too wide for %s", to);
	if (takes_node && !has_node)
		return input_id_wrong(id, "from %s to %s a --node is needed",
				      from, to);
	return input_id_wrong(id, "%s can't be converted to %s", from, to);
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
	       "Formats with the same fields become each other, where "
	       "{host_only} is given the node of --node, and {interval} lose "
	       "theirs when they become {host_only}. A GUID in hexadecimal "
	       "becomes its UUID by -f uuid --to guid. The command stops at "
	       "the first ID that can't be converted, unless --keep-going is "
	       "given: then it prints a line \"-\" in its place.",
	.options = options,
	.shared = input_id_options,
	.take_args = input_id_take_args,
	.check = check,
	.run = run,
};
