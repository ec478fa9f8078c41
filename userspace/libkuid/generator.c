// SPDX-License-Identifier: MIT
/* The core's generator, on the ground of a process. */
#include "ground.h"

#include "core/generator.c"
