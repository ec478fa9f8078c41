// SPDX-License-Identifier: GPL-2.0-only
/*
 * Private lanes in all interleavings, from the kernel's generator to the IDs of
 * the library. Threads make IDs by one handle while other processes get nodes,
 * the generator ends all lanes, the wall clock is set, or the process forks.
 * See unit/model_test.c for what a model finds. Clock readings repeat, so an ID
 * that can be made twice is made twice. No memory is freed here.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>
#include <cmocka.h>

/* Included for its static functions, and before the headers of the core. */
#include "private.c"

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
#define MOST_NODES  40
#define MOST_IDS    40
#define BATCH	    3
#define ID_SIZE	    16

/* No lane can have this node. Those with the multicast bit may be a lane's. */
#define GIVEN_NODE 1

enum deed {
	NOTHING,
	ONE,	   /* ID */
	MANY,	   /* IDs */
	NODE,	   /* for a lane of another process */
	CLOSE,	   /* the kernel's generator */
	FORK_VM,   /* publish an epoch, because there may be a twin */
	RENEW,	   /* publish an epoch, as asked for */
	STEP,	   /* publish an epoch, if the clock was set back */
	GIVE,	   /* publish an epoch with GIVEN_NODE */
	GIVE_LANE, /* publish an epoch with a given node that may be a lane's */
	SET_BACK,
	SET_FORTH,
	FORK, /* go on as the child */
};

/**
 * struct scenario - what the CPUs do
 * @name: printed in the report
 * @acts: acts of each CPU
 * @nodes_left: how many nodes are left in the first epoch; 0 for all
 * @expected: how many nodes are handed out; 0 if it depends on the interleaving
 */
struct scenario {
	const char *name;
	enum deed acts[CPUS][MOST_ACTS];
	u64 nodes_left;
	unsigned int expected;
};

static const struct scenario *scenario;
static unsigned int format;

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

static struct kuid_private memory;
static struct kuid_layout layout;
static struct kuid handle;

/*
 * The nodes that were handed out, and whether the handle's lane with it is a
 * parent's by now.
 */
static struct {
	struct kuid_private_node node;
	bool of_parent;
} nodes[MOST_NODES];
static unsigned int nr_nodes;

static unsigned int running; /* the CPU of the last access */
static u64 numbers;	     /* of nodes, drawn in all epochs */
static u64 drew_in[CPUS];    /* the generation in which a CPU drew its last */

static u8 ids[MOST_IDS][ID_SIZE];
static unsigned int nr_ids;
static u8 last[ID_SIZE]; /* ID of the epoch of that number */
static u64 last_epoch;
static unsigned int ends; /* how often the deeds may have ended lanes */
static u64 drawn;	  /* random numbers, which count up */
static int asking; /* the CPU that asks for a node, with the lane's lock */
static const char *broken;

/* ------------------------- functions of the process that the library uses */

unsigned long kuid_process_block_signals(void)
{
	return 0;
}

void kuid_process_restore_signals(unsigned long blocked)
{
}

void kuid_process_sleep(void)
{
	scheduler_relax();
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_nanosleep(clockid_t clock, int flags,
			   const struct timespec *time, struct timespec *left);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	u64 now;

	assert_int_equal(clock, CLOCK_REALTIME);
	scheduler_step();
	now = machine_wall();
	time->tv_sec = now / SECOND;
	time->tv_nsec = now % SECOND;
	return 0;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags,
			   const struct timespec *time, struct timespec *left)
{
	u64 until = time->tv_sec * SECOND + time->tv_nsec;

	assert_int_equal(clock, CLOCK_MONOTONIC);
	assert_int_equal(flags, TIMER_ABSTIME);
	scheduler_step();
	machine_set_mono(max(until, machine_mono()));
	return 0;
}

/* Draws numbers that differ, for the key; but no offset and no scramble. */
bool kuid_process_draw(void *random, size_t size)
{
	memset(random, 0, size);
	drawn++;
	memcpy(random, &drawn, min(size, sizeof(drawn)));
	return true;
}

bool kuid_device_is_open(const struct kuid *of)
{
	return true;
}

bool kuid_private_is_nonblocking(const struct kuid *of)
{
	return false;
}

/* There is no vmclock here: handle_test.c tests it. */
static const u64 no_vmclock;

const u64 *kuid_vmclock_map(void)
{
	return &no_vmclock;
}

void kuid_vmclock_unmap(const u64 *number)
{
}

/* IDs of the device are all zero, and are not checked. */
int kuid_device_one(struct kuid *of, void *id)
{
	memset(id, 0, ID_SIZE);
	return 0;
}

