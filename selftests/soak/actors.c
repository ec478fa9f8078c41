// SPDX-License-Identifier: GPL-2.0-only
/*
 * The processes that take IDs, and those that disturb them. The seed determines
 * what each process does; when it happens depends on all of them.
 */
#include <poll.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/uio.h>

#include "../lib/callers.h"
#include "soak.h"

enum {
	THREADS = 4,
	SHARED = 6,		/* files shared by the threads of a process */
	OWN = 3,		/* private files of each thread */
	OPEN_FOR = 40,		/* calls until a private file is reopened */
	CHILD_CALLS = 25,
	KERNEL_IDS = 200,	/* for each context in the kernel */
};

/**
 * struct open_file - an open file
 * @fd: its descriptor
 * @f: its format
 * @text: it gives text
 * @nonblock: it is O_NONBLOCK
 * @order: its order
 * @shared: other threads may take IDs from it at the same time
 * @epoch: epoch of each @last
 * @last: the last ID in file order, by KUID_FORMAT_*
 */
struct open_file {
	int fd;
	const struct format *f;
	bool text;
	bool nonblock;
	__u32 order;
	bool shared;
	__u64 epoch[NR_FORMATS + 1];
	struct words last[NR_FORMATS + 1];
};

/**
 * struct taken - the result of a call
 * @f: format of the IDs
 * @got: number of IDs, or a negative errno
 * @order: their order
 * @from: the first epoch they may be of
 * @to: the last epoch they may be of
 */
struct taken {
	const struct format *f;
	long got;
	__u32 order;
	__u64 from;
	__u64 to;
};

struct soak_actor *soak_actor(const char *name, int nr, __u32 seed)
{
	struct soak_actor *me = &soak->actors[nr];

	me->name = name;
	me->seed = seed * 2654435761U + nr * 40503;
	me->fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
	if (me->fd < 0)
		soak_fail("%s: open: %m", name);
	return me;
}

/* Start a process that dies with this one. */
pid_t soak_start(void (*run)(__u32 seed, int nr), __u32 seed, int nr)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run(seed, nr);
		_exit(0);
	}
	if (pid < 0)
		soak_fail("fork: %m");
	return pid;
}

static void pause_up_to(__u32 *seed, __u32 ms)
{
	usleep(1000 * (1 + pick(seed) % ms));
}

static void open_one(struct soak_actor *me, struct open_file *file, bool shared)
{
	__u32 choice = pick(&me->seed);

	*file = (struct open_file) {
		.f = &formats[choice % NR_FORMATS],
		/* Threads that share a text file would get pieces of lines. */
		.text = !shared && choice & 0x100,
		.nonblock = choice & 0x200,
		.order = KUID_ORDER_CPU + pick(&me->seed) % 3,
		.shared = shared,
	};
	file->fd = open_device_file(file->f, file->text ? ".txt" : "",
				    O_CLOEXEC |
				    (file->nonblock ? O_NONBLOCK : 0));
	if (file->fd < 0 || set_order(file->fd, file->order))
		soak_fail("%s: a file of %s can't be had: %m", me->name,
			  file->f->name);
}

/* Mostly small counts, so that there are many calls. */
__u32 soak_pick_count(__u32 *seed)
{
	__u32 choice = pick(seed) & 0xfff;

	return choice < 64 ? SOAK_CALL_MAX : choice < 160 ? 300 :
	       choice < 1500 ? 7 : 1;
}

/* Read text of any size, and then the rest of the last line. */
static long read_text(const struct format *f, int fd, __u8 *ids, __u32 count,
		      __u32 *seed)
{
	static __thread char text[SOAK_CALL_MAX * LINE_MAX_SIZE];
	size_t line = f->text_size + 1, size = count * line;
	size_t at, nr;
	ssize_t got;

	if (count > 1)
		size -= pick(seed) % line;
	else
		size = 1 + pick(seed) % line;
	got = read(fd, text, size);
	if (got <= 0)
		return got ? -errno : -EIO;
	at = got;
	while (at % line) {
		got = read(fd, text + at, line - at % line);
		if (got <= 0)
			return -EIO;
		at += got;
		/* The machine was cloned meanwhile, so the line was lost. */
		if (at % line && text[at - 1] == '\n')
			return read_text(f, fd, ids, count, seed);
	}
	for (nr = 0; nr < at / line; nr++) {
		if (!parse_line(f, text + nr * line, ids + nr * f->id_size))
			return -EBADMSG;
	}
	return nr;
}

