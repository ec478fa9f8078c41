/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers and tokens. */
#ifndef KUID_CLAIM_DRAW_H
#define KUID_CLAIM_DRAW_H

#include <stdint.h>

#include "record.h"

/* A number below a limit. */
uint64_t draw_below(uint64_t limit);

/*
 * Draw a token that nobody has. Clones draw the same random bytes until their
 * kernels have reseeded their generators, but each has another load_id.
 */
void draw_token(uint64_t load_id, char token[TOKEN_SIZE]);

#endif /* KUID_CLAIM_DRAW_H */
