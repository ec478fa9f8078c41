/* SPDX-License-Identifier: MIT */
/* Handles whose IDs are made in this process. */
#ifndef KUID_LOCAL_H
#define KUID_LOCAL_H

#include <sys/types.h>

#include "layout.h"
#include "handle.h"

/* -1 and EOPNOTSUPP for what can't be made here. */
int kuid_local_open(struct kuid *handle, const struct kuid_layout *layout);

/* As kuid_many(). */
ssize_t kuid_local_make(struct kuid *handle, void *ids, size_t count);

/* As kuid_read_status(). */
int kuid_local_status(struct kuid *handle, struct kuid_status *status);

#endif /* KUID_LOCAL_H */
