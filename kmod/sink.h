/* SPDX-License-Identifier: GPL-2.0-only */
/* Sinks: where made IDs go, as bytes or as lines of text. */
#ifndef KUID_SINK_H
#define KUID_SINK_H

#include <linux/types.h>
#include <linux/uio.h>

#include "core/formats.h"

/* The longest line: a text and its end of line. */
#define KUID_LINE_MAX (KUID_TEXT_SIZE_MAX + 1)

/* Lines that a sink has scratch memory for if it gets none from the kernel. */
#define KUID_SINK_FEW 4

/**
 * enum kuid_sink_kind - what kind of memory the IDs go to
 * @KUID_SINK_USER: one piece of user memory; IDs are built in place
 * @KUID_SINK_ITER: what an iov_iter describes. It may lie anywhere, and an ID
 *	may be cut by the end of a piece, so IDs are made in scratch memory
 * @KUID_SINK_KERNEL: kernel memory
 */
enum kuid_sink_kind {
	KUID_SINK_USER,
	KUID_SINK_ITER,
	KUID_SINK_KERNEL
};

/**
 * struct kuid_sink - where made IDs go
 * @kind: which of the addresses below counts
 * @user: the next ID's, of any alignment
 * @iter: likewise
 * @kernel: likewise
 * @format: KUID_FORMAT_*
 * @text: they go there as lines
 * @full: an ID could not be stored; the call ends
 * @size: bytes of an ID or of a line, all lines of a format being as long
 * @most: how many IDs can be made at once
 * @sure: bytes that @iter has been found to take
 * @scratch: memory to make IDs in, or for their random bytes
 * @allocated: what @scratch is, if it isn't @few
 * @few: scratch memory for few IDs
 */
struct kuid_sink {
	enum kuid_sink_kind kind;
	union {
		u8 __user *user;
		struct iov_iter *iter;
		u8 *kernel;
	};
	u32 format;
	bool text;
	bool full;
	size_t size;
	u32 most;
	size_t sure;
	u8 *scratch;
	void *allocated;
	u8 few[KUID_SINK_FEW * KUID_LINE_MAX];
};

void kuid_sink_user(struct kuid_sink *sink, u32 format, bool text,
		    u8 __user *to);
void kuid_sink_iter(struct kuid_sink *sink, u32 format, bool text,
		    struct iov_iter *to);
void kuid_sink_kernel(struct kuid_sink *sink, u32 format, bool text, void *to);
void kuid_sink_begin(struct kuid_sink *sink, size_t count, bool nonblock);
void kuid_sink_end(struct kuid_sink *sink);
u32 kuid_sink_room(struct kuid_sink *sink, u32 count);
u32 kuid_sink_store(struct kuid_sink *sink, const struct kuid_taken *taken);

#endif /* KUID_SINK_H */
