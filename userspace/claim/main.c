// SPDX-License-Identifier: GPL-2.0-only
/* kuid-claim(8): its command line, and what operators ask for. */
#include <err.h>
#include <inttypes.h>
#include <kuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "claim.h"
#include "clocks.h"
#include "command_line.h"
#include "exit_status.h"
#include "output.h"
#include "problem.h"
#include "quoted.h"
#include "run.h"
#include "time_text.h"
#include "version.h"

#define STORE_USUAL "http://127.0.0.1:2379"
#define SPACE_USUAL "default"

/* How long a request may take. */
#define TIMEOUT_MOST_MS 5000

/* The numbers that snowflake can show. */
#define SNOWFLAKE_MAX 1023

/* The default of --snowflake-epoch: Twitter's. */
#define SNOWFLAKE_EPOCH 1288834974657

static struct store_settings store_settings = {
	.url = STORE_USUAL,
};
static struct claim_settings settings = {
	.space = SPACE_USUAL,
	.last = SNOWFLAKE_MAX,
	.parts = PART_SNOWFLAKE,
	.horizon_s = HORIZON_USUAL,
};
static const char *state_path = CLAIM_FILE_USUAL;
static const char *metrics;
static uint64_t epoch_ms = SNOWFLAKE_EPOCH;
static bool list, print, recover, give_back, schema, ranged;

static void take_text(struct argp_state *state, const struct option_row *option,
		      const char *arg)
{
	if (!*arg)
		argp_error(state, "--%s needs an argument that is not empty",
			   option->name);
	*(const char **)option->to = arg;
}

static bool parse_range(const char *text)
{
	char end;
	int count = sscanf(text, "%10" SCNu64 "-%10" SCNu64 "%c",
			   &settings.first, &settings.last, &end);

	if (strspn(text, "0123456789-") != strlen(text) || *text == '-')
		return false;
	return count == 2 && settings.first <= settings.last &&
	       settings.last <= NUMBER_MAX;
}

static void take_range(struct argp_state *state,
		       const struct option_row *option, const char *arg)
{
	if (ranged)
		argp_error(state, "only one of --range and --number");
	if (!parse_range(arg))
		argp_error(state,
			   "\"%s\" is not a range: two numbers from 0 to %u "
			   "as in 0-1023",
			   QUOTED(arg), NUMBER_MAX);
	ranged = true;
}

static void take_exact(struct argp_state *state,
		       const struct option_row *option, const char *arg)
{
	if (ranged)
		argp_error(state, "only one of --range and --number");
	take_number(state, option, arg);
	settings.last = settings.first;
	ranged = true;
}

static void take_parts(struct argp_state *state,
		       const struct option_row *option, const char *arg)
{
	if (!strcmp(arg, "snowflake"))
		settings.parts = PART_SNOWFLAKE;
	else if (!strcmp(arg, "worker"))
		settings.parts = PART_WORKER;
	else if (!strcmp(arg, "both"))
		settings.parts = PART_SNOWFLAKE | PART_WORKER;
	else
		argp_error(state,
			   "\"%s\" is not what a number is for: choose one of "
			   "snowflake worker both",
			   QUOTED(arg));
}

static const struct option_row options[] = {
	{ "endpoints", 'e', "URL",
	  "The store: URLs of etcd with commas between them, or a URL that "
	  "begins with postgresql:// or kubernetes://; " STORE_USUAL
	  " if not given",
	  take_text, &store_settings.url },
	{ "cacert", 0, "FILE", "Trust servers that this certificate has signed",
	  take_text, &store_settings.ca_file },
	{ "cert", 0, "FILE", "The certificate of this client", take_text,
	  &store_settings.cert_file },
	{ "key", 0, "FILE", "The key that belongs to it", take_text,
	  &store_settings.key_file },
	{ "user", 'u', "NAME", "The user to authenticate as", take_text,
	  &store_settings.user },
	{ "password-file", 0, "FILE",
	  "Whose first line is the password, or the token of Kubernetes",
	  take_text, &store_settings.password_file },
	{ "space", 's', "NAME",
	  "Numbers of one space differ; \"" SPACE_USUAL "\" if not given",
	  take_text, &settings.space },
	{ "range", 'r', "A-B",
	  "Claim one of the numbers from A to B: 0-1023 if not given; with "
	  "--list, list these: all if not given",
	  take_range, NULL },
	{ "number", 'n', "NUMBER", "Claim just this number", take_exact,
	  &settings.first, "a number", 0, NUMBER_MAX },
	{ "as", 0, "snowflake|worker|both",
	  "Use the number as the worker of snowflake, as the worker of lex, "
	  "k96 and k128, or as both; snowflake if not given",
	  take_parts, NULL },
	{ "horizon", 0, "SECONDS",
	  "How far ahead the ceiling is: 600 if not given. It is raised when "
	  "about half of that is left",
	  take_number, &settings.horizon_s, "a horizon, in seconds",
	  HORIZON_LEAST, HORIZON_MOST },
	{ "state", 0, "FILE",
	  "Where this machine keeps its number; " CLAIM_FILE_USUAL
	  " if not given",
	  take_text, &state_path },
	{ "trust-disk", 0, NULL,
	  "Go on with the number in the file after a reboot, also without the "
	  "store: only where the disk is never copied, cloned or rolled back",
	  take_flag, &settings.trust_disk },
	{ "metrics", 0, "FILE",
	  "Write metrics for Prometheus to a file, every few seconds",
	  take_text, &metrics },
	{ "print", 'p', NULL,
	  "Print what the kernel would be told, and leave it alone", take_flag,
	  &print },
	{ "snowflake-epoch", 0, "MS",
	  "With --print: what snowflake's milliseconds count from, in "
	  "milliseconds since 1970; 1288834974657 if not given",
	  take_number, &epoch_ms, "a time in milliseconds", 1,
	  KUID_TIME_MAX_NS / 1000000 },
	{ "list", 'l', NULL,
	  "List the numbers of the space that have owners, "
	  "or had",
	  take_flag, &list },
	{ "release", 0, NULL,
	  "Give back the number that this machine has, while no kuid-claim "
	  "runs",
	  take_flag, &give_back },
	{ "recover", 0, NULL,
	  "Have no machine claim a number or raise a ceiling until all owners have "
	  "come to their ceilings: to be done after the store has lost what was written, "
	  "before machines can reach it",
	  take_flag, &recover },
	{ "schema", 0, NULL,
	  "Print the table that PostgreSQL must have, as SQL for psql",
	  take_flag, &schema },
	{ 0 },
};

