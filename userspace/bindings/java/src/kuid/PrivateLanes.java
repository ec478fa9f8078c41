// SPDX-License-Identifier: MIT

package kuid;

import java.util.UUID;

/** What stands for private lanes in Java before 22, which can't call libkuid. */
final class PrivateLanes implements Maker {
    PrivateLanes() {
        throw new UnsupportedOperationException(
                "private lanes need libkuid, Java 22 and a jar that was built by it: "
                        + "use DEVICE or LOCAL");
    }

    @Override
    public UUID one(Format format) {
        throw new IllegalStateException();
    }

    @Override
    public UUID[] many(Format format, int count) {
        throw new IllegalStateException();
    }
}
