// SPDX-License-Identifier: MIT
/* IDs of one format into those of another. */
#include <errno.h>

#include "core/korder.h"
#include "layout.h"

static bool is_korder(unsigned int format)
{
	return format >= KUID_FORMAT_K64 && format <= KUID_FORMAT_K128;
}

static bool is_ticks(unsigned int format)
{
	return format == KUID_FORMAT_V1 || format == KUID_FORMAT_V6;
}

/* They share their low word and the time, put differently into the high one. */
static void convert_ticks(unsigned int to, uint64_t *high)
{
	if (to == KUID_FORMAT_V6)
		*high = kuid_v6_high(kuid_v1_tick(*high));
	else
		*high = kuid_v1_high(kuid_v6_tick(*high));
}

static int convert_korder(const void *id, unsigned int from, unsigned int to,
			  void *out, unsigned int interval, uint64_t *node)
{
	struct kuid_fields fields;

	if (kuid_decode(from, id, interval, &fields))
		return -1;
	if (from == KUID_FORMAT_K64 && to != KUID_FORMAT_K64) {
		if (!node) {
			errno = EINVAL;
			return -1;
		}
		fields.interval = interval;
		fields.node = *node;
	}
	if (to == KUID_FORMAT_K96 && fields.node >> 32) {
		errno = ERANGE;
		return -1;
	}
	fields.format = to;
	if (kuid_encode(&fields, out))
		return -1;
	if (from != KUID_FORMAT_K64 && node)
		*node = fields.node;
	return 0;
}

int kuid_convert(unsigned int from, const void *id, unsigned int to, void *out,
		 unsigned int interval, uint64_t *node)
{
	const struct kuid_format *layout = kuid_layout_of(from);
	uint64_t high, low;

	if (!layout || !kuid_layout_of(to))
		return -1;
	from = from == KUID_FORMAT_DEFAULT ? KUID_FORMAT_V1 : from;
	to = to == KUID_FORMAT_DEFAULT ? KUID_FORMAT_V1 : to;

	if (is_korder(from) && is_korder(to))
		return convert_korder(id, from, to, out, interval, node);
	if (!kuid_layout_fits(layout, id) ||
	    (from != to && !(is_ticks(from) && is_ticks(to)))) {
		errno = EINVAL;
		return -1;
	}
	kuid_layout_load(id, layout->id_size, &high, &low);
	if (from != to)
		convert_ticks(to, &high);
	kuid_layout_store(out, layout->id_size, high, low);
	return 0;
}

void kuid_guid(const void *id, void *guid)
{
	/* Which byte of the one is which of the other, both ways. */
	static const uint8_t order[KUID_ID_MAX] = {
		3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15,
	};
	uint8_t bytes[KUID_ID_MAX];

	memcpy(bytes, id, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		((uint8_t *)guid)[i] = bytes[order[i]];
}
