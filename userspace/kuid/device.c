// SPDX-License-Identifier: GPL-2.0-only
/* See device.h. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "exit_status.h"
#include "formats.h"
#include "nanoseconds.h"
#include "problem.h"

/* Containers see the modules of their host there. */
static bool module_is_loaded(void)
{
	return !access("/sys/module/kuid", F_OK) ||
	       !access("/sys/class/kuid", F_OK);
}

/*
 * Whether this process is in a container: the first PID and user namespaces of
 * a kernel have fixed numbers, and a container has others, whatever made it.
 */
static bool is_contained(void)
{
	static const struct {
		const char *link, *first;
	} namespaces[] = {
		{ "/proc/self/ns/pid", "pid:[4026531836]" },
		{ "/proc/self/ns/user", "user:[4026531837]" },
	};
	char is[32];

	for (size_t i = 0; i < sizeof(namespaces) / sizeof(*namespaces); i++) {
		ssize_t size = readlink(namespaces[i].link, is, sizeof(is) - 1);

		if (size < 0)
			continue;
		is[size] = '\0';
		if (strcmp(is, namespaces[i].first))
			return true;
	}
	return false;
}

static bool file_says(const char *path, const char *word)
{
	char text[64] = "";
	int file = open(path, O_RDONLY | O_CLOEXEC);
	bool says;

	if (file < 0)
		return false;
	says = read(file, text, sizeof(text) - 1) > 0 && strstr(text, word);
	close(file);
	return says;
}

/* Secure Boot locks the kernel down, without setting the parameter. */
static bool needs_signature(void)
{
	return file_says("/sys/module/module/parameters/sig_enforce", "Y") ||
	       file_says("/sys/kernel/security/lockdown", "[integrity]") ||
	       file_says("/sys/kernel/security/lockdown", "[confidentiality]");
}

/* There is no device file, or it has no driver. */
static struct problem *absent(unsigned int format)
{
	const char *path = kuid_format_device(format);
	bool has_file = !access(path, F_OK);
	bool contained = is_contained();
	const char *advice;

	if (module_is_loaded() && has_file)
		advice = "this device file is not of the module that is "
			 "loaded now, but of one that was loaded earlier: if "
			 "this is a container, start it again";
	else if (module_is_loaded() && contained)
		advice = "the host has loaded the module, but this container "
			 "was not given the device file: start it with "
			 "\"--device\" and the file's name or, where \"kuid "
			 "cdi\" was run, \"--device kuid/id=all\"";
	else if (module_is_loaded())
		advice = "the module is loaded, but this process can't see the "
			 "device file: a systemd unit with PrivateDevices= "
			 "needs \"BindReadOnlyPaths=/dev/kuid /dev/kuids\" and "
			 "\"DeviceAllow=char-kuid r\"";
	else if (contained)
		advice = "the module is not loaded, and a container can't load "
			 "it: let root of the host run \"modprobe kuid\", and "
			 "start the container with the device file";
	else if (needs_signature())
		advice = "load the module, as root, with \"modprobe kuid\", "
			 "which this kernel allows only if a key that it knows "
			 "has signed it: see \"Secure Boot\" in the guide";
	else
		advice = "load the module, as root, with \"modprobe kuid\", or "
			 "\"insmod kuid.ko\" where it is not installed";
	return problem("%s %s: %s%s",
		       has_file ? "no driver for" : "there is no", path, advice,
		       formats_is("{stamp}", format)
			       ? "; IDs of a process alone are made by \"kuid "
				 "gen --local\""
			       : "");
}

static struct problem *forbidden(const char *path, int error)
{
	if (error == EACCES)
		return problem("%s: %s: anyone may read it unless a udev rule "
			       "or AppArmor says otherwise, see \"ls -l %s\"",
			       path, strerror(error), path);
	return problem(
		"%s: %s: %s", path, strerror(error),
		is_contained()
			? "a container needs the device file by \"--device\", "
			  "not as a volume"
			: "a systemd unit needs \"DeviceAllow=char-kuid r\"");
}

