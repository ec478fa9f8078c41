// SPDX-License-Identifier: MIT
/* IDs of one format into those of another. */
#include <errno.h>

#include "layout.h"

/* The fields that the other format may lack, or need. */
#define IN_BETWEEN (KUID_HAS_NODE | KUID_HAS_INTERVAL)

static int fail(int error)
{
	errno = error;
	return -1;
}

int kuid_convert(unsigned int from, const void *id, unsigned int to, void *out,
		 uint64_t setting, uint64_t *node)
{
	const struct kuid_layout *layout = kuid_layout_of(to);
	struct kuid_fields fields, most;
	uint8_t highest[KUID_ID_MAX];

	if (!layout || kuid_decode(from, id, setting, 0, &fields))
		return -1;
	if (layout == kuid_layout_of(from) &&
	    !(fields.has & KUID_HAS_INTERVAL)) {
		memmove(out, id, layout->row->id_size);
		return 0;
	}
	kuid_highest(to, highest);
	if (from == KUID_ANY_UUID ||
	    kuid_decode(to, highest, setting, 0, &most) ||
	    (fields.has ^ most.has) & ~IN_BETWEEN)
		return fail(EINVAL);
	if (most.has & ~fields.has & KUID_HAS_NODE) {
		if (!node)
			return fail(EINVAL);
		fields.interval = setting;
		fields.node = *node;
	}
	if (most.has & KUID_HAS_NODE && fields.node > most.node)
		return fail(ERANGE);
	if (fields.has & KUID_HAS_INTERVAL && node)
		*node = fields.node;
	fields.format = to;
	return kuid_encode(&fields, out);
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
