// SPDX-License-Identifier: MIT
/* IDs as fields and back, and times into fields. */
#include <errno.h>
#include <kuid.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../fails.h"
#include "cases.h"

/* The lowest number that no format has. */
static unsigned int no_format(void)
{
	unsigned int format = 1;

	while (kuid_format_name(format))
		format++;
	return format;
}

static const unsigned int formats[] = {
	KUID_FORMAT_V1,	 KUID_FORMAT_V6,  KUID_FORMAT_V7,   KUID_FORMAT_LEX,
	KUID_FORMAT_K64, KUID_FORMAT_K96, KUID_FORMAT_K128,
};

#define NR_FORMATS (sizeof(formats) / sizeof(formats[0]))

static uint64_t random_bits(unsigned int bits)
{
	uint64_t all = random_below(1ULL << 32) << 32 |
		       random_below(1ULL << 32);

	/* Fields of all ones and of none are where neighbours meet. */
	switch (random_below(8)) {
	case 0:
		all = 0;
		break;
	case 1:
		all = UINT64_MAX;
		break;
	}
	return all >> (64 - bits);
}

static struct kuid_fields random_fields(unsigned int format)
{
	struct kuid_fields f = { .format = format };

	switch (format) {
	case KUID_FORMAT_V1:
	case KUID_FORMAT_V6:
		f.ticks = random_bits(60);
		f.clock_seq = random_bits(14);
		f.node = random_bits(48);
		break;
	case KUID_FORMAT_V7:
		f.ticks = random_bits(48);
		f.fraction = random_bits(20);
		f.lane = random_bits(7);
		f.random = random_bits(47);
		break;
	case KUID_FORMAT_LEX:
		f.ticks = random_bits(64);
		f.worker = random_bits(64);
		break;
	case KUID_FORMAT_SNOWFLAKE:
		f.ticks = random_bits(41);
		f.worker = random_bits(10);
		f.seq = random_bits(12);
		break;
	default:
		f.a = random_bits(20);
		f.b = random_bits(20);
		f.c = random_bits(10);
		f.seq = random_bits(14);
		if (format != KUID_FORMAT_K64)
			f.interval = 5 + random_below(6);
		if (format == KUID_FORMAT_K96)
			f.node = random_bits(32);
		if (format == KUID_FORMAT_K128)
			f.node = random_bits(64);
	}
	return f;
}

static bool same_bits(const struct kuid_fields *x, const struct kuid_fields *y)
{
	return x->format == y->format && x->ticks == y->ticks &&
	       x->fraction == y->fraction && x->a == y->a && x->b == y->b &&
	       x->c == y->c && x->clock_seq == y->clock_seq &&
	       x->seq == y->seq && x->interval == y->interval &&
	       x->node == y->node && x->worker == y->worker &&
	       x->random == y->random &&
	       (x->format != KUID_FORMAT_V7 || x->lane == y->lane);
}

TEST(fields_of_all_widths_lead_back)
{
	for (int i = 0; i < 3000000; i++) {
		unsigned int format = formats[i % NR_FORMATS];
		struct kuid_fields f = random_fields(format), got;
		unsigned char id[KUID_ID_MAX], again[KUID_ID_MAX];
		size_t size = kuid_format_id_size(format);

		if (kuid_encode(&f, id) ||
		    kuid_decode(format, id, f.interval, i & KUID_FROM_KUID,
				&got) ||
		    !same_bits(&f, &got) || kuid_encode(&got, again) ||
		    memcmp(id, again, size))
			fail_msg("%s", kuid_format_name(format));
	}
}

TEST(ids_of_all_bits_lead_back)
{
	for (int i = 0; i < 1000000; i++) {
		unsigned int format = 1 + i % (no_format() - 1);
		const char *name = kuid_format_name(format);
		unsigned int version = name[0] == 'v' ? name[1] - '0' : 0;
		unsigned char id[KUID_ID_MAX], again[KUID_ID_MAX];
		struct kuid_fields f;

		for (int n = 0; n < KUID_ID_MAX; n++)
			id[n] = random_below(256);
		if (version) {
			id[6] = version << 4 | (id[6] & 0x0f);
			id[8] = 0x80 | (id[8] & 0x3f);
		}
		if (format == KUID_FORMAT_SNOWFLAKE)
			id[0] &= 0x7f;
		if (kuid_decode(format, id, 5 + i % 6, random_below(2), &f) ||
		    kuid_encode(&f, again) ||
		    memcmp(id, again, kuid_format_id_size(format)))
			fail_msg("%s", kuid_format_name(format));
	}
}

