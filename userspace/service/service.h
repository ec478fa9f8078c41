/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of a daemon to systemd(1), sent without its library. If there is no
 * systemd, lines go to standard error, and nothing else is sent.
 */
#ifndef KUID_SERVICE_SERVICE_H
#define KUID_SERVICE_SERVICE_H

/* Send a state to the service manager, see sd_notify(3). */
void service_notify(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* Priorities of sd-daemon(3). */
#define SERVICE_ERR    "<3>"
#define SERVICE_NOTICE "<5>"
#define SERVICE_DEBUG  "<7>"

/*
 * Print a line on standard error, with its priority if that is the journal.
 */
void service_log(const char *priority, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* KUID_SERVICE_SERVICE_H */
