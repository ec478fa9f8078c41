/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A line of callers that wait for slots of one sequence, first come, first
 * served.
 *
 * Each waiter has its own timer, which ends its sleep when its slots are due.
 * The waiter takes its slots then, if enough are left for the waiters before
 * it. So a waiter that can't run keeps only the slots that it asked for from
 * the others, and only for a short time: if it has not looked for
 * KUID_LINE_GRACE_NS since its slots were due, it is late, and the next waiter
 * that looks removes it.
 *
 * The first KUID_LINE_FRONT waiters look at the moment when the head becomes
 * late. The other waiters look when their own slots are due, so a long line
 * costs no more wakeups than a short one.
 *
 * The line knows neither slots nor clocks: the caller computes when slots are
 * due. Callers of all functions except the initializers and kuid_wakeups_do()
 * hold &kuid_line.lock.
 */
#ifndef KUID_CORE_LINE_H
#define KUID_CORE_LINE_H

#include <linux/list.h>

#include "units.h"

/*
 * Number of waiters at the front of a line that look after a late head. One
 * look also removes at most this many waiters, because interrupts are off
 * meanwhile.
 */
#define KUID_LINE_FRONT 16

/*
 * A waiter is late if its slots have been due for this long, or if it was woken
 * to look this long ago, and it has not looked since.
 */
#define KUID_LINE_GRACE_NS (8 * KUID_MS_NS)

/**
 * struct kuid_line - a line
 * @lock: guards all members, and the waiters in the line
 * @waiters: the waiters in the order in which they joined
 * @count: number of waiters; callers also read it without @lock, so writers use
 *	WRITE_ONCE()
 * @asked: slots that waiters have asked for until now; a waiter that leaves the
 *	end of the line takes its own back
 */
struct kuid_line {
	raw_spinlock_t lock;
	struct list_head waiters;
	unsigned int count;
	u64 asked;
};

/**
 * struct kuid_waiter - a caller that is in a line or may join one
 * @entry: entry in &kuid_line.waiters; empty if the caller is in no line
 * @task: the task to wake
 * @count: how many slots it asks for
 * @mark: value of &kuid_line.asked when the waiter joined
 * @gap: slots below @mark that nobody asks for any more: of waiters that left
 *	their places directly before this one without being served
 * @due: moment at which its slots are due if the waiters before it get theirs
 *	first, or at which it was woken to look, if that was earlier. Each look
 *	of the waiter computes it again, so it is in the past only if the waiter
 *	has not looked since.
 * @first: moment since which the waiter has been the head; if it is not the
 *	head yet, the moment at which it joined
 * @front: the waiter is one of the first KUID_LINE_FRONT
 * @called: the waiter was woken to look, and has not looked yet; the waiter
 *	reads it without the lock, so writers use WRITE_ONCE()
 *
 * Moments are nanoseconds of the monotonic clock. &kuid_line.lock guards all
 * members but @task.
 */
struct kuid_waiter {
	struct list_head entry;
	struct task_struct *task;
	u64 count;
	u64 mark;
	u64 gap;
	u64 due;
	u64 first;
	bool front;
	bool called;
};

/**
 * struct kuid_wakeups - the tasks to wake after the line's lock is released
 * @count: number of elements in use
 * @tasks: the tasks: of the new head after late waiters were removed, of the
 *	next waiter after the caller has left, and of the waiter that moved up
 *
 * A new caller begins with all zeroes.
 */
struct kuid_wakeups {
	unsigned int count;
	struct task_struct *tasks[3];
};

static inline void kuid_line_init(struct kuid_line *line)
{
	*line = (struct kuid_line) { 0 };
	raw_spin_lock_init(&line->lock);
	INIT_LIST_HEAD(&line->waiters);
}

static inline void kuid_waiter_init(struct kuid_waiter *waiter,
				    struct task_struct *task)
{
	*waiter = (struct kuid_waiter) { .task = task };
	INIT_LIST_HEAD(&waiter->entry);
}

