// SPDX-License-Identifier: GPL-2.0-only
/* The format of saved state: what is written is read, and nothing else. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "crc32.h"
#include "saved_state.h"

static const struct saved_state some = {
	.machine = "4c9f0e1b2ad34b6c8e0f7a5d91c2b3e4",
	.saved_ns = 1795162500000000000,
	.ceiling_ns = 1795162560000000001,
	.load_id = 0xf0e1d2c3b4a59687,
	.epoch = 3,
	.before_ns = 1,
	.after_ns = 2,
	.again_from_ns = 4,
	.again_until_ns = 5,
	.epoch_ms = 1288834974657,
	.interval = 9,
};

/* Files of released versions must be readable for ever: this is one. */
static const char some_text[] =
	"{\n"
	"  \"kuid_state\": 1,\n"
	"  \"machine\": \"4c9f0e1b2ad34b6c8e0f7a5d91c2b3e4\",\n"
	"  \"saved\": \"2026-11-20T08:15:00.000000000Z\",\n"
	"  \"saved_ns\": 1795162500000000000,\n"
	"  \"ceiling\": \"2026-11-20T08:16:00.000000001Z\",\n"
	"  \"ceiling_ns\": 1795162560000000001,\n"
	"  \"load_id\": \"f0e1d2c3b4a59687\",\n"
	"  \"epoch\": 3,\n"
	"  \"before_jump_ns\": 1,\n"
	"  \"after_jump_ns\": 2,\n"
	"  \"may_repeat_from_ns\": 4,\n"
	"  \"may_repeat_until_ns\": 5,\n"
	"  \"snowflake_epoch_ms\": 1288834974657,\n"
	"  \"interval\": 9,\n"
	"  \"crc32\": \"CRC\"\n"
	"}\n";

/* A value that no part of a file that is refused may have got into. */
static const struct saved_state untouched = { .ceiling_ns = 0xcc };

static void assert_same(const struct saved_state *a,
			const struct saved_state *b)
{
	assert_string_equal(a->machine, b->machine);
	assert_int_equal(a->saved_ns, b->saved_ns);
	assert_int_equal(a->ceiling_ns, b->ceiling_ns);
	assert_int_equal(a->epoch_ms, b->epoch_ms);
	assert_int_equal(a->interval, b->interval);
	assert_int_equal(a->load_id, b->load_id);
	assert_int_equal(a->epoch, b->epoch);
	assert_int_equal(a->before_ns, b->before_ns);
	assert_int_equal(a->after_ns, b->after_ns);
	assert_int_equal(a->again_from_ns, b->again_from_ns);
	assert_int_equal(a->again_until_ns, b->again_until_ns);
}

static void assert_read(const char *text, const struct saved_state *want)
{
	struct saved_state saved = untouched;
	struct problem *wrong = saved_state_parse(text, strlen(text), &saved);

	if (wrong)
		fail_msg("refused: %s", wrong->text);
	assert_same(&saved, want);
}

static void assert_refused(const char *text, size_t size, const char *why)
{
	/* Memory of just that size, so that a byte read beyond it is seen. */
	char *copy = malloc(size ? size : 1);
	struct saved_state saved = untouched;
	struct problem *wrong;

	assert_non_null(copy);
	memcpy(copy, text, size);
	wrong = saved_state_parse(copy, size, &saved);
	free(copy);
	if (!wrong)
		fail_msg("not refused: %.*s", (int)size, text);
	if (!strstr(wrong->text, why))
		fail_msg("\"%s\" does not say \"%s\"", wrong->text, why);
	free(wrong);
	assert_same(&saved, &untouched);
}

