/* SPDX-License-Identifier: GPL-2.0-only */
/* The claim in Prometheus' text exposition format. */
#ifndef KUID_CLAIM_METRICS_H
#define KUID_CLAIM_METRICS_H

#include "claim.h"
#include "problem.h"

/* Replace a file, whose readers see the old or the new one. */
struct problem *metrics_write(const struct claim *claim, const char *path);

#endif /* KUID_CLAIM_METRICS_H */
