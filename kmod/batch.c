// SPDX-License-Identifier: GPL-2.0-only
/*
 * IDs are made by a few loops, one for each format, that are inlined with the
 * store into user memory at their heart: no buffer and no copy between them.
 * Below are the stores, then the steps of a batch, then what uses them.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <uapi/linux/kuid.h>

#include "batch.h"
#include "core/uuid.h"
#include "epoch.h"

/* IDs made between two looks at signals and the scheduler. */
#define KUID_BATCH_CHUNK 1024

/* For that many v7 no memory is taken to hold their random bits. */
#define KUID_BATCH_V7_FEW 8

static struct kuid_generator *kuid_batch_generator;

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
 * kuid_batch_text_size - characters of an ID's canonical text
 * @format: KUID_FORMAT_*, not KUID_FORMAT_DEFAULT
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

/*
 * Stores into user memory, inside user_access_begin(). A sink is a pointer to
 * where the next ID goes, or begins with one.
 */
static __always_inline bool kuid_put_8(void *sink, __be64 high, __be64 low)
{
	u8 __user **at = sink;

	unsafe_put_user(high, (__be64 __user *)*at, fault);
	*at += 8;
	return true;
fault:
	return false;
}

static __always_inline bool kuid_put_12(void *sink, __be64 high, __be64 low)
{
	u8 __user **at = sink;

	unsafe_put_user(high, (__be64 __user *)*at, fault);
	unsafe_put_user(cpu_to_be32(be64_to_cpu(low) >> 32),
			(__be32 __user *)(*at + 8), fault);
	*at += 12;
	return true;
fault:
	return false;
}

