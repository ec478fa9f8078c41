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

/*
 * The IDs of one chunk. A call checks for signals and calls the scheduler only
 * between chunks.
 */
#define KUID_SINK_MOST 1024

/* Size of the longest line, in bytes: a text and a newline. */
#define KUID_TEXT_LINE_MAX (KUID_TEXT_SIZE_MAX + 1)

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
 * @iter: the iov_iter, which begins at the next ID
 * @kernel: kernel address of the next ID, with any alignment
 * @left: bytes that the sink has room for
 * @format: KUID_FORMAT_*
 * @text: store lines of text instead of binary IDs
 * @full: the sink takes no further chunk, so the call ends
 * @size: size of an ID, or of the format's longest line, in bytes
 * @most: highest number of IDs in a chunk
 * @sure: bytes of @iter that were found writable
 * @scratch: memory to pack IDs into for @iter, and for random bytes
 * @allocated: @scratch is allocated, not memory of the caller
 */
struct kuid_sink {
	enum kuid_sink_kind kind;
	union {
		u8 __user *user;
		struct iov_iter *iter;
		u8 *kernel;
	};
	size_t left;
	u32 format;
	bool text;
	bool full;
	u32 size;
	u32 most;
	size_t sure;
	u8 *scratch;
	bool allocated;
};

/* Whether a sink needs scratch memory. */
static inline bool kuid_sink_packs(const struct kuid_sink *sink)
{
	return sink->kind == KUID_SINK_ITER ||
	       (sink->kind == KUID_SINK_USER &&
		kuid_formats[sink->format].random_size);
}

/**
 * kuid_sink_init - initialize a sink
 * @sink: the sink; the caller sets @user, @iter or @kernel
 * @kind: the kind of memory. A sink in kernel memory needs no scratch memory
 * @format: KUID_FORMAT_*, not KUID_FORMAT_DEFAULT
 * @text: the sink stores lines of text instead of binary IDs
 * @size: bytes of the memory; of an iov_iter, what it has left
 *
 * Context: any.
 */
static __always_inline void kuid_sink_init(struct kuid_sink *sink,
					   enum kuid_sink_kind kind, u32 format,
					   bool text, size_t size)
{
	const struct kuid_format *row = &kuid_formats[format];

	/* Set each field: assigning the struct would store most of them twice. */
	sink->kind = kind;
	sink->left = size;
	sink->format = format;
	sink->text = text;
	sink->size = text ? row->text_size + 1 : row->id_size;
	sink->most = KUID_SINK_MOST;
	sink->sure = 0;
	sink->allocated = false;
}

void kuid_sink_begin(struct kuid_sink *sink, u8 *few, bool nonblock);
u32 kuid_sink_store(struct kuid_sink *sink, const struct kuid_taken *taken);
void kuid_sink_take_back(struct kuid_sink *sink, size_t left);
bool kuid_sink_put(struct kuid_sink *sink, const void *from, size_t size);
void kuid_sink_draw(u8 *random, u32 count);

#endif /* KUID_SINK_H */
