// SPDX-License-Identifier: GPL-2.0-only
/* See quoted.h. */
#include <ctype.h>
#include <stdio.h>

#include "quoted.h"

struct quoted quoted(const char *text, size_t size)
{
	struct quoted shown = { 0 };
	char piece[sizeof("\\x00")];
	size_t used = 0;

	for (size_t i = 0; i < size; i++) {
		unsigned char c = text[i];
		const char *how = isprint(c) && c != '\\' ? "%c" : "\\x%02x";
		size_t length = snprintf(piece, sizeof(piece), how, c);

		if (used + length > QUOTED_MAX) {
			strcpy(shown.text + used, "...");
			break;
		}
		memcpy(shown.text + used, piece, length);
		used += length;
	}
	return shown;
}