/* Add the checksum as the comment on the format describes it. */
static char *with_crc(const char *text)
{
	char *copy = strdup(text);
	char *crc, digits[9];

	assert_non_null(copy);
	crc = strstr(copy, "\"crc32\": \"CRC\"");
	assert_non_null(crc);
	snprintf(digits, sizeof(digits), "%08x",
		 crc32(copy, strstr(copy, ",\n  \"crc32\"") - copy));
	copy = realloc(copy, strlen(text) + 6);
	assert_non_null(copy);
	crc = strstr(copy, "CRC");
	memmove(crc + 8, crc + 3, strlen(crc + 3) + 1);
	memcpy(crc, digits, 8);
	return copy;
}

/* some_text with one string in it replaced, before its checksum is made. */
static char *with(const char *from, const char *to)
{
	char text[SAVED_STATE_MAX];
	const char *at = strstr(some_text, from);

	assert_non_null(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - some_text),
		 some_text, to, at + strlen(from));
	return with_crc(text);
}

TEST(the_text_is_what_it_was)
{
	char *want = with_crc(some_text), *text = saved_state_text(&some);

	assert_string_equal(text, want);
	assert_read(text, &some);
	/* Calculated by another program, so that ours can't be wrong twice. */
	assert_non_null(strstr(text, "\"crc32\": \"cff0fab4\""));
	free(text);
	free(want);
}

/* The check value of the catalogue of CRC algorithms, and what zlib gives. */
TEST(the_checksum_is_that_of_zlib)
{
	unsigned char bytes[256];

	assert_int_equal(crc32("123456789", 9), 0xcbf43926);
	assert_int_equal(crc32("", 0), 0);
	assert_int_equal(crc32("\0\0\0\0", 4), 0x2144df1c);
	for (int i = 0; i < 256; i++)
		bytes[i] = i;
	assert_int_equal(crc32(bytes, sizeof(bytes)), 0x29058c73);
}

static struct saved_state random_state(void)
{
	struct saved_state saved = {
		.saved_ns = random_64() >> 1 >> random_below(63),
		.ceiling_ns = random_64() >> 1 >> random_below(63),
		.load_id = random_64(),
		.epoch = random_64() >> 1 >> random_below(63),
		.before_ns = random_64() >> 1 >> random_below(63),
		.after_ns = random_64() >> 1 >> random_below(63),
		.again_from_ns = random_64() >> 1 >> random_below(63),
		.again_until_ns = random_64() >> 1 >> random_below(63),
		.epoch_ms = random_64() >> 1 >> random_below(63),
	};

	for (int i = 0; i < MACHINE_ID_SIZE - 1; i++)
		saved.machine[i] = "0123456789abcdef"[random_below(16)];
	if (!random_below(4))
		saved.machine[0] = '\0';
	return saved;
}

TEST(what_is_written_is_read)
{
	for (int i = 0; i < 20000; i++) {
		struct saved_state saved = random_state();
		char *text = saved_state_text(&saved);

		assert_true(strlen(text) < SAVED_STATE_MAX);
		assert_read(text, &saved);
		free(text);
	}
}

TEST(no_part_of_a_file_is_taken_for_it)
{
	char *text = saved_state_text(&some);

	assert_refused(text, 0, "is empty");
	for (size_t size = 1; size < strlen(text); size++)
		assert_refused(text, size, "is damaged: its end is missing");
	for (size_t from = 1; from < strlen(text); from++)
		assert_refused(text + from, strlen(text) - from, "is damaged");
	free(text);
}

TEST(no_byte_can_be_another)
{
	char *text = saved_state_text(&some);
	size_t size = strlen(text);
	size_t version = strchr(text, '1') - text;

	for (size_t i = 0; i < size; i++) {
		char was = text[i];

		for (int byte = 0; byte < 256; byte++) {
			if ((char)byte == was)
				continue;
			text[i] = byte;
			/* A digit there is another version's. */
			assert_refused(text, size,
				       i == version || i == version - 1
					       ? "is "
					       : "is damaged");
		}
		text[i] = was;
	}
	assert_read(text, &some);
	free(text);
}

