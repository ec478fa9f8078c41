// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that get nodes for private lanes and use them, while
 * another CPU closes the generator or publishes an epoch, in all interleavings.
 * See model_test.c for what a model finds.
 *
 * No memory is freed here. Each CPU is a process with one lane at most.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "core/reading.h"
#include "core/take.h"
#include "machine.h"
#include "scheduler.h"

#define SECOND 1000000000LL
#define HOUR   (3600 * SECOND)
#define MONO   (5 * SECOND)
#define NOW    (1700000000 * SECOND)
#define AHEAD  (KUID_MAX_AHEAD_MS * KUID_MS_NS)
#define LIMIT  (KUID_STEP_LIMIT_MS * KUID_MS_NS)

#define CPUS	    3
#define MOST_ACTS   4
#define MOST_EPOCHS 6
#define MOST	    (CPUS * MOST_ACTS)

enum deed {
	NOTHING,
	GET,  /* a node for the process's lane */
	MAKE, /* an ID in the lane */
	CLOSE,
	PUBLISH,
	SET_WALL,
};

struct act {
	enum deed deed;
	enum kuid_why why;
	bool node_given;
	s64 by;
};

#define PUBLISH_(why_, given)                                                  \
	{                                                                      \
		.deed = PUBLISH, .why = KUID_EPOCH_##why_, .node_given = given \
	}
#define SET_WALL_(by_)                      \
	{                                   \
		.deed = SET_WALL, .by = by_ \
	}

/**
 * struct scenario - what the CPUs do
 * @name: printed in the report
 * @acts: acts of each CPU
 * @nodes_left: how many nodes are left in the first epoch; 0 for all
 * @expected: how many nodes all CPUs get; 0 if it depends on the interleaving
 */
struct scenario {
	const char *name;
	struct act acts[CPUS][MOST_ACTS];
	u64 nodes_left;
	unsigned int expected;
};

static const struct scenario *scenario;
static struct kuid_generator generator;
static u64 generation;
static struct {
	struct kuid_epoch epoch;
	struct kuid_lane lanes[KUID_FIRST_CPU_LANE + 1];
} __aligned(64) epochs[MOST_EPOCHS];
static unsigned int nr_epochs;
static struct {
	struct kuid_sequences sequences;
	struct kuid_cpu_runs runs[1];
} __aligned(64) slots;

static struct kuid_private_node lanes[CPUS]; /* of the processes */
static struct kuid_private_node nodes[MOST]; /* all that were handed out */
static unsigned int nr_nodes;
static unsigned int running; /* the CPU of the last access */
static u64 numbers;	     /* that were handed out in all epochs */
static u64 drew_in[CPUS]; /* the generation in which a CPU got its last one */
static const char *broken;

/*
 * Whether a process that checks its lane now may use it only if that is right.
 * The generation is compared in the same moment.
 */
static void check_lane(const struct kuid_private_node *lane)
{
	if (lane->generation != generation || !lane->node)
		return;
	if (generator.gate.closed)
		broken = "a lane is used after the generator was closed";
	if (generator.epoch->number != lane->epoch)
		broken = "a lane is used in another epoch";
}

/* Note in which generation the last access was made, if it drew a number. */
static void note_draw(void)
{
	u64 sum = 0;

	for (unsigned int i = 0; i < MOST_EPOCHS; i++)
		sum += epochs[i].epoch.nodes.last;
	if (sum != numbers)
		drew_in[running] = generation;
	numbers = sum;
}

/* The scheduler calls this before each access. */
static void look(void)
{
	note_draw();
	running = kuid_port_cpu();
	if (!generation)
		broken = "the generation is 0";
	for (unsigned int i = 0; i < nr_nodes; i++)
		check_lane(&nodes[i]);
}

static void get(unsigned int cpu)
{
	struct kuid_private_node node = { 0 };
	u64 before = generation;

	lanes[cpu].node = 0;
	if (kuid_generator_private_node(&generator, &node) !=
	    KUID_NODE_HANDED_OUT)
		return;
	if (node.generation < before)
		broken = "a node of an earlier generation";
	look();
	if (node.generation != drew_in[cpu])
		broken = "a node was drawn in another generation";
	if (node.load_id != node.epoch)
		broken = "a node of two epochs";
	lanes[cpu] = node;
	nodes[nr_nodes++] = node;
}

static void make(unsigned int cpu)
{
	const struct kuid_private_node *lane = &lanes[cpu];

	if (!lane->node)
		return;
	scheduler_step();
	if (smp_load_acquire(&generation) == lane->generation)
		check_lane(lane);
}

static void publish(const struct act *act)
{
	unsigned int number = nr_epochs + 1;
	struct kuid_epoch *epoch = &epochs[nr_epochs].epoch;
	struct kuid_change change = machine_change(act->why);

	epoch->key = (struct kuid_node_key) { { number, ~(u64)number } };
	epoch->identity.node = act->node_given ? KUID_NODE_MULTICAST
					       : kuid_node_of(&epoch->key, 0);
	epoch->given = act->node_given ? KUID_PARTS_NODE : 0;
	epoch->load_id = number;
	epoch->nr_cpu_lanes = 1;
	epoch->closings = READ_ONCE(generator.gate.closings);
	if (act->why == KUID_EPOCH_FIRST)
		epoch->sequences = &slots.sequences;
	if (!kuid_generator_publish(&generator, epoch, &change))
		nr_epochs++;
}

