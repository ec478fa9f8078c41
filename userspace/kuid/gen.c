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
#include "formats.h"
#include "forms.h"
#include "output.h"
#include "progress.h"
#include "quoted.h"
#include "verbs.h"

/* IDs asked for at once: enough that the calls cost next to nothing. */
#define BATCH 4096

/* After this long without an ID it is said that it waits. */
#define PATIENCE_S 2

/* How IDs are written: the name of the option, and its form. */
static const char *chosen = "text";
static const struct form *form; /* NULL: as bytes */
static uint64_t count;		/* 0: no --count */
static unsigned int format = KUID_FORMAT_V7;
static unsigned int order; /* KUID_ORDER_DEFAULT: no --order */
static bool endless;
static bool local;
static bool private;
static bool json;

static struct kuid *handle;

static void take_form(struct argp_state *state, const struct option_row *option,
		      const char *arg)
{
	static bool before;

	if (before && strcmp(chosen, option->name))
		argp_error(state, "only one of --%s and --%s", chosen,
			   option->name);
	before = true;
	chosen = option->name;
}

static void take_order(struct argp_state *state,
		       const struct option_row *option, const char *arg)
{
	static const char *const names[] = {
		[KUID_ORDER_CPU] = "cpu",
		[KUID_ORDER_FILE] = "file",
		[KUID_ORDER_HOST] = "host",
	};

	for (unsigned int i = KUID_ORDER_CPU; i <= KUID_ORDER_HOST; i++)
		if (!strcmp(arg, names[i])) {
			*(unsigned int *)option->to = i;
			return;
		}
	argp_error(state, "\"%s\" is not an order: cpu, file or host",
		   QUOTED(arg));
}

#define FORM_OPTION(name, doc)                \
	{                                     \
		name, 0, NULL, doc, take_form \
	}

static const struct option_row options[] = {
	{ "count", 'n', "COUNT",
	  "How many IDs to make, 1 by default; k, M or G behind it is "
	  "times 10^3, 10^6 or 10^9",
	  take_count, &count },
	{ "forever", 0, NULL, "Make IDs until stopped", take_flag, &endless },
	{ "format", 'f', "{all}", "v7 by default", take_made_format, &format },
	{ "private", 0, NULL,
	  "Make IDs in this process, with a node that the kernel gives to it "
	  "alone and guards, of {stamp} only",
	  take_flag, &private },
	{ "local", 0, NULL,
	  "Make IDs in this process, with a node that it draws, whether there "
	  "is a device or not, of {stamp} only",
	  take_flag, &local },
	{ "order", 'o', "cpu|file|host",
	  "Whether an ID is above all that were made before it on its CPU, by "
	  "this command (default), or on the host in this order",
	  take_order, &order },
	{ "null", '0', NULL, "End each ID in NUL instead of a newline",
	  take_flag, &output_null },
	{ "json", 'j', NULL,
	  "Print each ID as one line of JSON, with its form and its format",
	  take_flag, &json },
	FORM_OPTION("text", "Canonical text (default)"),
	FORM_OPTION("binary", "Bytes, with nothing between the IDs"),
	FORM_OPTION("hex", "Plain hexadecimal"),
	FORM_OPTION("cf", "ColdFusion's form, of UUIDs only"),
	FORM_OPTION("guid",
		    "Hexadecimal of a GUID's bytes, the first three fields "
		    "little-endian, of UUIDs only"),
	FORM_OPTION("decimal", "A decimal number, of {decimal} only"),
	FORM_OPTION("ulid", "A ULID: Crockford's base 32, of {ulid} only"),
	FORM_OPTION("braces", "Canonical text in {}, of UUIDs only"),
	FORM_OPTION("urn", "urn:uuid: and canonical text, of UUIDs only"),
	{ 0 },
};

/* For IDs that this process makes. */
static void check_lane(struct argp_state *state)
{
	const char *name = local ? "local" : "private";

	if (!local && !private)
		return;
	if (local && private)
		argp_error(state, "only one of --local and --private");
	if (order != KUID_ORDER_DEFAULT)
		argp_error(state, "--order is for the device, not for --%s",
			   name);
	if (!formats_is("{stamp}", format))
		argp_error(state, "--%s is for %s, not %s", name,
			   formats_fill_in("{stamp}", ' '),
			   kuid_format_name(format));
}

static void check(struct argp_state *state)
{
	form = form_named(chosen);
	if (form && !form_is_of(form, format))
		argp_error(state, "--%s is for %s, not %s", chosen,
			   formats_fill_in(form->of, ' '),
			   kuid_format_name(format));
	if (!form && output_null)
		argp_error(state, "--null is for text, not for --binary");
	if (!form && json)
		argp_error(state, "--json is for text, not for --binary");
	check_lane(state);
	if (endless && count)
		argp_error(state, "only one of --count and --forever");
}

/* Number of the signal that asks the tool to end; 0 before it comes. */
static volatile sig_atomic_t stopped;

/* Set one second later: after that another signal ends the tool at once. */
static volatile sig_atomic_t late;

static void stop(int nr)
{
	/* Ignore repeats within a second: timeout(1) sends a signal twice. */
	if (late) {
		signal(nr, SIG_DFL);
		raise(nr);
		return;
	}
	/*
	 * If the signal came just before a blocking call, the call did not
	 * return: SIGALRM interrupts it.
	 */
	if (!stopped)
		alarm(1);
	stopped = nr;
}

