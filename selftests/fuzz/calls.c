// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fuzzer's operations that take no IDs: on open files and references to
 * them, on processes and on the wall clock.
 */
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
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
	O_NOFOLLOW, O_NOCTTY, O_DSYNC, O_NOATIME, O_LARGEFILE, O_TRUNC,
	O_CREAT, O_CREAT | O_EXCL, O_DIRECTORY, O_DIRECT, O_PATH,
	O_DIRECTORY | O_TMPFILE, O_NONBLOCK | O_ASYNC,
};

void fuzz_open_slot(struct fuzz_actor *actor, struct fuzz_slot *slot)
{
	const struct device device = device_of(fuzz_below(actor, NR_DEVICES));
	int flags = open_flags[fuzz_below(actor, ARRAY_SIZE(open_flags))];
	struct fuzz_file *file;
	int fd;

	if (fuzz_one_in(actor, 12))
		flags |= fuzz_one_in(actor, 2) ? O_RDWR : O_WRONLY;
	fd = open(device.path, flags, 0444);
	fuzz_count(fd < 0 ? errno : 0);
	if (fd < 0) {
		if (!(errno == EEXIST && flags & O_EXCL) &&
		    !(errno == ENOTDIR && flags & O_DIRECTORY) &&
		    !(errno == EINVAL && flags & (O_DIRECT | O_TMPFILE)) &&
		    !(errno == EOPNOTSUPP && flags & O_TMPFILE) &&
		    !((errno == EACCES || errno == EPERM) &&
		      !actor->privileged))
			fuzz_fail(actor, "open %s with %o: %s", device.path,
				  flags, strerror(errno));
		return;
	}
	if (flags & O_EXCL || (!(flags & O_PATH) && flags & O_DIRECTORY))
		fuzz_fail(actor, "open %s with %o succeeds", device.path,
			  flags);

	fuzz_lock();
	file = fuzz_file_new();
	if (file) {
		file->path = flags & O_PATH;
		file->access = flags & O_ACCMODE;
		file->text = device.text;
		file->format = device.f->number;
		file->order = device.order;
	}
	fuzz_unlock();
	if (!file) {
		close(fd);
		return;
	}
	fill(slot, fd, file);
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
static void share(struct fuzz_actor *actor, const struct fuzz_call *call,
		  int fd)
{
	struct fuzz_slot *slot = &fuzz_slots[fuzz_below(actor, FUZZ_SLOTS)];

	fuzz_lock();
	call->file->refs++;
	fuzz_unlock();
	fill(slot, fd, call->file);
}

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
	if (fd >= 0)
		share(actor, call, fd);
	else if (!fuzz_gone(call))
		fuzz_fail(actor, "dup: %s", strerror(errno));
}

/* Pass a file through a socket, or leave it in the socket for some time. */
void fuzz_pass(struct fuzz_actor *actor, struct fuzz_call *call)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	char byte = 0;
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *part = CMSG_FIRSTHDR(&message);
	int fd = -1;

	part->cmsg_level = SOL_SOCKET;
	part->cmsg_type = SCM_RIGHTS;
	part->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(part), &call->fd, sizeof(int));
	if (sendmsg(actor->sockets[0], &message, 0) != 1) {
		if (!fuzz_gone(call))
			fuzz_fail(actor, "sendmsg: %s", strerror(errno));
	} else if (fuzz_one_in(actor, 8)) {
		close(actor->sockets[0]);
		close(actor->sockets[1]);
		if (socketpair(AF_UNIX, SOCK_DGRAM, 0, actor->sockets))
			fuzz_fail(actor, "socketpair: %s", strerror(errno));
	} else if (recvmsg(actor->sockets[1], &message, MSG_CMSG_CLOEXEC) == 1) {
		part = CMSG_FIRSTHDR(&message);
		if (part && part->cmsg_type == SCM_RIGHTS)
			memcpy(&fd, CMSG_DATA(part), sizeof(int));
		if (fd >= 0)
			share(actor, call, fd);
		else
			fuzz_fail(actor, "no file came");
	} else {
		fuzz_fail(actor, "recvmsg: %s", strerror(errno));
	}
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
	if (ret && !fuzz_gone(call) &&
	    !(errno == EBADF && call->file->path) &&
	    !(errno == EINVAL && to & O_DIRECT) &&
	    !(errno == EPERM && !actor->privileged))
		fuzz_fail(actor, "F_SETFL %o: %s", to, strerror(errno));
	fuzz_change_end(&call->file->flags);
	fcntl(call->fd, F_SETOWN, fuzz_one_in(actor, 2) ? getpid() : 0);
}

