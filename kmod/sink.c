// SPDX-License-Identifier: GPL-2.0-only
/*
 * The three sinks: user memory, an iov_iter, kernel memory. user.h has the
 * stores into user memory; make.c reserves what the IDs are packed from.
 */
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "make.h"
#include "sink.h"
#include "user.h"

/* IDs that are packed into scratch memory before they go to an iov_iter. */
#define KUID_SINK_ITER_CHUNK 64

/*
 * For up to this many IDs, a call of get_random_u64() for each is cheaper than
 * one of get_random_bytes(), which makes a block of the cipher for each call.
 */
#define KUID_SINK_RANDOM_FEW 10

/* Bytes of an iov_iter that one check for writable memory covers. */
#define KUID_SINK_ITER_SURE SZ_64K

static void kuid_sink_init(struct kuid_sink *sink, enum kuid_sink_kind kind,
			   u32 format, bool text)
{
	const struct kuid_format *row = &kuid_formats[format];

	*sink = (struct kuid_sink) {
		.kind = kind,
		.format = format,
		.text = text,
		.size = text ? row->text_size + 1 : row->id_size,
		.most = KUID_MAKE_CHUNK,
	};
}

/**
 * kuid_sink_user - initialize a sink in user memory
 * @sink: the sink
 * @format: KUID_FORMAT_*, not KUID_FORMAT_DEFAULT
 * @text: the sink stores lines of text instead of binary IDs
 * @to: user address with any alignment
 * @size: bytes of the memory at @to
 *
 * Context: any.
 */
void kuid_sink_user(struct kuid_sink *sink, u32 format, bool text,
		    u8 __user *to, size_t size)
{
	kuid_sink_init(sink, KUID_SINK_USER, format, text);
	sink->user = to;
	sink->end = to + size;
}

/**
 * kuid_sink_iter - initialize a sink for an iov_iter
 * @sink: the sink
 * @format: KUID_FORMAT_*, not KUID_FORMAT_DEFAULT
 * @text: the sink stores lines of text instead of binary IDs
 * @to: the iov_iter; advances as IDs are stored
 *
 * Context: any.
 */
void kuid_sink_iter(struct kuid_sink *sink, u32 format, bool text,
		    struct iov_iter *to)
{
	kuid_sink_init(sink, KUID_SINK_ITER, format, text);
	sink->iter = to;
}

/**
 * kuid_sink_kernel - initialize a sink in kernel memory
 * @sink: the sink
 * @format: KUID_FORMAT_*, not KUID_FORMAT_DEFAULT
 * @text: the sink stores lines of text instead of binary IDs
 * @to: kernel address with any alignment; the memory has room for all IDs that
 *	are stored
 *
 * Such a sink needs neither kuid_sink_begin() nor kuid_sink_end().
 *
 * Context: any.
 */
void kuid_sink_kernel(struct kuid_sink *sink, u32 format, bool text, void *to)
{
	kuid_sink_init(sink, KUID_SINK_KERNEL, format, text);
	sink->kernel = to;
}

/**
 * kuid_sink_begin - allocate scratch memory, if the sink needs it
 * @sink: the sink, in user memory or an iov_iter
 * @few: scratch memory of KUID_SINK_FEW_SIZE bytes, which outlives the sink
 * @count: number of IDs that the call asks for
 * @nonblock: don't sleep for the scratch memory of an iov_iter
 *
 * If there is no memory, the call doesn't fail: it makes smaller chunks in
 * @few.
 *
 * Context: process. May sleep for memory.
 */
void kuid_sink_begin(struct kuid_sink *sink, u8 *few, size_t count,
		     bool nonblock)
{
	size_t size = kuid_formats[sink->format].random_size;
	size_t most = KUID_MAKE_CHUNK, pad;
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NOWARN;

	if (sink->kind == KUID_SINK_USER && !size)
		return;
	pad = size ? KUID_V7_RANDOM_PAD : 0;
	if (sink->kind == KUID_SINK_ITER) {
		most = KUID_SINK_ITER_CHUNK;
		size += sink->size;
		if (nonblock)
			gfp = GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN;
	}
	sink->scratch = few;
	sink->most = (KUID_SINK_FEW_SIZE - pad) / size;
	if (count <= sink->most)
		return;
	most = min(most, count);
	sink->allocated = kmalloc(most * size + pad, gfp);
	if (sink->allocated) {
		sink->scratch = sink->allocated;
		sink->most = most;
	}
}

