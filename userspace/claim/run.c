// SPDX-License-Identifier: GPL-2.0-only
/* See run.h. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "clocks.h"
#include "exit_status.h"
#include "metrics.h"
#include "nanoseconds.h"
#include "run.h"
#include "service.h"

/* Tell of a failure once, and of its end. */
static void tell(const struct claim *claim, const struct problem *wrong)
{
	static char *told;

	if (wrong && (!told || strcmp(wrong->text, told)))
		service_log(SERVICE_ERR, "%s", wrong->text);
	if (!wrong && told)
		service_log(SERVICE_NOTICE, "all is well again");
	free(told);
	told = wrong ? strdup(wrong->text) : NULL;
	if (wrong)
		service_notify("WATCHDOG=1\nSTATUS=%s", wrong->text);
	else
		service_notify("WATCHDOG=1\nSTATUS=Number %" PRIu64,
			       claim->number);
}

static void tell_metrics(const struct claim *claim, const char *path)
{
	static bool failed;
	struct problem *wrong = path ? metrics_write(claim, path) : NULL;

	if (wrong && !failed)
		service_log(SERVICE_ERR, "%s", wrong->text);
	failed = wrong;
	free(wrong);
}

/* Wait for a signal or until it is time; 0 if that is it. */
static int wait_until(int signals, uint64_t until_ns)
{
	struct pollfd wakeup = { signals, POLLIN, 0 };
	uint64_t now_ns = boot_ns();
	int ms = until_ns > now_ns ? (until_ns - now_ns) / (SEC_NS / 1000) + 1
				   : 0;
	struct signalfd_siginfo info;

	if (poll(&wakeup, 1, ms) < 0 && errno != EINTR)
		err(EXIT_FAILED, "poll");
	if (!(wakeup.revents & POLLIN))
		return 0;
	if (read(signals, &info, sizeof(info)) != sizeof(info))
		err(EXIT_FAILED, "reading a signal");
	return info.ssi_signo;
}

int run(struct claim *claim, const char *metrics)
{
	int signals = service_end_signals(), told;
	bool ready = false;
	struct problem *wrong;

	/* A reader of standard output that has gone ends the program by EPIPE. */
	signal(SIGPIPE, SIG_IGN);
	do {
		claim_step(claim);
		tell(claim, claim->wrong);
		tell_metrics(claim, metrics);
		if (!ready && claim_left_s(claim)) {
			ready = true;
			service_notify("READY=1");
		}
		told = wait_until(signals, claim_next_ns(claim));
	} while (!told);
	service_notify("STOPPING=1");
	free(claim->wrong);
	claim->wrong = NULL;
	if (metrics)
		unlink(metrics);
	if (told == SIGHUP || !*claim->mine)
		return EXIT_SUCCESS;
	wrong = claim_release(claim);
	if (!wrong)
		return EXIT_SUCCESS;
	service_log(SERVICE_ERR, "giving number %" PRIu64 " back: %s",
		    claim->number, wrong->text);
	free(wrong);
	return EXIT_FAILED;
}
