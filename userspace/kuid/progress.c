// SPDX-License-Identifier: GPL-2.0-only
/* See progress.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "nanoseconds.h"
#include "progress.h"

/* Work that ends sooner is not worth a line, and people read no faster. */
#define EVERY_NS (SEC_NS / 2)

static struct {
	bool wanted;
	bool shown;
	uint64_t total;
	uint64_t began_ns;
	uint64_t last_ns;
} progress;

/* It costs less, and is fine enough here. */
#define CLOCK CLOCK_MONOTONIC_COARSE

void progress_begin(uint64_t total)
{
	progress.wanted = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
	if (!progress.wanted)
		return;
	progress.total = total;
	progress.began_ns = clock_ns(CLOCK);
	progress.last_ns = progress.began_ns;
}

void progress_tell(uint64_t done)
{
	uint64_t now;

	if (!progress.wanted)
		return;
	now = clock_ns(CLOCK);
	if (now - progress.last_ns < EVERY_NS)
		return;
	progress.last_ns = now;
	progress.shown = true;
	fprintf(stderr, "\r%" PRIu64, done);
	if (progress.total)
		fprintf(stderr, " of %" PRIu64 " IDs, %.0f%%", progress.total,
			100.0 * done / progress.total);
	else
		fprintf(stderr, " IDs");
	fprintf(stderr, ", %.0f a second\033[K",
		done / ((now - progress.began_ns) / (double)SEC_NS));
}

void progress_end(void)
{
	int error = errno;

	if (progress.shown)
		fprintf(stderr, "\r\033[K");
	errno = error;
	progress.shown = false;
}
