// SPDX-License-Identifier: MIT
/* Text of IDs in all its forms, written, read, and refused. */
#include <ctype.h>
#include <errno.h>
#include <kuid.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../fails.h"
#include "cases.h"

#define V1	  "c232ab00-9414-11ec-b3c8-9f6bdeced846"
#define V6	  "1ec9414c-232a-6b00-b3c8-9f6bdeced846"
#define V7	  "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
#define LEX	  "00060a24-1820-2078-db3f053403ad937a"
#define CF	  "C232AB00-9414-11EC-B3C89F6BDECED846"
#define K64	  ".5.tXbhdV.3"
#define K96	  ".5.tXVEf8n8vPN.0"
#define K128	  ".5d0s_jKhxrtMxs0cEFzzk"
#define SNOWFLAKE "1724551110972215297"
#define ULID	  "01FWHE4YDGFK1SHH6W1G60EECF"
#define V4	  "919108f7-52d1-4320-9bac-f847db4148a8"
#define NIL	  "00000000-0000-0000-0000-000000000000"
#define MAX	  "ffffffff-ffff-ffff-ffff-ffffffffffff"

static const struct {
	unsigned int format;
	const char *name;
	size_t id_size;
	const char *text;
	const char *device;
	int made_from;
	int shows;
} formats[] = {
	{ KUID_FORMAT_V1, "v1", 16, V1, "/dev/kuid", KUID_MADE_FROM_STAMPS,
	  KUID_SHOWS_NODE },
	{ KUID_FORMAT_V6, "v6", 16, V6, "/dev/kuids/v6", KUID_MADE_FROM_STAMPS,
	  KUID_SHOWS_NODE },
	{ KUID_FORMAT_V7, "v7", 16, V7, "/dev/kuids/v7", KUID_MADE_FROM_STAMPS,
	  0 },
	{ KUID_FORMAT_LEX, "lex", 16, LEX, "/dev/kuids/lex", KUID_MADE_FROM_LEX,
	  KUID_SHOWS_WORKER },
	{ KUID_FORMAT_K64, "k64", 8, K64, "/dev/kuids/k64", KUID_MADE_FROM_GRID,
	  0 },
	{ KUID_FORMAT_K96, "k96", 12, K96, "/dev/kuids/k96",
	  KUID_MADE_FROM_GRID, KUID_SHOWS_WORKER },
	{ KUID_FORMAT_K128, "k128", 16, K128, "/dev/kuids/k128",
	  KUID_MADE_FROM_GRID, KUID_SHOWS_WORKER },
	{ KUID_FORMAT_SNOWFLAKE, "snowflake", 8, SNOWFLAKE,
	  "/dev/kuids/snowflake", KUID_MADE_FROM_SNOWFLAKE,
	  KUID_SHOWS_SNOWFLAKE },
	{ KUID_ANY_UUID, "uuid", 16, V4, "none", -1, -1 },
};

#define NR_FORMATS (sizeof(formats) / sizeof(formats[0]))

/* All forms are numbered from 0 on. */
#define NR_FORMS (KUID_FORM_URN + 1)

/* In place of a form: lenient parsing, and that of texts of any format. */
#define LENIENT	   (NR_FORMS + 1)
#define RECOGNISED (NR_FORMS + 2)
#define ANY	   KUID_FORMAT_DEFAULT

#define LINES 100

static bool is_uuid(unsigned int format)
{
	return kuid_format_text_size(format, KUID_FORM_CANONICAL) == 36;
}

static bool has_form(unsigned int format, unsigned int form)
{
	switch (form) {
	case KUID_FORM_COLDFUSION:
	case KUID_FORM_BRACES:
	case KUID_FORM_URN:
		return is_uuid(format);
	case KUID_FORM_DECIMAL:
		return format == KUID_FORMAT_K64 ||
		       format == KUID_FORMAT_SNOWFLAKE;
	case KUID_FORM_ULID:
		return format == KUID_FORMAT_V7;
	default:
		return true;
	}
}

/* Whether texts of the form are as long as the longest one. */
static bool is_fixed(unsigned int format, unsigned int form)
{
	return form != KUID_FORM_DECIMAL &&
	       (format != KUID_FORMAT_SNOWFLAKE || form != KUID_FORM_CANONICAL);
}

/*
 * All parsing goes through here: the text is put where memory ends, so that
 * the address sanitizer sees every read beyond it.
 */
static int parse(unsigned int format, unsigned int form, const char *text,
		 size_t size, void *id, size_t *where)
{
	char *copy = malloc(size + !size);
	int result;

	assert_non_null(copy);
	memcpy(copy, text, size);
	errno = 0;
	if (form == LENIENT)
		result = kuid_parse_lenient(format, copy, size, id, where);
	else if (form == RECOGNISED)
		result = kuid_recognise(copy, size, id, where);
	else
		result = kuid_parse_form(format, form, copy, size, id, where);
	free(copy);
	return result;
}

static void assert_refused(unsigned int format, unsigned int form,
			   const char *text, size_t size, size_t at)
{
	unsigned char id[KUID_ID_MAX], untouched[KUID_ID_MAX];
	size_t where = 999;

	memset(id, 0xcc, sizeof(id));
	memset(untouched, 0xcc, sizeof(untouched));
	if (parse(format, form, text, size, id, &where) != -1 || where != at)
		fail_msg("\"%.*s\": wrong at %zu, not %zu", (int)size, text,
			 where, at);
	assert_int_equal(errno, EINVAL);
	assert_memory_equal(id, untouched, sizeof(id));
	/* Nobody has to want to know where. */
	assert_int_equal(parse(format, form, text, size, id, NULL), -1);
}

static void put_text(unsigned int format, unsigned int form, const void *id,
		     char *text)
{
	assert_ok(kuid_text_form(format, form, id, text, KUID_TEXT_MAX));
}

