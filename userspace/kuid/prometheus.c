// SPDX-License-Identifier: GPL-2.0-only
/* See prometheus.h. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats.h"
#include "prometheus.h"
#include "time_text.h"
#include "version.h"

/* The head of a metric, before its values. Names end in their unit. */
static void metric(const char *name, const char *type, const char *help)
{
	char *text = formats_fill_in(help, ' ');

	printf("# HELP kuid_%s %s\n# TYPE kuid_%s %s\n", name, text, name,
	       type);
	free(text);
}

static void value(const char *name, const char *label, const char *which,
		  uint64_t number)
{
	printf("kuid_%s{%s=\"%s\"} %" PRIu64 "\n", name, label, which, number);
}

static void plain(const char *name, const char *type, const char *help,
		  uint64_t number)
{
	metric(name, type, help);
	printf("kuid_%s %" PRIu64 "\n", name, number);
}

static void seconds(const char *name, const char *label, const char *which,
		    uint64_t ns)
{
	char text[SECONDS_TEXT_SIZE];

	seconds_text(ns, text);
	printf("kuid_%s{%s=\"%s\"} %s\n", name, label, which, text);
}

static void plain_seconds(const char *name, const char *help, uint64_t ns)
{
	char text[SECONDS_TEXT_SIZE];

	metric(name, "gauge", help);
	seconds_text(ns, text);
	printf("kuid_%s %s\n", name, ns == UINT64_MAX ? "+Inf" : text);
}

static void print_versions(void)
{
	FILE *file = fopen("/sys/module/kuid/version", "re");
	char version[32] = "";

	metric("tool_info", "gauge", "Version of the tool, in a label.");
	value("tool_info", "version", KUID_VERSION, 1);
	if (!file)
		return;
	if (fscanf(file, "%31[0-9.]", version) == 1) {
		metric("module_info", "gauge",
		       "Version of the loaded module, in a label.");
		value("module_info", "version", version, 1);
	}
	fclose(file);
}

static void promise(const char *name, const char *help, uint64_t held)
{
	metric(name, "gauge", help);
	for (unsigned int i = 1; kuid_format_name(i); i++)
		value(name, "format", kuid_format_name(i), held >> i & 1);
}

static void print_promises(const struct kuid_status *status)
{
	bool unknown = false;

	promise("unique", "Whether no ID is made twice on this host now.",
		status->unique);
	promise("ordered", "Whether IDs are in the requested order now.",
		status->ordered);
	promise("reboot_safe", "Whether no ID repeats after a reboot now.",
		status->reboot_safe);
	metric("reason", "gauge",
	       "Why a promise is not held, or the time in IDs is not as good as it could "
	       "be.");
	for (unsigned int bit = 0; bit < 64; bit++) {
		const char *name = kuid_reason_name(1ULL << bit);

		if (name)
			value("reason", "reason", name,
			      status->reasons >> bit & 1);
		else
			unknown |= status->reasons >> bit & 1;
	}
	value("reason", "reason", "unknown", unknown);
}

static void print_clocks(const struct kuid_status *status)
{
	plain("epoch", "gauge", "Number of the epoch, 0 before the first.",
	      status->epoch);
	metric("load_info", "gauge",
	       "Tells epochs of one number apart: changes with a load, boot or "
	       "clone.");
	printf("kuid_load_info{load_id=\"%016" PRIx64 "\"} 1\n",
	       (uint64_t)status->load_id);
	metric("lag_seconds", "gauge",
	       "How far a clock is ahead of the wall clock, which was set "
	       "back.");
	seconds("lag_seconds", "clock", "stamp", status->stamp_lag_ns);
	seconds("lag_seconds", "clock", "slot", status->slot_lag_ns);
	metric("ahead_seconds", "gauge",
	       "How far the highest IDs are ahead of their clock.");
	seconds("ahead_seconds", "ids", "stamp", status->stamp_ahead_ns);
	seconds("ahead_seconds", "ids", "lex", status->lex_ahead_ns);
	seconds("ahead_seconds", "ids", "grid", status->grid_ahead_ns);
	seconds("ahead_seconds", "ids", "snowflake",
		status->snowflake_ahead_ns);
	plain_seconds("floor_timestamp_seconds",
		      "Time above which IDs began, 0 if there is none.",
		      status->floor_ns);
	plain_seconds("ceiling_timestamp_seconds",
		      "Time that was saved last, 0 if none was.",
		      status->ceiling_ns);
	/* Without a ceiling an alert on a low value would fire forever. */
	if (status->ceiling_ns)
		plain_seconds("ceiling_left_seconds",
			      "How long until IDs come to that time, "
			      "0 if they have.",
			      device_time_left(status, status->ceiling_ns));
	plain_seconds(
		"claim_ceiling_timestamp_seconds",
		"Time below which all IDs are that show a claimed number, "
		"0 if none is claimed.",
		status->claim_ceiling_ns);
}

static void print_counters(const struct kuid_status *status)
{
	metric("ids_total", "counter", "IDs handed out.");
	for (unsigned int i = 1; kuid_format_name(i); i++)
		value("ids_total", "format", kuid_format_name(i),
		      status->ids[i]);
	plain("waits_total", "counter", "How often a call waited.",
	      status->waits);
	plain("would_blocks_total", "counter",
	      "Calls that would have had to wait, but may not.",
	      status->would_blocks);
	metric("clock_steps_total", "counter",
	       "How often the wall clock was found set.");
	value("clock_steps_total", "direction", "back", status->steps_back);
	value("clock_steps_total", "direction", "forward",
	      status->steps_forward);
	plain("vm_forks_total", "counter",
	      "How often the machine was cloned, restored or resumed from "
	      "hibernation.",
	      status->vm_forks);
}

static void print_limits(const struct limits *limits)
{
	const struct kuid_query *v1 = &limits->of[KUID_FORMAT_DEFAULT];

	plain_seconds("clock_resolution_seconds",
		      "How far apart two readings of the clock can be told.",
		      v1->clock_resolution_ns);
	plain_seconds("max_ahead_seconds",
		      "How far an ID may be ahead of its clock.",
		      v1->max_ahead_ns);
	plain_seconds("batch_ahead_seconds",
		      "How far one of a batch may be ahead of its clock.",
		      v1->batch_ahead_ns);
	plain_seconds(
		"step_limit_seconds",
		"How far the wall clock may be set back before {stamp} begin "
		"a new epoch.",
		v1->step_limit_ns);
	metric("ids_per_second_limit", "gauge",
	       "IDs there are in a second: of {stamp} to each CPU, of others "
	       "to the host.");
	for (unsigned int i = 1; kuid_format_name(i); i++)
		if (limits->of[i].format)
			value("ids_per_second_limit", "format",
			      kuid_format_name(i), limits->of[i].rate_max);
}

void prometheus_print(const struct kuid_status *status,
		      const struct limits *limits)
{
	print_versions();
	plain("up", "gauge", "Whether the device can be opened.",
	      status != NULL);
	if (!status)
		return;
	print_promises(status);
	print_clocks(status);
	print_counters(status);
	print_limits(limits);
}
