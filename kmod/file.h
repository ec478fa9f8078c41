/* SPDX-License-Identifier: GPL-2.0-only */
/* An open file: what a read of it gives, and what it has given. */
#ifndef KUID_FILE_H
#define KUID_FILE_H

#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/fs.h>
#include <uapi/linux/kuid.h>

#include "core/generator.h"
#include "make.h"
#include "stream.h"
#include "wait.h"

/*
 * kuid_file.mode: what a read gives, in one word so that it is never seen half
 * changed. A file that reads as most do has none but the lowest 16 bits set,
 * see kuid_mode_is_usual(): its first ID was taken, and it gives IDs in the
 * order of the file, not text. After the first ID the mode stays as it is. Then
 * there is an epoch, too, which a quick read relies on.
 */
#define KUID_MODE_FORMAT  GENMASK_ULL(7, 0)
#define KUID_MODE_ID_SIZE GENMASK_ULL(15, 8) /* the least a read must ask for */
#define KUID_MODE_ORDER	  GENMASK_ULL(49, 48) /* ^ KUID_ORDER_FILE */
#define KUID_MODE_TEXT	  BIT_ULL(62)
#define KUID_MODE_UNTAKEN BIT_ULL(63)

/**
 * struct kuid_file - an open file
 * @watermarks: written by the generator only
 * @mode: KUID_MODE_*; changed by compare-and-exchange, read at once
 * @poller: the file's pollers
 * @stream: there in a file that gives text
 */
struct kuid_file {
	struct kuid_watermarks watermarks;
	u64 mode;
	struct kuid_poller poller;
	struct kuid_stream stream[];
};

/* The mode of a file that no ID was taken from. */
static inline u64 kuid_mode(u32 format, u32 order, bool text)
{
	u64 id_size = text ? 0 : kuid_formats[format].id_size;

	return FIELD_PREP(KUID_MODE_FORMAT, format) |
	       FIELD_PREP(KUID_MODE_ID_SIZE, id_size) |
	       FIELD_PREP(KUID_MODE_ORDER, order ^ KUID_ORDER_FILE) |
	       FIELD_PREP(KUID_MODE_TEXT, text) | KUID_MODE_UNTAKEN;
}

static inline u32 kuid_mode_format(u64 mode)
{
	return FIELD_GET(KUID_MODE_FORMAT, mode);
}

static inline u32 kuid_mode_order(u64 mode)
{
	return FIELD_GET(KUID_MODE_ORDER, mode) ^ KUID_ORDER_FILE;
}

static inline bool kuid_mode_is_text(u64 mode)
{
	return mode & KUID_MODE_TEXT;
}

static inline bool kuid_mode_is_taken(u64 mode)
{
	return !(mode & KUID_MODE_UNTAKEN);
}

/*
 * Whether a read asks for one ID of a file that reads as most do. One compare,
 * because the kernel cuts sizes to MAX_RW_COUNT, which is below all other bits.
 */
static __always_inline bool kuid_mode_is_usual(u64 mode, size_t size)
{
	return mode >> 8 == size;
}

static inline bool kuid_file_is_nonblock(const struct file *file)
{
	return file->f_flags & O_NONBLOCK;
}

enum kuid_order kuid_file_order(u32 order);
int kuid_file_begin(struct kuid_file *kf, bool nonblock, u32 format, u32 order,
		    size_t size, struct kuid_request *request);

#endif /* KUID_FILE_H */
