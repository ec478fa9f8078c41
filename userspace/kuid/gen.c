// SPDX-License-Identifier: GPL-2.0-only
/* kuid gen: make IDs. */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "device.h"
#include "output.h"
#include "verbs.h"

/* IDs asked for at once: enough that the calls cost next to nothing. */
#define BATCH 4096

/* After this long without an ID it is said that it waits. */
#define PATIENCE_S 2

enum {
	TEXT = 0x100, /* Above all characters: these options are long only. */
	BINARY,
	HEX,
	CF,
	GUID,
	ENDLESS,
	LOCAL,
};

struct gen {
	uint64_t count; /* 0 as long as none was given */
	unsigned int format;
	unsigned int order; /* KUID_ORDER_DEFAULT: as the library has it */
	int form;	    /* 0 as long as none was given */
	bool endless;
	bool local;
	struct kuid *handle;
	size_t unit; /* bytes of an ID */
};

static const struct argp_option options[] = {
	{ "count", 'n', "COUNT", 0,
	  "How many IDs to make, 1 if not given; k, M or G behind it is "
	  "times 10^3, 10^6 or 10^9",
	  0 },
	{ "forever", ENDLESS, NULL, 0, "Make IDs until stopped", 0 },
	{ "format", 'f', "FORMAT", 0,
	  "v1 v6 v7 lex k64 k96 k128; v1 if not given", 0 },
	{ "local", LOCAL, NULL, 0,
	  "Make IDs in this process, with a node drawn for it alone, whether "
	  "there is a device or not",
	  0 },
	{ "order", 'o', "ORDER", 0,
	  "cpu, file or host: whether an ID is above all that were made before "
	  "it on its CPU, by this command (default), or on the host in this "
	  "order",
	  0 },
	{ "text", TEXT, NULL, 0, "Canonical text (default)", 0 },
	{ "binary", BINARY, NULL, 0, "Bytes, with nothing between the IDs", 0 },
	{ "hex", HEX, NULL, 0, "Plain hexadecimal", 0 },
	{ "cf", CF, NULL, 0, "ColdFusion's form, of UUIDs only", 0 },
	{ "guid", GUID, NULL, 0,
	  "Hexadecimal of a GUID's bytes, the first three fields little-endian,"
	  " of UUIDs only",
	  0 },
	{ 0 },
};

static bool makes_uuids(unsigned int format)
{
	return format == KUID_FORMAT_V1 || format == KUID_FORMAT_V6 ||
	       format == KUID_FORMAT_V7;
}

static unsigned int parse_order(struct argp_state *state, const char *text)
{
	if (!strcmp(text, "cpu"))
		return KUID_ORDER_CPU;
	if (!strcmp(text, "file"))
		return KUID_ORDER_FILE;
	if (!strcmp(text, "host"))
		return KUID_ORDER_HOST;
	argp_error(state, "\"%s\" is not an order: cpu, file or host", text);
	return KUID_ORDER_DEFAULT;
}

