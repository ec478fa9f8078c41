/* SPDX-License-Identifier: MIT */
/* Memory that the kernel writes by a pointer in a request. */
#ifndef KUID_TESTS_UNSEEN_H
#define KUID_TESTS_UNSEEN_H

#include <stdlib.h>
#include <string.h>

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define VALGRIND_GET_VBITS(at, bits, size) ((void)0)
#define VALGRIND_SET_VBITS(at, bits, size) ((void)0)
#endif

/* As memcpy(), but valgrind believes that the memory is as it was. */
static inline void copy_unseen(void *to, const void *from, size_t size)
{
	unsigned char *bits = malloc(size);

	if (!bits)
		abort();
	(void)VALGRIND_GET_VBITS(to, bits, size);
	memcpy(to, from, size);
	(void)VALGRIND_SET_VBITS(to, bits, size);
	free(bits);
}

#endif /* KUID_TESTS_UNSEEN_H */
