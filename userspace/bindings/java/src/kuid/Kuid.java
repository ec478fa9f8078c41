// SPDX-License-Identifier: MIT

package kuid;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Makes time-ordered unique IDs: from the device files of the kernel module kuid, or where there
 * are none, in this process.
 *
 * <pre>UUID id = Kuid.uuid7();</pre>
 *
 * <p>IDs of the device are unique on the host and in order over all that use one object of this
 * class, or with order by host, over all programs of the host that ask for it. IDs that a process
 * makes itself are in order within one object only, and a copy of the process or of its virtual
 * machine repeats them.
 *
 * <p>Any number of threads may use an object. A call waits if IDs have run 100 ms in front of their
 * clock, or up to 30 s for an administrator if the module was loaded with state=required. An
 * interrupt does not end the wait. Errors of the device are {@link UncheckedIOException}; what
 * can't be made here is {@link UnsupportedOperationException}.
 *
 * <p>{@link UUID#compareTo} gives the order of versions 6 and 7. It is wrong for version 1.
 */
public final class Kuid implements AutoCloseable {
    /**
     * What the milliseconds of snowflakes count from, unless the module was loaded with another
     * snowflake_epoch_ms: milliseconds since 1970.
     */
    public static final long SNOWFLAKE_EPOCH = 1288834974657L;

    private static final String DIGITS =
            ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
    private static final VarHandle WORD =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final AtomicBoolean WARNED = new AtomicBoolean();
    private static final Kuid DEFAULT = new Kuid(Source.AUTO, false);

    private final Source from;
    private final boolean host;
    private final Device.Opener opener;
    private volatile Source made = Source.AUTO;
    private volatile Maker lanes;
    private volatile InputStream[] files = new InputStream[Format.values().length];
    private boolean closed;

    Kuid(Source from, boolean host, Device.Opener opener) {
        this.from = from;
        this.host = host;
        this.opener = opener;
    }

    /**
     * Makes IDs of a source.
     *
     * @param from where IDs are made
     * @param host whether each ID is greater than all that were read in this order on this host
     *     before, which needs the device
     */
    public Kuid(Source from, boolean host) {
        this(from, host, Device::open);
    }

    /** Returns a UUID version 7. */
    public static UUID uuid7() {
        return DEFAULT.generate(Format.V7);
    }

    /** Returns a UUID version 6. */
    public static UUID uuid6() {
        return DEFAULT.generate(Format.V6);
    }

    /** Returns a UUID version 1. */
    public static UUID uuid1() {
        return DEFAULT.generate(Format.V1);
    }

    /** Returns the object that the static methods use. */
    public static Kuid getDefault() {
        return DEFAULT;
    }

    /** Returns where UUIDs are made; AUTO until the first ID has decided. */
    public Source source() {
        return from == Source.AUTO ? made : from;
    }

    /** Returns a UUID version 7. */
    public UUID generate() {
        return generate(Format.V7);
    }

    /** Returns a UUID of V1, V6 or V7. */
    public UUID generate(Format format) {
        requireUUID(format, true);
        Maker lanes = this.lanes;
        if (lanes != null) {
            return lanes.one(format);
        }
        InputStream file = open(format);
        if (file == null) {
            return this.lanes.one(format);
        }
        byte[] id = read(file, format, 1);
        return new UUID((long) WORD.get(id, 0), (long) WORD.get(id, Long.BYTES));
    }

    /** Returns a number of UUIDs of V1, V6 or V7, which increase. */
    public List<UUID> batch(Format format, int count) {
        requireUUID(format, true);
        requireCount(count);
        InputStream file = open(format);
        if (file == null) {
            return Arrays.asList(lanes.many(format, count));
        }
        ByteBuffer bytes = ByteBuffer.wrap(read(file, format, count));
        List<UUID> ids = new ArrayList<>(count);
        while (bytes.hasRemaining()) {
            ids.add(new UUID(bytes.getLong(), bytes.getLong()));
        }
        return ids;
    }

    /**
     * Returns the bytes of a number of IDs that are not UUIDs, one after the other: 16 bytes for
     * each LEX and K128, 12 for K96, 8 for K64 and SNOWFLAKE.
     */
    public byte[] bytes(Format format, int count) {
        requireUUID(format, false);
        requireCount(count);
        return read(open(format), format, count);
    }

    /** Returns a k64. */
    public long k64() {
        return ByteBuffer.wrap(bytes(Format.K64, 1)).getLong();
    }

    /** Returns a snowflake. Its text is decimal. */
    public long snowflake() {
        return ByteBuffer.wrap(bytes(Format.SNOWFLAKE, 1)).getLong();
    }

    /**
     * Closes the device files. No other thread may be in a call, because Java lets a blocked read
     * go on. Later calls that need the device are errors.
     */
    @Override
    public synchronized void close() {
        closed = true;
        InputStream[] open = files;
        files = new InputStream[open.length];
        try {
            for (InputStream file : open) {
                if (file != null) {
                    file.close();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the time of a UUID that this package has made: for versions 1 and 6 to 100 ns, for
     * version 7 to 1 ns. A version 7 from elsewhere may have anything below the millisecond.
     */
    public static Instant time(UUID id) {
        return Lanes.time(id);
    }

    /** Returns the canonical text of a k64, 11 digits of sortable base 64. */
    public static String k64Text(long id) {
        StringBuilder text = new StringBuilder();
        for (int shift = 58; shift > 0; shift -= 6) {
            text.append(DIGITS.charAt((int) (id >>> shift) & 63));
        }
        return text.append(DIGITS.charAt((int) (id << 2) & 63)).toString();
    }

    /** Returns the time of a k64, to 1,024 us. */
    public static Instant k64Time(long id) {
        long seconds = (id >>> 44) * 1_000_000 + (id >>> 24 & 0xfffff);
        return Instant.ofEpochSecond(seconds, (id >>> 14 & 0x3ff) * 1_024_000);
    }

    /**
     * Returns the time of a snowflake, to the millisecond.
     *
     * @param id the snowflake
     * @param epoch SNOWFLAKE_EPOCH, unless the module was loaded with another one
     */
    public static Instant snowflakeTime(long id, long epoch) {
        return Instant.ofEpochMilli((id >>> 22) + epoch);
    }

    private static void requireUUID(Format format, boolean uuid) {
        if (format.isUUID() != uuid) {
            throw new IllegalArgumentException(format + " is not a format for this call");
        }
    }

    private static void requireCount(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("a negative number of IDs");
        }
    }

    /** Returns the device file of a format, or null if its IDs are made in this process. */
    private InputStream open(Format format) {
        InputStream file = files[format.ordinal()];
        return file != null ? file : openFirst(format);
    }

    private synchronized InputStream openFirst(Format format) {
        if (files[format.ordinal()] != null) {
            return files[format.ordinal()];
        }
        boolean canBeLocal = format.isUUID() && !host;
        if ((from == Source.LOCAL || from == Source.PRIVATE) && !canBeLocal) {
            throw new UnsupportedOperationException(
                    "a process makes v1, v6 and v7 only, in no order over the host: use DEVICE");
        }
        if (closed) {
            throw new UncheckedIOException(new IOException("the object was closed"));
        }
        if (from == Source.PRIVATE || source() == Source.LOCAL && canBeLocal) {
            return makeHere();
        }
        String path = "/dev/kuids/" + (host ? "host/" : "") + format;
        try {
            InputStream file = opener.open(path);
            // Readers don't take the lock, so they get a new array.
            InputStream[] more = files.clone();
            more[format.ordinal()] = file;
            files = more;
            if (made == Source.AUTO) {
                made = Source.DEVICE;
            }
            return file;
        } catch (Device.MissingException e) {
            if (source() != Source.AUTO || !canBeLocal) {
                throw Device.helped(path, e);
            }
            if (WARNED.compareAndSet(false, true)) {
                System.getLogger("kuid").log(Level.WARNING,
                        "{0}: this process makes UUIDs itself, in no order with others",
                        e.getMessage());
            }
            return makeHere();
        } catch (IOException e) {
            throw Device.helped(path, e);
        }
    }

    private InputStream makeHere() {
        if (lanes == null) {
            lanes = from == Source.PRIVATE ? new PrivateLanes() : new Lanes(Lanes.SYSTEM);
            made = Source.LOCAL;
        }
        return null;
    }

    private static byte[] read(InputStream file, Format format, int count) {
        byte[] ids = new byte[Math.multiplyExact(count, format.size)];
        try {
            if (file.readNBytes(ids, 0, ids.length) == ids.length) {
                return ids;
            }
        } catch (IOException e) {
            throw Device.helped(format.toString(), e);
        }
        throw new UncheckedIOException(
                new IOException(format + ": the device file gave no whole ID"));
    }
}