static void check(const struct gen *gen, struct argp_state *state)
{
	if ((gen->form == CF || gen->form == GUID) && !makes_uuids(gen->format))
		argp_error(state, "--%s is for UUIDs: v1, v6 and v7, not %s",
			   gen->form == CF ? "cf" : "guid",
			   kuid_format_name(gen->format));
	if (gen->local && gen->order != KUID_ORDER_DEFAULT)
		argp_error(state, "--order is for the device, not for --local");
	if (gen->endless && gen->count)
		argp_error(state, "only one of --count and --forever");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct gen *gen = state->input;

	switch (key) {
	case 'n':
		gen->count = argument_count(state, arg);
		return 0;
	case 'o':
		gen->order = parse_order(state, arg);
		return 0;
	case LOCAL:
		gen->local = true;
		return 0;
	case ENDLESS:
		gen->endless = true;
		return 0;
	case 'f':
		gen->format = argument_made_format(state, arg);
		return 0;
	case TEXT:
	case BINARY:
	case HEX:
	case CF:
	case GUID:
		if (gen->form && gen->form != key)
			argp_error(state, "only one of --text, --binary, "
					  "--hex, --cf and --guid");
		gen->form = key;
		return 0;
	case ARGP_KEY_END:
		check(gen, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = no_arguments_child,
	.doc = "Make IDs and print each as one line of text.\v"
	       "Nothing but whole IDs is written: SIGINT, SIGTERM and SIGHUP "
	       "end it behind one, and at once if they come again a second "
	       "later. If standard error is a terminal, and standard output is "
	       "not, it shows there how far it is.\n"
	       "\n" EXIT_HELP,
};

/* The signal that ends it, as soon as there is one; and if it was a while ago. */
static volatile sig_atomic_t stopped, late;

static void stop(int nr)
{
	/* Not at the second one alone: timeout(1) sends two at a time. */
	if (late) {
		signal(nr, SIG_DFL);
		raise(nr);
		return;
	}
	stopped = nr;
	/* Once more, if it came just before a call that waits. */
	alarm(1);
}

static void interrupt(int nr __attribute__((unused)))
{
	if (!stopped)
		return;
	late = true;
	alarm(1);
}

static void handle(int nr, void (*handler)(int nr))
{
	/* Not SA_RESTART: calls that wait are to come back. */
	struct sigaction action = { .sa_handler = handler };
	struct sigaction old;

	if (sigaction(nr, NULL, &old))
		err(EXIT_FAILED, "handling signals");
	/* What a shell or nohup has it ignore stays ignored. */
	if (old.sa_handler == SIG_IGN && nr != SIGALRM)
		return;
	if (sigaction(nr, &action, NULL))
		err(EXIT_FAILED, "handling signals");
}

/* How much of the ID or line that is being written at done is left. */
static size_t rest_of(const char *text, size_t done, size_t unit)
{
	size_t rest = 0;

	if (unit)
		return (unit - done % unit) % unit;
	if (done && text[done - 1] != '\n')
		while (text[done + rest++] != '\n')
			;
	return rest;
}

/*
 * Write IDs of unit bytes each, or lines if unit is 0; after a signal only the
 * rest of the one that was begun.
 */
static void write_whole(const char *text, size_t size, size_t unit)
{
	size_t done = 0;

	while (done < size) {
		size_t left = size - done;
		ssize_t written;

		if (stopped)
			left = rest_of(text, done, unit);
		if (!left)
			return;
		written = write(STDOUT_FILENO, text + done, left);
		if (written < 0 && errno != EINTR) {
			progress_end();
			output_failed();
		}
		if (written > 0)
			done += written;
	}
}

static unsigned int form_of(const struct gen *gen)
{
	switch (gen->form) {
	case HEX:
	case GUID:
		return KUID_FORM_HEX;
	case CF:
		return KUID_FORM_COLDFUSION;
	default:
		return KUID_FORM_CANONICAL;
	}
}

static void print(const struct gen *gen, unsigned char *ids, size_t count)
{
	static char text[BATCH * KUID_TEXT_MAX];
	ssize_t size;

	if (gen->form == BINARY) {
		write_whole((char *)ids, count * gen->unit, gen->unit);
		return;
	}
	if (gen->form == GUID)
		for (size_t i = 0; i < count; i++)
			kuid_guid(ids + i * gen->unit, ids + i * gen->unit);
	size = kuid_text_lines(gen->format, form_of(gen), ids, count, text,
			       sizeof(text));
	if (size < 0)
		err(EXIT_FAILED, "text of IDs");
	write_whole(text, size, 0);
}

/* Some IDs; none after a signal. */
static size_t make(const struct gen *gen, unsigned char *ids, size_t count)
{
	static bool told;
	ssize_t made;

	while (!stopped) {
		if (!told)
			alarm(PATIENCE_S);
		made = kuid_many(gen->handle, ids, count);
		if (made >= 0)
			return made;
		if (errno != EINTR) {
			progress_end();
			device_make_failed(gen->format);
		}
		if (!stopped && !told) {
			progress_end();
			warnx("waiting for IDs: \"kuid status\" says why");
			told = true;
		}
	}
	return 0;
}

static void begin(struct gen *gen)
{
	gen->handle = gen->local ? device_open_local(gen->format)
				 : device_open(gen->format);
	gen->unit = kuid_id_size(gen->handle);
	if (gen->order != KUID_ORDER_DEFAULT &&
	    kuid_set_order(gen->handle, gen->order))
		errx(EXIT_FAILED, "setting the order: %s", device_error());
}

int verb_gen(int argc, char **argv)
{
	static unsigned char ids[BATCH * KUID_ID_MAX];
	struct gen gen = { .format = KUID_FORMAT_V1 };
	uint64_t done = 0, count;

	argp_parse(&argp, argc, argv, 0, NULL, &gen);
	count = gen.count ? gen.count : 1;

	begin(&gen);
	handle(SIGINT, stop);
	handle(SIGTERM, stop);
	handle(SIGHUP, stop);
	handle(SIGALRM, interrupt);
	progress_begin(gen.endless ? 0 : count);
	while (!stopped && (gen.endless || done < count)) {
		size_t left = BATCH;

		if (!gen.endless && count - done < BATCH)
			left = count - done;
		left = make(&gen, ids, left);
		print(&gen, ids, left);
		done += left;
		progress_tell(done);
	}
	progress_end();
	kuid_close(gen.handle);
	if (stopped) {
		/* As who sent it expects. */
		signal(stopped, SIG_DFL);
		raise(stopped);
	}
	return EXIT_SUCCESS;
}
