// SPDX-License-Identifier: MIT

package kuid;

/**
 * What holds now for IDs of a generator, so that a program can refuse to run on less. Order between
 * programs is lost if the order or the source of one differs.
 *
 * @param source DEVICE or PLAIN
 * @param order "host": over all programs of the host that ask for it; or "file": over all that use
 *     the generator
 * @param unique whether no ID repeats on this host; if the source is PLAIN, by random bits
 * @param ordered whether IDs are in this order
 * @param clones when a copy of the virtual machine is noticed: "seen" before the next ID, "told"
 *     later, or "never", also if the machine is not virtual
 * @param rebootSafe whether no ID repeats after a reboot
 */
public record Guarantees(
        Source source, String order, boolean unique, boolean ordered, String clones, boolean rebootSafe) {}