/**
 * kuid_sink_end - free the scratch memory
 * @sink: the sink, after kuid_sink_begin()
 *
 * Context: process. Does not sleep.
 */
void kuid_sink_end(struct kuid_sink *sink)
{
	kfree(sink->allocated);
}

/*
 * The number of bytes of user memory, up to @bytes, that can be written. Reads
 * and writes back one byte in each page: access_ok() alone would miss a page
 * that is unmapped or read-only, and the IDs reserved for it would be lost.
 */
static size_t kuid_sink_user_room(u8 __user *to, size_t bytes)
{
	size_t at = 0;
	u8 byte;

	if (!user_access_begin(to, bytes))
		return 0;
	while (at < bytes) {
		unsafe_get_user(byte, to + at, end);
		unsafe_put_user(byte, to + at, end);
		at += PAGE_SIZE - offset_in_page(to + at);
	}
end:
	user_access_end();
	return min(at, bytes);
}

/*
 * The number of bytes of the iov_iter, up to @bytes, that can be written. One
 * check covers several chunks, because chunks of an iov_iter are small.
 */
static size_t kuid_sink_iter_room(struct kuid_sink *sink, size_t bytes)
{
	size_t ahead;

	if (sink->sure < bytes) {
		ahead = min_t(size_t, iov_iter_count(sink->iter),
			      KUID_SINK_ITER_SURE);
		sink->sure =
			ahead - fault_in_iov_iter_writeable(sink->iter, ahead);
	}
	return min(sink->sure, bytes);
}

/**
 * kuid_sink_room - check how many IDs the memory can take
 * @sink: the sink, in user memory or an iov_iter
 * @count: number of IDs to store next
 *
 * Context: process. May fault, and so sleep for user memory.
 * Return: the number of IDs that can be stored, 0 to @count.
 */
u32 kuid_sink_room(struct kuid_sink *sink, u32 count)
{
	size_t bytes = (size_t)count * sink->size;

	bytes = sink->kind == KUID_SINK_USER
			? kuid_sink_user_room(sink->user, bytes)
			: kuid_sink_iter_room(sink, bytes);
	return bytes / sink->size;
}

/**
 * kuid_sink_draw - draw the random bytes of IDs
 * @random: output, with the pad that kuid_format_pack() reads behind the bytes
 * @count: number of IDs
 *
 * The kernel drops the numbers that it has drawn ahead for get_random_u64()
 * when it reseeds, also after a VM fork.
 *
 * Context: any in which the kernel has random bytes.
 */
void kuid_sink_draw(u8 *random, u32 count)
{
	u64 bits;

	if (count > KUID_SINK_RANDOM_FEW) {
		get_random_bytes(random, count * KUID_RANDOM_SIZE_MAX);
		return;
	}
	for (; count; count--, random += KUID_RANDOM_SIZE_MAX) {
		bits = get_random_u64();
		memcpy(random, &bits, sizeof(bits));
	}
}

static u32 kuid_sink_store_user(struct kuid_sink *sink,
				const struct kuid_taken *taken)
{
	/* A local copy, which the compiler can keep in a register. */
	u8 __user *at = sink->user;
	u32 stored;

	switch (sink->format) {
#define KUID_USER_IDS(_name, _NAME, _id_size, ...)                    \
	case KUID_FORMAT_##_NAME:                                     \
		kuid_user_store(KUID_FORMAT_##_NAME, sink->user, &at, \
				_id_size, taken, sink->scratch,       \
				kuid_user_put_of(_id_size));          \
		break;
		KUID_FORMATS(KUID_USER_IDS)
#undef KUID_USER_IDS
	}
	/* The count that is returned would take a register of the loop. */
	stored = (at - sink->user) / sink->size;
	sink->user = at;
	return stored;
}

/**
 * kuid_sink_host_single - kuid_user_single() in the order of the host
 * @watermarks: the watermarks of the open file
 * @format: KUID_FORMAT_*
 * @to: user address with any alignment
 * @made: the call, which has made no ID yet; updated
 *
 * Context: as kuid_user_single().
 * Return: as kuid_user_single().
 */
bool kuid_sink_host_single(struct kuid_watermarks *watermarks, u32 format,
			   u8 __user *to, struct kuid_made *made)
{
	/* The compiler can keep it in registers. */
	struct kuid_made one = { 0 };

	if (!kuid_user_single(watermarks, KUID_BY_HOST, format, to, &one))
		return false;
	*made = one;
	return true;
}

