// SPDX-License-Identifier: MIT

package kuid;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Makes IDs, for any number of threads.
 *
 * <p>IDs of the device are unique on the host and in order over all that use one generator, or with
 * {@link #host}, over all programs of the host that ask for it. Versions 7 that a process makes
 * itself are in order in the process only, and random bits alone tell them from those of others.
 *
 * <p>A call waits if IDs have run 100 ms in front of their clock, or up to 30 s for an administrator
 * if the module was loaded with state=required. An interrupt ends the wait of {@link #bytes(Format,
 * int, Duration)} only, because Java has no means to end a read. Errors of the device are {@link
 * UncheckedIOException}; what can't be made without it is {@link UnsupportedOperationException}.
 * {@link IllegalStateException} is a clock before 1970 or past 2262, of which the process makes no ID.
 */
public final class Generator {
    private static final AtomicBoolean WARNED = new AtomicBoolean();
    private static final AtomicLong LAST = new AtomicLong(); // nanosecond of a plain version 7
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Source from;
    private final boolean host;
    private final Device.Opener opener;
    private volatile Source made = Source.AUTO;
    private final AtomicReferenceArray<InputStream> files =
            new AtomicReferenceArray<>(Format.values().length);
    private volatile String missing; // why there is no device
    private final ExecutorService[] readers = new ExecutorService[Format.values().length];

    Generator(Source from, boolean host, Device.Opener opener) {
        this.from = from;
        this.host = host;
        this.opener = opener;
        Arrays.setAll(readers, format -> reader());
    }

    /** Makes a generator of a source, whose IDs are in order over all that use the generator. */
    public Generator(Source from) {
        this(from, false, Device::open);
    }

    /**
     * Returns a generator whose IDs are greater than all that were read in this order on this host
     * before, which needs the device, also with {@link Source#AUTO}.
     */
    public static Generator host(Source from) {
        return new Generator(from, true, Device::open);
    }

    /** Returns where IDs are made; AUTO until the first ID has decided. */
    public Source source() {
        return from == Source.AUTO ? made : from;
    }

    /** Returns a UUID version 7. */
    public UUID uuid7() {
        return Kuid.uuid(bytes(Format.V7, 1));
    }

    /** Returns a UUID version 6. */
    public UUID uuid6() {
        return Kuid.uuid(bytes(Format.V6, 1));
    }

    /** Returns a UUID version 1. */
    public UUID uuid1() {
        return Kuid.uuid(bytes(Format.V1, 1));
    }

    /** Returns a k64, a positive number. */
    public long k64() {
        return ByteBuffer.wrap(bytes(Format.K64, 1)).getLong();
    }

    /** Returns a snowflake, a positive number. */
    public long snowflake() {
        return ByteBuffer.wrap(bytes(Format.SNOWFLAKE, 1)).getLong();
    }

    /** Returns the 16 bytes of a lex. */
    public byte[] lex() {
        return bytes(Format.LEX, 1);
    }

    /** Returns the 12 bytes of a k96. */
    public byte[] k96() {
        return bytes(Format.K96, 1);
    }

    /** Returns the 16 bytes of a k128. */
    public byte[] k128() {
        return bytes(Format.K128, 1);
    }

    /** Returns a number of UUIDs of V1, V6 or V7, which increase. */
    public List<UUID> batch(Format format, int count) {
        if (!format.isUUID()) {
            throw new IllegalArgumentException(format + " is no UUID");
        }
        return uuids(bytes(format, count));
    }

    static List<UUID> uuids(byte[] ids) {
        ByteBuffer bytes = ByteBuffer.wrap(ids);
        List<UUID> uuids = new ArrayList<>(ids.length / 16);
        while (bytes.hasRemaining()) {
            uuids.add(new UUID(bytes.getLong(), bytes.getLong()));
        }
        return uuids;
    }

