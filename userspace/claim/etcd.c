// SPDX-License-Identifier: GPL-2.0-only
/*
 * The store in etcd, by the JSON gateway of its API v3. In this JSON, keys,
 * values are base 64; integers of 64 bits are strings; fields that are false, 0
 * or empty are left out.
 *
 * The keys are /kuid/SPACE/rec/NUMBER, /kuid/SPACE/held/NUMBER, which is bound
 * to a lease, and /kuid/SPACE/meta. Numbers have ten digits, so that keys are
 * in their order. The version of a value is the key's mod_revision.
 */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base64.h"
#include "http.h"
#include "output.h"
#include "store.h"
#include "verbs.h"

#define ENDPOINTS_MAX 16
#define SPACE_MAX     64

/* How long a request to one endpoint may take. */
#define TIMEOUT_LEAST_MS 500
#define TIMEOUT_MOST_MS	 5000

/* gRPC's codes of errors. */
#define CODE_NOT_FOUND	     5
#define CODE_UNAUTHENTICATED 16

struct store {
	struct http *http;
	char *endpoints[ENDPOINTS_MAX];
	unsigned int nr_endpoints;
	unsigned int endpoint; /* the one that answered last */
	const char *space;
	const char *user;
	const char *password_file;
	char *token; /* that etcd gave to the user */
	uint64_t ttl_s;
	uint64_t lease;	 /* 0: none yet */
	bool lease_used; /* by a key: of this number */
	uint64_t lease_number;
};

static json_t *checked(json_t *json)
{
	if (!json)
		errx(EXIT_FAILED, "out of memory");
	return json;
}

__attribute__((format(printf, 1, 2))) static char *text(const char *format, ...)
{
	va_list args;
	char *made;

	va_start(args, format);
	made = text_of(format, args);
	va_end(args);
	return made;
}

static char *add_endpoint(struct store *store, const char *url, size_t length)
{
	const char *host = strstr(url, "://");

	if (store->nr_endpoints == ENDPOINTS_MAX)
		return problem("more than %d endpoints", ENDPOINTS_MAX);
	if ((strncmp(url, "http://", 7) && strncmp(url, "https://", 8)) ||
	    url + length <= host + 3)
		return problem("\"%s\" is not an endpoint: a URL as "
			       "http://host:2379 or https://host:2379, and "
			       "commas between several",
			       quoted(url, length).text);
	if (url[length - 1] == '/')
		length--;
	store->endpoints[store->nr_endpoints++] =
		text("%.*s", (int)length, url);
	return NULL;
}

static char *add_endpoints(struct store *store, const char *urls)
{
	for (;;) {
		size_t length = strcspn(urls, ",");
		char *wrong = add_endpoint(store, urls, length);

		if (wrong || !urls[length])
			return wrong;
		urls += length + 1;
	}
}

static char *check_space(const char *space)
{
	size_t length = strlen(space);

	if (!length || length > SPACE_MAX ||
	    strspn(space, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			  "0123456789-_.") != length)
		return problem("\"%s\" is not the name of a space: up to %d "
			       "letters, digits and any of \"-_.\"",
			       QUOTED(space), SPACE_MAX);
	return NULL;
}

static char *check_readable(const char *path)
{
	FILE *file = path ? fopen(path, "re") : NULL;

	if (path && !file)
		return problem("%s: %s", path, strerror(errno));
	if (file)
		fclose(file);
	return NULL;
}

static char *check_files(const struct store_settings *settings)
{
	const char *const files[] = {
		settings->password_file,
		settings->ca_file,
		settings->cert_file,
		settings->key_file,
	};
	char *wrong = NULL;

	for (size_t i = 0; !wrong && i < sizeof(files) / sizeof(*files); i++)
		wrong = check_readable(files[i]);
	return wrong;
}

