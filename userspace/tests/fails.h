/* SPDX-License-Identifier: MIT */
/* For tests of calls that return 0, or -1 and set errno. */
#ifndef KUID_TESTS_FAILS_H
#define KUID_TESTS_FAILS_H

#define assert_ok(call) assert_int_equal((call), 0)

#define assert_fails(call, error)                 \
	do {                                      \
		errno = 0;                        \
		assert_int_equal((call), -1);     \
		assert_int_equal(errno, (error)); \
	} while (0)

#endif /* KUID_TESTS_FAILS_H */
