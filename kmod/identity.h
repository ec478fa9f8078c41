/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose IDs they are: nodes, worker and interval, drawn or as parameters say. */
#ifndef KUID_IDENTITY_H
#define KUID_IDENTITY_H

#include "core/format.h"

void kuid_identity_draw(struct kuid_identity *identity);

#endif /* KUID_IDENTITY_H */
