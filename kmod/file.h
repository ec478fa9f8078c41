/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An open file: its mode and its watermarks. chrdev.c and ioctl.c have the
 * operations on it.
 */
#ifndef KUID_FILE_H
#define KUID_FILE_H

#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/fs.h>
#include <uapi/linux/kuid.h>

#include "core/take.h"
#include "make.h"
#include "stream.h"
#include "wait.h"

/*
 * kuid_file.mode: format, order and kind of a file in one word, so that no call
 * sees half of a change.
 *
 * The first call that asks for IDs clears KUID_MODE_UNFIXED. After that the
 * mode never changes, and there is an epoch; the short path of a read relies on
 * both.
 *
 * The most frequent mode has no bit above the lowest 16: KUID_MODE_UNFIXED is
 * clear, the order is KUID_ORDER_FILE, and the file is binary. So
 * kuid_mode_is_usual() needs only one comparison.
 */
#define KUID_MODE_FORMAT  GENMASK_ULL(7, 0)
#define KUID_MODE_ID_SIZE GENMASK_ULL(15, 8)  /* shortest read; 0 for text */
#define KUID_MODE_ORDER	  GENMASK_ULL(49, 48) /* xor KUID_ORDER_FILE */
#define KUID_MODE_TEXT	  BIT_ULL(62)
#define KUID_MODE_UNFIXED BIT_ULL(63)

/**
 * struct kuid_file - an open file
 * @watermarks: the highest stamp and slots that the file was given; only the
 *	generator writes them
 * @mode: KUID_MODE_*; read by READ_ONCE(), changed by compare-and-exchange
 * @poller: the file's pollers
 * @stream: one element in a file of text, none in a binary file
 */
struct kuid_file {
	struct kuid_watermarks watermarks;
	u64 mode;
	struct kuid_poller poller;
	struct kuid_stream stream[];
};

/* The mode of a file before the first call that asks for IDs. */
static inline u64 kuid_mode(u32 format, u32 order, bool text)
{
	u64 id_size = text ? 0 : kuid_formats[format].id_size;

	return FIELD_PREP(KUID_MODE_FORMAT, format) |
	       FIELD_PREP(KUID_MODE_ID_SIZE, id_size) |
	       FIELD_PREP(KUID_MODE_ORDER, order ^ KUID_ORDER_FILE) |
	       FIELD_PREP(KUID_MODE_TEXT, text) | KUID_MODE_UNFIXED;
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

static inline bool kuid_mode_is_fixed(u64 mode)
{
	return !(mode & KUID_MODE_UNFIXED);
}

/*
 * Whether a read asks for exactly one ID and the file has the most frequent
 * mode. One comparison checks both: the kernel limits @size to MAX_RW_COUNT,
 * which is below all higher bits of the mode.
 */
static __always_inline bool kuid_mode_is_usual(u64 mode, size_t size)
{
	return mode >> 8 == size;
}

/*
 * Whether a read asks for exactly one line and the file's mode differs from the
 * most frequent one only in that the file is text. Decimal lines may be shorter
 * than the longest one, so a read of that size may have room for more.
 */
static inline bool kuid_mode_is_usual_line(u64 mode, size_t size)
{
	const struct kuid_format *row = &kuid_formats[kuid_mode_format(mode)];

	return (mode & ~KUID_MODE_FORMAT) == KUID_MODE_TEXT &&
	       row->text_form != KUID_TEXT_DECIMAL &&
	       size == row->text_size + 1;
}

static inline bool kuid_file_is_nonblock(const struct file *file)
{
	return file->f_flags & O_NONBLOCK;
}

enum kuid_order kuid_file_order(u32 order);
int kuid_file_begin(struct kuid_file *kf, bool nonblock, u32 format, u32 order,
		    size_t size, struct kuid_request *request);

#endif /* KUID_FILE_H */
