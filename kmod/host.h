/* SPDX-License-Identifier: GPL-2.0-only */
/* The generator of the host, and the queue of its workers; epochs.c has both. */
#ifndef KUID_HOST_H
#define KUID_HOST_H

#include "core/take.h"

struct workqueue_struct;

extern struct kuid_generator kuid_host;
extern struct workqueue_struct *kuid_epochs_workqueue;

#endif /* KUID_HOST_H */
