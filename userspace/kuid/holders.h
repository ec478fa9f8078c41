/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes that keep the module from being unloaded. */
#ifndef KUID_TOOL_HOLDERS_H
#define KUID_TOOL_HOLDERS_H

#include <sys/types.h>

/*
 * Print a line for each other process that has a device file open whose number
 * has this one's major, or the page of a private lane mapped; and how many
 * processes can't be looked at. Ends with a message if /proc can't be read.
 */
void holders_print(dev_t device);

#endif /* KUID_TOOL_HOLDERS_H */