/* A random ID of the format in the row, with many bytes of ones. */
static void draw(size_t row, unsigned char *id)
{
	unsigned int format = formats[row].format;

	for (size_t n = 0; n < KUID_ID_MAX; n++)
		id[n] = random_below(4) ? random_below(256) : 255;
	if (is_uuid(format) && format != KUID_ANY_UUID) {
		id[6] = formats[row].name[1] << 4 | (id[6] & 0xf);
		id[8] = 0x80 | (id[8] & 0x3f);
	}
	if (format == KUID_FORMAT_SNOWFLAKE)
		id[0] &= 0x7f;
}

#define ID(format, form) KUID_FORMAT_##format, KUID_FORM_##form

/* One ID in each form, as others write it. */
static const struct {
	unsigned int format;
	unsigned int form;
	const char *text;
	const char *canonical;
} examples[] = {
	{ ID(V1, CANONICAL), V1, V1 },
	{ ID(V1, COLDFUSION), CF, V1 },
	{ ID(V1, HEX), "c232ab00941411ecb3c89f6bdeced846", V1 },
	{ ID(V1, BRACES), "{" V1 "}", V1 },
	{ ID(V6, URN), "urn:uuid:" V6, V6 },
	{ ID(V7, ULID), ULID, V7 },
	/* The time of the ULID specification, and the last one. */
	{ ID(V7, ULID), "01ARYZ6S41E008000000000000",
	  "01563df3-6481-7000-8000-000000000000" },
	{ ID(V7, ULID), "7ZZZZZZZZZFZZVZZZZZZZZZZZZ",
	  "ffffffff-ffff-7fff-bfff-ffffffffffff" },
	{ ID(LEX, CANONICAL), LEX, LEX },
	{ ID(LEX, HEX), "00060a2418202078db3f053403ad937a", LEX },
	{ ID(K64, CANONICAL), K64, K64 },
	{ ID(K64, HEX), "0060398a7b698001", K64 },
	{ ID(K64, DECIMAL), "27084864703004673", K64 },
	{ ID(K64, DECIMAL), "18446744073709551615", "zzzzzzzzzzw" },
	{ ID(K64, DECIMAL), "9223372036854775808", "V.........." },
	{ ID(K64, DECIMAL), "10", "..........c" },
	{ ID(K64, DECIMAL), "0", "..........." },
	{ ID(SNOWFLAKE, CANONICAL), "0", "0" },
	{ ID(SNOWFLAKE, DECIMAL), "9223372036854775807",
	  "9223372036854775807" },
	{ ID(SNOWFLAKE, HEX), "7fffffffffffffff", "9223372036854775807" },
	{ ID(K96, CANONICAL), K96, K96 },
	{ ID(K128, CANONICAL), K128, K128 },
	{ KUID_ANY_UUID, KUID_FORM_BRACES, "{" V4 "}", V4 },
	{ KUID_ANY_UUID, KUID_FORM_URN, "urn:uuid:" NIL, NIL },
};

#define NR_EXAMPLES (sizeof(examples) / sizeof(examples[0]))

TEST(examples_are_written_and_read)
{
	for (size_t i = 0; i < NR_EXAMPLES; i++) {
		unsigned char id[KUID_ID_MAX], got[KUID_ID_MAX];
		unsigned int format = examples[i].format;
		const char *canonical = examples[i].canonical;
		char text[KUID_TEXT_MAX];

		assert_ok(kuid_parse(format, canonical, strlen(canonical), id,
				     NULL));
		put_text(format, examples[i].form, id, text);
		assert_string_equal(text, examples[i].text);
		assert_ok(parse(format, examples[i].form, text, strlen(text),
				got, NULL));
		assert_memory_equal(got, id, kuid_format_id_size(format));
	}
}

TEST(formats_are_known)
{
	unsigned int listed = 0;

	for (size_t i = 0; i < NR_FORMATS; i++) {
		unsigned int format = formats[i].format;

		assert_string_equal(kuid_format_name(format), formats[i].name);
		assert_int_equal(kuid_format_number(formats[i].name), format);
		assert_int_equal(kuid_format_id_size(format),
				 formats[i].id_size);
		assert_int_equal(kuid_format_text_size(format,
						       KUID_FORM_CANONICAL),
				 strlen(formats[i].text));
		errno = 0;
		assert_int_equal(kuid_format_made_from(format),
				 formats[i].made_from);
		assert_int_equal(kuid_format_shows(format), formats[i].shows);
		assert_string_equal(kuid_format_device(format) ?: "none",
				    formats[i].device);
		assert_int_equal(errno, format == KUID_ANY_UUID ? EINVAL : 0);
	}
	/* Those that are made are numbered from 1 on. */
	for (; kuid_format_name(listed + 1); listed++)
		assert_int_equal(listed + 1, formats[listed].format);
	assert_int_equal(listed + 1, NR_FORMATS);
	assert_string_equal(kuid_format_name(KUID_FORMAT_DEFAULT), "v1");
	assert_int_equal(kuid_format_id_size(KUID_FORMAT_DEFAULT), 16);
	assert_string_equal(kuid_format_device(KUID_FORMAT_DEFAULT),
			    "/dev/kuid");
}