/* kuid_sink_several() in one format. */
static __always_inline void
kuid_user_several(const u32 format, const size_t id_size, kuid_put_t put,
		  struct kuid_watermarks *watermarks, enum kuid_order order,
		  u8 __user *to, size_t count, struct kuid_made *made)
{
	const bool draws = kuid_formats[format].random_size;
	const size_t most = draws ? KUID_SINK_RANDOM_FEW : KUID_SINK_SHORT;
	const size_t bytes = count * id_size;
	const bool single = count == 1;
	struct kuid_want want = kuid_want_for(format, watermarks, order, count);
	u8 few[KUID_RANDOM_SIZE_MAX * KUID_SINK_RANDOM_FEW + KUID_V7_RANDOM_PAD];
	u8 *random = draws ? few : NULL;

	/* A check of its size would call out of the user access. */
	OPTIMIZER_HIDE_VAR(random);
	if (count > most || (!single && kuid_sink_user_room(to, bytes) < bytes))
		return;
	do {
		want.count = count - made->count;
		if (!kuid_user_chunk(&want, single, format, to, &to, id_size,
				     random, put, made))
			return;
	} while (made->count < count);
}

/**
 * kuid_sink_several - kuid_sink_few() in any order
 * @watermarks: the watermarks of the open file
 * @format: KUID_FORMAT_*
 * @order: the IDs that the new ones must be above
 * @to: user address with any alignment
 * @count: how many IDs the call asks for, 1 to KUID_SINK_SHORT
 * @made: the call, which has made no ID yet; updated
 *
 * Context: as kuid_user_single().
 */
void kuid_sink_several(struct kuid_watermarks *watermarks, u32 format,
		       enum kuid_order order, u8 __user *to, size_t count,
		       struct kuid_made *made)
{
	switch (format) {
#define KUID_USER_SEVERAL(_name, _NAME, _id_size, ...)                    \
	case KUID_FORMAT_##_NAME:                                         \
		kuid_user_several(KUID_FORMAT_##_NAME, _id_size,          \
				  kuid_user_put_of(_id_size), watermarks, \
				  order, to, count, made);                \
		break;
		KUID_FORMATS(KUID_USER_SEVERAL)
#undef KUID_USER_SEVERAL
	}
}

/**
 * struct kuid_text_lines - lines of text for user memory
 * @at: user address of the next line
 * @text: the last line; the next one changes only digits that differ
 */
struct kuid_text_lines {
	u8 __user *at;
	struct kuid_text text;
};

static __always_inline bool
kuid_text_line_put_part(u8 __user *at, const char *line, const size_t offset)
{
	const char *from = line + offset;
	u64 part;

	/* A check of a size at run time would call out of the user access. */
	if (!__builtin_constant_p(offset))
		OPTIMIZER_HIDE_VAR(from);
	memcpy(&part, from, sizeof(part));
	unsafe_put_user(part, (u64 __user *)(at + offset), fault);
	return true;
fault:
	return false;
}

/* Store a line of less than 8 bytes. */
static __always_inline bool
kuid_text_line_put_short(struct kuid_text_lines *lines, size_t size)
{
	/* By a pointer: a check of an index would call out of the user access. */
	const char *from = lines->text.text;

	while (size--)
		unsafe_put_user(*from++, (char __user *)lines->at++, fault);
	return true;
fault:
	return false;
}

/*
 * Store an ID's line: a text of up to @longest characters and a newline. It is
 * stored as words of eight bytes. The last word overlaps the one before it, so
 * that no byte behind the line is written.
 */
static __always_inline bool kuid_text_line_put(struct kuid_text_lines *lines,
					       const enum kuid_text_form form,
					       const size_t longest,
					       __be64 high, __be64 low)
{
	u8 __user *at = lines->at;
	char *line = lines->text.text;
	size_t size;

	/* The stores below cover lines of these sizes without a hole. */
	BUILD_BUG_ON(longest + 1 < 8 || longest + 1 > 40);

	size = kuid_text_next(&lines->text, form, longest, be64_to_cpu(high),
			      be64_to_cpu(low));
	line[size] = '\n';
	if (size + 1 < 8)
		return kuid_text_line_put_short(lines, size + 1);
	if (!kuid_text_line_put_part(at, line, 0) ||
	    (size >= 16 && !kuid_text_line_put_part(at, line, 8)) ||
	    (size >= 24 && !kuid_text_line_put_part(at, line, 16)) ||
	    (size >= 32 && !kuid_text_line_put_part(at, line, 24)) ||
	    !kuid_text_line_put_part(at, line, size + 1 - sizeof(u64)))
		return false;
	lines->at += size + 1;
	return true;
}

