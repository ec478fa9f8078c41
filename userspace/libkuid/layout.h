/* SPDX-License-Identifier: MIT */
/* The library's view of the table of formats, and IDs as words. */
#ifndef KUID_LAYOUT_H
#define KUID_LAYOUT_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/formats.h"
#include "kuid.h"

/* NULL and EINVAL for an unknown format. */
const struct kuid_format *kuid_layout_of(unsigned int format);

/* Whether a UUID is of the layout's version and variant; others always are. */
bool kuid_layout_fits(const struct kuid_format *layout, const void *id);

static inline unsigned int kuid_uuid_version(const uint8_t *id)
{
	return id[6] >> 4;
}

static inline bool kuid_uuid_is_rfc(const uint8_t *id)
{
	return id[8] >> 6 == 2;
}

/* Shorter IDs are the first bytes of the two words, as in the core. */
static inline void kuid_layout_load(const void *id, size_t size, uint64_t *high,
				    uint64_t *low)
{
	uint64_t words[2] = { 0 };

	memcpy(words, id, size);
	*high = be64toh(words[0]);
	*low = be64toh(words[1]);
}

static inline void kuid_layout_store(void *id, size_t size, uint64_t high,
				     uint64_t low)
{
	uint64_t words[2] = { htobe64(high), htobe64(low) };

	memcpy(id, words, size);
}

#endif /* KUID_LAYOUT_H */
