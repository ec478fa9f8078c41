/* SPDX-License-Identifier: GPL-2.0-only */
/* Skipping tests: what is different in the harness of Linux 6.1. */
#ifndef SKIP_H
#define SKIP_H

/*
 * SKIP_TEST() is for FIXTURE_SETUP(): the test is not run, nor is anything torn
 * down. What of the harness does that by itself also has
 * FIXTURE_TEARDOWN_PARENT(); before, 255 tells it.
 */
#ifdef FIXTURE_TEARDOWN_PARENT
#define SKIPPED		0
#define PASSED_SO_FAR	__test_passed(_metadata)
#else
#define SKIPPED		255
/* SKIP() makes the harness forget what EXPECT_*() has found. */
#define PASSED_SO_FAR	(_metadata->passed)
#endif
#define SKIP_TEST(...)	SKIP(_exit(SKIPPED), __VA_ARGS__)

#endif /* SKIP_H */
