// SPDX-License-Identifier: GPL-2.0-only
/* See service.h. */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "exit_status.h"
#include "service.h"
#include "text.h"

static void notify(const char *path, const char *text)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t length = strlen(path);
	socklen_t size = offsetof(struct sockaddr_un, sun_path) + length;
	int fd;

	if (length >= sizeof(address.sun_path)) {
		warnx("NOTIFY_SOCKET=%s: too long", path);
		return;
	}
	memcpy(address.sun_path, path, length);
	/* The name of an abstract socket, which begins with a NUL. */
	if (*path == '@')
		*address.sun_path = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || sendto(fd, text, strlen(text), MSG_NOSIGNAL,
			     (struct sockaddr *)&address, size) < 0)
		warn("NOTIFY_SOCKET=%s", path);
	if (fd >= 0)
		close(fd);
}

void service_notify(const char *format, ...)
{
	const char *path = getenv("NOTIFY_SOCKET");
	va_list args;
	char *text;

	if (!path || !*path)
		return;
	va_start(args, format);
	text = text_of(format, args);
	va_end(args);
	notify(path, text);
	free(text);
}

/* systemd says which stream the journal is; a later redirection changes it. */
static bool is_journal(int fd)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, inode;
	struct stat stat;

	return stream && sscanf(stream, "%llu:%llu", &dev, &inode) == 2 &&
	       !fstat(fd, &stat) && stat.st_dev == dev && stat.st_ino == inode;
}

void service_log(const char *priority, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = text_of(format, args);
	va_end(args);
	fprintf(stderr, "%s%s: %s\n", is_journal(STDERR_FILENO) ? priority : "",
		program_invocation_short_name, text);
	free(text);
}

int service_end_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fd < 0)
		err(EXIT_FAILED, "signalfd");
	return fd;
}
