// SPDX-License-Identifier: GPL-2.0-only
/* See device.h. */
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "device.h"
#include "formats.h"
#include "nanoseconds.h"
#include "output.h"
#include "verbs.h"

char *device_try_open(unsigned int format, struct kuid **handle)
{
	const char *path = kuid_format_device(format);

	*handle = kuid_open(format);
	if (*handle)
		return NULL;
	switch (errno) {
	case ENODEV:
		return problem(
			"there is no %s: load the module, as root, with "
			"\"modprobe kuid\", or \"insmod kuid.ko\" where "
			"it is not installed; IDs of a process alone are "
			"made by \"kuid gen --local\"",
			path);
	case EACCES:
	case EPERM:
		return problem("%s: %s: anyone may read it unless a udev rule "
			       "or the container says otherwise, see \"ls -l "
			       "%s\"",
			       path, strerror(errno), path);
	case EINVAL:
		return problem("this kernel's module makes no %s",
			       kuid_format_name(format));
	default:
		return problem("%s: %s", path, strerror(errno));
	}
}

struct kuid *device_open(unsigned int format)
{
	struct kuid *handle;
	char *wrong = device_try_open(format, &handle);

	if (wrong)
		errx(EXIT_FAILED, "%s", wrong);
	return handle;
}

struct kuid *device_open_local(unsigned int format)
{
	struct kuid *handle = kuid_open_flags(format, KUID_LOCAL);

	if (handle)
		return handle;
	if (errno == EOPNOTSUPP && formats_is("{host_only}", format))
		errx(EXIT_FAILED,
		     "--local makes no %s, which has no node to "
		     "tell processes apart by: use %s",
		     kuid_format_name(format),
		     formats_fill_in("one of {interval}", ' '));
	if (errno == EOPNOTSUPP)
		errx(EXIT_FAILED, "--local needs a program of 64 bits and "
				  "Linux 4.14 or later");
	err(EXIT_FAILED, "making IDs in this process");
}

const char *device_error(void)
{
	switch (errno) {
	case EPERM:
		return "not permitted: run it as root; CAP_SYS_TIME is enough "
		       "unless the identity is changed, which needs "
		       "CAP_SYS_ADMIN";
	case EAGAIN:
		return "the kernel's random generator is not ready: try again "
		       "in a few seconds";
	case ENODATA:
		return "state is required, and none was restored, or its "
		       "ceiling is reached: \"kuid status\" says what to do";
	case ENOTTY:
		return "the module that is loaded is too old for this: load "
		       "the one that belongs to this tool";
	default:
		return strerror(errno);
	}
}

char *device_problem(const char *doing)
{
	if (errno == EAGAIN)
		return problem_for_now("%s: %s", doing, device_error());
	return problem("%s: %s", doing, device_error());
}

struct kuid_status device_status(struct kuid *handle)
{
	struct kuid_status status;

	if (kuid_read_status(handle, &status))
		errx(EXIT_FAILED, "reading the status: %s", device_error());
	return status;
}

uint64_t device_time_left(const struct kuid_status *status)
{
	struct timespec wall;
	uint64_t now;

	clock_gettime(CLOCK_REALTIME, &wall);
	now = wall.tv_sec * SEC_NS + wall.tv_nsec + status->slot_lag_ns;
	return status->ceiling_ns > now ? status->ceiling_ns - now : 0;
}

/* Whether the gate is shut because of the ceiling, and not of the floor. */
static bool state_is_restored(void)
{
	struct kuid *handle = kuid_open(KUID_FORMAT_DEFAULT);
	struct kuid_state state = { 0 };

	if (handle)
		kuid_read_state(handle, &state);
	kuid_close(handle);
	return state.restored;
}

static void __attribute__((noreturn)) no_state(const char *name)
{
	if (state_is_restored())
		errx(EXIT_FAILED,
		     "no %s is made: state is required, and IDs have come to "
		     "the ceiling that was saved last. Run \"kuid keep\" as "
		     "root; if it runs, its messages say why it doesn't save",
		     name);
	errx(EXIT_FAILED,
	     "no %s is made: state is required, and none was restored since "
	     "the module was loaded. Run \"kuid restore\" as root, or \"kuid "
	     "restore --fresh\" if no %s was made on this machine before",
	     name, name);
}

void device_make_failed(unsigned int format)
{
	const char *name = kuid_format_name(format);
	const char *part = formats_is("{node}", format) ? "node" : "worker";

	switch (errno) {
	case ESTALE:
		errx(EXIT_FAILED,
		     "no %s is made: this machine may be a clone, and what %s "
		     "carries was given. Run \"kuid node --confirm\" if that is "
		     "this machine's alone, else \"kuid node --%s random\"",
		     name, name, part);
	case ENODATA:
		no_state(name);
	default:
		errx(EXIT_FAILED, "making IDs of %s: %s", name, device_error());
	}
}
