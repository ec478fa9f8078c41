// SPDX-License-Identifier: GPL-2.0-only
/* kuid status: which promises hold now, and what to do if not. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments.h"
#include "device.h"
#include "exit_status.h"
#include "formats.h"
#include "holders.h"
#include "output.h"
#include "problem.h"
#include "prometheus.h"
#include "report.h"
#include "cover.h"
#include "time_text.h"
#include "verbs.h"

#define WIDTH 79 /* of a line for people */

/* With its usual times, "kuid keep" never lets the ceiling come so near. */
#define NEAR_S (COVER_AHEAD_USUAL / 2)

static bool check;
static bool json;
static bool prometheus;
static bool holders;

static const struct option_row options[] = {
	{ "check", 0, NULL,
	  "Print one line if all is held now, and end with exit status 4 if "
	  "uniqueness or order is not, for any format",
	  take_flag, &check },
	JSON_OPTION(&json),
	{ "prometheus", 0, NULL, "Print metrics in Prometheus' text format",
	  take_flag, &prometheus },
	{ "holders", 0, NULL,
	  "Print the processes that keep the module from being unloaded",
	  take_flag, &holders },
	{ 0 },
};

static void check_form(struct argp_state *state)
{
	if (json + prometheus + holders > 1)
		argp_error(state,
			   "only one of --json, --prometheus and --holders");
}

/* The promises, and their names in JSON and for people. */
static const struct {
	size_t offset;
	const char *key;
	const char *name;
} promises[] = {
	{ offsetof(struct kuid_status, unique), "unique", "unique" },
	{ offsetof(struct kuid_status, ordered), "ordered", "ordered" },
	{ offsetof(struct kuid_status, reboot_safe), "reboot_safe",
	  "reboot-safe" },
};

#define PROMISES (sizeof(promises) / sizeof(promises[0]))
#define UNIQUE	 0 /* the first of them */

/* Words as lines, all but the first with a margin. */
static void print_words(const char *text, int *column)
{
	while (*text) {
		int length = strcspn(text, " ");

		if (*column + 1 + length >= WIDTH)
			*column = printf("\n ") - 1;
		*column += printf(" %.*s", length, text);
		text += length;
		text += *text == ' ';
	}
}

/* The reasons that the library does not know. */
static uint64_t unknown_of(uint64_t bits)
{
	uint64_t unknown = 0;

	for (; bits; bits &= bits - 1)
		if (!kuid_reason_name(bits & -bits))
			unknown |= bits & -bits;
	return unknown;
}

/* The commands that help against a reason, besides the library's advice. */
static const struct {
	uint64_t reason;
	const char *text;
} commands[] = {
	{ KUID_REASON_STAMPS_HALF_SPEED,
	  "\"kuid clock\" tells how far it is." },
	{ KUID_REASON_SLOTS_HALF_SPEED,
	  "\"kuid clock\" tells how far it is; \"kuid restore --may-repeat\" "
	  "ends it, with the risk that \"kuid restore --help\" names." },
	{ KUID_REASON_NO_STATE,
	  "Run \"systemctl start kuid\", or \"kuid keep\"." },
	{ KUID_REASON_FIXED_NODE,
	  "The same helps, or \"kuid node --node random\"." },
	{ KUID_REASON_NO_VM_FORK,
	  "Run \"kuid node --node random --worker random\" in the copy." },
	{ KUID_REASON_PAST_CEILING,
	  "Run \"systemctl start kuid\", or \"kuid keep\"; if it runs, look "
	  "at \"journalctl -u kuid\"." },
	{ KUID_REASON_STALE_IDENTITY,
	  "Run \"kuid node --confirm\", or \"kuid node --node random --worker "
	  "random\"." },
	{ KUID_REASON_EXPIRED_CLAIM, "That daemon is \"kuid-claim\"." },
};

/* The advice on a reason, with commands. The caller frees it. */
static char *advice_on(uint64_t reason)
{
	const char *command = "";
	char *advice;

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].reason == reason)
			command = commands[i].text;
	if (asprintf(&advice, "%s%s%s", kuid_reason_advice(reason),
		     *command ? " " : "", command) < 0)
		err(EXIT_FAILED, "a text");
	return advice;
}

