// SPDX-License-Identifier: MIT

package kuid;

import java.nio.ByteBuffer;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** Makes IDs in this process, by one lane after the other. */
final class Lanes implements Maker {
    static final long MS = 1_000_000;
    static final long SECOND = 1_000_000_000;
    /** How far IDs may be in front of their clock, in nanoseconds. */
    static final long MAX_AHEAD = 100 * MS;
    /** The lag above which another lane is taken. */
    static final long STEP_LIMIT = 10 * SECOND;
    /** A difference of the clocks' offset that is below this is one of reading them. */
    static final long JITTER = MS;

    private static final long TICK = 100;
    private static final long UNIX_TICKS = 0x01B21DD213814000L;
    private static final long VARIANT = 1L << 63;
    private static final long NODE_MASK = (1L << 48) - 1;
    private static final long MULTICAST = 1L << 40;
    private static final int LANE_SHIFT = 48;
    private static final int NS_SHIFT = LANE_SHIFT + 7;
    private static final int OFFSETS = 28;
    private static final int FRACTION_SHIFT = 54;
    private static final int FRACTION_BITS = 20;

    /** The clocks of the machine, in nanoseconds, and a way to wait. */
    interface Clocks {
        long wall();

        long mono();

        void sleep(long nanoseconds) throws InterruptedException;
    }

    static final Clocks SYSTEM =
            new Clocks() {
                private final Clock clock = Clock.systemUTC();
                private final long start = System.nanoTime();

                @Override
                public long wall() {
                    Instant now = clock.instant();
                    return now.getEpochSecond() * SECOND + now.getNano();
                }

                @Override
                public long mono() {
                    return System.nanoTime() - start;
                }

                @Override
                public void sleep(long nanoseconds) throws InterruptedException {
                    Thread.sleep(nanoseconds / MS, (int) (nanoseconds % MS));
                }
            };

    /**
     * Hands out each nanosecond once, and tells its IDs from those of others by a random node or a
     * random key. A thread may go on with a lane that was replaced: no other lane has the same node
     * or key.
     */
    static final class Lane {
        /** The highest nanosecond that was handed out. */
        final AtomicLong last = new AtomicLong();

        /** The second word of versions 1 and 6 in the first nanosecond of a tick. */
        final long low;

        final long key0;
        final long key1;

        Lane(long low, long key0, long key1) {
            this.low = low;
            this.key0 = key0;
            this.key1 = key1;
        }

        static Lane random() {
            byte[] bytes = new byte[26];
            try {
                // The strong one waits until the kernel's random generator is ready.
                SecureRandom.getInstanceStrong().nextBytes(bytes);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
            ByteBuffer random = ByteBuffer.wrap(bytes);
            long node = random.getLong() & NODE_MASK | MULTICAST;
            long key0 = random.getLong();
            long key1 = random.getLong();
            long offset = Byte.toUnsignedLong(random.get()) % OFFSETS;
            long scramble = random.get() & 127;
            return new Lane(
                    VARIANT | offset << NS_SHIFT | scramble << LANE_SHIFT | node, key0, key1);
        }

        /**
         * Takes up to count nanoseconds that are at least now and at most limit, as many as there
         * are. Returns the first of them; if it is above limit, none was taken.
         */
        long reserve(long now, long limit, int count) {
            for (;;) {
                long before = last.get();
                long first = Math.max(now, before + 1);
                if (first > limit
                        || last.compareAndSet(before, Math.min(first + count - 1, limit))) {
                    return first;
                }
            }
        }

        /** Makes the ID of a nanosecond. */
        UUID pack(Format format, long ns) {
            if (format == Format.V7) {
                return v7(ns / MS, (ns % MS << FRACTION_BITS) / MS, siphash(key0, key1, ns));
            }
            long ticks = ns / TICK + UNIX_TICKS;
            long second = low + (ns % TICK << NS_SHIFT);
            if (format == Format.V6) {
                return new UUID(ticks >>> 12 << 16 | 0x6000 | ticks & 0xfff, second);
            }
            return new UUID(
                    ticks << 32 | (ticks >>> 32 & 0xffff) << 16 | 0x1000 | ticks >>> 48 & 0xfff,
                    second);
        }
    }

    private final Clocks clocks;
    volatile Lane current;

    /** The lane's clock is the higher of two lines over the monotonic clock. */
    private long offset; // wall clock minus monotonic clock

    private long half; // the other line is this plus half of the monotonic clock; 0 if none

    Lanes(Clocks clocks) {
        this.clocks = clocks;
        replace();
    }

    static UUID v7(long ms, long fraction, long below) {
        return new UUID(
                ms << 16 | 0x7000 | fraction >>> 8,
                VARIANT
                        | (fraction & 0xff) << FRACTION_SHIFT
                        | below & (1L << FRACTION_SHIFT) - 1);
    }

