// SPDX-License-Identifier: MIT
/*
 * Takes a batch of IDs from libkuid and prints them. A handle may be shared by
 * threads, and by a process and those that it forks.
 */
#include <kuid.h>
#include <stdio.h>

#define COUNT 5

int main(void)
{
	unsigned char ids[COUNT][KUID_ID_MAX];
	char text[KUID_TEXT_MAX];
	struct kuid *handle = kuid_open(KUID_FORMAT_V1);

	if (!handle || kuid_many(handle, ids, COUNT) != COUNT) {
		perror("many: /dev/kuid");
		return 1;
	}
	for (int i = 0; i < COUNT; i++) {
		kuid_text(KUID_FORMAT_V1, ids[i], text, sizeof(text));
		puts(text);
	}
	kuid_close(handle);
	return 0;
}
