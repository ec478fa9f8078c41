// SPDX-License-Identifier: GPL-2.0-only
/*
 * The store in Kubernetes: Leases, whose record is in an annotation. They are
 * objects of a kind that clusters expect to be written often; what a Lease says
 * of holders and times is not used.
 *
 * The Lease of a number is kuid.SPACE.NUMBER, with ten digits, and that of the
 * space kuid.SPACE.space. The version is the Lease's UID and resourceVersion. A
 * write carries both: without the UID it would make a Lease that was deleted
 * anew. A finalizer keeps a deleted Lease, and with it the ceiling.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_status.h"
#include "http.h"
#include "problem.h"
#include "quoted.h"
#include "store.h"
#include "text.h"

#define LABEL	   "kuid-claim/space"
#define ANNOTATION "kuid-claim/record"
#define FINALIZER  "kuid-claim/ceiling"

/* The files of its service account that a pod has. */
#define ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount/"

struct kubernetes {
	struct store store;
	struct http *http;
	char *server; /* the URL without a path */
	char *leases; /* the path of all Leases of the namespace */
	const char *space;
	const char *token_file;
	/* Where the last list has ended, and how to go on from there. */
	uint64_t next;
	char *next_page;
};

static json_t *checked(json_t *json)
{
	if (!json)
		errx(EXIT_FAILED, "out of memory");
	return json;
}

static void kubernetes_close(struct store *store)
{
	struct kubernetes *kubernetes = (struct kubernetes *)store;

	if (kubernetes->http)
		http_close(kubernetes->http);
	free(kubernetes->server);
	free(kubernetes->leases);
	free(kubernetes->next_page);
	free(kubernetes);
}

/* Whether the name may be that of a namespace, as a part of a path. */
static bool is_name(const char *name)
{
	return *name && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") ==
				strlen(name);
}

/* The server in whose cluster the pod is. */
static struct problem *find_server(struct kubernetes *kubernetes)
{
	const char *host = getenv("KUBERNETES_SERVICE_HOST");
	const char *port = getenv("KUBERNETES_SERVICE_PORT");

	if (!host || !port)
		return problem("this is no pod of Kubernetes: name the server "
			       "as in kubernetes://HOST:PORT/NAMESPACE");
	kubernetes->server = text_new(strchr(host, ':') ? "https://[%s]:%s"
							: "https://%s:%s",
				      host, port);
	return NULL;
}

static struct problem *find_namespace(const char *named, char **namespace)
{
	struct problem *wrong = NULL;

	if (*named)
		*namespace = text_new("%s", named);
	else
		wrong = store_password(ACCOUNT "namespace", namespace);
	if (wrong) {
		free(wrong);
		return problem("this is no pod of Kubernetes: name the "
			       "namespace as in "
			       "kubernetes://HOST:PORT/NAMESPACE");
	}
	if (!is_name(*namespace))
		return problem("\"%s\" is not a namespace", QUOTED(*namespace));
	return NULL;
}

/* kubernetes://[HOST:PORT][/NAMESPACE] */
static struct problem *parse_url(struct kubernetes *kubernetes, const char *url)
{
	const char *host = strstr(url, "://") + 3;
	size_t length = strcspn(host, "/");
	const char *named = host[length] ? host + length + 1 : "";
	char *namespace = NULL;
	struct problem *wrong = NULL;

	if (length)
		kubernetes->server =
			text_new("https://%.*s", (int)length, host);
	else
		wrong = find_server(kubernetes);
	if (!wrong)
		wrong = find_namespace(named, &namespace);
	if (!wrong)
		kubernetes->leases = text_new(
			"/apis/coordination.k8s.io/v1/namespaces/%s/leases",
			namespace);
	free(namespace);
	return wrong;
}

static struct problem *kubernetes_open(const struct store_settings *settings,
				       struct store **opened)
{
	struct kubernetes *kubernetes = calloc(1, sizeof(*kubernetes));
	struct http_settings http = {
		.ca_file = settings->ca_file ? settings->ca_file
					     : ACCOUNT "ca.crt",
		.cert_file = settings->cert_file,
		.key_file = settings->key_file,
		.timeout_ms = settings->timeout_ms,
	};
	struct problem *wrong = NULL;