static long readv_ids(const struct format *f, int fd, __u8 *ids, __u32 count)
{
	size_t size = (size_t)count * f->id_size;
	struct iovec parts[2] = {
		{ ids, size / 3 },
		{ ids + size / 3, size - size / 3 },
	};
	ssize_t got = readv(fd, parts, 2);

	if (got < 0)
		return -errno;
	return got % f->id_size ? -EIO : got / f->id_size;
}

static void take_from(struct soak_actor *me, struct open_file *file, __u8 *ids,
		      struct taken *taken)
{
	__u32 count = soak_pick_count(&me->seed);
	__u32 choice = pick(&me->seed);

	if (choice & 1) {
		taken->f = &formats[(choice >> 4) % NR_FORMATS];
		taken->order = choice & 2 ? file->order :
					    KUID_ORDER_CPU + (choice >> 8) % 3;
		taken->got = take(file->fd, taken->f, taken->order, ids, count,
				  &taken->from);
		taken->to = taken->from;
		return;
	}
	taken->f = file->f;
	taken->order = file->order;
	taken->from = soak_epoch(me);
	if (file->text)
		taken->got = read_text(file->f, file->fd, ids, count,
				       &me->seed);
	else if (choice & 2)
		taken->got = read_ids(file->f, file->fd, ids, count);
	else
		taken->got = readv_ids(file->f, file->fd, ids, count);
	taken->to = soak_epoch(me);
}

/* The IDs of a call must increase, and be above the file's last ID. */
static void check_order(struct soak_actor *me, struct open_file *file,
			const __u8 *ids, const struct taken *taken)
{
	const struct format *f = taken->f;
	__u32 nr = f->number;
	struct words last = { 0 };

	if (taken->from != taken->to)
		return;
	if (!file->shared && taken->order != KUID_ORDER_CPU &&
	    file->epoch[nr] == taken->from)
		last = file->last[nr];
	if (count_in_order(f, ids, taken->got, &last) != taken->got)
		soak_fail("%s, call %llu: %ld %s in order %u don't increase",
			  me->name, (unsigned long long)me->calls, taken->got,
			  f->name, taken->order);
	if (taken->order != KUID_ORDER_CPU) {
		file->epoch[nr] = taken->from;
		file->last[nr] = last;
	}
}

static void take_once(struct soak_actor *me, struct open_file *file, __u8 *ids)
{
	struct taken taken = { 0 };

	soak_begin(me);
	take_from(me, file, ids, &taken);
	if (taken.got > 0) {
		check_order(me, file, ids, &taken);
		soak_book(me, taken.f, ids, taken.got, taken.from, taken.to);
	} else if (taken.got == -EAGAIN && file->nonblock) {
		me->again[taken.f->number]++;
	} else if (taken.got != -ESTALE || !soak_may_be_stale(me, taken.f)) {
		soak_fail("%s, call %llu, %s: %s", me->name,
			  (unsigned long long)me->calls, taken.f->name,
			  strerror(-taken.got));
	}
	soak_end(me);
}

/**
 * struct thread - a thread that takes IDs
 * @me: its entry in the shared memory
 * @shared: files shared by all threads of the process
 * @cpu: the CPU it stays on while that is online; -1 to move among all
 * @id: the thread
 */
struct thread {
	struct soak_actor *me;
	struct open_file *shared;
	int cpu;
	pthread_t id;
};

static void *run_thread(void *arg)
{
	static __thread __u8 ids[SOAK_CALL_MAX * ID_SIZE_MAX];
	struct thread *thread = arg;
	struct soak_actor *me = thread->me;
	struct open_file own[OWN];
	int i;

	for (i = 0; i < OWN; i++)
		open_one(me, &own[i], false);
	while (!soak_stopped()) {
		__u32 choice = pick(&me->seed) % (SHARED + 2 * OWN);
		struct open_file *file = choice < SHARED ?
			&thread->shared[choice] :
			&own[(choice - SHARED) % OWN];

		/*
		 * Its CPU may have been offline, so that the thread is
		 * elsewhere.
		 */
		if (me->calls % 16 == 0)
			move_to_cpu(0, thread->cpu >= 0 ? thread->cpu :
				    pick(&me->seed) % SOAK_CPUS);
		if (!file->shared && !(pick(&me->seed) % OPEN_FOR)) {
			close(file->fd);
			open_one(me, file, false);
		}
		take_once(me, file, ids);
	}
	return NULL;
}

