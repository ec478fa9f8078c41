/* SPDX-License-Identifier: GPL-2.0-only */
/* Which machine this is: machine-id(5). */
#ifndef KUID_TOOL_MACHINE_ID_H
#define KUID_TOOL_MACHINE_ID_H

#include <stdbool.h>

/* 32 hexadecimal digits and a NUL. */
#define MACHINE_ID_SIZE 33

bool machine_id_valid(const char *id);

/*
 * Read this machine's; empty if it has none, or none yet. Ends with a message
 * if there is a file that says something else, or can't be read.
 */
void machine_id_read(char id[MACHINE_ID_SIZE]);

#endif /* KUID_TOOL_MACHINE_ID_H */