void fuzz_seek(struct fuzz_actor *actor, struct fuzz_call *call)
{
	int whence = fuzz_below(actor, 8);
	__s64 to = fuzz_number(actor);
	off_t at;

	at = lseek(call->fd, to, whence);
	if (at != -1)
		fuzz_fail(actor, "lseek gives %lld", (long long)at);
	else if (errno != ESPIPE && !(errno == EINVAL && whence > SEEK_HOLE) &&
		 errno != EBADF)
		fuzz_fail(actor, "lseek: %s", strerror(errno));
}

void fuzz_write(struct fuzz_actor *actor, struct fuzz_call *call)
{
	struct fuzz_place from = fuzz_memory_any(actor, 64);
	struct iovec part = { .iov_base = from.at, .iov_len = 64 };
	ssize_t done;

	switch (fuzz_below(actor, 4)) {
	case 0:
		done = writev(call->fd, &part, 1);
		break;
	case 1:
		done = pwrite(call->fd, from.at, 64, 0);
		break;
	case 2:
		done = ftruncate(call->fd, 64);
		break;
	default:
		done = write(call->fd, from.at, fuzz_below(actor, 64));
		break;
	}
	fuzz_count(done < 0 ? errno : 0);
	if (done >= 0)
		fuzz_fail(actor, "%zd bytes were written", done);
	else if (errno != EBADF && errno != EINVAL && errno != ESPIPE &&
		 errno != EFAULT)
		fuzz_fail(actor, "write: %s", strerror(errno));
}

/* There is one page, which can be mapped in one way. */
void fuzz_mmap(struct fuzz_actor *actor, struct fuzz_call *call)
{
	size_t page = sysconf(_SC_PAGESIZE);
	int protection = fuzz_below(actor, 8);
	int flags = fuzz_one_in(actor, 2) ? MAP_SHARED : MAP_PRIVATE;
	size_t size = 1 + fuzz_below(actor, 4 * page);
	off_t offset = fuzz_below(actor, 4) * page;
	const struct kuid_page *at;
	bool good;

	at = mmap(NULL, size, protection, flags, call->fd, offset);
	fuzz_count(at == MAP_FAILED ? errno : 0);
	good = flags == MAP_SHARED && !offset && size <= page &&
	       protection == PROT_READ;
	if (at == MAP_FAILED) {
		if (errno != EACCES && errno != EBADF &&
		    (good || errno != EINVAL))
			fuzz_fail(actor, "mmap: %s", strerror(errno));
	} else {
		if (!good)
			fuzz_fail(actor, "mmap succeeds");
		else if (!at->generation)
			fuzz_fail(actor, "a page without generation");
		munmap((void *)at, size);
	}
}

/* If poll reports IDs, a read gives some, unless another caller took them. */
static void is_ready(struct fuzz_actor *actor, struct fuzz_call *call,
		     bool ready)
{
	int flags = fcntl(call->fd, F_GETFL);
	__u8 id[LINE_MAX_SIZE];
	ssize_t got;

	if (!ready || !call->alone || !call->format ||
	    call->file->access == O_WRONLY)
		return;
	fcntl(call->fd, F_SETFL, flags | O_NONBLOCK);
	fuzz_asks(call);
	fuzz_call_begin(actor, call);
	got = read(call->fd, id, call->file->text ?
		   1 : format_of(call->format)->id_size);
	fuzz_call_end(actor, call, got);
	fcntl(call->fd, F_SETFL, flags);
	fuzz_asked(call);
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

	if (fuzz_one_in(actor, 2))
		p.events = POLLIN;
	p.fd = call->fd;
	fuzz_call_begin(actor, call);
	ret = poll(&p, 1, timeout);
	fuzz_call_end(actor, call, ret);
	/* poll() is never restarted after a signal. */
	if (ret < 0 && (call->error != EINTR || fuzz_signals == call->signals))
		fuzz_fail(actor, "poll: %s", strerror(call->error));
	if (ret > 0 && p.revents & ~(POLLIN | POLLRDNORM | POLLERR) &&
	    !(p.revents & POLLNVAL && (call->file->path || fuzz_gone(call))))
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
	    !(errno == EBADF && (call->file->path || fuzz_gone(call))))
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
				 events[i].events == EPOLLIN &&
				 !call->file->path);
		}
	}
}

