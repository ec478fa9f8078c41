// SPDX-License-Identifier: GPL-2.0-only
/* See device.h. */
#include <err.h>
#include <errno.h>
#include <string.h>

#include "device.h"
#include "verbs.h"

struct kuid *device_open(unsigned int format)
{
	struct kuid *source = kuid_open(format);
	const char *name = kuid_format_name(format);

	if (source)
		return source;
	if (errno == ENODEV && format == KUID_FORMAT_V1)
		errx(EXIT_FAILED, "there is no /dev/kuid: load the module with "
				  "\"modprobe kuid\"");
	if (errno == ENODEV)
		errx(EXIT_FAILED,
		     "there is no /dev/kuids/%s: load the module with "
		     "\"modprobe kuid\"",
		     name);
	if (errno == EINVAL)
		errx(EXIT_FAILED, "this kernel's module makes no %s", name);
	if (format == KUID_FORMAT_V1)
		err(EXIT_FAILED, "/dev/kuid");
	err(EXIT_FAILED, "/dev/kuids/%s", name);
}

const char *device_error(void)
{
	switch (errno) {
	case EPERM:
		return "not permitted: run it as root, with CAP_SYS_ADMIN and "
		       "CAP_SYS_TIME";
	case EAGAIN:
		return "the kernel's random generator is not ready: try again "
		       "in a few seconds";
	case ENOTTY:
		return "the module that is loaded is too old for this: load "
		       "the one that belongs to this tool";
	default:
		return strerror(errno);
	}
}
