// SPDX-License-Identifier: GPL-2.0-only
/* kuid gen: make IDs. */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "arguments.h"
#include "device.h"
#include "output.h"
#include "progress.h"
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
	struct kuid *handle; /* NULL if lines are read */
	int lines;	     /* the file to read them from, else -1 */
	size_t unit;	     /* bytes of an ID as it is made, or of its line */
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

/*
 * Write IDs of unit bytes each as they are to be printed; after a signal no
 * more than the rest of the one that was begun.
 */
static void write_units(const char *text, size_t size, size_t unit)
{
	size_t done = 0;

	while (done < size) {
		size_t begun = done % unit;
		ssize_t written;

		if (stopped && !begun)
			return;
		written = write(STDOUT_FILENO, text + done,
				stopped ? unit - begun : size - done);
		if (written < 0 && errno != EINTR) {
			progress_end();
			output_failed();
		}
		if (written > 0)
			done += written;
	}
}

/* The IDs as lines. All have one size, which is returned. */
static size_t write_text(const struct gen *gen, unsigned char *ids,
			 size_t count, char *text)
{
	unsigned int form = KUID_FORM_CANONICAL;
	size_t length = kuid_format_text_size(gen->format);

	if (gen->form == GUID || gen->form == HEX) {
		form = KUID_FORM_HEX;
		length = 2 * gen->unit;
	} else if (gen->form == CF) {
		form = KUID_FORM_COLDFUSION;
		length--;
	}
	for (size_t i = 0; i < count; i++) {
		if (gen->form == GUID)
			kuid_guid(ids, ids);
		if (kuid_text_form(gen->format, form, ids, text, length + 1))
			err(EXIT_FAILED, "text of an ID");
		text[length] = '\n';
		ids += gen->unit;
		text += length + 1;
	}
	return length + 1;
}

static void print(const struct gen *gen, unsigned char *ids, size_t count)
{
	static char text[BATCH * KUID_TEXT_MAX];
	size_t line;

	if (gen->lines >= 0 || gen->form == BINARY) {
		write_units((char *)ids, count * gen->unit, gen->unit);
		return;
	}
	line = write_text(gen, ids, count, text);
	write_units(text, count * line, line);
}

/* Who asks for whole lines is given whole lines, or an error. */
static ssize_t read_lines(const struct gen *gen, void *lines, size_t count)
{
	ssize_t got = read(gen->lines, lines, count * gen->unit);

	return got < 0 ? -1 : got / (ssize_t)gen->unit;
}

/* Some IDs, or lines of them; none after a signal. */
static size_t make(const struct gen *gen, unsigned char *ids, size_t count)
{
	static bool told;
	ssize_t made;

	while (!stopped) {
		if (!told)
			alarm(PATIENCE_S);
		made = gen->lines >= 0 ? read_lines(gen, ids, count)
				       : kuid_many(gen->handle, ids, count);
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

static void set_order(int fd, uint32_t order)
{
	struct kuid_set_format set = { .order = order };

	if (ioctl(fd, KUID_IOC_SET_FORMAT, &set))
		errx(EXIT_FAILED, "setting the order: %s", device_error());
}

/*
 * Many IDs come faster as lines of the kernel's. Whoever was given the other
 * node only, as in a container, has them from that.
 */
static void begin(struct gen *gen)
{
	bool canonical = !gen->form || gen->form == TEXT;
	bool many = gen->endless || gen->count > BATCH;

	gen->lines = -1;
	if (canonical && many && !gen->local)
		gen->lines = device_open_lines(gen->format);
	if (gen->lines >= 0) {
		/* All lines of a format have one size. */
		gen->unit = kuid_format_text_size(gen->format) + 1;
	} else {
		gen->handle = gen->local ? device_open_local(gen->format)
					 : device_open(gen->format);
		gen->unit = kuid_id_size(gen->handle);
	}
	if (gen->order != KUID_ORDER_DEFAULT)
		set_order(gen->handle ? kuid_fd(gen->handle) : gen->lines,
			  gen->order);
}

int verb_gen(int argc, char **argv)
{
	/* Of IDs, or of lines, which are longer. */
	static unsigned char ids[BATCH * KUID_TEXT_MAX];
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
	if (gen.lines >= 0)
		close(gen.lines);
	if (stopped) {
		/* As who sent it expects. */
		signal(stopped, SIG_DFL);
		raise(stopped);
	}
	return EXIT_SUCCESS;
}
