// SPDX-License-Identifier: GPL-2.0-only
/*
 * IDs in user memory: the short path of a call for one binary ID, and the
 * stores of a sink. Each format has its own copy of the code. The loop that
 * packs is inlined together with the store, so no ID is copied on its way to
 * the caller.
 */
#include <linux/random.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "core/formats.h"
#include "counters.h"
#include "events.h"
#include "request.h"
#include "reserve.h"
#include "user.h"

/*
 * Store an ID at *@to, and advance *@to. The caller is inside
 * user_access_begin().
 */
static __always_inline bool kuid_user_put(u8 __user **to, __be64 high,
					  __be64 low, const size_t size)
{
	unsafe_put_user(high, (__be64 __user *)*to, fault);
	if (size == 12)
		unsafe_put_user(cpu_to_be32(be64_to_cpu(low) >> 32),
				(__be32 __user *)(*to + 8), fault);
	if (size == 16)
		unsafe_put_user(low, (__be64 __user *)(*to + 8), fault);
	*to += size;
	return true;
fault:
	return false;
}

static __always_inline bool kuid_user_put_8(void *sink, __be64 high, __be64 low)
{
	return kuid_user_put(sink, high, low, 8);
}

static __always_inline bool kuid_user_put_12(void *sink, __be64 high,
					     __be64 low)
{
	return kuid_user_put(sink, high, low, 12);
}

static __always_inline bool kuid_user_put_16(void *sink, __be64 high,
					     __be64 low)
{
	return kuid_user_put(sink, high, low, 16);
}

/*
 * The store for IDs of @id_size bytes. With a function for each format in place
 * of this choice, gcc 12 has no registers left in the loops of batches: an ID
 * of k128 costs 12 instructions then, not 9.
 */
static __always_inline kuid_put_t kuid_user_put_of(const size_t id_size)
{
	BUILD_BUG_ON(id_size != 8 && id_size != 12 && id_size != 16);
	return id_size == 8    ? kuid_user_put_8
	       : id_size == 12 ? kuid_user_put_12
			       : kuid_user_put_16;
}

/*
 * Pack IDs from a reservation into user memory. @size is that of an ID, or of
 * the longest line; @sink, @random and @put are those of kuid_format_pack().
 * Returns the number of IDs that were stored.
 */
static __always_inline u32 kuid_user_pack(const u32 format, u8 __user *at,
					  void *sink, const size_t size,
					  const struct kuid_taken *taken,
					  const u8 *random, kuid_put_t put)
{
	u32 stored;

	if (!user_access_begin(at, taken->units.count * size))
		return 0;
	stored = kuid_format_pack(format, sink, &taken->units,
				  &taken->origin.identity, random, put);
	user_access_end();
	return stored;
}

/* kuid_user_make_one() in one format. */
static __always_inline bool kuid_user_one(struct kuid_watermarks *watermarks,
					  enum kuid_order order,
					  const u32 format, u8 __user *to,
					  const size_t size,
					  struct kuid_made *made)
{
	const struct kuid_want want = kuid_want_one(format, watermarks, order);
	struct kuid_taken taken kuid_compat_uninitialized;
	u64 random kuid_compat_uninitialized;
	u8 __user *at = to;

	static_assert(KUID_RANDOM_SIZE_MAX + KUID_V7_RANDOM_PAD ==
		      sizeof(random));

	if (!kuid_reserve_now(&want, true, &taken))
		return false;
	if (kuid_formats[format].random_size)
		random = get_random_u64();
	if (unlikely(!kuid_user_pack(format, to, &at, size, &taken,
				     (const u8 *)&random,
				     kuid_user_put_of(size))) ||
	    unlikely(!kuid_events_let_pass(want.part, taken.origin.epoch)))
		return false;
	if (made)
		kuid_made_add(made, &taken, 1);
	this_cpu_inc(kuid_counters.ids[format]);
	return true;
}

/**
 * kuid_user_make_one - make one binary ID, by the short path
 * @watermarks: the watermarks of the open file
 * @order: the IDs that the new one must be above
 * @format: KUID_FORMAT_*
 * @to: user address with any alignment
 * @made: the call, which has made no ID yet; updated. May be NULL
 *
 * Most calls ask for one more binary ID. This path has no turn, no scratch
 * memory and no check of the memory before the reservation. If there is no ID
 * at once, or if anything else is unusual, it fails.
 *
 * Context: process; there is an epoch. Does not sleep for an ID, but may fault,
 * and so sleep for user memory.
 * Return: true; or false if the caller must use kuid_make(), which makes the ID
 * or returns the error.
 */
