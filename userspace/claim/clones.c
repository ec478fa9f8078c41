// SPDX-License-Identifier: GPL-2.0-only
/* Whether this machine notices that it was cloned. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumer.h"

/* Whether one of these files has the word in it. */
static bool has_word(const char *pattern, const char *word)
{
	bool found = false;
	char *line = NULL;
	size_t size = 0;
	glob_t files;

	if (glob(pattern, 0, NULL, &files))
		return false;
	for (size_t i = 0; i < files.gl_pathc && !found; i++) {
		FILE *file = fopen(files.gl_pathv[i], "re");

		while (file && !found && getline(&line, &size, file) > 0)
			found = strstr(line, word);
		if (file)
			fclose(file);
	}
	free(line);
	globfree(&files);
	return found;
}

/* Only processors of x86 have flags, which tell whether they are virtual. */
bool has_unseen_clones(void)
{
	static const char processor[] = "/proc/cpuinfo";
	static const char devices[] = "/sys/bus/acpi/devices/*/modalias";

	if (has_word(processor, "flags") && !has_word(processor, " hypervisor"))
		return false;
	return !has_word(devices, ":VM_GEN_COUNTER") &&
	       !has_word(devices, ":VMGENCTR");
}