/* Whether the waiter is in a line. Another caller may have removed it. */
static inline bool kuid_waiter_waits(const struct kuid_waiter *waiter)
{
	return !list_empty(&waiter->entry);
}

static inline struct kuid_waiter *kuid_line_head(struct kuid_line *line)
{
	return list_first_entry_or_null(&line->waiters, struct kuid_waiter,
					entry);
}

static inline void kuid_waiter_call(struct kuid_waiter *waiter, u64 now,
				    struct kuid_wakeups *wakeups)
{
	WRITE_ONCE(waiter->called, true);
	waiter->due = min(waiter->due, now);
	wakeups->tasks[wakeups->count++] = waiter->task;
}

/**
 * kuid_wakeups_do - wake the waiters that were called
 * @wakeups: the tasks to wake
 *
 * Waking takes time, so it is done without the line's lock. A waiter may leave
 * meanwhile, and its task may end. A wakeup that comes too late does no harm.
 *
 * Context: any but NMI; the caller does not hold the line's lock, and since
 * before it took that lock has been in a section that keeps tasks from being
 * freed: in the kernel, rcu_read_lock_sched().
 */
static inline void kuid_wakeups_do(const struct kuid_wakeups *wakeups)
{
	unsigned int i;

	for (i = 0; i < wakeups->count; i++)
		kuid_port_wake(wakeups->tasks[i]);
}

/**
 * kuid_line_join - join the end of a line
 * @line: the line
 * @waiter: the caller's waiter, which is in no line
 * @count: how many slots the caller asks for
 * @now: the present moment, in nanoseconds of the monotonic clock
 *
 * The caller sets &kuid_waiter.due now, and at each look.
 *
 * Context: any but NMI; the caller holds @line->lock.
 */
static inline void kuid_line_join(struct kuid_line *line,
				  struct kuid_waiter *waiter, u64 count,
				  u64 now)
{
	lockdep_assert_held(&line->lock);

	waiter->count = count;
	waiter->mark = line->asked;
	waiter->gap = 0;
	waiter->first = now;
	waiter->front = line->count < KUID_LINE_FRONT;
	line->asked += count;
	list_add_tail(&waiter->entry, &line->waiters);
	WRITE_ONCE(line->count, line->count + 1);
}

/*
 * Take a waiter out of a line. The others need not wait for its slots any more,
 * but only the waiter behind it gets to know. Returns that waiter; NULL if
 * there is none.
 */
static inline struct kuid_waiter *kuid_line_remove(struct kuid_line *line,
						   struct kuid_waiter *waiter,
						   u64 now, bool served)
{
	bool was_head = kuid_line_head(line) == waiter;
	struct kuid_waiter *next = NULL;

	if (!list_is_last(&waiter->entry, &line->waiters))
		next = list_next_entry(waiter, entry);
	list_del_init(&waiter->entry);
	WRITE_ONCE(line->count, line->count - 1);
	if (!next) {
		line->asked = waiter->mark - waiter->gap;
	} else if (was_head) {
		next->gap = 0;
		next->first = now;
	} else {
		next->gap += waiter->gap + (served ? 0 : waiter->count);
	}
	return next;
}

/*
 * A waiter of the front has left. Returns the waiter that has moved up to the
 * front; NULL if there is none.
 */
static inline struct kuid_waiter *kuid_line_move_up(struct kuid_line *line)
{
	struct kuid_waiter *other;
	unsigned int n = 0;

	if (line->count < KUID_LINE_FRONT)
		return NULL;
	list_for_each_entry(other, &line->waiters, entry) {
		if (++n < KUID_LINE_FRONT)
			continue;
		other->front = true;
		return other;
	}
	return NULL;
}

