// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fuzzer's operations that take no IDs: on open files and references to
 * them, on processes and on the wall clock.
 */
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "fuzz.h"

struct fuzz_slot fuzz_slots[FUZZ_SLOTS];

/*
 * File descriptors are not reused soon: a thread that still uses a closed one
 * gets EBADF, and not another file. All other files of all threads have lower
 * ones.
 */
#define FIRST_FD	512
#define LAST_FD		3000

static int next_fd = FIRST_FD;

static int renumber(int fd)
{
	int from, to;

	do {
		from = __atomic_fetch_add(&next_fd, 1, __ATOMIC_SEQ_CST);
		if (from > LAST_FD)
			__atomic_store_n(&next_fd, FIRST_FD, __ATOMIC_SEQ_CST);
	} while (from > LAST_FD);
	to = fcntl(fd, F_DUPFD_CLOEXEC, from);
	close(fd);
	return to;
}

/* Put a file into a slot, and close the file that was there. */
static void fill(struct fuzz_slot *slot, int fd, struct fuzz_file *file)
{
	struct fuzz_file *former;
	int former_fd;

	fd = renumber(fd);
	fuzz_lock();
	former = slot->file;
	former_fd = slot->fd;
	slot->file = file;
	__atomic_store_n(&slot->fd, fd, __ATOMIC_SEQ_CST);
	fuzz_unlock();
	if (former_fd >= 0) {
		close(former_fd);
		fuzz_lock();
		fuzz_file_put(former);
		fuzz_unlock();
	}
}

static const int open_flags[] = {
	0, 0, O_NONBLOCK, O_NONBLOCK, O_NONBLOCK, O_CLOEXEC, O_ASYNC, O_APPEND,
	O_DSYNC, O_NOATIME, O_TRUNC, O_CREAT, O_RDWR, O_NONBLOCK | O_ASYNC,
};

void fuzz_open_slot(struct fuzz_actor *actor, struct fuzz_slot *slot)
{
	const struct device device = device_of(fuzz_below(actor, NR_DEVICES));
	int flags = open_flags[fuzz_below(actor, ARRAY_SIZE(open_flags))];
	int fd = open(device.path, flags, 0444);
	struct fuzz_file *file;

	fuzz_count(fd < 0 ? errno : 0);
	if (fd < 0) {
		fuzz_fail(actor, "open %s with %o: %s", device.path, flags,
			  strerror(errno));
		return;
	}
	fuzz_lock();
	file = fuzz_file_new();
	if (file) {
		file->text = device.text;
		file->format = device.f->number;
		file->order = device.order;
	}
	fuzz_unlock();
	if (file)
		fill(slot, fd, file);
	else
		close(fd);
}

void fuzz_open(struct fuzz_actor *actor)
{
	fuzz_open_slot(actor, &fuzz_slots[fuzz_below(actor, FUZZ_SLOTS)]);
}

void fuzz_close(struct fuzz_actor *actor)
{
	struct fuzz_slot *slot = &fuzz_slots[fuzz_below(actor, FUZZ_SLOTS)];
	struct fuzz_file *file;
	int fd;

	fuzz_lock();
	fd = slot->fd;
	file = slot->file;
	__atomic_store_n(&slot->fd, -1, __ATOMIC_SEQ_CST);
	fuzz_unlock();
	if (fd < 0)
		return;
	if (close(fd))
		fuzz_fail(actor, "close: %s", strerror(errno));
	fuzz_lock();
	fuzz_file_put(file);
	fuzz_unlock();
}

/* Take a reference to an open file for another slot. */
void fuzz_dup(struct fuzz_actor *actor, struct fuzz_call *call)
{
	int fd;

	if (fuzz_one_in(actor, 2)) {
		fd = dup(call->fd);
	} else {
		/* dup2() over an open descriptor, which it closes. */
		fd = dup(actor->pipe[0]);
		fd = dup2(call->fd, fd);
	}
	if (fd < 0) {
		if (!fuzz_gone(call))
			fuzz_fail(actor, "dup: %s", strerror(errno));
		return;
	}
	fuzz_lock();
	call->file->refs++;
	fuzz_unlock();
	fill(&fuzz_slots[fuzz_below(actor, FUZZ_SLOTS)], fd, call->file);
}

