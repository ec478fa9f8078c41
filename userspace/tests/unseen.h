/* SPDX-License-Identifier: MIT */
/* Memory that the kernel writes by a pointer in a request. */
#ifndef KUID_TESTS_UNSEEN_H
#define KUID_TESTS_UNSEEN_H

#include <stdlib.h>

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define VALGRIND_GET_VBITS(at, bits, size) ((void)0)
#define VALGRIND_SET_VBITS(at, bits, size) ((void)0)
#endif

/*
 * As memcpy(), but valgrind and MemorySanitizer believe that the memory is as
 * it was: the sanitizer sees each memcpy(), but no stores of this library.
 */
static inline void copy_unseen(void *to, const void *from, size_t size)
{
	unsigned char *bits = malloc(size);
	volatile unsigned char *next = to;

	if (!bits)
		abort();
	(void)VALGRIND_GET_VBITS(to, bits, size);
	for (size_t i = 0; i < size; i++)
		next[i] = ((const unsigned char *)from)[i];
	(void)VALGRIND_SET_VBITS(to, bits, size);
	free(bits);
}

#endif /* KUID_TESTS_UNSEEN_H */
