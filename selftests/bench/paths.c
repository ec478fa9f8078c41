// SPDX-License-Identifier: GPL-2.0-only
/* See paths.h. */
#include <err.h>
#include <fcntl.h>
#include <kuid.h>
#include <liburing.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "count.h"
#include "paths.h"

/* A module that calls kuid_ids_generate(). */
#define CALLER "/sys/module/kuid_cost/parameters/"

static unsigned char buf[BATCH_MAX * KUID_TEXT_MAX];
static size_t size;
static int fd;
static struct io_uring ring;
static struct kuid *handle;

int open_file(const char *path, int flags)
{
	int file = open(path, flags);

	if (file < 0)
		err(1, "%s", path);
	return file;
}

static bool open_device(unsigned int format)
{
	if (format == ZERO) {
		fd = open_file("/dev/zero", O_RDONLY);
		size = 16;
	} else {
		fd = open_file(kuid_format_device(format), O_RDONLY);
		size = kuid_format_id_size(format);
	}
	return true;
}

static bool open_for_ioctl(unsigned int format)
{
	return format != ZERO && open_device(format);
}

/* All lines of a format are as long as the first one. */
static bool open_text(unsigned int format)
{
	char path[64];
	const unsigned char *end;
	ssize_t got;

	if (format == ZERO)
		return false;
	snprintf(path, sizeof(path), "/dev/kuids/%s.txt",
		 kuid_format_name(format));
	fd = open_file(path, O_RDONLY);
	got = read(fd, buf, KUID_TEXT_MAX);
	end = got > 0 ? memchr(buf, '\n', got) : NULL;
	check_call(end ? 0 : -1, 0, path);
	size = end + 1 - buf;
	close(fd);
	fd = open_file(path, O_RDONLY);
	return true;
}

static void close_device(void)
{
	close(fd);
}

static void run_read(unsigned int calls, unsigned int ids)
{
	while (calls--)
		check_call(read(fd, buf, ids * size), ids * size, "read");
}

static void run_readv(unsigned int calls, unsigned int ids)
{
	const struct iovec iov = { buf, ids * size };

	while (calls--)
		check_call(readv(fd, &iov, 1), ids * size, "readv");
}

static void run_generate_in(unsigned int order, unsigned int calls,
			    unsigned int ids)
{
	while (calls--) {
		struct kuid_generate g = {
			.order = order,
			.buffer = (uintptr_t)buf,
			.count = ids,
		};

		check_call(ioctl(fd, KUID_IOC_GENERATE, &g), 0, "generate");
		check_call(g.done, ids, "generate");
	}
}

static void run_generate(unsigned int calls, unsigned int ids)
{
	run_generate_in(KUID_ORDER_DEFAULT, calls, ids);
}

static void run_generate_host(unsigned int calls, unsigned int ids)
{
	run_generate_in(KUID_ORDER_HOST, calls, ids);
}

static bool open_ring(unsigned int format)
{
	check_call(io_uring_queue_init(4, &ring, 0), 0, "io_uring");
	return open_device(format);
}

static void run_ring(unsigned int calls, unsigned int ids)
{
	while (calls--) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
		struct io_uring_cqe *cqe;

		io_uring_prep_read(sqe, fd, buf, ids * size, 0);
		check_call(io_uring_submit_and_wait(&ring, 1), 1, "io_uring");
		check_call(io_uring_peek_cqe(&ring, &cqe), 0, "io_uring");
		check_call(cqe->res, ids * size, "io_uring");
		io_uring_cqe_seen(&ring, cqe);
	}
}

static void close_ring(void)
{
	close_device();
	io_uring_queue_exit(&ring);
}

static bool open_library(unsigned int format)
{
	if (format == ZERO)
		return false;
	handle = kuid_open(format);
	check_call(handle ? 0 : -1, 0, "kuid_open");
	return true;
}

/* Only stamps are made in a process. */
static bool open_lane(unsigned int format, unsigned int flags)
{
	if (format == ZERO ||
	    kuid_format_made_from(format) != KUID_MADE_FROM_STAMPS)
		return false;
	handle = kuid_open_flags(format, flags);
	check_call(handle ? 0 : -1, 0, "kuid_open_flags");
	return true;
}

static bool open_private(unsigned int format)
{
	return open_lane(format, KUID_PRIVATE);
}

static bool open_local(unsigned int format)
{
	return open_lane(format, KUID_LOCAL);
}

static void run_library(unsigned int calls, unsigned int ids)
{
	if (ids == 1) {
		while (calls--)
			check_call(kuid_one(handle, buf), 0, "kuid_one");
		return;
	}
	while (calls--)
		check_call(kuid_many(handle, buf, ids), ids, "kuid_many");
}

static void close_library(void)
{
	kuid_close(handle);
}

static void set_caller(const char *parameter, unsigned int value)
{
	char text[16];
	int file = open_file(parameter, O_WRONLY);
	int length = snprintf(text, sizeof(text), "%u", value);

	check_call(write(file, text, length), length, parameter);
	close(file);
}

static bool open_caller(unsigned int format)
{
	if (format == ZERO)
		return false;
	set_caller(CALLER "format", format);
	return true;
}

/* The module makes all calls of a round while a parameter is written. */
static void run_caller(unsigned int calls, unsigned int ids)
{
	set_caller(CALLER "calls", calls);
}

static void close_caller(void)
{
}

const struct path paths[] = {
	{ "read", "batch-read", open_device, run_read, close_device },
	{ "readv", NULL, open_device, run_readv, close_device },
	{ "io_uring", NULL, open_ring, run_ring, close_ring },
	{ "ioctl", "batch-ioctl", open_for_ioctl, run_generate, close_device },
	{ "ioctl, order host", NULL, open_for_ioctl, run_generate_host,
	  close_device },
	{ "text", "batch-text", open_text, run_read, close_device },
	{ "libkuid", NULL, open_library, run_library, close_library },
	{ "kernel code", NULL, open_caller, run_caller, close_caller },
	{ "private lane", "batch-lane", open_private, run_library,
	  close_library },
	{ "local handle", NULL, open_local, run_library, close_library },
	{ 0 },
};