static void too_wide(struct kuid_fields f)
{
	unsigned char id[KUID_ID_MAX], untouched[KUID_ID_MAX];

	memset(id, 0xcc, sizeof(id));
	memset(untouched, 0xcc, sizeof(untouched));
	assert_fails(kuid_encode(&f, id), EINVAL);
	assert_memory_equal(id, untouched, sizeof(id));
}

#define TOO_WIDE(format_, ...) \
	too_wide((struct kuid_fields) { .format = format_, ##__VA_ARGS__ })

/* One bit above each field, all else being right. */
TEST(fields_that_are_too_wide_are_refused)
{
	for (int i = 0; i < 2; i++) {
		unsigned int v1 = formats[i];

		TOO_WIDE(v1, .ticks = 1ULL << 60);
		TOO_WIDE(v1, .clock_seq = 1 << 14);
		TOO_WIDE(v1, .node = 1ULL << 48);
	}
	TOO_WIDE(KUID_FORMAT_V7, .ticks = 1ULL << 48);
	TOO_WIDE(KUID_FORMAT_V7, .fraction = 1 << 20);
	TOO_WIDE(KUID_FORMAT_V7, .lane = 1 << 7);
	TOO_WIDE(KUID_FORMAT_V7, .random = 1ULL << 47);
	for (int i = 4; i < 7; i++) {
		unsigned int k = formats[i];

		TOO_WIDE(k, .interval = 8, .a = 1 << 20);
		TOO_WIDE(k, .interval = 8, .b = 1 << 20);
		TOO_WIDE(k, .interval = 8, .c = 1 << 10);
		TOO_WIDE(k, .interval = 8, .seq = 1 << 14);
	}
	TOO_WIDE(KUID_FORMAT_K96, .interval = 8, .node = 1ULL << 32);
	TOO_WIDE(KUID_FORMAT_SNOWFLAKE, .ticks = 1ULL << 41);
	TOO_WIDE(KUID_FORMAT_SNOWFLAKE, .worker = 1 << 10);
	TOO_WIDE(KUID_FORMAT_SNOWFLAKE, .seq = 1 << 12);
	TOO_WIDE(KUID_ANY_UUID);
}

/* The lowest or the highest snowflake of a time, in milliseconds. */
static int at_ms(bool highest, uint64_t ms, uint64_t epoch_ms, void *id)
{
	return (highest ? kuid_highest_at : kuid_lowest_at)(
		KUID_FORMAT_SNOWFLAKE, ms / 1000,
		ms % 1000 * 1000000 + (highest ? 999999 : 0), epoch_ms, 0, id);
}

TEST(snowflake_counts_from_its_epoch)
{
	static const uint64_t epochs[] = {
		0, 1, 999, 1000, 1288834974657, 8277292036000
	};
	const unsigned int format = KUID_FORMAT_SNOWFLAKE;
	unsigned char id[8], want[8];
	struct kuid_fields f;

	for (size_t i = 0; i < sizeof(epochs) / sizeof(epochs[0]); i++) {
		uint64_t first = epochs[i], last = first + (1ULL << 41) - 1;

		/* The first and the last millisecond, and what is outside. */
		assert_ok(at_ms(false, first, first, id));
		kuid_lowest(format, want);
		assert_memory_equal(id, want, 8);
		assert_ok(at_ms(true, last, first, id));
		kuid_highest(format, want);
		assert_memory_equal(id, want, 8);
		assert_int_equal(want[0], 0x7f);
		assert_ok(kuid_decode(format, id, first, 0, &f));
		assert_int_equal(f.sec, last / 1000);
		assert_int_equal(f.worker, 1023);
		assert_int_equal(f.seq, 4095);
		assert_fails(at_ms(true, last + 1, first, id), ERANGE);
		if (first)
			assert_fails(at_ms(false, first - 1, first, id),
				     ERANGE);
	}
	assert_fails(kuid_lowest_at(format, -1, 0, 0, 0, id), ERANGE);
	assert_fails(kuid_decode(format, want, 8277292036001, 0, &f), EINVAL);
	assert_fails(kuid_decode(format, want, UINT64_MAX, 0, &f), EINVAL);
	/* A negative number is no snowflake. */
	id[0] |= 0x80;
	assert_fails(kuid_decode(format, id, 0, 0, &f), EINVAL);
}

TEST(intervals_are_5_to_10)
{
	static const unsigned int wrong[] = { 0, 4, 11, 256 + 8, ~0U };
	unsigned char id[KUID_ID_MAX] = { 0 };
	struct kuid_fields f;

	for (int k = 5; k < 7; k++) {
		for (unsigned int i = 5; i <= 10; i++)
			assert_ok(kuid_decode(formats[k], id, i, 0, &f));
		for (int i = 0; i < 5; i++) {
			assert_fails(kuid_decode(formats[k], id, wrong[i], 0,
						 &f),
				     EINVAL);
			TOO_WIDE(formats[k], .interval = wrong[i]);
		}
	}
	/* For others it may be anything. */
	assert_ok(kuid_decode(KUID_FORMAT_K64, id, 99, 0, &f));
}

TEST(each_format_has_its_fields)
{
	static const uint32_t uuid = KUID_HAS_VERSION | KUID_HAS_VARIANT |
				     KUID_HAS_TIME | KUID_HAS_TICKS;
	static const uint32_t grid = KUID_HAS_TIME | KUID_HAS_GRID |
				     KUID_HAS_SEQ;
	static const uint32_t has[] = {
		uuid | KUID_HAS_CLOCK_SEQ | KUID_HAS_LANE | KUID_HAS_NODE,
		uuid | KUID_HAS_CLOCK_SEQ | KUID_HAS_LANE | KUID_HAS_NODE,
		uuid | KUID_HAS_FRACTION | KUID_HAS_LANE | KUID_HAS_RANDOM,
		KUID_HAS_TIME | KUID_HAS_TICKS | KUID_HAS_WORKER,
		grid,
		grid | KUID_HAS_NODE | KUID_HAS_INTERVAL,
		grid | KUID_HAS_NODE | KUID_HAS_INTERVAL,
	};
	static const uint32_t resolutions[] = { 100,	 100,	  1,	  1000,
						1024000, 1024000, 1024000 };
	static const unsigned int versions[] = { 1, 6, 7, 0, 0, 0, 0 };

	for (size_t i = 0; i < NR_FORMATS; i++) {
		unsigned char id[KUID_ID_MAX];
		struct kuid_fields f;

		assert_ok(kuid_highest_at(formats[i], 1, 0, 8, KUID_FROM_KUID,
					  id));
		memset(&f, 0xcc, sizeof(f));
		assert_ok(kuid_decode(formats[i], id, 8, KUID_FROM_KUID, &f));
		assert_int_equal(f.format, formats[i]);
		assert_int_equal(f.has, has[i]);
		assert_int_equal(f.resolution_ns, resolutions[i]);
		assert_int_equal(f.version, versions[i]);
		assert_int_equal(f.variant, versions[i] ? KUID_VARIANT_RFC : 0);
		assert_int_equal(f.reserved[0] | f.reserved[1], 0);
		if (f.has & KUID_HAS_LANE)
			assert_int_equal(f.lane, 127);
	}
}

TEST(only_the_formats_own_version_is_taken_apart)
{
	for (int i = 0; i < 3; i++)
		for (unsigned int version = 0; version < 16; version++)
			for (unsigned int variant = 0; variant < 8; variant++) {
				unsigned char id[KUID_ID_MAX] = { 0 };
				bool right = version == (unsigned)"\1\6\7"[i] &&
					     variant >> 1 == 2;
				struct kuid_fields f;

				id[6] = version << 4 | 5;
				id[8] = variant << 5 | 3;
				errno = 0;
				assert_int_equal(kuid_decode(formats[i], id, 8,
							     0, &f),
						 right ? 0 : -1);
				assert_int_equal(errno, right ? 0 : EINVAL);
				assert_ok(kuid_decode(KUID_ANY_UUID, id, 8, 0,
						      &f));
				if (right)
					assert_int_equal(f.format, formats[i]);
				assert_int_equal(f.variant, variant < 4	   ? 0
							    : variant < 6  ? 1
							    : variant == 6 ? 2
									   : 3);
				assert_int_equal(f.version, variant >> 1 == 2
								    ? version
								    : 0);
			}
}

/* The first and last times of each format, and those just outside. */
TEST(times_outside_the_range_are_erange)
{
	static const struct {
		unsigned int format;
		int64_t sec;
		uint32_t nsec;
		bool ok;
	} times[] = {
		{ KUID_FORMAT_V1, -12219292800, 0, true },
		{ KUID_FORMAT_V1, -12219292801, 999999999, false },
		{ KUID_FORMAT_V1, 103072857660, 684697599, true },
		{ KUID_FORMAT_V1, 103072857660, 684697600, false },
		{ KUID_FORMAT_V1, INT64_MAX, 0, false },
		{ KUID_FORMAT_V1, INT64_MIN, 0, false },
		{ KUID_FORMAT_V7, 0, 0, true },
		{ KUID_FORMAT_V7, -1, 999999999, false },
		{ KUID_FORMAT_V7, 281474976710, 655999999, true },
		{ KUID_FORMAT_V7, 281474976710, 656000000, false },
		{ KUID_FORMAT_V7, INT64_MAX, 0, false },
		{ KUID_FORMAT_LEX, 0, 0, true },
		{ KUID_FORMAT_LEX, -1, 999999999, false },
		{ KUID_FORMAT_LEX, 18446744073709, 551615999, true },
		{ KUID_FORMAT_LEX, 18446744073709, 551616000, false },
		{ KUID_FORMAT_LEX, 18446744073710, 0, false },
		{ KUID_FORMAT_LEX, INT64_MAX, 0, false },
		{ KUID_FORMAT_LEX, INT64_MIN, 0, false },
		{ KUID_FORMAT_K64, 0, 0, true },
		{ KUID_FORMAT_K64, -1, 999999999, false },
		{ KUID_FORMAT_K64, 1048575999999, 999999999, true },
		{ KUID_FORMAT_K64, 1048576000000, 0, false },
		{ KUID_FORMAT_K64, INT64_MAX, 0, false },
		{ KUID_FORMAT_K64, INT64_MIN, 0, false },
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct kuid_fields f = { .format = times[i].format }, was = f;

		errno = 0;
		assert_int_equal(kuid_set_time(&f, times[i].sec, times[i].nsec),
				 times[i].ok ? 0 : -1);
		assert_int_equal(errno, times[i].ok ? 0 : ERANGE);
		if (!times[i].ok)
			assert_memory_equal(&f, &was, sizeof(f));
		assert_fails(kuid_set_time(&f, 0, 1000000000), EINVAL);
	}
}

TEST(highest_and_lowest_times_are_told)
{
	static const struct {
		unsigned int format;
		int64_t low_sec, high_sec;
		uint32_t high_nsec;
	} times[] = {
		{ KUID_FORMAT_V1, -12219292800, 103072857660, 684697500 },
		{ KUID_FORMAT_V6, -12219292800, 103072857660, 684697500 },
		{ KUID_FORMAT_V7, 0, 281474976710, 655000000 },
		{ KUID_FORMAT_LEX, 0, 18446744073709, 551615000 },
		/* B and C have room for more than is in them. */
		{ KUID_FORMAT_K64, 0, 1048576048576, 47552000 },
		{ KUID_FORMAT_K128, 0, 1048576048576, 47552000 },
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		unsigned int format = times[i].format;
		unsigned char id[KUID_ID_MAX];
		struct kuid_fields f;

		kuid_lowest(format, id);
		assert_ok(kuid_decode(format, id, 8, KUID_FROM_KUID, &f));
		assert_int_equal(f.sec, times[i].low_sec);
		assert_int_equal(f.nsec, 0);
		kuid_highest(format, id);
		assert_ok(kuid_decode(format, id, 8, KUID_FROM_KUID, &f));
		assert_int_equal(f.sec, times[i].high_sec);
		assert_int_equal(f.nsec, times[i].high_nsec);
	}
}

/* Each nanosecond of a millisecond has a fraction, and no fraction is of two. */
TEST(fractions_of_no_nanosecond_are_not_kuids)
{
	const uint32_t kuids = KUID_HAS_FRACTION | KUID_HAS_LANE |
			       KUID_HAS_RANDOM;
	uint32_t next = 0;

	for (uint32_t fraction = 0; fraction < 1 << 20; fraction++) {
		struct kuid_fields f = { .format = KUID_FORMAT_V7,
					 .ticks = 1999,
					 .fraction = fraction };
		unsigned char id[KUID_ID_MAX];
		bool is = (uint64_t)next * (1 << 20) / 1000000 == fraction;

		assert_ok(kuid_encode(&f, id));
		assert_ok(
			kuid_decode(KUID_FORMAT_V7, id, 0, KUID_FROM_KUID, &f));
		assert_int_equal(f.has & kuids, is ? kuids : 0);
		assert_int_equal(f.resolution_ns, is ? 1 : 1000000);
		assert_int_equal(f.sec, 1);
		assert_int_equal(f.nsec, 999000000 + (is ? next++ : 0));
	}
	assert_int_equal(next, 1000000);
}

/* Rounded down to the format's grid, whose last step of a second is short. */
static uint32_t rounded(unsigned int format, uint32_t nsec)
{
	switch (format) {
	case KUID_FORMAT_V1:
	case KUID_FORMAT_V6:
		return nsec / 100 * 100;
	case KUID_FORMAT_V7:
		return nsec;
	case KUID_FORMAT_LEX:
		return nsec / 1000 * 1000;
	default:
		return nsec / 1024000 * 1024000;
	}
}

static void check_time(unsigned int format, int64_t sec, uint32_t nsec)
{
	struct kuid_fields f = { .format = format, .interval = 8 }, got;
	unsigned char id[KUID_ID_MAX];

	if (kuid_set_time(&f, sec, nsec) || kuid_encode(&f, id) ||
	    kuid_decode(format, id, 8, KUID_FROM_KUID, &got) ||
	    got.sec != sec || got.nsec != rounded(format, nsec) ||
	    f.sec != got.sec || f.nsec != got.nsec ||
	    f.resolution_ns != got.resolution_ns)
		fail_msg("%s at %lld.%09u", kuid_format_name(format),
			 (long long)sec, nsec);
}

TEST(times_lead_back)
{
	for (int i = 0; i < 1000000; i++)
		check_time(formats[i % NR_FORMATS], random_below(103072857660),
			   random_below(1000000000));
	/* All times that v1 and v6 alone have. */
	for (int i = 0; i < 200000; i++)
		check_time(formats[i % 2],
			   -12219292800 + (int64_t)random_below(12219292800),
			   random_below(1000000000));
	/* The ends of all steps of a second. */
	for (uint32_t c = 0; c < 977; c++)
		for (size_t i = 0; i < NR_FORMATS; i++) {
			check_time(formats[i], 1700000000, c * 1024000);
			check_time(formats[i], 1700000000,
				   c == 976 ? 999999999
					    : c * 1024000 + 1023999);
		}
	/* All nanoseconds of a millisecond. */
	for (uint32_t ns = 0; ns < 1000000; ns++)
		check_time(KUID_FORMAT_V7, 1700000000, 999000000 + ns);
}

/* A new time leaves the rest as it is. */
TEST(setting_a_time_sets_nothing_else)
{
	for (size_t i = 0; i < NR_FORMATS; i++) {
		struct kuid_fields f = random_fields(formats[i]), want = f;

		f.has = want.has = 0x5a5a;
		assert_ok(kuid_set_time(&f, 1700000000, 5));
		want.sec = f.sec;
		want.nsec = f.nsec;
		want.resolution_ns = f.resolution_ns;
		want.ticks = f.ticks;
		want.fraction = f.fraction;
		want.a = f.a;
		want.b = f.b;
		want.c = f.c;
		assert_memory_equal(&f, &want, sizeof(f));
	}
}

TEST(time_is_that_of_the_fields)
{
	struct timespec time = { 0 }, untouched;
	unsigned char id[KUID_ID_MAX];

	for (int i = 0; i < 100000; i++) {
		struct kuid_fields f = random_fields(formats[i % NR_FORMATS]);
		unsigned int flags = random_below(2) ? KUID_FROM_KUID : 0;
		struct kuid_fields got;

		assert_ok(kuid_encode(&f, id));
		assert_ok(kuid_decode(f.format, id, f.interval, flags, &got));
		memset(&time, 0xcc, sizeof(time));
		untouched = time;
		if ((time_t)got.sec != got.sec) {
			assert_fails(kuid_time(f.format, id, f.interval, flags,
					       &time),
				     EOVERFLOW);
			assert_memory_equal(&time, &untouched, sizeof(time));
			continue;
		}
		assert_ok(kuid_time(f.format, id, f.interval, flags, &time));
		assert_int_equal(time.tv_sec, got.sec);
		assert_int_equal(time.tv_nsec, got.nsec);
	}

	/* Nil has none, nor has an ID of another version or interval. */
	memset(&time, 0xcc, sizeof(time));
	untouched = time;
	memset(id, 0, sizeof(id));
	assert_fails(kuid_time(KUID_ANY_UUID, id, 0, 0, &time), EINVAL);
	assert_fails(kuid_time(KUID_FORMAT_V1, id, 0, 0, &time), EINVAL);
	assert_fails(kuid_time(KUID_FORMAT_K96, id, 4, 0, &time), EINVAL);
	assert_fails(kuid_time(no_format(), id, 8, 0, &time), EINVAL);
	assert_memory_equal(&time, &untouched, sizeof(time));
}

/* Its bits below the millisecond may be anything, and are kept. */
TEST(v7_of_unknown_origin_has_milliseconds)
{
	/* RFC 9562 appendix A.6, made at .000 with random bits behind it. */
	static const char text[] = "017F22E2-79B0-7CC3-98C4-DC0C0C07398F";
	unsigned char id[KUID_ID_MAX], again[KUID_ID_MAX];
	struct kuid_fields f, kuids;
	struct timespec time;

	assert_int_equal(kuid_recognise(text, 36, id, NULL), KUID_FORMAT_V7);
	assert_ok(kuid_time(KUID_FORMAT_V7, id, 0, 0, &time));
	assert_int_equal(time.tv_sec, 1645557742);
	assert_int_equal(time.tv_nsec, 0);
	for (int i = 0; i < 100000; i++) {
		unsigned int format = i % 3 ? KUID_FORMAT_V7 : KUID_ANY_UUID;

		memset(&f, 0xcc, sizeof(f));
		assert_ok(kuid_decode(format, id, 0, 0, &f));
		assert_int_equal(f.has, KUID_HAS_VERSION | KUID_HAS_VARIANT |
						KUID_HAS_TIME | KUID_HAS_TICKS);
		assert_int_equal(f.sec, f.ticks / 1000);
		assert_int_equal(f.nsec, f.ticks % 1000 * 1000000);
		assert_int_equal(f.resolution_ns, 1000000);
		assert_ok(kuid_encode(&f, again));
		assert_memory_equal(again, id, sizeof(id));
		/* The rest is what it is with the flag. */
		assert_ok(kuid_decode(format, id, 0, KUID_FROM_KUID, &kuids));
		assert_true(same_bits(&f, &kuids));

		f = random_fields(KUID_FORMAT_V7);
		assert_ok(kuid_encode(&f, id));
	}
}

TEST(unknown_flags_are_refused)
{
	unsigned char id[KUID_ID_MAX];
	struct kuid_fields f, was;
	struct timespec time;

	memset(&f, 0xcc, sizeof(f));
	was = f;
	for (size_t i = 0; i < NR_FORMATS; i++) {
		assert_ok(kuid_lowest(formats[i], id));
		for (unsigned int flag = 2; flag; flag <<= 1) {
			assert_fails(kuid_decode(formats[i], id, 8, flag, &f),
				     EINVAL);
			assert_fails(kuid_time(formats[i], id, 8,
					       flag | KUID_FROM_KUID, &time),
				     EINVAL);
		}
	}
	assert_memory_equal(&f, &was, sizeof(f));
}

int main(void)
{
	return run_cases("fields", NULL, NULL);
}
