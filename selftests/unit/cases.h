/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tests in userspace only, each of which is named once. A program looks like
 * this:
 *
 *	TEST(a_name) { ... }
 *	int main(void) { return run_cases("its name", NULL, NULL); }
 *
 * The tests run in the order of the file. If the environment variable CASE is
 * set, the one with that name runs. See harness.h for those that run in the
 * kernel, too.
 */
#ifndef KUID_UNIT_CASES_H
#define KUID_UNIT_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "random.h"

static struct CMUnitTest cases[64];
static unsigned int nr_cases;

#define TEST_AFTER(name, setup)                                                \
	static void name(void **state);                                        \
	__attribute__((constructor)) static void add_##name(void)              \
	{                                                                      \
		cases[nr_cases++] = (struct CMUnitTest)cmocka_unit_test_setup( \
			name, setup);                                          \
	}                                                                      \
	static void name(void **state)

#define TEST(name) TEST_AFTER(name, NULL)

/* @setup is called before each test that has no own one, @teardown after all. */
static inline int run_cases(const char *name, CMFixtureFunction setup,
			    CMFixtureFunction teardown)
{
	for (unsigned int i = 0; i < nr_cases; i++) {
		if (!cases[i].setup_func)
			cases[i].setup_func = setup;
		cases[i].teardown_func = teardown;
	}
	cmocka_set_test_filter(getenv("CASE"));
	random_start();
	return _cmocka_run_group_tests(name, cases, nr_cases, NULL, NULL);
}

#endif /* KUID_UNIT_CASES_H */