/* Take IDs in threads. Half of the processes keep theirs on their CPUs. */
void soak_take(__u32 seed, int nr)
{
	static struct open_file shared[SHARED];
	struct thread threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++) {
		threads[i] = (struct thread) {
			.me = soak_actor("thread", nr + i, seed),
			.shared = shared,
			.cpu = nr % (2 * THREADS) ? -1 : i,
		};
	}
	for (i = 0; i < SHARED; i++)
		open_one(threads[0].me, &shared[i], true);
	for (i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i].id, NULL, run_thread,
				   &threads[i]))
			soak_fail("pthread_create: %m");
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i].id, NULL);
}

static struct open_file inherited;

static void take_and_end(__u32 seed, int nr)
{
	static __u8 ids[SOAK_CALL_MAX * ID_SIZE_MAX];
	struct soak_actor *me = soak_actor("child", nr, seed);
	struct open_file own;
	int i;

	open_one(me, &own, false);
	for (i = 0; i < CHILD_CALLS && !soak_stopped(); i++)
		take_once(me, i & 1 ? &own : &inherited, ids);
}

/* Fork two children at a time that share a file with their parent. */
void soak_fork(__u32 seed, int nr)
{
	static __u8 ids[SOAK_CALL_MAX * ID_SIZE_MAX];
	struct soak_actor *me = soak_actor("parent", nr, seed);
	int i;

	while (!soak_stopped()) {
		open_one(me, &inherited, true);
		take_once(me, &inherited, ids);
		for (i = 1; i <= 2; i++) {
			soak_start(take_and_end, pick(&me->seed), nr + i);
			soak_count(&soak->done.children);
		}
		take_once(me, &inherited, ids);
		while (i-- > 1) {
			int status;

			if (wait(&status) < 0 || status)
				soak_fail("a child ended with status %x",
					  status);
		}
		close(inherited.fd);
		pause_up_to(&me->seed, 100);
	}
}

/* Take all lex IDs there are, which soon run out, and poll for more. */
void soak_poll(__u32 seed, int nr)
{
	static __u8 ids[SOAK_GREED * SOAK_CALL_MAX * ID_SIZE_MAX];
	struct soak_actor *me = soak_actor("poller", nr, seed);
	const struct format *f = format_of(KUID_FORMAT_LEX);
	struct pollfd ready = { .events = POLLIN };

	ready.fd = open_device_file(f, "", O_NONBLOCK | O_CLOEXEC);
	while (!soak_stopped()) {
		__u32 taken = 0, calls = 0;
		__u64 epoch = 0;
		long got;

		soak_begin(me);
		do {
			got = take(ready.fd, f, KUID_ORDER_DEFAULT,
				   ids + taken * f->id_size, SOAK_CALL_MAX,
				   &epoch);
			if (got > 0)
				taken += got;
		} while (got == SOAK_CALL_MAX && ++calls < SOAK_GREED);
		/* The windows of slot formats don't depend on the epoch. */
		soak_book(me, f, ids, taken, epoch, epoch);
		soak_end(me);
		if (got == SOAK_CALL_MAX)
			continue;
		if (got == -EAGAIN)
			me->again[f->number]++;
		else if (got < 0)
			soak_fail("poller: %s", strerror(-got));
		if (poll(&ready, 1, -1) != 1 || !(ready.revents & POLLIN))
			soak_fail("poll: %x, %m", ready.revents);
		soak_count(&soak->done.polls);
		pause_up_to(&me->seed, 200);
	}
}

/* Book what one context of a CPU was given; nothing if the CPU was offline. */
static void book_caller(struct soak_actor *me, const struct format *f,
			enum caller_kind kind, int cpu, __u64 from)
{
	static __u8 ids[KERNEL_IDS * ID_SIZE_MAX];
	long size, error, nr = KERNEL_IDS;

	while (!caller_is_done(kind, cpu)) {
		if (soak_failed() || number_of_caller(kind, cpu, "nr") < 0)
			return;
		usleep(2000);
	}
	size = read_of_caller(kind, cpu, "ids", ids, sizeof(ids));
	error = number_of_caller(kind, cpu, "error");
	if (error == ESTALE && soak_may_be_stale(me, f)) {
		nr = number_of_caller(kind, cpu, "nr");
	} else if (size != KERNEL_IDS * f->id_size || error) {
		soak_fail("%s%d: %ld bytes of %s, errno %ld", contexts[kind],
			  cpu, size, f->name, error);
		return;
	}
	soak_book(me, f, ids, nr, from, soak_epoch(me));
	__atomic_add_fetch(&soak->done.kernel_ids, nr, __ATOMIC_RELAXED);
}

