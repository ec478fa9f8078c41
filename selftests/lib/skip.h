/* SPDX-License-Identifier: GPL-2.0-only */
/* Skips tests, with the harness of Linux 6.1 as well as with later ones. */
#ifndef SKIP_H
#define SKIP_H

/*
 * SKIP_TEST() is for FIXTURE_SETUP(): neither the test nor the teardown runs. A
 * harness with FIXTURE_TEARDOWN_PARENT() knows of the skip from SKIP() itself.
 * An older harness takes exit status 255 of the test's process for a skip.
 */
#ifdef FIXTURE_TEARDOWN_PARENT
#define SKIPPED		0
#define PASSED_SO_FAR	__test_passed(_metadata)
#else
#define SKIPPED		255
/* In an older harness SKIP() discards the failures of EXPECT_*(). */
#define PASSED_SO_FAR	(_metadata->passed)
#endif
#define SKIP_TEST(...)	SKIP(_exit(SKIPPED), __VA_ARGS__)

#endif /* SKIP_H */