TEST(a_form_has_a_size_only_where_there_is_one)
{
	for (size_t i = 0; i < NR_FORMATS; i++) {
		unsigned int format = formats[i].format;

		const size_t sizes[NR_FORMS] = {
			[KUID_FORM_CANONICAL] = strlen(formats[i].text),
			[KUID_FORM_COLDFUSION] = 35,
			[KUID_FORM_HEX] = 2 * formats[i].id_size,
			[KUID_FORM_DECIMAL] =
				format == KUID_FORMAT_SNOWFLAKE ? 19 : 20,
			[KUID_FORM_ULID] = 26,
			[KUID_FORM_BRACES] = 38,
			[KUID_FORM_URN] = 45,
		};

		for (unsigned int form = 0; form < NR_FORMS; form++) {
			bool has = has_form(format, form);

			errno = 0;
			assert_int_equal(kuid_format_text_size(format, form),
					 has ? sizes[form] : 0);
			assert_int_equal(errno, has ? 0 : EINVAL);
		}
		errno = 0;
		assert_ok(kuid_format_text_size(format, NR_FORMS));
		assert_int_equal(errno, EINVAL);
	}
}

/* Lines of IDs that have most of their bits in common, or few. */
TEST(lines_are_the_texts_of_ids)
{
	static unsigned char ids[LINES * KUID_ID_MAX];
	static char lines[LINES * KUID_TEXT_MAX + 1];

	for (size_t i = 0; i < sizeof(ids); i++)
		ids[i] = i % 7 ? 0x5a : i / 3 & 0x7f;
	for (size_t i = 0; i < NR_FORMS * NR_FORMATS; i++) {
		unsigned int format = formats[i / NR_FORMS].format;
		unsigned int form = i % NR_FORMS;
		size_t length = kuid_format_text_size(format, form);
		size_t size = LINES * (length + 1), written = 0;
		char text[KUID_TEXT_MAX + 1];

		errno = 0;
		memset(lines, 0xcc, sizeof(lines));
		if (!length) {
			assert_int_equal(kuid_text_lines(format, form, ids,
							 LINES, lines,
							 sizeof(lines)),
					 -1);
			assert_int_equal(errno, EINVAL);
			continue;
		}
		assert_int_equal(kuid_text_lines(format, form, ids, LINES,
						 lines, size - 1),
				 -1);
		assert_int_equal(errno, ERANGE);
		assert_int_equal((unsigned char)lines[0], 0xcc);
		size = kuid_text_lines(format, form, ids, LINES, lines, size);
		assert_int_equal((unsigned char)lines[size], 0xcc);
		for (size_t line = 0; line < LINES; line++) {
			const unsigned char *id =
				ids + line * formats[i / NR_FORMS].id_size;

			put_text(format, form, id, text);
			strcat(text, "\n");
			assert_memory_equal(lines + written, text,
					    strlen(text));
			written += strlen(text);
		}
		assert_int_equal(written, size);
		if (is_fixed(format, form))
			assert_int_equal(size, LINES * (length + 1));
	}
}

TEST(no_lines_need_no_room)
{
	char text = 'x';

	assert_ok(kuid_text_lines(KUID_FORMAT_V1, KUID_FORM_CANONICAL, NULL, 0,
				  &text, 0));
	assert_int_equal(text, 'x');
	/* As many that the bytes they need are more than there can be. */
	assert_fails(kuid_text_lines(KUID_FORMAT_K64, KUID_FORM_CANONICAL, NULL,
				     SIZE_MAX / 12 + 1, &text, 1),
		     ERANGE);
}

TEST(unknown_formats_are_einval)
{
	/* The table has one row that isn't numbered, that of any UUID. */
	static const unsigned int unknown[] = { NR_FORMATS, 99,
						KUID_ANY_UUID + 1, 0x7fffffff,
						~0U };
	static const char *const names[] = {
		"", "v", "v11", "V1", "v2", " v1", "k32", "k1280", "LEX", "v1 "
	};
	char text[KUID_TEXT_MAX];
	unsigned char id[KUID_ID_MAX] = { 0 };
	struct kuid_fields fields;
	size_t where;
	int order;

#define assert_einval(call)                      \
	do {                                     \
		errno = 0;                       \
		assert_true(call);               \
		assert_int_equal(errno, EINVAL); \
	} while (0)
	for (size_t i = 0; i < 5; i++) {
		unsigned int f = unknown[i];

		assert_einval(!kuid_format_name(f));
		assert_einval(!kuid_format_id_size(f));
		assert_einval(!kuid_format_text_size(f, KUID_FORM_CANONICAL));
		assert_einval(!kuid_format_device(f));
		assert_einval(kuid_format_made_from(f) == -1);
		assert_einval(kuid_format_shows(f) == -1);
		assert_einval(kuid_text_lines(f, KUID_FORM_HEX, id, 1, text,
					      sizeof(text)) == -1);
		assert_einval(!kuid_open(f));
		assert_einval(kuid_text(f, id, text, sizeof(text)) == -1);
		assert_einval(kuid_parse(f, V1, 36, id, &where) == -1);
		assert_einval(kuid_parse_lenient(f, V1, 36, id, &where) == -1);
		assert_einval(kuid_decode(f, id, 8, 0, &fields) == -1);
		fields = (struct kuid_fields) { .format = f };
		assert_einval(kuid_encode(&fields, id) == -1);
		assert_einval(kuid_set_time(&fields, 0, 0) == -1);
		assert_einval(kuid_lowest(f, id) == -1);
		assert_einval(kuid_highest(f, id) == -1);
		assert_einval(kuid_compare(f, id, id, &order) == -1);
		assert_einval(kuid_compare_bound(f, id, id, 8, 0, 0, &order) ==
			      -1);
		assert_einval(kuid_convert(f, id, f, id, 8, NULL) == -1);
		assert_einval(kuid_convert(KUID_FORMAT_K64, id, f, id, 8,
					   NULL) == -1);
	}
	/* UUIDs of unknown versions are known, but not made. */
	assert_einval(!kuid_open(KUID_ANY_UUID));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_einval(kuid_format_number(names[i]) == -1);
}

