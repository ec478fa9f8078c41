// SPDX-License-Identifier: GPL-2.0-only
/* See limits.h. */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "device.h"
#include "limits.h"
#include "verbs.h"

void limits_read(struct limits *limits)
{
	struct kuid *handle = device_open(KUID_FORMAT_V1);
	struct kuid_query query = { 0 };
	int fd = kuid_fd(handle);

	if (ioctl(fd, KUID_IOC_QUERY, &query))
		errx(EXIT_FAILED, "reading the limits: %s", device_error());
	memset(limits, 0, sizeof(*limits));
	for (unsigned int i = KUID_FORMAT_V1; i < LIMITS_FORMATS; i++) {
		if (!(query.formats & 1ULL << i))
			continue;
		limits->of[i].format = i;
		if (ioctl(fd, KUID_IOC_QUERY, &limits->of[i]))
			errx(EXIT_FAILED, "reading the limits: %s",
			     device_error());
	}
	kuid_close(handle);
}
