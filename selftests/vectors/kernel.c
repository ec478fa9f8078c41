// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check the core, as the kernel compiles it, against published vectors. The
 * test is to load this module: if a vector fails, loading fails with EINVAL,
 * and the kernel log names the vector.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>

#include "core/korder.h"
#include "core/lexical.h"
#include "core/snowflake.h"
#include "core/text.h"
#include "core/uuid.h"
#include "vectors.h"

static unsigned int met;
static unsigned int failed;

static void expect(bool ok, const char *table, const char *column)
{
	if (ok) {
		met++;
		return;
	}
	failed++;
	pr_err("%s, row of %s failed\n", table, column);
}

static bool text_is(u64 high, u64 low, bool lex, const char *text)
{
	size_t size = lex ? KUID_LEX_TEXT_SIZE : KUID_UUID_TEXT_SIZE;
	struct kuid_text hex;

	kuid_text_start(&hex, lex ? KUID_TEXT_LEX : KUID_TEXT_UUID);
	kuid_text_next(&hex, lex ? KUID_TEXT_LEX : KUID_TEXT_UUID,
		       lex ? KUID_LEX_TEXT_SIZE : KUID_UUID_TEXT_SIZE, high,
		       low);
	return strlen(text) == size && !memcmp(hex.text, text, size);
}

static void check_uuid(char **column)
{
	u64 ns = vectors_decimal(column[1]);
	u64 tick = ns / KUID_TICK_NS + KUID_UUID_UNIX_TICKS;
	u64 rand_b = vectors_hex(column[5]);
	u32 fraction = vectors_hex(column[4]) << 8 |
		       rand_b >> KUID_V7_FRACTION_SHIFT;
	u64 low = KUID_UUID_VARIANT |
		  vectors_hex(column[2]) << KUID_UUID_SEQ_SHIFT |
		  vectors_hex(column[3]);
	u64 high;

	switch (vectors_decimal(column[0])) {
	case 1:
		high = kuid_v1_high(tick);
		break;
	case 6:
		high = kuid_v6_high(tick);
		break;
	default:
		high = kuid_v7_high(ns / KUID_MS_NS, fraction);
		low = kuid_v7_low(fraction, rand_b >> KUID_V7_LANE_SHIFT & 0x7f,
				  rand_b);
		break;
	}
	expect(text_is(high, low, false, column[6]), "uuid", column[6]);
}

static void check_lexical(char **column)
{
	expect(text_is(vectors_hex(column[0]), vectors_hex(column[1]), true,
		       column[2]),
	       "lexical", column[2]);
}

static void words_of_hex(const char *hex, u64 *high, u64 *low)
{
	__be64 words[2] = { 0 };

	vectors_bytes(hex, (u8 *)words);
	*high = be64_to_cpu(words[0]);
	*low = be64_to_cpu(words[1]);
}

static bool sortable64_is(u64 high, u64 low, const char *text)
{
	char made[32];

	kuid_text_sortable64(made, high, low, strlen(text));
	return !memcmp(made, text, strlen(text));
}

static void check_kordered(char **column)
{
	u64 mega = vectors_decimal(column[1]);
	u64 sec = vectors_decimal(column[2]);
	u64 c = vectors_decimal(column[3]) >> KUID_GRID_C_BITS;
	u64 seq = vectors_decimal(column[4]);
	u64 node = vectors_hex(column[5]);
	unsigned int interval = vectors_decimal(column[6]);
	u64 tick, high, low = 0, want_high, want_low;

	high = ((mega << KUID_GRID_B_BITS | sec) << KUID_GRID_C_BITS | c)
		       << KUID_GRID_SEQ_BITS |
	       seq;
	/*
	 * Vectors may have fields wider than any time; only times have slots.
	 */
	tick = (mega * KUID_GRID_MEGA + sec) * KUID_GRID_TICKS + c;
	if (sec < KUID_GRID_MEGA && c < KUID_GRID_TICKS)
		high = kuid_k64_of_slot(tick << KUID_GRID_SEQ_BITS | seq);
	if (*column[0] == 'g')
		high = kuid_k96_of_k64(high, node, interval, &low);
	if (*column[0] == 'h')
		high = kuid_k128_of_k64(high, node, interval, &low);

	words_of_hex(column[7], &want_high, &want_low);
	expect(high == want_high && low == want_low, "kordered", column[7]);
	expect(sortable64_is(high, low, column[8]), "kordered", column[8]);
}

static void check_fnv1a(char **column)
{
	u8 name[VECTOR_SIZE];
	size_t size = vectors_bytes(column[0], name);

	expect(kuid_lex_worker((char *)name, size) == vectors_hex(column[2]),
	       "fnv1a", column[0]);
}

static void check_sortable64(char **column)
{
	u64 high, low;

	words_of_hex(column[0], &high, &low);
	expect(sortable64_is(high, low, column[1]), "sortable64", column[1]);
}

static bool keep_word(void *sink, __be64 high, __be64 low)
{
	*(u64 *)sink = be64_to_cpu(high);
	return !low;
}

static void check_snowflake(char **column)
{
	struct kuid_identity identity = {
		.snowflake_epoch = vectors_decimal(column[0]),
		.snowflake_worker = vectors_decimal(column[2]),
	};
	struct kuid_units slots = {
		.first = vectors_decimal(column[1]) << KUID_SNOWFLAKE_SEQ_BITS |
			 vectors_decimal(column[3]),
		.count = 1,
	};
	struct kuid_text text;
	unsigned int size;
	u64 id = 0;

	kuid_snowflake_pack(&id, &slots, &identity, NULL, keep_word);
	expect(id == vectors_hex(column[5]), "snowflake", column[5]);
	kuid_text_start(&text, KUID_TEXT_DECIMAL);
	size = kuid_text_next(&text, KUID_TEXT_DECIMAL, KUID_TEXT_SIZE_MAX, id,
			      0);
	expect(strlen(column[4]) == size && !memcmp(text.text, column[4], size),
	       "snowflake", column[4]);
}

static int __init kuid_vectors_init(void)
{
	/* A table that has no rows was not found. */
	if (!vectors_each("uuid", check_uuid) ||
	    !vectors_each("lexical", check_lexical) ||
	    !vectors_each("kordered", check_kordered) ||
	    !vectors_each("fnv1a", check_fnv1a) ||
	    !vectors_each("sortable64", check_sortable64) ||
	    !vectors_each("snowflake", check_snowflake))
		return -ENOENT;
	pr_info("%u passed, %u failed\n", met, failed);
	return failed ? -EINVAL : 0;
}

static void __exit kuid_vectors_exit(void)
{
}

module_init(kuid_vectors_init);
module_exit(kuid_vectors_exit);

MODULE_DESCRIPTION("Test of kuid's formats against published vectors");
MODULE_AUTHOR("The kuid developers");
MODULE_LICENSE("GPL");
