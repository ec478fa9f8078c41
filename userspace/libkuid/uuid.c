// SPDX-License-Identifier: MIT
/* Names of UUID versions, also of those that the library does not make. */
#include "layout.h"

static bool all_are(const uint8_t *id, uint8_t byte)
{
	for (size_t i = 0; i < 16; i++)
		if (id[i] != byte)
			return false;
	return true;
}

const char *kuid_uuid_name(const void *id)
{
	/* RFC 9562 section 4.2. */
	static const char *const names[] = {
		NULL,
		"time-based",
		"DCE security",
		"name-based, MD5",
		"random",
		"name-based, SHA-1",
		"reordered time-based",
		"Unix time-based",
		"custom",
	};
	unsigned int version = kuid_uuid_version(id);

	if (all_are(id, 0x00))
		return "nil";
	if (all_are(id, 0xff))
		return "max";
	if (kuid_uuid_is_rfc(id) && version &&
	    version < sizeof(names) / sizeof(names[0]))
		return names[version];
	return "unknown";
}
