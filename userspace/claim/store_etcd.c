// SPDX-License-Identifier: GPL-2.0-only
/*
 * The store in etcd, by the JSON gateway of its API v3. In this JSON, keys and
 * values are base 64; integers of 64 bits are strings; fields that are false, 0
 * or empty are left out. Reads are linearizable, which is what etcd does unless
 * it is asked for something else.
 *
 * The keys are /kuid/SPACE/rec/NUMBER and /kuid/SPACE/meta. Numbers have ten
 * digits, so that keys are in their order. The version of a value is the key's
 * mod_revision, which an etcd may give again that began with a backup.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base64.h"
#include "exit_status.h"
#include "http.h"
#include "problem.h"
#include "quoted.h"
#include "store.h"
#include "text.h"

#define ENDPOINTS_MAX 16

/* gRPC's code of an error. */
#define CODE_UNAUTHENTICATED 16

struct etcd {
	struct store store;
	struct http *http;
	char *endpoints[ENDPOINTS_MAX];
	unsigned int nr_endpoints;
	unsigned int endpoint; /* the one that answered last */
	const char *space;
	const char *user;
	const char *password_file;
	char *token; /* that etcd gave to the user */
};

static json_t *checked(json_t *json)
{
	if (!json)
		errx(EXIT_FAILED, "out of memory");
	return json;
}

static struct problem *add_endpoint(struct etcd *etcd, const char *url,
				    size_t length)
{
	const char *host = strstr(url, "://");

	if (etcd->nr_endpoints == ENDPOINTS_MAX)
		return problem("more than %d endpoints", ENDPOINTS_MAX);
	if ((strncmp(url, "http://", 7) && strncmp(url, "https://", 8)) ||
	    url + length <= host + 3 || memchr(url, '@', length))
		return problem("\"%s\" is not an endpoint: a URL as "
			       "http://host:2379 or https://host:2379, and "
			       "commas between several",
			       quoted(url, length).text);
	if (url[length - 1] == '/')
		length--;
	etcd->endpoints[etcd->nr_endpoints++] =
		text_new("%.*s", (int)length, url);
	return NULL;
}

static struct problem *add_endpoints(struct etcd *etcd, const char *urls)
{
	for (;;) {
		size_t length = strcspn(urls, ",");
		struct problem *wrong = add_endpoint(etcd, urls, length);

		if (wrong || !urls[length])
			return wrong;
		urls += length + 1;
	}
}

static void etcd_close(struct store *store)
{
	struct etcd *etcd = (struct etcd *)store;

	http_close(etcd->http);
	for (unsigned int i = 0; i < etcd->nr_endpoints; i++)
		free(etcd->endpoints[i]);
	free(etcd->token);
	free(etcd);
}

static struct problem *etcd_open(const struct store_settings *settings,
				 struct store **opened)
{
	struct etcd *etcd = calloc(1, sizeof(*etcd));
	struct http_settings http = {
		.ca_file = settings->ca_file,
		.cert_file = settings->cert_file,
		.key_file = settings->key_file,
		.timeout_ms = settings->timeout_ms,
	};
	struct problem *wrong;

	if (!etcd)
		errx(EXIT_FAILED, "out of memory");
	etcd->store.kind = &store_etcd;
	etcd->space = settings->space;
	etcd->user = settings->user;
	etcd->password_file = settings->password_file;
	etcd->http = http_open(&http);
	wrong = add_endpoints(etcd, settings->url);
	if (!wrong && !settings->user != !settings->password_file)
		wrong = problem("--user and --password-file go together for "
				"etcd");
	if (wrong)
		etcd_close(&etcd->store);
	else
		*opened = &etcd->store;
	return wrong;
}

/* The message of an error. */
static const char *error_text(json_t *json)
{
	const char *said = json_string_value(json_object_get(json, "message"));

	return said ? said : "an answer that etcd's gateway doesn't give";
}

/* Get a token from one endpoint. */
static struct http_reply authenticate(struct etcd *etcd, const char *url)
{
	struct http_reply reply = { 0 };
	char *password = NULL;
	const char *token;
	json_t *ask;

