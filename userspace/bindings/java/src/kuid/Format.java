// SPDX-License-Identifier: MIT

package kuid;

import java.math.BigInteger;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The layout of an ID; kuid(4) describes them. Methods here read IDs from anywhere, and need no
 * device.
 *
 * <p>A setting is what an ID doesn't say: I of K96 and K128, {@link #INTERVAL} if it is not given,
 * and for SNOWFLAKE the milliseconds since 1970 that its time counts from, else {@link
 * #SNOWFLAKE_EPOCH}. Both are parameters of the module.
 */
public enum Format {
    /** UUID version 1. */
    V1(16, "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    /** UUID version 6. */
    V6(16, V1.canonical.pattern()),
    /** UUID version 7. */
    V7(16, V1.canonical.pattern()),
    /** Microseconds and a worker, 16 bytes. */
    LEX(16, "[0-9a-f]{8}(-[0-9a-f]{4}){2}-[0-9a-f]{16}"),
    /** K-ordered, 8 bytes. */
    K64(8, "[.0-9A-Z_a-z]{11}"),
    /** K-ordered with a node of 32 bits, 12 bytes. */
    K96(12, "[.0-9A-Z_a-z]{16}"),
    /** K-ordered with a node of 64 bits, 16 bytes. */
    K128(16, "[.0-9A-Z_a-z]{22}"),
    /** Snowflake, 8 bytes. */
    SNOWFLAKE(8, "0|[1-9][0-9]{0,18}");

    /** I of K96 and K128, unless the module was loaded with another one. */
    public static final long INTERVAL = 8;

    /** The start of the milliseconds of snowflakes, unless the module was told otherwise. */
    public static final long SNOWFLAKE_EPOCH = 1288834974657L;

    private static final String DIGITS =
            ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
    private static final BigInteger SECOND = BigInteger.valueOf(1_000_000_000);
    private static final BigInteger MEGA = BigInteger.valueOf(1_000_000);
    private static final BigInteger UNIX_TICKS = BigInteger.valueOf(0x01B21DD213814000L);
    private static final int FRACTION = 20; // bits of v7 below its milliseconds

    final int size;
    private final Pattern canonical;

    Format(int size, String canonical) {
        this.size = size;
        this.canonical = Pattern.compile(canonical);
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

    /** Whether a number has the version and variant, or the sign, of this format. */
    private boolean isId(BigInteger number) {
        return isUUID()
                ? field(number, 76, 4).intValue() == name().charAt(1) - '0'
                        && field(number, 62, 2).intValue() == 2
                : this != SNOWFLAKE || number.bitLength() < 64;
    }

    /** Returns an ID as a number, or throws if it is none of this format. */
    private BigInteger number(byte[] id) {
        BigInteger number = new BigInteger(1, id);
        if (id.length != size || !isId(number)) {
            throw new IllegalArgumentException("not a " + this + ": " + number.toString(16));
        }
        return number;
    }

    private byte[] bytes(BigInteger number) {
        byte[] id = number.or(BigInteger.ONE.shiftLeft(8 * size)).toByteArray();
        return Arrays.copyOfRange(id, 1, id.length);
    }

    /**
     * Returns the canonical text of an ID.
     *
     * @throws IllegalArgumentException if it is no ID of this format
     */
    public String text(byte[] id) {
        BigInteger number = number(id);
        if (isKOrdered()) {
            int digits = (8 * size + 5) / 6;
            number = number.shiftLeft(6 * digits - 8 * size);
            char[] text = new char[digits];
            for (int i = digits - 1; i >= 0; i--, number = number.shiftRight(6)) {
                text[i] = DIGITS.charAt(number.intValue() & 63);
            }
            return new String(text);
        }
        if (this == SNOWFLAKE) {
            return number.toString();
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
        BigInteger number = BigInteger.ZERO;
        if (!canonical.matcher(text).matches()) {
            throw wrong(text);
        }
        if (isKOrdered()) {
            for (char digit : text.toCharArray()) {
                number = number.shiftLeft(6).or(BigInteger.valueOf(DIGITS.indexOf(digit)));
            }
            number = number.shiftRight(6 * text.length() - 8 * size);
        } else if (this == SNOWFLAKE) {
            number = new BigInteger(text);
        } else {
            number = new BigInteger(text.replace("-", ""), 16);
        }
        byte[] id = bytes(number.and(ones(8 * size)));
        if (!isId(number) || !text(id).equals(isUUID() ? text.toLowerCase(Locale.ROOT) : text)) {
            throw wrong(text);
        }
        return id;
    }

    /** Says at which character a text is wrong: the first one that can't be in an ID. */
    private IllegalArgumentException wrong(String text) {
        int where = 0;
        while (where < text.length()) {
            Matcher matcher = canonical.matcher(text.substring(0, where + 1));
            if (!matcher.matches() && !matcher.hitEnd()) {
                break;
            }
            where++;
        }
        if (where == text.length() && canonical.matcher(text).matches()) {
            // The digit of the version or variant, or the last one, which has too many bits.
            where = !isUUID() ? where - 1 : text.charAt(14) == name().charAt(1) ? 19 : 14;
        }
        return new IllegalArgumentException(
                "not the text of a " + this + " at character " + where + ": " + text);
    }

    private long setting(long[] given) {
        long setting = given.length > 0 ? given[0] : this == SNOWFLAKE ? SNOWFLAKE_EPOCH : INTERVAL;
        if (given.length > 1 || this != SNOWFLAKE && (setting < 5 || setting > 10)) {
            throw new IllegalArgumentException("setting " + Arrays.toString(given));
        }
        return setting;
    }

    private static BigInteger field(BigInteger number, int from, int bits) {
        return number.shiftRight(from).and(ones(bits));
    }

    private static BigInteger floor(BigInteger number, BigInteger unit) {
        return number.subtract(number.mod(unit)).divide(unit);
    }

    private static BigInteger ones(int bits) {
        return BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE);
    }

    /**
     * Returns the time of an ID, rounded down to what its format tells apart.
     *
     * @throws IllegalArgumentException if it is no ID of this format
     */
    public Instant time(byte[] id, long... setting) {
        long value = setting(setting);
        BigInteger number = number(id);
        BigInteger ns;
        switch (this) {
            case V1:
                ns = field(number, 64, 12).shiftLeft(48).or(field(number, 80, 16).shiftLeft(32))
                        .or(field(number, 96, 32)).subtract(UNIX_TICKS).multiply(BigInteger.valueOf(100));
                break;
            case V6:
                ns = field(number, 80, 48).shiftLeft(12).or(field(number, 64, 12))
                        .subtract(UNIX_TICKS).multiply(BigInteger.valueOf(100));
                break;
            case V7:
                long fraction = field(number, 64, 12).shiftLeft(8).or(field(number, 54, 8)).longValue();
                // The last one has no nanosecond, so kuid doesn't make it.
                long below = Math.min(999_999, (fraction * 1_000_000 + (1 << FRACTION) - 1) >> FRACTION);
                return Instant.ofEpochMilli(number.shiftRight(80).longValue()).plusNanos(below);
            case LEX:
                ns = number.shiftRight(64).multiply(BigInteger.valueOf(1000));
                break;
            case SNOWFLAKE:
                return Instant.ofEpochMilli(number.shiftRight(22).longValue() + value);
            default:
                int behind = (int) value + 24;
                int node = 8 * size - 64;
                BigInteger k64 = number.shiftRight(node + behind).shiftLeft(behind)
                        .or(field(number, 0, behind));
                ns = field(k64, 44, 20).multiply(MEGA).add(field(k64, 24, 20)).multiply(SECOND)
                        .add(field(k64, 14, 10).multiply(BigInteger.valueOf(1_024_000)));
        }
        return Instant.ofEpochSecond(
                floor(ns, SECOND).longValueExact(), ns.mod(SECOND).longValueExact());
    }

    /**
     * Returns the lowest ID that can have been made at a time. All IDs made from one time to another
     * lie between the lowest of the first and the highest of the other. Among those of K96 and K128
     * are others of the same 2^I seconds, too.
     *
     * @throws IllegalArgumentException if the format does not reach that time
     */
    public byte[] lowest(Instant time, long... setting) {
        return at(time, setting, BigInteger.ZERO);
    }

    /**
     * Returns the highest ID that can have been made at a time.
     *
     * @throws IllegalArgumentException if the format does not reach that time
     */
    public byte[] highest(Instant time, long... setting) {
        return at(time, setting, ones(128));
    }

    private byte[] at(Instant time, long[] setting, BigInteger rest) {
        long value = setting(setting);
        BigInteger sec = BigInteger.valueOf(time.getEpochSecond());
        BigInteger ns = sec.multiply(SECOND).add(BigInteger.valueOf(time.getNano()));
        BigInteger variant = BigInteger.TWO.shiftLeft(62).or(field(rest, 0, 62));
        BigInteger number;
        BigInteger reached; // the time, as the format counts it
        int bits;
        switch (this) {
            case V1:
            case V6:
                reached = floor(ns, BigInteger.valueOf(100)).add(UNIX_TICKS);
                bits = 60;
                number = this == V6
                        ? reached.shiftRight(12).shiftLeft(16).or(field(reached, 0, 12))
                                .or(BigInteger.valueOf(0x6000))
                        : field(reached, 0, 32).shiftLeft(32).or(field(reached, 32, 16).shiftLeft(16))
                                .or(field(reached, 48, 12)).or(BigInteger.valueOf(0x1000));
                number = number.shiftLeft(64).or(variant);
                break;
            case V7:
                reached = floor(ns, MEGA);
                bits = 48;
                number = reached.shiftLeft(16).or(BigInteger.valueOf(0x7000)).or(field(rest, 0, 12))
                        .shiftLeft(64).or(variant);
                break;
            case LEX:
                reached = floor(ns, BigInteger.valueOf(1000));
                bits = 64;
                number = reached.shiftLeft(64).or(field(rest, 0, 64));
                break;
            case SNOWFLAKE:
                reached = floor(ns, MEGA).subtract(BigInteger.valueOf(value));
                bits = 41;
                number = reached.shiftLeft(22).or(field(rest, 0, 22));
                break;
            default:
                reached = sec.divide(MEGA);
                bits = 20;
                BigInteger k64 = reached.shiftLeft(20).or(sec.mod(MEGA)).shiftLeft(10)
                        .or(BigInteger.valueOf(time.getNano() / 1000 >> 10)).shiftLeft(14)
                        .or(field(rest, 0, 14));
                int behind = (int) value + 24;
                int node = 8 * size - 64;
                number = k64.shiftRight(behind).shiftLeft(node).or(field(rest, 0, node))
                        .shiftLeft(behind).or(field(k64, 0, behind));
                if (sec.signum() < 0) {
                    reached = sec;
                }
        }
        if (reached.signum() < 0 || reached.bitLength() > bits) {
            throw new IllegalArgumentException(this + " does not reach " + time);
        }
        return bytes(number);
    }
}
