// SPDX-License-Identifier: GPL-2.0-only
/* See holders.h. */
#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "exit_status.h"
#include "holders.h"
#include "text.h"

/* How many files a process has open of the device; -1 if that can't be seen. */
static int count_files(const char *pid, dev_t device)
{
	char *path = text_new("/proc/%s/fd", pid);
	DIR *dir = opendir(path);
	struct dirent *entry;
	struct stat file;
	int count = 0;

	free(path);
	if (!dir)
		return -1;
	while ((entry = readdir(dir)))
		if (!fstatat(dirfd(dir), entry->d_name, &file, 0) &&
		    S_ISCHR(file.st_mode) &&
		    major(file.st_rdev) == major(device))
			count++;
	closedir(dir);
	return count;
}

/* A mapping has the device number of the file system, so its name must do. */
static bool has_lane(const char *pid)
{
	char *path = text_new("/proc/%s/maps", pid), *line = NULL;
	FILE *maps = fopen(path, "re");
	size_t size = 0;
	bool found = false;

	free(path);
	if (!maps)
		return false;
	while (!found && getline(&line, &size, maps) > 0)
		found = strstr(line, "/dev/kuid");
	free(line);
	fclose(maps);
	return found;
}

static void print_holder(const char *pid, int files, bool lane)
{
	char *path = text_new("/proc/%s/comm", pid);
	FILE *comm = fopen(path, "re");
	char name[32] = "?";

	free(path);
	if (comm) {
		if (fgets(name, sizeof(name), comm))
			name[strcspn(name, "\n")] = '\0';
		fclose(comm);
	}
	/* Any process may give itself a name that a terminal obeys. */
	for (char *c = name; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	printf("%7s  %-15s  %d open%s\n", pid, name, files,
	       lane ? ", private lane" : "");
}

void holders_print(dev_t device)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int unseen = 0;

	if (!proc)
		err(EXIT_FAILED, "/proc");
	while ((entry = readdir(proc))) {
		const char *pid = entry->d_name;
		int files;
		bool lane;

		if (!isdigit((unsigned char)*pid) || atoi(pid) == getpid())
			continue;
		files = count_files(pid, device);
		/* One that has ended meanwhile holds nothing. */
		if (files < 0 && errno == EACCES)
			unseen++;
		lane = has_lane(pid);
		if (files > 0 || lane)
			print_holder(pid, files, lane);
	}
	closedir(proc);
	if (unseen)
		printf("%d processes can't be looked at: run this as root\n",
		       unseen);
}
