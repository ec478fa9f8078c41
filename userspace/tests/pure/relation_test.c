// SPDX-License-Identifier: MIT
/* How IDs stand to each other: conversions, order, distance and limits. */
#include <errno.h>
#include <kuid.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../fails.h"
#include "cases.h"

#define NOW 1700000000

static const unsigned int formats[] = {
	KUID_FORMAT_V1,	 KUID_FORMAT_V6,  KUID_FORMAT_V7,   KUID_FORMAT_LEX,
	KUID_FORMAT_K64, KUID_FORMAT_K96, KUID_FORMAT_K128, KUID_ANY_UUID,
};

#define NR_FORMATS (sizeof(formats) / sizeof(formats[0]))

/* An ID of a format with a time and, as far as it has one, a node. */
static void make(unsigned int format, int64_t sec, uint32_t nsec, uint64_t node,
		 unsigned char *id)
{
	struct kuid_fields f = { .format = format, .interval = 8 };

	if (format == KUID_FORMAT_LEX)
		f.worker = node;
	else if (format != KUID_FORMAT_K64)
		f.node = node;
	assert_ok(kuid_set_time(&f, sec, nsec));
	assert_ok(kuid_encode(&f, id));
}

static void make_random(unsigned int format, unsigned char *id)
{
	unsigned int version = format < 4 ? "\0\1\6\7"[format] : 0;

	for (int n = 0; n < KUID_ID_MAX; n++)
		id[n] = random_below(256);
	if (version) {
		id[6] = version << 4 | (id[6] & 0x0f);
		id[8] = 0x80 | (id[8] & 0x3f);
	}
}

static bool convertible(unsigned int from, unsigned int to)
{
	if (from == to)
		return true;
	if (from <= KUID_FORMAT_V6 && to <= KUID_FORMAT_V6)
		return true;
	return from >= KUID_FORMAT_K64 && from <= KUID_FORMAT_K128 &&
	       to >= KUID_FORMAT_K64 && to <= KUID_FORMAT_K128;
}

TEST(conversions_lose_nothing_or_are_refused)
{
	for (int i = 0; i < 1000000; i++) {
		unsigned int from = formats[i % NR_FORMATS];
		unsigned int to = formats[i / NR_FORMATS % NR_FORMATS];
		unsigned int interval = 5 + random_below(6);
		unsigned char id[KUID_ID_MAX], out[KUID_ID_MAX];
		unsigned char back[KUID_ID_MAX];
		/* Fits the width of both k96 and k128. */
		uint64_t node = random_64() >> 32, given = node;
		size_t size = kuid_format_id_size(from);

		make_random(from, id);
		if (from == KUID_FORMAT_K128 && to == KUID_FORMAT_K96)
			kuid_convert(KUID_FORMAT_K64, id, from, id, interval,
				     &node);
		errno = 0;
		if (kuid_convert(from, id, to, out, interval, &node)) {
			if (convertible(from, to))
				fail_msg("%s to %s", kuid_format_name(from),
					 kuid_format_name(to));
			assert_int_equal(errno, EINVAL);
			continue;
		}
		assert_true(convertible(from, to));
		if (from == KUID_FORMAT_K64)
			assert_int_equal(node, given);
		if (kuid_convert(to, out, from, back, interval, &node) ||
		    memcmp(id, back, size))
			fail_msg("%s to %s and back", kuid_format_name(from),
				 kuid_format_name(to));
	}
}

