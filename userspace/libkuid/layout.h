/* SPDX-License-Identifier: MIT */
/* The library's view of the core's table of formats; IDs as two words. */
#ifndef KUID_LAYOUT_H
#define KUID_LAYOUT_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/formats.h"
#include "kuid.h"

/* Characters of a ULID. */
#define KUID_ULID_TEXT_SIZE 26

#define KUID_URN_PREFIX "urn:uuid:"

/* The digits of a ULID: Crockford's base 32. */
#define KUID_ULID_DIGITS     "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
#define KUID_ULID_DIGIT_BITS 5

/*
 * The formats as an enumeration, so that a switch without a default arm fails
 * to compile if it lacks a format.
 */
enum kuid_layout_format {
#define KUID_LAYOUT_NUMBER(name, NAME, ...) \
	KUID_LAYOUT_##NAME = KUID_FORMAT_##NAME,
	KUID_FORMATS(KUID_LAYOUT_NUMBER)
#undef KUID_LAYOUT_NUMBER
	KUID_LAYOUT_ANY_UUID = KUID_ANY_UUID,
};

/**
 * struct kuid_layout - a format, for the library
 * @format: the format's number, never KUID_FORMAT_DEFAULT
 * @device: path of the device file; NULL if no IDs of the format are made
 * @row: the format's row in the core's table. The parser and kuid_text() rely
 *	on all its texts having the same size, except for KUID_TEXT_DECIMAL. The
 *	row of KUID_ANY_UUID has no version, and no source
 */
struct kuid_layout {
	enum kuid_layout_format format;
	const char *device;
	const struct kuid_format *row;
};

/* NULL and EINVAL for an unknown format. */
const struct kuid_layout *kuid_layout_of(unsigned int format);

/* The same, but NULL and EINVAL also for KUID_ANY_UUID, of which none is made. */
const struct kuid_layout *kuid_layout_made(unsigned int format);

/* The format of a UUID by its version and variant; KUID_ANY_UUID if it has
 * none. */
const struct kuid_layout *kuid_layout_of_uuid(const void *id);

/* The format, other than UUIDs, all of whose texts have this size; NULL if
 * there is none. */
const struct kuid_layout *kuid_layout_of_size(size_t text_size);

/*
 * Whether an ID has the bits that are the same in all IDs of the layout:
 * version and variant of a UUID, the first bit of a snowflake.
 */
bool kuid_layout_fits(const struct kuid_layout *layout, const void *id);

/* The highest ID of a format with 8 bytes, as a number. */
static inline uint64_t kuid_layout_most(const struct kuid_layout *layout)
{
	return layout->format == KUID_LAYOUT_SNOWFLAKE ? INT64_MAX : UINT64_MAX;
}

static inline bool kuid_layout_is_uuid(const struct kuid_layout *layout)
{
	return layout->row->text_form == KUID_TEXT_UUID;
}

static inline unsigned int kuid_uuid_version(const uint8_t *id)
{
	return id[6] >> 4;
}

static inline bool kuid_uuid_is_rfc(const uint8_t *id)
{
	return id[8] >> 6 == 2;
}

/* A shorter ID is the first bytes of the two words, as in the core. */
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
