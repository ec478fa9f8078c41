/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sinks: the places where IDs are stored, as binary IDs or as lines of text.
 * formats.h has the functions that pack an ID.
 */
#ifndef KUID_SINK_H
#define KUID_SINK_H

#include <linux/types.h>
#include <linux/uio.h>

#include "core/formats.h"
#include "core/take.h"

struct kuid_made;

/* Size of the longest line, in bytes: a text and a newline. */
#define KUID_TEXT_LINE_MAX (KUID_TEXT_SIZE_MAX + 1)

/* Binary IDs that the short path makes at most. */
#define KUID_SINK_SHORT 64

/* Bytes of the scratch memory of a call that can't allocate any: four lines. */
#define KUID_SINK_FEW_SIZE (4 * KUID_TEXT_LINE_MAX)

/**
 * enum kuid_sink_kind - the kind of memory of a sink
 * @KUID_SINK_USER: one piece of user memory; IDs are packed directly into it
 * @KUID_SINK_ITER: an iov_iter, of any kind of memory; IDs are packed into
 *	scratch memory and copied, because the end of a segment may cut an ID
 * @KUID_SINK_KERNEL: one piece of kernel memory; IDs are packed directly into
 *	it
 */
enum kuid_sink_kind {
	KUID_SINK_USER,
	KUID_SINK_ITER,
	KUID_SINK_KERNEL
};

/**
 * struct kuid_sink - the place where the IDs of a call are stored
 * @kind: selects @user, @iter or @kernel
 * @user: user address of the next ID, with any alignment
 * @end: end of the memory at @user
 * @iter: the iov_iter, which begins at the next ID
 * @kernel: kernel address of the next ID, with any alignment
 * @format: KUID_FORMAT_*
 * @text: store lines of text instead of binary IDs
 * @full: an ID could not be stored, so the call ends
 * @size: size of an ID, or of the format's longest line, in bytes
 * @most: highest number of IDs in a chunk
 * @sure: bytes of @iter that were found writable
 * @stored: bytes of the last chunk
 * @scratch: memory to pack IDs into for @iter, and for random bytes
 * @allocated: the memory that was allocated for @scratch; NULL if it is memory
 *	of the caller
 */
struct kuid_sink {
	enum kuid_sink_kind kind;
	union {
		struct {
			u8 __user *user;
			u8 __user *end;
		};
		struct iov_iter *iter;
		u8 *kernel;
	};
	u32 format;
	bool text;
	bool full;
	size_t size;
	u32 most;
	size_t sure;
	size_t stored;
	u8 *scratch;
	void *allocated;
};

/* The bytes that a sink in user memory or an iov_iter has room for. */
static inline size_t kuid_sink_left(const struct kuid_sink *sink)
{
	return sink->kind == KUID_SINK_USER ? sink->end - sink->user
					    : iov_iter_count(sink->iter);
}

void kuid_sink_user(struct kuid_sink *sink, u32 format, bool text,
		    u8 __user *to, size_t size);
void kuid_sink_iter(struct kuid_sink *sink, u32 format, bool text,
		    struct iov_iter *to);
void kuid_sink_kernel(struct kuid_sink *sink, u32 format, bool text, void *to);
void kuid_sink_begin(struct kuid_sink *sink, u8 *few, size_t count,
		     bool nonblock);
void kuid_sink_end(struct kuid_sink *sink);
u32 kuid_sink_room(struct kuid_sink *sink, u32 count);
u32 kuid_sink_store(struct kuid_sink *sink, const struct kuid_taken *taken);
void kuid_sink_take_back(struct kuid_sink *sink);
bool kuid_sink_put(struct kuid_sink *sink, const void *from, size_t size);
void kuid_sink_draw(u8 *random, u32 count);
bool kuid_sink_host_single(struct kuid_watermarks *watermarks, u32 format,
			   u8 __user *to, struct kuid_made *made);
void kuid_sink_several(struct kuid_watermarks *watermarks, u32 format,
		       enum kuid_order order, u8 __user *to, size_t count,
		       struct kuid_made *made);
bool kuid_sink_single_line(struct kuid_watermarks *watermarks, u32 format,
			   u8 __user *to);

/**
 * kuid_sink_few - make a few binary IDs in user memory, by the short path
 * @watermarks: the watermarks of the open file
 * @format: KUID_FORMAT_*
 * @order: the IDs that the new ones must be above
 * @to: user address with any alignment
 * @count: how many IDs the call asks for, at least 1
 * @made: the call, which has made no ID yet; updated
 *
 * Makes none if the call asks for many, and fewer if the others are not to be
 * had at once, or memory can't be written. The caller then goes on with
 * kuid_make().
 *
 * Context: as kuid_user_single().
 */
static inline void kuid_sink_few(struct kuid_watermarks *watermarks, u32 format,
				 enum kuid_order order, u8 __user *to,
				 size_t count, struct kuid_made *made)
{
	if (count == 1 && order == KUID_BY_HOST)
		kuid_sink_host_single(watermarks, format, to, made);
	else if (count <= KUID_SINK_SHORT)
		kuid_sink_several(watermarks, format, order, to, count, made);
}

#endif /* KUID_SINK_H */