static void check_form(struct argp_state *state)
{
	if (list + print + recover + give_back + schema > 1)
		argp_error(state, "only one of --list, --print, --recover, "
				  "--release and --schema");
	if (list && !ranged)
		settings.last = NUMBER_MAX;
	if (!list && settings.parts & PART_SNOWFLAKE &&
	    settings.last > SNOWFLAKE_MAX)
		argp_error(state, "snowflake has numbers up to %d",
			   SNOWFLAKE_MAX);
	if (!store_settings.cert_file != !store_settings.key_file)
		argp_error(state, "--cert and --key go together");
}

static const struct command command = {
	.version = "kuid-claim " KUID_VERSION,
	.options = { options },
	.check = check_form,
	.doc = "Claim a number that no other machine has, and keep it until "
	       "SIGTERM or SIGINT, which give it back, or SIGHUP, which "
	       "leaves it to the next kuid-claim.\v"
	       "The kernel makes IDs with the number up to a ceiling that the "
	       "store has, and the next owner begins at that. So no lease, "
	       "timeout, pause or clock can make two owners repeat an ID.\n\n"
	       "Exit status: 0 done, 1 failed, 2 wrong usage, 75 failed, but "
	       "may succeed later.",
};

static int failed(struct problem *wrong)
{
	int status = wrong->status;

	warnx("%s", wrong->text);
	free(wrong);
	return status;
}

static void list_value(const struct store_value *value)
{
	char when[TIME_TEXT_SIZE];
	struct record record;

	if (!record_parse(value->text, &record)) {
		printf("%10" PRIu64 " unreadable\n", value->key);
		return;
	}
	time_text(record.ceiling_s, 0, 0, when);
	printf("%10" PRIu64 " %-4s %.19sZ %s\n", value->key,
	       record.ceiling_s > wall_s() ? "used" : "free", when,
	       QUOTED(record.machine));
}

static int run_list(struct store *store)
{
	uint64_t end, first = settings.first;
	struct store_answer *answer;
	struct problem *wrong;

	output_hold();
	while (first <= settings.last) {
		answer = store_list(store, first, settings.last, &end);
		wrong = answer->wrong;
		answer->wrong = NULL;
		for (size_t i = 0; i < answer->count; i++)
			list_value(&answer->values[i]);
		store_answer_free(answer);
		if (wrong)
			return failed(wrong);
		first = end + 1;
	}
	output_finish();
	return EXIT_SUCCESS;
}

static int run_recover(struct store *store)
{
	char when[TIME_TEXT_SIZE];
	struct problem *wrong;
	struct claim claim;
	uint64_t until_s;

	claim_open(&claim, &settings, store, NULL, NULL);
	wrong = claim_recover(&claim, &until_s);
	claim_close(&claim);
	if (wrong)
		return failed(wrong);
	time_text(until_s, 0, 0, when);
	printf("no number of the space %s is claimed before %.19sZ\n",
	       settings.space, when);
	output_finish();
	return EXIT_SUCCESS;
}

static int run_claim(struct store *store)
{
	const struct consumer *consumer =
		print ? consumer_print(epoch_ms)
		      : consumer_kernel(settings.parts);
	struct claim_file file;
	struct claim claim;
	struct problem *wrong = claim_file_open(&file, state_path);
	int status = EXIT_SUCCESS;

	if (wrong)
		return failed(wrong);
	claim_open(&claim, &settings, store, consumer, &file);
	if (give_back)
		wrong = claim_release(&claim);
	else
		status = run(&claim, metrics);
	claim_close(&claim);
	return wrong ? failed(wrong) : status;
}

int main(int argc, char **argv)
{
	struct store *store;
	struct problem *wrong;
	int status;

	command_line_parse(&command, argc, argv);
	if (schema) {
		fputs(store_schema, stdout);
		output_finish();
		return EXIT_SUCCESS;
	}
	store_settings.space = settings.space;
	/* An eighth: each of three endpoints can be tried in time. */
	store_settings.timeout_ms = settings.horizon_s * 1000 / 8;
	if (store_settings.timeout_ms > TIMEOUT_MOST_MS)
		store_settings.timeout_ms = TIMEOUT_MOST_MS;
	wrong = store_open(&store_settings, &store);
	if (wrong)
		return failed(wrong);
	if (list)
		status = run_list(store);
	else if (recover)
		status = run_recover(store);
	else
		status = run_claim(store);
	store_close(store);
	return status;
}
