// SPDX-License-Identifier: MIT

package kuid;

import java.util.UUID;

/** Makes UUIDs in this process. */
interface Maker {
    UUID one(Format format);

    UUID[] many(Format format, int count);
}