static void print_reasons(uint64_t bits)
{
	uint64_t unknown = unknown_of(bits);

	for (bits &= ~unknown; bits; bits &= bits - 1) {
		uint64_t reason = bits & -bits;
		int column = printf("\n%s:", kuid_reason_name(reason)) - 1;
		char *advice = advice_on(reason);

		print_words(kuid_reason_text(reason), &column);
		print_words(advice, &column);
		putchar('\n');
		free(advice);
	}
	if (unknown)
		printf("\nunknown: The module has reasons that this tool does "
		       "not know (0x%" PRIx64 ").\n  Use the tool that belongs "
		       "to it.\n",
		       unknown);
}

/* Why "kuid keep" does not begin or go on. Only root can see that. */
static void print_refusal(const struct kuid_status *status)
{
	const uint64_t shut = KUID_REASON_NO_STATE | KUID_REASON_PAST_CEILING;
	struct problem *wrong = NULL;
	int column;

	if (status->reasons & shut && !geteuid())
		wrong = cover_refusal();
	if (!wrong)
		return;
	column = printf("\nrefused:") - 1;
	print_words(wrong->text, &column);
	print_words("- then \"systemctl restart kuid\".", &column);
	putchar('\n');
	free(wrong);
}

/* Before the ceiling is reached, which is a reason of the kernel's. */
static bool ceiling_is_near(const struct kuid_status *status)
{
	return status->ceiling_ns &&
	       !(status->reasons & KUID_REASON_PAST_CEILING) &&
	       device_time_left(status, status->ceiling_ns) < NEAR_S * SEC_NS;
}

static void print_nearness(const struct kuid_status *status)
{
	int column;

	if (!ceiling_is_near(status))
		return;
	column = printf("\nnear_ceiling:") - 1;
	print_words("IDs soon come to the ceiling.", &column);
	print_words("If \"kuid keep\" runs, it does not save, and its messages "
		    "say why: \"journalctl -u kuid\".",
		    &column);
	putchar('\n');
}

static void print_seconds(const char *key, uint64_t ns, const char *of)
{
	char text[SECONDS_TEXT_SIZE];
	char *formats = formats_fill_in(of, ' ');

	seconds_text(ns, text);
	printf("%-12s %s s: %s\n", key, text, formats);
	free(formats);
}

static void print_time(const char *key, uint64_t ns)
{
	char text[TIME_TEXT_SIZE] = "none";

	if (ns)
		time_text_ns(ns, text);
	printf("%-12s %s\n", key, text);
}

static void print_ceiling(const char *key, const struct kuid_status *status,
			  uint64_t ns, const char *left)
{
	print_time(key, ns);
	if (ns)
		print_seconds("", device_time_left(status, ns), left);
}

/* How it is noticed that the machine was cloned: KUID_CLONES_*. */
static const char *clones_are(uint32_t clones, bool for_people)
{
	if (clones & KUID_CLONES_SEEN)
		return for_people ? "seen at once" : "seen";
	if (clones & KUID_CLONES_TOLD)
		return for_people ? "told later" : "told";
	return for_people ? "never told" : "never";
}

static json_t *left_json(const struct kuid_status *status, uint64_t ns)
{
	return ns ? json_integer(device_time_left(status, ns)) : json_null();
}

static void print_numbers(const struct kuid_status *status)
{
	printf("\n%-12s %" PRIu64 "\n", "epoch", (uint64_t)status->epoch);
	printf("%-12s %016" PRIx64 "\n", "load ID", (uint64_t)status->load_id);
	print_seconds("lag", status->stamp_lag_ns, "{stamp}");
	print_seconds("", status->slot_lag_ns, "{slot}");
	print_seconds("run-ahead", status->stamp_ahead_ns, "{stamp}");
	print_seconds("", status->lex_ahead_ns, "{lex}");
	print_seconds("", status->grid_ahead_ns, "{grid}");
	print_seconds("", status->snowflake_ahead_ns, "{snowflake}");
	print_time("floor", status->floor_ns);
	print_ceiling("ceiling", status, status->ceiling_ns,
		      "until IDs come to the ceiling");
	print_ceiling("of the claim", status, status->claim_ceiling_ns,
		      "until IDs that show a claimed number come to it");
	for (unsigned int i = 1; kuid_format_name(i); i++)
		printf("%-12s %" PRIu64 " %s\n", i == 1 ? "IDs made" : "",
		       (uint64_t)status->ids[i], kuid_format_name(i));
	printf("%-12s %" PRIu64 ", and %" PRIu64 " where a call may not wait\n",
	       "waits", (uint64_t)status->waits,
	       (uint64_t)status->would_blocks);
	printf("%-12s %" PRIu64 " times back, %" PRIu64 " forward\n",
	       "clock set", (uint64_t)status->steps_back,
	       (uint64_t)status->steps_forward);
	printf("%-12s %" PRIu64 "\n", "VM forks", (uint64_t)status->vm_forks);
	printf("%-12s %s by calls, %s for private lanes\n", "clones",
	       clones_are(status->clones, true),
	       clones_are(kuid_lane_clones(status), true));
}

