// SPDX-License-Identifier: GPL-2.0-only
/* See store.h. */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exit_status.h"
#include "problem.h"
#include "quoted.h"
#include "store.h"
#include "text.h"

#define SPACE_MAX 64

/* The longest text of a store in a message. */
#define SAID_MAX 200

/* The schemes of URLs, and what kind of store they name. */
static const struct {
	const char *scheme;
	const struct store_kind *kind;
} schemes[] = {
	{ "http", &store_etcd },
	{ "https", &store_etcd },
	{ "kubernetes", &store_kubernetes },
	{ "postgresql", &store_postgresql },
	{ "postgres", &store_postgresql },
};

char *store_said(const char *said)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		errx(EXIT_FAILED, "out of memory");
	/* libpq ends its messages with a newline. */
	for (size_t i = 0; said[i] && strcmp(said + i, "\n"); i++) {
		unsigned char c = said[i];

		if (i == SAID_MAX) {
			fputs("...", to);
			break;
		}
		fprintf(to, isprint(c) ? "%c" : "\\x%02x", c);
	}
	if (fclose(to))
		errx(EXIT_FAILED, "out of memory");
	return text;
}

struct problem *store_password(const char *path, char **password)
{
	FILE *file = fopen(path, "re");
	/* Tokens are longer than passwords. */
	char line[8192];
	bool got = file && fgets(line, sizeof(line), file);

	if (file)
		fclose(file);
	if (!got)
		return problem("%s: no password can be read", path);
	line[strcspn(line, "\n")] = '\0';
	*password = text_new("%s", line);
	return NULL;
}

static struct problem *check_space(const char *space)
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

static struct problem *check_files(const struct store_settings *settings)
{
	const char *const files[] = {
		settings->password_file,
		settings->ca_file,
		settings->cert_file,
		settings->key_file,
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (files[i] && access(files[i], R_OK))
			return problem("%s: %s", files[i], strerror(errno));
	return NULL;
}

/* A URL is in the list of processes, and may be in messages. */
static struct problem *check_secrets(const char *url)
{
	const char *scheme = strstr(url, "://");
	const char *colon = strchr(scheme ? scheme + 3 : url, ':');

	if (colon && strchr(colon, '@'))
		return problem("a URL with a password is refused: use --user "
			       "and --password-file");
	return NULL;
}

struct problem *store_open(const struct store_settings *settings,
			   struct store **store)
{
	const char *url = settings->url;
	struct problem *wrong = check_space(settings->space);

	if (!wrong)
		wrong = check_secrets(url);
	if (!wrong)
		wrong = check_files(settings);
	if (wrong)
		return wrong;
	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
		size_t length = strlen(schemes[i].scheme);

		if (!strncmp(url, schemes[i].scheme, length) &&
		    !strncmp(url + length, "://", 3))
			return schemes[i].kind->open(settings, store);
	}
	return problem("\"%s\" is not a store: a URL that begins with http://, "
		       "https://, postgresql:// or kubernetes://",
		       QUOTED(url));
}

void store_close(struct store *store)
{
	store->kind->close(store);
}

static struct store_answer *answer_new(void)
{
	struct store_answer *answer = calloc(1, sizeof(*answer));

	if (!answer)
		errx(EXIT_FAILED, "out of memory");
	return answer;
}

void store_answer_add(struct store_answer *answer, uint64_t key, char *text,
		      char *version)
{
	answer->values[answer->count++] =
		(struct store_value) { key, text, version };
}

void store_value_free(struct store_value *value)
{
	free(value->text);
	free(value->version);
	*value = (struct store_value) { 0 };
}

void store_answer_free(struct store_answer *answer)
{
	for (size_t i = 0; i < answer->count; i++)
		store_value_free(&answer->values[i]);
	free(answer->wrong);
	free(answer);
}

struct store_answer *store_get(struct store *store, uint64_t key)
{
	struct store_answer *answer = answer_new();

	store->kind->get(store, key, answer);
	/* A read has no unknown outcome. */
	if (answer->result == STORE_UNKNOWN)
		answer->result = STORE_REFUSED;
	return answer;
}

struct store_answer *store_list(struct store *store, uint64_t first,
				uint64_t last, uint64_t *end)
{
	struct store_answer *answer = answer_new();

	*end = last;
	store->kind->list(store, first, last, end, answer);
	if (answer->result == STORE_UNKNOWN)
		answer->result = STORE_REFUSED;
	return answer;
}

struct store_answer *store_put(struct store *store,
			       const struct store_change *change)
{
	struct store_answer *answer = answer_new();

	store->kind->put(store, change, answer);
	return answer;
}
