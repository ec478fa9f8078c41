/* SPDX-License-Identifier: GPL-2.0-only */
/* Base 64 of RFC 4648 with padding, as JSON carries bytes. */
#ifndef KUID_CLAIM_BASE64_H
#define KUID_CLAIM_BASE64_H

/* The text, to be freed. */
char *base64_text(const char *bytes);

/* Read it back, to be freed; NULL if it is not base 64 or has a NUL in it. */
char *base64_parse(const char *text);

#endif /* KUID_CLAIM_BASE64_H */