static void print_limits(const struct limits *limits)
{
	const struct kuid_query *v1 = &limits->of[KUID_FORMAT_DEFAULT];

	print_seconds("limits", v1->max_ahead_ns, "run-ahead of one ID");
	print_seconds("", v1->batch_ahead_ns, "run-ahead in a batch");
	if (v1->step_limit_ns != UINT64_MAX)
		print_seconds("", v1->step_limit_ns,
			      "clock set back until a new epoch of {stamp}");
	print_seconds("", v1->clock_resolution_ns, "resolution of the clock");
	for (unsigned int i = 1; kuid_format_name(i); i++)
		if (limits->of[i].format)
			printf("%-12s %" PRIu64 " %s a second%s\n", "",
			       (uint64_t)limits->of[i].rate_max,
			       kuid_format_name(i),
			       formats_is("{stamp}", i) ? " on a CPU" : "");
}

/* A bit for each format that a promise is held for. */
static uint64_t held(const struct kuid_status *status, unsigned int promise)
{
	return *(const uint64_t *)((const char *)status +
				   promises[promise].offset);
}

static void print_names(uint64_t formats)
{
	for (unsigned int i = 1; kuid_format_name(i); i++)
		if (formats >> i & 1)
			printf(" %s", kuid_format_name(i));
}

static void print_promise(const struct kuid_status *status,
			  const struct limits *limits, unsigned int promise)
{
	uint64_t yes = held(status, promise);
	uint64_t no = limits->of[0].formats & ~yes;

	printf("%-12s %s", promises[promise].name, yes ? "yes" : "no");
	if (yes && no) {
		printf(":");
		print_names(yes);
		printf("; no:");
		print_names(no);
	}
	/* The kernel can't hold it over clones that it is not told of. */
	if (yes && promise == UNIQUE &&
	    status->reasons & KUID_REASON_NO_VM_FORK)
		printf("%s but not if this machine is cloned", no ? ";" : ",");
	putchar('\n');
}

/* The numbers of the bits that are set. */
static json_t *bits_json(uint64_t bits)
{
	json_t *list = report_list();

	for (unsigned int bit = 0; bit < 64; bit++)
		if (bits >> bit & 1)
			report_append(list, json_integer(bit));
	return list;
}

static json_t *names_json(uint64_t formats)
{
	json_t *list = report_list();

	for (unsigned int i = 1; kuid_format_name(i); i++)
		if (formats >> i & 1)
			report_append(list, json_string(kuid_format_name(i)));
	return list;
}

static void print_text(const struct kuid_status *status,
		       const struct limits *limits)
{
	for (unsigned int i = 0; i < PROMISES; i++)
		print_promise(status, limits, i);
	print_reasons(status->reasons);
	print_refusal(status);
	print_nearness(status);
	print_numbers(status);
	print_limits(limits);
}

static json_t *reasons_json(uint64_t bits)
{
	json_t *list = report_list();

	for (bits &= ~unknown_of(bits); bits; bits &= bits - 1) {
		uint64_t reason = bits & -bits;
		char *advice = advice_on(reason);

		report_append(list, json_pack("{s:s, s:s, s:s}", "name",
					      kuid_reason_name(reason), "text",
					      kuid_reason_text(reason),
					      "advice", advice));
		free(advice);
	}
	return list;
}

static json_t *limits_json(const struct limits *limits)
{
	const struct kuid_query *v1 = &limits->of[KUID_FORMAT_DEFAULT];
	json_t *report = report_new(), *rates = report_new();

	report_add_number(report, "max_ahead_ns", v1->max_ahead_ns);
	report_add_number(report, "batch_ahead_ns", v1->batch_ahead_ns);
	report_add(report, "step_limit_ns",
		   v1->step_limit_ns == UINT64_MAX
			   ? json_null()
			   : json_integer(v1->step_limit_ns));
	report_add_number(report, "clock_resolution_ns",
			  v1->clock_resolution_ns);
	for (unsigned int i = 1; kuid_format_name(i); i++)
		if (limits->of[i].format)
			report_add_number(rates, kuid_format_name(i),
					  limits->of[i].rate_max);
	report_add(report, "ids_per_second", rates);
	return report;
}

