// SPDX-License-Identifier: MIT
/* A uuid_t of libuuid and an ID of 16 bytes are the same bytes. */
#include <kuid.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <uuid/uuid.h>

#include "cases.h"
#include "vectors.h"

_Static_assert(sizeof(uuid_t) == 16, "an ID is a uuid_t");
_Static_assert(KUID_VARIANT_NCS == UUID_VARIANT_NCS, "NCS");
_Static_assert(KUID_VARIANT_RFC == UUID_VARIANT_DCE, "DCE");
_Static_assert(KUID_VARIANT_MICROSOFT == UUID_VARIANT_MICROSOFT, "Microsoft");
_Static_assert(KUID_VARIANT_FUTURE == UUID_VARIANT_OTHER, "other");

static void assert_same_text(unsigned int format, const unsigned char *id)
{
	char ours[KUID_TEXT_MAX], theirs[UUID_STR_LEN];
	unsigned char from_ours[16];
	uuid_t from_theirs;

	uuid_unparse_lower(id, theirs);
	assert_int_equal(kuid_text(format, id, ours, sizeof(ours)), 0);
	assert_string_equal(ours, theirs);

	assert_int_equal(uuid_parse(ours, from_theirs), 0);
	assert_memory_equal(from_theirs, id, 16);
	uuid_unparse_upper(id, theirs);
	assert_int_equal(
		kuid_parse(format, theirs, strlen(theirs), from_ours, NULL), 0);
	assert_memory_equal(from_ours, id, 16);
}

static void assert_same_fields(const unsigned char *id)
{
	struct kuid_fields fields;
	struct timespec time;
	struct timeval theirs;
	time_t seconds;

	assert_int_equal(kuid_decode(KUID_ANY_UUID, id, 0, 0, &fields), 0);
	assert_int_equal(fields.variant, uuid_variant(id));
	if (fields.variant != KUID_VARIANT_RFC)
		return;
	assert_int_equal(fields.version, uuid_type(id));
	if (fields.version != 1)
		return;
	/* The one version whose time it has always known, from 1970 on. */
	assert_int_equal(kuid_time(KUID_FORMAT_V1, id, 0, 0, &time), 0);
	seconds = uuid_time(id, &theirs);
	assert_int_equal(seconds, theirs.tv_sec);
	if (time.tv_sec < 0)
		return;
	assert_int_equal(time.tv_sec, theirs.tv_sec);
	assert_int_equal(time.tv_nsec / 1000, theirs.tv_usec);
}

TEST(random_uuids_are_the_same)
{
	for (int i = 0; i < 300000; i++) {
		unsigned char id[16];

		for (size_t n = 0; n < sizeof(id); n++)
			id[n] = random_below(256);
		/* Most of the RFC's variant, and many of version 1. */
		if (i % 4)
			id[8] = 0x80 | (id[8] & 0x3f);
		if (i % 4 == 1)
			id[6] = 0x10 | (id[6] & 0x0f);
		assert_same_text(KUID_ANY_UUID, id);
		assert_same_fields(id);
	}
}

static void check_vector(char **column)
{
	unsigned int version = strtoul(column[0], NULL, 10);
	unsigned int format = kuid_format_number(version == 1	? "v1"
						 : version == 6 ? "v6"
								: "v7");
	unsigned char id[16];
	uuid_t theirs;

	assert_int_equal(
		kuid_parse(format, column[6], strlen(column[6]), id, NULL), 0);
	assert_int_equal(uuid_parse(column[6], theirs), 0);
	assert_memory_equal(id, theirs, 16);
	assert_int_equal(uuid_type(theirs), version);
	assert_same_text(format, id);
	assert_same_fields(id);
}

TEST(vectors_are_the_same)
{
	assert_int_equal(vectors_each("uuid", check_vector), 9);
}

TEST(local_ids_are_the_same)
{
	static const unsigned int formats[] = {
		KUID_FORMAT_V1,
		KUID_FORMAT_V6,
		KUID_FORMAT_V7,
	};

	for (size_t i = 0; i < 3; i++) {
		struct kuid *handle = kuid_open_flags(formats[i], KUID_LOCAL);
		uuid_t id;

		assert_non_null(handle);
		for (int n = 0; n < 1000; n++) {
			assert_int_equal(kuid_one(handle, id), 0);
			assert_int_equal(uuid_type(id), "\0\1\6\7"[formats[i]]);
			assert_same_text(formats[i], id);
			assert_same_fields(id);
		}
		kuid_close(handle);
	}
}

int main(void)
{
	return run_cases("libuuid", NULL, NULL);
}
