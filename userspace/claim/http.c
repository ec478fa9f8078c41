// SPDX-License-Identifier: GPL-2.0-only
/* See http.h. */
#include <curl/curl.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "clocks.h"
#include "exit_status.h"
#include "http.h"
#include "problem.h"

/* No answer of a store is longer. */
#define BODY_MAX (4 * 1024 * 1024)

struct http {
	CURL *curl;
	char error[CURL_ERROR_SIZE];
	FILE *body;
	char *text;
	size_t size;
	time_t date;
};

static size_t take_body(char *data, size_t size, size_t count, void *to)
{
	struct http *http = to;

	if ((size_t)ftell(http->body) + size * count > BODY_MAX)
		return 0;
	return fwrite(data, size, count, http->body) * size;
}

static size_t take_header(char *data, size_t size, size_t count, void *to)
{
	static const char name[] = "Date:";
	struct http *http = to;
	char line[64];

	snprintf(line, sizeof(line), "%.*s", (int)(size * count), data);
	if (!strncasecmp(line, name, strlen(name)))
		http->date = curl_getdate(line + strlen(name), NULL);
	return size * count;
}

struct http *http_open(const struct http_settings *settings)
{
	struct http *http = calloc(1, sizeof(*http));
	CURL *curl;

	if (!http || curl_global_init(CURL_GLOBAL_DEFAULT))
		errx(EXIT_FAILED, "out of memory");
	curl = http->curl = curl_easy_init();
	if (!curl)
		errx(EXIT_FAILED, "out of memory");
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, http->error);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, http);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, http);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, settings->timeout_ms);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	/* A proxy could hold requests back, and the environment may name one. */
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	if (settings->ca_file) {
		curl_easy_setopt(curl, CURLOPT_CAINFO, settings->ca_file);
		/* Otherwise the system's directory is trusted as well. */
		curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
	}
	if (settings->cert_file)
		curl_easy_setopt(curl, CURLOPT_SSLCERT, settings->cert_file);
	if (settings->key_file)
		curl_easy_setopt(curl, CURLOPT_SSLKEY, settings->key_file);
	return http;
}

void http_close(struct http *http)
{
	curl_easy_cleanup(http->curl);
	curl_global_cleanup();
	free(http);
}

static struct curl_slist *header(struct curl_slist *list, const char *name,
				 const char *value)
{
	char *line;

	if (asprintf(&line, "%s: %s", name, value) < 0)
		errx(EXIT_FAILED, "out of memory");
	list = curl_slist_append(list, line);
	free(line);
	if (!list)
		errx(EXIT_FAILED, "out of memory");
	return list;
}

static struct http_reply perform(struct http *http)
{
	struct http_reply reply = { 0 };
	uint64_t before_s = wall_s();
	curl_off_t sent_us = 0;
	CURLcode code;

	http->date = -1;
	*http->error = '\0';
	http->body = open_memstream(&http->text, &http->size);
	if (!http->body)
		errx(EXIT_FAILED, "out of memory");
	code = curl_easy_perform(http->curl);
	if (fclose(http->body))
		errx(EXIT_FAILED, "out of memory");
	if (code) {
		curl_easy_getinfo(http->curl, CURLINFO_PRETRANSFER_TIME_T,
				  &sent_us);
		reply.sent = sent_us > 0;
		reply.wrong = problem_for_now(
			"%s",
			*http->error ? http->error : curl_easy_strerror(code));
	} else {
		curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE,
				  &reply.status);
		reply.json = json_loadb(http->text, http->size,
					JSON_DISABLE_EOF_CHECK, NULL);
		if (http->date >= 0) {
			reply.server_s = http->date;
			reply.ahead_s =
				seconds_ahead(http->date, before_s, wall_s());
		}
	}
	free(http->text);
	return reply;
}

struct http_reply http_send(struct http *http, const char *method,
			    const char *url, const char *path,
			    const char *authorization, json_t *json)
{
	struct curl_slist *headers = NULL;
	struct http_reply reply;
	char *body = json ? json_dumps(json, JSON_COMPACT) : NULL, *to;

	if ((json && !body) || asprintf(&to, "%s%s", url, path) < 0)
		errx(EXIT_FAILED, "out of memory");
	if (json)
		headers = header(headers, "Content-Type", "application/json");
	if (authorization)
		headers = header(headers, "Authorization", authorization);
	curl_easy_setopt(http->curl, CURLOPT_URL, to);
	curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, headers);
	/* A request without a body is a GET. Undo the last request. */
	curl_easy_setopt(http->curl, CURLOPT_HTTPGET, 1L);
	if (json)
		curl_easy_setopt(http->curl, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(http->curl, CURLOPT_CUSTOMREQUEST, method);
	reply = perform(http);
	curl_slist_free_all(headers);
	free(body);
	free(to);
	return reply;
}

void http_reply_free(struct http_reply *reply)
{
	free(reply->wrong);
	json_decref(reply->json);
	*reply = (struct http_reply) { 0 };
}

char *http_escape(const char *text)
{
	char *escaped = curl_easy_escape(NULL, text, 0);
	char *copy = escaped ? strdup(escaped) : NULL;

	if (!copy)
		errx(EXIT_FAILED, "out of memory");
	curl_free(escaped);
	return copy;
}
