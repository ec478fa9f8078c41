/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists like those of the kernel, for the core in a process. */
#ifndef _LINUX_LIST_H
#define _LINUX_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list_head {
	struct list_head *next, *prev;
};

#define container_of(pointer, type, member)                 \
	({                                                  \
		char *_member = (char *)(pointer);          \
		(type *)(_member - offsetof(type, member)); \
	})
#define list_first_entry_or_null(list, type, member) \
	(list_empty(list) ? NULL : container_of((list)->next, type, member))
#define list_next_entry(at, member) \
	container_of((at)->member.next, __typeof__(*(at)), member)
#define list_for_each_entry(at, list, member)                              \
	for ((at) = container_of((list)->next, __typeof__(*(at)), member); \
	     &(at)->member != (list);                                      \
	     (at) = container_of((at)->member.next, __typeof__(*(at)),     \
				 member))

static inline bool list_is_last(const struct list_head *entry,
				const struct list_head *list)
{
	return entry->next == list;
}

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline bool list_empty(const struct list_head *list)
{
	return list->next == list;
}

static inline void list_add_tail(struct list_head *entry,
				 struct list_head *list)
{
	entry->next = list;
	entry->prev = list->prev;
	list->prev->next = entry;
	list->prev = entry;
}

static inline void list_del_init(struct list_head *entry)
{
	entry->next->prev = entry->prev;
	entry->prev->next = entry->next;
	INIT_LIST_HEAD(entry);
}

#endif /* _LINUX_LIST_H */
