// SPDX-License-Identifier: MIT

package kuid;

/**
 * What holds now for IDs of a generator, so that a program can refuse to run on less. Order between
 * programs is lost if the order or the source of one differs.
 */
public final class Guarantees {
    static final Guarantees PLAIN =
            new Guarantees(Source.PLAIN, "file", true, true, "never", true);

    private final Source source;
    private final String order;
    private final boolean unique;
    private final boolean ordered;
    private final String clones;
    private final boolean rebootSafe;

    Guarantees(Source source, String order, boolean unique, boolean ordered, String clones,
            boolean rebootSafe) {
        this.source = source;
        this.order = order;
        this.unique = unique;
        this.ordered = ordered;
        this.clones = clones;
        this.rebootSafe = rebootSafe;
    }

    /** Returns DEVICE or PLAIN. */
    public Source source() {
        return source;
    }

    /**
     * Returns "host": over all programs of the host that ask for it; or "file": over all that use
     * the generator.
     */
    public String order() {
        return order;
    }

    /** Returns whether no ID repeats on this host; if the source is PLAIN, by random bits. */
    public boolean isUnique() {
        return unique;
    }

    /** Returns whether IDs are in this order. */
    public boolean isOrdered() {
        return ordered;
    }

    /**
     * Returns when a copy of the virtual machine is noticed: "seen" before the next ID, "told"
     * later, or "never", also if the machine is not virtual.
     */
    public String clones() {
        return clones;
    }

    /** Returns whether no ID repeats after a reboot. */
    public boolean isRebootSafe() {
        return rebootSafe;
    }

    @Override
    public String toString() {
        return "source " + source + ", order " + order + ", unique " + unique
                + ", ordered " + ordered + ", clones " + clones + ", reboot-safe " + rebootSafe;
    }
}
