// SPDX-License-Identifier: GPL-2.0-only
/* Writes streams of IDs of several hosts, to try how they are merged. */
#include "experiments.h"
#include "host.h"
#include "random.h"
#include "report.h"

#define HOSTS	 3
#define SECONDS	 60
#define ERROR_NS (10 * (s64)KUID_MS_NS)

static void print_id(FILE *ids, FILE *made, const struct packed *id, u64 at)
{
	const struct kuid_format *format = &kuid_formats[KUID_FORMAT_V7];
	struct kuid_text text;
	int size;

	kuid_text_start(&text, format->text_form);
	size = kuid_text_next(&text, format->text_form, format->text_size,
			      id->high, id->low);
	fprintf(ids, "%.*s\n", size, text.text);
	fprintf(made, "%.*s\t%llu\n", size, text.text, (unsigned long long)at);
}

/*
 * Twice a second something happens, and each host makes some IDs within a few
 * milliseconds: their order is the one that clocks can't tell.
 */
static void write_stream(const char *directory, unsigned int number, FILE *made)
{
	struct host host;
	char name[20];
	FILE *ids;
	u64 event;

	snprintf(name, sizeof(name), "host-%u.ids", number);
	ids = report_create(directory, name);
	host_start(&host, 2, random_around(50000), random_around(ERROR_NS));
	for (event = 1; event < 2 * SECONDS; event++) {
		u64 at = event * KUID_SEC_NS / 2;
		unsigned int n = random_below(5);

		if (random_below(20) == 0)
			host_set_clock(&host, at, random_around(ERROR_NS));
		while (n--) {
			struct packed id;

			at += random_below(5 * KUID_MS_NS);
			if (host_id(&host, KUID_FORMAT_V7, at, &id))
				print_id(ids, made, &id, at);
		}
	}
	host_stop(&host);
	report_close(ids);
}

void write_streams(const char *directory)
{
	FILE *made = report_create(directory, "made.tsv");
	unsigned int i;

	random_begin("streams");
	for (i = 1; i <= HOSTS; i++)
		write_stream(directory, i, made);
	report_close(made);
}
