/* SPDX-License-Identifier: GPL-2.0-only */
/* The epoch that the host's IDs are made in. */
#ifndef KUID_EPOCH_H
#define KUID_EPOCH_H

#include <linux/types.h>

#include "core/generator.h"

struct kuid_epoch *kuid_epoch_get(bool nonblock);
void kuid_epoch_exit(void);

#endif /* KUID_EPOCH_H */
