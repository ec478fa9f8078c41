/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A daemon and what runs it: messages to systemd(1), sent without its library,
 * and the signals that end it. If there is no systemd, lines go to standard
 * error, and nothing else is sent.
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

/*
 * Block the signals that ask a daemon to end, SIGTERM, SIGINT and SIGHUP.
 * Returns a signalfd(2) that tells of them.
 */
int service_end_signals(void);

#endif /* KUID_SERVICE_SERVICE_H */
