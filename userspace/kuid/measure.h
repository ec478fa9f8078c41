/* SPDX-License-Identifier: GPL-2.0-only */
/* How fast IDs come from a subject to a number of threads. */
#ifndef KUID_TOOL_MEASURE_H
#define KUID_TOOL_MEASURE_H

#include <stdint.h>

#include "subject.h"

struct measured {
	int error; /* errno if there was one; the rest is 0 then */
	uint64_t ids;
	double ids_per_second;
	double ns_per_id; /* to each thread */
};

/* Measures for ms milliseconds; EAGAIN if an ID has not come a second later. */
struct measured measure(const struct subject *subject, unsigned int threads,
			unsigned int ms);

#endif /* KUID_TOOL_MEASURE_H */
