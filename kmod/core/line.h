/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A line of callers that wait for slots of one sequence, first come, first
 * served.
 *
 * A waiter sleeps by itself until its slots are due and then takes them, if
 * enough are left for the waiters before it. So a waiter that can't run keeps
 * no more from the others than it asked for, and not for long: if it hasn't
 * looked for KUID_LINE_GRACE_NS since its slots were due, the next waiter that
 * looks removes it. The first KUID_LINE_FRONT waiters look when that time comes
 * for the head; the others look when their own slots are due.
 *
 * The line knows neither slots nor clocks: the caller computes when slots are
 * due. All functions but the initializers want &kuid_line.lock held.
 */
#ifndef KUID_CORE_LINE_H
#define KUID_CORE_LINE_H

#include "format.h"

/*
 * How many waiters at the front of a line look after its head, and how many one
 * look removes at most, because interrupts are off meanwhile.
 */
#define KUID_LINE_FRONT 16

/* How long slots may be due without being taken. */
#define KUID_LINE_GRACE_NS (8 * KUID_MS_NS)

/**
 * struct kuid_line - a line
 * @lock: guards all of it and the waiters in it
 * @waiters: in the order in which they came
 * @count: how many waiters there are; read without @lock, too, so written by
 *	WRITE_ONCE()
 * @asked: slots that all waiters up to now have asked for
 */
struct kuid_line {
	raw_spinlock_t lock;
	struct list_head waiters;
	unsigned int count;
	u64 asked;
};

/**
 * struct kuid_waiter - a caller in a line, or on its way into one
 * @entry: in &kuid_line.waiters; empty while the caller is in no line
 * @task: the task to wake
 * @mark: &kuid_line.asked when the waiter joined
 * @due: when its slots and those of the waiters before it are there; each look
 *	moves it, so it is past only while the waiter hasn't looked
 * @first: since when it has been the head
 * @front: it is one of the first KUID_LINE_FRONT
 * @called: it was woken to look, and hasn't yet; read without the lock by the
 *	waiter itself, so written by WRITE_ONCE()
 *
 * Times are nanoseconds of the monotonic clock. All but @task is guarded by
 * &kuid_line.lock.
 */
struct kuid_waiter {
	struct list_head entry;
	struct task_struct *task;
	u64 mark;
	u64 due;
	u64 first;
	bool front;
	bool called;
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

/* Whether the waiter is in a line; others may have removed it. */
static inline bool kuid_waiter_waits(const struct kuid_waiter *waiter)
{
	return !list_empty(&waiter->entry);
}

static inline struct kuid_waiter *kuid_line_head(struct kuid_line *line)
{
	return list_first_entry_or_null(&line->waiters, struct kuid_waiter,
					entry);
}

static inline void kuid_waiter_call(struct kuid_waiter *waiter)
{
	WRITE_ONCE(waiter->called, true);
	kuid_port_wake(waiter->task);
}

/**
 * kuid_line_join - go to the end of a line
 * @line: the line
 * @waiter: the caller, which is in no line
 * @count: how many slots it asks for
 * @now: the time
 *
 * The caller sets &kuid_waiter.due, now and whenever it looks.
 */
static inline void kuid_line_join(struct kuid_line *line,
				  struct kuid_waiter *waiter, u64 count,
				  u64 now)
{
	waiter->mark = line->asked;
	waiter->first = now;
	waiter->front = line->count < KUID_LINE_FRONT;
	line->asked += count;
	list_add_tail(&waiter->entry, &line->waiters);
	WRITE_ONCE(line->count, line->count + 1);
}

/**
 * kuid_line_leave - leave a line, with slots or without
 * @line: the line
 * @waiter: the waiter; if it is in no line, nothing is done
 * @now: the time
 *
 * Wakes the waiter that becomes the head, because what it waits for may be
 * there now.
 */
static inline void kuid_line_leave(struct kuid_line *line,
				   struct kuid_waiter *waiter, u64 now)
{
	bool was_head = kuid_line_head(line) == waiter;
	struct kuid_waiter *other;
	unsigned int n = 0;

	if (!kuid_waiter_waits(waiter))
		return;
	list_del_init(&waiter->entry);
	WRITE_ONCE(line->count, line->count - 1);
	if (was_head && line->count) {
		other = kuid_line_head(line);
		other->first = now;
		kuid_waiter_call(other);
	}
	if (!waiter->front || line->count < KUID_LINE_FRONT)
		return;
	list_for_each_entry(other, &line->waiters, entry) {
		if (++n == KUID_LINE_FRONT) {
			other->front = true;
			break;
		}
	}
}

/* When a waiter has let its time pass. */
static inline u64 kuid_waiter_late(const struct kuid_waiter *waiter)
{
	return waiter->due + KUID_LINE_GRACE_NS;
}

/**
 * kuid_line_look - remove waiters that can't run from the head of a line, and
 *	count what was asked for before the caller
 * @line: the line
 * @waiter: the caller; if it is in no line, it asks as if it were to join
 * @now: the time
 *
 * Return: how many slots are for others, who came before. It may be too many
 * while a waiter that left from the middle is still counted.
 */
static inline u64 kuid_line_look(struct kuid_line *line,
				 struct kuid_waiter *waiter, u64 now)
{
	struct kuid_waiter *head;
	unsigned int n = 0;

	WRITE_ONCE(waiter->called, false);
	while ((head = kuid_line_head(line)) && head != waiter &&
	       kuid_waiter_late(head) <= now && n++ < KUID_LINE_FRONT)
		kuid_line_leave(line, head, now);
	if (!head)
		return 0;
	return (kuid_waiter_waits(waiter) ? waiter->mark : line->asked) -
	       head->mark;
}

/**
 * kuid_line_next_look - until when a waiter may sleep
 * @line: the line
 * @waiter: a waiter in it, which has looked
 * @now: the time
 *
 * Return: the time; not later than when its slots are due.
 */
static inline u64 kuid_line_next_look(struct kuid_line *line,
				      const struct kuid_waiter *waiter, u64 now)
{
	const struct kuid_waiter *head = kuid_line_head(line);

	/* The last look may have left some that are late. */
	if (head != waiter && (waiter->front || kuid_waiter_late(head) <= now))
		return min(waiter->due, kuid_waiter_late(head));
	return waiter->due;
}

#endif /* KUID_CORE_LINE_H */
