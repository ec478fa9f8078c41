// SPDX-License-Identifier: MIT
/* libkuid against the golden vectors, from fields and from text. */
#include <inttypes.h>
#include <errno.h>
#include <kuid.h>
#include <stdio.h>
#include <stdlib.h>

#include "../fails.h"
#include "cases.h"
#include "vectors.h"

#define SEC_NS 1000000000
#define MS_NS  1000000

/* The fields give the text, and the text gives the fields, bit for bit. */
static void check(const struct kuid_fields *fields, const char *want,
		  const char *want_hex)
{
	unsigned char id[KUID_ID_MAX], parsed[KUID_ID_MAX];
	unsigned char again[KUID_ID_MAX];
	size_t size = kuid_format_id_size(fields->format);
	struct kuid_fields decoded;
	char text[KUID_TEXT_MAX];

	assert_ok(kuid_encode(fields, id));
	assert_ok(kuid_text(fields->format, id, text, sizeof(text)));
	assert_string_equal(text, want);
	assert_ok(kuid_parse(fields->format, want, strlen(want), parsed, NULL));
	assert_memory_equal(parsed, id, size);
	/* A decimal number could be anything. */
	if (fields->format == KUID_FORMAT_SNOWFLAKE) {
		assert_int_equal(kuid_parse_lenient(fields->format, want,
						    strlen(want), parsed, NULL),
				 fields->format);
	} else {
		assert_int_equal(kuid_recognise(want, strlen(want), parsed,
						NULL),
				 fields->format);
	}
	assert_memory_equal(parsed, id, size);
	if (want_hex) {
		assert_ok(kuid_text_form(fields->format, KUID_FORM_HEX, id,
					 text, sizeof(text)));
		assert_string_equal(text, want_hex);
	}

	assert_ok(kuid_decode(fields->format, id,
			      fields->epoch_ms + fields->interval,
			      KUID_FROM_KUID, &decoded));
	assert_int_equal(decoded.format, fields->format);
	assert_int_equal(decoded.ticks, fields->ticks);
	assert_int_equal(decoded.fraction, fields->fraction);
	assert_int_equal(decoded.a, fields->a);
	assert_int_equal(decoded.b, fields->b);
	assert_int_equal(decoded.c, fields->c);
	assert_int_equal(decoded.clock_seq, fields->clock_seq);
	assert_int_equal(decoded.seq, fields->seq);
	assert_int_equal(decoded.node, fields->node);
	assert_int_equal(decoded.worker, fields->worker);
	assert_int_equal(decoded.random, fields->random);
	assert_ok(kuid_encode(&decoded, again));
	assert_memory_equal(again, id, size);
}

static void check_uuid(char **column)
{
	unsigned int version = strtoul(column[0], NULL, 10);
	uint64_t ns = strtoull(column[1], NULL, 10);
	struct kuid_fields fields = {
		.format = version == 1	 ? KUID_FORMAT_V1
			  : version == 6 ? KUID_FORMAT_V6
					 : KUID_FORMAT_V7,
	};
	struct kuid_fields decoded;
	unsigned char id[KUID_ID_MAX];

	assert_ok(kuid_set_time(&fields, ns / SEC_NS, ns % SEC_NS));
	if (version == 7) {
		uint64_t rand_a = vectors_hex(column[4]);
		uint64_t rand_b = vectors_hex(column[5]);

		/* Random where we would have a fraction and a lane. */
		fields.fraction = rand_a << 8 | rand_b >> 54;
		fields.lane = rand_b >> 47 & 0x7f;
		fields.random = rand_b & ((1ULL << 47) - 1);
	} else {
		fields.clock_seq = vectors_hex(column[2]);
		fields.node = vectors_hex(column[3]);
	}
	check(&fields, column[6], NULL);

	assert_ok(kuid_encode(&fields, id));
	assert_ok(kuid_decode(fields.format, id, 0, 0, &decoded));
	assert_int_equal(decoded.version, version);
	assert_int_equal(decoded.variant, KUID_VARIANT_RFC);
	assert_int_equal(decoded.sec, ns / SEC_NS);
	assert_int_equal(decoded.nsec, version == 7
					       ? ns % SEC_NS / MS_NS * MS_NS
					       : ns % SEC_NS);
}

static void check_lexical(char **column)
{
	const struct kuid_fields fields = {
		.format = KUID_FORMAT_LEX,
		.ticks = vectors_hex(column[0]),
		.worker = vectors_hex(column[1]),
	};

	check(&fields, column[2], column[3]);
}

