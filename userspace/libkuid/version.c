// SPDX-License-Identifier: MIT
/* The version of the library. */
#include "kuid.h"

unsigned int kuid_version(void)
{
	return KUID_VERSION_CODE(KUID_VERSION_MAJOR, KUID_VERSION_MINOR,
				 KUID_VERSION_PATCH);
}