ssize_t kuid_device_make(struct kuid *of, const struct kuid_layout *layout,
			 unsigned int order, unsigned int flags, void *to,
			 size_t count)
{
	memset(to, 0, count * ID_SIZE);
	return count;
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

/*
 * The scheduler calls this before each access. A process that checks its lane
 * now may use it only if that is right.
 */
static void check_lanes(void)
{
	note_draw();
	running = kuid_port_cpu();
	if (!generation)
		broken = "the generation is 0";
	for (unsigned int i = 0; i < nr_nodes; i++) {
		if (nodes[i].node.generation != generation)
			continue;
		if (generator.gate.closed)
			broken =
				"a lane is used after the generator was closed";
		if (generator.epoch->number != nodes[i].node.epoch)
			broken = "a lane is used in another epoch";
	}
}

static int get_node(struct kuid_private_node *node)
{
	u64 before = generation;
	int ret = kuid_generator_private_node(&generator, node);

	if (ret)
		return ret;
	if (node->generation < before)
		broken = "a node of an earlier generation";
	check_lanes();
	if (node->generation != drew_in[kuid_port_cpu()])
		broken = "a node was drawn in another generation";
	if (node->load_id != node->epoch)
		broken = "a node of two epochs";
	if (!(node->node & KUID_NODE_MULTICAST) ||
	    node->node == epochs[node->epoch - 1].epoch.identity.node)
		broken = "not a node of a private lane";
	for (unsigned int i = 0; i < nr_nodes; i++)
		if (nodes[i].node.epoch == node->epoch &&
		    nodes[i].node.node == node->node)
			broken = "a node was handed out twice";
	assert_in_range(nr_nodes, 0, MOST_NODES - 1);
	nodes[nr_nodes].node = *node;
	nodes[nr_nodes++].of_parent = false;
	return 0;
}

int kuid_private_get_node(const struct kuid *of, struct kuid_private_lane *lane)
{
	struct kuid_private_node node = { 0 };
	int ret;

	asking = kuid_port_cpu();
	ret = get_node(&node);
	asking = -1;
	*lane = (struct kuid_private_lane) {
		.node = node.node,
		.generation = node.generation,
		.load_id = node.load_id,
		.max_ahead_ns = AHEAD,
		.step_limit_ns = LIMIT,
	};
	errno = -ret;
	return ret ? -1 : 0;
}

/* ---------------------------------------- checks of the IDs of a call */

static bool is_of_device(const u8 *id)
{
	static const u8 none[ID_SIZE];

	return !memcmp(id, none, ID_SIZE);
}

/* A v6 shows the node that it was made with. */
static void check_node(const u8 *id, u64 since)
{
	__be64 low;
	u64 node;

	memcpy(&low, id + 8, sizeof(low));
	node = be64_to_cpu(low) & (BIT_ULL(KUID_NODE_BITS) - 1);
	for (unsigned int i = 0; i < nr_nodes; i++) {
		if (nodes[i].node.node != node)
			continue;
		if (nodes[i].of_parent)
			broken = "a child makes an ID of its parent's lane";
		if (nodes[i].node.generation < since)
			broken = "an ID of a generation that was over";
		return;
	}
	broken = "an ID of no lane";
}

static void check_id(const u8 *id, u64 since)
{
	if (is_of_device(id))
		return;
	if (format == KUID_FORMAT_V6)
		check_node(id, since);
	for (unsigned int i = 0; i < nr_ids; i++)
		if (!memcmp(ids[i], id, ID_SIZE))
			broken = "an ID was made twice";
	assert_in_range(nr_ids, 0, MOST_IDS - 1);
	memcpy(ids[nr_ids++], id, ID_SIZE);
}

static void make(size_t count)
{
	u64 since = generation, epoch = handle.epochs;
	u8 before[ID_SIZE] = { 0 }, made[BATCH][ID_SIZE];
	size_t i;

	if (last_epoch == epoch)
		memcpy(before, last, ID_SIZE);
	if (count == 1 ? one_of[format](&handle, made)
		       : kuid_private_make(&handle, &layout, 0, 0, made,
					   count) != (ssize_t)count)
		broken = "a call fails";
	if (is_of_device(made[0]) && generation == since && !(since & 1) &&
	    !generator.gate.closed && !scenario->nodes_left &&
	    !kuid_epoch_node_given(generator.epoch))
		broken = "the device makes an ID, though there are nodes";
	for (i = 0; i < count; i++)
		check_id(made[i], since);
	for (i = 1; i < count; i++)
		if (!is_of_device(made[i]) &&
		    memcmp(made[i - 1], made[i], ID_SIZE) >= 0)
			broken = "a batch is not in order";
	/* If the number is the same, all IDs are of that epoch. */
	if (handle.epochs != epoch || is_of_device(made[0]))
		return;
	if (memcmp(before, made[0], ID_SIZE) >= 0)
		broken = "an ID is below that of a call before";
	if (last_epoch != epoch || memcmp(last, made[count - 1], ID_SIZE) < 0)
		memcpy(last, made[count - 1], ID_SIZE);
	last_epoch = epoch;
}

/*
 * Go on as a child, which finds its memory wiped. Signals are blocked while the
 * lock is held, so no handler forks then.
 */
static void go_on_as_child(void)
{
	scheduler_step();
	while (memory.lock.locked)
		scheduler_relax();
	memset(&memory, 0, sizeof(memory));
	for (unsigned int i = 0; i < nr_nodes; i++)
		nodes[i].of_parent = true;
}

/* The node is random if given is 0. */
static void publish(enum kuid_why why, u64 given)
{
	unsigned int number = nr_epochs + 1;
	struct kuid_epoch *epoch = &epochs[nr_epochs].epoch;
	struct kuid_change change = machine_change(why);
	int ret;

	epoch->key = (struct kuid_node_key) { { number, ~(u64)number } };
	epoch->identity.node = given ?: kuid_node_of(&epoch->key, 0);
	epoch->given = given ? KUID_PARTS_NODE : 0;
	epoch->load_id = number;
	epoch->nr_cpu_lanes = 1;
	epoch->closings = READ_ONCE(generator.gate.closings);
	if (why == KUID_EPOCH_FIRST)
		epoch->sequences = &slots.sequences;
	ret = kuid_generator_publish(&generator, epoch, &change);
	if (!ret)
		nr_epochs++;
	else if (ret != -EBUSY) /* the given node may be a lane's */
		broken = "an epoch was refused";
}

static void start(void)
{
	machine_start(MONO, NOW);
	memset(epochs, 0, sizeof(epochs));
	memset(&slots, 0, sizeof(slots));
	memset(&memory, 0, sizeof(memory));
	slots.sequences.nr_cpus = 1;
	nr_epochs = 0;
	nr_nodes = 0;
	nr_ids = 0;
	last_epoch = 0;
	drawn = 0;
	asking = -1;
	ends = 0;
	running = 0;
	broken = NULL;
	generation = 2;
	kuid_generator_init(&generator, AHEAD, LIMIT, false);
	generator.generation = &generation;
	publish(KUID_EPOCH_FIRST, 0);
	/* Without a stamp, no step of the clock needs an epoch. */
	atomic64_set(&epochs[0].lanes[0].last, NOW);
	if (scenario->nodes_left)
		atomic64_set(&generator.epoch->nodes.last,
			     KUID_NODE_LAST - scenario->nodes_left);
	layout = (struct kuid_layout) {
		.format = format,
		.row = &kuid_formats[format],
	};
	handle = (struct kuid) {
		.fd = 0,
		.layout = &layout,
		.private = &memory,
		.generation = &generation,
		.vmclock = &no_vmclock,
	};
}

/*
 * How often a deed may end a handle's lane, or its use of the device: twice if
 * a node is refused while the writer is active, and more often if old readings
 * of the clock end later lanes, too.
 */
static const unsigned int ends_of[] = {
	[CLOSE] = 2, [FORK_VM] = 2,   [RENEW] = 1,    [STEP] = 1,
	[GIVE] = 2,  [GIVE_LANE] = 2, [SET_BACK] = 3, [FORK] = 1,
};

static void do_deed(enum deed deed)
{
	struct kuid_private_node node;
	struct kuid_claimed died;

	ends += ends_of[deed];
	switch (deed) {
	case ONE:
		make(1);
		break;
	case MANY:
		make(BATCH);
		break;
	case NODE:
		get_node(&node);
		break;
	case CLOSE:
		kuid_generator_close(&generator, false, &died);
		break;
	case FORK_VM:
		publish(KUID_EPOCH_FORK, 0);
		break;
	case RENEW:
		publish(KUID_EPOCH_SET, 0);
		break;
	case STEP:
		publish(KUID_EPOCH_STEP, 0);
		break;
	case GIVE:
		publish(KUID_EPOCH_SET, GIVEN_NODE);
		break;
	case GIVE_LANE:
		publish(KUID_EPOCH_SET, KUID_NODE_MULTICAST);
		break;
	case SET_BACK:
		scheduler_step();
		machine_step_wall(-HOUR);
		break;
	case SET_FORTH:
		scheduler_step();
		machine_step_wall(HOUR);
		break;
	case FORK:
		go_on_as_child();
		break;
	case NOTHING:
		break;
	}
}

static void run(unsigned int cpu)
{
	for (unsigned int i = 0; i < MOST_ACTS; i++) {
		machine_set_cpu(cpu);
		do_deed(scenario->acts[cpu][i]);
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
	return !generator.lock.locked &&
	       (asking == (int)cpu || !memory.lock.locked);
}

static const char *wrong(void)
{
	check_lanes();
	if (generation & 1)
		broken = "the generation is odd, though no writer is active";
	if (handle.epochs > 1 + ends)
		broken = "a lane was replaced twice";
	if (scenario->expected && nr_nodes != scenario->expected)
		broken = "not the expected number of nodes";
	if (kuid_epoch_node_given(generator.epoch) && nr_nodes &&
	    generator.epoch->identity.node != GIVEN_NODE)
		broken = "a given node may be that of a lane";
	return broken;
}

static void print(void)
{
	printf("# %s\n", format == KUID_FORMAT_V6 ? "v6" : "v7");
	for (unsigned int i = 0; i < nr_nodes; i++)
		printf("# node %llx of epoch %llu, generation %llu of %llu\n",
		       (unsigned long long)nodes[i].node.node,
		       (unsigned long long)nodes[i].node.epoch,
		       (unsigned long long)nodes[i].node.generation,
		       (unsigned long long)generation);
}

static bool makes_ids(void)
{
	for (unsigned int i = 0; i < CPUS * MOST_ACTS; i++) {
		enum deed deed = scenario->acts[i / MOST_ACTS][i % MOST_ACTS];

		if (deed == ONE || deed == MANY)
			return true;
	}
	return false;
}

/* v6 shows the node of its lane, and v7 the key. */
static void choose(struct scheduler_model *model, const void *what,
		   unsigned int variant)
{
	scenario = what;
	model->variants = makes_ids() ? 2 : 1;
	format = variant ? KUID_FORMAT_V7 : KUID_FORMAT_V6;
}

static const struct scenario scenarios[] = {
	{ "two threads and their first lane",
	  .acts = { { ONE, ONE }, { MANY }, { NOTHING } } },
	{ "two threads and another epoch",
	  .acts = { { ONE, ONE, ONE }, { ONE, ONE }, { RENEW } } },
	{ "a batch, and a close before the next epoch",
	  .acts = { { ONE, MANY, ONE }, { CLOSE, FORK_VM } } },
	{ "a lane asked for while closed",
	  .acts = { { ONE, ONE }, { ONE }, { CLOSE, FORK_VM, CLOSE } } },
	{ "a given node",
	  .acts = { { ONE, ONE, ONE }, { MANY }, { GIVE, FORK_VM } } },
	{ "the last node", .acts = { { ONE, ONE }, { ONE }, { RENEW } },
	  .nodes_left = 1 },
	{ "two threads, and the clock set back",
	  .acts = { { ONE, ONE, ONE }, { ONE, ONE }, { SET_BACK } } },
	{ "a batch, and the clock set forth and back",
	  .acts = { { ONE, MANY }, { ONE }, { SET_FORTH, SET_BACK } } },
	{ "a child in a call for one ID", .acts = { { ONE, ONE }, { FORK } } },
	{ "a child in a batch, and its child",
	  .acts = { { ONE, MANY, ONE }, { FORK, FORK } } },
	{ "a child in another epoch",
	  .acts = { { ONE, MANY }, { FORK }, { RENEW } } },
	{ "a child, and the clock set back",
	  .acts = { { ONE, MANY, ONE }, { FORK }, { SET_BACK } } },
	{ "three processes", .acts = { { NODE, NODE }, { NODE }, { NODE } },
	  .expected = 4 },
	{ "three processes and the last two nodes",
	  .acts = { { NODE, NODE }, { NODE }, { NODE } }, .nodes_left = 2,
	  .expected = 2 },
	{ "processes, and the generator is closed",
	  .acts = { { NODE, NODE }, { NODE }, { CLOSE, FORK_VM } } },
	{ "processes, and closed while an epoch begins",
	  .acts = { { NODE, NODE }, { CLOSE }, { FORK_VM, RENEW } } },
	{ "processes, and two epochs",
	  .acts = { { NODE, NODE }, { NODE }, { RENEW, RENEW } } },
	{ "processes, and an epoch for a clock step",
	  .acts = { { NODE, NODE }, { NODE }, { SET_BACK, STEP } } },
	{ "a lane's node is given",
	  .acts = { { NODE, NODE }, { NODE }, { GIVE_LANE } } },
	{ "a random node, and a lane's is given later",
	  .acts = { { NODE, NODE }, { NODE }, { RENEW, GIVE_LANE } } },
	{ "a lane's node is given, and the generator is closed",
	  .acts = { { NODE, NODE }, { CLOSE }, { FORK_VM, GIVE_LANE } } },
};

int main(void)
{
	struct scheduler_model model = {
		.name = "lane_model",
		.nr_cpus = CPUS,
		.preemptions = 2,
		.walks = 3000,
		.prepare = choose,
		.start = start,
		.run = run,
		.resume = resume,
		.look = check_lanes,
		.may_go_on = may_go_on,
		.wrong = wrong,
		.print = print,
	};

	return scheduler_main(&model, scenarios, sizeof(scenarios[0]),
			      ARRAY_SIZE(scenarios));
}