void fuzz_fcntl(struct fuzz_actor *actor, struct fuzz_call *call)
{
	static const int flags[] = {
		0, O_NONBLOCK, O_NONBLOCK, O_ASYNC, O_NONBLOCK | O_ASYNC,
		O_APPEND, O_DIRECT, O_NOATIME,
	};
	int to = flags[fuzz_below(actor, ARRAY_SIZE(flags))];
	int ret;

	fuzz_change_begin(&call->file->flags);
	ret = fcntl(call->fd, F_SETFL, to);
	if (ret && !fuzz_gone(call) && !(errno == EINVAL && to & O_DIRECT))
		fuzz_fail(actor, "F_SETFL %o: %s", to, strerror(errno));
	fuzz_change_end(&call->file->flags);
	fcntl(call->fd, F_SETOWN, fuzz_one_in(actor, 2) ? getpid() : 0);
}

/* If poll reports IDs, a read gives some, unless another caller took them. */
static void is_ready(struct fuzz_actor *actor, struct fuzz_call *call,
		     bool ready)
{
	int flags = fcntl(call->fd, F_GETFL);
	__u8 id[LINE_MAX_SIZE];
	ssize_t got;

	if (!ready || !call->alone || !call->format)
		return;
	fcntl(call->fd, F_SETFL, flags | O_NONBLOCK);
	fuzz_call_begin(actor, call);
	got = read(call->fd, id, call->file->text ?
		   1 : format_of(call->format)->id_size);
	fuzz_call_end(actor, call, got);
	fcntl(call->fd, F_SETFL, flags);
	if (got < 0)
		fuzz_fail(actor, "said to be ready, but read: %s",
			  strerror(call->error));
	else if (call->file->text)
		fuzz_book_text(actor, call, (const char *)id, got);
	else
		fuzz_book_ids(actor, call, call->format, call->order, 0, id, 1,
			      false);
}

void fuzz_poll(struct fuzz_actor *actor, struct fuzz_call *call)
{
	struct pollfd p = { .events = fuzz_random(actor) };
	int timeout = fuzz_one_in(actor, 2) ? 0 : fuzz_below(actor, 100) - 1;
	int ret;

	/* In a soak no signal ends a poll for what doesn't come. */
	if (fuzz_one_in(actor, 2) || fuzz_world->soaks)
		p.events = POLLIN;
	p.fd = call->fd;
	fuzz_call_begin(actor, call);
	ret = poll(&p, 1, timeout);
	fuzz_call_end(actor, call, ret);
	/* poll() is never restarted after a signal. */
	if (ret < 0 && (call->error != EINTR || fuzz_signals == call->signals))
		fuzz_fail(actor, "poll: %s", strerror(call->error));
	if (ret > 0 && p.revents & ~(POLLIN | POLLRDNORM | POLLERR) &&
	    !(p.revents & POLLNVAL && fuzz_gone(call)))
		fuzz_fail(actor, "poll says %x", p.revents);
	call->error = 0;
	if (ret > 0 && p.revents & POLLERR && !fuzz_call_refused(call) &&
	    !fuzz_call_expired(call) && !fuzz_call_lacks(call))
		fuzz_fail(actor, "poll says that there is an error");
	is_ready(actor, call, ret > 0 && p.revents & (POLLIN | POLLRDNORM) &&
		 !(p.revents & POLLERR));
}

