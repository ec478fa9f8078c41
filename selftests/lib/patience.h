/* SPDX-License-Identifier: GPL-2.0-only */
/* Longer timeouts for slow kernels and machines. */
#ifndef PATIENCE_H
#define PATIENCE_H

/* The factor of slow kernels. */
unsigned int patience(void);

/* The linker's --wrap=alarm names: the C library's alarm(), and ours. */
unsigned int __real_alarm(unsigned int seconds);
unsigned int __wrap_alarm(unsigned int seconds);

#endif /* PATIENCE_H */
