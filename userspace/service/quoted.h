/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A text that the user gave, for a message: no more than 40 characters of it,
 * with those escaped that could do something to a terminal.
 */
#ifndef KUID_SERVICE_QUOTED_H
#define KUID_SERVICE_QUOTED_H

#include <stddef.h>
#include <string.h>

#define QUOTED_MAX 40
struct quoted {
	char text[QUOTED_MAX + sizeof("...")];
};
struct quoted quoted(const char *text, size_t size);

/* The same for a string, as an argument of a function that prints. */
#define QUOTED(string) (quoted(string, strlen(string)).text)

#endif /* KUID_SERVICE_QUOTED_H */
