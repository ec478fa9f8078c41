/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The table of formats. Device files, sizes, counters, limits, the library and
 * the tool are generated from it. To add a format, add a row here, and write a
 * function kuid_NAME_pack() that makes its IDs.
 */
#ifndef KUID_CORE_FORMATS_H
#define KUID_CORE_FORMATS_H

#include "source.h"
#include "text.h"
#include "uuid.h"

#ifdef __KERNEL__
#include <uapi/linux/kuid.h>
#else
#include <linux/kuid.h>
#endif

/*
 * Each row is one format:
 *
 * - name of the format and of its device file; suffix of KUID_FORMAT_*
 * - bytes of an ID
 * - source that IDs are made from, enum kuid_source
 * - part of the identity that an ID shows, KUID_PART_*
 * - form of its canonical text, enum kuid_text_form
 * - characters of the longest canonical text
 * - version of the UUID, 0 if the format is no UUID
 * - random bytes for each ID
 *
 * The first list has the formats that are made from stamps.
 */
/* clang-format off */
#define KUID_STAMP_FORMATS(FORMAT)					\
	FORMAT(v1,   V1,   16, STAMPS, NODE,   UUID,       36, 1, 0)	\
	FORMAT(v6,   V6,   16, STAMPS, NODE,   UUID,       36, 6, 0)	\
	FORMAT(v7,   V7,   16, STAMPS, MASK,   UUID,       36, 7, 6)
#define KUID_SLOT_FORMATS(FORMAT)					\
	FORMAT(lex,  LEX,  16, LEX,    WORKER, LEX,        35, 0, 0)	\
	FORMAT(k64,  K64,   8, GRID,   NONE,   SORTABLE64, 11, 0, 0)	\
	FORMAT(k96,  K96,  12, GRID,   WORKER, SORTABLE64, 16, 0, 0)	\
	FORMAT(k128, K128, 16, GRID,   WORKER, SORTABLE64, 22, 0, 0)	\
	FORMAT(snowflake, SNOWFLAKE, 8, SNOWFLAKE, SNOWFLAKE, DECIMAL, 19, 0, 0)
#define KUID_FORMATS(FORMAT)						\
	KUID_STAMP_FORMATS(FORMAT)					\
	KUID_SLOT_FORMATS(FORMAT)
/* clang-format on */

/* Bytes of the longest ID, and the random bytes of one that has any. */
#define KUID_ID_SIZE_MAX     16
#define KUID_RANDOM_SIZE_MAX KUID_V7_RANDOM_SIZE

/**
 * struct kuid_format - a row of the table
 * @name: name of the format
 * @source: source that IDs are made from
 * @text_form: form of the canonical text
 * @part: part of the identity that an ID shows, enum kuid_part
 * @id_size: bytes of an ID
 * @text_size: characters of the longest canonical text
 * @version: version of the UUID; 0 if the format is no UUID
 * @random_size: random bytes for each ID
 */
struct kuid_format {
	const char *name;
	enum kuid_source source;
	enum kuid_text_form text_form;
	u8 part;
	u8 id_size;
	u8 text_size;
	u8 version;
	u8 random_size;
};

/* Indexed by KUID_FORMAT_*. KUID_FORMAT_DEFAULT has no row. */
static const __maybe_unused struct kuid_format kuid_formats[] = {
#define KUID_FORMAT_ROW(_name, _NAME, _id_size, _source, _part, _form, \
			_text_size, _version, _random_size)            \
	[KUID_FORMAT_##_NAME] = {                                      \
		.name = #_name,                                        \
		.source = KUID_##_source,                              \
		.text_form = KUID_TEXT_##_form,                        \
		.part = KUID_PART_##_part,                             \
		.id_size = _id_size,                                   \
		.text_size = _text_size,                               \
		.version = _version,                                   \
		.random_size = _random_size,                           \
	},
	KUID_FORMATS(KUID_FORMAT_ROW)
#undef KUID_FORMAT_ROW
};

#define KUID_NR_FORMATS ARRAY_SIZE(kuid_formats)

/* Callers list the formats from 1 on until one is unknown. */
#define KUID_FORMAT_ONE(...) 1 +
static_assert(KUID_FORMATS(KUID_FORMAT_ONE) 1 == KUID_NR_FORMATS,
	      "no gap in the numbers");

#define KUID_FORMAT_STAMP(_name, _NAME, _id_size, _source, ...) \
	(KUID_##_source == KUID_STAMPS) +
static_assert(KUID_STAMP_FORMATS(KUID_FORMAT_STAMP) 0 ==
			      KUID_STAMP_FORMATS(KUID_FORMAT_ONE) 0 &&
		      !(KUID_SLOT_FORMATS(KUID_FORMAT_STAMP) 0),
	      "each list has the formats of its sources");
#undef KUID_FORMAT_STAMP
#undef KUID_FORMAT_ONE

/* Buffers are as large as these. */
#define KUID_FORMAT_FITS(_name, _NAME, _id_size, _source, _part, _form, \
			 _text_size, _version, _random_size)            \
	static_assert((_id_size) <= KUID_ID_SIZE_MAX &&                 \
			      (_text_size) <= KUID_TEXT_SIZE_MAX &&     \
			      (!(_random_size) ||                       \
			       (_random_size) == KUID_RANDOM_SIZE_MAX), \
		      #_name " fits into the buffers");
KUID_FORMATS(KUID_FORMAT_FITS)
#undef KUID_FORMAT_FITS

/**
 * kuid_format_pack - make IDs from stamps or slots
 * @format: KUID_FORMAT_* of a row
 * @sink: destination, passed to @put
 * @units: one stamp or slot for each ID, at least 1
 * @id: identity of the epoch that @units were taken from
 * @random: random bytes, &kuid_format.random_size for each ID, never used
 *	before, and KUID_V7_RANDOM_PAD bytes of any value after them; not read
 *	if &kuid_format.random_size is 0
 * @put: stores one ID in @sink
 *
 * Context: any context in which @put may be called. Sleeps only if @put does.
 * Takes no lock.
 * Return: how many IDs were stored. It is less than @units->count only if @put
 * failed.
 */
static __always_inline u32 kuid_format_pack(const u32 format, void *sink,
					    const struct kuid_units *units,
					    const struct kuid_identity *id,
					    const u8 *random, kuid_put_t put)
{
	switch (format) {
#define KUID_FORMAT_PACK(_name, _NAME, ...) \
	case KUID_FORMAT_##_NAME:           \
		return kuid_##_name##_pack(sink, units, id, random, put);
		KUID_FORMATS(KUID_FORMAT_PACK)
#undef KUID_FORMAT_PACK
	}
	return 0;
}

#endif /* KUID_CORE_FORMATS_H */
