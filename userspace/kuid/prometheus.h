/* SPDX-License-Identifier: GPL-2.0-only */
/* The status in Prometheus' text exposition format. */
#ifndef KUID_TOOL_PROMETHEUS_H
#define KUID_TOOL_PROMETHEUS_H

#include "device.h"

/* Without a device, both are NULL. */
void prometheus_print(const struct kuid_status *status,
		      const struct limits *limits);

#endif /* KUID_TOOL_PROMETHEUS_H */