static json_t *describe(const struct kuid_status *status,
			const struct limits *limits)
{
	json_t *report = report_new(), *ids = report_new();

	for (unsigned int i = 0; i < PROMISES; i++)
		report_add(report, promises[i].key,
			   names_json(held(status, i)));
	report_add(report, "reasons", reasons_json(status->reasons));
	report_add(report, "unknown_reasons",
		   bits_json(unknown_of(status->reasons)));
	report_add_number(report, "epoch", status->epoch);
	report_add_hex(report, "load_id", status->load_id, 16);
	report_add_clocks(report, status);
	report_add(report, "ceiling_left_ns",
		   left_json(status, status->ceiling_ns));
	report_add_time(report, "claim_ceiling", status->claim_ceiling_ns);
	report_add(report, "claim_ceiling_left_ns",
		   left_json(status, status->claim_ceiling_ns));
	for (unsigned int i = 1; kuid_format_name(i); i++)
		report_add_number(ids, kuid_format_name(i), status->ids[i]);
	report_add(report, "ids", ids);
	report_add_number(report, "waits", status->waits);
	report_add_number(report, "would_blocks", status->would_blocks);
	report_add_number(report, "steps_back", status->steps_back);
	report_add_number(report, "steps_forward", status->steps_forward);
	report_add_number(report, "vm_forks", status->vm_forks);
	report_add_text(report, "clones_calls",
			clones_are(status->clones, false));
	report_add_text(report, "clones_lanes",
			clones_are(kuid_lane_clones(status), false));
	report_add(report, "limits", limits_json(limits));
	return report;
}

static void read_limits(struct kuid *handle, struct limits *limits)
{
	struct kuid_query *of = limits->of;

	for (unsigned int i = 0; kuid_format_name(i); i++)
		if ((!i || of->formats & 1ULL << i) &&
		    kuid_read_limits(handle, i, &of[i]))
			errx(EXIT_FAILED, "reading the limits: %s",
			     device_error());
}

static dev_t device_number(struct kuid *handle)
{
	struct stat file;

	if (fstat(kuid_fd(handle), &file))
		err(EXIT_FAILED, "the device");
	return file.st_rdev;
}

/* Where other programs read the output, an error is in it, too. */
static struct kuid *open_or_tell(void)
{
	struct problem *wrong;
	struct kuid *handle;
	json_t *report;

	wrong = device_try_open(KUID_FORMAT_DEFAULT, &handle);
	if (!wrong)
		return handle;
	if (json) {
		report = report_new();
		report_add_text(report, "error", wrong->text);
		report_print(report, true, 0);
	} else if (prometheus) {
		prometheus_print(NULL, NULL);
	}
	output_finish();
	errx(EXIT_FAILED, "%s", wrong->text);
}

/* Whether all promises are held for all formats, and will be for a while. */
static bool is_well(const struct kuid_status *status,
		    const struct limits *limits)
{
	uint64_t all = status->unique & status->ordered & status->reboot_safe;

	return !(limits->of[0].formats & ~all) && !ceiling_is_near(status);
}

static int run(void)
{
	struct kuid *handle = open_or_tell();
	struct kuid_status status = device_status(handle);
	struct limits limits = { 0 };

	output_hold();
	read_limits(handle, &limits);
	if (json)
		report_print(describe(&status, &limits), true, 0);
	else if (prometheus)
		prometheus_print(&status, &limits);
	else if (holders)
		holders_print(device_number(handle));
	else if (check && is_well(&status, &limits))
		printf("unique, ordered and reboot-safe%s\n",
		       status.reasons & KUID_REASON_NO_VM_FORK
			       ? ", but not if this machine is cloned"
			       : "");
	else
		print_text(&status, &limits);
	kuid_close(handle);
	if (check && limits.of[0].formats & ~(status.unique & status.ordered))
		return EXIT_NOT_HELD;
	return EXIT_SUCCESS;
}

const struct verb verb_status = {
	.name = "status",
	.summary = "which promises hold now, and what to do if not",
	.doc = "Print of which formats IDs are now unique, in order and safe "
	       "over reboots, and if not, why and what to do. Print counters since "
	       "the module was loaded. Any user may run this.\v"
	       "lag: how far a clock of IDs is ahead of the wall clock, after "
	       "the wall clock was set back. run-ahead: how far the highest "
	       "IDs are ahead of their clock.",
	.examples =
		"  kuid status\n"
		"  kuid status --check >/dev/null || echo \"see kuid status\"",
	.exits = "1 failed, 2 wrong usage, 4 not held (--check)",
	.options = options,
	.check = check_form,
	.run = run,
};
