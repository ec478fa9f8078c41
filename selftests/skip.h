/* SPDX-License-Identifier: GPL-2.0-only */
/* Skipping tests before they have begun. */
#ifndef SKIP_H
#define SKIP_H

/*
 * In FIXTURE_SETUP(): the test is not run, nor is anything torn down. For
 * SKIP(return) the kernel's harness does that by itself only where it also
 * knows FIXTURE_TEARDOWN_PARENT(); before, 255 tells it.
 */
#ifdef FIXTURE_TEARDOWN_PARENT
#define SKIP_TEST(...) SKIP(return, __VA_ARGS__)
#else
#define SKIP_TEST(...) SKIP(_exit(255), __VA_ARGS__)
#endif

#endif /* SKIP_H */
