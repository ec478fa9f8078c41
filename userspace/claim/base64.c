// SPDX-License-Identifier: GPL-2.0-only
/* See base64.h. */
#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base64.h"
#include "exit_status.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "abcdefghijklmnopqrstuvwxyz0123456789+/";

static char *space_for(size_t size)
{
	char *space = calloc(1, size);

	if (!space)
		errx(EXIT_FAILED, "out of memory");
	return space;
}

char *base64_text(const char *bytes)
{
	size_t size = strlen(bytes), used = 0;
	char *text = space_for((size + 2) / 3 * 4 + 1);

	for (size_t i = 0; i < size; i += 3) {
		uint32_t group = 0;

		for (size_t j = i; j < i + 3; j++)
			group = group << 8 |
				(j < size ? (unsigned char)bytes[j] : 0);
		for (int j = 0; j < 4; j++)
			text[used++] =
				i + j > size
					? '='
					: digits[group >> (18 - 6 * j) & 0x3f];
	}
	return text;
}

char *base64_parse(const char *text)
{
	size_t length = strcspn(text, "="), used = 0;
	char *bytes = space_for(length / 4 * 3 + 4);
	uint32_t group = 0;

	for (size_t i = 0; i < length; i++) {
		const char *digit = strchr(digits, text[i]);

		if (!digit)
			goto wrong;
		group = group << 6 | (digit - digits);
		if (i % 4)
			bytes[used++] = group >> (6 - 2 * (i % 4)) & 0xff;
	}
	if (strlen(text) % 4 || length % 4 == 1 || strlen(text) - length > 2 ||
	    strspn(text + length, "=") != strlen(text) - length ||
	    memchr(bytes, '\0', used))
		goto wrong;
	return bytes;
wrong:
	free(bytes);
	return NULL;
}