bool kuid_user_make_one(struct kuid_watermarks *watermarks,
			enum kuid_order order, u32 format, u8 __user *to,
			struct kuid_made *made)
{
	switch (format) {
#define KUID_USER_ONE(_name, _NAME, _id_size, ...)                           \
	case KUID_FORMAT_##_NAME:                                            \
		return kuid_user_one(watermarks, order, KUID_FORMAT_##_NAME, \
				     to, _id_size, made);
		KUID_FORMATS(KUID_USER_ONE)
#undef KUID_USER_ONE
	}
	return false;
}

/**
 * kuid_user_store_ids - pack binary IDs from a reservation
 * @format: KUID_FORMAT_*
 * @to: user address of the first ID, with any alignment; set to the address
 *	behind the last ID that was stored
 * @taken: the reservation
 * @random: the random bytes of the IDs, if the format needs any
 *
 * Context: process. May fault, and so sleep for user memory.
 * Return: the number of IDs that were stored.
 */
u32 kuid_user_store_ids(u32 format, u8 __user **to,
			const struct kuid_taken *taken, const u8 *random)
{
	u8 __user *begin = *to;
	/* A local copy, which the compiler can keep in a register. */
	u8 __user *at = begin;

	switch (format) {
#define KUID_USER_IDS(_name, _NAME, _id_size, ...)                         \
	case KUID_FORMAT_##_NAME:                                          \
		kuid_user_pack(KUID_FORMAT_##_NAME, begin, &at, _id_size,  \
			       taken, random, kuid_user_put_of(_id_size)); \
		break;
		KUID_FORMATS(KUID_USER_IDS)
#undef KUID_USER_IDS
	}
	*to = at;
	/* The count that the loop returns would take a register of it. */
	return (u32)(at - begin) / kuid_formats[format].id_size;
}

/**
 * struct kuid_user_lines - lines of text for user memory
 * @at: user address of the next line
 * @text: the last line; the next one changes only digits that differ
 */
struct kuid_user_lines {
	u8 __user *at;
	struct kuid_text text;
};

static __always_inline bool
kuid_user_line_put_part(u8 __user *at, const char *line, const size_t offset)
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

/*
 * Store an ID's line: a text of 7 to @longest characters and a newline. It is
 * stored as words of eight bytes. The last word overlaps the one before it, so
 * that no byte behind the line is written.
 */
static __always_inline bool kuid_user_line_put(struct kuid_user_lines *lines,
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
	if (!kuid_user_line_put_part(at, line, 0) ||
	    (size >= 16 && !kuid_user_line_put_part(at, line, 8)) ||
	    (size >= 24 && !kuid_user_line_put_part(at, line, 16)) ||
	    (size >= 32 && !kuid_user_line_put_part(at, line, 24)) ||
	    !kuid_user_line_put_part(at, line, size + 1 - sizeof(u64)))
		return false;
	lines->at += size + 1;
	return true;
}

#define KUID_USER_LINE_PUT(_name, _NAME, _id_size, _source, _part, _form,      \
			   _text_size, ...)                                    \
	static __always_inline bool kuid_user_line_put_##_name(                \
		void *sink, __be64 high, __be64 low)                           \
	{                                                                      \
		return kuid_user_line_put(sink, KUID_TEXT_##_form, _text_size, \
					  high, low);                          \
	}
KUID_FORMATS(KUID_USER_LINE_PUT)
#undef KUID_USER_LINE_PUT

/**
 * kuid_user_store_lines - pack lines of text from a reservation
 * @format: KUID_FORMAT_*
 * @to: user address of the first line, with any alignment; set to the address
 *	behind the last line that was stored
 * @taken: the reservation
 * @random: the random bytes of the IDs, if the format needs any
 *
 * Context: process. May fault, and so sleep for user memory.
 * Return: the number of lines that were stored.
 */
u32 kuid_user_store_lines(u32 format, u8 __user **to,
			  const struct kuid_taken *taken, const u8 *random)
{
	struct kuid_user_lines lines kuid_compat_uninitialized;
	u32 stored = 0;

	lines.at = *to;
	kuid_text_start(&lines.text, kuid_formats[format].text_form);
	switch (format) {
#define KUID_USER_LINES(_name, _NAME, _id_size, _source, _part, _form,    \
			_text_size, ...)                                  \
	case KUID_FORMAT_##_NAME:                                         \
		stored = kuid_user_pack(KUID_FORMAT_##_NAME, *to, &lines, \
					(_text_size) + 1, taken, random,  \
					kuid_user_line_put_##_name);      \
		break;
		KUID_FORMATS(KUID_USER_LINES)
#undef KUID_USER_LINES
	}
	*to = lines.at;
	return stored;
}
