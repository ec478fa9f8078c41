// SPDX-License-Identifier: MIT

package kuid;

import java.math.BigInteger;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * The layout of an ID; kuid(4) describes them. Methods here read IDs from anywhere, and need no
 * device.
 *
 * <p>A setting is what an ID doesn't say: I of K96 and K128, {@link #INTERVAL} if it is not given;
 * for SNOWFLAKE the milliseconds since 1970 that its time counts from, else {@link
 * #SNOWFLAKE_EPOCH}; and for V7 {@link #MADE_BY_KUID}, else it has milliseconds only.
 */
public enum Format {
    /** UUID version 1. */
    V1(16, 100, 60,
            new Part(32, 't', 0), new Part(16, 't', 32), new Part(4, '=', 1), new Part(12, 't', 48),
            new Part(2, '=', 2), new Part(62, '*', 0)),
    /** UUID version 6. */
    V6(16, 100, 60,
            new Part(48, 't', 12), new Part(4, '=', 6), new Part(12, 't', 0),
            new Part(2, '=', 2), new Part(62, '*', 0)),
    /** UUID version 7. */
    V7(16, 1_000_000, 48,
            new Part(48, 't', 0), new Part(4, '=', 7), new Part(12, 'f', 8),
            new Part(2, '=', 2), new Part(8, 'f', 0), new Part(54, '*', 0)),
    /** Microseconds and a worker, 16 bytes. */
    LEX(16, 1000, 64,
            new Part(64, 't', 0), new Part(64, '*', 0)),
    /** K-ordered, 8 bytes. */
    K64(8, 1_000_000_000, 50),
    /** K-ordered with a node of 32 bits, 12 bytes. */
    K96(12, 1_000_000_000, 50),
    /** K-ordered with a node of 64 bits, 16 bytes. */
    K128(16, 1_000_000_000, 50),
    /** Snowflake, 8 bytes. */
    SNOWFLAKE(8, 1_000_000, 41,
            new Part(1, '=', 0), new Part(41, 't', 0), new Part(22, '*', 0));

    /** I of K96 and K128, unless the module was loaded with another one. */
    public static final long INTERVAL = 8;

    /** The start of the milliseconds of snowflakes, unless the module was told otherwise. */
    public static final long SNOWFLAKE_EPOCH = 1288834974657L;

    /** Kuid made the V7, which has nanoseconds. */
    public static final long MADE_BY_KUID = 1;

    private static final String BASE64 =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    private static final String SORTABLE =
            ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
    private static final BigInteger MEGA = BigInteger.valueOf(1_000_000);
    private static final int FRACTION = 20; // bits of v7 below its milliseconds

    /**
     * Bits of an ID, from the most significant on: 't' is a part of the time, above so many bits of
     * it, 'f' of its fraction of a millisecond; '=' are always the same, and '*' any.
     */
    private record Part(int bits, char kind, int of) {}

    final int size;
    private final int unit; // of the time, in nanoseconds
    private final int bits; // of the time
    private final List<Part> parts;

    Format(int size, int unit, int bits, Part... parts) {
        this.size = size;
        this.unit = unit;
        this.bits = bits;
        this.parts = List.of(parts);
    }

    boolean isUUID() {
        return compareTo(V7) <= 0;
    }

    private boolean isKOrdered() {
        return compareTo(K64) >= 0 && compareTo(K128) <= 0;
    }

    /** Returns the name of its device file. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the number of bytes of an ID. */
    public int size() {
        return size;
    }

    private List<Part> parts(long setting) {
        int below = (int) setting + 10; // bits of the time behind the node
        return !isKOrdered() ? parts : List.of(new Part(50 - below, 't', below),
                new Part(8 * size - 64, '*', 0), new Part(below, 't', 0), new Part(14, '*', 0));
    }

    private long setting(long... given) {
        long setting = given.length > 0 ? given[0]
                : this == SNOWFLAKE ? SNOWFLAKE_EPOCH : isKOrdered() ? INTERVAL : 0;
        if (given.length > 1 || isKOrdered() && (setting < 5 || setting > 10)
                || this == V7 && (setting < 0 || setting > MADE_BY_KUID)) {
            throw new IllegalArgumentException("setting " + Arrays.toString(given));
        }
        return setting;
    }

    private static BigInteger field(BigInteger number, int from, int bits) {
        return number.shiftRight(from).and(BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE));
    }

    /** Returns the parts of one kind, or throws if it is no ID of this format. */
    private BigInteger count(byte[] id, long setting, char kind) {
        BigInteger number = new BigInteger(1, id);
        BigInteger count = BigInteger.ZERO;
        boolean good = id.length == size;
        int from = 8 * size;
        for (Part part : parts(setting)) {
            from -= part.bits;
            BigInteger value = field(number, from, part.bits);
            good &= part.kind != '=' || value.intValue() == part.of;
            count = part.kind == kind ? count.or(value.shiftLeft(part.of)) : count;
        }
        if (!good) {
            throw new IllegalArgumentException("not a " + this + ": " + number.toString(16));
        }
        return count;
    }

    private static String translated(String text, String from, String to) {
        StringBuilder other = new StringBuilder();
        text.chars().forEach(digit -> other.append(to.charAt(from.indexOf(digit))));
        return other.toString();
    }

    /**
     * Returns the canonical text of an ID.
     *
     * @throws IllegalArgumentException if it is no ID of this format
     */
    public String text(byte[] id) {
        count(id, setting(), 't');
        if (isKOrdered()) {
            return translated(Base64.getEncoder().withoutPadding().encodeToString(id), BASE64, SORTABLE);
        }
        if (this == SNOWFLAKE) {
            return new BigInteger(id).toString();
        }
        String text = Kuid.uuid(id).toString();
        return this == LEX ? text.substring(0, 23) + text.substring(24) : text;
    }

    /**
     * Reads the canonical text of an ID, and nothing else. The case of the digits of a UUID is free.
     *
     * @throws IllegalArgumentException if it is no such text
     */
    public byte[] parse(String text) {
        try {
            byte[] id = isKOrdered() ? Base64.getDecoder().decode(translated(text, SORTABLE, BASE64))
                    : this == SNOWFLAKE ? bytes(new BigInteger(text))
                    : HexFormat.of().parseHex(text.replace("-", ""));
            // Nothing else has this text.
            if (text(id).equals(isUUID() ? text.toLowerCase(Locale.ROOT) : text)) {
                return id;
            }
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            // As another text would be.
        }
        throw new IllegalArgumentException("not the text of a " + this + ": " + text);
    }

    private byte[] bytes(BigInteger number) {
        byte[] id = number.setBit(8 * size + 1).toByteArray();
        return Arrays.copyOfRange(id, id.length - size, id.length);
    }

    private static long fraction(long nanosecond) {
        return (nanosecond % 1_000_000 << FRACTION) / 1_000_000;
    }

    /** Returns the seconds from the start of its time to 1970. */
    private long since() {
        return unit == 100 ? 12_219_292_800L : 0;
    }

    /**
     * Returns the time of an ID, rounded down to what it knows.
     *
     * @throws IllegalArgumentException if it is no ID of this format
     */
    public Instant time(byte[] id, long... given) {
        long setting = setting(given);
        BigInteger count = count(id, setting, 't');
        if (isKOrdered()) {
            long k = count.longValue();
            return Instant.ofEpochSecond((k >>> 30) * 1_000_000 + (k >>> 10 & 0xfffff), (k & 0x3ff) * 1_024_000);
        }
        long below = 0;
        if (this == V7 && setting == MADE_BY_KUID) {
            long fraction = count(id, setting, 'f').longValue();
            long ns = (fraction * 1_000_000 + (1 << FRACTION) - 1) >> FRACTION;
            // kuid doesn't make all fractions.
            below = fraction(ns) == fraction ? ns : 0;
        } else if (this == SNOWFLAKE) {
            count = count.add(BigInteger.valueOf(setting));
        }
        BigInteger[] second = count.divideAndRemainder(BigInteger.valueOf(1_000_000_000 / unit));
        return Instant.ofEpochSecond(
                second[0].longValue() - since(), second[1].longValue() * unit + below);
    }

    /**
     * Returns the lowest ID that can have been made at a time. All IDs made from one time to another
     * lie between the lowest of the first and the highest of the other. Among those of K96 and K128
     * are others of the same 2^I seconds, too.
     *
     * @throws IllegalArgumentException if the format does not reach that time
     */
    public byte[] lowest(Instant time, long... setting) {
        return at(time, setting(setting), BigInteger.ZERO);
    }

    /**
     * Returns the highest ID that can have been made at a time.
     *
     * @throws IllegalArgumentException if the format does not reach that time
     */
    public byte[] highest(Instant time, long... setting) {
        return at(time, setting(setting), BigInteger.ONE.negate());
    }

    private byte[] at(Instant time, long setting, BigInteger rest) {
        BigInteger second = BigInteger.valueOf(time.getEpochSecond()).add(BigInteger.valueOf(since()));
        BigInteger count = second.multiply(BigInteger.valueOf(1_000_000_000 / unit))
                .add(BigInteger.valueOf(time.getNano() / unit));
        if (this == SNOWFLAKE) {
            count = count.subtract(BigInteger.valueOf(setting));
        } else if (isKOrdered() && count.signum() >= 0) {
            count = second.divide(MEGA).shiftLeft(20).or(second.mod(MEGA)).shiftLeft(10)
                    .or(BigInteger.valueOf(time.getNano() / 1_024_000));
        }
        if (count.signum() < 0 || count.bitLength() > bits) {
            throw new IllegalArgumentException(this + " does not reach " + time);
        }
        BigInteger number = BigInteger.ZERO;
        for (Part part : parts(setting)) {
            BigInteger value = part.kind == 't' ? count.shiftRight(part.of)
                    : part.kind == 'f' && setting == MADE_BY_KUID
                            ? BigInteger.valueOf(fraction(time.getNano()) >> part.of)
                    : part.kind == '=' ? BigInteger.valueOf(part.of) : rest;
            number = number.shiftLeft(part.bits).or(field(value, 0, part.bits));
        }
        return bytes(number);
    }
}
