// SPDX-License-Identifier: GPL-2.0-only
/*
 * The binary interface as numbers, which never change once released. Compiled
 * for 64-bit and 32-bit programs, and has nothing in it to run.
 */
#include <stddef.h>

#include <linux/kuid.h>

#define FIELD(type, field, offset, size)				\
	_Static_assert(offsetof(struct type, field) == (offset) &&	\
		       sizeof(((struct type *)0)->field) == (size),	\
		       #type "." #field)

FIELD(kuid_query, format, 0, 4);
FIELD(kuid_query, flags, 4, 4);
FIELD(kuid_query, formats, 8, 8);
FIELD(kuid_query, orders, 16, 8);
FIELD(kuid_query, id_size, 24, 4);
FIELD(kuid_query, batch_max, 28, 4);
FIELD(kuid_query, clock_resolution_ns, 32, 4);
FIELD(kuid_query, text_size, 36, 4);
FIELD(kuid_query, rate_max, 40, 8);
FIELD(kuid_query, max_ahead_ns, 48, 8);
FIELD(kuid_query, reserved, 56, 72);
_Static_assert(sizeof(struct kuid_query) == 128, "struct kuid_query");

FIELD(kuid_generate, buffer, 0, 8);
FIELD(kuid_generate, format, 8, 4);
FIELD(kuid_generate, order, 12, 4);
FIELD(kuid_generate, count, 16, 4);
FIELD(kuid_generate, flags, 20, 4);
FIELD(kuid_generate, done, 24, 4);
FIELD(kuid_generate, reserved0, 28, 4);
FIELD(kuid_generate, epoch, 32, 8);
FIELD(kuid_generate, reserved, 40, 24);
_Static_assert(sizeof(struct kuid_generate) == 64, "struct kuid_generate");

FIELD(kuid_set_format, format, 0, 4);
FIELD(kuid_set_format, order, 4, 4);
FIELD(kuid_set_format, reserved, 8, 24);
_Static_assert(sizeof(struct kuid_set_format) == 32, "struct kuid_set_format");

_Static_assert(KUID_FORMAT_DEFAULT == 0, "KUID_FORMAT_DEFAULT");
_Static_assert(KUID_FORMAT_V1 == 1, "KUID_FORMAT_V1");
_Static_assert(KUID_FORMAT_V6 == 2, "KUID_FORMAT_V6");
_Static_assert(KUID_FORMAT_V7 == 3, "KUID_FORMAT_V7");
_Static_assert(KUID_FORMAT_LEX == 4, "KUID_FORMAT_LEX");
_Static_assert(KUID_FORMAT_K64 == 5, "KUID_FORMAT_K64");
_Static_assert(KUID_FORMAT_K96 == 6, "KUID_FORMAT_K96");
_Static_assert(KUID_FORMAT_K128 == 7, "KUID_FORMAT_K128");
_Static_assert(KUID_ORDER_DEFAULT == 0, "KUID_ORDER_DEFAULT");
_Static_assert(KUID_ORDER_FILE == 2, "KUID_ORDER_FILE");

_Static_assert(KUID_IOC_MAGIC == 0xe9, "KUID_IOC_MAGIC");
/* Where the direction's and the size's bits lie differs between machines. */
#if _IOC_SIZEBITS == 14 && _IOC_WRITE == 1
_Static_assert(KUID_IOC_QUERY == 0xc080e900, "KUID_IOC_QUERY");
_Static_assert(KUID_IOC_GENERATE == 0xc040e901, "KUID_IOC_GENERATE");
_Static_assert(KUID_IOC_SET_FORMAT == 0x4020e902, "KUID_IOC_SET_FORMAT");
#endif
