// SPDX-License-Identifier: GPL-2.0-only
/*
 * The store in PostgreSQL 13 or later: a table that the operator has made. It
 * has no versions: the whole record is compared. Each request is one statement,
 * and a transaction of its own.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clocks.h"
#include "exit_status.h"
#include "nanoseconds.h"
#include "problem.h"
#include "store.h"
#include "text.h"

const char store_schema[] =
	"-- The records of kuid-claim(8). Rows are never deleted: the ceiling in a\n"
	"-- record tells which times of a number were given out.\n"
	"CREATE TABLE kuid_claim (\n"
	"	space text NOT NULL,\n"
	"	number bigint NOT NULL, -- 4294967296: of the space itself\n"
	"	record text NOT NULL,\n"
	"	PRIMARY KEY (space, number)\n"
	");\n"
	"-- For the user of kuid-claim:\n"
	"-- GRANT SELECT, INSERT, UPDATE ON kuid_claim TO ...;\n";

struct postgresql {
	struct store store;
	PGconn *connection;
	const char *space;
	char *url;
	char *password;
	char *timeout_s; /* of connecting */
	const char *user;
	const char *ca_file;
	const char *cert_file;
	const char *key_file;
	long timeout_ms;
};

static void disconnect(struct postgresql *postgresql)
{
	PQfinish(postgresql->connection);
	postgresql->connection = NULL;
}

static void postgresql_close(struct store *store)
{
	struct postgresql *postgresql = (struct postgresql *)store;

	disconnect(postgresql);
	free(postgresql->url);
	free(postgresql->password);
	free(postgresql->timeout_s);
	free(postgresql);
}

/* A password may also be in the query of the URL. */
static struct problem *check_url(const char *url)
{
	static const char refused[] =
		"a URL with a password is refused: use --password-file or "
		".pgpass";
	char *said = NULL, *why;
	struct problem *wrong = NULL;
	PQconninfoOption *options;

	/* libpq's messages may have a part of the URL. */
	if (strstr(url, "password="))
		return problem("%s", refused);
	options = PQconninfoParse(url, &said);

	if (!options) {
		why = store_said(said ? said : "out of memory");
		wrong = problem("the URL of the store: %s", why);
		free(why);
		PQfreemem(said);
	}
	for (PQconninfoOption *option = options; option && option->keyword;
	     option++)
		if (!wrong && option->val &&
		    strstr(option->keyword, "password"))
			wrong = problem("%s", refused);
	PQconninfoFree(options);
	return wrong;
}

static struct problem *postgresql_open(const struct store_settings *settings,
				       struct store **opened)
{
	struct postgresql *postgresql = calloc(1, sizeof(*postgresql));
	struct problem *wrong = check_url(settings->url);

	if (!postgresql)
		errx(EXIT_FAILED, "out of memory");
	postgresql->store.kind = &store_postgresql;
	postgresql->space = settings->space;
	postgresql->url = text_new("%s", settings->url);
	postgresql->timeout_s =
		text_new("%ld", (settings->timeout_ms + 999) / 1000);
	postgresql->user = settings->user;
	postgresql->ca_file = settings->ca_file;
	postgresql->cert_file = settings->cert_file;
	postgresql->key_file = settings->key_file;
	postgresql->timeout_ms = settings->timeout_ms;
	if (!wrong && settings->password_file)
		wrong = store_password(settings->password_file,
				       &postgresql->password);
	if (wrong)
		postgresql_close(&postgresql->store);
	else
		*opened = &postgresql->store;
	return wrong;
}

static void ignore_notice(void *nothing, const PGresult *result)
{
}

/*
 * Whether PQgetResult() has something to return before the deadline, which is
 * also the end of a connection.
 */
