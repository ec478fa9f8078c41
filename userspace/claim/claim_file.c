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
#include "exit_status.h"
#include "problem.h"
#include "text.h"

static char *beside(const struct claim_file *file, const char *suffix)
{
	return text_new("%s%s", file->path, suffix);
}

struct problem *claim_file_open(struct claim_file *file, const char *path)
{
	char *lock;
	struct problem *wrong = NULL;

	*file = (struct claim_file) { .path = path };
	lock = beside(file, ".lock");
	file->lock =
		open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file->lock < 0)
		wrong = problem("%s: %s", lock, strerror(errno));
	else if (flock(file->lock, LOCK_EX | LOCK_NB))
		wrong = errno == EWOULDBLOCK
				? problem("another kuid-claim uses %s", path)
				: problem("%s: %s", lock, strerror(errno));
	free(lock);
	return wrong;
}

static bool copy(char *to, size_t size, const char *from)
{
	return (size_t)snprintf(to, size, "%s", from) < size;
}

static bool parse(json_t *json, struct saved_claim *saved)
{
	json_int_t version, number, floor_s, ceiling_s;
	const char *space, *token;
	int released, trusted;

	if (json_unpack(json, "{s:I, s:s, s:s, s:I, s:I, s:I, s:b, s:b}",
			"kuid_claim", &version, "space", &space, "token",
			&token, "number", &number, "floor", &floor_s, "ceiling",
			&ceiling_s, "released", &released, "trusted",
			&trusted) ||
	    version != 1 || number < 0 || floor_s < 0 || ceiling_s < 0)
		return false;
	saved->number = number;
	saved->floor_s = floor_s;
	saved->ceiling_s = ceiling_s;
	saved->released = released;
	saved->trusted = trusted;
	return copy(saved->space, sizeof(saved->space), space) &&
	       copy(saved->token, sizeof(saved->token), token);
}

struct problem *claim_file_read(const struct claim_file *file,
				struct saved_claim *saved)
{
	int fd = open(file->path,
		      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	json_t *json;
	bool good;

	*saved = (struct saved_claim) { 0 };
	if (fd < 0 && errno == ENOENT)
		return NULL;
	if (fd < 0)
		return problem("%s: %s", file->path, strerror(errno));
	json = json_loadfd(fd, 0, NULL);
	close(fd);
	good = parse(json, saved);
	json_decref(json);
	if (good)
		return NULL;
	*saved = (struct saved_claim) { 0 };
	return problem("%s is not what kuid-claim writes", file->path);
}

static char *text_of_claim(const struct saved_claim *saved)
{
	json_t *json = json_pack("{s:i, s:s, s:s, s:I, s:I, s:I, s:b, s:b}",
				 "kuid_claim", 1, "space", saved->space,
				 "token", saved->token, "number",
				 (json_int_t)saved->number, "floor",
				 (json_int_t)saved->floor_s, "ceiling",
				 (json_int_t)saved->ceiling_s, "released",
				 saved->released, "trusted", saved->trusted);
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

struct problem *claim_file_write(const struct claim_file *file,
				 const struct saved_claim *saved)
{
	char *text = text_of_claim(saved), *next = beside(file, ".new");
	struct problem *wrong = NULL;

	errno = ENOSPC;
	if (!replace(file->path, next, text))
		wrong = problem_for_now("writing %s: %s", file->path,
					strerror(errno));
	free(text);
	free(next);
	return wrong;
}
