// SPDX-License-Identifier: GPL-2.0-only
/*
 * The random nodes of an epoch. lane_model_test.c has processes that get nodes
 * at the same time, until none is left.
 */
#include "core/node.h"
#include "harness.h"
#include "random.h"

#define NUMBERS MANY(1U << 20)

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

/* Remove duplicates. Returns how many nodes are left. */
static size_t unique(u64 *nodes, size_t count)
{
	size_t left = 0;

	qsort(nodes, count, sizeof(*nodes), by_value);
	for (size_t i = 0; i < count; i++)
		if (!left || nodes[left - 1] != nodes[i])
			nodes[left++] = nodes[i];
	return left;
}

TEST(each_number_has_a_node_of_its_own)
{
	const u64 last = KUID_NODE_NUMBER_MASK;
	u64 *nodes = malloc(2 * NUMBERS * sizeof(*nodes));

	assert_non_null(nodes);
	for (int round = 0; round < 4; round++) {
		const struct kuid_node_key key = random_key();

		/*
		 * Numbers from both ends, where neighbours differ in few bits.
		 */
		for (u64 i = 0; i < NUMBERS; i++) {
			nodes[2 * i] = kuid_node_of(&key, i);
			nodes[2 * i + 1] = kuid_node_of(&key, last - i);
		}
		assert_int_equal(unique(nodes, 2 * NUMBERS), 2 * NUMBERS);
	}
	free(nodes);
}

TEST(nodes_are_multicast_and_of_48_bits)
{
	u64 ones = 0;
	u64 zeroes = 0;

	for (int i = 0; i < 1000; i++) {
		const struct kuid_node_key key = random_key();
		u64 node = kuid_node_of(&key, random_word());

		assert_true(node & KUID_NODE_MULTICAST);
		ones |= node;
		zeroes |= ~node;
	}
	/* Each of the other 47 bits is 0 in some nodes and 1 in others. */
	assert_int_equal(ones, BIT_ULL(KUID_NODE_BITS) - 1);
	assert_int_equal(zeroes & ones, ones & ~KUID_NODE_MULTICAST);
}

/*
 * Among 2^20 random nodes of 47 bits, two are equal once in 256 runs, so a few
 * are allowed.
 */
TEST(first_nodes_of_epochs_differ)
{
	u64 *nodes = malloc(NUMBERS * sizeof(*nodes));

	assert_non_null(nodes);
	for (size_t i = 0; i < NUMBERS; i++) {
		const struct kuid_node_key key = random_key();

		nodes[i] = kuid_node_of(&key, 0);
	}
	assert_true(unique(nodes, NUMBERS) >= NUMBERS - 3);
	free(nodes);
}

TEST(counts_from_1)
{
	struct kuid_node_counter counter = { 0 };

	assert_true(!kuid_node_any(&counter));
	for (u64 i = 1; i <= 100; i++) {
		assert_int_equal(kuid_node_next(&counter), i);
		assert_true(kuid_node_any(&counter));
	}
}

static struct unit_case cases[] = {
	CASE(each_number_has_a_node_of_its_own),
	CASE(nodes_are_multicast_and_of_48_bits),
	CASE(first_nodes_of_epochs_differ),
	CASE(counts_from_1),
	{},
};

SUITE(node, cases, NULL);