/**
 * kuid_line_leave - leave a line
 * @line: the line
 * @waiter: the waiter; if it is in no line, nothing is done
 * @now: the present moment, in nanoseconds of the monotonic clock
 * @served: the waiter has got its slots
 * @wakeups: the tasks that the caller must wake are added
 *
 * If the head leaves, the next waiter is called: slots may be free for it now,
 * and nobody else would tell it.
 *
 * If a waiter leaves without its slots, those behind it may have theirs
 * earlier than they know. The next waiter is called, so that it computes when
 * its own slots are due, and tells the one behind it when it leaves. The waiter
 * that moves up to the front is called, so that it looks after a late head.
 *
 * Context: any but NMI; the caller holds @line->lock.
 */
static inline void kuid_line_leave(struct kuid_line *line,
				   struct kuid_waiter *waiter, u64 now,
				   bool served, struct kuid_wakeups *wakeups)
{
	struct kuid_waiter *next, *moved = NULL;
	bool was_head;

	lockdep_assert_held(&line->lock);

	if (!kuid_waiter_waits(waiter))
		return;
	was_head = kuid_line_head(line) == waiter;
	next = kuid_line_remove(line, waiter, now, served);
	if (waiter->front)
		moved = kuid_line_move_up(line);
	if (next && (was_head || !served || waiter->gap))
		kuid_waiter_call(next, now, wakeups);
	if (moved && moved != next && !served)
		kuid_waiter_call(moved, now, wakeups);
}

/* The moment from which on a waiter that has not looked is late. */
static inline u64 kuid_waiter_late(const struct kuid_waiter *waiter)
{
	return waiter->due + KUID_LINE_GRACE_NS;
}

/**
 * kuid_line_look - remove late waiters from the head of a line, and count the
 *	slots for the waiters before the caller
 * @line: the line
 * @waiter: the caller's waiter; if it is in no line, count as if it would join
 *	now
 * @now: the present moment, in nanoseconds of the monotonic clock
 * @wakeups: the task of the new head is added, unless it is the caller
 *
 * A waiter that is removed isn't woken: its own timer ends its sleep.
 *
 * The count is the difference of two counters, not a walk along the line. If a
 * waiter has left from the middle of the line, the count is too high for all
 * but the waiter behind it, for a while. It is never too low: otherwise the
 * caller could take slots for the waiters before it.
 *
 * Context: any but NMI; the caller holds @line->lock.
 * Return: how many slots are for waiters before the caller.
 */
static inline u64 kuid_line_look(struct kuid_line *line,
				 struct kuid_waiter *waiter, u64 now,
				 struct kuid_wakeups *wakeups)
{
	struct kuid_waiter *head;
	unsigned int n = 0;

	lockdep_assert_held(&line->lock);

	WRITE_ONCE(waiter->called, false);
	while ((head = kuid_line_head(line)) && head != waiter &&
	       kuid_waiter_late(head) <= now && n++ < KUID_LINE_FRONT) {
		kuid_line_remove(line, head, now, false);
		kuid_line_move_up(line);
	}
	if (!head)
		return 0;
	if (n && head != waiter)
		kuid_waiter_call(head, now, wakeups);
	return (kuid_waiter_waits(waiter) ? waiter->mark - waiter->gap
					  : line->asked) -
	       head->mark;
}

/**
 * kuid_line_next_look - compute until when a waiter may sleep
 * @line: the line
 * @waiter: a waiter in the line, which has looked
 * @now: the present moment, in nanoseconds of the monotonic clock
 *
 * Context: any but NMI; the caller holds @line->lock.
 * Return: a moment in nanoseconds of the monotonic clock; not later than the
 * moment at which the waiter's slots are due.
 */
static inline u64 kuid_line_next_look(struct kuid_line *line,
				      const struct kuid_waiter *waiter, u64 now)
{
	const struct kuid_waiter *head = kuid_line_head(line);

	lockdep_assert_held(&line->lock);

	/*
	 * One look removes only some of the late waiters. If the head is still
	 * late, look again at once.
	 */
	if (head != waiter && (waiter->front || kuid_waiter_late(head) <= now))
		return min(waiter->due, kuid_waiter_late(head));
	return waiter->due;
}

#endif /* KUID_CORE_LINE_H */
