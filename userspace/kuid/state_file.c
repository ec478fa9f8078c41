// SPDX-License-Identifier: GPL-2.0-only
/* See state_file.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "problem.h"
#include "state_file.h"

/* Suffixes of a file's name for the locks and for the next file. */
#define LOCK   ".lock"
#define KEEPER ".keeper"
#define NEXT   ".new"

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool state_file_has_name(const char *path)
{
	const char *name = last_name(path);

	return *name && strcmp(name, ".") && strcmp(name, "..") &&
	       strlen(name) + sizeof(STATE_FILE_UNUSED) <= NAME_MAX;
}

static struct problem *failed(const struct state_file *file, const char *what)
{
	/* Disks get space, and are mounted to be written after a boot. */
	if (errno == ENOSPC || errno == EDQUOT || errno == EROFS)
		return problem_for_now("%s: %s: %s", file->path, what,
				       strerror(errno));
	return problem("%s: %s: %s", file->path, what, strerror(errno));
}

static struct problem *open_directory(struct state_file *file)
{
	size_t length = file->name - file->path;
	char *dir = length ? strndup(file->path, length) : strdup(".");
	struct problem *wrong = NULL;

	if (!dir)
		return problem("out of memory");
	/* "/" alone keeps its slash, for messages others look better without. */
	if (length > 1)
		dir[length - 1] = '\0';
	file->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (file->dir < 0 && errno == ENOENT)
		wrong = problem("there is no directory %s: make it with "
				"\"mkdir -p %s\"",
				dir, dir);
	else if (file->dir < 0)
		wrong = problem("%s: %s", dir, strerror(errno));
	free(dir);
	return wrong;
}

static struct problem *take_lock(struct state_file *file)
{
	char name[NAME_MAX + 1];

	snprintf(name, sizeof(name), "%s" LOCK, file->name);
	file->lock = openat(file->dir, name,
			    O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file->lock < 0)
		return failed(file, "making " LOCK " beside it");
	while (flock(file->lock, LOCK_EX))
		if (errno != EINTR)
			return failed(file, "locking " LOCK " beside it");
	return NULL;
}

struct problem *state_file_open(struct state_file *file, const char *path)
{
	struct problem *wrong;

	*file = (struct state_file) {
		.path = path,
		.name = last_name(path),
		.dir = -1,
		.lock = -1,
	};
	wrong = open_directory(file);
	if (!wrong)
		wrong = take_lock(file);
	if (wrong)
		state_file_close(file);
	return wrong;
}

void state_file_close(struct state_file *file)
{
	if (file->lock >= 0)
		close(file->lock);
	if (file->dir >= 0)
		close(file->dir);
}