char *store_open(const struct store_settings *settings, struct store **opened)
{
	struct store *store = calloc(1, sizeof(*store));
	struct http_settings http = {
		.ca_file = settings->ca_file,
		.cert_file = settings->cert_file,
		.key_file = settings->key_file,
		/* An eighth: each of three endpoints can be tried in time. */
		.timeout_ms = settings->horizon_s * 1000 / 8,
	};
	char *wrong;

	if (!store)
		errx(EXIT_FAILED, "out of memory");
	if (http.timeout_ms < TIMEOUT_LEAST_MS)
		http.timeout_ms = TIMEOUT_LEAST_MS;
	if (http.timeout_ms > TIMEOUT_MOST_MS)
		http.timeout_ms = TIMEOUT_MOST_MS;
	*opened = store;
	store->space = settings->space;
	store->user = settings->user;
	store->password_file = settings->password_file;
	store->ttl_s = settings->horizon_s;
	store->http = http_open(&http);
	wrong = check_space(settings->space);
	if (!wrong)
		wrong = add_endpoints(store, settings->endpoints);
	if (!wrong)
		wrong = check_files(settings);
	if (!wrong)
		return NULL;
	store_close(store);
	*opened = NULL;
	return wrong;
}

void store_close(struct store *store)
{
	http_close(store->http);
	for (unsigned int i = 0; i < store->nr_endpoints; i++)
		free(store->endpoints[i]);
	free(store->token);
	free(store);
}

void store_leave_lease(struct store *store)
{
	store->lease = 0;
}

/* A string of digits, as 64-bit integers are written; 0 if it is left out. */
static uint64_t integer(json_t *json, const char *name)
{
	const char *digits = json_string_value(json_object_get(json, name));

	return digits ? strtoull(digits, NULL, 10) : 0;
}

/* The message of an error. */
static const char *error_text(json_t *json)
{
	const char *said = json_string_value(json_object_get(json, "message"));

	return said ? said : "an answer that etcd's gateway doesn't give";
}

static json_int_t error_code(json_t *json)
{
	return json_integer_value(json_object_get(json, "code"));
}

static char *read_password(const char *path, char *password, size_t size)
{
	FILE *file = fopen(path, "re");
	bool got = file && fgets(password, size, file);

	if (file)
		fclose(file);
	if (!got)
		return problem("%s: no password can be read", path);
	password[strcspn(password, "\n")] = '\0';
	return NULL;
}

/* Get a token from one endpoint. */
static struct http_reply authenticate(struct store *store, const char *url)
{
	struct http_reply reply = { 0 };
	char password[256] = "";
	const char *token;
	json_t *ask;

	free(store->token);
	store->token = NULL;
	if (store->password_file)
		reply.wrong = read_password(store->password_file, password,
					    sizeof(password));
	if (reply.wrong)
		return reply;
	ask = checked(json_pack("{s:s, s:s}", "name", store->user, "password",
				password));
	reply = http_post(store->http, url, "/v3/auth/authenticate", NULL, ask);
	json_decref(ask);
	token = json_string_value(json_object_get(reply.json, "token"));
	if (token)
		store->token = text("%s", token);
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
	return error_code(reply->json) == CODE_UNAUTHENTICATED ||
	       (reply->status >= 400 &&
		strstr(error_text(reply->json), "auth store is old"));
}

static struct http_reply post(struct store *store, const char *url,
			      const char *path, json_t *ask)
{
	struct http_reply reply;

	for (int tries = 0;; tries++) {
		if (store->user && !store->token) {
			reply = authenticate(store, url);
			if (!store->token)
				return reply;
			http_reply_free(&reply);
		}
		reply = http_post(store->http, url, path, store->token, ask);
		if (!store->user || tries || !wants_authentication(&reply))
			return reply;
		http_reply_free(&reply);
		free(store->token);
		store->token = NULL;
	}
}

/**
 * struct call - a request, sent to one endpoint after the other
 * @result: STORE_DONE, STORE_UNSURE or STORE_FAILED
 * @wrong: why not
 * @code: of etcd's error, if it refused
 * @reply: what came last
 */
struct call {
	enum store_result result;
	char *wrong;
	json_int_t code;
	struct http_reply reply;
};

