// SPDX-License-Identifier: GPL-2.0-only
/*
 * A batch is made in chunks, each of one reservation: what there is to know of
 * formats, then text as it is stored in user memory, then the steps of a batch
 * and what uses them: for user memory, then for kernel memory.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <uapi/linux/kuid.h>

#include "batch.h"
#include "counters.h"
#include "host.h"
#include "make.h"
#include "reserve.h"

/* For that many v7 no memory is taken to hold their random bits. */
#define KUID_BATCH_V7_FEW 8

/**
 * kuid_batch_id_size - bytes of an ID
 * @format: KUID_FORMAT_*, not KUID_FORMAT_DEFAULT
 *
 * Return: the size.
 */
unsigned int kuid_batch_id_size(u32 format)
{
	switch (format) {
	case KUID_FORMAT_K64:
		return 8;
	case KUID_FORMAT_K96:
		return 12;
	default:
		return 16;
	}
}

/**
 * kuid_batch_text_size - characters of the longest canonical text of an ID
 * @format: KUID_FORMAT_*, not KUID_FORMAT_DEFAULT
 *
 * All texts of a format have this size. The code that makes lines of text
 * relies on that: a format whose texts vary needs the size of each line.
 *
 * Return: the size, without an end of line.
 */
unsigned int kuid_batch_text_size(u32 format)
{
	switch (format) {
	case KUID_FORMAT_LEX:
		return KUID_LEX_TEXT_SIZE;
	case KUID_FORMAT_K64:
		return KUID_K64_TEXT_SIZE;
	case KUID_FORMAT_K96:
		return KUID_K96_TEXT_SIZE;
	case KUID_FORMAT_K128:
		return KUID_K128_TEXT_SIZE;
	default:
		return KUID_UUID_TEXT_SIZE;
	}
}

/**
 * kuid_batch_rate - IDs there are in a second
 * @format: KUID_FORMAT_*, not KUID_FORMAT_DEFAULT
 *
 * Return: how many, to each CPU or to the whole host as the format has it.
 */
u64 kuid_batch_rate(u32 format)
{
	switch (format) {
	case KUID_FORMAT_V1:
	case KUID_FORMAT_V6:
	case KUID_FORMAT_V7:
		return NSEC_PER_SEC;
	case KUID_FORMAT_LEX:
		return USEC_PER_SEC;
	default:
		return KUID_GRID_RATE;
	}
}

/**
 * kuid_batch_source - what IDs are made from
 * @format: KUID_FORMAT_*, not KUID_FORMAT_DEFAULT
 *
 * Return: the source.
 */
enum kuid_source kuid_batch_source(u32 format)
{
	return kuid_make_source(format);
}

/**
 * struct kuid_lines - a sink for lines of text
 * @at: where the next one goes
 * @hex: the last one, if it is hexadecimal
 */
struct kuid_lines {
	u8 __user *at;
	struct kuid_hex_text hex;
};

static __always_inline bool kuid_put_part(u8 __user *at, const char *line,
					  const size_t offset)
{
	u64 part;

	memcpy(&part, line + offset, sizeof(part));
	unsafe_put_user(part, (u64 __user *)(at + offset), fault);
	return true;
fault:
	return false;
}

/*
 * End the text in @line, of @size without that, and store it. The last eight
 * bytes overlap what comes before them.
 */
static __always_inline bool kuid_put_line(struct kuid_lines *lines, char *line,
					  const size_t size)
{
	u8 __user *at = lines->at;

	line[size] = '\n';
	if (!kuid_put_part(at, line, 0) ||
	    (size >= 16 && !kuid_put_part(at, line, 8)) ||
	    (size >= 24 && !kuid_put_part(at, line, 16)) ||
	    (size >= 32 && !kuid_put_part(at, line, 24)) ||
	    !kuid_put_part(at, line, size + 1 - sizeof(u64)))
		return false;
	lines->at += size + 1;
	return true;
}

static __always_inline bool kuid_put_uuid_line(void *sink, __be64 high,
					       __be64 low)
{
	struct kuid_lines *lines = sink;

	kuid_hex_text_next(&lines->hex, false, be64_to_cpu(high),
			   be64_to_cpu(low));
	return kuid_put_line(lines, lines->hex.text, KUID_UUID_TEXT_SIZE);
}

