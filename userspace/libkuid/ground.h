/* SPDX-License-Identifier: MIT */
/*
 * The process's side of core/port.h: macros for the core's locks. A file that
 * takes these locks includes this before any file of the core.
 */
#ifndef KUID_GROUND_H
#define KUID_GROUND_H

/*
 * A signal handler may make an ID. If it interrupted the holder of a lock, it
 * would wait for this lock forever, so block signals while a lock is held.
 */
#define kuid_port_irq_save()	     kuid_ground_block_signals()
#define kuid_port_irq_restore(flags) kuid_ground_restore_signals(flags)

/* Yielding is not enough: the other thread may be of a lower priority. */
#define kuid_port_relax() kuid_ground_sleep()

unsigned long kuid_ground_block_signals(void);
void kuid_ground_restore_signals(unsigned long blocked);
void kuid_ground_sleep(void);

#endif /* KUID_GROUND_H */