TEST(forms_are_for_their_formats)
{
	unsigned char id[KUID_ID_MAX] = { 0 };
	char text[KUID_TEXT_MAX];

	for (size_t i = 0; i < NR_FORMATS; i++) {
		unsigned int format = formats[i].format;

		for (unsigned int form = 0; form <= NR_FORMS; form++) {
			if (form < NR_FORMS && has_form(format, form))
				continue;
			assert_einval(kuid_text_form(format, form, id, text,
						     sizeof(text)) == -1);
			for (size_t n = 0; n < NR_EXAMPLES; n++)
				assert_einval(parse(format, form,
						    examples[n].text,
						    strlen(examples[n].text),
						    id, NULL) == -1);
		}
	}
}

TEST(text_needs_room)
{
	char text[KUID_TEXT_MAX], untouched[KUID_TEXT_MAX];
	unsigned char id[KUID_ID_MAX] = { 0 };

	memset(untouched, 0xcc, sizeof(untouched));
	for (size_t i = 0; i < NR_FORMATS; i++)
		for (unsigned int form = 0; form < NR_FORMS; form++) {
			unsigned int format = formats[i].format;
			size_t size = 0;

			if (!has_form(format, form))
				continue;
			memset(text, 0xcc, sizeof(text));
			while (kuid_text_form(format, form, id, text, size)) {
				assert_int_equal(errno, ERANGE);
				assert_memory_equal(text, untouched,
						    sizeof(text));
				size++;
			}
			assert_int_equal(strlen(text), size - 1);
			assert_memory_equal(text + size, untouched,
					    sizeof(text) - size);
		}
}

/* All IDs of all formats in all forms, there and back. */
TEST(text_leads_back_to_the_id)
{
	for (int i = 0; i < 1000000; i++) {
		unsigned int format = formats[i % NR_FORMATS].format;
		unsigned int form = i / NR_FORMATS % NR_FORMS;
		size_t size = kuid_format_id_size(format);
		unsigned char id[KUID_ID_MAX], got[KUID_ID_MAX];
		char text[KUID_TEXT_MAX];
		size_t where = 0;
		int found;

		draw(i % NR_FORMATS, id);
		if (kuid_text_form(format, form, id, text, sizeof(text))) {
			assert_false(has_form(format, form));
			continue;
		}
		if (kuid_parse_form(format, form, text, strlen(text), got,
				    &where) ||
		    memcmp(got, id, size))
			fail_msg("%s is wrong at %zu", text, where);
		if (form > KUID_FORM_COLDFUSION ||
		    format == KUID_FORMAT_SNOWFLAKE)
			continue;
		found = kuid_recognise(text, strlen(text), got, &where);
		if (found < 0 || memcmp(got, id, size) ||
		    is_uuid(found) != is_uuid(format))
			fail_msg("%s is taken for %d", text, found);
		if (format != KUID_ANY_UUID)
			assert_int_equal(found, format);
	}
}

TEST(snowflakes_are_numbers_of_63_bits)
{
	static const unsigned char negative[8] = { 0x80 };
	char text[KUID_TEXT_MAX];

	for (unsigned int form = 0; form < NR_FORMS; form++) {
		if (is_fixed(KUID_FORMAT_SNOWFLAKE, form))
			continue;
		assert_einval(kuid_text_form(KUID_FORMAT_SNOWFLAKE, form,
					     negative, text,
					     sizeof(text)) == -1);
		assert_einval(kuid_text_lines(KUID_FORMAT_SNOWFLAKE, form,
					      negative, 1, text,
					      sizeof(text)) == -1);
	}
}

TEST(texts_are_recognised)
{
	static const struct {
		const char *text;
		int format;
	} texts[] = {
		{ CF, KUID_FORMAT_V1 },
		{ NIL, KUID_ANY_UUID },
		{ MAX, KUID_ANY_UUID },
		/* The version has no meaning in another variant. */
		{ "c232ab00-9414-11ec-c3c8-9f6bdeced846", KUID_ANY_UUID },
		{ "c232ab00-9414-61ec-33c8-9f6bdeced846", KUID_ANY_UUID },
		/* Digits alone could be either; the first letter decides. */
		{ "00000000-0000-1000-8000000000000000", KUID_FORMAT_LEX },
		{ "00000000-0000-1000-800000000000000A", KUID_FORMAT_V1 },
		{ "00000000-0000-4000-800000000000000A", KUID_ANY_UUID },
		{ "00000000-0000-1000-800000000000000a", KUID_FORMAT_LEX },
		/* The case of a UUID's digits is free. */
		{ "C232Ab00-9414-11Ec-B3c8-9F6bdecEd846", KUID_FORMAT_V1 },
	};
	unsigned char id[KUID_ID_MAX];

	/* A decimal number could be anything. */
	for (size_t i = 0; i < NR_FORMATS; i++)
		assert_int_equal(kuid_recognise(formats[i].text,
						strlen(formats[i].text), id,
						NULL),
				 formats[i].format == KUID_FORMAT_SNOWFLAKE
					 ? -1
					 : (int)formats[i].format);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(kuid_recognise(texts[i].text,
						strlen(texts[i].text), id,
						NULL),
				 texts[i].format);
}