	if (!kubernetes)
		errx(EXIT_FAILED, "out of memory");
	kubernetes->store.kind = &store_kubernetes;
	kubernetes->space = settings->space;
	kubernetes->token_file = settings->password_file
					 ? settings->password_file
					 : ACCOUNT "token";
	if (settings->user)
		wrong = problem("Kubernetes has no --user: the token in "
				"--password-file names it");
	if (!wrong)
		wrong = parse_url(kubernetes, settings->url);
	if (wrong) {
		kubernetes_close(&kubernetes->store);
		return wrong;
	}
	kubernetes->http = http_open(&http);
	*opened = &kubernetes->store;
	return NULL;
}

static char *name_of(const struct kubernetes *kubernetes, uint64_t key)
{
	if (key == STORE_SPACE)
		return text_new("kuid.%s.space", kubernetes->space);
	return text_new("kuid.%s.%010" PRIu64, kubernetes->space, key);
}

static bool number_of(const char *name, uint64_t *number)
{
	const char *dot = strrchr(name, '.');

	if (!dot || strlen(dot + 1) != 10 ||
	    strspn(dot + 1, "0123456789") != 10)
		return false;
	*number = strtoull(dot + 1, NULL, 10);
	return true;
}

static const char *field(json_t *json, const char *name)
{
	const char *text = json_string_value(json_object_get(json, name));

	return text ? text : "";
}

static void fail(struct store_answer *answer, enum store_result result,
		 const char *message)
{
	char *said = store_said(message);

	answer->result = result;
	answer->wrong = problem_for_now("Kubernetes: %s", said);
	free(said);
}

/*
 * Statuses from 500 on, 408 and 499 don't say whether the request was or will
 * be carried out. 429 says that it wasn't, and comes without a message if the
 * server has too many requests to look at this one.
 */
static void fail_status(struct store_answer *answer, long status,
			const char *message)
{
	bool refused = status >= 400 && status < 500 && status != 408 &&
		       status != 499;
	char *text = text_new("status %ld%s%s", status, *message ? ", " : "",
			      message);

	fail(answer, refused ? STORE_REFUSED : STORE_UNKNOWN, text);
	free(text);
}

/*
 * Send a request. Tokens are replaced every hour, so the file is read each
 * time. With a status that is neither success nor expected the answer says what
 * is wrong.
 */
static struct http_reply call(struct kubernetes *kubernetes, const char *method,
			      const char *path, json_t *json, long expected,
			      struct store_answer *answer)
{
	char *token = NULL, *bearer;
	struct problem *wrong;
	struct http_reply reply = { 0 };
	long status;

	wrong = store_password(kubernetes->token_file, &token);
	if (wrong) {
		answer->result = STORE_REFUSED;
		answer->wrong = wrong;
		return reply;
	}
	bearer = text_new("Bearer %s", token);
	reply = http_send(kubernetes->http, method, kubernetes->server, path,
			  bearer, json);
	free(bearer);
	free(token);
	status = reply.status;
	answer->store_s = reply.server_s;
	answer->ahead_s = reply.ahead_s;
	if (!status)
		fail(answer, reply.sent ? STORE_UNKNOWN : STORE_REFUSED,
		     reply.wrong->text);
	else if (!(status >= 200 && status < 300 && reply.json) &&
		 status != expected)
		fail_status(answer, status, field(reply.json, "message"));
	return reply;
}

static void add_value(struct store_answer *answer, uint64_t key, json_t *lease)
{
	json_t *metadata = json_object_get(lease, "metadata");
	json_t *annotations = json_object_get(metadata, "annotations");

	store_answer_add(answer, key,
			 text_new("%s", field(annotations, ANNOTATION)),
			 text_new("%s %s", field(metadata, "uid"),
				  field(metadata, "resourceVersion")));
}

/* A proxy may answer that it doesn't know a path. */
static bool is_absent(struct http_reply *reply, const char *name)
{
	json_t *details = json_object_get(reply->json, "details");

	return !strcmp(field(reply->json, "reason"), "NotFound") &&
	       !strcmp(field(details, "name"), name);
}

static void kubernetes_get(struct store *store, uint64_t key,
			   struct store_answer *answer)
{
	struct kubernetes *kubernetes = (struct kubernetes *)store;
	char *name = name_of(kubernetes, key);
	char *path = text_new("%s/%s", kubernetes->leases, name);
	struct http_reply reply =
		call(kubernetes, "GET", path, NULL, 404, answer);

