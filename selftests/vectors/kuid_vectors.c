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
#include "core/text.h"
#include "core/uuid.h"

struct uuid_vector {
	unsigned int version;
	u64 unix_ns;
	u64 clock_seq;
	u64 node;
	u64 rand_a;
	u64 rand_b;
	const char *text;
};

struct lexical_vector {
	u64 timestamp;
	u64 worker;
	const char *text;
};

struct kordered_vector {
	char kind;
	u64 mega, sec, usec, seq;
	u64 node;
	unsigned int interval;
	const char *hex;
	const char *text;
};

struct fnv1a_vector {
	const char *input;
	u64 cassie;
};

struct sortable64_vector {
	const char *hex;
	const char *text;
};

#include "tables.h"

static unsigned int met;
static unsigned int failed;

static void expect(bool ok, const char *table, size_t row)
{
	if (ok) {
		met++;
		return;
	}
	failed++;
	pr_err("%s, row %zu failed\n", table, row);
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

static void check_uuid(const struct uuid_vector *v, size_t row)
{
	u64 tick = v->unix_ns / KUID_TICK_NS + KUID_UUID_UNIX_TICKS;
	u32 fraction = v->rand_a << 8 | v->rand_b >> KUID_V7_FRACTION_SHIFT;
	u64 low = KUID_UUID_VARIANT | v->clock_seq << KUID_UUID_SEQ_SHIFT |
		  v->node;
	u64 high;

	switch (v->version) {
	case 1:
		high = kuid_v1_high(tick);
		break;
	case 6:
		high = kuid_v6_high(tick);
		break;
	default:
		high = kuid_v7_high(v->unix_ns / KUID_MS_NS, fraction);
		low = kuid_v7_low(fraction,
				  v->rand_b >> KUID_V7_LANE_SHIFT & 0x7f,
				  v->rand_b);
		break;
	}
	expect(text_is(high, low, false, v->text), "uuid", row);
}

/* Returns the number of bytes; the rest of @bytes isn't written. */
static size_t bytes_of_hex(const char *hex, u8 *bytes, size_t size)
{
	size_t i;

	for (i = 0; i < size && hex[2 * i]; i++) {
		char pair[] = { hex[2 * i], hex[2 * i + 1], '\0' };

		if (kstrtou8(pair, 16, &bytes[i]))
			break;
	}
	return i;
}

static void words_of_hex(const char *hex, u64 *high, u64 *low)
{
	__be64 words[2] = { 0 };

	bytes_of_hex(hex, (u8 *)words, sizeof(words));
	*high = be64_to_cpu(words[0]);
	*low = be64_to_cpu(words[1]);
}

static bool sortable64_is(u64 high, u64 low, const char *text)
{
	char made[32];

	kuid_text_sortable64(made, high, low, strlen(text));
	return !memcmp(made, text, strlen(text));
}

static void check_kordered(const struct kordered_vector *v, size_t row)
{
	u64 sec = v->mega * KUID_GRID_MEGA + v->sec;
	u64 c = v->usec >> KUID_GRID_C_BITS;
	u64 high, low = 0, want_high, want_low;

	high = ((v->mega << KUID_GRID_B_BITS | v->sec) << KUID_GRID_C_BITS | c)
		       << KUID_GRID_SEQ_BITS |
	       v->seq;
	/*
	 * Vectors may have fields wider than any time; only times have slots.
	 */
	if (v->sec < KUID_GRID_MEGA && c < KUID_GRID_TICKS)
		high = kuid_k64_of_slot((sec * KUID_GRID_TICKS + c)
						<< KUID_GRID_SEQ_BITS |
					v->seq);
	if (v->kind == 'g')
		high = kuid_k96_of_k64(high, v->node, v->interval, &low);
	if (v->kind == 'h')
		high = kuid_k128_of_k64(high, v->node, v->interval, &low);

	words_of_hex(v->hex, &want_high, &want_low);
	expect(high == want_high && low == want_low, "kordered", row);
	expect(sortable64_is(high, low, v->text), "kordered text", row);
}

static void check_fnv1a(const struct fnv1a_vector *v, size_t row)
{
	u8 name[64];
	size_t size = bytes_of_hex(v->input, name, sizeof(name));

	expect(kuid_lex_worker((char *)name, size) == v->cassie, "fnv1a", row);
}

static int __init kuid_vectors_init(void)
{
	u64 high, low;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(uuid_vectors); i++)
		check_uuid(&uuid_vectors[i], i);
	for (i = 0; i < ARRAY_SIZE(lexical_vectors); i++)
		expect(text_is(lexical_vectors[i].timestamp,
			       lexical_vectors[i].worker, true,
			       lexical_vectors[i].text),
		       "lexical", i);
	for (i = 0; i < ARRAY_SIZE(kordered_vectors); i++)
		check_kordered(&kordered_vectors[i], i);
	for (i = 0; i < ARRAY_SIZE(fnv1a_vectors); i++)
		check_fnv1a(&fnv1a_vectors[i], i);
	for (i = 0; i < ARRAY_SIZE(sortable64_vectors); i++) {
		words_of_hex(sortable64_vectors[i].hex, &high, &low);
		expect(sortable64_is(high, low, sortable64_vectors[i].text),
		       "sortable64", i);
	}
	pr_info("%u passed, %u failed\n", met, failed);
	return met && !failed ? 0 : -EINVAL;
}

static void __exit kuid_vectors_exit(void)
{
}

module_init(kuid_vectors_init);
module_exit(kuid_vectors_exit);

MODULE_DESCRIPTION("Test of kuid's formats against published vectors");
MODULE_AUTHOR("The kuid developers");
MODULE_LICENSE("GPL");