/* Texts that are refused, and where they are wrong. */
static const struct {
	unsigned int format;
	unsigned int form;
	const char *text;
	size_t at;
} wrong[] = {
	{ ID(LEX, CANONICAL), "00060A24-1820-2078-db3f053403ad937a", 5 },
	{ ID(V1, COLDFUSION), "C232AB00-9414-11EC-B3C89F6BDECED84a", 34 },
	{ ID(V1, COLDFUSION), "c232AB00-9414-11EC-B3C89F6BDECED84A", 0 },
	/* An example of others, with random bits for version and variant. */
	{ ID(V7, ULID), "01ARZ3NDEKTSV4RRFFQ69G5FAV", 10 },
	{ ID(K64, DECIMAL), "18446744073709551616", 19 },
	{ ID(K64, DECIMAL), "18446744073709551620", 19 },
	{ ID(K64, DECIMAL), "99999999999999999999", 19 },
	{ ID(K64, DECIMAL), "184467440737095516150", 20 },
	{ ID(K64, DECIMAL), "100000000000000000000000000000000000000000", 20 },
	{ ID(SNOWFLAKE, DECIMAL), "9223372036854775808", 18 },
	{ ID(SNOWFLAKE, DECIMAL), "9223372036854775810", 18 },
	{ ID(SNOWFLAKE, DECIMAL), "92233720368547758070", 19 },
	{ ID(SNOWFLAKE, DECIMAL), "18446744073709551615", 19 },
	{ ID(SNOWFLAKE, CANONICAL), "99999999999999999999999", 18 },
	{ ID(SNOWFLAKE, CANONICAL), "9223372036854775808", 18 },
	{ ID(SNOWFLAKE, CANONICAL), "92233720368547758070", 19 },
	{ ID(SNOWFLAKE, HEX), "8000000000000000", 0 },
	{ ANY, RECOGNISED, "", 0 },
	{ ANY, RECOGNISED, "x", 1 },
	{ ANY, RECOGNISED, "abc def", 3 },
	{ ANY, RECOGNISED, "abc\n", 3 },
	{ ANY, RECOGNISED, ".5.tXbhdV.", 10 },
	{ ANY, RECOGNISED, ".5.tXbhdV.33", 12 },
	{ ANY, RECOGNISED, ".5.tXbhdV.4", 10 },
	{ ANY, RECOGNISED, ".5.tXbhdV-3", 9 },
	{ ANY, RECOGNISED, V1 "0", 36 },
	{ ANY, RECOGNISED, V1 "\n", 36 },
	{ ANY, RECOGNISED, "{" V1 "}", 0 },
	{ ANY, RECOGNISED, "c232ab00941411ecb3c89f6bdeced846", 32 },
	{ ANY, RECOGNISED, "C232AB00-9414-11EC-B3C89F6BDECED84a", 34 },
	{ ANY, RECOGNISED, "c232ab00-9414-11ec-b3c89f6bdeced84A", 34 },
	{ ANY, RECOGNISED, "c232ab00-9414-11ec-b3c8-9f6bdeced84g", 35 },
	{ ANY, RECOGNISED, "c232ab00-9414-11ecb-3c8-9f6bdeced846", 18 },
	/* A UUID that is cut, not lex and not ColdFusion's form. */
	{ ANY, RECOGNISED, "c232ab00-9414-11ec-b3c8-9f6bdeced84", 35 },
	{ ANY, RECOGNISED, "C232AB00-9414-11EC-B3C8-9F6BDECED84", 35 },
	{ ANY, RECOGNISED, "c232ab00-9414-11ec-b3c8-9f6bdecg", 31 },
	{ ANY, RECOGNISED, "c232ab00-9414-11ec-b3c8-9f6bdeced846c232ab00-9414",
	  36 },
	{ ANY, LENIENT, "", 0 },
	{ ANY, LENIENT, " \r\n", 3 },
	{ ANY, LENIENT, " x ", 3 },
	{ ANY, LENIENT, " ab! ", 3 },
	{ ANY, LENIENT, " " V1 "0 ", 37 },
	{ ANY, LENIENT, "{" V1 "", 37 },
	{ ANY, LENIENT, "{" V1 "\n", 38 },
	{ ANY, LENIENT, "{" V1 "}}", 38 },
	{ ANY, LENIENT, "{ " V1 "}", 1 },
	{ ANY, LENIENT, V1 "}", 36 },
	{ ANY, LENIENT, "{}", 1 },
	{ ANY, LENIENT, "{urn:uuid:" V1 "}", 1 },
	{ ANY, LENIENT, "urn:uid:" V1, 5 },
	{ ANY, LENIENT, "urn:uuid: " V1, 9 },
	{ ANY, LENIENT, "urn:uuid:", 9 },
	{ ANY, LENIENT, "c232ab00941411ecb3c89f6bdeced84g", 31 },
	/* The lengths of ColdFusion's form, hexadecimal and ULIDs. */
	{ ANY, LENIENT, "c232ab00-9414-11ec-b3c8-9f6bdeced84", 35 },
	{ ANY, LENIENT, "c232ab00-9414-11ec-b3c8-9f6bdece", 32 },
	{ ANY, LENIENT, "c232ab00-9414-11ec-b3c8-9f", 26 },
	{ KUID_FORMAT_V1, LENIENT, "c232ab00-9414-11ec-b3c8-9f6bdeced84", 35 },
	{ KUID_FORMAT_V1, LENIENT, "c232ab00-9414-11ec-b3c8-9f6bdece", 32 },
	{ KUID_FORMAT_V7, LENIENT, "017f22e2-79b0-7cc3-98c4-dc", 26 },
	/* Numbers and hexadecimal that could be of several formats. */
	{ ANY, LENIENT, "27084864703004673", 17 },
	{ ANY, LENIENT, "0060398a03eb27327b698001", 24 },
	/* A ULID that is no v7. */
	{ ANY, LENIENT, "01ARZ3NDEKTSV4RRFFQ69G5FAV", 10 },
	{ KUID_FORMAT_V1, LENIENT, " " V6 "\n", 15 },
	{ KUID_FORMAT_V1, LENIENT, "{" V6 "}", 15 },
	{ KUID_FORMAT_V1, LENIENT, ULID, 3 },
	{ KUID_FORMAT_LEX, LENIENT, "{" LEX "}", 0 },
	{ KUID_FORMAT_LEX, LENIENT, "00112233-4455-6677-8899-aabbccddeef", 35 },
	{ KUID_FORMAT_K128, LENIENT, "00112233-4455-6677-8899-aabbccddeefg",
	  35 },
	{ KUID_FORMAT_K64, LENIENT, "\t18446744073709551616", 20 },
	{ KUID_FORMAT_K64, LENIENT, "1234567890x", 10 },
	{ KUID_FORMAT_K64, LENIENT, "-1", 0 },
	{ KUID_FORMAT_K96, LENIENT, "27084864703004673", 16 },
	{ KUID_FORMAT_K96, LENIENT, "00112233-4455-6677-8899-aabbccddeeff", 8 },
	{ KUID_FORMAT_K64, LENIENT, "00112233-4455-6677-8899-aabbccddeeff", 8 },
	{ KUID_FORMAT_K128, LENIENT, "{00112233-4455-6677-8899-aabbccddeeff}",
	  0 },
};