static void call_free(struct call *call)
{
	free(call->wrong);
	http_reply_free(&call->reply);
}

static void add_wrong(struct call *call, const char *url, const char *why)
{
	char *all = problem_for_now("%s%s%s: %s",
				    call->wrong ? call->wrong : "",
				    call->wrong ? "; " : "", url, why);

	free(call->wrong);
	call->wrong = all;
}

/*
 * Errors from 500 on may go away at another member, and don't say whether the
 * request was or will be carried out. All requests that are sent here may be
 * repeated.
 */
static struct call call(struct store *store, const char *path, json_t *ask)
{
	struct call call = { .result = STORE_FAILED };

	for (unsigned int i = 0; i < store->nr_endpoints; i++) {
		unsigned int at = (store->endpoint + i) % store->nr_endpoints;
		const char *url = store->endpoints[at];
		struct http_reply *reply = &call.reply;

		http_reply_free(reply);
		*reply = post(store, url, path, ask);
		if (reply->status >= 200 && reply->status < 300 &&
		    reply->json) {
			store->endpoint = at;
			free(call.wrong);
			call.wrong = NULL;
			call.result = STORE_DONE;
			return call;
		}
		if (reply->status)
			add_wrong(&call, url, error_text(reply->json));
		else
			add_wrong(&call, url, reply->wrong);
		if (reply->sent || reply->status >= 500)
			call.result = STORE_UNSURE;
		call.code = error_code(reply->json);
		if (reply->status >= 400 && reply->status < 500)
			return call;
	}
	store->endpoint = (store->endpoint + 1) % store->nr_endpoints;
	return call;
}

/* A key of the space, for JSON. */
__attribute__((format(printf, 2, 3))) static json_t *
key(const struct store *store, const char *format, ...)
{
	char *name, *whole, *encoded;
	json_t *json;
	va_list args;

	va_start(args, format);
	name = text_of(format, args);
	va_end(args);
	whole = text("/kuid/%s/%s", store->space, name);
	encoded = base64_text(whole);
	json = checked(json_string(encoded));
	free(name);
	free(whole);
	free(encoded);
	return json;
}

static json_t *record_key(const struct store *store, uint64_t number)
{
	return key(store, "rec/%010" PRIu64, number);
}

static json_t *held_key(const struct store *store, uint64_t number)
{
	return key(store, "held/%010" PRIu64, number);
}

static json_t *space_key(const struct store *store)
{
	return key(store, "meta");
}

static void append(json_t *list, json_t *item)
{
	if (json_array_append_new(list, checked(item)))
		errx(EXIT_FAILED, "out of memory");
}

static json_t *get(json_t *of)
{
	return json_pack("{s:{s:o}}", "request_range", "key", of);
}

static json_t *get_many(json_t *from, json_t *to, bool keys_only)
{
	return json_pack("{s:{s:o, s:o, s:i, s:b}}", "request_range", "key",
			 from, "range_end", to, "limit", STORE_PAGE,
			 "keys_only", keys_only);
}

static json_t *put(json_t *to, const char *value, uint64_t lease)
{
	char *encoded = base64_text(value), *id = text("%" PRIu64, lease);
	json_t *json = json_pack("{s:{s:o, s:s, s:s}}", "request_put", "key",
				 to, "value", encoded, "lease", id);

	free(encoded);
	free(id);
	return json;
}

static json_t *delete_key(json_t *of)
{
	return json_pack("{s:{s:o}}", "request_delete_range", "key", of);
}

static json_t *is_revision(json_t *of, const char *target, const char *name,
			   uint64_t revision)
{
	char *digits = text("%" PRIu64, revision);
	json_t *json = json_pack("{s:o, s:s, s:s, s:s}", "key", of, "target",
				 target, "result", "EQUAL", name, digits);

	free(digits);
	return json;
}

static struct store_answer *answer_new(struct call *call)
{
	struct store_answer *answer = calloc(1, sizeof(*answer));

