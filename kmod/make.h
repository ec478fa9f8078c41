/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making the IDs of a call, for all callers: open files, the commands and
 * kernel code. sink.h has the places where IDs are stored.
 */
#ifndef KUID_MAKE_H
#define KUID_MAKE_H

struct kuid_request;
struct kuid_sink;

int kuid_make(struct kuid_request *request, struct kuid_sink *sink);

#endif /* KUID_MAKE_H */
