// SPDX-License-Identifier: GPL-2.0-only
/* The random nodes of an epoch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/node.h"
#include "random.h"

#define NUMBERS (1U << 20)

static u64 random_word(void)
{
	return random_below(BIT_ULL(32)) << 32 | random_below(BIT_ULL(32));
}

static struct kuid_node_key random_key(void)
{
	return (struct kuid_node_key) { { random_word(), random_word() } };
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a;
	u64 y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Leave the first of those that are the same. Returns how many are left. */
static size_t unique(u64 *nodes, size_t count)
{
	size_t left = 0;

	qsort(nodes, count, sizeof(*nodes), by_value);
	for (size_t i = 0; i < count; i++)
		if (!left || nodes[left - 1] != nodes[i])
			nodes[left++] = nodes[i];
	return left;
}

static void each_number_has_a_node_of_its_own(void **state)
{
	const u64 last = KUID_NODE_NUMBER_MASK;
	u64 *nodes = malloc(2 * NUMBERS * sizeof(*nodes));

	(void)state;
	assert_non_null(nodes);
	for (int round = 0; round < 4; round++) {
		const struct kuid_node_key key = random_key();

		/* From both ends, where neighbours differ in few bits. */
		for (u64 i = 0; i < NUMBERS; i++) {
			nodes[2 * i] = kuid_node_of(&key, i);
			nodes[2 * i + 1] = kuid_node_of(&key, last - i);
		}
		assert_int_equal(unique(nodes, 2 * NUMBERS), 2 * NUMBERS);
	}
	free(nodes);
}

static void nodes_are_multicast_and_of_48_bits(void **state)
{
	u64 ones = 0;
	u64 zeroes = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		const struct kuid_node_key key = random_key();
		u64 node = kuid_node_of(&key, random_word());

		assert_true(node & KUID_NODE_MULTICAST);
		ones |= node;
		zeroes |= ~node;
	}
	/* Each of the other 47 is now this, now that. */
	assert_int_equal(ones, BIT_ULL(KUID_NODE_BITS) - 1);
	assert_int_equal(zeroes & ones, ones & ~KUID_NODE_MULTICAST);
}

/* As random ones would: two of a million are the same once in 280 times. */
static void first_nodes_of_epochs_differ(void **state)
{
	u64 *nodes = malloc(NUMBERS * sizeof(*nodes));

	(void)state;
	assert_non_null(nodes);
	for (size_t i = 0; i < NUMBERS; i++) {
		const struct kuid_node_key key = random_key();

		nodes[i] = kuid_node_of(&key, 0);
	}
	assert_true(unique(nodes, NUMBERS) >= NUMBERS - 3);
	free(nodes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_number_has_a_node_of_its_own),
		cmocka_unit_test(nodes_are_multicast_and_of_48_bits),
		cmocka_unit_test(first_nodes_of_epochs_differ),
	};

	random_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
