// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts repeats in IDs of simulated hosts. fleet.py compares the count with
 * the formula, which it knows by the name of the experiment. All layouts have
 * their real widths. The conditions that are too rare to wait for, such as the
 * same 47 random bits, are left out or made shorter both in the count and in
 * the formula.
 */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "experiments.h"
#include "host.h"
#include "random.h"

/* Clocks are wrong by up to this, and drift by up to 50 ppm. */
#define CLOCK_ERROR_NS (10 * (s64)KUID_MS_NS)
#define DRIFT_PPB      50000

#define DAY_S 86400.0

static void *make(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		err(1, "memory for IDs");
	return memory;
}

static int compare_words(const void *a, const void *b)
{
	u64 x = *(const u64 *)a;
	u64 y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static int compare_ids(const void *a, const void *b)
{
	const struct packed *x = a;
	const struct packed *y = b;
	int by_high = compare_words(&x->high, &y->high);

	return by_high ? by_high : compare_words(&x->low, &y->low);
}

static void print_count(const char *what, double counted)
{
	printf("counted\t%s\t%.0f\n", what, counted);
	fflush(stdout);
}

/* How many pairs of IDs have the same bits under a mask. */
static double count_pairs(struct packed *ids, size_t count, u64 mask)
{
	double pairs = 0;
	size_t i, same = 0;

	for (i = 0; i < count; i++)
		ids[i].low &= mask;
	qsort(ids, count, sizeof(*ids), compare_ids);
	for (i = 1; i < count; i++) {
		same = compare_ids(&ids[i - 1], &ids[i]) ? 0 : same + 1;
		pairs += same;
	}
	return pairs;
}

static void start_host(struct host *host, unsigned int nr_cpus)
{
	host_start(host, nr_cpus, random_around(DRIFT_PPB),
		   random_around(CLOCK_ERROR_NS));
}

/*
 * IDs that a host makes one at a time at random moments, until @end. Returns
 * their number.
 */
static size_t make_ids(struct host *host, u32 format, double rate, u64 end,
		       struct packed *ids, size_t room)
{
	size_t count = 0;
	u64 at = 0;

	while ((at += random_gap(rate)) < end) {
		if (count == room)
			errx(1, "more IDs than expected");
		count += host_id(host, format, at, &ids[count]);
	}
	return count;
}

static size_t most(double ids)
{
	return ids + 10 * sqrt(ids) + 10;
}

/*
 * v7 of many hosts: the pairs that agree in their time, and those of them that
 * agree in the lane, or in four random bits. All three at once are too rare for
 * a quick run.
 */
static void count_v7(unsigned int hosts, bool slow)
{
	const double rate = 10000;
	size_t room = most(hosts * rate);
	struct packed *ids;
	char what[100];
	struct host host;
	size_t count = 0;
	unsigned int i;

	if (slow && only_quick)
		return;
	snprintf(what, sizeof(what), "v7 of %u hosts", hosts);
	random_begin(what);
	ids = make(room, sizeof(*ids));
	for (i = 0; i < hosts; i++) {
		start_host(&host, 2);
		count += make_ids(&host, KUID_FORMAT_V7, rate, KUID_SEC_NS,
				  ids + count, room - count);
		host_stop(&host);
	}
	/* Few IDs are at the ends of the second, where clocks differ. */
	for (i = 0; i < 3; i++) {
		static const char *const agree[] = {
			"time",
			"time and lane",
			"time and 4 of the 47 random bits",
		};
		const u64 time = ~0ULL << KUID_V7_FRACTION_SHIFT;
		const u64 masks[] = { time, ~KUID_V7_RANDOM_MASK, time | 15 };
		struct packed *copy = make(count, sizeof(*copy));

		memcpy(copy, ids, count * sizeof(*copy));
		snprintf(what, sizeof(what),
			 "v7, %u hosts, %.0f IDs a second, 1 s: pairs that "
			 "agree in %s",
			 hosts, rate, agree[i]);
		print_count(what, count_pairs(copy, count, masks[i]));
		free(copy);
	}
	free(ids);
}

/*
 * Repeats of pairs of hosts that have one number, or one node and one lane, and
 * what else IDs need. The offsets of clock_seq differ from pair to pair.
 */
static void count_shared(const char *hosts, u32 format, unsigned int pairs,
			 double rate, u64 seconds, bool slow)
{
	size_t room = most(2 * rate * seconds);
	struct kuid_identity first;
	struct packed *ids;
	double repeats = 0;
	char what[200];
	unsigned int i;

	if (slow && only_quick)
		return;
	snprintf(what, sizeof(what), "%s, %.0f IDs a second, %llu s: repeats",
		 hosts, rate, (unsigned long long)seconds);
	random_begin(what);
	ids = make(room, sizeof(*ids));
	for (i = 0; i < pairs; i++) {
		size_t count = 0;
		int j;

		for (j = 0; j < 2; j++) {
			struct host host;
			struct kuid_identity *to;

			start_host(&host, 1);
			to = host_identity(&host);
			if (j) {
				to->worker = first.worker;
				to->node = first.node;
				to->lane_scramble = first.lane_scramble;
			}
			first = *to;
			count += make_ids(&host, format, rate,
					  seconds * KUID_SEC_NS, ids + count,
					  room - count);
			host_stop(&host);
		}
		repeats += count_pairs(ids, count, ~0ULL);
	}
	print_count(what, repeats);
	free(ids);
}

/* Whether two of @hosts have one node of k96, in a table of their nodes. */
static bool nodes_shared(unsigned int hosts, u32 *table, size_t size)
{
	bool shared = false;
	unsigned int i;

	memset(table, 0, size * sizeof(*table));
	for (i = 0; i < hosts; i++) {
		u32 node = kuid_k96_node(random_bits());
		size_t at = node % size;

		/* 0 is an empty place; one node in 2^32 is lost by that. */
		while (table[at] && table[at] != node)
			at = (at + 1) % size;
		shared = shared || (table[at] && table[at] == node);
		table[at] = node;
	}
	return shared;
}

static void count_fleets(unsigned int hosts, unsigned int fleets, bool slow)
{
	size_t size = 4 * hosts + 1;
	double shared = 0;
	char what[100];
	unsigned int i;
	u32 *table;

	if (slow && only_quick)
		return;
	snprintf(what, sizeof(what),
		 "k96, %u fleets of %u hosts: fleets with a shared node",
		 fleets, hosts);
	random_begin(what);
	table = make(size, sizeof(*table));
	for (i = 0; i < fleets; i++)
		shared += nodes_shared(hosts, table, size);
	free(table);
	print_count(what, shared);
}

struct life {
	u64 node;
	u32 host;
	u64 from;
	u64 to;
};

static int compare_lives(const void *a, const void *b)
{
	const struct life *x = a;
	const struct life *y = b;
	int by_node = compare_words(&x->node, &y->node);

	return by_node ? by_node : compare_words(&x->from, &y->from);
}

/* The epochs of hosts for @days; nodes are cut to 24 bits. */
static void count_epochs(unsigned int hosts, double a_day, unsigned int days)
{
	const unsigned int bits = 24;
	const u64 end = days * (u64)DAY_S * KUID_SEC_NS;
	size_t room = most(hosts * (a_day * days + 1));
	struct life *lives;
	double pairs = 0;
	size_t count = 0, i, j;
	char what[200];
	unsigned int n;

	snprintf(what, sizeof(what),
		 "v1, %u hosts, %.0f epochs a day, %u days, %u bits of the "
		 "node: pairs of epochs that share them",
		 hosts, a_day, days, bits);
	random_begin(what);
	lives = make(room, sizeof(*lives));
	for (n = 0; n < hosts; n++) {
		u64 at = 0;

		while (at < end && count < room) {
			struct kuid_node_key key = { { random_bits(),
						       random_bits() } };
			struct life *life = &lives[count++];

			life->host = n;
			life->node = kuid_node_of(&key, 0) &
				     (BIT_ULL(bits) - 1);
			life->from = at;
			at += random_gap(a_day / DAY_S);
			life->to = min(at, end);
		}
	}
	qsort(lives, count, sizeof(*lives), compare_lives);
	for (i = 0; i < count; i++)
		for (j = i + 1; j < count && lives[j].node == lives[i].node;
		     j++)
			pairs += lives[j].from < lives[i].to &&
				 lives[j].host != lives[i].host;
	free(lives);
	print_count(what, pairs);
}

/* Nodes and workers of k96 and lex that are made from names. */
static void count_names(const char *pattern, const char *example)
{
	const unsigned int hosts = 1000000;
	u64 *workers = make(hosts, sizeof(*workers));
	char what[200], name[65];
	unsigned int i, same, bits;

	for (i = 0; i < hosts; i++) {
		int size = snprintf(name, sizeof(name), pattern, i / 1000,
				    i % 1000);

		workers[i] = kuid_lex_worker(name, size);
	}
	for (bits = 64; bits >= 32; bits -= 32) {
		for (i = 0; i < hosts && bits == 32; i++)
			workers[i] = kuid_k96_node(workers[i]);
		qsort(workers, hosts, sizeof(*workers), compare_words);
		for (i = 1, same = 0; i < hosts; i++)
			same += workers[i] == workers[i - 1];
		snprintf(what, sizeof(what),
			 "%s, %u names like %s: names with the %s of another "
			 "one",
			 bits == 64 ? "lex" : "k96", hosts, example,
			 bits == 64 ? "worker" : "node");
		print_count(what, same);
	}
	free(workers);
}

void count_repeats(void)
{
	const char *k96 = "k96, two hosts with one node";

	count_v7(200, false);
	count_v7(1000, true);
	count_shared("v6, 200 pairs of hosts with one node and one lane",
		     KUID_FORMAT_V6, 200, 30000, 1, false);
	count_shared("v6, 1000 pairs of hosts with one node and one lane",
		     KUID_FORMAT_V6, 1000, 30000, 1, true);
	count_epochs(5000, 10, 10);
	count_fleets(10000, 5000, false);
	count_fleets(10000, 100000, true);
	count_fleets(30000, 2000, false);
	count_fleets(100000, 200, false);
	count_shared(k96, KUID_FORMAT_K96, 1, 10, 10000, false);
	count_shared(k96, KUID_FORMAT_K96, 1, 100, 500, false);
	count_shared(k96, KUID_FORMAT_K96, 1, 1000, 20, false);
	count_shared(k96, KUID_FORMAT_K96, 1, 10000, 20, true);
	count_shared(k96, KUID_FORMAT_K96, 1, 100000, 5, true);
	count_shared("lex, two hosts with one worker", KUID_FORMAT_LEX, 1,
		     10000, 10, false);
	count_names("web-%03u%03u", "web-000017");
	count_names("r%u-n%u.example.org", "r0-n17.example.org");
}
