// SPDX-License-Identifier: GPL-2.0-only
/* kuid cdi: the device files as the Container Device Interface describes them. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"
#include "output.h"
#include "quoted.h"
#include "report.h"
#include "state_file.h"
#include "text.h"
#include "verbs.h"

#define KIND "kuid/id"

/*
 * A runtime refuses versions that it does not know: podman 4.3 knows 0.5.0 at
 * most. Nothing here needs more than the first version.
 */
#define VERSION "0.3.0"

/* Runtimes read no files with other names, but for YAML. */
#define SUFFIX ".json"

static const char *output;

static void take_output(struct argp_state *state,
			const struct option_row *option, const char *arg)
{
	size_t length = strlen(arg), suffix = strlen(SUFFIX);

	if (!state_file_has_name(arg))
		argp_error(state, "\"%s\" names no file", QUOTED(arg));
	if (length < suffix || strcmp(arg + length - suffix, SUFFIX))
		argp_error(state,
			   "\"%s\" does not end in " SUFFIX ", and container "
			   "runtimes read no other file",
			   QUOTED(arg));
	output = arg;
}

static const struct option_row options[] = {
	{ "output", 0, "FILE",
	  "Replace FILE, which must end in " SUFFIX ", instead of printing",
	  take_output },
	{ 0 },
};

/*
 * The mode is given, because podman 4.3 would make it 0666. The major number is
 * not: it may change with a load of the module, and runtimes look it up when a
 * container starts.
 */
static void append_node(json_t *nodes, const char *path)
{
	report_append(nodes, json_pack("{s:s, s:i, s:s}", "path", path,
				       "fileMode", 0444, "permissions", "r"));
}

static json_t *nodes_of(unsigned int format)
{
	static const char *const paths[] = { "/dev/kuids/%s",
					     "/dev/kuids/%s.txt",
					     "/dev/kuids/host/%s",
					     "/dev/kuids/host/%s.txt" };
	const char *device = kuid_format_device(format);
	json_t *nodes = report_list();
	char path[64];

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		snprintf(path, sizeof(path), paths[i],
			 kuid_format_name(format));
		if (!i && strcmp(device, path))
			append_node(nodes, device);
		append_node(nodes, path);
	}
	return nodes;
}

static void append_device(json_t *devices, const char *name, json_t *nodes)
{
	report_append(devices,
		      json_pack("{s:s, s:{s:o}}", "name", name,
				"containerEdits", "deviceNodes", nodes));
}

/*
 * Without formats that only the library knows: a runtime starts no container
 * that asks for a device file that there is not.
 */
static uint64_t formats_made(void)
{
	struct kuid *handle = device_open(KUID_FORMAT_DEFAULT);
	struct kuid_query limits;

	if (kuid_read_limits(handle, KUID_FORMAT_DEFAULT, &limits))
		errx(EXIT_FAILED, "reading which formats there are: %s",
		     device_error());
	kuid_close(handle);
	return limits.formats;
}

static json_t *describe(uint64_t formats)
{
	json_t *report = report_new(), *devices = report_list(),
	       *all = report_list();

	report_add_text(report, "cdiVersion", VERSION);
	report_add_text(report, "kind", KIND);
	report_add(report, "devices", devices);
	/* Private lanes use it, in whatever device of these a container has. */
	if (!access(KUID_VMCLOCK_DEVICE, F_OK)) {
		json_t *nodes = report_list();

		append_node(nodes, KUID_VMCLOCK_DEVICE);
		report_add(report, "containerEdits",
			   json_pack("{s:o}", "deviceNodes", nodes));
	}
	append_device(devices, "all", all);
	for (unsigned int i = 1; kuid_format_name(i); i++) {
		json_t *nodes;

		if (!(formats >> i & 1))
			continue;
		nodes = nodes_of(i);
		if (json_array_extend(all, nodes))
			errx(EXIT_FAILED, "out of memory");
		append_device(devices, kuid_format_name(i), nodes);
	}
	return report;
}

/* Anyone may read it: runtimes of users do. */
static bool fill(int fd, const char *text)
{
	return dprintf(fd, "%s\n", text) > 0 && !fchmod(fd, 0644) && !fsync(fd);
}

/*
 * Runtimes may read the directory at any time, so another file is written
 * first, with a name that they don't read.
 */
static void replace(const char *text)
{
	struct stat stat;
	char *next;
	int fd, error;

	if (!lstat(output, &stat) && !S_ISREG(stat.st_mode))
		errx(EXIT_FAILED, "%s is not a regular file", output);
	next = text_new("%s.XXXXXX", output);
	fd = mkostemp(next, O_CLOEXEC);
	if (fd < 0)
		err(EXIT_FAILED, "making a file beside %s", output);
	error = fill(fd, text) && !rename(next, output) ? 0 : errno;
	close(fd);
	if (error) {
		unlink(next);
		errno = error;
		err(EXIT_FAILED, "writing %s", output);
	}
	free(next);
}

static int run(void)
{
	json_t *report = describe(formats_made());
	char *text = json_dumps(report, JSON_INDENT(2));

	if (!text)
		errx(EXIT_FAILED, "out of memory");
	if (output)
		replace(text);
	else
		output_line(text);
	free(text);
	json_decref(report);
	return EXIT_SUCCESS;
}

const struct verb verb_cdi = {
	.name = "cdi",
	.summary = "describe the device files for container runtimes",
	.doc = "Print the device files as a specification of the Container "
	       "Device Interface (CDI).\v"
	       "Container runtimes read it from /run/cdi or /etc/cdi. Its "
	       "devices are " KIND "=all and, by format, " KIND "=v7 and so "
	       "on.",
	.options = options,
	.run = run,
};
