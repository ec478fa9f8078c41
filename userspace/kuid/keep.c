// SPDX-License-Identifier: GPL-2.0-only
/* kuid keep: begin a cover, and save its ceiling while the machine runs. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "arguments.h"
#include "device.h"
#include "cover.h"
#include "service.h"
#include "verbs.h"

/* How soon to try again after a failure. */
#define RETRY_S 2

static uint64_t every_s = 20;

static const struct option_row options[] = {
	{ "every", 0, "SECONDS",
	  "How often to save, at most half of --ahead, so that one failure "
	  "does no harm: 20 by default",
	  take_number, &every_s, "a time between saves, in seconds", 1,
	  COVER_AHEAD_MOST / 2 },
	{ 0 },
};

static void check_form(struct argp_state *state)
{
	if (every_s > cover_target.ahead_s / 2)
		argp_error(state,
			   "--every %" PRIu64 " is more than half of --ahead "
			   "%" PRIu64,
			   every_s, cover_target.ahead_s);
}

/* The reasons to wake up, as file descriptors. */
enum {
	TOLD_TO_END,
	CLOCK_SET,
	TIME_TO_SAVE,
	WAKEUPS,
};

static int timer(clockid_t clock)
{
	int fd = timerfd_create(clock, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0)
		err(EXIT_FAILED, "timerfd_create");
	return fd;
}

/*
 * A timer that becomes readable when the wall clock is set, also by a resume.
 * If the clock is set forward, IDs follow it at once and may pass the ceiling,
 * so the next ceiling must be saved without delay.
 */
static int clock_set(void)
{
	const struct itimerspec never = {
		/* The kernel replaces it by the last time that it knows. */
		.it_value.tv_sec = LONG_MAX,
	};
	int fd = timer(CLOCK_REALTIME);

	if (timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET,
			    &never, NULL) &&
	    errno != ECANCELED)
		err(EXIT_FAILED, "timerfd_settime");
	return fd;
}

static void arm(int fd, time_t seconds)
{
	const struct itimerspec once = { .it_value.tv_sec = seconds };

	if (timerfd_settime(fd, 0, &once, NULL))
		err(EXIT_FAILED, "timerfd_settime");
}

/*
 * Whether the signal is SIGHUP: the next process goes on at once, and IDs are
 * made meanwhile. Otherwise no more are made, and the exact end is saved.
 */
static bool is_restarted(int signals)
{
	struct signalfd_siginfo signal;

	return read(signals, &signal, sizeof(signal)) == sizeof(signal) &&
	       signal.ssi_signo == SIGHUP;
}

/* Returns false if a signal asks the daemon to end. */
static bool wait_for(struct pollfd wakeups[WAKEUPS])
{
	uint64_t expired;

	while (poll(wakeups, WAKEUPS, -1) < 0)
		if (errno != EINTR)
			err(EXIT_FAILED, "poll");
	if (wakeups[TOLD_TO_END].revents)
		return false;
	/*
	 * Read the timer before save() reads the clock: if the clock is set
	 * between the two, poll() returns again. After a clock step, read()
	 * fails with ECANCELED, and the timer is no longer readable.
	 */
	if (read(wakeups[CLOCK_SET].fd, &expired, sizeof(expired)) < 0 &&
	    errno != EAGAIN && errno != ECANCELED)
		err(EXIT_FAILED, "reading a timer");
	return true;
}

static struct problem *save(int *keeper, uint64_t ahead_s, bool *refused)
{
	struct kuid *handle = NULL;
	struct state_file file;
	bool taken = false;
	struct problem *wrong = state_file_open(&file, cover_target.path);

	if (!wrong && *keeper < 0)
		wrong = state_file_keep(&file, keeper, &taken);
	if (taken)
		errx(EXIT_FAILED, "%s", wrong->text);
	if (!wrong)
		wrong = device_try_open(KUID_FORMAT_DEFAULT, &handle);
	if (!wrong)
		wrong = cover_save(handle, &file, COVER_AS_SAVED,
				   ahead_s * SEC_NS, refused);
	kuid_close(handle);
	state_file_close(&file);
	return wrong;
}

/* Log a failure when it begins or changes, and when it is over. */
static void tell(struct problem *wrong)
{
	static struct problem *told;

	if (wrong && (!told || strcmp(wrong->text, told->text)))
		service_log(SERVICE_ERR, "not saving: %s", wrong->text);
	if (!wrong && told)
		service_log(SERVICE_NOTICE, "saving again");
	service_notify("STATUS=%s%s", wrong ? "Not saving: " : "Saving",
		       wrong ? wrong->text : "");
	free(told);
	told = wrong;
}

static int run(void)
{
	struct pollfd wakeups[WAKEUPS] = {
		[TOLD_TO_END] = { service_end_signals(), POLLIN },
		[CLOCK_SET] = { clock_set(), POLLIN },
		[TIME_TO_SAVE] = { timer(CLOCK_BOOTTIME), POLLIN },
	};
	bool ready = false, refused = false;
	int keeper = -1;

	do {
		struct problem *wrong =
			save(&keeper, cover_target.ahead_s, &refused);
		uint64_t seconds = every_s;

		/* An administrator must see to it. */
		if (refused ||
		    (!ready && wrong && wrong->status == EXIT_FAILED))
			problem_end(wrong);
		if (wrong && seconds > RETRY_S)
			seconds = RETRY_S;
		tell(wrong);
		/* Ready even if the disk is full: STATUS= shows it. */
		if (!ready)
			service_notify("READY=1");
		ready = true;
		arm(wakeups[TIME_TO_SAVE].fd, seconds);
	} while (wait_for(wakeups));
	service_notify("STOPPING=1");
	if (!is_restarted(wakeups[TOLD_TO_END].fd))
		tell(save(&keeper, 0, &refused));
	return EXIT_SUCCESS;
}

const struct verb verb_keep = {
	.name = "keep",
	.summary = "keep IDs from coming again after a reboot",
	.args = "[FILE]",
	.doc = "After a reboot IDs go on above the last one that can have been "
	       "made, which FILE has, as they do when the clock is set back. "
	       "Begin so, then save FILE again and again, also when the clock "
	       "was set and after a suspend. SIGTERM and SIGINT save the exact "
	       "end, for a shutdown; SIGHUP leaves the time ahead, for a "
	       "restart.\v"
	       "FILE is " STATE_FILE_USUAL " by default. If FILE is missing, "
	       "damaged, of another user, interval or epoch of snowflake, or "
	       "older than what has begun, end with status 1, and tell the way "
	       "out: see \"kuid restore --help\". A disk that is full or can't "
	       "be written is told once, and tried again every 2 seconds.",
	.examples = "  kuid keep\n"
		    "  kuid keep --ahead 120 --every 30",
	.exits = COVER_EXITS,
	.options = options,
	.shared = cover_options,
	.take_args = cover_take_args,
	.check = check_form,
	.run = run,
};
