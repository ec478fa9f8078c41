// SPDX-License-Identifier: GPL-2.0-only
/*
 * The harness gives each test so many seconds, by alarm(). On a kernel that
 * checks itself all takes longer; KUID_PATIENCE tells how many times.
 */
#include <stdlib.h>

#include "patience.h"

unsigned int __wrap_alarm(unsigned int seconds)
{
	const char *patience = getenv("KUID_PATIENCE");
	int times = patience ? atoi(patience) : 1;

	return __real_alarm(seconds * (times > 0 ? times : 1));
}
