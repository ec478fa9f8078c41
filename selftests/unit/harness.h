/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The harness of the tests that need only the core. The same files compile with
 * cmocka in userspace and with KUnit in the kernel. A suite looks like this:
 *
 *	TEST(a_name) { ... }
 *	static struct unit_case cases[] = { CASE(a_name), {} };
 *	SUITE(its_name, cases, function to call before each case, or NULL);
 *
 * A suite uses the names of cmocka's assertions. An assertion that fails ends
 * the test.
 */
#ifndef KUID_UNIT_HARNESS_H
#define KUID_UNIT_HARNESS_H

#ifdef __KERNEL__

#include <kunit/test.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/vmalloc.h>

#include "random.h"

#define TEST(name)  static void name(struct kunit *test __maybe_unused)
#define SETUP(name) static int name(struct kunit *test __maybe_unused)
#define CASE(name)  KUNIT_CASE(name)
#define unit_case   kunit_case

#define SUITE(suite, cases, setup)                           \
	static int suite##_start(struct kunit_suite *unused) \
	{                                                    \
		random_start();                              \
		return 0;                                    \
	}                                                    \
	static struct kunit_suite suite##_suite = {          \
		.name = "kuid_" #suite,                      \
		.suite_init = suite##_start,                 \
		.init = (setup),                             \
		.test_cases = (cases),                       \
	};                                                   \
	kunit_test_suite(suite##_suite)

#define assert_true(x) KUNIT_ASSERT_TRUE(current->kunit_test, x)
#define assert_int_equal(a, b) \
	KUNIT_ASSERT_EQ(current->kunit_test, (u64)(a), (u64)(b))
#define assert_memory_equal(a, b, size) \
	KUNIT_ASSERT_EQ(current->kunit_test, memcmp(a, b, size), 0)
#define assert_string_equal(a, b) KUNIT_ASSERT_STREQ(current->kunit_test, a, b)
#define assert_non_null(pointer) \
	KUNIT_ASSERT_NOT_NULL(current->kunit_test, pointer)
#define fail_msg(...) \
	KUNIT_ASSERT_TRUE_MSG(current->kunit_test, false, __VA_ARGS__)

/* The functions of the C library that the suites use. */
#define malloc(size)		      vmalloc(size)
#define free(memory)		      vfree(memory)
#define qsort(base, nr, size, before) sort(base, nr, size, before, NULL)

/*
 * How often a random case is tried. Userspace tries it often. In the kernel,
 * the case checks the code of the kernel's compiler, and the kernel's checkers
 * are slow, so fewer tries must do.
 */
#define MANY(times) ((times) / 32)

#else /* !__KERNEL__ */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "random.h"

#define TEST(name)  static void name(void **state __maybe_unused)
#define SETUP(name) static int name(void **state __maybe_unused)
#define CASE(name)  cmocka_unit_test(name)
#define unit_case   CMUnitTest

#define SUITE(suite, cases, setup)                                         \
	int main(void)                                                     \
	{                                                                  \
		size_t count = sizeof(cases) / sizeof(cases[0]) - 1;       \
                                                                           \
		for (size_t i = 0; i < count; i++)                         \
			cases[i].setup_func = (setup);                     \
		cmocka_set_test_filter(getenv("CASE"));                    \
		random_start();                                            \
		return _cmocka_run_group_tests(#suite, cases, count, NULL, \
					       NULL);                      \
	}                                                                  \
	_Static_assert(true, "takes the semicolon")

#define MANY(times) (times)

#endif /* !__KERNEL__ */

#endif /* KUID_UNIT_HARNESS_H */