TEST(conversions_need_node_and_interval)
{
	unsigned char id[KUID_ID_MAX] = { 0 }, out[KUID_ID_MAX];
	uint64_t node = 1ULL << 32;

	assert_fails(kuid_convert(KUID_FORMAT_K64, id, KUID_FORMAT_K96, out, 8,
				  NULL),
		     EINVAL);
	assert_fails(kuid_convert(KUID_FORMAT_K64, id, KUID_FORMAT_K128, out,
				  11, &node),
		     EINVAL);
	assert_fails(kuid_convert(KUID_FORMAT_K96, id, KUID_FORMAT_K64, out, 4,
				  &node),
		     EINVAL);
	assert_fails(kuid_convert(KUID_FORMAT_K64, id, KUID_FORMAT_K96, out, 8,
				  &node),
		     ERANGE);
	assert_ok(kuid_convert(KUID_FORMAT_K64, id, KUID_FORMAT_K128, out, 8,
			       &node));
	assert_fails(kuid_convert(KUID_FORMAT_K128, out, KUID_FORMAT_K96, id, 8,
				  NULL),
		     ERANGE);
	/* Nobody has to want the node. */
	assert_ok(kuid_convert(KUID_FORMAT_K128, out, KUID_FORMAT_K64, out, 8,
			       NULL));
	/* All zeroes are of no version. */
	assert_fails(kuid_convert(KUID_FORMAT_V1, id, KUID_FORMAT_V6, out, 8,
				  NULL),
		     EINVAL);
	assert_fails(kuid_convert(KUID_FORMAT_V7, id, KUID_FORMAT_V7, out, 8,
				  NULL),
		     EINVAL);
}

static int compare(unsigned int format, const void *a, const void *b)
{
	int order = 99;

	assert_ok(kuid_compare(format, a, b, &order));
	return order;
}

TEST(order_is_that_of_bytes_but_for_v1)
{
	for (int i = 0; i < 1000000; i++) {
		unsigned int format = formats[i % NR_FORMATS];
		unsigned char a[KUID_ID_MAX], b[KUID_ID_MAX];
		size_t size = kuid_format_id_size(format);
		int want;

		make_random(format, a);
		make_random(format, b);
		/* Most of them alike, so that it's up to any of the bytes. */
		if (i % 3)
			memcpy(b, a, random_below(size + 1));
		if (format == KUID_FORMAT_V1 || format == KUID_FORMAT_V6) {
			unsigned char a6[KUID_ID_MAX], b6[KUID_ID_MAX];

			b[6] = (b[6] & 0x0f) | (format == 1 ? 0x10 : 0x60);
			b[8] = (b[8] & 0x3f) | 0x80;
			kuid_convert(format, a, KUID_FORMAT_V6, a6, 0, NULL);
			kuid_convert(format, b, KUID_FORMAT_V6, b6, 0, NULL);
			want = memcmp(a6, b6, size);
		} else {
			want = memcmp(a, b, size);
		}
		want = (want > 0) - (want < 0);
		if (compare(format, a, b) != want ||
		    compare(format, b, a) != -want)
			fail_msg("%s", kuid_format_name(format));
	}
}

static int bounded_by(unsigned int format, const void *a, const void *b,
		      unsigned int flags, uint64_t bound_ns)
{
	int order = 99, turned = 99;

	assert_ok(kuid_compare_bound(format, a, b, 8, flags, bound_ns, &order));
	assert_ok(
		kuid_compare_bound(format, b, a, 8, flags, bound_ns, &turned));
	assert_int_equal(turned, order == KUID_UNDECIDED ? order : -order);
	return order;
}

static int bounded(unsigned int format, const void *a, const void *b,
		   uint64_t bound_ns)
{
	return bounded_by(format, a, b, KUID_FROM_KUID, bound_ns);
}

