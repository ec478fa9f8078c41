// SPDX-License-Identifier: MIT

package kuid;

import java.util.Locale;

/** The layout of an ID; kuid(4) describes them. */
public enum Format {
    /** UUID version 1. */
    V1(16),
    /** UUID version 6. */
    V6(16),
    /** UUID version 7. */
    V7(16),
    /** Microseconds and a worker, 16 bytes. */
    LEX(16),
    /** K-ordered, 8 bytes. */
    K64(8),
    /** K-ordered with a node of 32 bits, 12 bytes. */
    K96(12),
    /** K-ordered with a node of 64 bits, 16 bytes. */
    K128(16),
    /** Snowflake, 8 bytes. */
    SNOWFLAKE(8);

    final int size;

    Format(int size) {
        this.size = size;
    }

    boolean isUUID() {
        return compareTo(V7) <= 0;
    }

    /** Returns the name of its device file. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
