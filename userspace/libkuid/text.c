// SPDX-License-Identifier: MIT
/* IDs as text. */
#include <errno.h>

#include "core/text.h"
#include "kuid.h"

int kuid_text(unsigned int format, const void *id, char *text, size_t size)
{
	struct kuid_hex_text hex;
	__be64 words[2];

	switch (format) {
	case KUID_FORMAT_DEFAULT:
	case KUID_FORMAT_V1:
		break;
	default:
		errno = EINVAL;
		return -1;
	}
	if (size < KUID_UUID_TEXT_SIZE + 1) {
		errno = ERANGE;
		return -1;
	}
	memcpy(words, id, sizeof(words));
	kuid_hex_text_start(&hex, false);
	kuid_hex_text_next(&hex, false, be64_to_cpu(words[0]),
			   be64_to_cpu(words[1]));
	memcpy(text, hex.text, KUID_UUID_TEXT_SIZE);
	text[KUID_UUID_TEXT_SIZE] = '\0';
	return 0;
}
