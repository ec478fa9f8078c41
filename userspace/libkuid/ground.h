/* SPDX-License-Identifier: MIT */
/*
 * The ground that the core stands on in a process: included before any of the
 * core's files, wherever its locks are taken.
 */
#ifndef KUID_GROUND_H
#define KUID_GROUND_H

/*
 * A signal handler may ask for an ID of its own, and must not find a lock that
 * the thread it interrupts holds.
 */
#define kuid_port_irq_save()	     kuid_ground_block_signals()
#define kuid_port_irq_restore(flags) kuid_ground_restore_signals(flags)

/* Yielding is not enough: the other thread may be of a lower priority. */
#define kuid_port_relax() kuid_ground_sleep()

unsigned long kuid_ground_block_signals(void);
void kuid_ground_restore_signals(unsigned long blocked);
void kuid_ground_sleep(void);

#endif /* KUID_GROUND_H */