	free(etcd->token);
	etcd->token = NULL;
	reply.wrong = store_password(etcd->password_file, &password);
	if (reply.wrong)
		return reply;
	ask = checked(json_pack("{s:s, s:s}", "name", etcd->user, "password",
				password));
	free(password);
	reply = http_send(etcd->http, "POST", url, "/v3/auth/authenticate",
			  NULL, ask);
	json_decref(ask);
	token = json_string_value(json_object_get(reply.json, "token"));
	if (token)
		etcd->token = text_new("%s", token);
	/* Nothing was asked for yet. */
	reply.sent = false;
	return reply;
}

/*
 * A token ends with the member that gave it, and when users are changed. Then
 * etcd has not done what it was asked for.
 */
static bool wants_authentication(const struct http_reply *reply)
{
	json_t *code = json_object_get(reply->json, "code");

	return json_integer_value(code) == CODE_UNAUTHENTICATED ||
	       (reply->status >= 400 &&
		strstr(error_text(reply->json), "auth store is old"));
}

static struct http_reply post(struct etcd *etcd, const char *url,
			      const char *path, json_t *ask)
{
	struct http_reply reply;

	for (int tries = 0;; tries++) {
		if (etcd->user && !etcd->token) {
			reply = authenticate(etcd, url);
			if (!etcd->token)
				return reply;
			http_reply_free(&reply);
		}
		reply = http_send(etcd->http, "POST", url, path, etcd->token,
				  ask);
		if (!etcd->user || tries || !wants_authentication(&reply))
			return reply;
		http_reply_free(&reply);
		free(etcd->token);
		etcd->token = NULL;
	}
}

static void add_wrong(struct store_answer *answer, const char *url,
		      const char *why)
{
	struct problem *former = answer->wrong;
	char *said = store_said(why);

	answer->wrong = problem_for_now("%s%s%s: %s",
					former ? former->text : "",
					former ? "; " : "", url, said);
	free(said);
	free(former);
}

static bool is_off(int64_t ahead_s)
{
	return ahead_s > STORE_SKEW_S || ahead_s < -STORE_SKEW_S;
}

/*
 * Ask one endpoint after the other, and return what the first one has answered
 * whose clock is right, or NULL. Statuses from 500 on, 408 and 499 may go away
 * at another member, and don't say whether the request was or will be carried
 * out. All requests that are sent here may be repeated.
 */
static json_t *call(struct etcd *etcd, const char *path, json_t *ask,
		    struct store_answer *answer)
{
	json_t *json = NULL;

	answer->result = STORE_REFUSED;
	for (unsigned int i = 0; i < etcd->nr_endpoints; i++) {
		unsigned int at = (etcd->endpoint + i) % etcd->nr_endpoints;
		const char *url = etcd->endpoints[at];
		struct http_reply reply = post(etcd, url, path, ask);
		bool refused = reply.status >= 400 && reply.status < 500 &&
			       reply.status != 408 && reply.status != 499;

		if (reply.status >= 200 && reply.status < 300 && reply.json) {
			json_decref(json);
			json = json_incref(reply.json);
			answer->store_s = reply.server_s;
			answer->ahead_s = reply.ahead_s;
			http_reply_free(&reply);
			etcd->endpoint = at;
			if (is_off(answer->ahead_s))
				continue;
			break;
		}
		add_wrong(answer, url,
			  reply.status ? error_text(reply.json)
				       : reply.wrong->text);
		if (reply.sent || (reply.status && !refused))
			answer->result = STORE_UNKNOWN;
		http_reply_free(&reply);
		if (refused)
			break;
	}
	if (json) {
		free(answer->wrong);
		answer->wrong = NULL;
		answer->result = STORE_DONE;
	} else {
		etcd->endpoint = (etcd->endpoint + 1) % etcd->nr_endpoints;
	}
	return json;
}

static char *record_name(const struct etcd *etcd, uint64_t number)
{
	return text_new("/kuid/%s/rec/%010" PRIu64, etcd->space, number);
}

/* For JSON; frees the name. */
static json_t *key_named(char *name)
{
	char *encoded = base64_text(name);
	json_t *json = checked(json_string(encoded));

	free(name);
	free(encoded);
	return json;
}

static json_t *key_of(const struct etcd *etcd, uint64_t key)
{
	return key_named(key == STORE_SPACE
				 ? text_new("/kuid/%s/meta", etcd->space)
				 : record_name(etcd, key));
}

