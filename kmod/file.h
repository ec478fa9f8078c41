/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An open file: its mode and its watermarks. chrdev.c and ioctl.c have the
 * operations on it.
 */
#ifndef KUID_FILE_H
#define KUID_FILE_H

#include <linux/atomic.h>
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/fs.h>
#include <uapi/linux/kuid.h>

#include "core/take.h"
#include "epochs.h"
#include "request.h"
#include "reserve.h"
#include "stream.h"
#include "wait.h"

/*
 * kuid_file.mode: format, order and kind of a file in one word, so that no call
 * sees half of a change. The order is the generator's, which saves the short
 * path of a read an instruction.
 *
 * The first call that asks for IDs clears KUID_MODE_UNFIXED. After that the
 * mode never changes, and there is an epoch; the short path of a read relies on
 * both.
 */
#define KUID_MODE_FORMAT  GENMASK_ULL(7, 0)
#define KUID_MODE_ORDER	  GENMASK_ULL(15, 8)
#define KUID_MODE_TEXT	  BIT_ULL(16)
#define KUID_MODE_UNFIXED BIT_ULL(17)
/*
 * The size of a read of one ID, if the short path may serve it: the file is
 * binary, and was asked before. Otherwise a size that no read has.
 */
#define KUID_MODE_SINGLE GENMASK_ULL(63, 32)

/**
 * struct kuid_file - an open file
 * @watermarks: the highest stamp and slots that the file has got; only the
 *	generator writes them
 * @mode: KUID_MODE_*; read by READ_ONCE(), changed by compare-and-exchange
 * @poller: the file's pollers
 * @rcu: frees the file after a worker that may be waking the pollers
 * @stream: one element in a file of text, none in a binary file
 */
struct kuid_file {
	struct kuid_watermarks watermarks;
	u64 mode;
	struct kuid_poller poller;
	struct rcu_head rcu;
	struct kuid_stream stream[];
};

/* The mode of a file before the first call that asks for IDs. */
static inline u64 kuid_mode(u32 format, enum kuid_order order, bool text)
{
	return FIELD_PREP(KUID_MODE_FORMAT, format) |
	       FIELD_PREP(KUID_MODE_ORDER, order) |
	       FIELD_PREP(KUID_MODE_TEXT, text) | KUID_MODE_UNFIXED |
	       KUID_MODE_SINGLE;
}

static inline u32 kuid_mode_format(u64 mode)
{
	return FIELD_GET(KUID_MODE_FORMAT, mode);
}

static inline enum kuid_order kuid_mode_order(u64 mode)
{
	return FIELD_GET(KUID_MODE_ORDER, mode);
}

static inline bool kuid_mode_is_text(u64 mode)
{
	return mode & KUID_MODE_TEXT;
}

static inline bool kuid_mode_is_fixed(u64 mode)
{
	return !(mode & KUID_MODE_UNFIXED);
}

/* The size of an ID in a file. */
static inline size_t kuid_mode_id_size(u64 mode)
{
	return kuid_formats[kuid_mode_format(mode)].id_size;
}

/* The mode of a file after the first call that asks for IDs. */
static inline u64 kuid_mode_fixed(u64 mode)
{
	mode &= ~KUID_MODE_UNFIXED;
	return kuid_mode_is_text(mode)
		       ? mode
		       : (mode & ~KUID_MODE_SINGLE) |
				 FIELD_PREP(KUID_MODE_SINGLE,
					    kuid_mode_id_size(mode));
}

/* Whether a read asks for exactly one ID by the short path. */
static __always_inline bool kuid_mode_is_single(u64 mode, size_t size)
{
	return size == FIELD_GET(KUID_MODE_SINGLE, mode);
}

/* The generator's value for KUID_ORDER_*; the default is that of the file. */
static inline enum kuid_order kuid_file_order(u32 order, u64 mode)
{
	static_assert(KUID_ORDER_FILE - KUID_ORDER_CPU == KUID_BY_FILE);
	static_assert(KUID_ORDER_HOST - KUID_ORDER_CPU == KUID_BY_HOST);

	return order ? order - KUID_ORDER_CPU : kuid_mode_order(mode);
}

/**
 * kuid_file_begin - prepare a call for IDs
 * @kf: the open file
 * @nonblock: the call may not sleep
 * @format: KUID_FORMAT_*; KUID_FORMAT_DEFAULT selects the file's format
 * @order: KUID_ORDER_*; KUID_ORDER_DEFAULT selects the file's order
 * @size: size of the caller's buffer in bytes; must hold an ID of the file's
 *	format if the file is binary
 * @request: output, all fields are set
 *
 * After success, the file's format and order can't be changed any more.
 *
 * Context: process. Sleeps as kuid_epochs_start() does.
 * Return: 0; -EINVAL if @size is too small; or an error of
 * kuid_epochs_start().
 */
static __always_inline int kuid_file_begin(struct kuid_file *kf, bool nonblock,
					   u32 format, u32 order, size_t size,
					   struct kuid_request *request)
{
	u64 mode;
	int ret;

	ret = kuid_epochs_start(nonblock);
	if (ret)
		return ret;
	mode = READ_ONCE(kf->mode);
	do {
		if (!kuid_mode_is_text(mode) && size < kuid_mode_id_size(mode))
			return -EINVAL;
	} while (!kuid_mode_is_fixed(mode) &&
		 !try_cmpxchg(&kf->mode, &mode, kuid_mode_fixed(mode)));

	format = format ?: kuid_mode_format(mode);
	/* Set each field: assigning the struct would store most of them twice. */
	request->want = kuid_want_one(format, &kf->watermarks,
				      kuid_file_order(order, mode));
	request->poller = &kf->poller;
	request->format = format;
	request->nonblock = nonblock;
	request->begun = false;
	request->patient = false;
	request->made.count = 0;
	request->made.epoch = 0;
	return 0;
}

#endif /* KUID_FILE_H */