static void check_kordered(char **column)
{
	struct kuid_fields fields = {
		.format = column[0][0] == 'l'	? KUID_FORMAT_K64
			  : column[0][0] == 'g' ? KUID_FORMAT_K96
						: KUID_FORMAT_K128,
		.a = strtoul(column[1], NULL, 10),
		.b = strtoul(column[2], NULL, 10),
		.c = strtoul(column[3], NULL, 10) >> 10,
		.seq = strtoul(column[4], NULL, 10),
	};

	if (fields.format != KUID_FORMAT_K64) {
		fields.node = vectors_hex(column[5]);
		fields.interval = strtoul(column[6], NULL, 10);
	}
	check(&fields, column[8], column[7]);
}

/* The library's time is that of the row, and the time gives the ID. */
static void check_snowflake(char **column)
{
	uint64_t unix_ms = strtoull(column[1], NULL, 10);
	struct kuid_fields fields = {
		.format = KUID_FORMAT_SNOWFLAKE,
		.epoch_ms = strtoull(column[0], NULL, 10),
		.worker = strtoul(column[2], NULL, 10),
		.seq = strtoul(column[3], NULL, 10),
	};
	unsigned char id[KUID_ID_MAX];
	struct kuid_fields decoded;
	struct timespec time;

	assert_ok(kuid_set_time(&fields, unix_ms / 1000,
				unix_ms % 1000 * MS_NS + MS_NS - 1));
	check(&fields, column[4], column[5]);

	assert_ok(kuid_encode(&fields, id));
	assert_ok(kuid_decode(fields.format, id, fields.epoch_ms, 0, &decoded));
	assert_int_equal(decoded.has, KUID_HAS_TIME | KUID_HAS_TICKS |
					      KUID_HAS_WORKER | KUID_HAS_SEQ |
					      KUID_HAS_EPOCH);
	assert_int_equal(decoded.ticks, unix_ms - fields.epoch_ms);
	assert_int_equal(decoded.epoch_ms, fields.epoch_ms);
	assert_int_equal(decoded.sec, unix_ms / 1000);
	assert_int_equal(decoded.nsec, unix_ms % 1000 * MS_NS);
	assert_int_equal(decoded.resolution_ns, MS_NS);
	/* The time_t of 32 bits ends in 2038. */
	if ((uint64_t)(time_t)(unix_ms / 1000) != unix_ms / 1000) {
		assert_int_equal(kuid_time(fields.format, id, fields.epoch_ms,
					   0, &time),
				 -1);
		assert_int_equal(errno, EOVERFLOW);
		return;
	}
	assert_ok(kuid_time(fields.format, id, fields.epoch_ms, 0, &time));
	assert_int_equal(time.tv_sec, unix_ms / 1000);
	assert_int_equal(time.tv_nsec, unix_ms % 1000 * MS_NS);
}

static void check_coldfusion(char **column)
{
	unsigned char id[KUID_ID_MAX], other[KUID_ID_MAX];
	const char *uuid = column[0], *coldfusion = column[1];
	char text[KUID_TEXT_MAX];
	int format = kuid_recognise(uuid, strlen(uuid), id, NULL);

	assert_int_equal(format, KUID_FORMAT_V1);
	assert_ok(kuid_text_form(format, KUID_FORM_COLDFUSION, id, text,
				 sizeof(text)));
	assert_string_equal(text, coldfusion);
	assert_int_equal(kuid_recognise(coldfusion, strlen(coldfusion), other,
					NULL),
			 format);
	assert_memory_equal(other, id, 16);
	assert_ok(kuid_text(format, other, text, sizeof(text)));
	assert_string_equal(text, uuid);
}

TEST(uuids)
{
	assert_int_equal(vectors_each("uuid", check_uuid), 9);
}

TEST(lexical)
{
	assert_int_equal(vectors_each("lexical", check_lexical), 4);
}

TEST(kordered)
{
	assert_int_equal(vectors_each("kordered", check_kordered), 14);
}

TEST(snowflake)
{
	assert_int_equal(vectors_each("snowflake", check_snowflake), 14);
}

TEST(coldfusion)
{
	assert_int_equal(vectors_each("coldfusion", check_coldfusion), 2);
}

int main(void)
{
	return run_cases("vectors", NULL, NULL);
}
