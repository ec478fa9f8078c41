// SPDX-License-Identifier: MIT
/*
 * Takes a batch of IDs from libkuid, reads one more as text, and prints them:
 *
 *	many [--fallback]
 *
 * If there is no device, it fails, or with --fallback the library makes the IDs
 * in this process. A handle may be shared by threads, and by a process and
 * those that it forks.
 */
#include <errno.h>
#include <fcntl.h>
#include <kuid.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT 5

static void fail(const char *what, int error)
{
	fprintf(stderr, "many: %s: %s%s\n", what, strerror(error),
		error == ENODEV ? ": load the module kuid, or use --fallback"
				: "");
	exit(1);
}

static void print_batch(unsigned int flags)
{
	unsigned char ids[COUNT][KUID_ID_MAX];
	char text[KUID_TEXT_MAX];
	struct kuid *handle = kuid_open_flags(KUID_FORMAT_V1, flags);

	if (!handle || kuid_many(handle, ids, COUNT) != COUNT)
		fail("/dev/kuid", errno);
	for (int i = 0; i < COUNT; i++) {
		kuid_text(KUID_FORMAT_V1, ids[i], text, sizeof(text));
		puts(text);
	}
	kuid_close(handle);
}

/* A program without the library can read lines of 37 characters. */
static void print_line(const char *path)
{
	char line[37];
	int device = open(path, O_RDONLY | O_CLOEXEC);

	if (device < 0 || read(device, line, sizeof(line)) != sizeof(line))
		fail(path, errno);
	fwrite(line, sizeof(line), 1, stdout);
	close(device);
}

int main(int argc, char **argv)
{
	bool fallback = argc > 1 && !strcmp(argv[1], "--fallback");

	print_batch(fallback ? KUID_OR_LOCAL : 0);
	if (!fallback || !access("/dev/kuids/v1.txt", F_OK))
		print_line("/dev/kuids/v1.txt");
	return 0;
}
