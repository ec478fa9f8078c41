// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command as the user nobody, with CAP_SYS_TIME and no other
 * capability:   only_sys_time COMMAND [ARGUMENT...]
 */
#include <err.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY 65534
#define FAILED 125

int main(int argc, char **argv)
{
	const unsigned int sys_time = 1U << CAP_SYS_TIME;
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ sys_time, sys_time, sys_time },
	};

	if (argc < 2) {
		fputs("usage: only_sys_time COMMAND [ARGUMENT...]\n", stderr);
		return FAILED;
	}
	/* A capability that is ambient is kept by execve(). */
	if (prctl(PR_SET_KEEPCAPS, 1) || setgroups(0, NULL) || setgid(NOBODY) ||
	    setuid(NOBODY) || syscall(SYS_capset, &header, data) ||
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_TIME, 0, 0))
		err(FAILED, "becoming nobody with CAP_SYS_TIME");
	execvp(argv[1], argv + 1);
	err(FAILED, "%s", argv[1]);
}
