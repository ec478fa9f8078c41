// SPDX-License-Identifier: MIT
/* The lowest and the highest ID of each format, and of a time. */
#include "layout.h"

/*
 * Fill all bits of an ID with one value, except for those that no ID of the
 * format can have otherwise.
 */
static int fill(unsigned int format, void *id, int byte)
{
	const struct kuid_layout *layout = kuid_layout_of(format);
	uint8_t bytes[KUID_ID_MAX];

	if (!layout)
		return -1;
	memset(bytes, byte, sizeof(bytes));
	if (layout->row->version) {
		bytes[6] = layout->row->version << 4 | (byte & 0x0f);
		bytes[8] = 0x80 | (byte & 0x3f);
	}
	if (layout->format == KUID_LAYOUT_SNOWFLAKE)
		bytes[0] &= 0x7f;
	memcpy(id, bytes, layout->row->id_size);
	return 0;
}

int kuid_lowest(unsigned int format, void *id)
{
	return fill(format, id, 0x00);
}

int kuid_highest(unsigned int format, void *id)
{
	return fill(format, id, 0xff);
}

static int fill_at(unsigned int format, int64_t sec, uint32_t nsec,
		   uint64_t setting, unsigned int flags, void *id, int byte)
{
	uint8_t filled[KUID_ID_MAX];
	struct kuid_fields fields;
	uint32_t fraction;

	if (fill(format, filled, byte) ||
	    kuid_decode(format, filled, setting, flags, &fields))
		return -1;
	fraction = fields.fraction;
	if (kuid_set_time(&fields, sec, nsec))
		return -1;
	/* The fraction of any v7 is no part of its time. */
	if (!(flags & KUID_FROM_KUID))
		fields.fraction = fraction;
	return kuid_encode(&fields, id);
}

int kuid_lowest_at(unsigned int format, int64_t sec, uint32_t nsec,
		   uint64_t setting, unsigned int flags, void *id)
{
	return fill_at(format, sec, nsec, setting, flags, id, 0x00);
}

int kuid_highest_at(unsigned int format, int64_t sec, uint32_t nsec,
		    uint64_t setting, unsigned int flags, void *id)
{
	return fill_at(format, sec, nsec, setting, flags, id, 0xff);
}