TEST(closer_than_the_bound_is_undecided)
{
	static const unsigned int with_node[] = {
		KUID_FORMAT_V1,	 KUID_FORMAT_V6,  KUID_FORMAT_V7,
		KUID_FORMAT_LEX, KUID_FORMAT_K96, KUID_FORMAT_K128,
	};

	for (size_t i = 0; i < 6; i++) {
		unsigned int format = with_node[i];
		unsigned char a[KUID_ID_MAX], b[KUID_ID_MAX], c[KUID_ID_MAX];

		/* 512 ms, which every format can tell, over a second's end. */
		make(format, NOW, 768000000, 2, a);
		make(format, NOW + 1, 280576000, 1, b);
		make(format, NOW, 768000000, 3, c);
		bounded(format, a, b, 0);
		if (format < KUID_FORMAT_K96) {
			assert_int_equal(bounded(format, a, b, 512576000),
					 KUID_BEFORE);
			assert_int_equal(bounded(format, a, b, 512576001),
					 KUID_UNDECIDED);
		}
		assert_int_equal(bounded(format, a, b, 500000000), KUID_BEFORE);
		assert_int_equal(bounded(format, a, b, 0), KUID_BEFORE);
		assert_int_equal(bounded(format, a, b, 600000000),
				 KUID_UNDECIDED);
		assert_int_equal(bounded(format, a, b, UINT64_MAX),
				 KUID_UNDECIDED);
		assert_int_equal(bounded(format, a, a, UINT64_MAX), KUID_EQUAL);
		if (format == KUID_FORMAT_V7)
			continue;
		/* One time, two nodes: with no bound the format's order. */
		assert_int_equal(bounded(format, a, c, 0), KUID_BEFORE);
		assert_int_equal(bounded(format, a, c, 1), KUID_UNDECIDED);
		/* One node: always decided. */
		make(format, NOW + 1, 280576000, 2, b);
		assert_int_equal(bounded(format, a, b, UINT64_MAX),
				 KUID_BEFORE);
	}
}

/* In a millisecond v7 of unknown origin are in no order, except as bytes. */
TEST(v7_of_unknown_origin_is_compared_by_milliseconds)
{
	for (int i = 0; i < 100000; i++) {
		unsigned char a[KUID_ID_MAX], b[KUID_ID_MAX];
		uint64_t bound = random_64() >> random_below(64);

		make_random(KUID_FORMAT_V7, a);
		make_random(KUID_FORMAT_V7, b);
		memcpy(b, a, 6);
		assert_int_equal(bounded_by(KUID_FORMAT_V7, a, b, 0,
					    bound ? bound : 1),
				 KUID_UNDECIDED);
		assert_int_equal(bounded_by(KUID_FORMAT_V7, a, b, 0, 0),
				 compare(KUID_FORMAT_V7, a, b));
		/* Neighbouring milliseconds are one apart, whatever follows. */
		a[5] &= 0xfe;
		b[5] |= 1;
		assert_int_equal(bounded_by(KUID_FORMAT_V7, a, b, 0, 1000000),
				 KUID_BEFORE);
		assert_int_equal(bounded_by(KUID_FORMAT_V7, a, b, 0, 1000001),
				 KUID_UNDECIDED);
	}
}

#define FIRST_V1 -12219292800
#define LAST_V1	 103072857660
/* The first whole second below 2^64 ns. */
#define MOST_SEC 18446744073