void fuzz_epoll(struct fuzz_actor *actor, struct fuzz_call *call)
{
	static const int operations[] = {
		EPOLL_CTL_ADD, EPOLL_CTL_ADD, EPOLL_CTL_MOD, EPOLL_CTL_DEL,
	};
	int operation = operations[fuzz_below(actor, ARRAY_SIZE(operations))];
	struct epoll_event event = { 0 }, events[4];
	int ret, i;

	event.events = EPOLLIN | (fuzz_one_in(actor, 2) ? EPOLLET : 0) |
		       (fuzz_one_in(actor, 4) ? EPOLLONESHOT : 0) |
		       (fuzz_one_in(actor, 8) ? EPOLLPRI | EPOLLRDHUP : 0);
	event.data.fd = call->fd;
	ret = epoll_ctl(actor->epoll, operation, call->fd, &event);
	if (ret && errno != EEXIST && errno != ENOENT &&
	    !(errno == EBADF && fuzz_gone(call)))
		fuzz_fail(actor, "epoll_ctl: %s", strerror(errno));
	if (fuzz_one_in(actor, 2)) {
		int timeout = fuzz_one_in(actor, 2) ? 0 :
						      fuzz_below(actor, 50);

		fuzz_call_begin(actor, call);
		ret = epoll_wait(actor->epoll, events, ARRAY_SIZE(events),
				 timeout);
		fuzz_call_end(actor, call, ret);
		if (ret < 0 && (call->error != EINTR ||
				fuzz_signals == call->signals))
			fuzz_fail(actor, "epoll_wait: %s",
				  strerror(call->error));
		for (i = 0; i < ret; i++) {
			if (events[i].events & ~(EPOLLIN | EPOLLERR))
				fuzz_fail(actor, "epoll says %x",
					  events[i].events);
			is_ready(actor, call, events[i].data.fd == call->fd &&
				 events[i].events == EPOLLIN);
		}
	}
}

/* In a forked child: run operations on the inherited files, and exit. */
static void child(struct fuzz_actor *parent, __u64 operations)
{
	struct fuzz_actor actor = { .name = "fork" };
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fuzz_lanes_forked();
	if (fuzz_actor_begin(&actor, parent->stream ^ parent->operation << 20,
			     parent->thread, true)) {
		actor.operation = parent->operation;
		fuzz_actor_run(&actor, operations);
	} else {
		fuzz_fail(parent, "a forked process can't begin: %s", strerror(errno));
	}
	fuzz_lock();
	for (i = 0; i < FUZZ_SLOTS; i++) {
		if (fuzz_slots[i].fd >= 0)
			fuzz_file_put(fuzz_slots[i].file);
	}
	fuzz_unlock();
	__atomic_sub_fetch(&fuzz_world->actors, 1, __ATOMIC_SEQ_CST);
	_exit(0);
}

/* Reap this thread's children: those that have ended, or all. */
static void reap(struct fuzz_actor *actor, int flags)
{
	int status;
	pid_t pid;

	for (;;) {
		pid = waitpid(-1, &status, flags | __WNOTHREAD);
		if (pid < 0 && errno == EINTR)
			continue;
		if (pid <= 0)
			break;
		actor->children--;
		if (status)
			fuzz_fail(actor, "a child ended with status %x",
				  status);
	}
}

void fuzz_reap(struct fuzz_actor *actor)
{
	reap(actor, 0);
}

void fuzz_fork(struct fuzz_actor *actor)
{
	__u64 operations = 1 + fuzz_below(actor, 64);
	bool wait = fuzz_one_in(actor, 2);
	pid_t pid;
	int i;

	if (actor->child || actor->children >= 4) {
		reap(actor, WNOHANG);
		return;
	}
	__atomic_add_fetch(&fuzz_world->actors, 1, __ATOMIC_SEQ_CST);
	fuzz_lock();
	pid = fork();
	if (!pid) {
		/* The parent holds the lock, and releases it. */
		child(actor, operations);
	}
	for (i = 0; pid > 0 && i < FUZZ_SLOTS; i++) {
		if (fuzz_slots[i].fd >= 0)
			fuzz_slots[i].file->refs++;
	}
	fuzz_unlock();
	if (pid < 0) {
		__atomic_sub_fetch(&fuzz_world->actors, 1, __ATOMIC_SEQ_CST);
		fuzz_fail(actor, "fork: %s", strerror(errno));
		return;
	}
	actor->children++;
	reap(actor, wait ? 0 : WNOHANG);
}