/* For messages only; of zeros if it can't be read. */
static struct kuid_state state_now(void)
{
	struct kuid *handle = kuid_open(KUID_FORMAT_DEFAULT);
	struct kuid_state state = { 0 };

	if (handle)
		kuid_read_state(handle, &state);
	kuid_close(handle);
	return state;
}

/* The kernel guards no lane. */
static struct problem *no_lane(void)
{
	unsigned int node_from = state_now().node_from;

	if (sizeof(long) < sizeof(uint64_t))
		return problem("--private needs a program of 64 bits");
	if (node_from && node_from != KUID_FROM_RANDOM)
		return problem("the node was given, so only the device makes "
			       "IDs: leave out --private");
	return problem("the kernel hands out no lane for --private");
}

static struct problem *try_open(unsigned int format, unsigned int flags,
				struct kuid **handle)
{
	const char *path = kuid_format_device(format);

	*handle = kuid_open_flags(format, flags);
	if (*handle)
		return NULL;
	switch (errno) {
	case ENODEV:
		return absent(format);
	case EOPNOTSUPP:
		return no_lane();
	case ENOTTY:
	case EPROTONOSUPPORT:
		return problem("%s: %s", path, device_error());
	case EACCES:
	case EPERM:
		return forbidden(path, errno);
	case EINVAL:
		return problem("this kernel's module makes no %s",
			       kuid_format_name(format));
	default:
		return problem("%s: %s", path, strerror(errno));
	}
}

struct problem *device_try_open(unsigned int format, struct kuid **handle)
{
	return try_open(format, 0, handle);
}

static struct kuid *must_open(unsigned int format, unsigned int flags)
{
	struct kuid *handle;
	struct problem *wrong = try_open(format, flags, &handle);

	if (wrong)
		errx(EXIT_FAILED, "%s", wrong->text);
	return handle;
}

struct kuid *device_open(unsigned int format)
{
	return must_open(format, 0);
}

struct kuid *device_open_private(unsigned int format)
{
	return must_open(format, KUID_PRIVATE);
}

struct kuid *device_open_local(unsigned int format)
{
	struct kuid *handle = kuid_open_flags(format, KUID_LOCAL);

	if (handle)
		return handle;
	if (errno == EOPNOTSUPP)
		errx(EXIT_FAILED, "--local needs a program of 64 bits and "
				  "Linux 4.14 or later");
	err(EXIT_FAILED, "making IDs in this process");
}

const char *device_error(void)
{
	switch (errno) {
	case EPERM:
		if (!geteuid())
			return "not permitted: this root has no CAP_SYS_TIME, "
			       "or no CAP_SYS_ADMIN to change the identity, as "
			       "in a container: run it as root of the host";
		return "not permitted: run it as root; CAP_SYS_TIME is enough "
		       "unless the identity is changed, which needs "
		       "CAP_SYS_ADMIN";
	case EAGAIN:
		return "the kernel's random generator is not ready: try again "
		       "in a few seconds";
	case ENOKEY:
		return "it has no worker: \"kuid node --snowflake NUMBER\" "
		       "gives it one, \"kuid-claim\" claims one";
	case ENODATA:
		return "state is required, and \"kuid keep\" has not begun, or "
		       "its ceiling is reached: \"kuid status\" says what to do";
	case ENOTTY:
	case EPROTONOSUPPORT:
		return kuid_error_advice(errno);
	default:
		return strerror(errno);
	}
}

struct problem *device_problem(const char *doing)
{
	if (errno == EAGAIN)
		return problem_for_now("%s: %s", doing, device_error());
	return problem("%s: %s", doing, device_error());
}

struct kuid_status device_status(struct kuid *handle)
{
	struct kuid_status status;

	if (kuid_read_status(handle, &status))
		errx(EXIT_FAILED, "reading the status: %s", device_error());
	return status;
}

