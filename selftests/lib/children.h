/* SPDX-License-Identifier: GPL-2.0-only */
/* Child processes of a test: starts them, shares memory, waits for them. */
#ifndef CHILDREN_H
#define CHILDREN_H

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "dev_kuid.h"

/* Map zeroed memory that children share with the test; NULL on failure. */
static inline void *share_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Fork a child that the kernel kills when the test ends, even if it fails. */
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

/* Wait for a child, and return whether its exit status was 0. */
static inline bool ended_well(pid_t child)
{
	int status;

	return waitpid(child, &status, 0) == child && !status;
}

/* The state of a process as a letter of /proc/PID/stat; 0 if it has ended. */
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
	/* The state follows the name, which may contain any character. */
	at = strrchr(text, ')');
	return at && at[1] ? at[2] : 0;
}

/*
 * Wait until a child sleeps in a system call, so that what the caller does next
 * finds it there. Returns false if the child ends instead.
 */
static inline bool wait_asleep_in(pid_t pid, long call)
{
	char path[64], text[64], state, *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	for (;; usleep(2000)) {
		state = state_of(pid);
		if (!state || state == 'Z')
			return false;
		file = fopen(path, "r");
		/* User Mode Linux has no such file. */
		if (!file && state == 'S')
			return true;
		if (!file)
			continue;
		/* If the child is running, the file has the word "running". */
		memset(text, 0, sizeof(text));
		if (!fgets(text, sizeof(text), file))
			text[0] = '\0';
		fclose(file);
		if (strtol(text, &end, 10) == call && end != text)
			return true;
	}
}

static inline void ignore_signal(int signal)
{
}

/* From now on the signal ends a call that waits, and does nothing else. */
static inline int end_calls_by(int signal)
{
	struct sigaction action = { .sa_handler = ignore_signal };

	return sigaction(signal, &action, NULL);
}

/* The exit status of a child; -1 if it didn't exit. */
static inline int exit_status(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

#endif /* CHILDREN_H */
