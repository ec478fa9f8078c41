/* SPDX-License-Identifier: GPL-2.0-only */
/* Standard output, of which all must be written or told. */
#ifndef KUID_TOOL_OUTPUT_H
#define KUID_TOOL_OUTPUT_H

/* Print an ID in one of KUID_FORM_* as a line. */
void output_id(unsigned int format, unsigned int form, const void *id);

/* Write what is still to be written, and end with a message if it can't be. */
void output_finish(void);

/*
 * End because errno says that standard output can't be written: silently if
 * who read it has gone, for that is up to them.
 */
__attribute__((noreturn)) void output_failed(void);

#endif /* KUID_TOOL_OUTPUT_H */
