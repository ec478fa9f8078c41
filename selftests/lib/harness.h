/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's test harness, with a choice of tests: arguments of a program are
 * patterns for the names under which tests are reported, such as
 * "order.v1.file_*". Without any, all tests run.
 */
#ifndef KUID_HARNESS_H
#define KUID_HARNESS_H

#include <fnmatch.h>
#include "../../kselftest_harness.h"

static bool is_chosen(char **patterns, const char *fixture, const char *variant,
		      const char *test)
{
	char name[256];

	snprintf(name, sizeof(name), "%s%s%s.%s", fixture, *variant ? "." : "",
		 variant, test);
	for (; *patterns; patterns++)
		if (!fnmatch(*patterns, name, 0))
			return true;
	return false;
}

/*
 * Leave out variants of which no test was chosen, and tests that were chosen of
 * no variant. So a test that was chosen of some of the variants left runs for
 * all of these.
 */
static void choose_tests(char **patterns)
{
	struct __fixture_variant_metadata none = { .name = "" }, *v, **vs;
	struct __fixture_metadata *f;
	struct __test_metadata *t, **ts;
	unsigned int nr = 0;

	for (f = __fixture_list; f; f = f->next) {
		for (ts = &f->tests; (t = *ts);) {
			for (v = f->variant ?: &none; v; v = v->next)
				if (is_chosen(patterns, f->name, v->name, t->name))
					break;
			if (v)
				ts = &t->next;
			else
				*ts = t->next;
			nr += !!v;
		}
		for (vs = &f->variant; (v = *vs);) {
			for (t = f->tests; t; t = t->next)
				if (is_chosen(patterns, f->name, v->name, t->name))
					break;
			if (t)
				vs = &v->next;
			else
				*vs = v->next;
		}
	}
	if (!nr)
		ksft_exit_fail_msg("no such test\n");
}

#undef TEST_HARNESS_MAIN
#define TEST_HARNESS_MAIN						\
	static void __attribute__((constructor))			\
	__constructor_order_last(void)					\
	{								\
		if (!__constructor_order)				\
			__constructor_order = _CONSTRUCTOR_ORDER_BACKWARD; \
	}								\
	int main(int argc, char **argv)					\
	{								\
		if (argc > 1)						\
			choose_tests(argv + 1);				\
		return test_harness_run(1, argv);			\
	}

#endif