/* Texts that are no number, for all formats that have decimal texts. */
static const struct {
	const char *text;
	size_t at;
} no_numbers[] = {
	{ "", 0 },   { "-1", 0 },  { "+1", 0 },	 { " 1", 0 },
	{ "1 ", 1 }, { "1\n", 1 }, { "00", 1 },	 { "01", 1 },
	{ "1a", 1 }, { "1.0", 1 }, { "0x1", 1 }, { "1e3", 1 },
};

TEST(wrong_texts_are_refused_where_they_are_wrong)
{
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_refused(wrong[i].format, wrong[i].form, wrong[i].text,
			       strlen(wrong[i].text), wrong[i].at);
	for (size_t i = 0; i < NR_FORMATS * NR_FORMS; i++) {
		unsigned int format = formats[i / NR_FORMS].format;
		unsigned int form = i % NR_FORMS;

		if (!has_form(format, form) || is_fixed(format, form))
			continue;
		for (size_t n = 0;
		     n < sizeof(no_numbers) / sizeof(no_numbers[0]); n++)
			assert_refused(format, form, no_numbers[n].text,
				       strlen(no_numbers[n].text),
				       no_numbers[n].at);
	}
}

/* Each text of one size, cut at each place, and with something behind it. */
TEST(other_sizes_are_refused)
{
	for (size_t i = 0; i < NR_EXAMPLES; i++) {
		unsigned int format = examples[i].format;
		unsigned int form = examples[i].form;
		const char *text = examples[i].text;
		size_t size = strlen(text);
		char longer[64];

		if (form == KUID_FORM_DECIMAL)
			continue;
		for (size_t n = 0; n < size; n++)
			assert_refused(format, form, text, n, n);
		strcpy(longer, text);
		for (int c = 0; c < 256; c++) {
			longer[size] = c;
			assert_refused(format, form, longer, size + 1, size);
		}
	}
}

static bool may_stand(size_t example, size_t at, char c)
{
	unsigned int format = examples[example].format;
	const char *text = examples[example].text;
	char upper = toupper((unsigned char)c);

	if (c == text[at])
		return true;
	if (strchr("-{}", text[at]))
		return false;
	switch (examples[example].form) {
	case KUID_FORM_URN:
		if (at >= strlen("urn:uuid:"))
			return isxdigit((unsigned char)c);
		return upper == toupper((unsigned char)text[at]);
	case KUID_FORM_COLDFUSION:
		return isdigit((unsigned char)c) || (c >= 'A' && c <= 'F');
	case KUID_FORM_DECIMAL:
		return isdigit((unsigned char)c);
	case KUID_FORM_ULID:
		if (!at)
			return c >= '0' && c <= '7';
		return isalnum((unsigned char)c) && !strchr("ILOU", upper);
	case KUID_FORM_CANONICAL:
		if (format == KUID_FORMAT_LEX)
			return isdigit((unsigned char)c) ||
			       (c >= 'a' && c <= 'f');
		if (!is_uuid(format))
			return isalnum((unsigned char)c) || c == '.' ||
			       c == '_';
	}
	return isxdigit((unsigned char)c);
}

/* Texts in other forms than those that are written, and the same ID. */
static const struct {
	unsigned int format;
	unsigned int form;
	const char *text;
	unsigned int same_form;
	const char *same;
} others[] = {
	{ ID(V1, URN), "URN:Uuid:C232AB00-9414-11EC-b3c8-9f6bdeced846",
	  KUID_FORM_CANONICAL, V1 },
	{ ID(V7, ULID), "01fwhe4ydgfk1shh6W1G60EECF", KUID_FORM_CANONICAL, V7 },
	{ ID(SNOWFLAKE, HEX), "7fffFFFFffffffff", KUID_FORM_DECIMAL,
	  "9223372036854775807" },
	/* Texts of columns of UUIDs, for other IDs of 16 bytes. */
	{ KUID_FORMAT_LEX, LENIENT, "00112233-4455-6677-8899-AabBCCddEeFF",
	  KUID_FORM_HEX, "00112233445566778899aabbccddeeff" },
	{ KUID_FORMAT_K128, LENIENT, "00112233-4455-6677-8899-AabBCCddEeFF",
	  KUID_FORM_HEX, "00112233445566778899aabbccddeeff" },
	/* Digits alone are first the forms that their number tells. */
	{ KUID_FORMAT_K64, LENIENT, "1234567890", KUID_FORM_DECIMAL,
	  "1234567890" },
	{ KUID_FORMAT_K64, LENIENT, "12345678903", KUID_FORM_CANONICAL,
	  "12345678903" },
	{ KUID_FORMAT_K64, LENIENT, "123456789012", KUID_FORM_DECIMAL,
	  "123456789012" },
	{ KUID_FORMAT_K64, LENIENT, "1234567890123456", KUID_FORM_HEX,
	  "1234567890123456" },
	{ KUID_FORMAT_K64, LENIENT, "27084864703004673", KUID_FORM_DECIMAL,
	  "27084864703004673" },
};

