// SPDX-License-Identifier: MIT
/* The lowest and the highest ID of each format. */
#include "layout.h"

/* Fill all bits of an ID but those of version and variant with one value. */
static int fill(unsigned int format, void *id, int byte)
{
	const struct kuid_layout *layout = kuid_layout_of(format);
	uint8_t bytes[KUID_ID_MAX];

	if (!layout)
		return -1;
	memset(bytes, byte, sizeof(bytes));
	if (layout->version) {
		bytes[6] = layout->version << 4 | (byte & 0x0f);
		bytes[8] = 0x80 | (byte & 0x3f);
	}
	memcpy(id, bytes, layout->id_size);
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
