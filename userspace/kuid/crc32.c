// SPDX-License-Identifier: GPL-2.0-only
/* See crc32.h. */
#include "crc32.h"

/* The polynomial 0x04c11db7 with its bits reversed, as in RFC 1952. */
#define POLYNOMIAL 0xedb88320

/* Bit by bit, without a table: the inputs are a few hundred bytes. */
uint32_t crc32(const void *data, size_t size)
{
	const unsigned char *byte = data;
	uint32_t crc = ~UINT32_C(0);

	while (size--) {
		crc ^= *byte++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
	}
	return ~crc;
}
