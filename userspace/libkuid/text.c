// SPDX-License-Identifier: MIT
/* IDs as text. */
#include <errno.h>

#include "core/uuid.h"
#include "kuid.h"

int kuid_text(unsigned int format, const void *id, char *text, size_t size)
{
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
	kuid_uuid_to_text(text, id);
	text[KUID_UUID_TEXT_SIZE] = '\0';
	return 0;
}
