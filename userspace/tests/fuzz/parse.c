// SPDX-License-Identifier: MIT
/*
 * Fuzzes libkuid's parsers with libFuzzer: whatever the text, they stay in
 * bounds, and an ID that they take is the ID that all else makes of it.
 */
#include <errno.h>
#include <kuid.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CHECK(condition)          \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The next format that the library knows; 0 behind the last, KUID_ANY_UUID. */
static unsigned int format_after(unsigned int format)
{
	if (format == KUID_ANY_UUID)
		return 0;
	return kuid_format_name(format + 1) ? format + 1 : KUID_ANY_UUID;
}

static bool writes_back(unsigned int format, unsigned int form, const void *id,
			const char *data, size_t size)
{
	char text[KUID_TEXT_MAX];

	return !kuid_text_form(format, form, id, text, sizeof(text)) &&
	       strlen(text) == size && !strncasecmp(text, data, size);
}

static void check_time(const struct kuid_fields *fields, unsigned int interval,
		       unsigned int flags)
{
	struct kuid_fields set = *fields, got;
	uint8_t id[KUID_ID_MAX];

	if (kuid_set_time(&set, fields->sec, fields->nsec)) {
		/* A raw second or fraction can be beyond what can be set. */
		CHECK(errno == ERANGE);
		CHECK(fields->has & (KUID_HAS_GRID | KUID_HAS_FRACTION));
		return;
	}
	CHECK(!kuid_encode(&set, id));
	CHECK(!kuid_decode(fields->format, id, interval, flags, &got));
	CHECK(got.sec == fields->sec);
	/* kuid_set_time() writes a fraction that kuid makes. */
	if (flags & KUID_FROM_KUID && fields->format == KUID_FORMAT_V7)
		CHECK(got.resolution_ns == 1);
	else
		CHECK(got.resolution_ns == fields->resolution_ns);
	/* A raw step can lie across two seconds, and so off the grid. */
	if (!(fields->has & KUID_HAS_GRID) || fields->c < 977)
		CHECK(got.nsec == fields->nsec);
}

static void check_conversions(unsigned int format, const uint8_t *id,
			      unsigned int interval)
{
	uint8_t other[KUID_ID_MAX], back[KUID_ID_MAX];

	for (unsigned int each = 1; each; each = format_after(each)) {
		uint64_t node = 0x1234567, kept;

		if (kuid_convert(format, id, each, other, interval, &node))
			continue;
		kept = node;
		CHECK(!kuid_convert(each, other, format, back, interval,
				    &kept));
		CHECK(kept == node);
		CHECK(!memcmp(back, id, kuid_format_id_size(format)));
	}
}

static void check_id(unsigned int format, const uint8_t *id, unsigned int flags)
{
	unsigned int interval = KUID_INTERVAL_MIN + id[7] % 6;
	size_t size = kuid_format_id_size(format);
	struct kuid_fields fields;
	uint8_t again[KUID_ID_MAX];
	int order;

	CHECK(!kuid_decode(format, id, interval, flags, &fields));
	CHECK(!kuid_compare(format, id, id, &order) && order == KUID_EQUAL);
	if (fields.format == KUID_ANY_UUID) {
		CHECK(kuid_encode(&fields, again) && errno == EINVAL);
		return;
	}
	CHECK(!kuid_encode(&fields, again));
	CHECK(!memcmp(again, id, size));
	check_time(&fields, interval, flags);
	check_conversions(format, id, interval);

	CHECK(!kuid_lowest(fields.format, again));
	CHECK(!kuid_compare(fields.format, again, id, &order));
	CHECK(order != KUID_AFTER);
	CHECK(!kuid_highest(fields.format, again));
	CHECK(!kuid_compare(fields.format, again, id, &order));
	CHECK(order != KUID_BEFORE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	uint8_t id[KUID_ID_MAX], other[KUID_ID_MAX];
	size_t where;
	int found;

	found = kuid_recognise(text, size, id, &where);
	if (found < 0) {
		CHECK(errno == EINVAL && where <= size);
	} else {
		CHECK(writes_back(found, KUID_FORM_CANONICAL, id, text, size) ||
		      writes_back(found, KUID_FORM_COLDFUSION, id, text, size));
		check_id(found, id, 0);
		check_id(found, id, KUID_FROM_KUID);
		CHECK(kuid_parse_lenient(KUID_FORMAT_DEFAULT, text, size, other,
					 &where) == found);
		CHECK(!memcmp(other, id, kuid_format_id_size(found)));
	}

	found = kuid_parse_lenient(KUID_FORMAT_DEFAULT, text, size, id, &where);
	if (found < 0)
		CHECK(errno == EINVAL && where <= size);
	else
		check_id(found, id, 0);

	for (unsigned int each = 1; each; each = format_after(each)) {
		where = 0;
		found = kuid_parse_lenient(each, text, size, id, &where);
		CHECK(found < 0 ? errno == EINVAL && where <= size
				: found == (int)each);
		for (unsigned int form = KUID_FORM_CANONICAL;
		     form <= KUID_FORM_URN; form++) {
			where = 0;
			if (!kuid_parse_form(each, form, text, size, id,
					     &where)) {
				CHECK(writes_back(each, form, id, text, size));
				check_id(each, id, 0);
				check_id(each, id, KUID_FROM_KUID);
				continue;
			}
			CHECK(errno == EINVAL && where <= size);
		}
	}
	return 0;
}