    static Instant time(UUID id) {
        long high = id.getMostSignificantBits();
        long ticks;
        switch (id.version()) {
            case 1:
                ticks = (high & 0xfff) << 48 | (high >>> 16 & 0xffff) << 32 | high >>> 32;
                break;
            case 6:
                ticks = high >>> 16 << 12 | high & 0xfff;
                break;
            case 7:
                long low = id.getLeastSignificantBits();
                long fraction = (high & 0xfff) << 8 | low >>> FRACTION_SHIFT & 0xff;
                long ns = fraction * MS + (1 << FRACTION_BITS) - 1 >>> FRACTION_BITS;
                return Instant.ofEpochMilli(high >>> 16).plusNanos(ns);
            default:
                throw new IllegalArgumentException(id + " has no time");
        }
        ticks -= UNIX_TICKS;
        long perSecond = SECOND / TICK;
        return Instant.ofEpochSecond(
                Math.floorDiv(ticks, perSecond), Math.floorMod(ticks, perSecond) * TICK);
    }

    /** Computes SipHash-2-4 of the 8 bytes of a word, little-endian. */
    static long siphash(long key0, long key1, long word) {
        long a = key0 ^ 0x736f6d6570736575L;
        long b = key1 ^ 0x646f72616e646f6dL;
        long c = key0 ^ 0x6c7967656e657261L;
        long d = key1 ^ 0x7465646279746573L;
        for (int round = 0; round < 8; round++) {
            if (round == 0) {
                d ^= word;
            } else if (round == 2) {
                // The last block has the length in bytes in its highest byte.
                a ^= word;
                d ^= 8L << 56;
            } else if (round == 4) {
                a ^= 8L << 56;
                c ^= 0xff;
            }
            a += b;
            c += d;
            b = Long.rotateLeft(b, 13) ^ a;
            d = Long.rotateLeft(d, 16) ^ c;
            a = Long.rotateLeft(a, 32) + d;
            c += b;
            d = Long.rotateLeft(d, 21) ^ a;
            b = Long.rotateLeft(b, 17) ^ c;
            c = Long.rotateLeft(c, 32);
        }
        return a ^ b ^ c ^ d;
    }

    @Override
    public UUID one(Format format) {
        Lane lane = current;
        long now = clocks.wall();
        long first = lane.reserve(now, now + MAX_AHEAD, 1);
        return first > now + MAX_AHEAD ? many(format, 1)[0] : lane.pack(format, first);
    }

    /** Makes IDs, all of one lane. */
    @Override
    public UUID[] many(Format format, int count) {
        // As in the kernel: batches must not keep IDs from singles.
        long ahead = count > 1 ? MAX_AHEAD / 2 : MAX_AHEAD;
        UUID[] ids = new UUID[count];
        Lane lane = current;
        boolean interrupted = false;
        int done = 0;
        while (done < count) {
            int left = count - done;
            long limit = clocks.wall() + ahead;
            long first = lane.reserve(limit - ahead, limit, left);
            if (first > limit) {
                // The wall clock was set back, or the window was used up.
                limit = clockOf(lane) + ahead;
                if (current != lane) {
                    lane = current;
                    done = 0;
                    continue;
                }
                first = lane.reserve(limit - ahead, limit, left);
            }
            if (first > limit) {
                try {
                    clocks.sleep(until(first - ahead));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
                continue;
            }
            long taken = Math.min(left, limit - first + 1);
            for (int i = 0; i < taken; i++) {
                ids[done++] = lane.pack(format, first + i);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return ids;
    }

    private synchronized void replace() {
        Lane next = Lane.random();
        offset = sample();
        half = 0;
        current = next;
    }

    /**
     * Reads the offset of the wall clock. The thread may be stopped between the readings of the two
     * clocks, so they are read again then.
     */
    private long sample() {
        for (int tries = 0; ; tries++) {
            long before = clocks.mono();
            long wall = clocks.wall();
            long after = clocks.mono();
            if (after - before < JITTER / 2 || tries == 16) {
                return wall - after;
            }
        }
    }

    long at(long mono) {
        return Math.max(mono + offset, half + mono / 2);
    }

    /** Returns how long it takes until the lane's clock shows a time, or the window. */
    private synchronized long until(long time) {
        long mono = clocks.mono();
        long wait = Math.min(time - offset, (time - half) * 2) - mono;
        // Meanwhile a thread that had read the wall clock before it was set back may have raised
        // the lane by years. No wait is longer than the window.
        return Math.max(0, Math.min(wait, MAX_AHEAD));
    }

    /** Reads the clock of a lane. If that is too far in front of the wall clock, replaces it. */
    private synchronized long clockOf(Lane lane) {
        if (current != lane) {
            return 0;
        }
        // In the other order the clock could be older than the stamp.
        long last = lane.last.get();
        long sampled = sample();
        long mono = clocks.mono();
        if (follow(mono, sampled, last) > STEP_LIMIT) {
            replace();
        }
        return at(mono);
    }

    /**
     * Lets the clock follow a wall clock that was set, or one that is further than the window
     * behind the highest time that was issued. Returns how far that time is in front of it.
     */
    private long follow(long mono, long sampled, long issued) {
        long now = at(mono);
        if (Math.abs(sampled - offset) < JITTER) {
            if (issued <= now + MAX_AHEAD) {
                return 0;
            }
            sampled = offset;
        }
        // The half ramp begins below an issued time that is in front of the clock. Otherwise a wall
        // clock that is set often would drive it ever further.
        long from = issued > now ? Math.max(now, issued - MAX_AHEAD) : issued;
        offset = sampled;
        half = from > mono + offset ? from - mono / 2 : 0;
        return issued - (mono + offset);
    }
}