int device_drop_claim(struct kuid *handle)
{
	static const __u64 none[2];
	struct kuid_state state;

	if (kuid_read_state(handle, &state))
		return -1;
	if (state.worker_from != KUID_FROM_CLAIM &&
	    state.snowflake_from != KUID_FROM_CLAIM)
		return 0;
	if (!state.claim_dead) {
		errno = EBUSY;
		return -1;
	}
	return kuid_drop_claim(handle, state.load_id, none, NULL);
}

uint64_t device_time_left(const struct kuid_status *status, uint64_t ceiling_ns)
{
	uint64_t now = clock_ns(CLOCK_REALTIME) + status->slot_lag_ns;

	return ceiling_ns > now ? ceiling_ns - now : 0;
}

static void __attribute__((noreturn)) no_state(const char *name)
{
	/* The gate is shut because of the ceiling, and not of the floor. */
	if (state_now().cover_epoch)
		errx(EXIT_FAILED,
		     "no %s is made: state is required, and IDs have come to "
		     "the ceiling that was saved last. Run \"kuid keep\" as "
		     "root; if it runs, its messages say why it doesn't save",
		     name);
	errx(EXIT_FAILED,
	     "no %s is made: state is required, and \"kuid keep\" has not begun "
	     "since the module was loaded: see \"systemctl status kuid\", and "
	     "\"kuid status\" as root",
	     name);
}

/* Whether a format shows a number that was claimed. */
static bool shows_claimed(unsigned int format)
{
	struct kuid_state state = state_now();

	switch (kuid_format_shows(format)) {
	case KUID_SHOWS_WORKER:
		return state.worker_from == KUID_FROM_CLAIM;
	case KUID_SHOWS_SNOWFLAKE:
		return state.snowflake_from == KUID_FROM_CLAIM ||
		       (state.snowflake_from == KUID_FROM_WORKER &&
			state.worker_from == KUID_FROM_CLAIM);
	}
	return false;
}

static void __attribute__((noreturn)) stale(unsigned int format)
{
	const char *name = kuid_format_name(format);
	const char *part = formats_is("{node}", format) ? "node random"
			   : formats_is("{snowflake}", format)
				   ? "snowflake NUMBER"
				   : "worker random";

	if (shows_claimed(format))
		errx(EXIT_FAILED,
		     "no %s is made: this machine may be a clone, and the "
		     "number that %s carries was claimed. \"kuid-claim\" claims "
		     "one again; if it runs, its messages say why it has not",
		     name, name);
	errx(EXIT_FAILED,
	     "no %s is made: this machine may be a clone, and what %s carries "
	     "was given. Run \"kuid node --confirm\" if that is this "
	     "machine's alone, else \"kuid node --%s\"",
	     name, name, part);
}

void device_make_failed(unsigned int format)
{
	const char *name = kuid_format_name(format);

	switch (errno) {
	case ESTALE:
		stale(format);
	case ENODATA:
		no_state(name);
	case ENOKEY:
		errx(EXIT_FAILED,
		     "no %s is made: it needs a worker from 0 to %d that no "
		     "other host has. Run \"kuid node --snowflake NUMBER\" as "
		     "root, or let \"kuid-claim\" claim one",
		     name, KUID_SNOWFLAKE_WORKER_MAX);
	case EKEYEXPIRED:
		errx(EXIT_FAILED,
		     "no %s is made: it shows a claimed number, and the time "
		     "has come to the ceiling of the claim. If \"kuid-claim\" "
		     "runs, its messages say why it does not raise it",
		     name);
	case EOVERFLOW:
		if (formats_is("{stamp}", format))
			errx(EXIT_FAILED,
			     "no %s is made: the clock of this process is "
			     "before 1970 or after 2232",
			     name);
		errx(EXIT_FAILED,
		     "no %s is made: its 41 bits can't hold the time, which is "
		     "before its epoch or more than 69 years after it: set the "
		     "clock, or load the module with another "
		     "snowflake_epoch_ms",
		     name);
	default:
		errx(EXIT_FAILED, "making IDs of %s: %s", name, device_error());
	}
}