#define KUID_TEXT_LINE_PUT(_name, _NAME, _id_size, _source, _part, _form,      \
			   _text_size, ...)                                    \
	static __always_inline bool kuid_text_line_put_##_name(                \
		void *sink, __be64 high, __be64 low)                           \
	{                                                                      \
		return kuid_text_line_put(sink, KUID_TEXT_##_form, _text_size, \
					  high, low);                          \
	}
KUID_FORMATS(KUID_TEXT_LINE_PUT)
#undef KUID_TEXT_LINE_PUT

static u32 kuid_sink_store_user_lines(struct kuid_sink *sink,
				      const struct kuid_taken *taken)
{
	struct kuid_text_lines lines;
	u32 stored;

	lines.at = sink->user;
	kuid_text_start(&lines.text, kuid_formats[sink->format].text_form);
	stored = 0;
	switch (sink->format) {
#define KUID_USER_LINES(_name, _NAME, _id_size, _source, _part, _form,    \
			_text_size, ...)                                  \
	case KUID_FORMAT_##_NAME:                                         \
		stored = kuid_user_store(KUID_FORMAT_##_NAME, lines.at,   \
					 &lines, (_text_size) + 1, taken, \
					 sink->scratch,                   \
					 kuid_text_line_put_##_name);     \
		break;
		KUID_FORMATS(KUID_USER_LINES)
#undef KUID_USER_LINES
	}
	sink->user = lines.at;
	return stored;
}

/**
 * kuid_sink_single_line - make one line of text in user memory, by the short
 *	path
 * @watermarks: the watermarks of the open file
 * @format: KUID_FORMAT_*
 * @to: user address with any alignment
 *
 * Context: as kuid_user_single().
 * Return: as kuid_user_single().
 */
bool kuid_sink_single_line(struct kuid_watermarks *watermarks, u32 format,
			   u8 __user *to)
{
	struct kuid_text_lines lines;
	bool done = false;

	lines.at = to;
	kuid_text_start(&lines.text, kuid_formats[format].text_form);
	switch (format) {
#define KUID_USER_LINE(_name, _NAME, _id_size, _source, _part, _form,   \
		       _text_size, ...)                                 \
	case KUID_FORMAT_##_NAME:                                       \
		done = kuid_user_one(watermarks, KUID_BY_FILE,          \
				     KUID_FORMAT_##_NAME, to, &lines,   \
				     (_text_size) + 1,                  \
				     kuid_text_line_put_##_name, NULL); \
		break;
		KUID_FORMATS(KUID_USER_LINE)
#undef KUID_USER_LINE
	}
	return done;
}

/**
 * struct kuid_kernel_ids - the place for IDs or lines in kernel memory
 * @at: address of the next ID or line
 * @row: the format
 * @text: the last line; not used for binary IDs
 */
struct kuid_kernel_ids {
	u8 *at;
	const struct kuid_format *row;
	struct kuid_text text;
};

static bool kuid_kernel_put(void *sink, __be64 high, __be64 low)
{
	struct kuid_kernel_ids *ids = sink;
	const __be64 id[] = { high, low };

	memcpy(ids->at, id, ids->row->id_size);
	ids->at += ids->row->id_size;
	return true;
}

static bool kuid_kernel_put_line(void *sink, __be64 high, __be64 low)
{
	struct kuid_kernel_ids *ids = sink;
	unsigned int size = kuid_text_next(&ids->text, ids->row->text_form,
					   ids->row->text_size,
					   be64_to_cpu(high), be64_to_cpu(low));

	memcpy(ids->at, ids->text.text, size);
	ids->at[size] = '\n';
	ids->at += size + 1;
	return true;
}

/*
 * Pack IDs or lines into kernel memory, where a store can't fail. Returns the
 * address behind them.
 */
static u8 *kuid_sink_store_kernel(const struct kuid_sink *sink, u8 *to,
				  const struct kuid_taken *taken)
{
	/* Kernel code may be in an interrupt, so it has no scratch memory. */
	u8 few[KUID_SINK_RANDOM_FEW * KUID_RANDOM_SIZE_MAX + KUID_V7_RANDOM_PAD];
	struct kuid_kernel_ids ids;
	struct kuid_units units = taken->units;
	u32 left = units.count, most = left;
	u8 *random = few;

	ids.at = to;
	ids.row = &kuid_formats[sink->format];
	if (sink->text)
		kuid_text_start(&ids.text, ids.row->text_form);
	if (ids.row->random_size) {
		if (sink->kind == KUID_SINK_ITER)
			random = sink->scratch + sink->most * sink->size;
		else
			most = KUID_SINK_RANDOM_FEW;
	}
	while (left) {
		units.count = min(left, most);
		if (ids.row->random_size)
			kuid_sink_draw(random, units.count);
		kuid_format_pack(sink->format, &ids, &units,
				 &taken->origin.identity, random,
				 sink->text ? kuid_kernel_put_line
					    : kuid_kernel_put);
		units.first += units.count;
		left -= units.count;
	}
	return ids.at;
}

