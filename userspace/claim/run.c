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

static int end_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* A reader of standard output that has gone ends the program by EPIPE. */
	signal(SIGPIPE, SIG_IGN);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fd < 0)
		err(EXIT_FAILED, "signalfd");
	return fd;
}

/* Tell of a failure once, and of its end. */
static void tell(const struct claim *claim, const char *wrong)
{
	static char *told;

	if (wrong && (!told || strcmp(wrong, told)))
		service_log(SERVICE_ERR, "%s", wrong);
	if (!wrong && told)
		service_log(SERVICE_NOTICE, "all is well again");
	free(told);
	told = wrong ? strdup(wrong) : NULL;
	if (wrong)
		service_notify("WATCHDOG=1\nSTATUS=%s", wrong);
	else
		service_notify("WATCHDOG=1\nSTATUS=Number %" PRIu64,
			       claim->number);
}

static void tell_metrics(const struct claim *claim, const char *path)
{
	static bool failed;
	char *wrong = path ? metrics_write(claim, path) : NULL;

	if (wrong && !failed)
		service_log(SERVICE_ERR, "%s", wrong);
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
	int signals = end_signals(), told;
	bool ready = false;
	char *wrong;

	do {
		claim_step(claim);
		tell(claim, claim->wrong);
		tell_metrics(claim, metrics);
		if (!ready && claim_is_used(claim)) {
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
		    claim->number, wrong);
	free(wrong);
	return EXIT_FAILED;
}