/* Take IDs in kernel code, in all contexts of all online CPUs. */
void soak_call(__u32 seed, int nr)
{
	struct soak_actor *me = soak_actor("kernel code", nr, seed);
	enum caller_kind c;
	int cpu, ret;

	while (!soak_stopped()) {
		const struct format *f =
			&formats[pick(&me->seed) % NR_FORMATS];
		__u64 from;

		soak_begin(me);
		from = soak_epoch(me);
		ret = load_callers(f->number, pick(&me->seed) & 1 ?
				   KUID_ORDER_CPU : KUID_ORDER_HOST,
				   KERNEL_IDS, 0);
		if (ret)
			soak_fail("kuid_callers of %s can't be loaded: %s",
				  f->name, strerror(-ret));
		for (cpu = 0; cpu < SOAK_CPUS; cpu++) {
			for (c = 0; c < NR_CONTEXTS; c++)
				book_caller(me, f, c, cpu, from);
		}
		soak_end(me);
		ret = unload_callers();
		if (ret)
			soak_fail("kuid_callers can't be unloaded: %s",
				  strerror(-ret));
		soak_count(&soak->done.loads);
		pause_up_to(&me->seed, 4000);
	}
}

static bool is_calm(void)
{
	return __atomic_load_n(&soak->calm, __ATOMIC_SEQ_CST) || soak_stopped();
}

/* Step the clock back and forward, by small steps and past step_limit. */
void soak_step(__u32 seed, int nr)
{
	static const struct {
		__s64 least;
		__s64 most;
	} steps[] = {
		{ -100, -1 }, { -9500, -500 }, { -60000, -10500 },
		{ 1, 1000 }, { 1000, 30000 }, { 60000, 3600000 },
	};
	__s64 limit = STEP_LIMIT_NS / NSEC_PER_MSEC;

	while (!is_calm()) {
		size_t i = pick(&seed) % ARRAY_SIZE(steps);
		__s64 ms = steps[i].least +
			   (((__s64)pick(&seed) << 16 | pick(&seed)) %
			    (steps[i].most - steps[i].least + 1));
		int ret = shift_wall(ms * (__s64)NSEC_PER_MSEC);

		if (ret)
			soak_fail("a step of %lld ms: %s", (long long)ms,
				  strerror(-ret));
		soak_count(ms < 0 ? &soak->done.back : &soak->done.forward);
		if (ms < -limit)
			soak_count(&soak->done.back_past);
		pause_up_to(&seed, 2000);
	}
}

/* CPU 0 can't go offline. */
void soak_unplug(__u32 seed, int nr)
{
	int ret;

	while (!is_calm()) {
		int cpu = 1 + pick(&seed) % (SOAK_CPUS - 1);

		ret = set_online(cpu, false);
		pause_up_to(&seed, 1000);
		ret = ret ? ret : set_online(cpu, true);
		if (ret)
			soak_fail("CPU %d: %s", cpu, strerror(-ret));
		soak_count(&soak->done.unplugged);
		pause_up_to(&seed, 1500);
	}
}

/*
 * End with a random node and the host's worker: a fork makes given ones stale.
 */
void soak_identify(__u32 seed, int nr)
{
	int fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
	struct kuid_set_identity drawn = {
		.node_from = KUID_FROM_RANDOM,
		.worker_from = KUID_FROM_HOST,
	};
	int ret;

	while (!is_calm()) {
		struct kuid_set_identity set = drawn;
		__u32 choice = pick(&seed);

		if (choice & 1) {
			set.node_from = KUID_FROM_GIVEN;
			set.node = SOAK_GIVEN_NODE +
				   choice / 2 % SOAK_GIVEN_NODES;
		}
		if (choice & 0x100) {
			set.worker_from = KUID_FROM_GIVEN;
			set.worker = choice;
		} else if (choice & 0x200) {
			set.worker_from = KUID_FROM_RANDOM;
		}
		ret = set_identity(fd, &set);
		if (ret)
			soak_fail("SET_IDENTITY: %s", strerror(-ret));
		soak_count(&soak->done.identities);
		pause_up_to(&seed, 5000);
	}
	if (set_identity(fd, &drawn))
		soak_fail("SET_IDENTITY: %m");
}

void soak_unload(__u32 seed, int nr)
{
	while (!soak_stopped()) {
		int ret = unload();

		if (ret != -EWOULDBLOCK)
			soak_fail("unload while in use: %s", strerror(-ret));
		soak_count(&soak->done.refusals);
		pause_up_to(&seed, 1000);
	}
}
