/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts, to be freed. The program ends if there is no memory for one. */
#ifndef KUID_SERVICE_TEXT_H
#define KUID_SERVICE_TEXT_H

#include <stdarg.h>

/* As asprintf(3) and vasprintf(3). */
char *text_new(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *text_of(const char *format, va_list args);

#endif /* KUID_SERVICE_TEXT_H */
