/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Errors as values, for functions whose callers have something to put right
 * before the program ends. Such functions return NULL if nothing is wrong.
 */
#ifndef KUID_SERVICE_PROBLEM_H
#define KUID_SERVICE_PROBLEM_H

/**
 * struct problem - what is wrong; to be freed by free(3)
 * @status: the exit status of a program that ends because of it
 * @text: the message
 */
struct problem {
	int status;
	char text[];
};

/* A problem with the status EXIT_FAILED. */
struct problem *problem(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/*
 * One with EXIT_LATER: it may go away without anybody changing the command, for
 * the clock is set later, or the disk gets space.
 */
struct problem *problem_for_now(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* End with the message and the status. */
void problem_end(const struct problem *wrong) __attribute__((noreturn));

#endif /* KUID_SERVICE_PROBLEM_H */
