// SPDX-License-Identifier: MIT

package kuid;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * Makes time-ordered unique IDs of the whole host, by the kernel module kuid.
 *
 * <pre>UUID id = Kuid.uuid7();</pre>
 *
 * <p>These are the methods of one {@link Generator} whose source is {@link Source#AUTO}: where there
 * is no device, the process makes a plain version 7 itself, which is logged once.
 *
 * <p>{@link UUID#compareTo} gives the order of versions 6 and 7. It is wrong for version 1.
 */
public final class Kuid {
    private static final Generator AUTO = new Generator(Source.AUTO);
    private static final Generator HOST = Generator.host(Source.AUTO);

    private Kuid() {}

    /** Returns the generator of these methods. */
    public static Generator getDefault() {
        return AUTO;
    }

    /** Returns a generator of IDs that are in order over all programs of the host that use one. */
    public static Generator host() {
        return HOST;
    }

    /** Returns a UUID version 7. */
    public static UUID uuid7() {
        return AUTO.uuid7();
    }

    /** Returns a UUID version 6. */
    public static UUID uuid6() {
        return AUTO.uuid6();
    }

    /** Returns a UUID version 1. */
    public static UUID uuid1() {
        return AUTO.uuid1();
    }

    /** Returns a k64, a positive number. */
    public static long k64() {
        return AUTO.k64();
    }

    /** Returns a snowflake, a positive number. */
    public static long snowflake() {
        return AUTO.snowflake();
    }

    /** Returns a number of UUIDs of V1, V6 or V7, which increase. */
    public static List<UUID> batch(Format format, int count) {
        return AUTO.batch(format, count);
    }

    /**
     * Returns the time of a UUID of version 1, 6 or 7: to 100 ns; of a version 7 to the millisecond,
     * or with {@link Format#MADE_BY_KUID} to the nanosecond.
     *
     * @throws IllegalArgumentException if it is of another version or variant
     */
    public static Instant time(UUID id, long... setting) {
        for (Format format : List.of(Format.V1, Format.V6, Format.V7)) {
            if (format.name().equals("V" + id.version())) {
                return format.time(bytes(id), setting);
            }
        }
        throw new IllegalArgumentException(id + " has no time");
    }

    /** Returns the 16 bytes of a UUID. */
    public static byte[] bytes(UUID id) {
        return ByteBuffer.allocate(16).putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits()).array();
    }

    /** Returns the UUID of 16 bytes, as {@link Format#lowest} returns them. */
    public static UUID uuid(byte[] bytes) {
        if (bytes.length != 16) {
            throw new IllegalArgumentException(bytes.length + " bytes");
        }
        ByteBuffer id = ByteBuffer.wrap(bytes);
        return new UUID(id.getLong(), id.getLong());
    }
}