	if (!answer->wrong && reply.status != 404)
		add_value(answer, key, reply.json);
	else if (!answer->wrong && !is_absent(&reply, name))
		fail(answer, STORE_REFUSED, "there are no Leases");
	http_reply_free(&reply);
	free(path);
	free(name);
}

/*
 * One page of Leases, which are in the order of their names; add those from
 * first to last. Returns the number of the last one.
 */
static uint64_t read_page(struct kubernetes *kubernetes, uint64_t first,
			  uint64_t last, struct store_answer *answer)
{
	char *path =
		text_new("%s?labelSelector=" LABEL "%%3D%s&limit=%d%s%s",
			 kubernetes->leases, kubernetes->space, STORE_PAGE,
			 kubernetes->next_page ? "&continue=" : "",
			 kubernetes->next_page ? kubernetes->next_page : "");
	struct http_reply reply =
		call(kubernetes, "GET", path, NULL, 0, answer);
	uint64_t number = 0;
	json_t *lease;
	size_t i;

	free(path);
	free(kubernetes->next_page);
	kubernetes->next_page = NULL;
	if (!answer->wrong) {
		const char *more = field(
			json_object_get(reply.json, "metadata"), "continue");

		if (*more)
			kubernetes->next_page = http_escape(more);
		json_array_foreach(json_object_get(reply.json, "items"), i,
				   lease)
		{
			json_t *metadata = json_object_get(lease, "metadata");

			if (number_of(field(metadata, "name"), &number) &&
			    number >= first && number <= last &&
			    answer->count < STORE_PAGE)
				add_value(answer, number, lease);
		}
	}
	http_reply_free(&reply);
	return number;
}

static void kubernetes_list(struct store *store, uint64_t first, uint64_t last,
			    uint64_t *end, struct store_answer *answer)
{
	struct kubernetes *kubernetes = (struct kubernetes *)store;
	uint64_t number;

	if (first != kubernetes->next) {
		free(kubernetes->next_page);
		kubernetes->next_page = NULL;
	}
	do
		number = read_page(kubernetes, first, last, answer);
	while (kubernetes->next_page && number < first);
	if (kubernetes->next_page && number < last)
		*end = number;
	kubernetes->next = *end + 1;
}

/* The version is "UID RESOURCEVERSION". */
static json_t *lease_of(const struct kubernetes *kubernetes,
			const struct store_change *change, const char *name)
{
	json_t *metadata = checked(
		json_pack("{s:s, s:{s:s}, s:{s:s}, s:[s]}", "name", name,
			  "labels", LABEL, kubernetes->space, "annotations",
			  ANNOTATION, change->text, "finalizers", FINALIZER));
	const char *blank = change->version ? strchr(change->version, ' ')
					    : NULL;

	if (blank &&
	    (json_object_set_new(metadata, "uid",
				 json_stringn(change->version,
					      blank - change->version)) ||
	     json_object_set_new(metadata, "resourceVersion",
				 json_string(blank + 1))))
		errx(EXIT_FAILED, "out of memory");
	return checked(json_pack("{s:s, s:s, s:o, s:{}}", "apiVersion",
				 "coordination.k8s.io/v1", "kind", "Lease",
				 "metadata", metadata, "spec"));
}

static void kubernetes_put(struct store *store,
			   const struct store_change *change,
			   struct store_answer *answer)
{
	struct kubernetes *kubernetes = (struct kubernetes *)store;
	char *name = name_of(kubernetes, change->key);
	char *path = text_new("%s%s%s", kubernetes->leases,
			      change->version ? "/" : "",
			      change->version ? name : "");
	json_t *lease = lease_of(kubernetes, change, name);
	struct http_reply reply = call(kubernetes,
				       change->version ? "PUT" : "POST", path,
				       lease, 409, answer);

	if (!answer->wrong && reply.status == 409)
		answer->result = STORE_CONFLICT;
	http_reply_free(&reply);
	json_decref(lease);
	free(path);
	free(name);
}

const struct store_kind store_kubernetes = {
	.open = kubernetes_open,
	.close = kubernetes_close,
	.get = kubernetes_get,
	.list = kubernetes_list,
	.put = kubernetes_put,
};
