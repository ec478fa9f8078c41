// SPDX-License-Identifier: MIT

package kuid;

import java.util.Locale;

/** Where IDs are made. */
public enum Source {
    /**
     * {@link #DEVICE}, or {@link #LOCAL} for UUIDs if there is no device file, it has no driver, or
     * it may not be read. The first ID decides. A warning is logged if that is {@code LOCAL}.
     */
    AUTO,
    /** The kernel. */
    DEVICE,
    /** This process. It makes UUIDs only. */
    LOCAL,
    /**
     * A lane in this process that the kernel guards. It makes UUIDs only, and needs libkuid, Java
     * 22 and a package that was built by it.
     */
    PRIVATE;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