	if (!answer)
		errx(EXIT_FAILED, "out of memory");
	answer->result = call->result;
	answer->wrong = call->wrong;
	call->wrong = NULL;
	answer->ahead_s = call->reply.ahead_s;
	answer->revision = integer(json_object_get(call->reply.json, "header"),
				   "revision");
	return answer;
}

void store_answer_free(struct store_answer *answer)
{
	for (size_t i = 0; i < answer->count; i++)
		free(answer->entries[i].record.text);
	free(answer->space.text);
	free(answer->wrong);
	free(answer);
}

/* The keys and values that one request of a transaction has read. */
static json_t *values(struct call *call, size_t which)
{
	json_t *all = json_object_get(call->reply.json, "responses");
	json_t *range =
		json_object_get(json_array_get(all, which), "response_range");

	return json_object_get(range, "kvs");
}

static struct store_value value(json_t *kv)
{
	const char *encoded = json_string_value(json_object_get(kv, "value"));
	char *decoded = kv ? base64_parse(encoded ? encoded : "") : NULL;

	/* A value that can't be read is there all the same. */
	if (kv && !decoded)
		decoded = text("unreadable");
	return (struct store_value) { decoded, integer(kv, "mod_revision") };
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

/*
 * Both lists are in the order of numbers, and have up to STORE_PAGE of them.
 * Beyond the last of a full list there may be others.
 */
static void take_entries(struct store_answer *answer, struct call *call,
			 uint64_t *end)
{
	json_t *lists[] = { values(call, 0), values(call, 1) }, *kv[2];
	size_t at[2] = { 0 };
	uint64_t number[2];

	for (;;) {
		struct store_entry *entry = &answer->entries[answer->count];

		for (int i = 0; i < 2; i++) {
			kv[i] = json_array_get(lists[i], at[i]);
			if (kv[i] && !number_of(kv[i], &number[i])) {
				at[i--]++;
				continue;
			}
			if (!kv[i])
				number[i] = UINT64_MAX;
		}
		if (!kv[0] && !kv[1])
			break;
		if (answer->count == STORE_PAGE)
			break;
		entry->number = number[0] < number[1] ? number[0] : number[1];
		if (entry->number == number[0]) {
			entry->record = value(kv[0]);
			at[0]++;
		}
		if (entry->number == number[1]) {
			entry->held = true;
			at[1]++;
		}
		answer->count++;
		if (at[0] == STORE_PAGE || at[1] == STORE_PAGE)
			break;
	}
	if (answer->count == STORE_PAGE || at[0] == STORE_PAGE ||
	    at[1] == STORE_PAGE)
		*end = answer->entries[answer->count - 1].number;
}

struct store_answer *store_read(struct store *store, uint64_t first,
				uint64_t last, uint64_t *end)
{
	json_t *gets = checked(json_array()), *ask;
	struct store_answer *answer;
	struct call read;

	append(gets, get_many(record_key(store, first),
			      record_key(store, last + 1), false));
	append(gets, get_many(held_key(store, first), held_key(store, last + 1),
			      true));
	append(gets, get(space_key(store)));
	ask = checked(json_pack("{s:o}", "success", gets));
	read = call(store, "/v3/kv/txn", ask);
	json_decref(ask);
	answer = answer_new(&read);
	*end = last;
	/* Nothing was to be written. */
	if (answer->result != STORE_DONE) {
		answer->result = STORE_FAILED;
	} else {
		take_entries(answer, &read, end);
		answer->space = value(json_array_get(values(&read, 2), 0));
	}
	call_free(&read);
	return answer;
}

static struct call grant(struct store *store)
{
	char *ttl = text("%" PRIu64, store->ttl_s);
	json_t *ask = checked(json_pack("{s:s}", "TTL", ttl));
	struct call granted = call(store, "/v3/lease/grant", ask);

