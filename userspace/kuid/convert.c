// SPDX-License-Identifier: GPL-2.0-only
/* kuid convert: the same IDs in another format or form. */
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "given_id.h"
#include "output.h"
#include "verbs.h"

/* What a target that is no format does to the bytes and their form. */
static const struct form {
	const char *name;
	unsigned int form;
	bool uuids_only;
	bool guid;
} forms[] = {
	{ "text", KUID_FORM_CANONICAL, false, false },
	{ "hex", KUID_FORM_HEX, false, false },
	{ "cf", KUID_FORM_COLDFUSION, true, false },
	{ "guid", KUID_FORM_HEX, true, true },
};

struct convert {
	struct id_arguments ids;
	unsigned int to;	 /* a format, or ... */
	const struct form *form; /* ... a form, NULL for neither yet */
	uint64_t node;
	bool node_given;
};

enum {
	TO = 0x100, /* Above all characters: these options are long only. */
	NODE,
};

static const struct argp_option options[] = {
	{ "to", TO, "WHAT", 0,
	  "v1 v6 k64 k96 k128, or text, hex, cf (ColdFusion's form) or guid "
	  "(hexadecimal of a GUID's bytes)",
	  0 },
	{ "node", NODE, "HEX", 0, "Node to put into k64 for k96 and k128", 0 },
	{ 0 },
};

static void set_target(struct convert *convert, struct argp_state *state,
		       const char *what)
{
	int format;

	convert->form = NULL;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!strcmp(what, forms[i].name))
			convert->form = &forms[i];
	if (convert->form)
		return;
	format = kuid_format_number(what);
	switch (format) {
	case KUID_FORMAT_V1:
	case KUID_FORMAT_V6:
	case KUID_FORMAT_K64:
	case KUID_FORMAT_K96:
	case KUID_FORMAT_K128:
		convert->to = format;
		return;
	}
	argp_error(state,
		   "nothing is converted to \"%s\": v1 v6 k64 k96 k128 text "
		   "hex cf guid",
		   what);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct convert *convert = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &convert->ids;
		return 0;
	case TO:
		set_target(convert, state, arg);
		return 0;
	case NODE:
		convert->node = argument_node(state, arg);
		convert->node_given = true;
		return 0;
	case ARGP_KEY_END:
		if (!convert->to && !convert->form)
			argp_error(state, "--to is needed");
		if (convert->node_given && convert->to != KUID_FORMAT_K96 &&
		    convert->to != KUID_FORMAT_K128)
			argp_error(state, "--node is for k96 and k128");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = id_arguments_child,
	.args_doc = "--to WHAT [ID...]",
	.doc = "Print IDs, given as arguments or as lines of standard input, "
	       "in another format with the same bits, or in another form.\v"
	       "v1 and v6 become each other, and so do k64, k96 and k128: k64 "
	       "is given the node of --node, and k96 and k128 lose theirs "
	       "when they become k64. A GUID in hexadecimal becomes its UUID "
	       "by -f uuid --to guid. An ID that can't be converted ends it.\n"
	       "\n" EXIT_HELP,
};

static void change_form(const struct given_id *id, const struct form *form)
{
	unsigned char bytes[KUID_ID_MAX];

	if (form->uuids_only &&
	    !kuid_format_text_size(id->format, KUID_FORM_COLDFUSION))
		given_id_wrong(id, "%s is a form of UUIDs, not of %s",
			       form->name, kuid_format_name(id->format));
	memcpy(bytes, id->bytes, sizeof(bytes));
	if (form->guid)
		kuid_guid(bytes, bytes);
	output_id(id->format, form->form, bytes);
}

static void change_format(const struct given_id *id,
			  const struct convert *convert)
{
	const char *from = kuid_format_name(id->format);
	const char *to = kuid_format_name(convert->to);
	bool takes_node = id->format == KUID_FORMAT_K64 &&
			  convert->to != KUID_FORMAT_K64;
	uint64_t node = convert->node;
	unsigned char out[KUID_ID_MAX];

	if (convert->node_given && !takes_node)
		given_id_wrong(id, "--node is for IDs of k64, not of %s", from);
	if (!kuid_convert(id->format, id->bytes, convert->to, out,
			  convert->ids.interval,
			  takes_node && !convert->node_given ? NULL : &node)) {
		output_id(convert->to, KUID_FORM_CANONICAL, out);
		return;
	}
	if (errno == ERANGE)
		given_id_wrong(id, "the node has more than the 32 bits of k96");
	if (takes_node && !convert->node_given &&
	    !kuid_format_text_size(convert->to, KUID_FORM_COLDFUSION))
		given_id_wrong(id, "from k64 to %s a --node is needed", to);
	given_id_wrong(id, "%s can't be converted to %s", from, to);
}

static void convert_id(const struct given_id *id, void *data)
{
	const struct convert *convert = data;

	if (convert->form)
		change_form(id, convert->form);
	else
		change_format(id, convert);
}

int verb_convert(int argc, char **argv)
{
	struct convert convert = { .ids = ID_ARGUMENTS_USUAL };

	argp_parse(&argp, argc, argv, 0, NULL, &convert);
	given_id_each(&convert.ids, convert_id, &convert);
	output_finish();
	return EXIT_SUCCESS;
}
