// SPDX-License-Identifier: GPL-2.0-only
/* See limits.h. */
#include <err.h>
#include <stdlib.h>

#include "device.h"
#include "limits.h"
#include "verbs.h"

void limits_read(struct limits *limits)
{
	struct kuid *handle = device_open(KUID_FORMAT_V1);
	struct kuid_query *of = limits->of;

	if (kuid_read_limits(handle, KUID_FORMAT_DEFAULT, of))
		errx(EXIT_FAILED, "reading the limits: %s", device_error());
	for (unsigned int i = 1; i < LIMITS_FORMATS; i++) {
		of[i].format = 0;
		if (of->formats & 1ULL << i &&
		    kuid_read_limits(handle, i, &of[i]))
			errx(EXIT_FAILED, "reading the limits: %s",
			     device_error());
	}
	kuid_close(handle);
}