	if (granted.result == STORE_DONE)
		store->lease = integer(granted.reply.json, "ID");
	store->lease_used = false;
	json_decref(ask);
	free(ttl);
	return granted;
}

/* The lease is as before, or 0 if it has ended. */
static struct call keep_alive(struct store *store)
{
	char *id = text("%" PRIu64, store->lease);
	json_t *ask = checked(json_pack("{s:s}", "ID", id));
	struct call kept = call(store, "/v3/lease/keepalive", ask);

	/* A lease that has ended is no error, but has no time left. */
	if (kept.result == STORE_DONE &&
	    !integer(json_object_get(kept.reply.json, "result"), "TTL"))
		store->lease = 0;
	json_decref(ask);
	free(id);
	return kept;
}

/*
 * Have a lease for this number alone: a number that was given up must not stay
 * held because the next one is.
 */
static struct call have_lease(struct store *store, uint64_t number)
{
	struct call had = { .result = STORE_DONE };

	if (store->lease_used && store->lease_number != number)
		store->lease = 0;
	if (store->lease)
		had = keep_alive(store);
	if (had.result == STORE_DONE && !store->lease) {
		call_free(&had);
		had = grant(store);
	}
	return had;
}

static json_t *conditions(const struct store *store,
			  const struct store_change *change)
{
	json_t *list = checked(json_array());

	if (change->record)
		append(list,
		       is_revision(record_key(store, change->number), "MOD",
				   "mod_revision", change->version));
	if (change->unless_held)
		append(list, is_revision(held_key(store, change->number),
					 "CREATE", "create_revision", 0));
	if (change->check_space)
		append(list,
		       is_revision(space_key(store), "MOD", "mod_revision",
				   change->space_version));
	return list;
}

static json_t *writes(const struct store *store,
		      const struct store_change *change)
{
	json_t *list = checked(json_array());

	if (change->record)
		append(list, put(record_key(store, change->number),
				 change->record, 0));
	if (change->record && change->let_go)
		append(list, delete_key(held_key(store, change->number)));
	else if (change->record)
		append(list, put(held_key(store, change->number), change->token,
				 store->lease));
	if (change->space)
		append(list, put(space_key(store), change->space, 0));
	return list;
}

static struct call transact(struct store *store,
			    const struct store_change *change)
{
	json_t *reads = checked(json_array()), *ask;
	struct call done;

	/* As store_read() does. */
	append(reads, get(record_key(store, change->number)));
	append(reads, get(held_key(store, change->number)));
	append(reads, get(space_key(store)));
	ask = checked(json_pack("{s:o, s:o, s:o}", "compare",
				conditions(store, change), "success",
				writes(store, change), "failure", reads));
	done = call(store, "/v3/kv/txn", ask);
	json_decref(ask);
	return done;
}

static struct call hold_and_transact(struct store *store,
				     const struct store_change *change)
{
	struct call leased = have_lease(store, change->number), done;

	if (leased.result != STORE_DONE) {
		/* The transaction was not sent. */
		leased.result = STORE_FAILED;
		return leased;
	}
	call_free(&leased);
	done = transact(store, change);
	if (done.code == CODE_NOT_FOUND)
		store->lease = 0;
	return done;
}

struct store_answer *store_write(struct store *store,
				 const struct store_change *change)
{
	bool hold = change->record && !change->let_go;
	struct store_answer *answer;
	struct call done;
	uint64_t end;

	done = hold ? hold_and_transact(store, change)
		    : transact(store, change);
	/* The lease has ended between two requests. */
	if (hold && done.result == STORE_FAILED && !store->lease &&
	    done.code == CODE_NOT_FOUND) {
		call_free(&done);
		done = hold_and_transact(store, change);
	}
	answer = answer_new(&done);
	if (done.result == STORE_DONE &&
	    !json_is_true(json_object_get(done.reply.json, "succeeded"))) {
		answer->result = STORE_CHANGED;
		take_entries(answer, &done, &end);
		answer->space = value(json_array_get(values(&done, 2), 0));
	}
	if (hold &&
	    (answer->result == STORE_DONE || answer->result == STORE_UNSURE)) {
		store->lease_used = true;
		store->lease_number = change->number;
	}
	call_free(&done);
	return answer;
}
