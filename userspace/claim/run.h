/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon: keeps a claim until it is told to end. */
#ifndef KUID_CLAIM_RUN_H
#define KUID_CLAIM_RUN_H

#include "claim.h"

/*
 * SIGTERM and SIGINT give the number back, SIGHUP leaves it to the next run.
 * metrics is the path of a file, or NULL. Returns the exit status.
 */
int run(struct claim *claim, const char *metrics);

#endif /* KUID_CLAIM_RUN_H */
