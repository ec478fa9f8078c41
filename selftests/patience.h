/* SPDX-License-Identifier: GPL-2.0-only */
/* What the linker calls alarm(), and what it has in its place. */
#ifndef PATIENCE_H
#define PATIENCE_H

unsigned int __real_alarm(unsigned int seconds);
unsigned int __wrap_alarm(unsigned int seconds);

#endif /* PATIENCE_H */