static bool has_result(PGconn *connection, uint64_t deadline_ns)
{
	for (;;) {
		int unsent = PQflush(connection);
		struct pollfd wakeup = {
			.fd = PQsocket(connection),
			.events = unsent ? POLLIN | POLLOUT : POLLIN,
		};
		uint64_t now_ns = boot_ns();

		if (unsent < 0 || !PQisBusy(connection))
			return true;
		if (now_ns >= deadline_ns)
			return false;
		if (poll(&wakeup, 1, (deadline_ns - now_ns) / 1000000 + 1) <
			    0 &&
		    errno != EINTR)
			err(EXIT_FAILED, "poll");
		if (wakeup.revents && !PQconsumeInput(connection))
			return true;
	}
}

/*
 * Run one statement. The transaction is committed when the server is ready for
 * another statement, and not when it has told that this one is complete. NULL:
 * there is no answer.
 */
static PGresult *run(struct postgresql *postgresql, const char *sql, int count,
		     const char *const *values)
{
	PGconn *connection = postgresql->connection;
	uint64_t deadline_ns = boot_ns() + postgresql->timeout_ms * 1000000;
	PGresult *result = NULL, *next;

	if (!PQsendQueryParams(connection, sql, count, NULL, values, NULL, NULL,
			       0))
		return NULL;
	while (has_result(connection, deadline_ns)) {
		next = PQgetResult(connection);
		if (!next)
			return result;
		PQclear(result);
		result = next;
	}
	PQclear(result);
	return NULL;
}

static bool is_connected(struct postgresql *postgresql)
{
	return PQstatus(postgresql->connection) == CONNECTION_OK;
}

/*
 * The URL can change the settings before it, and those behind it hold in any
 * case. A standby has old records, and a commit that the server doesn't wait
 * for may be lost when it crashes.
 */
static bool reconnect(struct postgresql *postgresql)
{
	const char *const settings[][2] = {
		{ "connect_timeout", postgresql->timeout_s },
		{ "sslmode", postgresql->ca_file ? "verify-full" : NULL },
		{ "dbname", postgresql->url },
		{ "fallback_application_name", "kuid-claim" },
		{ "target_session_attrs", "read-write" },
		{ "user", postgresql->user },
		{ "password", postgresql->password },
		{ "sslrootcert", postgresql->ca_file },
		{ "sslcert", postgresql->cert_file },
		{ "sslkey", postgresql->key_file },
	};
	enum {
		NR_SETTINGS = sizeof(settings) / sizeof(*settings)
	};
	const char *keywords[NR_SETTINGS + 1] = { 0 };
	const char *values[NR_SETTINGS + 1] = { 0 };
	PGresult *result;
	bool set;

	for (int i = 0; i < NR_SETTINGS; i++) {
		keywords[i] = settings[i][0];
		values[i] = settings[i][1];
	}
	disconnect(postgresql);
	postgresql->connection = PQconnectdbParams(keywords, values, true);
	if (!postgresql->connection)
		errx(EXIT_FAILED, "out of memory");
	PQsetNoticeReceiver(postgresql->connection, ignore_notice, NULL);
	if (!is_connected(postgresql))
		return false;
	PQsetnonblocking(postgresql->connection, true);
	result = run(postgresql,
		     "SELECT set_config('synchronous_commit', 'on', false) "
		     "WHERE current_setting('synchronous_commit') = 'off'",
		     0, NULL);
	set = PQresultStatus(result) == PGRES_TUPLES_OK;
	PQclear(result);
	return set;
}

/*
 * Whether the statement may have been carried out all the same: the connection
 * or the server has ended, or something between says that it doesn't know.
 */
static bool may_be_done(const PGresult *result)
{
	const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	return !code || !strncmp(code, "08", 2) || !strncmp(code, "57P", 3) ||
	       !strncmp(code, "XX", 2) || !strcmp(code, "40003");
}

static void fail(struct store_answer *answer, enum store_result result,
		 const char *message)
{
	char *said = store_said(message);

	answer->result = result;
	answer->wrong = problem_for_now("PostgreSQL: %s", said);
	free(said);
}

