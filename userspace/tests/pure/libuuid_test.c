// SPDX-License-Identifier: MIT
/* A uuid_t of libuuid and an ID of 16 bytes are the same bytes. */
#include <kuid.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <uuid/uuid.h>

#include "../fails.h"
#include "cases.h"

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
	assert_ok(kuid_text(format, id, ours, sizeof(ours)));
	assert_string_equal(ours, theirs);

	assert_ok(uuid_parse(ours, from_theirs));
	assert_memory_equal(from_theirs, id, 16);
	uuid_unparse_upper(id, theirs);
	assert_ok(kuid_parse(format, theirs, strlen(theirs), from_ours, NULL));
	assert_memory_equal(from_ours, id, 16);
}

static void assert_same_fields(const unsigned char *id)
{
	struct kuid_fields fields;
	struct timespec time;
	struct timeval theirs;
	time_t seconds;

	assert_ok(kuid_decode(KUID_ANY_UUID, id, 0, 0, &fields));
	assert_int_equal(fields.variant, uuid_variant(id));
	if (fields.variant != KUID_VARIANT_RFC)
		return;
	assert_int_equal(fields.version, uuid_type(id));
	if (fields.version != 1)
		return;
	/* The one version whose time it has always known, from 1970 on. */
	assert_ok(kuid_time(KUID_FORMAT_V1, id, 0, 0, &time));
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

int main(void)
{
	return run_cases("libuuid", NULL, NULL);
}
