/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The core is compiled with this header first, except in models. It counts what
 * the calling thread does, for tests that limit that.
 */
#ifndef KUID_UNIT_COUNT_H
#define KUID_UNIT_COUNT_H

/*
 * Locks taken, locks held now, and accesses to memory that threads share. A
 * thread that gives up a lock which it does not hold ends the test.
 */
extern _Thread_local unsigned long count_locks;
extern _Thread_local unsigned long count_held;
extern _Thread_local unsigned long count_accesses;

#define kuid_port_step()     ((void)count_accesses++)
#define kuid_port_irq_save() (count_held++, count_locks++)
#define kuid_port_irq_restore(flags) \
	((void)(flags), count_held-- ? (void)0 : __builtin_trap())

#endif /* KUID_UNIT_COUNT_H */
