/* SPDX-License-Identifier: MIT */
/* What a source is to the library's own files. */
#ifndef KUID_SOURCE_H
#define KUID_SOURCE_H

#include <stddef.h>

struct kuid {
	int fd;
	unsigned int format;
	size_t id_size;
	size_t batch_max;
};

#endif /* KUID_SOURCE_H */
