/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes that a test starts, and what it shares with them. */
#ifndef CHILDREN_H
#define CHILDREN_H

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "dev_kuid.h"

/* Zeroes, which a child gets to see as it is changed. NULL if there are none. */
static inline void *share_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* A child that does not outlive a test that fails. */
static inline pid_t fork_child(void)
{
	pid_t parent = getpid();
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
	}
	return child;
}

/* Whether a child ended with an exit status of 0. */
static inline bool ended_well(pid_t child)
{
	int status;

	return waitpid(child, &status, 0) == child && !status;
}

/* The letter that the kernel has for what a process does, or 0. */
static inline char state_of(pid_t pid)
{
	char path[64], text[512];
	ssize_t size;
	char *at;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size <= 0)
		return 0;
	text[size] = '\0';
	/* Behind the name, which may have anything in it. */
	at = strrchr(text, ')');
	return at && at[1] ? at[2] : 0;
}

#endif /* CHILDREN_H */