TEST(no_two_bits_can_be_others)
{
	char *text = saved_state_text(&some);
	size_t bits = 8 * strlen(text);

	for (int n = 0; n < 50000; n++) {
		size_t a = random_below(bits), b = random_below(bits);

		if (a == b)
			continue;
		text[a / 8] ^= 1 << a % 8;
		text[b / 8] ^= 1 << b % 8;
		assert_refused(text, bits / 8, "");
		text[a / 8] ^= 1 << a % 8;
		text[b / 8] ^= 1 << b % 8;
	}
	free(text);
}

TEST(nothing_can_be_lost_or_put_in)
{
	char *text = saved_state_text(&some);
	size_t size = strlen(text);
	char other[SAVED_STATE_MAX];

	for (size_t i = 0; i < size; i++) {
		memcpy(other, text, i);
		memcpy(other + i, text + i + 1, size - i - 1);
		assert_refused(other, size - 1, "");
	}
	for (size_t i = 0; i <= size; i++)
		for (const char *more = " 0a\"\n,}\0"; *more; more++) {
			memcpy(other, text, i);
			other[i] = *more;
			memcpy(other + i + 1, text + i, size - i);
			assert_refused(other, size + 1, "");
		}
	/* A disk may leave this after a crash without a sync. */
	for (size_t from = 0; from < size; from++) {
		memcpy(other, text, size);
		memset(other + from, 0, size - from);
		assert_refused(other, size, "is damaged");
	}
	free(text);
}

/* Right checksums do not make up for values that can't be. */
TEST(values_are_checked_as_well)
{
	static const char *const wrong[][3] = {
		{ ": 1,", ": 0,", "is of version 0" },
		{ ": 1,", ": 2,", "is of version 2, and this kuid knows" },
		{ ": 1,", ": 999999999999,", "is of version 999999999999" },
		{ ": 1,", ": -1," },
		{ ": 1,", ": \"1\"," },
		{ ": 1,", ": 1.0," },
		{ "kuid_state", "kuid_stats" },
		{ "\"4c9f0e1b", "\"4C9F0E1B" },
		{ "\"4c9f0e1b", "\"4c9f0e1" },
		{ "\"4c9f0e1b", "\"4c9f0e1b0" },
		{ "\"4c9f0e1b", "\"4c9f\\u0065e1b" },
		{ "2026-11-20T08:16", "2026-11-20T08:17" },
		{ "1795162560000000001", "-1" },
		{ "1795162560000000001", "9223372036854775808" },
		{ "1795162560000000001", "01795162560000000001" },
		{ "1795162560000000001", "1.795e18" },
		{ "1795162560000000001", "\"1795162560000000001\"" },
		{ "\"f0e1d2c3b4a59687\"", "\"F0E1D2C3B4A59687\"" },
		{ "\"f0e1d2c3b4a59687\"", "\"0e1d2c3b4a59687\"" },
		{ "\"f0e1d2c3b4a59687\"", "\"f0e1d2c3b4a596870\"" },
		{ "\"f0e1d2c3b4a59687\"", "\"-0e1d2c3b4a59687\"" },
		{ "\"f0e1d2c3b4a59687\"", "null" },
		{ "  \"epoch\": 3,\n", "" },
		{ "  \"epoch\"", "  \"epoch\": 3,\n  \"epoch\"" },
		{ "  \"epoch\"", "  \"other\": 1,\n  \"epoch\"" },
		{ "  \"epoch\"", " \"epoch\"" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char *text = with(wrong[i][0], wrong[i][1]);

		assert_refused(text, strlen(text), wrong[i][2] ?: "is damaged");
		free(text);
	}
}

TEST(other_files_are_refused)
{
	static const char *const texts[] = {
		"\n}\n",   "{\n}\n",	"[\n}\n",
		"{}\n}\n", "0\n1\n}\n", "{\"kuid_state\": 1\n}\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_refused(texts[i], strlen(texts[i]), "is damaged");
}

int main(void)
{
	return run_cases("saved state", NULL, NULL);
}
