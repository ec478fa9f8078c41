// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the keys of locality.sh, in the guest:   keys FILE
 *
 * The file is memory that the host shares with the guest. For each kind of key
 * it gets COUNT keys of 16 or 8 bytes, from FILE + number of the kind * SPAN
 * on. The order of the keys is the order in which the rows would come to a
 * database: 8 processes take a key each with read(2), and then the next row.
 *
 * The rows are those of a day. Whenever a part of them was made, the wall clock
 * is set forward.
 */
#include <err.h>
#include <sched.h>
#include <sys/random.h>
#include <sys/wait.h>

#include "../lib/formats.h"

#define COUNT	  1000000
#define SPAN	  (COUNT * 16UL)
#define PROCESSES 8
#define STEPS	  1000
#define STEP_NS	  (86400 * NSEC_PER_SEC / STEPS)

#define ARRAY_SIZE(x) (sizeof(x) / sizeof((x)[0]))

/* In the order of locality.sh; v4 has no device. */
static const char *const kinds[] = { "v4",  "v1",  "v6",       "v7",
				     "lex", "k64", "snowflake" };

static void set_clock_forward(void)
{
	struct timespec now;
	__u64 ns;

	clock_gettime(CLOCK_REALTIME, &now);
	ns = now.tv_sec * NSEC_PER_SEC + now.tv_nsec + STEP_NS;
	now.tv_sec = ns / NSEC_PER_SEC;
	now.tv_nsec = ns % NSEC_PER_SEC;
	if (clock_settime(CLOCK_REALTIME, &now))
		err(1, "set the clock");
}

static void make_v4(unsigned char *id)
{
	if (getrandom(id, 16, 0) != 16)
		err(1, "getrandom");
	id[6] = (id[6] & 0x0f) | 0x40;
	id[8] = (id[8] & 0x3f) | 0x80;
}

/* Take a key and the next row, until there are all rows. */
static void make_rows(const struct format *format, unsigned char *keys,
		      unsigned int *rows)
{
	size_t size = format ? format->id_size : 16;
	int fd = -1;

	if (format)
		fd = open_device_file(format, "", 0);
	if (format && fd < 0)
		err(1, "%s", format->name);
	for (;;) {
		unsigned char id[16];
		unsigned int row;

		if (!format)
			make_v4(id);
		else if (read(fd, id, size) != (ssize_t)size)
			err(1, "%s", format->name);
		row = __atomic_fetch_add(rows, 1, __ATOMIC_SEQ_CST);
		if (row >= COUNT)
			break;
		memcpy(keys + row * size, id, size);
		if (row % (COUNT / STEPS) == 0)
			set_clock_forward();
	}
	close(fd);
}

static void make_keys(const char *kind, unsigned char *keys, unsigned int *rows)
{
	const struct format *format = NULL;

	for (size_t i = 0; i < NR_FORMATS; i++)
		if (!strcmp(formats[i].name, kind))
			format = &formats[i];
	*rows = 0;
	for (int i = 0; i < PROCESSES; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			make_rows(format, keys, rows);
			_exit(0);
		}
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		if (wait(&status) < 0 || status)
			errx(1, "%s: a process has failed", kind);
	}
}

int main(int argc, char **argv)
{
	unsigned char *keys;
	unsigned int *rows;
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: keys FILE\n");
		return 2;
	}
	fd = open(argv[1], O_RDWR);
	if (fd < 0)
		err(1, "%s", argv[1]);
	keys = mmap(NULL, ARRAY_SIZE(kinds) * SPAN, PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
	if (keys == MAP_FAILED)
		err(1, "%s: can't map %lu bytes", argv[1],
		    ARRAY_SIZE(kinds) * SPAN);
	rows = mmap(NULL, sizeof(*rows), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (rows == MAP_FAILED)
		err(1, "mmap");
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		fprintf(stderr, "keys: %s\n", kinds[i]);
		make_keys(kinds[i], keys + i * SPAN, rows);
	}
	return 0;
}
