/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generators of UUIDs that promises.c and twin.c try. They are named on the
 * command line, as
 *	MAKER				kuid or a generator of makers.c
 *	MAKER LIBRARY FUNCTION	the function of a shared library
 *	MAKER COMMAND...		a program that prints a UUID for each
 *					line that it reads
 */
#ifndef KUID_BENCH_MAKERS_H
#define KUID_BENCH_MAKERS_H

#include <stdbool.h>

/**
 * struct maker - a generator
 * @name: on the command line
 * @make: writes an UUID
 * @format: of kuid's handle; 0 without one
 * @flags: of kuid_open_flags()
 * @order: what kuid promises; 0 of others
 */
struct maker {
	const char *name;
	void (*make)(unsigned char *id);
	unsigned int format;
	unsigned int flags;
	unsigned int order;
};

/* Whether it is a program, which this one can't fork. */
bool maker_is_program(const struct maker *maker);

/**
 * maker_find - the generator of words of a command line
 * @nr: how many there are
 * @words: name, and if it is of a library, its file and function, or a command;
 *	NULL is behind the last one
 *
 * Exits if the library can't be loaded.
 *
 * Return: the generator; NULL if the words name none.
 */
const struct maker *maker_find(int nr, char **words);

/*
 * Opens its handle, in the process that makes IDs or in one that this is forked
 * from; a program is begun in the process itself. Exits on errors.
 */
void maker_prepare(const struct maker *maker);

/* Milliseconds and random bits of the kernel, the usual function for a v7. */
void make_random_v7(unsigned char *id);

/*
 * A v7 of the next time that a word in /dev/shm has not had, taken by
 * compare-and-swap, as processes can do without a module. Its other bits are
 * drawn once.
 */
void make_shared_v7(unsigned char *id);

#endif