/* The result of one statement; NULL if it failed. */
static PGresult *ask(struct postgresql *postgresql, const char *sql, int count,
		     const char *const *values, struct store_answer *answer)
{
	PGresult *result;
	ExecStatusType status;

	if (!is_connected(postgresql) && !reconnect(postgresql)) {
		fail(answer, STORE_REFUSED,
		     PQerrorMessage(postgresql->connection));
		disconnect(postgresql);
		return NULL;
	}
	result = run(postgresql, sql, count, values);
	status = PQresultStatus(result);
	if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
		return result;
	if (!result)
		fail(answer, STORE_UNKNOWN,
		     is_connected(postgresql)
			     ? "no answer in time"
			     : PQerrorMessage(postgresql->connection));
	else
		fail(answer,
		     may_be_done(result) ? STORE_UNKNOWN : STORE_REFUSED,
		     PQresultErrorMessage(result));
	PQclear(result);
	/* The statement may be under way. */
	if (answer->result == STORE_UNKNOWN)
		disconnect(postgresql);
	return NULL;
}

/* Read up to STORE_PAGE values. *more is set if there may be others. */
static void read_values(struct postgresql *postgresql, uint64_t first,
			uint64_t last, struct store_answer *answer, bool *more)
{
	/* If there are no records, the one row has only the time. */
	static const char sql[] =
		"SELECT floor(extract(epoch FROM clock_timestamp())), number, "
		"record FROM (VALUES (1)) one LEFT JOIN kuid_claim ON space = "
		"$1 AND number BETWEEN $2 AND $3 ORDER BY number LIMIT $4";
	char *from = text_new("%" PRIu64, first);
	char *to = text_new("%" PRIu64, last);
	char *limit = text_new("%d", STORE_PAGE);
	const char *const values[] = { postgresql->space, from, to, limit };
	uint64_t before_s;
	PGresult *result;
	int rows;

	before_s = wall_s();
	result = ask(postgresql, sql, 4, values, answer);
	rows = PQntuples(result);
	if (rows) {
		answer->store_s = strtoull(PQgetvalue(result, 0, 0), NULL, 10);
		answer->ahead_s =
			seconds_ahead(answer->store_s, before_s, wall_s());
	}
	for (int row = 0; row < rows; row++)
		if (!PQgetisnull(result, row, 1))
			store_answer_add(
				answer,
				strtoull(PQgetvalue(result, row, 1), NULL, 10),
				text_new("%s", PQgetvalue(result, row, 2)),
				text_new("none"));
	*more = rows == STORE_PAGE;
	PQclear(result);
	free(from);
	free(to);
	free(limit);
}

static void postgresql_get(struct store *store, uint64_t key,
			   struct store_answer *answer)
{
	bool more;

	read_values((struct postgresql *)store, key, key, answer, &more);
}

static void postgresql_list(struct store *store, uint64_t first, uint64_t last,
			    uint64_t *end, struct store_answer *answer)
{
	bool more;

	read_values((struct postgresql *)store, first, last, answer, &more);
	if (more)
		*end = answer->values[answer->count - 1].key;
}

static void postgresql_put(struct store *store,
			   const struct store_change *change,
			   struct store_answer *answer)
{
	char *number = text_new("%" PRIu64, change->key);
	const char *const values[] = {
		((struct postgresql *)store)->space,
		number,
		change->text,
		change->former,
	};
	PGresult *result;

	if (change->former)
		result = ask((struct postgresql *)store,
			     "UPDATE kuid_claim SET record = $3 WHERE space = "
			     "$1 AND number = $2 AND record = $4",
			     4, values, answer);
	else
		result = ask((struct postgresql *)store,
			     "INSERT INTO kuid_claim (space, number, record) "
			     "VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
			     3, values, answer);
	if (result && strcmp(PQcmdTuples(result), "1"))
		answer->result = STORE_CONFLICT;
	PQclear(result);
	free(number);
}

const struct store_kind store_postgresql = {
	.open = postgresql_open,
	.close = postgresql_close,
	.get = postgresql_get,
	.list = postgresql_list,
	.put = postgresql_put,
};