/**
 * kuid_sink_put - copy bytes to a sink
 * @sink: the sink, in user memory or an iov_iter
 * @from: the bytes
 * @size: how many
 *
 * Context: process. May fault, and so sleep for user memory.
 * Return: true; or false if not all bytes can be written. Then the sink doesn't
 * advance, so that a pipe doesn't get the beginning of a lost ID.
 */
bool kuid_sink_put(struct kuid_sink *sink, const void *from, size_t size)
{
	size_t copied;

	if (sink->kind == KUID_SINK_USER) {
		if (copy_to_user(sink->user, from, size))
			return false;
		sink->user += size;
		return true;
	}
	copied = copy_to_iter(from, size, sink->iter);
	if (copied != size)
		iov_iter_revert(sink->iter, copied);
	return copied == size;
}

/* The size of the ID or line that begins at @at in scratch memory. */
static size_t kuid_sink_size_at(const struct kuid_sink *sink, const u8 *at)
{
	if (!sink->text)
		return sink->size;
	return (const u8 *)memchr(at, '\n', sink->size) + 1 - at;
}

/*
 * Copy @count IDs or lines from scratch memory, which end at @end, to the
 * iov_iter. Returns the number that were copied whole.
 *
 * If the memory ends inside the copy, some machines (arm64) stop before they
 * have filled it, and IDs that fit would be lost. So the IDs are then copied
 * one by one, until an ID doesn't fit.
 */
static u32 kuid_sink_copy(struct kuid_sink *sink, u32 count, const u8 *end)
{
	const u8 *at = sink->scratch;
	u32 n = count, done = 0;

	while (done < count) {
		size_t size = n > 1 ? end - at : kuid_sink_size_at(sink, at);

		if (kuid_sink_put(sink, at, size)) {
			done += n;
			at += size;
		} else if (n > 1) {
			n = 1;
		} else {
			break;
		}
	}
	sink->stored = at - sink->scratch;
	sink->sure -= min(sink->sure, sink->stored);
	return done;
}

/**
 * kuid_sink_store - pack IDs from a reservation and store them
 * @sink: the sink
 * @taken: the reservation, of not more than @sink->most IDs
 *
 * Context: for a sink in kernel memory any but NMI in which the kernel has
 * random bytes, if the format needs any; otherwise process, and may fault.
 * Return: the number of IDs that were stored. If it is less than the
 * reservation, the rest is lost and @sink->full is set.
 */
u32 kuid_sink_store(struct kuid_sink *sink, const struct kuid_taken *taken)
{
	u32 stored = taken->units.count;
	u8 __user *user;
	u8 *end;

	switch (sink->kind) {
	case KUID_SINK_USER:
		user = sink->user;
		if (kuid_formats[sink->format].random_size)
			kuid_sink_draw(sink->scratch, stored);
		stored = sink->text ? kuid_sink_store_user_lines(sink, taken)
				    : kuid_sink_store_user(sink, taken);
		sink->stored = sink->user - user;
		break;
	case KUID_SINK_ITER:
		end = kuid_sink_store_kernel(sink, sink->scratch, taken);
		stored = kuid_sink_copy(sink, stored, end);
		break;
	case KUID_SINK_KERNEL:
		end = kuid_sink_store_kernel(sink, sink->kernel, taken);
		sink->stored = end - sink->kernel;
		sink->kernel = end;
		break;
	}
	sink->full = stored != taken->units.count;
	return stored;
}

/**
 * kuid_sink_take_back - take back what the last kuid_sink_store() has stored
 * @sink: the sink
 *
 * The next IDs are stored over it.
 *
 * Context: any.
 */
void kuid_sink_take_back(struct kuid_sink *sink)
{
	switch (sink->kind) {
	case KUID_SINK_USER:
		sink->user -= sink->stored;
		break;
	case KUID_SINK_ITER:
		iov_iter_revert(sink->iter, sink->stored);
		break;
	case KUID_SINK_KERNEL:
		sink->kernel -= sink->stored;
		break;
	}
}