static bool drop_privileges(void)
{
	return !setresgid(65534, 65534, 65534) &&
	       !setresuid(65534, 65534, 65534);
}

/* In a forked child: run operations on the inherited files, and exit. */
static void child(struct fuzz_actor *parent, __u64 operations, bool drop)
{
	struct fuzz_actor actor = { .name = "fork" };
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fuzz_lanes_forked();
	if (fuzz_actor_begin(&actor, parent->stream ^ parent->operation << 20,
			     parent->thread, true)) {
		actor.operation = parent->operation;
		actor.privileged = parent->privileged &&
				   !(drop && drop_privileges());
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
	bool drop = fuzz_one_in(actor, 2);
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
		child(actor, operations, drop);
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

/* Read a small file as a string, if it can be opened. */
static ssize_t read_all(const char *path, char *text, size_t room)
{
	ssize_t size, sum = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	while ((size = read(fd, text + sum, room - 1 - sum)) > 0)
		sum += size;
	size = size < 0 ? -errno : sum;
	close(fd);
	text[sum] = '\0';
	return size;
}

/* Compare fdinfo of an open file with what is known of the file. */
static void check_fdinfo(struct fuzz_actor *actor, const struct fuzz_call *call)
{
	static const char * const orders[] = { "", "cpu", "file", "host" };
	struct fuzz_file *file = call->file;
	__u32 sets, format, order, before, after;
	char path[64], text[1024], wanted[128];
	const char *ours;
	ssize_t size;

	fuzz_lock();
	sets = file->sets;
	format = file->setting ? 0 : file->format;
	order = file->order;
	before = file->taken;
	fuzz_unlock();
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", call->fd);
	size = read_all(path, text, sizeof(text));
	fuzz_lock();
	if (file->sets != sets)
		format = 0;
	after = file->taken;
	fuzz_unlock();
	if (fuzz_gone(call) || !actor->privileged)
		return;
	ours = size > 0 ? strstr(text, "kuid-") : NULL;
	if (size <= 0 || !ours != file->path) {
		fuzz_fail(actor, "%s: %zd", path, size);
		return;
	}
	if (!ours || !format)
		return;
	size = snprintf(wanted, sizeof(wanted),
			"kuid-format:\t%s\nkuid-text:\t%d\nkuid-order:\t%s\nkuid-taken:\t",
			format_of(format)->name, file->text, orders[order]);
	if (strncmp(ours, wanted, size) ||
	    (strcmp(ours + size, "0\n") && strcmp(ours + size, "1\n")) ||
	    (before == FUZZ_TAKEN && ours[size] != '1') ||
	    (!after && ours[size] != '0'))
		fuzz_fail(actor, "taken %u, then %u, but fdinfo says %s",
			  before, after, ours);
}

#define SYSFS "/sys/class/kuid/kuid/"

/* Read the device's files in other places. */
void fuzz_info(struct fuzz_actor *actor, struct fuzz_call *call)
{
	static const char * const directories[] = {
		SYSFS, SYSFS "identity/", SYSFS "clock/", SYSFS "ahead/",
		SYSFS "limits/", SYSFS "counters/",
	};
	const char *directory =
		directories[fuzz_below(actor, ARRAY_SIZE(directories))];
	char path[512], text[4096];
	struct dirent *entry;
	ssize_t size;
	DIR *dir;

	check_fdinfo(actor, call);
	dir = opendir(directory);
	if (!dir) {
		fuzz_fail(actor, "%s: %s", directory, strerror(errno));
		return;
	}
	while ((entry = readdir(dir))) {
		/* The kernel itself makes this file and the links. */
		if (entry->d_type != DT_REG || !strcmp(entry->d_name, "uevent"))
			continue;
		snprintf(path, sizeof(path), "%s%s", directory, entry->d_name);
		size = read_all(path, text, sizeof(text));
		if (size <= 0)
			fuzz_fail(actor, "%s: %zd", path, size);
	}
	closedir(dir);
}
