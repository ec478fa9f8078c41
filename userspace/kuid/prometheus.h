/* SPDX-License-Identifier: GPL-2.0-only */
/* The status in Prometheus' text exposition format. */
#ifndef KUID_TOOL_PROMETHEUS_H
#define KUID_TOOL_PROMETHEUS_H

#include <kuid.h>

#include "formats.h"

/*
 * The kernel's limits for each format by its number, those of v1 also under 0;
 * format is 0 where the kernel does not make it.
 */
struct limits {
	struct kuid_query of[FORMATS_MOST];
};

void prometheus_print(const struct kuid_status *status,
		      const struct limits *limits);

#endif /* KUID_TOOL_PROMETHEUS_H */
