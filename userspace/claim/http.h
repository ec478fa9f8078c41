/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON by HTTP, for stores that are reached that way. */
#ifndef KUID_CLAIM_HTTP_H
#define KUID_CLAIM_HTTP_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "problem.h"

/* The files are in PEM; NULL for those that aren't used. */
struct http_settings {
	const char *ca_file;
	const char *cert_file;
	const char *key_file;
	long timeout_ms;
};

/**
 * struct http_reply - the reply to a request, see http_reply_free()
 * @status: the status of HTTP; 0 if there is no reply
 * @sent: there is no reply, but the server may have got the request
 * @wrong: why there is no reply
 * @json: the body of the reply; NULL if it isn't JSON
 * @server_s: the server's time; 0 if the reply doesn't have it
 * @ahead_s: by how much this machine's clock is certainly ahead of the
 *	server's, negative if it is behind
 */
struct http_reply {
	long status;
	bool sent;
	struct problem *wrong;
	json_t *json;
	uint64_t server_s;
	int64_t ahead_s;
};

struct http;

struct http *http_open(const struct http_settings *settings);
void http_close(struct http *http);

/* Send JSON to URL and path; authorization and json may be NULL. */
struct http_reply http_send(struct http *http, const char *method,
			    const char *url, const char *path,
			    const char *authorization, json_t *json);
void http_reply_free(struct http_reply *reply);

/* Escape a text for the query of a URL. The caller frees the result. */
char *http_escape(const char *text);

#endif /* KUID_CLAIM_HTTP_H */
