/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KUID_TOOL_CRC32_H
#define KUID_TOOL_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The CRC-32 of zlib, gzip and Ethernet: CRC-32/ISO-HDLC. */
uint32_t crc32(const void *data, size_t size);

#endif /* KUID_TOOL_CRC32_H */
