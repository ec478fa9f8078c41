// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that uses libuuid and knows nothing of kuid:
 *
 *	libuuid_user WAY [COUNT]
 *
 * See the table at the end for what WAY may be. IDs are written to standard
 * output, one a line; what goes wrong to standard error, with an exit status
 * that is not 0.
 */
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <uuid/uuid.h>

#define TAKERS 8

/* Functions of libuuid 2.41 that the one this was linked with lacks. */
void uuid_generate_time_v6(uuid_t out) __attribute__((weak));
void uuid_generate_time_v7(uuid_t out) __attribute__((weak));

static unsigned int count = 1;

/*
 * IDs that all processes and threads see, how many were called safe, and
 * whether all are made.
 */
static struct {
	atomic_uint nr, safe;
	atomic_bool done;
	uuid_t ids[];
} * made;

static void make_room(unsigned int nr)
{
	made = mmap(NULL, sizeof(*made) + nr * sizeof(uuid_t),
		    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (made == MAP_FAILED)
		err(1, "mmap");
}

static void print(const uuid_t id)
{
	char text[37];

	uuid_unparse_lower(id, text);
	puts(text);
}

static const char *way;

static bool is(const char *name)
{
	return !strcmp(way, name);
}

/* All around the ID must be left alone, and errno too, which libuuid may set. */
static void make_each(void)
{
	void (*generate)(uuid_t out) = is("time_v6")   ? uuid_generate_time_v6
				       : is("time_v7") ? uuid_generate_time_v7
				       : is("default") ? uuid_generate
				       : is("random")  ? uuid_generate_random
						       : uuid_generate_time;

	if (!generate)
		errx(3, "no such function");
	for (unsigned int i = 0; i < count; i++) {
		struct {
			unsigned char before[8];
			uuid_t id;
			unsigned char behind[8];
		} room, want;

		memset(&room, 0xcc, sizeof(room));
		memset(&want, 0xcc, sizeof(want));
		errno = 12345;
		generate(room.id);
		if (errno != 12345 && is("alone"))
			err(1, "errno is %d", errno);
		memcpy(want.id, room.id, sizeof(want.id));
		if (memcmp(&room, &want, sizeof(room)))
			errx(1, "bytes around the ID were written");
		print(room.id);
	}
}

/* The ID and what the call returned. */
static void make_safe(void)
{
	for (unsigned int i = 0; i < count; i++) {
		uuid_t id;
		int ret = uuid_generate_time_safe(id);

		printf("%d ", ret);
		print(id);
	}
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(uuid_t));
}

/* "MADE made, REPEATED repeated, SAFE safe" */
static void print_repeats(void)
{
	unsigned int repeated = 0;

	qsort(made->ids, made->nr, sizeof(uuid_t), compare);
	for (unsigned int i = 1; i < made->nr; i++)
		repeated += !compare(made->ids[i - 1], made->ids[i]);
	printf("%u made, %u repeated, %u safe\n", made->nr, repeated,
	       made->safe);
}

static void *take(void *unused)
{
	for (unsigned int i = 0; i < count; i++) {
		unsigned int at = made->nr++;

		made->safe += !uuid_generate_time_safe(made->ids[at]);
	}
	return unused;
}

static void in_children(unsigned int before)
{
	bool failed = false;
	int gate[2], status;
	char c;

	make_room(before + TAKERS * count);
	for (unsigned int i = 0; i < before; i++)
		made->safe += !uuid_generate_time_safe(made->ids[made->nr++]);
	if (pipe(gate))
		err(1, "pipe");
	for (int i = 0; i < TAKERS; i++) {
		switch (fork()) {
		case -1:
			err(1, "fork");
		case 0:
			/* All begin when the last has been made. */
			close(gate[1]);
			if (read(gate[0], &c, 1))
				_exit(1);
			take(NULL);
			_exit(0);
		}
	}
	close(gate[1]);
	while (wait(&status) > 0)
		failed |= status != 0;
	if (failed)
		errx(1, "a child failed");
	print_repeats();
}

/* A program makes one, and all its children go on from there. */
static void in_children_after_one(void)
{
	in_children(1);
}

static void in_children_only(void)
{
	in_children(0);
}

