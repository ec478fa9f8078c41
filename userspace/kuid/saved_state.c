// SPDX-License-Identifier: GPL-2.0-only
/* See saved_state.h. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crc32.h"
#include "exit_status.h"
#include "problem.h"
#include "saved_state.h"
#include "text.h"
#include "time_text.h"

#define MACHINE_ID_FILE "/etc/machine-id"

#define VERSION 1

static bool machine_id_valid(const char *id)
{
	return strspn(id, "0123456789abcdef") == MACHINE_ID_SIZE - 1 &&
	       !id[MACHINE_ID_SIZE - 1];
}

/*
 * The machine's ID only tells whose file a saved state is, so one that is odd
 * must not keep the state from being saved or restored.
 */
static void tell_no_machine_id(const char *why)
{
	static bool told;

	if (!told)
		warnx(MACHINE_ID_FILE ": %s; taken as none", why);
	told = true;
}

void machine_id_read(char id[MACHINE_ID_SIZE])
{
	int fd = open(MACHINE_ID_FILE, O_RDONLY | O_CLOEXEC);
	char text[64];
	ssize_t size;

	id[0] = '\0';
	if (fd < 0 && errno == ENOENT)
		return;
	size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (size < 0)
		tell_no_machine_id(strerror(errno));
	if (fd >= 0)
		close(fd);
	if (size < 0)
		return;
	text[size] = '\0';
	text[strcspn(text, "\n")] = '\0';
	/* systemd writes this until the first boot has set the ID. */
	if (!*text || !strcmp(text, "uninitialized"))
		return;
	if (machine_id_valid(text))
		memcpy(id, text, MACHINE_ID_SIZE);
	else
		tell_no_machine_id("not 32 hexadecimal digits; make a new one "
				   "with \"systemd-machine-id-setup\"");
}

/*
 * Written by hand, so that the text does not change with a library's taste.
 * Nothing in it needs to be escaped.
 */
char *saved_state_text(const struct saved_state *saved)
{
	char when[TIME_TEXT_SIZE], ceiling[TIME_TEXT_SIZE];
	char *body, *text;

	time_text_ns(saved->saved_ns, when);
	time_text_ns(saved->ceiling_ns, ceiling);
	body = text_new("{\n"
			"  \"kuid_state\": %d,\n"
			"  \"machine\": \"%s\",\n"
			"  \"saved\": \"%s\",\n"
			"  \"saved_ns\": %" PRIu64 ",\n"
			"  \"ceiling\": \"%s\",\n"
			"  \"ceiling_ns\": %" PRIu64 ",\n"
			"  \"load_id\": \"%016" PRIx64 "\",\n"
			"  \"epoch\": %" PRIu64 ",\n"
			"  \"before_jump_ns\": %" PRIu64 ",\n"
			"  \"after_jump_ns\": %" PRIu64 ",\n"
			"  \"may_repeat_from_ns\": %" PRIu64 ",\n"
			"  \"may_repeat_until_ns\": %" PRIu64 ",\n"
			"  \"snowflake_epoch_ms\": %" PRIu64 ",\n"
			"  \"interval\": %" PRIu64,
			VERSION, saved->machine, when, saved->saved_ns, ceiling,
			saved->ceiling_ns, saved->load_id, saved->epoch,
			saved->before_ns, saved->after_ns, saved->again_from_ns,
			saved->again_until_ns, saved->epoch_ms,
			saved->interval);
	text = text_new("%s,\n  \"crc32\": \"%08" PRIx32 "\"\n}\n", body,
			crc32(body, strlen(body)));
	free(body);
	return text;
}

static struct problem *check_version(const json_t *json)
{
	json_t *version = json_object_get(json, "kuid_state");

	if (!json_is_integer(version) || json_integer_value(version) < 0)
		return problem("is damaged, or no saved state of kuid");
	if (json_integer_value(version) != VERSION)
		return problem("is of version %" JSON_INTEGER_FORMAT
			       ", and this kuid knows version %d only: the "
			       "kuid that wrote it can restore it",
			       json_integer_value(version), VERSION);
	return NULL;
}

/* Lenient: check_text() compares the text with what these values give. */
static bool read_values(json_t *json, struct saved_state *saved)
{
	const char *machine, *when, *ceiling, *load_id, *crc;
	json_int_t saved_ns, ceiling_ns, epoch, before_ns, after_ns, from_ns,
		until_ns, epoch_ms, interval;
	int version;

	if (json_unpack(json,
			"{s:i, s:s, s:s, s:I, s:s, s:I, s:s, s:I, s:I, s:I, "
			"s:I, s:I, s:I, s:I, s:s!}",
			"kuid_state", &version, "machine", &machine, "saved",
			&when, "saved_ns", &saved_ns, "ceiling", &ceiling,
			"ceiling_ns", &ceiling_ns, "load_id", &load_id, "epoch",
			&epoch, "before_jump_ns", &before_ns, "after_jump_ns",
			&after_ns, "may_repeat_from_ns", &from_ns,
			"may_repeat_until_ns", &until_ns, "snowflake_epoch_ms",
			&epoch_ms, "interval", &interval, "crc32", &crc))
		return false;
	if (*machine && !machine_id_valid(machine))
		return false;
	*saved = (struct saved_state) {
		.saved_ns = saved_ns,
		.ceiling_ns = ceiling_ns,
		.load_id = strtoull(load_id, NULL, 16),
		.epoch = epoch,
		.before_ns = before_ns,
		.after_ns = after_ns,
		.again_from_ns = from_ns,
		.again_until_ns = until_ns,
		.epoch_ms = epoch_ms,
		.interval = interval,
	};
	strcpy(saved->machine, machine);
	return true;
}

static struct problem *check_text(json_t *json, const char *text, size_t size,
				  struct saved_state *saved)
{
	struct problem *wrong = check_version(json);
	char *same;

	if (wrong)
		return wrong;
	if (!read_values(json, saved))
		return problem("is damaged: what it has to say is not all "
			       "there");
	same = saved_state_text(saved);
	if (strlen(same) != size || memcmp(same, text, size))
		wrong = problem("is damaged or was edited: its checksum is "
				"wrong");
	free(same);
	return wrong;
}

struct problem *saved_state_parse(const char *text, size_t size,
				  struct saved_state *saved)
{
	struct saved_state read;
	json_error_t error;
	struct problem *wrong;
	json_t *json;

	if (!size)
		return problem("is empty");
	if (size < 3 || memcmp(text + size - 3, "\n}\n", 3))
		return problem("is damaged: its end is missing, or not as it "
			       "should be");
	json = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	if (!json)
		return problem("is damaged: line %d: %s", error.line,
			       error.text);
	wrong = check_text(json, text, size, &read);
	json_decref(json);
	if (!wrong)
		*saved = read;
	return wrong;
}