static void interrupt(int nr)
{
	if (!stopped)
		return;
	late = true;
	alarm(1);
}

static void catch (int nr, void (*handler)(int nr))
{
	/* Without SA_RESTART, so that a signal ends blocking calls. */
	struct sigaction action = { .sa_handler = handler };
	struct sigaction old;

	if (sigaction(nr, NULL, &old))
		err(EXIT_FAILED, "handling signals");
	/* Keep ignoring a signal that the shell or nohup ignores for it. */
	if (old.sa_handler == SIG_IGN && nr != SIGALRM)
		return;
	if (sigaction(nr, &action, NULL))
		err(EXIT_FAILED, "handling signals");
}

/* How many bytes complete the ID or line that is written up to done. */
static size_t rest_of(const char *text, size_t done, size_t unit)
{
	const char end = output_end();
	size_t rest = 0;

	if (unit)
		return (unit - done % unit) % unit;
	if (done && text[done - 1] != end)
		while (text[done + rest++] != end)
			;
	return rest;
}

/*
 * Write IDs of unit bytes each, or lines if unit is 0. After a signal, complete
 * the ID or line that was begun, and write no more.
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

/* Around a text, which has nothing that JSON escapes. */
#define JSON_LINE "{\"%s\": \"%.*s\", \"format\": \"%s\"}\n"
#define JSON_MAX  64

/* Make lines of JSON of lines of text. Returns how many bytes they have. */
static size_t put_json(const char *lines, size_t size, char *to)
{
	const char *end = lines + size;
	char *at = to;

	while (lines < end) {
		int length = (int)strcspn(lines, "\n");

		at += sprintf(at, JSON_LINE, chosen, length, lines,
			      kuid_format_name(format));
		lines += length + 1;
	}
	return at - to;
}

static void print(unsigned char *ids, size_t number)
{
	static char text[BATCH * KUID_TEXT_MAX];
	static char in_json[BATCH * (KUID_TEXT_MAX + JSON_MAX)];
	size_t id_size = kuid_id_size(handle);
	char *lines = text;
	ssize_t size;

	if (!form) {
		write_whole((char *)ids, number * id_size, id_size);
		return;
	}
	for (size_t i = 0; form->guid && i < number; i++)
		kuid_guid(ids + i * id_size, ids + i * id_size);
	size = kuid_text_lines(format, form->form, ids, number, text,
			       sizeof(text));
	if (size < 0)
		err(EXIT_FAILED, "text of IDs");
	if (json) {
		size = put_json(text, size, in_json);
		lines = in_json;
	}
	if (output_null)
		for (ssize_t i = 0; i < size; i++)
			if (lines[i] == '\n')
				lines[i] = '\0';
	write_whole(lines, size, 0);
}

/* Some IDs; none after a signal. */
static size_t make(unsigned char *ids, size_t number)
{
	static bool told;
	ssize_t made;

	while (!stopped) {
		if (!told)
			alarm(PATIENCE_S);
		made = kuid_many(handle, ids, number);
		if (made >= 0)
			return made;
		if (errno != EINTR) {
			progress_end();
			device_make_failed(format);
		}
		if (!stopped && !told) {
			progress_end();
			warnx("waiting for IDs: \"kuid status\" says why");
			told = true;
		}
	}
	return 0;
}

static struct kuid *open_handle(void)
{
	if (local)
		return device_open_local(format);
	return private ? device_open_private(format) : device_open(format);
}

static int run(void)
{
	static unsigned char ids[BATCH * KUID_ID_MAX];
	uint64_t done = 0;

	if (!count)
		count = 1;
	handle = open_handle();
	if (order != KUID_ORDER_DEFAULT && kuid_set_order(handle, order))
		errx(EXIT_FAILED, "setting the order: %s", device_error());
	catch (SIGALRM, interrupt);
	catch (SIGINT, stop);
	catch (SIGTERM, stop);
	catch (SIGHUP, stop);
	progress_begin(endless ? 0 : count);
	while (!stopped && (endless || done < count)) {
		size_t left = BATCH;

		if (!endless && count - done < BATCH)
			left = count - done;
		left = make(ids, left);
		print(ids, left);
		done += left;
		progress_tell(done);
	}
	progress_end();
	kuid_close(handle);
	if (stopped) {
		/* As the sender of the signal expects. */
		signal(stopped, SIG_DFL);
		raise(stopped);
	}
	return EXIT_SUCCESS;
}

const struct verb verb_gen = {
	.name = "gen",
	.summary = "make IDs (what is done without a verb)",
	.doc = "Make IDs and print each as one line of text.\v"
	       "Text sorts by time if it is that of {text_by_time}, compared "
	       "byte by byte: LC_ALL=C for sort, COLLATE \"C\" in a database. "
	       "Decimal numbers do as numbers: sort -n. The text of v1, which "
	       "/dev/kuid gives, does not. "
	       "Nothing but whole IDs is written: SIGINT, SIGTERM and SIGHUP "
	       "end the command after a whole ID, and at once if they come "
	       "again a second later. If standard error is a terminal, and "
	       "standard output is not, it shows there how far it is.",
	.examples = "  kuid gen -n 10\n"
		    "  kuid gen -f v7 -o host\n"
		    "  kuid gen -f k64 --decimal\n"
		    "  kuid gen --private",
	.options = options,
	.check = check,
	.run = run,
};