static void take_in_threads(void)
{
	pthread_t threads[TAKERS];

	for (int i = 0; i < TAKERS; i++) {
		errno = pthread_create(&threads[i], NULL, take, NULL);
		if (errno)
			err(1, "pthread_create");
	}
	for (int i = 0; i < TAKERS; i++)
		pthread_join(threads[i], NULL);
}

static void in_threads(void)
{
	make_room(TAKERS * count);
	take_in_threads();
	print_repeats();
}

/* How many files with lower numbers than this the program has open. */
static int files(int below)
{
	int nr = 0;

	for (int fd = 0; fd < below; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

#define NR_KINDS  3
#define NR_OTHERS 30

/* Numbers from here on are those of the device and of others in turn. */
#define FIRST_NR 60

/* A pipe, a socket and a file, and what is in each of them. */
static int kinds[NR_KINDS];
static const char content[65536];

static void open_kinds(void)
{
	char path[] = "/tmp/libuuid_user.XXXXXX";
	int through[2], to[2];

	if (pipe(through) || socketpair(AF_UNIX, SOCK_STREAM, 0, to) ||
	    (kinds[2] = mkstemp(path)) < 0 || unlink(path) ||
	    write(through[1], content, sizeof(content)) != sizeof(content) ||
	    write(to[1], content, sizeof(content)) != sizeof(content) ||
	    pwrite(kinds[2], content, sizeof(content), 0) != sizeof(content))
		err(1, "a pipe, a socket and %s", path);
	kinds[0] = through[0];
	kinds[1] = to[0];
}

static void check_kinds(void)
{
	int left;

	for (int i = 0; i < NR_KINDS; i++) {
		if (ioctl(kinds[i], FIONREAD, &left) || left != sizeof(content))
			errx(1, "a file was read from");
		if (fcntl(kinds[i], F_GETFL) & O_NONBLOCK)
			errx(1, "a file was changed");
	}
}

static int others[NR_OTHERS];

/* Files that none may read from or close. */
static void open_others(void)
{
	open_kinds();
	for (int i = 0; i < NR_OTHERS; i++)
		others[i] = fcntl(kinds[i % NR_KINDS], F_DUPFD, FIRST_NR);
}

static void check_others(void)
{
	struct stat stat, kind;

	for (int i = 0; i < NR_OTHERS; i++)
		if (fstat(others[i], &stat) ||
		    fstat(kinds[i % NR_KINDS], &kind) ||
		    stat.st_ino != kind.st_ino)
			errx(1, "a file was closed");
	check_kinds();
}

/*
 * As daemons do: between two calls all files are closed, and others opened
 * under their numbers, of which none may be read from.
 */
static void with_files_closed(void)
{
	int before;
	uuid_t id;

	uuid_generate_time(id);
	print(id);
	for (unsigned int i = 0; i < count; i++) {
		fflush(stdout);
		close_range(3, ~0U, 0);
		open_others();
		before = files(FIRST_NR);
		uuid_generate_time(id);
		print(id);
		if (files(FIRST_NR) != before)
			errx(1, "%d files open, not %d", files(FIRST_NR),
			     before);
		check_others();
	}
}

/*
 * A process has made an ID. Its child closes all files, opens others under
 * their numbers, of which none may be read from, and makes some.
 */
static void in_child_with_files_closed(void)
{
	int status;
	uuid_t id;

	uuid_generate_time(id);
	print(id);
	fflush(stdout);
	switch (fork()) {
	case -1:
		err(1, "fork");
	case 0:
		close_range(3, ~0U, 0);
		open_others();
		make_each();
		fflush(stdout);
		check_others();
		_exit(0);
	}
	if (wait(&status) < 0 || status)
		errx(1, "the child failed");
}

/* Close files that this thread has not opened, and use their numbers. */
static void *take_numbers(void *unused)
{
	for (unsigned int round = 0; !made->done; round++) {
		int to = kinds[NR_KINDS - 1] + 1;

		for (int fd = to; fd < FIRST_NR + NR_OTHERS; fd++)
			if (fcntl(fd, F_GETFD) < 0)
				continue;
			else if (round % 2)
				close(fd);
			else
				dup2(kinds[fd % NR_KINDS], fd);
	}
	return unused;
}

/* All IDs must be of version 1, and none may be bytes of the files. */
static void with_numbers_taken(void)
{
	unsigned int none = 0;
	pthread_t taker;

	/* The file has the highest number of them. */
	open_kinds();
	make_room(TAKERS * count);
	if (pthread_create(&taker, NULL, take_numbers, NULL))
		errx(1, "pthread_create");
	take_in_threads();
	made->done = true;
	pthread_join(taker, NULL);
	print_repeats();
	for (unsigned int i = 0; i < made->nr; i++)
		none += made->ids[i][6] >> 4 != 1;
	if (none)
		errx(1, "%u are no IDs", none);
	check_kinds();
}

static void *take_until_cancelled(void *unused)
{
	uuid_t id;

	for (;;) {
		uuid_generate_time(id);
		made->nr++;
		/* libuuid itself must not be cancelled in the middle. */
		pthread_testcancel();
	}
	return unused;
}

/* A thread that is cancelled, wherever it is, leaves nothing open. */
static void with_threads_cancelled(void)
{
	pthread_t thread;
	uuid_t id;
	int before;

	make_room(0);
	/* The first call may open a file that stays open. */
	uuid_generate_time(id);
	before = files(1024);
	for (unsigned int i = 0; i < count; i++) {
		unsigned int nr = made->nr;

		if (pthread_create(&thread, NULL, take_until_cancelled, NULL))
			errx(1, "pthread_create");
		while (made->nr == nr)
			sched_yield();
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	if (files(1024) != before)
		errx(1, "%d files open, not %d", files(1024), before);
}

/* The files that a program has after its first IDs, and had not before. */
static void with_limit(void)
{
	struct rlimit limit = { count, count };
	bool before[1024];
	uuid_t id;

	for (int fd = 0; fd < 1024; fd++)
		before[fd] = fcntl(fd, F_GETFD) >= 0;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		err(1, "setrlimit");
	uuid_generate_time(id);
	uuid_generate_time(id);
	for (int fd = 0; fd < 1024; fd++)
		if (!before[fd] && fcntl(fd, F_GETFD) >= 0)
			printf("%s%s%s\n", fd < 64 ? "below 64" : "64",
			       fcntl(fd, F_GETFD) & FD_CLOEXEC ? " cloexec"
							       : "",
			       fcntl(fd, F_GETFL) & O_NONBLOCK ? " nonblock"
							       : "");
}

/* One for each line of standard input; all files are closed if it is "close". */
static void by_step(void)
{
	char line[16];
	uuid_t id;

	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "close\n")) {
			close_range(3, ~0U, 0);
			puts("closed");
		} else {
			uuid_generate_time(id);
			print(id);
		}
		fflush(stdout);
	}
}

