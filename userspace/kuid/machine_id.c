// SPDX-License-Identifier: GPL-2.0-only
/* See machine_id.h. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "machine_id.h"
#include "verbs.h"

#define MACHINE_ID_FILE "/etc/machine-id"

bool machine_id_valid(const char *id)
{
	return strspn(id, "0123456789abcdef") == MACHINE_ID_SIZE - 1 &&
	       !id[MACHINE_ID_SIZE - 1];
}

void machine_id_read(char id[MACHINE_ID_SIZE])
{
	int fd = open(MACHINE_ID_FILE, O_RDONLY | O_CLOEXEC);
	char text[64];
	ssize_t size;

	id[0] = '\0';
	if (fd < 0 && errno == ENOENT)
		return;
	if (fd < 0)
		err(EXIT_FAILED, MACHINE_ID_FILE);
	size = read(fd, text, sizeof(text) - 1);
	if (size < 0)
		err(EXIT_FAILED, MACHINE_ID_FILE);
	close(fd);
	text[size] = '\0';
	text[strcspn(text, "\n")] = '\0';
	/* What systemd has there while the first boot has not come to it. */
	if (!*text || !strcmp(text, "uninitialized"))
		return;
	if (!machine_id_valid(text))
		errx(EXIT_FAILED, MACHINE_ID_FILE
		     ": not 32 hexadecimal digits; make a new "
		     "one with \"systemd-machine-id-setup\", or "
		     "remove it");
	memcpy(id, text, MACHINE_ID_SIZE);
}