static __always_inline bool kuid_put_lex_line(void *sink, __be64 high,
					      __be64 low)
{
	struct kuid_lines *lines = sink;

	kuid_hex_text_next(&lines->hex, true, be64_to_cpu(high),
			   be64_to_cpu(low));
	return kuid_put_line(lines, lines->hex.text, KUID_LEX_TEXT_SIZE);
}

static __always_inline bool
kuid_put_sortable64_line(void *sink, __be64 high, __be64 low, const size_t size)
{
	char line[KUID_K128_TEXT_SIZE + 1];

	kuid_text_sortable64(line, be64_to_cpu(high), be64_to_cpu(low), size);
	return kuid_put_line(sink, line, size);
}

static __always_inline bool kuid_put_k64_line(void *sink, __be64 high,
					      __be64 low)
{
	return kuid_put_sortable64_line(sink, high, low, KUID_K64_TEXT_SIZE);
}

static __always_inline bool kuid_put_k96_line(void *sink, __be64 high,
					      __be64 low)
{
	return kuid_put_sortable64_line(sink, high, low, KUID_K96_TEXT_SIZE);
}

static __always_inline bool kuid_put_k128_line(void *sink, __be64 high,
					       __be64 low)
{
	return kuid_put_sortable64_line(sink, high, low, KUID_K128_TEXT_SIZE);
}

/*
 * Whether what was taken goes on with the batch, or would be of another epoch
 * than what came before, or below it, having been taken on another CPU: then
 * the batch ends here, and these are lost.
 */
static __always_inline bool kuid_batch_goes_on(struct kuid_batch *batch,
					       const struct kuid_taken *taken)
{
	const struct kuid_stamps *stamps = &taken->stamps;

	if (batch->epoch && (batch->epoch != taken->origin.epoch ||
			     batch->last >= stamps->first))
		return false;
	batch->epoch = taken->origin.epoch;
	batch->load_id = taken->origin.load_id;
	batch->last = stamps->first + stamps->count - 1;
	return true;
}

/*
 * How many of @count there is memory for before a page that can't be written.
 * IDs that are taken and can't be stored are lost, so look before taking them.
 */
static u32 kuid_batch_fits(u8 __user *to, u32 count, size_t size)
{
	size_t bytes = count * size;
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
	return min(at, bytes) / size;
}

/*
 * As many chunks as it takes. Returns how many IDs were stored, at least 1, or
 * a negative errno.
 */