TEST(other_texts_are_read)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		unsigned int format = others[i].format;
		unsigned char id[KUID_ID_MAX], want[KUID_ID_MAX];

		assert_ok(parse(format, others[i].same_form, others[i].same,
				strlen(others[i].same), want, NULL));
		assert_int_equal(parse(format, others[i].form, others[i].text,
				       strlen(others[i].text), id, NULL),
				 others[i].form == LENIENT ? (int)format : 0);
		assert_memory_equal(id, want, kuid_format_id_size(format));
	}
}

/* Each character of each text, replaced by each other one. */
TEST(wrong_characters_are_refused_where_they_are)
{
	for (size_t i = 0; i < NR_EXAMPLES; i++)
		for (size_t at = 0; at < strlen(examples[i].text); at++)
			for (int c = 0; c < 256; c++) {
				char text[64];

				strcpy(text, examples[i].text);
				if (may_stand(i, at, c))
					continue;
				text[at] = c;
				assert_refused(examples[i].format,
					       examples[i].form, text,
					       strlen(examples[i].text), at);
			}
}

static size_t add_white_space(char *text)
{
	size_t count = random_below(4);

	for (size_t i = 0; i < count; i++)
		text[i] = " \t\n\v\f\r"[random_below(6)];
	return count;
}

/* The text of an ID as it may come: in any case, between white space. */
static size_t paste(unsigned int form, const char *text, bool hexadecimal,
		    char *pasted)
{
	size_t size = add_white_space(pasted);

	for (; *text; text++)
		pasted[size++] = random_below(2) && (hexadecimal || form)
					 ? toupper((unsigned char)*text)
					 : *text;
	return size + add_white_space(pasted + size);
}

TEST(lenient_parsing_takes_all_forms_of_a_format)
{
	for (int i = 0; i < 500000; i++) {
		unsigned int format = formats[i % NR_FORMATS].format;
		unsigned int form = i / NR_FORMATS % NR_FORMS;
		char text[KUID_TEXT_MAX], pasted[KUID_TEXT_MAX + 6];
		unsigned char id[KUID_ID_MAX], got[KUID_ID_MAX];
		size_t size, length, where = 999;

		if (!has_form(format, form))
			continue;
		draw(i % NR_FORMATS, id);
		kuid_text_form(format, form, id, text, sizeof(text));
		length = strlen(text);
		/* These are canonical text or hexadecimal, not numbers. */
		if (form == KUID_FORM_DECIMAL &&
		    format != KUID_FORMAT_SNOWFLAKE &&
		    (length == 11 || length == 16))
			continue;
		/* This is a number, not hexadecimal. */
		if (form == KUID_FORM_HEX && format == KUID_FORMAT_SNOWFLAKE &&
		    text[0] != '0' && strspn(text, "0123456789") == length)
			continue;
		size = paste(form, text,
			     is_uuid(format) || format == KUID_FORMAT_LEX,
			     pasted);
		if (parse(format, LENIENT, pasted, size, got, &where) !=
			    (int)format ||
		    memcmp(got, id, kuid_format_id_size(format)))
			fail_msg("\"%.*s\": wrong at %zu", (int)size, pasted,
				 where);
	}
}

/* Without a format: all that is recognised, and some forms more. */
TEST(lenient_parsing_recognises_more)
{
	for (int i = 0; i < 500000; i++) {
		unsigned int format = formats[i % NR_FORMATS].format;
		unsigned int form = i / NR_FORMATS % NR_FORMS;
		unsigned char id[KUID_ID_MAX], got[KUID_ID_MAX];
		char text[KUID_TEXT_MAX], pasted[KUID_TEXT_MAX + 6];
		size_t size, where = 999;
		int found, want;

		for (size_t n = 0; n < KUID_ID_MAX; n++)
			id[n] = random_below(256);
		if (is_uuid(format) && random_below(4)) {
			id[6] = "167"[random_below(3)] << 4 | (id[6] & 0xf);
			id[8] = 0x80 | (id[8] & 0x3f);
		}
		if (format == KUID_FORMAT_V7) {
			id[6] = 0x70 | (id[6] & 0xf);
			id[8] = 0x80 | (id[8] & 0x3f);
		}
		if (format == KUID_FORMAT_SNOWFLAKE ||
		    kuid_text_form(format, form, id, text, sizeof(text)))
			continue;
		want = kuid_recognise(text, strlen(text), got, NULL);
		if (form > KUID_FORM_COLDFUSION) {
			/* All these are UUIDs, or they are refused. */
			if (!is_uuid(format))
				continue;
			kuid_text(KUID_ANY_UUID, id, pasted, sizeof(pasted));
			want = kuid_recognise(pasted, 36, got, NULL);
		}
		size = add_white_space(pasted);
		strcpy(pasted + size, text);
		size += strlen(text);
		size += add_white_space(pasted + size);
		found = parse(KUID_FORMAT_DEFAULT, LENIENT, pasted, size, got,
			      &where);
		if (found < 0 || found != want ||
		    memcmp(got, id, kuid_format_id_size(found)))
			fail_msg("\"%.*s\" is %d, not %d: wrong at %zu",
				 (int)size, pasted, found, want, where);
	}
}