static bool number_of(json_t *kv, uint64_t *number)
{
	const char *encoded = json_string_value(json_object_get(kv, "key"));
	char *name = encoded ? base64_parse(encoded) : NULL;
	const char *slash = name ? strrchr(name, '/') : NULL;
	bool good = slash && strlen(slash + 1) == 10 &&
		    strspn(slash + 1, "0123456789") == 10;

	if (good)
		*number = strtoull(slash + 1, NULL, 10);
	free(name);
	return good;
}

static void add_value(struct store_answer *answer, uint64_t key, json_t *kv)
{
	json_t *value = json_object_get(kv, "value");
	json_t *version = json_object_get(kv, "mod_revision");
	const char *encoded = value ? json_string_value(value) : "";
	char *decoded = encoded ? base64_parse(encoded) : NULL;

	/* An unreadable value counts as a record, so that nobody replaces it. */
	if (!decoded)
		decoded = text_new("unreadable");
	store_answer_add(answer, key, decoded,
			 text_new("%s",
				  version ? json_string_value(version) : "0"));
}

static void etcd_get(struct store *store, uint64_t key,
		     struct store_answer *answer)
{
	struct etcd *etcd = (struct etcd *)store;
	json_t *ask = checked(json_pack("{s:o}", "key", key_of(etcd, key)));
	json_t *json = call(etcd, "/v3/kv/range", ask, answer), *kv;

	kv = json_array_get(json_object_get(json, "kvs"), 0);
	if (kv)
		add_value(answer, key, kv);
	json_decref(json);
	json_decref(ask);
}

static void etcd_list(struct store *store, uint64_t first, uint64_t last,
		      uint64_t *end, struct store_answer *answer)
{
	struct etcd *etcd = (struct etcd *)store;
	json_t *ask = checked(json_pack(
		"{s:o, s:o, s:i}", "key", key_of(etcd, first), "range_end",
		key_named(record_name(etcd, last + 1)), "limit", STORE_PAGE));
	json_t *json = call(etcd, "/v3/kv/range", ask, answer), *kv;
	json_t *kvs = json_object_get(json, "kvs");
	uint64_t number;
	size_t i;

	json_array_foreach(kvs, i, kv)
	{
		if (number_of(kv, &number) && answer->count < STORE_PAGE)
			add_value(answer, number, kv);
	}
	/* There may be others. */
	if (json_array_size(kvs) >= STORE_PAGE) {
		if (answer->count) {
			*end = answer->values[answer->count - 1].key;
		} else {
			answer->result = STORE_REFUSED;
			answer->wrong = problem("etcd has other keys than "
						"kuid-claim writes for the "
						"space %s",
						etcd->space);
		}
	}
	json_decref(json);
	json_decref(ask);
}

/* A condition of a transaction: the field of the key has this value. */
static json_t *compare(const struct etcd *etcd, uint64_t key,
		       const char *target, const char *field, const char *value)
{
	return checked(json_pack("{s:o, s:s, s:s, s:s}", "key",
				 key_of(etcd, key), "target", target, "result",
				 "EQUAL", field, value));
}

static void etcd_put(struct store *store, const struct store_change *change,
		     struct store_answer *answer)
{
	struct etcd *etcd = (struct etcd *)store;
	char *former = base64_text(change->former ? change->former : "");
	char *encoded = base64_text(change->text);
	json_t *ask, *json;

	/* A key that isn't there has revision 0, and no value. */
	ask = checked(json_pack(
		"{s:[o, o*], s:[{s:{s:o, s:s}}]}", "compare",
		compare(etcd, change->key, "MOD", "mod_revision",
			change->former ? change->version : "0"),
		change->former
			? compare(etcd, change->key, "VALUE", "value", former)
			: NULL,
		"success", "request_put", "key", key_of(etcd, change->key),
		"value", encoded));
	json = call(etcd, "/v3/kv/txn", ask, answer);
	if (json && !json_is_true(json_object_get(json, "succeeded")))
		answer->result = STORE_CONFLICT;
	json_decref(json);
	json_decref(ask);
	free(former);
	free(encoded);
}

const struct store_kind store_etcd = {
	.open = etcd_open,
	.close = etcd_close,
	.get = etcd_get,
	.list = etcd_list,
	.put = etcd_put,
};
