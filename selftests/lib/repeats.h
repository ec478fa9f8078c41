/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds what was given twice. */
#ifndef REPEATS_H
#define REPEATS_H

#include "formats.h"

static inline int compare_words(const void *one, const void *other)
{
	const struct words *a = one, *b = other;

	return words_after(*a, *b) - words_after(*b, *a);
}

/* Sort words, and check that none is there twice. */
static inline void check_no_repeat(struct __test_metadata *_metadata,
				   struct words *all, size_t nr)
{
	size_t i;

	qsort(all, nr, sizeof(*all), compare_words);
	for (i = 1; i < nr; i++) {
		ASSERT_TRUE(words_after(all[i], all[i - 1])) {
			TH_LOG("%016llx%016llx is there twice",
			       (unsigned long long)all[i].high,
			       (unsigned long long)all[i].low);
		}
	}
}

#endif /* REPEATS_H */
