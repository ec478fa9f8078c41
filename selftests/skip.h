/* SPDX-License-Identifier: GPL-2.0-only */
/* Skipping tests before they have begun. */
#ifndef SKIP_H
#define SKIP_H

/*
 * In FIXTURE_SETUP(): the test is not run, nor is anything torn down. What of
 * the kernel's harness does that by itself also has FIXTURE_TEARDOWN_PARENT();
 * before, 255 tells it.
 */
#ifdef FIXTURE_TEARDOWN_PARENT
#define SKIPPED		0
#else
#define SKIPPED		255
#endif
#define SKIP_TEST(...)	SKIP(_exit(SKIPPED), __VA_ARGS__)

#endif /* SKIP_H */
