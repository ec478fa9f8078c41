// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host name is set while it is copied, at each access of the copy. The copy
 * must be the old or the new name, not a mix.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void write_some(void);

#define kuid_port_step() write_some()

#include "core/host_name.h"

#define SIZE 65

/* Order in which the writer writes the bytes. */
enum direction {
	RISING,
	FALLING
};

/**
 * struct writer - sets the name while it is read
 * @to: the new name
 * @begin: number of the reader's access before which it begins, from 0 on
 * @speed: how many bytes it writes before each access
 * @direction: order of the bytes
 * @written: how many bytes it has written
 */
static struct writer {
	const char *to;
	unsigned int begin;
	unsigned int speed;
	enum direction direction;
	unsigned int written;
} writer;

static char name[SIZE];
static unsigned int accesses;

static void write_some(void)
{
	if (accesses++ < writer.begin)
		return;
	for (unsigned int n = 0; n < writer.speed && writer.written < SIZE;
	     n++) {
		unsigned int at = writer.direction == RISING
					  ? writer.written
					  : SIZE - 1 - writer.written;

		name[at] = writer.to[at];
		writer.written++;
	}
}

static void read_while_set(const char *old, const char *new, unsigned int begin,
			   unsigned int speed, enum direction direction)
{
	char copy[SIZE];

	memcpy(name, old, SIZE);
	accesses = 0;
	writer = (struct writer) {
		.to = new,
		.begin = begin,
		.speed = speed,
		.direction = direction,
	};
	memset(copy, 0xcc, SIZE);
	kuid_host_name_copy(copy, name, SIZE);
	if (memcmp(copy, old, SIZE) && memcmp(copy, new, SIZE))
		fail_msg("\"%s\" of \"%s\" and \"%s\", set at access %u", copy,
			 old, new, begin);
	/*
	 * If the name is set before it is read, the copy must be the new name.
	 */
	if (!begin && speed == SIZE)
		assert_memory_equal(copy, new, SIZE);
}

static void is_never_a_mix_of_two_names(void **state)
{
	static const char names[][SIZE] = {
		"",
		"a",
		"b",
		"db1.example.com",
		"db2.example.org",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
	};
	static const unsigned int speeds[] = { 1, 2, 8, SIZE };
	const int nr = sizeof(names) / sizeof(names[0]);

	for (int old = 0; old < nr; old++) {
		for (int new = 0; new < nr; new ++) {
			for (int i = 0; i < 8; i++) {
				for (unsigned int at = 0; at < 3 * SIZE; at++)
					read_while_set(names[old], names[new],
						       at, speeds[i / 2],
						       i % 2);
			}
		}
	}
}

static void ends_with_a_zero(void **state)
{
	char all[SIZE], copy[SIZE];

	memset(all, 'x', SIZE);
	memcpy(name, all, SIZE);
	writer = (struct writer) { 0 };
	memset(copy, 0xcc, SIZE);
	kuid_host_name_copy(copy, name, SIZE);
	assert_memory_equal(copy, all, SIZE - 1);
	assert_int_equal(copy[SIZE - 1], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_never_a_mix_of_two_names),
		cmocka_unit_test(ends_with_a_zero),
	};

	return cmocka_run_group_tests_name("name", tests, NULL, NULL);
}