/* Compared with the bound of the most nanoseconds, or less. */
TEST(no_gap_is_too_wide)
{
	static const struct {
		unsigned int format;
		int64_t a_sec, b_sec;
		uint32_t a_nsec, b_nsec;
		uint64_t less;
		int order;
	} rows[] = {
		/* Centuries, which are more nanoseconds than 64 bits count. */
		{ KUID_FORMAT_V1, FIRST_V1, LAST_V1, .order = KUID_BEFORE },
		{ KUID_FORMAT_LEX, 0, MOST_SEC * 1000, .order = KUID_BEFORE },
		/* The first microsecond above 2^64 - 1 ns, and the last below. */
		{ KUID_FORMAT_LEX, 0, MOST_SEC, 0, 709552000,
		  .order = KUID_BEFORE },
		{ KUID_FORMAT_LEX, 0, MOST_SEC, 0, 709551000,
		  .order = KUID_UNDECIDED },
		{ KUID_FORMAT_LEX, 0, MOST_SEC, 0, 709551000, 615,
		  KUID_BEFORE },
		{ KUID_FORMAT_LEX, 0, MOST_SEC, 0, 709551000, 614,
		  KUID_UNDECIDED },
		{ KUID_FORMAT_LEX, 0, MOST_SEC, 999000, 709552000,
		  .order = KUID_UNDECIDED },
		/* One host makes them. */
		{ KUID_FORMAT_K64, NOW, NOW, 0, 1024000, .order = KUID_BEFORE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned char a[KUID_ID_MAX], b[KUID_ID_MAX];

		make(rows[i].format, rows[i].a_sec, rows[i].a_nsec, 1, a);
		make(rows[i].format, rows[i].b_sec, rows[i].b_nsec, 2, b);
		assert_int_equal(bounded(rows[i].format, a, b,
					 UINT64_MAX - rows[i].less),
				 rows[i].order);
	}
}

static int compare_signed(int64_t a_time, int64_t a_worker, int64_t b_time,
			  int64_t b_worker)
{
	uint64_t a[] = { htobe64(a_time), htobe64(a_worker) };
	uint64_t b[] = { htobe64(b_time), htobe64(b_worker) };
	int order, back;

	assert_ok(kuid_compare_signed(KUID_FORMAT_LEX, a, b, &order));
	assert_ok(kuid_compare_signed(KUID_FORMAT_LEX, b, a, &back));
	assert_int_equal(order, -back);
	return order;
}

TEST(lex_can_be_compared_as_cassie_does)
{
	unsigned char id[KUID_ID_MAX] = { 0 };
	int order;

	assert_int_equal(compare_signed(5, -1, 5, 1), KUID_BEFORE);
	assert_int_equal(compare_signed(5, INT64_MIN, 5, -1), KUID_BEFORE);
	assert_int_equal(compare_signed(-5, 1, 5, -1), KUID_BEFORE);
	assert_int_equal(compare_signed(6, -1, 5, 1), KUID_AFTER);
	assert_int_equal(compare_signed(5, -1, 5, -1), KUID_EQUAL);
	for (unsigned int f = 0; f <= KUID_ANY_UUID; f++)
		if (f != KUID_FORMAT_LEX)
			assert_fails(kuid_compare_signed(f, id, id, &order),
				     EINVAL);
}

TEST(a_bound_needs_times_and_intervals)
{
	unsigned char id[KUID_ID_MAX] = { 0 };
	int order;

	assert_fails(kuid_compare_bound(KUID_ANY_UUID, id, id, 8, 0, 0, &order),
		     EINVAL);
	assert_fails(kuid_compare_bound(KUID_FORMAT_V1, id, id, 8, 0, 0,
					&order),
		     EINVAL);
	assert_fails(kuid_compare_bound(KUID_FORMAT_K96, id, id, 3, 0, 0,
					&order),
		     EINVAL);
	for (unsigned int flag = 2; flag; flag <<= 1)
		assert_fails(kuid_compare_bound(KUID_FORMAT_K96, id, id, 8,
						flag | KUID_FROM_KUID, 0,
						&order),
			     EINVAL);
}

TEST(distances_are_field_by_field)
{
	for (int i = 0; i < 300000; i++) {
		unsigned int format = KUID_FORMAT_K64 + i % 3;
		struct kuid_fields x = {
			.format = format,
			.interval = 5 + random_below(6),
			.a = random_below(1 << 20),
			.b = random_below(1 << 20),
			.c = random_below(1 << 10),
			.seq = random_below(1 << 14),
		};
		struct kuid_fields y = x;
		unsigned char a[KUID_ID_MAX], b[KUID_ID_MAX];
		struct kuid_distance d;

		if (format != KUID_FORMAT_K64)
			x.node = y.node = random_below(1ULL << 32);
		y.a = random_below(1 << 20);
		y.b = random_below(1 << 20);
		y.c = random_below(1 << 10);
		y.seq = random_below(1 << 14);
		kuid_encode(&x, a);
		kuid_encode(&y, b);
		assert_ok(kuid_distance(format, a, b, x.interval, &d));
		assert_true(d.a == (int)x.a - (int)y.a);
		assert_true(d.b == (int)x.b - (int)y.b);
		assert_true(d.c == (int)x.c - (int)y.c);
		assert_true(d.seq == (int)x.seq - (int)y.seq);
	}
}

TEST(distances_are_within_a_node)
{
	unsigned char a[KUID_ID_MAX], b[KUID_ID_MAX];
	struct kuid_distance d;

	for (int k = KUID_FORMAT_K96; k <= KUID_FORMAT_K128; k++) {
		make(k, NOW, 0, 1, a);
		make(k, NOW, 0, 2, b);
		assert_fails(kuid_distance(k, a, b, 8, &d), EXDEV);
		assert_fails(kuid_distance(k, a, a, 11, &d), EINVAL);
		assert_ok(kuid_distance(k, a, a, 8, &d));
	}
	make(KUID_FORMAT_V1, NOW, 0, 1, a);
	assert_fails(kuid_distance(KUID_FORMAT_V1, a, a, 8, &d), EINVAL);
	assert_fails(kuid_distance(KUID_FORMAT_LEX, a, a, 8, &d), EINVAL);
	assert_fails(kuid_distance(99, a, a, 8, &d), EINVAL);
}

static void assert_text(unsigned int format, const void *id, const char *want)
{
	char text[KUID_TEXT_MAX];

	assert_ok(kuid_text(format, id, text, sizeof(text)));
	assert_string_equal(text, want);
}

TEST(no_id_is_outside_the_limits)
{
	static const char *const texts[][2] = {
		{ "00000000-0000-1000-8000-000000000000",
		  "ffffffff-ffff-1fff-bfff-ffffffffffff" },
		{ "00000000-0000-6000-8000-000000000000",
		  "ffffffff-ffff-6fff-bfff-ffffffffffff" },
		{ "00000000-0000-7000-8000-000000000000",
		  "ffffffff-ffff-7fff-bfff-ffffffffffff" },
		{ "00000000-0000-0000-0000000000000000",
		  "ffffffff-ffff-ffff-ffffffffffffffff" },
		{ "...........", "zzzzzzzzzzw" },
		{ "................", "zzzzzzzzzzzzzzzz" },
		{ "......................", "zzzzzzzzzzzzzzzzzzzzzk" },
		{ "00000000-0000-0000-0000-000000000000",
		  "ffffffff-ffff-ffff-ffff-ffffffffffff" },
	};

	for (size_t i = 0; i < NR_FORMATS; i++) {
		unsigned char low[KUID_ID_MAX], high[KUID_ID_MAX];

		assert_ok(kuid_lowest(formats[i], low));
		assert_text(formats[i], low, texts[i][0]);
		assert_ok(kuid_highest(formats[i], high));
		assert_text(formats[i], high, texts[i][1]);
		for (int n = 0; n < 20000; n++) {
			unsigned char id[KUID_ID_MAX];

			make_random(formats[i], id);
			assert_true(compare(formats[i], low, id) <= 0);
			assert_true(compare(formats[i], high, id) >= 0);
		}
	}
}

/* The whole seconds that each format has, and its resolution. */
static const struct {
	unsigned int format;
	unsigned int flags;
	int64_t first_sec, last_sec;
	uint32_t resolution_ns;
} reaches[] = {
	{ KUID_FORMAT_V1, 0, -12219292800, 103072857659, 100 },
	{ KUID_FORMAT_V6, 0, -12219292800, 103072857659, 100 },
	{ KUID_FORMAT_V7, 0, 0, 281474976709, 1000000 },
	{ KUID_FORMAT_V7, KUID_FROM_KUID, 0, 281474976709, 1 },
	{ KUID_FORMAT_LEX, 0, 0, 18446744073708, 1000 },
	{ KUID_FORMAT_K64, 0, 0, 1048575999999, 1024000 },
	{ KUID_FORMAT_K96, 0, 0, 1048575999999, 1024000 },
	{ KUID_FORMAT_K128, 0, 0, 1048575999999, 1024000 },
};

#define K64_REACH  5
#define NR_REACHES (sizeof(reaches) / sizeof(reaches[0]))

/* An ID of a time; all that is no time in it is random. */
static void make_random_at(size_t reach, int64_t sec, uint32_t nsec,
			   unsigned int interval, unsigned char *id)
{
	unsigned int format = reaches[reach].format;
	uint32_t fraction;
	struct kuid_fields f;

	make_random(format, id);
	assert_ok(kuid_decode(format, id, interval, 0, &f));
	fraction = f.fraction;
	assert_ok(kuid_set_time(&f, sec, nsec));
	if (!reaches[reach].flags)
		f.fraction = fraction;
	assert_ok(kuid_encode(&f, id));
}

TEST(ids_of_a_time_are_between_its_limits)
{
	for (int i = 0; i < 400000; i++) {
		size_t r = i % NR_REACHES;
		unsigned int format = reaches[r].format;
		unsigned int interval = 5 + random_below(6);
		uint64_t span = reaches[r].last_sec - reaches[r].first_sec + 1;
		int64_t sec = reaches[r].first_sec + random_64() % span;
		uint32_t nsec = random_below(1000000000);
		uint32_t unit = reaches[r].resolution_ns;
		uint32_t begin = nsec / unit * unit, end = begin + unit - 1;
		unsigned char low[KUID_ID_MAX], high[KUID_ID_MAX];
		unsigned char id[KUID_ID_MAX];

		/* The last grid tick of a second is short. */
		if (end > 999999999)
			end = 999999999;
		assert_ok(kuid_lowest_at(format, sec, nsec, interval,
					 reaches[r].flags, low));
		assert_ok(kuid_highest_at(format, sec, nsec, interval,
					  reaches[r].flags, high));
		make_random_at(r, sec, begin + random_below(end - begin + 1),
			       interval, id);
		if (compare(format, low, id) > 0 ||
		    compare(format, id, high) > 0)
			fail_msg("%s at %lld.%09u", kuid_format_name(format),
				 (long long)sec, nsec);
		/* Between nodes the order is no order of time. */
		if (format == KUID_FORMAT_K96 || format == KUID_FORMAT_K128)
			continue;
		if (begin) {
			make_random_at(r, sec, begin - 1, interval, id);
			assert_int_equal(compare(format, id, low), KUID_BEFORE);
		}
		if (end < 999999999) {
			make_random_at(r, sec, end + 1, interval, id);
			assert_int_equal(compare(format, id, high), KUID_AFTER);
		}
	}
}

/* The limits of k96 and k128 are of all nodes, those of one are k64's. */
TEST(ranges_of_one_node_are_in_the_order_of_time)
{
	for (int i = 0; i < 100000; i++) {
		unsigned int format = KUID_FORMAT_K96 + i % 2;
		unsigned int interval = 5 + random_below(6);
		uint64_t node = random_64() >> 32, kept;
		uint32_t c = random_below(976);
		unsigned char low[KUID_ID_MAX], high[KUID_ID_MAX];
		unsigned char id[KUID_ID_MAX], wide[KUID_ID_MAX];

		kuid_lowest_at(KUID_FORMAT_K64, NOW, c * 1024000, 0, 0, low);
		kuid_highest_at(KUID_FORMAT_K64, NOW, c * 1024000, 0, 0, high);
		kuid_convert(KUID_FORMAT_K64, low, format, low, interval,
			     &node);
		kuid_convert(KUID_FORMAT_K64, high, format, high, interval,
			     &node);
		kuid_lowest_at(format, NOW, c * 1024000, interval, 0, wide);
		assert_true(compare(format, wide, low) <= 0);
		kuid_highest_at(format, NOW, c * 1024000, interval, 0, wide);
		assert_true(compare(format, wide, high) >= 0);
		kept = node;
		for (int32_t n = -1; n <= 1; n++) {
			make_random_at(K64_REACH, NOW, (c + n + !c) * 1024000,
				       0, id);
			kuid_convert(KUID_FORMAT_K64, id, format, id, interval,
				     &kept);
			assert_int_equal(compare(format, id, low) < 0,
					 n + !c < 0);
			assert_int_equal(compare(format, id, high) > 0,
					 n + !c > 0);
		}
	}
}

TEST(limits_are_of_the_published_times)
{
	static const struct {
		unsigned int format;
		unsigned int flags;
		const char *low, *high;
	} limits[] = {
		{ KUID_FORMAT_V1, 0, "c232ab00-9414-11ec-8000-000000000000",
		  "c232ab00-9414-11ec-bfff-ffffffffffff" },
		{ KUID_FORMAT_V6, 0, "1ec9414c-232a-6b00-8000-000000000000",
		  "1ec9414c-232a-6b00-bfff-ffffffffffff" },
		{ KUID_FORMAT_V7, 0, "017f22e2-79b0-7000-8000-000000000000",
		  "017f22e2-79b0-7fff-bfff-ffffffffffff" },
		{ KUID_FORMAT_V7, KUID_FROM_KUID,
		  "017f22e2-79b0-7000-8000-000000000000",
		  "017f22e2-79b0-7000-803f-ffffffffffff" },
		{ KUID_FORMAT_LEX, 0, "0005d8a0-44ab-5780-0000000000000000",
		  "0005d8a0-44ab-5780-ffffffffffffffff" },
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		unsigned int format = limits[i].format;
		unsigned char id[KUID_ID_MAX];

		assert_ok(kuid_lowest_at(format, 1645557742, 0, 8,
					 limits[i].flags, id));
		assert_text(format, id, limits[i].low);
		assert_ok(kuid_highest_at(format, 1645557742, 0, 8,
					  limits[i].flags, id));
		assert_text(format, id, limits[i].high);
	}
}

TEST(limits_that_there_are_not_are_refused)
{
	unsigned char id[KUID_ID_MAX], untouched[KUID_ID_MAX];

	memset(id, 0xcc, sizeof(id));
	memset(untouched, 0xcc, sizeof(untouched));
#define assert_no_limits(error, ...)                               \
	do {                                                       \
		assert_fails(kuid_lowest_at(__VA_ARGS__), error);  \
		assert_fails(kuid_highest_at(__VA_ARGS__), error); \
	} while (0)
	for (size_t r = 0; r < NR_REACHES; r++) {
		unsigned int format = reaches[r].format;

		assert_no_limits(ERANGE, format, reaches[r].first_sec - 1,
				 999999999, 8, 0, id);
		assert_no_limits(ERANGE, format, reaches[r].last_sec + 2, 0, 8,
				 0, id);
		assert_no_limits(ERANGE, format, INT64_MAX, 0, 8, 0, id);
		assert_no_limits(EINVAL, format, NOW, 1000000000, 8, 0, id);
		for (unsigned int flag = 2; flag; flag <<= 1)
			assert_no_limits(EINVAL, format, NOW, 0, 8,
					 flag | KUID_FROM_KUID, id);
	}
	for (int k = KUID_FORMAT_K96; k <= KUID_FORMAT_K128; k++) {
		assert_no_limits(EINVAL, k, NOW, 0, 4, 0, id);
		assert_no_limits(EINVAL, k, NOW, 0, 11, 0, id);
	}
	assert_no_limits(EINVAL, KUID_ANY_UUID, NOW, 0, 8, 0, id);
	assert_no_limits(EINVAL, 99, NOW, 0, 8, 0, id);
	assert_memory_equal(id, untouched, sizeof(id));
}

int main(void)
{
	return run_cases("relation", NULL, NULL);
}