    /** Returns a number of IDs of any format as bytes, one behind the other. They increase. */
    public byte[] bytes(Format format, int count) {
        if (count < 0) {
            throw new IllegalArgumentException("a negative number of IDs");
        }
        InputStream file = files.get(format.ordinal());
        if (file == null) {
            file = open(format);
        }
        int size = Math.multiplyExact(count, format.size);
        if (file == null) {
            if (from == Source.AUTO && WARNED.compareAndSet(false, true)) {
                System.getLogger("kuid").log(Level.WARNING,
                        "{0}: this process makes UUIDs itself, in no order with others", missing);
            }
            return plain(count, Instant.now());
        }
        try {
            byte[] ids = new byte[size];
            if (file.readNBytes(ids, 0, size) == size) {
                return ids;
            }
            throw new IOException("the device file gave no whole ID");
        } catch (IOException e) {
            throw Device.helped(format.toString(), e);
        }
    }

    /**
     * Returns the same, but waits no longer than a time, and ends if the thread is interrupted. Java
     * can't end a read, so one more thread for each format reads: the IDs of a call that has ended are
     * lost.
     */
    public byte[] bytes(Format format, int count, Duration timeout)
            throws InterruptedException, TimeoutException {
        if (timeout.isZero() || timeout.isNegative()) {
            throw new IllegalArgumentException("no time to wait for: " + timeout);
        }
        Future<byte[]> ids = readers[format.ordinal()].submit(() -> bytes(format, count));
        try {
            return ids.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException error ? error : new IllegalStateException(e);
        } finally {
            ids.cancel(false); // A read that has not begun takes nothing.
        }
    }

    /** Returns a thread that ends when it is not needed, and keeps no program running. */
    private static ExecutorService reader() {
        ThreadPoolExecutor reader =
                new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "kuid");
                    thread.setDaemon(true);
                    return thread;
                });
        reader.allowCoreThreadTimeOut(true);
        return reader;
    }

    /**
     * Tells what holds now for IDs of a format. It opens the device if no ID has decided yet where
     * they are made, and then there is no warning if there is none.
     */
    public Guarantees guarantees(Format format) {
        if (open(format) != null) {
            return Device.guarantees(format, host);
        }
        WARNED.set(true);
        return new Guarantees(Source.PLAIN, "file", true, true, "never", true);
    }

    /** Returns the device file of a format, or null if this process makes the IDs. */
    private synchronized InputStream open(Format format) {
        if (files.get(format.ordinal()) != null) {
            return files.get(format.ordinal());
        }
        boolean canBePlain = format == Format.V7 && !host;
        if (from == Source.PLAIN && !canBePlain) {
            throw new UnsupportedOperationException(
                    "a process makes v7 only, in no order over the host: use DEVICE");
        }
        if (source() == Source.PLAIN && canBePlain) {
            return null;
        }
        String path = "/dev/kuids/" + (host ? "host/" : "") + format;
        try {
            InputStream file = opener.open(path);
            files.set(format.ordinal(), file);
            if (made == Source.AUTO) {
                made = Source.DEVICE;
            }
            return file;
        } catch (Device.MissingException e) {
            if (source() != Source.AUTO || !canBePlain) {
                throw Device.helped(path, e);
            }
            missing = e.getMessage();
            made = Source.PLAIN;
            return null;
        } catch (IOException e) {
            throw Device.helped(path, e);
        }
    }

    /** Makes versions 7: nanoseconds that increase, and random bits below them. */
    static byte[] plain(int count, Instant time) {
        // A long counts nanoseconds until 2262.
        if (time.getEpochSecond() < 0 || time.getEpochSecond() >= Long.MAX_VALUE / 1_000_000_000) {
            throw new IllegalStateException("a version 7 can't tell the time of the clock, " + time);
        }
        long now = time.getEpochSecond() * 1_000_000_000 + time.getNano();
        long last = LAST.updateAndGet(
                before -> Math.addExact(Math.max(now, before + 1), count - 1));
        byte[] ids = new byte[16 * count];
        RANDOM.nextBytes(ids);
        ByteBuffer bytes = ByteBuffer.wrap(ids);
        for (int i = 0; i < count; i++) {
            long ns = last - count + 1 + i;
            long fraction = (ns % 1_000_000 << 20) / 1_000_000;
            long random = bytes.getLong(16 * i + 8) & (1L << 54) - 1;
            bytes.putLong(16 * i, ns / 1_000_000 << 16 | 0x7000 | fraction >>> 8);
            bytes.putLong(16 * i + 8, 1L << 63 | (fraction & 0xff) << 54 | random);
        }
        return ids;
    }
}
