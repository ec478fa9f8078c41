// SPDX-License-Identifier: GPL-2.0-only
/* See claim_file.h. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "claim_file.h"
#include "output.h"
#include "verbs.h"

static char *beside(const struct claim_file *file, const char *suffix)
{
	char *path;

	if (asprintf(&path, "%s%s", file->path, suffix) < 0)
		errx(EXIT_FAILED, "out of memory");
	return path;
}

char *claim_file_open(struct claim_file *file, const char *path, bool *taken)
{
	char *lock, *wrong = NULL;

	*taken = false;
	*file = (struct claim_file) { .path = path };
	lock = beside(file, ".lock");
	file->lock =
		open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file->lock < 0) {
		wrong = problem("%s: %s", lock, strerror(errno));
	} else if (flock(file->lock, LOCK_EX | LOCK_NB)) {
		*taken = errno == EWOULDBLOCK;
		wrong = *taken ? problem("another kuid-claim uses %s", path)
			       : problem("%s: %s", lock, strerror(errno));
	}
	free(lock);
	return wrong;
}

static bool copy(char *to, size_t size, const char *from)
{
	return (size_t)snprintf(to, size, "%s", from) < size;
}

static bool parse(json_t *json, struct saved_claim *saved)
{
	json_int_t version, number, seq, ceiling_s, floor_s;
	const char *space, *product, *token, *former;
	int released;

	if (json_unpack(json,
			"{s:I, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:b}",
			"kuid_claim", &version, "space", &space, "product",
			&product, "token", &token, "former", &former, "number",
			&number, "seq", &seq, "ceiling", &ceiling_s, "floor",
			&floor_s, "released", &released) ||
	    version != 1 || number < 0 || seq < 0 || ceiling_s < 0 ||
	    floor_s < 0)
		return false;
	saved->number = number;
	saved->seq = seq;
	saved->ceiling_s = ceiling_s;
	saved->floor_s = floor_s;
	saved->released = released;
	return copy(saved->space, sizeof(saved->space), space) &&
	       copy(saved->product, sizeof(saved->product), product) &&
	       copy(saved->token, sizeof(saved->token), token) &&
	       copy(saved->former, sizeof(saved->former), former);
}

char *claim_file_read(const struct claim_file *file, struct saved_claim *saved,
		      bool *exists)
{
	int fd = open(file->path,
		      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	json_t *json;
	bool good;

	*saved = (struct saved_claim) { 0 };
	*exists = false;
	if (fd < 0 && errno == ENOENT)
		return NULL;
	if (fd < 0)
		return problem("%s: %s", file->path, strerror(errno));
	json = json_loadfd(fd, 0, NULL);
	close(fd);
	good = parse(json, saved);
	json_decref(json);
	if (!good) {
		*saved = (struct saved_claim) { 0 };
		return problem("%s is not what kuid-claim writes", file->path);
	}
	*exists = true;
	return NULL;
}

static char *text_of_claim(const struct saved_claim *saved)
{
	json_t *json = json_pack(
		"{s:i, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:b}",
		"kuid_claim", 1, "space", saved->space, "product",
		saved->product, "token", saved->token, "former", saved->former,
		"number", (json_int_t)saved->number, "seq",
		(json_int_t)saved->seq, "ceiling", (json_int_t)saved->ceiling_s,
		"floor", (json_int_t)saved->floor_s, "released",
		saved->released);
	char *text = json ? json_dumps(json, JSON_INDENT(2)) : NULL;

	if (!text)
		errx(EXIT_FAILED, "out of memory");
	json_decref(json);
	return text;
}

static bool sync_directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = !slash	    ? strdup(".")
		    : slash == path ? strdup("/")
				    : strndup(path, slash - path);
	int fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	bool done = fd >= 0 && !fsync(fd);

	if (fd >= 0)
		close(fd);
	free(dir);
	return done;
}

static bool replace(const char *path, const char *next, const char *text)
{
	int fd = open(next,
		      O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		      0600);
	size_t size = strlen(text);
	bool done;

	if (fd < 0)
		return false;
	done = write(fd, text, size) == (ssize_t)size && !fsync(fd);
	return !close(fd) && done && !rename(next, path) &&
	       sync_directory_of(path);
}

char *claim_file_write(const struct claim_file *file,
		       const struct saved_claim *saved)
{
	char *text = text_of_claim(saved), *next = beside(file, ".new");
	char *wrong = NULL;

	errno = ENOSPC;
	if (!replace(file->path, next, text))
		wrong = problem_for_now("writing %s: %s", file->path,
					strerror(errno));
	free(text);
	free(next);
	return wrong;
}
