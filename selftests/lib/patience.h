/* SPDX-License-Identifier: GPL-2.0-only */
/* How long tests take. */
#ifndef PATIENCE_H
#define PATIENCE_H

/* How many times as long as usual. */
unsigned int patience(void);

/* What the linker calls alarm(), and what it has in its place. */
unsigned int __real_alarm(unsigned int seconds);
unsigned int __wrap_alarm(unsigned int seconds);

#endif /* PATIENCE_H */
