// SPDX-License-Identifier: GPL-2.0-only
/*
 * The three sinks: user memory, an iov_iter, kernel memory. user.c has the
 * stores into user memory; make.c reserves what the IDs are packed from.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "sink.h"
#include "user.h"

/*
 * IDs that are packed into scratch memory before they go to an iov_iter: enough
 * that a call which waits for each chunk doesn't sleep too often.
 */
#define KUID_SINK_ITER_CHUNK 512

/*
 * For up to this many IDs, a call of get_random_u64() for each is cheaper than
 * one of get_random_bytes(), which makes a block of the cipher for each call.
 */
#define KUID_SINK_RANDOM_FEW 10

/**
 * kuid_sink_begin - allocate scratch memory
 * @sink: a sink for which kuid_sink_packs() says that it needs any
 * @few: scratch memory of KUID_SINK_FEW_SIZE bytes, which outlives the sink
 * @nonblock: don't sleep for the scratch memory of an iov_iter
 *
 * If there is no memory, the call doesn't fail: it makes smaller chunks in
 * @few.
 *
 * Context: process. May sleep for memory.
 */
void kuid_sink_begin(struct kuid_sink *sink, u8 *few, bool nonblock)
{
	size_t size = kuid_formats[sink->format].random_size;
	size_t count = sink->left / sink->size;
	size_t most = KUID_SINK_MOST, pad;
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NOWARN;
	u8 *scratch;

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
	scratch = kmalloc(most * size + pad, gfp);
	if (scratch) {
		sink->scratch = scratch;
		sink->allocated = true;
		sink->most = most;
	}
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
	} else {
		copied = copy_to_iter(from, size, sink->iter);
		if (copied != size) {
			iov_iter_revert(sink->iter, copied);
			return false;
		}
	}
	sink->left -= size;
	return true;
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
	sink->sure -= min_t(size_t, sink->sure, at - sink->scratch);
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
 * reservation, the rest is lost. @sink->full tells whether the call must end.
 */
u32 kuid_sink_store(struct kuid_sink *sink, const struct kuid_taken *taken)
{
	u32 count = taken->units.count, stored;
	u8 __user *user;
	u8 *end;

	switch (sink->kind) {
	case KUID_SINK_USER:
		if (kuid_formats[sink->format].random_size)
			kuid_sink_draw(sink->scratch, count);
		user = sink->user;
		stored = sink->text ? kuid_user_store_lines(sink->format,
							    &sink->user, taken,
							    sink->scratch)
				    : kuid_user_store_ids(sink->format,
							  &sink->user, taken,
							  sink->scratch);
		sink->left -= sink->user - user;
		break;
	case KUID_SINK_ITER:
		end = kuid_sink_store_kernel(sink, sink->scratch, taken);
		stored = kuid_sink_copy(sink, count, end);
		break;
	case KUID_SINK_KERNEL:
		end = kuid_sink_store_kernel(sink, sink->kernel, taken);
		sink->left -= end - sink->kernel;
		sink->kernel = end;
		/* The caller may not be able to sleep: it gets one chunk. */
		sink->full = true;
		return count;
	}
	sink->full = stored != count;
	return stored;
}

/**
 * kuid_sink_take_back - take back what the last kuid_sink_store() has stored
 * @sink: the sink
 * @left: &struct kuid_sink.left before that
 *
 * The next IDs are stored over it.
 *
 * Context: any.
 */
void kuid_sink_take_back(struct kuid_sink *sink, size_t left)
{
	size_t back = left - sink->left;

	sink->left = left;
	switch (sink->kind) {
	case KUID_SINK_USER:
		sink->user -= back;
		break;
	case KUID_SINK_ITER:
		iov_iter_revert(sink->iter, back);
		break;
	case KUID_SINK_KERNEL:
		sink->kernel -= back;
		break;
	}
}
