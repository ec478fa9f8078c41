/* SPDX-License-Identifier: GPL-2.0-only */
/* The device, and what it means to users if it fails. */
#ifndef KUID_TOOL_DEVICE_H
#define KUID_TOOL_DEVICE_H

#include <kuid.h>

#include "formats.h"
#include "problem.h"

/*
 * The kernel's limits for each format by its number, those of v1 also under 0;
 * format is 0 where the kernel does not make it.
 */
struct limits {
	struct kuid_query of[FORMATS_MOST];
};

/* Open the handle of a format, or end with a message that says what to do. */
struct kuid *device_open(unsigned int format);

/* The same for a caller that goes on without it; see problem() in problem.h. */
struct problem *device_try_open(unsigned int format, struct kuid **handle);

/* The same for a handle with a private lane, of a stamp format. */
struct kuid *device_open_private(unsigned int format);

/* The same for a local handle, of a stamp format. */
struct kuid *device_open_local(unsigned int format);

/*
 * The meaning of errno after one of the library's functions for administrators,
 * and advice: the end of a message.
 */
const char *device_error(void);

/* The same as a problem, see problem.h. */
struct problem *device_problem(const char *doing);

/* Read the status, or end with a message. */
struct kuid_status device_status(struct kuid *handle);

/*
 * Drop a claim that has ended: the kernel keeps its numbers until then, and
 * lets nobody set others or take IDs back. Returns 0 or -1, with errno EBUSY if
 * the claim lives.
 */
int device_drop_claim(struct kuid *handle);

/* How long until the clock of slot formats comes to a ceiling; 0 if it has. */
uint64_t device_time_left(const struct kuid_status *status,
			  uint64_t ceiling_ns);

/* End with a message on errno after no ID of a format could be made. */
__attribute__((noreturn)) void device_make_failed(unsigned int format);

#endif /* KUID_TOOL_DEVICE_H */