static __always_inline bool kuid_put_16(void *sink, __be64 high, __be64 low)
{
	u8 __user **at = sink;

	unsafe_put_user(high, (__be64 __user *)*at, fault);
	unsafe_put_user(low, (__be64 __user *)(*at + 8), fault);
	*at += 16;
	return true;
fault:
	return false;
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

/* Take what @format is made from. Slots are stamps without a lane here. */
static __always_inline struct kuid_stamps
kuid_batch_reserve(const struct kuid_batch *batch, const u32 format, u64 ahead,
		   u32 count)
{
	struct kuid_generator *generator = kuid_batch_generator;
	struct kuid_floors *floors = batch->floors;
	struct kuid_slots slots;

	switch (format) {
	case KUID_FORMAT_V1:
	case KUID_FORMAT_V6:
	case KUID_FORMAT_V7:
		return kuid_generator_stamps(generator, batch->epoch,
					     &floors->stamp, ahead, count);
	case KUID_FORMAT_LEX:
		slots = kuid_generator_lex(generator, &floors->lex, ahead,
					   count);
		break;
	default:
		slots = kuid_generator_grid(generator, &floors->grid, ahead,
					    count);
		break;
	}
	return (struct kuid_stamps) {
		.first = slots.first,
		.count = slots.count,
	};
}

static __always_inline u32 kuid_batch_pack(const u32 format, void *sink,
					   const struct kuid_stamps *stamps,
					   const struct kuid_identity *identity,
					   const u8 *random, kuid_put_t put)
{
	const struct kuid_slots slots = {
		.first = stamps->first,
		.count = stamps->count,
	};

	switch (format) {
	case KUID_FORMAT_V1:
		return kuid_v1_pack(sink, stamps, identity, put);
	case KUID_FORMAT_V6:
		return kuid_v6_pack(sink, stamps, identity, put);
	case KUID_FORMAT_V7:
		return kuid_v7_pack(sink, stamps, identity, random, put);
	case KUID_FORMAT_LEX:
		return kuid_lex_pack(sink, &slots, identity, put);
	case KUID_FORMAT_K64:
		return kuid_k64_pack(sink, &slots, identity, put);
	case KUID_FORMAT_K96:
		return kuid_k96_pack(sink, &slots, identity, put);
	default:
		return kuid_k128_pack(sink, &slots, identity, put);
	}
}

/**
 * struct kuid_chunk - what became of one reservation
 * @first: the first stamp or slot; if there was none to be had, the next one
 * @reserved: how many there were
 * @stored: how many of them are IDs in user memory now; fewer if that could
 *	not be written
 */
struct kuid_chunk {
	u64 first;
	u32 reserved;
	u32 stored;
};

static __always_inline struct kuid_chunk
kuid_batch_chunk(const struct kuid_batch *batch, const u32 format, void *sink,
		 const size_t size, u64 ahead, u32 count, u8 *random,
		 kuid_put_t put)
{
	struct kuid_stamps stamps =
		kuid_batch_reserve(batch, format, ahead, count);
	struct kuid_chunk chunk = {
		.first = stamps.first,
		.reserved = stamps.count,
	};
	u8 __user **at = sink;

	if (unlikely(!stamps.count))
		return chunk;
	if (format == KUID_FORMAT_V7)
		get_random_bytes(random, stamps.count * KUID_V7_RANDOM_SIZE);
	if (!user_access_begin(*at, stamps.count * size))
		return chunk;
	chunk.stored = kuid_batch_pack(format, sink, &stamps,
				       &batch->epoch->identity, random, put);
	user_access_end();
	return chunk;
}

/*
 * Sleep until @count stamps or slots from @first on are not too far ahead.
 * Returns 0, or -ERESTARTSYS if a signal came first.
 */
static int kuid_batch_wait(u32 format, u64 first, u64 ahead, u32 count)
{
	u64 last = first + count - 1;
	u64 now, ready;
	ktime_t delay;

	switch (format) {
	case KUID_FORMAT_V1:
	case KUID_FORMAT_V6:
	case KUID_FORMAT_V7:
		ready = last - ahead;
		break;
	case KUID_FORMAT_LEX:
		ready = kuid_lex_ns(last - kuid_lex_slots(ahead));
		break;
	default:
		ready = kuid_grid_ns(last - kuid_grid_slots(ahead));
		break;
	}

	now = kuid_clock_now(&kuid_batch_generator->clock);
	if (now < ready) {
		delay = ns_to_ktime(ready - now);
		set_current_state(TASK_INTERRUPTIBLE);
		schedule_hrtimeout(&delay, HRTIMER_MODE_REL);
	} else {
		/* Someone else may be quicker time and again. */
		cond_resched();
	}
	return signal_pending(current) ? -ERESTARTSYS : 0;
}

/*
 * As many chunks as it takes. Returns how many IDs were stored, at least 1, or
 * a negative errno.
 */
static __always_inline ssize_t kuid_batch_chunks(const struct kuid_batch *batch,
						 const u32 format, void *sink,
						 const size_t size,
						 size_t count, kuid_put_t put)
{
	u64 ahead = count == 1 ? KUID_MAX_AHEAD_NS : KUID_MAX_AHEAD_NS / 2;
	u8 few_random[KUID_BATCH_V7_FEW * KUID_V7_RANDOM_SIZE +
		      KUID_V7_RANDOM_PAD];
	u32 most = KUID_BATCH_CHUNK;
	u8 *random = NULL;
	size_t done = 0;
	int ret = 0;

	if (format == KUID_FORMAT_V7) {
		if (count > KUID_BATCH_V7_FEW)
			random =
				kmalloc(KUID_BATCH_CHUNK * KUID_V7_RANDOM_SIZE +
						KUID_V7_RANDOM_PAD,
					GFP_KERNEL | __GFP_NOWARN);
		/* Out of memory a batch is slower, not refused. */
		if (!random)
			most = KUID_BATCH_V7_FEW;
	}

	for (;;) {
		u32 n = min_t(size_t, count - done, most);
		struct kuid_chunk chunk;

		chunk = kuid_batch_chunk(batch, format, sink, size, ahead, n,
					 random ?: few_random, put);
		done += chunk.stored;
		if (done == count)
			break;
		if (!chunk.reserved) {
			ret = -EAGAIN;
			if (!batch->nonblock)
				ret = kuid_batch_wait(format, chunk.first,
						      ahead, n);
			if (ret)
				break;
			continue;
		}
		if (chunk.stored != chunk.reserved) {
			ret = -EFAULT;
			break;
		}
		if (signal_pending(current))
			break;
		cond_resched();
	}

	kfree(random);
	return done ? done : ret;
}

/*
 * One ID, the usual case, as cheap as it can be. Returns true, or false if
 * that was not all there is to it.
 */
static __always_inline bool kuid_batch_one(const struct kuid_batch *batch,
					   const u32 format, u8 __user *to,
					   const size_t size, u8 *random,
					   kuid_put_t put)
{
	return kuid_batch_chunk(batch, format, &to, size, KUID_MAX_AHEAD_NS, 1,
				random, put)
		.stored;
}

/* Apart, because its buffer would have all others guard their stack. */
static noinline bool kuid_batch_one_v7(struct kuid_epoch *epoch,
				       struct kuid_floors *floors,
				       u8 __user *to)
{
	const struct kuid_batch batch = { .epoch = epoch, .floors = floors };
	u8 random[KUID_V7_RANDOM_SIZE + KUID_V7_RANDOM_PAD];

	return kuid_batch_one(&batch, KUID_FORMAT_V7, to, 16, random,
			      kuid_put_16);
}

/**
 * kuid_batch_one_id - make one ID in user memory
 * @epoch: the epoch to make it in
 * @floors: of the open file it is made for
 * @format: KUID_FORMAT_*, not KUID_FORMAT_DEFAULT
 * @to: where it goes, of any alignment
 *
 * What is asked for most, so without anything that it can do without.
 *
 * Context: process. May sleep for user memory.
 * Return: true; false if it takes a kuid_batch_ids() to make it, or to tell
 * why it can't be made.
 */
bool kuid_batch_one_id(struct kuid_epoch *epoch, struct kuid_floors *floors,
		       u32 format, u8 __user *to)
{
	const struct kuid_batch batch = { .epoch = epoch, .floors = floors };

	switch (format) {
	case KUID_FORMAT_V1:
		return kuid_batch_one(&batch, KUID_FORMAT_V1, to, 16, NULL,
				      kuid_put_16);
	case KUID_FORMAT_V6:
		return kuid_batch_one(&batch, KUID_FORMAT_V6, to, 16, NULL,
				      kuid_put_16);
	case KUID_FORMAT_V7:
		return kuid_batch_one_v7(epoch, floors, to);
	case KUID_FORMAT_LEX:
		return kuid_batch_one(&batch, KUID_FORMAT_LEX, to, 16, NULL,
				      kuid_put_16);
	case KUID_FORMAT_K64:
		return kuid_batch_one(&batch, KUID_FORMAT_K64, to, 8, NULL,
				      kuid_put_8);
	case KUID_FORMAT_K96:
		return kuid_batch_one(&batch, KUID_FORMAT_K96, to, 12, NULL,
				      kuid_put_12);
	default:
		return kuid_batch_one(&batch, KUID_FORMAT_K128, to, 16, NULL,
				      kuid_put_16);
	}
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
 * comes before the first ID: -ERESTARTSYS, -EFAULT, -EAGAIN.
 */
ssize_t kuid_batch_ids(const struct kuid_batch *batch, u8 __user *to,
		       size_t count)
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
ssize_t kuid_batch_lines(const struct kuid_batch *batch, u8 __user *to,
			 size_t count)
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

/* An ID kept as its words. */
struct kuid_words {
	u64 high;
	u64 low;
};

static bool kuid_put_words(void *sink, __be64 high, __be64 low)
{
	struct kuid_words *words = sink;

	words->high = be64_to_cpu(high);
	words->low = be64_to_cpu(low);
	return true;
}

static void kuid_batch_text(u32 format, struct kuid_words id, char *text)
{
	struct kuid_hex_text hex;

	switch (format) {
	case KUID_FORMAT_K64:
	case KUID_FORMAT_K96:
	case KUID_FORMAT_K128:
		kuid_text_sortable64(text, id.high, id.low,
				     kuid_batch_text_size(format));
		break;
	default:
		kuid_hex_text_start(&hex, format == KUID_FORMAT_LEX);
		kuid_hex_text_next(&hex, format == KUID_FORMAT_LEX, id.high,
				   id.low);
		memcpy(text, hex.text, kuid_batch_text_size(format));
		break;
	}
}

/**
 * kuid_batch_line - make one ID as a line of text in kernel memory
 * @batch: what is asked for
 * @line: KUID_LINE_MAX bytes, of which kuid_batch_text_size() + 1 are written
 *
 * Context: as kuid_batch_ids().
 * Return: 0, -ERESTARTSYS or -EAGAIN.
 */
int kuid_batch_line(const struct kuid_batch *batch, char *line)
{
	u8 random[KUID_V7_RANDOM_SIZE + KUID_V7_RANDOM_PAD];
	struct kuid_stamps stamps;
	struct kuid_words id;
	int ret;

	for (;;) {
		stamps = kuid_batch_reserve(batch, batch->format,
					    KUID_MAX_AHEAD_NS, 1);
		if (stamps.count)
			break;
		if (batch->nonblock)
			return -EAGAIN;
		ret = kuid_batch_wait(batch->format, stamps.first,
				      KUID_MAX_AHEAD_NS, 1);
		if (ret)
			return ret;
	}
	if (batch->format == KUID_FORMAT_V7)
		get_random_bytes(random, KUID_V7_RANDOM_SIZE);
	kuid_batch_pack(batch->format, &id, &stamps, &batch->epoch->identity,
			random, kuid_put_words);
	kuid_batch_text(batch->format, id, line);
	line[kuid_batch_text_size(batch->format)] = '\n';
	return 0;
}

/**
 * kuid_batch_init - prepare for making IDs
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int __init kuid_batch_init(void)
{
	kuid_batch_generator =
		kvzalloc(struct_size(kuid_batch_generator, runs, nr_cpu_ids),
			 GFP_KERNEL);
	if (!kuid_batch_generator)
		return -ENOMEM;
	kuid_batch_generator->nr_cpus = nr_cpu_ids;
	return 0;
}

/**
 * kuid_batch_exit - the reverse of kuid_batch_init()
 *
 * Waits until the clock has passed all that was given out, or the next load
 * would give it out again.
 *
 * Context: module unload, when no one can ask for IDs any more. Sleeps, up to
 * KUID_MAX_AHEAD_NS and a step of the grid.
 */
void kuid_batch_exit(void)
{
	u64 clear = kuid_generator_clear_ns(kuid_batch_generator,
					    kuid_epoch_peek());
	u64 now = kuid_clock_now(&kuid_batch_generator->clock);

	if (now < clear)
		fsleep(div_u64(clear - now, NSEC_PER_USEC) + 1);
	kvfree(kuid_batch_generator);
}