/* uuid_generate_time() after a chroot() to an empty directory. */
static void in_empty_root(void)
{
	char path[] = "/tmp/libuuid_user.XXXXXX";
	int root = open("/", O_PATH | O_CLOEXEC);

	make_each();
	if (!mkdtemp(path) || chroot(path) || chdir("/") ||
	    unlinkat(root, path + 1, AT_REMOVEDIR))
		err(1, "%s", path);
	make_each();
}

/* uuid_generate_time() after the program has cleared its environment. */
static void in_empty_environment(void)
{
	if (clearenv())
		err(1, "clearenv");
	make_each();
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{ "time", make_each },
	{ "time_v6", make_each },
	{ "time_v7", make_each },
	{ "default", make_each },
	{ "random", make_each },
	{ "alone", make_each },
	{ "time_safe", make_safe },
	{ "children", in_children_after_one },
	{ "children_only", in_children_only },
	{ "threads", in_threads },
	{ "closed", with_files_closed },
	{ "closed_child", in_child_with_files_closed },
	{ "numbers", with_numbers_taken },
	{ "cancelled", with_threads_cancelled },
	{ "limit", with_limit },
	{ "steps", by_step },
	{ "chroot", in_empty_root },
	{ "clearenv", in_empty_environment },
};

int main(int argc, char **argv)
{
	way = argc > 1 ? argv[1] : "";
	if (argc > 2)
		count = strtoul(argv[2], NULL, 10);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		if (!is(ways[i].name))
			continue;
		ways[i].run();
		return 0;
	}
	errx(2, "usage: libuuid_user WAY [COUNT]");
}
