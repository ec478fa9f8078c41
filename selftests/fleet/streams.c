// SPDX-License-Identifier: GPL-2.0-only
/* Prints streams of IDs of several hosts, to try how they are merged. */
#include <stdio.h>

#include "experiments.h"
#include "host.h"
#include "random.h"

#define HOSTS	 3
#define SECONDS	 60
#define ERROR_NS (10 * (s64)KUID_MS_NS)

/*
 * Twice a second something happens, and each host makes some IDs within a few
 * milliseconds: their order is the one that clocks can't tell.
 */
static void print_stream(unsigned int number)
{
	const struct kuid_format *format = &kuid_formats[KUID_FORMAT_V7];
	struct host host;
	u64 event;

	host_start(&host, 2, random_around(50000), random_around(ERROR_NS));
	for (event = 1; event < 2 * SECONDS; event++) {
		u64 at = event * KUID_SEC_NS / 2;
		unsigned int n = random_below(5);

		if (random_below(20) == 0)
			host_set_clock(&host, at, random_around(ERROR_NS));
		while (n--) {
			struct kuid_text text;
			struct packed id;
			int size;

			at += random_below(5 * KUID_MS_NS);
			if (!host_id(&host, KUID_FORMAT_V7, at, &id))
				continue;
			kuid_text_start(&text, format->text_form);
			size = kuid_text_next(&text, format->text_form,
					      format->text_size, id.high,
					      id.low);
			printf("stream\t%u\t%.*s\t%llu\n", number, size,
			       text.text, (unsigned long long)at);
		}
	}
	host_stop(&host);
}

void print_streams(void)
{
	unsigned int i;

	random_begin("streams");
	for (i = 1; i <= HOSTS; i++)
		print_stream(i);
}