static __always_inline ssize_t kuid_batch_chunks(struct kuid_batch *batch,
						 const u32 format, void *sink,
						 const size_t size,
						 size_t count, kuid_put_t put)
{
	u8 few_random[KUID_BATCH_V7_FEW * KUID_V7_RANDOM_SIZE +
		      KUID_V7_RANDOM_PAD];
	bool single = count == 1;
	u32 most = KUID_BATCH_CHUNK;
	u8 __user **at = sink;
	u8 *random = NULL;
	size_t done = 0;
	int ret = 0;

	if (format == KUID_FORMAT_V7) {
		if (count > KUID_BATCH_V7_FEW)
			random =
				kmalloc(KUID_BATCH_CHUNK * KUID_V7_RANDOM_SIZE +
						KUID_V7_RANDOM_PAD,
					GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		/* Out of memory a batch is slower, not refused. */
		if (!random)
			most = KUID_BATCH_V7_FEW;
	}

	for (;;) {
		u32 n = min_t(size_t, count - done, most);
		struct kuid_taken taken;
		u32 stored;

		if (!single)
			n = kuid_batch_fits(*at, n, size);
		if (!n) {
			ret = -EFAULT;
			break;
		}
		ret = kuid_reserve(batch, single, n, &taken);
		if (ret)
			break;
		if (!kuid_batch_goes_on(batch, &taken))
			break;
		stored = kuid_make_store(format, sink, size, &taken,
					 random ?: few_random, put);
		done += stored;
		if (done == count)
			break;
		if (stored != taken.stamps.count) {
			ret = -EFAULT;
			break;
		}
		/* Not for what io_uring has to do next, which can wait. */
		if (task_sigpending(current))
			break;
		cond_resched();
	}

	kfree(random);
	return done ? done : ret;
}

/**
 * kuid_batch_ids - make IDs in user memory
 * @batch: what is asked for
 * @to: where they go, of any alignment
 * @count: how many, at least 1
 *
 * Context: process. Sleeps, unless @batch->nonblock, while the IDs would be
 * too far ahead of the clock; may sleep for memory and user memory.
 * Return: how many were made, at least 1: fewer than @count after a signal, at
 * memory that can't be written, or where it would sleep and may not; if that
 * comes before the first ID: -ERESTARTSYS, -EFAULT, -EAGAIN; -ESTALE if the
 * identity may not be used.
 */
ssize_t kuid_batch_ids(struct kuid_batch *batch, u8 __user *to, size_t count)
{
	switch (batch->format) {
	case KUID_FORMAT_V1:
		return kuid_batch_chunks(batch, KUID_FORMAT_V1, &to, 16, count,
					 kuid_put_16);
	case KUID_FORMAT_V6:
		return kuid_batch_chunks(batch, KUID_FORMAT_V6, &to, 16, count,
					 kuid_put_16);
	case KUID_FORMAT_V7:
		return kuid_batch_chunks(batch, KUID_FORMAT_V7, &to, 16, count,
					 kuid_put_16);
	case KUID_FORMAT_LEX:
		return kuid_batch_chunks(batch, KUID_FORMAT_LEX, &to, 16, count,
					 kuid_put_16);
	case KUID_FORMAT_K64:
		return kuid_batch_chunks(batch, KUID_FORMAT_K64, &to, 8, count,
					 kuid_put_8);
	case KUID_FORMAT_K96:
		return kuid_batch_chunks(batch, KUID_FORMAT_K96, &to, 12, count,
					 kuid_put_12);
	default:
		return kuid_batch_chunks(batch, KUID_FORMAT_K128, &to, 16,
					 count, kuid_put_16);
	}
}

/**
 * kuid_batch_lines - make IDs as lines of text in user memory
 * @batch: what is asked for
 * @to: where they go, kuid_batch_text_size() + 1 bytes for each
 * @count: how many, at least 1
 *
 * Context: as kuid_batch_ids().
 * Return: as kuid_batch_ids().
 */
ssize_t kuid_batch_lines(struct kuid_batch *batch, u8 __user *to, size_t count)
{
	struct kuid_lines lines;

	lines.at = to;
	kuid_hex_text_start(&lines.hex, batch->format == KUID_FORMAT_LEX);
	switch (batch->format) {
	case KUID_FORMAT_V1:
		return kuid_batch_chunks(batch, KUID_FORMAT_V1, &lines,
					 KUID_UUID_TEXT_SIZE + 1, count,
					 kuid_put_uuid_line);
	case KUID_FORMAT_V6:
		return kuid_batch_chunks(batch, KUID_FORMAT_V6, &lines,
					 KUID_UUID_TEXT_SIZE + 1, count,
					 kuid_put_uuid_line);
	case KUID_FORMAT_V7:
		return kuid_batch_chunks(batch, KUID_FORMAT_V7, &lines,
					 KUID_UUID_TEXT_SIZE + 1, count,
					 kuid_put_uuid_line);
	case KUID_FORMAT_LEX:
		return kuid_batch_chunks(batch, KUID_FORMAT_LEX, &lines,
					 KUID_LEX_TEXT_SIZE + 1, count,
					 kuid_put_lex_line);
	case KUID_FORMAT_K64:
		return kuid_batch_chunks(batch, KUID_FORMAT_K64, &lines,
					 KUID_K64_TEXT_SIZE + 1, count,
					 kuid_put_k64_line);
	case KUID_FORMAT_K96:
		return kuid_batch_chunks(batch, KUID_FORMAT_K96, &lines,
					 KUID_K96_TEXT_SIZE + 1, count,
					 kuid_put_k96_line);
	default:
		return kuid_batch_chunks(batch, KUID_FORMAT_K128, &lines,
					 KUID_K128_TEXT_SIZE + 1, count,
					 kuid_put_k128_line);
	}
}

/**
 * struct kuid_kept - a sink for IDs in kernel memory
 * @at: where the next one goes, of any alignment
 * @size: of one
 */
struct kuid_kept {
	u8 *at;
	unsigned int size;
};

static bool kuid_put_kept(void *sink, __be64 high, __be64 low)
{
	const __be64 id[] = { high, low };
	struct kuid_kept *kept = sink;

	/* By sizes that the compiler knows. */
	switch (kept->size) {
	case 8:
		memcpy(kept->at, id, 8);
		break;
	case 12:
		memcpy(kept->at, id, 12);
		break;
	default:
		memcpy(kept->at, id, 16);
		break;
	}
	kept->at += kept->size;
	return true;
}

static void kuid_batch_store_kept(u32 format, struct kuid_kept *kept,
				  const struct kuid_taken *taken)
{
	u8 random[KUID_BATCH_V7_FEW * KUID_V7_RANDOM_SIZE + KUID_V7_RANDOM_PAD];
	struct kuid_taken few = *taken;
	u32 left = taken->stamps.count;

	if (format != KUID_FORMAT_V7) {
		kuid_make_pack(format, kept, taken, NULL, kuid_put_kept);
		return;
	}
	/* There may be no memory for the random bits of all. */
	while (left) {
		few.stamps.count = min_t(u32, left, KUID_BATCH_V7_FEW);
		get_random_bytes(random,
				 few.stamps.count * KUID_V7_RANDOM_SIZE);
		kuid_make_pack(KUID_FORMAT_V7, kept, &few, random,
			       kuid_put_kept);
		few.stamps.first += few.stamps.count;
		left -= few.stamps.count;
	}
}

/**
 * kuid_batch_keep - make IDs in kernel memory
 * @batch: what is asked for
 * @single: no more than one was asked for
 * @ids: where they go, of any alignment
 * @count: how many, at least 1
 *
 * Context: any but NMI if @batch->nonblock, and the kernel gives random bytes
 * there; else process, sleeps as kuid_batch_ids().
 * Return: how many were made, not more than %KUID_BATCH_CHUNK; 0 if what there
 * is now does not go on with what was made for @batch before; an errno as
 * kuid_batch_ids() but -EFAULT.
 */
ssize_t kuid_batch_keep(struct kuid_batch *batch, bool single, u8 *ids,
			size_t count)
{
	struct kuid_kept kept = {
		.at = ids,
		.size = kuid_batch_id_size(batch->format),
	};
	u32 n = min_t(size_t, count, KUID_BATCH_CHUNK);
	struct kuid_taken taken;
	int ret;

	ret = kuid_reserve(batch, single, n, &taken);
	if (ret)
		return ret;
	if (!kuid_batch_goes_on(batch, &taken))
		return 0;
	kuid_batch_store_kept(batch->format, &kept, &taken);
	this_cpu_add(kuid_counters.ids[batch->format], taken.stamps.count);
	return taken.stamps.count;
}

/**
 * kuid_batch_line - write an ID as a line of text
 * @format: KUID_FORMAT_*, not KUID_FORMAT_DEFAULT
 * @id: the ID
 * @line: kuid_batch_text_size() + 1 bytes
 *
 * Context: any.
 */
void kuid_batch_line(u32 format, const u8 *id, char *line)
{
	unsigned int size = kuid_batch_text_size(format);
	struct kuid_hex_text hex;
	__be64 words[2] = {};
	u64 high, low;

	memcpy(words, id, kuid_batch_id_size(format));
	high = be64_to_cpu(words[0]);
	low = be64_to_cpu(words[1]);
	switch (format) {
	case KUID_FORMAT_K64:
	case KUID_FORMAT_K96:
	case KUID_FORMAT_K128:
		kuid_text_sortable64(line, high, low, size);
		break;
	default:
		kuid_hex_text_start(&hex, format == KUID_FORMAT_LEX);
		kuid_hex_text_next(&hex, format == KUID_FORMAT_LEX, high, low);
		memcpy(line, hex.text, size);
		break;
	}
	line[size] = '\n';
}