struct problem *state_file_keep(const struct state_file *file, int *keeper,
				bool *taken)
{
	char name[NAME_MAX + 1];
	struct problem *wrong;

	*taken = false;
	snprintf(name, sizeof(name), "%s" KEEPER, file->name);
	/* A file open for writing would keep its disk from being protected. */
	*keeper = openat(file->dir, name,
			 O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (*keeper < 0)
		return failed(file, "making " KEEPER " beside it");
	if (!flock(*keeper, LOCK_EX | LOCK_NB))
		return NULL;
	*taken = errno == EWOULDBLOCK;
	wrong = *taken ? problem("another \"kuid keep\" keeps %s", file->path)
		       : failed(file, "locking " KEEPER " beside it");
	close(*keeper);
	*keeper = -1;
	return wrong;
}

/* Whether it is there, and if so that it is a file. */
static struct problem *look(const struct state_file *file, bool *exists)
{
	struct stat stat;

	*exists = !fstatat(file->dir, file->name, &stat, AT_SYMLINK_NOFOLLOW);
	if (!*exists)
		return errno == ENOENT ? NULL : failed(file, "looking for it");
	if (S_ISLNK(stat.st_mode))
		return problem("%s is a symbolic link: name the file it leads "
			       "to",
			       file->path);
	if (!S_ISREG(stat.st_mode))
		return problem("%s is not a regular file: move it away",
			       file->path);
	return NULL;
}

static bool is_there(const struct state_file *file, const char *name)
{
	/* A link that leads nowhere is there, too. */
	return !faccessat(file->dir, name, F_OK, AT_SYMLINK_NOFOLLOW) ||
	       errno != ENOENT;
}

bool state_file_is_first(const struct state_file *file, bool first)
{
	char marker[NAME_MAX + 1];

	snprintf(marker, sizeof(marker), "%s" STATE_FILE_UNUSED, file->name);
	return !is_there(file, file->name) && (first || is_there(file, marker));
}

static struct problem *check_owner(const struct state_file *file, int fd)
{
	struct stat stat;

	if (fstat(fd, &stat))
		return failed(file, "looking at it");
	if (!S_ISREG(stat.st_mode))
		return problem("%s is not a regular file: move it away",
			       file->path);
	if (stat.st_uid && stat.st_uid != geteuid())
		return problem("%s belongs to another user, who may have "
			       "changed it: see to it and \"chown root\" it",
			       file->path);
	if (stat.st_mode & (S_IWGRP | S_IWOTH))
		return problem("%s can be written by others than its owner, "
			       "who may have changed it: see to it and \"chmod "
			       "600\" it",
			       file->path);
	return NULL;
}

static struct problem *read_text(const struct state_file *file, int fd,
				 struct saved_state *saved)
{
	char text[SAVED_STATE_MAX];
	struct problem *wrong, *whole;
	size_t size = 0;
	ssize_t got;

	while (size < sizeof(text)) {
		got = read(fd, text + size, sizeof(text) - size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return failed(file, "reading it");
		if (!got)
			break;
		size += got;
	}
	wrong = saved_state_parse(text, size, saved);
	if (!wrong)
		return NULL;
	whole = problem("%s %s: bring back another copy of it, or " MAY_REPEAT,
			file->path, wrong->text);
	free(wrong);
	return whole;
}

struct problem *state_file_read(const struct state_file *file,
				struct saved_state *saved)
{
	bool exists;
	struct problem *wrong = look(file, &exists);
	int fd;

	if (wrong)
		return wrong;
	if (!exists)
		return problem("there is no %s: bring it back; if no IDs were "
			       "made on this machine before, \"kuid restore "
			       "--first\"; if it is lost, " MAY_REPEAT,
			       file->path);
	/* Not blocking, since a pipe may have taken its place. */
	fd = openat(file->dir, file->name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return failed(file, "opening it");
	wrong = check_owner(file, fd);
	if (!wrong)
		wrong = read_text(file, fd, saved);
	close(fd);
	return wrong;
}

static bool write_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t done = write(fd, text, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		text += done;
		size -= done;
	}
	return true;
}

/* Fill the next file, down to the disk. */
static struct problem *write_next(const struct state_file *file, int fd,
				  const struct saved_state *saved)
{
	char *text = saved_state_text(saved);
	struct problem *wrong = NULL;

	/* Also where the umask takes more than it should. */
	if (fchmod(fd, 0600))
		wrong = failed(file, "setting the mode of " NEXT " beside it");
	else if (!write_all(fd, text, strlen(text)))
		wrong = failed(file, "writing " NEXT " beside it");
	else if (fsync(fd))
		wrong = failed(file, "fsync of " NEXT " beside it");
	free(text);
	return wrong;
}

static struct problem *sync_directory(const struct state_file *file)
{
	if (fsync(file->dir))
		return failed(file, "fsync of its directory");
	return NULL;
}

/*
 * Remove the marker: if the file was lost later, the next boot would take the
 * marker for a first start.
 */
static struct problem *remove_unused(const struct state_file *file)
{
	char name[NAME_MAX + 1];

	snprintf(name, sizeof(name), "%s" STATE_FILE_UNUSED, file->name);
	if (unlinkat(file->dir, name, 0))
		return errno == ENOENT
			       ? NULL
			       : failed(file, "removing " STATE_FILE_UNUSED
					      " beside it");
	return sync_directory(file);
}

struct problem *state_file_write(const struct state_file *file,
				 const struct saved_state *saved,
				 bool *replaced)
{
	char next[NAME_MAX + 1];
	struct problem *wrong;
	bool exists;
	int fd;

	*replaced = false;
	wrong = look(file, &exists);
	if (wrong)
		return wrong;
	snprintf(next, sizeof(next), "%s" NEXT, file->name);
	/* One that is there was left by a crash: the lock is ours. */
	if (unlinkat(file->dir, next, 0) && errno != ENOENT)
		return failed(file, "removing " NEXT " beside it");
	fd = openat(file->dir, next,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return failed(file, "making " NEXT " beside it");
	wrong = write_next(file, fd, saved);
	if (close(fd) && !wrong)
		wrong = failed(file, "closing " NEXT " beside it");
	if (!wrong && renameat(file->dir, next, file->dir, file->name))
		wrong = failed(file, "replacing it");
	if (wrong) {
		unlinkat(file->dir, next, 0);
		return wrong;
	}
	*replaced = true;
	wrong = sync_directory(file);
	return wrong ? wrong : remove_unused(file);
}
