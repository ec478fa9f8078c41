// SPDX-License-Identifier: MIT

package kuid;

import java.util.Locale;

/** Where IDs are made. */
public enum Source {
    /**
     * {@link #DEVICE}, or {@link #PLAIN} for version 7 if there is no device file, it has no driver,
     * or it may not be read. The first ID decides. A warning is logged if that is {@code PLAIN}.
     */
    AUTO,
    /** The kernel. */
    DEVICE,
    /** This process. It makes version 7 only. */
    PLAIN;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