static void start(void)
{
	static const struct act first = { .why = KUID_EPOCH_FIRST };

	machine_set_mono(MONO);
	machine_set_mono_step(0);
	machine_set_wall(NOW);
	machine_forget();
	memset(epochs, 0, sizeof(epochs));
	memset(&slots, 0, sizeof(slots));
	memset(lanes, 0, sizeof(lanes));
	slots.sequences.nr_cpus = 1;
	nr_epochs = 0;
	nr_nodes = 0;
	running = 0;
	broken = NULL;
	generation = 2;
	kuid_generator_init(&generator, AHEAD, LIMIT, false);
	generator.generation = &generation;
	publish(&first);
	if (scenario->nodes_left)
		atomic64_set(&generator.epoch->nodes.last,
			     KUID_NODE_LAST - scenario->nodes_left);
	numbers = generator.epoch->nodes.last;
}

static void run(unsigned int cpu)
{
	for (unsigned int i = 0; i < MOST_ACTS; i++) {
		const struct act *act = &scenario->acts[cpu][i];

		machine_set_cpu(cpu);
		switch (act->deed) {
		case GET:
			get(cpu);
			break;
		case MAKE:
			make(cpu);
			break;
		case CLOSE:
			kuid_generator_close(&generator);
			break;
		case PUBLISH:
			publish(act);
			break;
		case SET_WALL:
			scheduler_step();
			machine_step_wall(act->by);
			break;
		case NOTHING:
			break;
		}
	}
}

static void resume(unsigned int cpu)
{
	note_draw();
	running = cpu;
	machine_set_cpu(cpu);
}

static bool may_go_on(unsigned int cpu)
{
	return !generator.lock.locked;
}

static bool good(void)
{
	look();
	if (generation & 1)
		broken = "the generation is odd, though no writer is active";
	if (scenario->expected && nr_nodes != scenario->expected)
		broken = "not the expected number of nodes";
	if (kuid_epoch_node_given(generator.epoch) && nr_nodes)
		broken = "a given node may be that of a lane";
	for (unsigned int i = 0; i < nr_nodes; i++) {
		const struct kuid_epoch *epoch =
			&epochs[nodes[i].epoch - 1].epoch;

		if (!(nodes[i].node & KUID_NODE_MULTICAST) ||
		    nodes[i].node == epoch->identity.node)
			broken = "not a node of a private lane";
		for (unsigned int j = 0; j < i; j++)
			if (nodes[i].epoch == nodes[j].epoch &&
			    nodes[i].node == nodes[j].node)
				broken = "a node was handed out twice";
	}
	if (!broken)
		return true;
	printf("# %s: %s\n", scenario->name, broken);
	for (unsigned int i = 0; i < nr_nodes; i++)
		printf("# node %llx of epoch %llu, generation %llu of %llu\n",
		       (unsigned long long)nodes[i].node,
		       (unsigned long long)nodes[i].epoch,
		       (unsigned long long)nodes[i].generation,
		       (unsigned long long)generation);
	return false;
}

static void explore(void **state)
{
	const struct scheduler_model model = {
		.nr_cpus = CPUS,
		.start = start,
		.run = run,
		.resume = resume,
		.look = look,
		.may_go_on = may_go_on,
		.good = good,
	};

	scenario = *state;
	assert_true(scheduler_check(&model, scenario->name, 2, ~0ULL, 3000));
}

static const struct scenario scenarios[] = {
	{
		.name = "three processes",
		.acts = { { { GET }, { GET } }, { { GET } }, { { GET } } },
		.expected = 4,
	},
	{
		.name = "three processes and the last two nodes",
		.acts = { { { GET }, { GET } }, { { GET } }, { { GET } } },
		.nodes_left = 2,
		.expected = 2,
	},
	{
		.name = "the last node, and the next epoch",
		.acts = { { { GET }, { MAKE }, { GET }, { MAKE } },
			  { { GET }, { MAKE } },
			  { PUBLISH_(NODES, false) } },
		.nodes_left = 1,
	},
	{
		.name = "closed",
		.acts = { { { GET }, { MAKE } },
			  { { GET }, { MAKE }, { GET } },
			  { { CLOSE } } },
	},
	{
		.name = "closed and opened",
		.acts = { { { GET }, { MAKE }, { GET }, { MAKE } },
			  { { GET }, { MAKE } },
			  { { CLOSE }, PUBLISH_(FORK, false) } },
	},
	{
		.name = "closed while an epoch begins",
		.acts = { { { GET }, { MAKE }, { GET }, { MAKE } },
			  { { CLOSE } },
			  { PUBLISH_(FORK, false), PUBLISH_(SET, false) } },
	},
	{
		.name = "two epochs",
		.acts = { { { GET }, { MAKE }, { GET }, { MAKE } },
			  { { GET }, { MAKE }, { MAKE } },
			  { PUBLISH_(SET, false), PUBLISH_(SET, false) } },
	},
	{
		.name = "an epoch for a clock step",
		.acts = { { { GET }, { MAKE }, { GET }, { MAKE } },
			  { { GET }, { MAKE } },
			  { SET_WALL_(-HOUR), PUBLISH_(STEP, false) } },
	},
	{
		.name = "a given node",
		.acts = { { { GET }, { MAKE }, { GET }, { MAKE } },
			  { { GET }, { MAKE } },
			  { PUBLISH_(SET, true) } },
	},
	{
		.name = "a random node, and a given one later",
		.acts = { { { GET }, { MAKE }, { GET }, { MAKE } },
			  { { GET }, { MAKE } },
			  { PUBLISH_(SET, false), PUBLISH_(SET, true) } },
	},
	{
		.name = "a given node, and the generator is closed",
		.acts = { { { GET }, { MAKE }, { GET }, { MAKE } },
			  { { CLOSE } },
			  { PUBLISH_(FORK, false), PUBLISH_(SET, true) } },
	},
};

int main(void)
{
	return scheduler_main("private_model", scenarios, sizeof(scenarios[0]),
			      ARRAY_SIZE(scenarios), explore);
}