/* Two bits of the last digit of k64 and four of k128's belong to no byte. */
TEST(bits_beyond_the_id_are_refused)
{
	static const char digits[] = ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_"
				     "abcdefghijklmnopqrstuvwxyz";
	static const struct {
		unsigned int format;
		const char *text;
		int first;
	} last[] = {
		{ KUID_FORMAT_K64, K64, 4 },
		{ KUID_FORMAT_K96, K96, 1 },
		{ KUID_FORMAT_K128, K128, 16 },
	};
	unsigned char id[KUID_ID_MAX];
	char text[KUID_TEXT_MAX];

	for (int i = 0; i < 3 * 64; i++) {
		unsigned int format = last[i / 64].format;
		size_t at = strlen(last[i / 64].text) - 1;

		strcpy(text, last[i / 64].text);
		text[at] = digits[i % 64];
		if (i % last[i / 64].first)
			assert_refused(format, KUID_FORM_CANONICAL, text,
				       at + 1, at);
		else
			assert_ok(kuid_parse(format, text, at + 1, id, NULL));
	}
}

/* In all forms of a UUID whose digits are hexadecimal. */
TEST(other_versions_and_variants_are_refused)
{
	static const struct {
		unsigned int form;
		size_t version_at;
		size_t variant_at;
	} forms[] = {
		{ KUID_FORM_CANONICAL, 14, 19 },
		{ KUID_FORM_COLDFUSION, 14, 19 },
		{ KUID_FORM_HEX, 12, 16 },
		{ KUID_FORM_BRACES, 15, 20 },
		{ KUID_FORM_URN, 23, 28 },
	};
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < 3 * 16 * sizeof(forms) / sizeof(forms[0]); i++) {
		unsigned int digit = i % 16, row = i / 16 % 3;
		unsigned int format = formats[row].format;
		unsigned int form = forms[i / 48].form;
		unsigned char id[KUID_ID_MAX];
		char text[KUID_TEXT_MAX], other[KUID_TEXT_MAX];

		kuid_parse(format, formats[row].text, 36, id, NULL);
		put_text(format, form, id, text);
		strcpy(other, text);
		text[forms[i / 48].version_at] = digits[digit];
		other[forms[i / 48].variant_at] = digits[digit];
		assert_ok(parse(KUID_ANY_UUID, form, text, strlen(text), id,
				NULL));
		if (formats[row].name[1] - '0' != (int)digit)
			assert_refused(format, form, text, strlen(text),
				       forms[i / 48].version_at);
		if (digit >> 2 != 2)
			assert_refused(format, form, other, strlen(other),
				       forms[i / 48].variant_at);
	}
}

/* Digits of a ULID have 5 bits, so version and variant share theirs. */
TEST(other_versions_and_variants_of_ulids_are_refused)
{
	for (unsigned int bits = 0; bits < 256; bits++) {
		unsigned int version = bits >> 4, variant = bits >> 2 & 3;
		unsigned char id[KUID_ID_MAX];
		char text[KUID_TEXT_MAX];

		for (int n = 0; n < KUID_ID_MAX; n++)
			id[n] = random_below(256);
		id[6] = version << 4 | (id[6] & 0x0f);
		id[8] = variant << 6 | (id[8] & 0x3f);
		kuid_text_form(KUID_FORMAT_V7, KUID_FORM_ULID, id, text,
			       sizeof(text));
		if (version != 7)
			assert_refused(KUID_FORMAT_V7, KUID_FORM_ULID, text, 26,
				       10);
		else if (variant != 2)
			assert_refused(KUID_FORMAT_V7, KUID_FORM_ULID, text, 26,
				       13);
		else
			assert_ok(parse(KUID_FORMAT_V7, KUID_FORM_ULID, text,
					26, id, NULL));
	}
}

TEST(guids_have_their_first_fields_turned)
{
	unsigned char id[KUID_ID_MAX], guid[KUID_ID_MAX];
	char text[KUID_TEXT_MAX];

	kuid_parse(KUID_FORMAT_V1, V1, 36, id, NULL);
	kuid_guid(id, guid);
	kuid_text_form(KUID_ANY_UUID, KUID_FORM_HEX, guid, text, sizeof(text));
	assert_string_equal(text, "00ab32c21494ec11b3c89f6bdeced846");
	/* In place, and back. */
	kuid_guid(guid, guid);
	assert_memory_equal(guid, id, sizeof(id));
}

TEST(uuids_are_named)
{
	static const struct {
		const char *text, *name;
	} uuids[] = {
		{ NIL, "nil" },
		{ MAX, "max" },
		{ V1, "time-based" },
		{ "c232ab00-9414-21ec-b3c8-9f6bdeced846", "DCE security" },
		{ "c232ab00-9414-31ec-b3c8-9f6bdeced846", "name-based, MD5" },
		{ V4, "random" },
		{ "c232ab00-9414-51ec-b3c8-9f6bdeced846", "name-based, SHA-1" },
		{ V6, "reordered time-based" },
		{ V7, "Unix time-based" },
		{ "c232ab00-9414-81ec-b3c8-9f6bdeced846", "custom" },
		{ "c232ab00-9414-01ec-b3c8-9f6bdeced846", "unknown" },
		{ "c232ab00-9414-91ec-b3c8-9f6bdeced846", "unknown" },
		{ "c232ab00-9414-f1ec-b3c8-9f6bdeced846", "unknown" },
		{ "c232ab00-9414-41ec-c3c8-9f6bdeced846", "unknown" },
		{ "c232ab00-9414-41ec-33c8-9f6bdeced846", "unknown" },
		{ "00000000-0000-0000-0000-000000000001", "unknown" },
		{ "ffffffff-ffff-ffff-ffff-fffffffffffe", "unknown" },
	};

	for (size_t i = 0; i < sizeof(uuids) / sizeof(uuids[0]); i++) {
		unsigned char id[KUID_ID_MAX];

		assert_ok(
			kuid_parse(KUID_ANY_UUID, uuids[i].text, 36, id, NULL));
		assert_string_equal(kuid_uuid_name(id), uuids[i].name);
	}
}

int main(void)
{
	return run_cases("text", NULL, NULL);
}
