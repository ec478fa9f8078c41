// SPDX-License-Identifier: MIT

package kuid;

import java.io.ByteArrayInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Tests that need no device: each method whose name ends in Test, or in the second argument. The
 * first one is the directory of published IDs. Prints KTAP.
 */
final class Tests {
    private Tests() {}

    public static void main(String[] args) throws IllegalAccessException {
        int number = 0;
        int failed = 0;
        tables = Path.of(args[0]);
        System.out.println("KTAP version 1");
        for (Method method : Tests.class.getDeclaredMethods()) {
            if (!method.getName().endsWith(args.length > 1 ? args[1] : "Test")) {
                continue;
            }
            number++;
            try {
                method.invoke(null);
                System.out.println("ok " + number + " " + method.getName());
            } catch (InvocationTargetException e) {
                failed++;
                System.out.println("not ok " + number + " " + method.getName());
                System.out.println("# " + e.getCause());
                for (StackTraceElement line : e.getCause().getStackTrace()) {
                    System.out.println("#   " + line);
                }
            }
        }
        System.out.println("1.." + number);
        System.exit(failed > 0 ? 1 : 0);
    }

    private static void check(boolean good, Object... about) {
        if (!good) {
            throw new AssertionError(List.of(about));
        }
    }

    private static <E extends Exception> E fails(Class<E> type, Callable<?> call) {
        try {
            throw new AssertionError("no error but " + call.call());
        } catch (Exception e) {
            check(type.isInstance(e), e);
            return type.cast(e);
        }
    }

    private static Path tables;

    /** Reads a table of published IDs, by the names in its first row. */
    private static List<Map<String, String>> rows(String table) throws IOException {
        List<Map<String, String>> rows = new ArrayList<>();
        String[] names = null;
        for (String line : Files.readAllLines(tables.resolve(table))) {
            String[] fields = line.split("\t");
            if (line.startsWith("#")) {
                continue;
            }
            if (names == null) {
                names = fields;
                continue;
            }
            Map<String, String> row = new HashMap<>();
            for (int i = 0; i < fields.length; i++) {
                row.put(names[i], fields[i]);
            }
            rows.add(row);
        }
        check(!rows.isEmpty(), table);
        return rows;
    }

    private static long hex(String text) {
        return Long.parseUnsignedLong(text, 16);
    }

    private static byte[] bytes(String hex) {
        return Format.V7.size() * 2 == hex.length()
                ? Kuid.bytes(new UUID(hex(hex.substring(0, 16)), hex(hex.substring(16))))
                : Arrays.copyOf(
                        ByteBuffer.allocate(16).putLong(hex(hex.substring(0, 16)))
                                .putInt((int) (hex.length() > 16 ? hex(hex.substring(16)) : 0)).array(),
                        hex.length() / 2);
    }

    /** Holds an ID against its text, its time, and the bounds of that time. */
    private static void published(
            Format format, byte[] id, String text, Instant time, long... setting) {
        check(format.text(id).equals(text), format, format.text(id), text);
        check(Arrays.equals(format.parse(text), id), format, text);
        for (String wrong : List.of("", "0" + text, text + "-", text + " ", "\0" + text.substring(1))) {
            fails(IllegalArgumentException.class, () -> format.parse(wrong));
        }
        if (time == null) {
            return;
        }
        check(format.time(id, setting).equals(time), format, text, format.time(id, setting), time);
        byte[] low = format.lowest(time, setting);
        byte[] high = format.highest(time, setting);
        // As numbers, version 1 is in another order.
        check(format == Format.V1 || Arrays.compareUnsigned(low, id) <= 0
                && Arrays.compareUnsigned(id, high) <= 0, format, text);
        for (byte[] bound : List.of(low, high)) {
            Instant of = format.time(bound, setting);
            check(of.toEpochMilli() == time.toEpochMilli(), format, text, of, time);
        }
    }

    static void publishedTest() throws IOException {
        for (Map<String, String> row : rows("uuid.tsv")) {
            UUID id = UUID.fromString(row.get("text"));
            Format format = Format.valueOf("V" + row.get("version"));
            long ns = Long.parseLong(row.get("unix_ns")) / 100 * 100;
            Instant time = Instant.ofEpochSecond(Math.floorDiv(ns, 1_000_000_000), Math.floorMod(ns, 1_000_000_000));
            // The fraction of this version 7 is no time.
            published(format, Kuid.bytes(id), row.get("text"), format == Format.V7 ? Kuid.time(id) : time);
            check(Kuid.time(id).toEpochMilli() == time.toEpochMilli(), id, Kuid.time(id));
            UUID other = new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits() | 1L << 62);
            fails(IllegalArgumentException.class, () -> Kuid.time(other));
        }
        for (Map<String, String> row : rows("kordered.tsv")) {
            Format format = Map.of("l", Format.K64, "g", Format.K96, "h", Format.K128).get(row.get("kind"));
            long second = Long.parseLong(row.get("sec"));
            Instant time = Instant.ofEpochSecond(Long.parseLong(row.get("mega")) * 1_000_000 + second,
                    Long.parseLong(row.get("usec")) / 1024 * 1_024_000);
            long[] setting = format == Format.K64 ? new long[0] : new long[] {Long.parseLong(row.get("interval"))};
            // More than a million seconds behind a megasecond are of no clock.
            published(format, bytes(row.get("hex")), row.get("text"), second < 1_000_000 ? time : null, setting);
        }
        for (Map<String, String> row : rows("snowflake.tsv")) {
            published(Format.SNOWFLAKE, bytes(row.get("hex")), row.get("decimal"),
                    Instant.ofEpochMilli(Long.parseLong(row.get("unix_ms"))), Long.parseLong(row.get("epoch_ms")));
        }
        for (Map<String, String> row : rows("lexical.tsv")) {
            long us = hex(row.get("timestamp"));
            published(Format.LEX, bytes(row.get("bytes")), row.get("text"), us < 0 ? null
                    : Instant.ofEpochSecond(us / 1_000_000, us % 1_000_000 * 1000));
        }
    }

    static void wrongTextSaysWhereTest() {
        String v7 = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";
        for (List<Object> row : List.of(List.<Object>of(Format.V7, "", 0),
                List.<Object>of(Format.V7, v7.substring(0, 20), 20), List.<Object>of(Format.V7, v7 + "0", 36),
                List.<Object>of(Format.V7, v7.replace("79b0", "7gb0"), 10), List.<Object>of(Format.V6, v7, 14),
                List.<Object>of(Format.V7, v7.replace("98c4", "18c4"), 19),
                List.<Object>of(Format.LEX, "00060A24-1820-2078-db3f053403ad937a", 5),
                List.<Object>of(Format.K64, "zzzzzzzzzz0", 10), List.<Object>of(Format.K64, "zzz-zzzzzzz", 3),
                List.<Object>of(Format.SNOWFLAKE, "01", 1), List.<Object>of(Format.SNOWFLAKE, "1x", 1),
                List.<Object>of(Format.SNOWFLAKE, "9999999999999999999", 18))) {
            Format format = (Format) row.get(0);
            String message = fails(IllegalArgumentException.class, () -> format.parse((String) row.get(1))).getMessage();
            check(message.contains(" at character " + row.get(2) + ": "), row, message);
        }
    }

    static void badIdsTest() {
        for (Format format : Format.values()) {
            for (Instant time : List.of(Instant.MIN, Instant.MAX)) {
                fails(IllegalArgumentException.class, () -> format.lowest(time));
            }
            fails(IllegalArgumentException.class, () -> format.text(new byte[format.size() + 1]));
            fails(IllegalArgumentException.class, () -> format.time(new byte[0]));
        }
        fails(IllegalArgumentException.class, () -> Format.K96.lowest(Instant.now(), 11));
        fails(IllegalArgumentException.class, () -> Format.K128.time(new byte[16], 4));
        fails(IllegalArgumentException.class, () -> Format.SNOWFLAKE.text(new byte[] {-1, 0, 0, 0, 0, 0, 0, 0}));
        fails(IllegalArgumentException.class, () -> Format.SNOWFLAKE.parse("9223372036854775808"));
        fails(IllegalArgumentException.class, () -> Format.K64.parse("zzzzzzzzzzz"));
        fails(IllegalArgumentException.class, () -> Kuid.time(UUID.randomUUID()));
        fails(IllegalArgumentException.class, () -> Kuid.uuid(new byte[15]));
    }

    /** After the clock was set back, and within a nanosecond, times go on. */
    static void plainTest() {
        Instant now = Instant.now();
        List<UUID> ids = new ArrayList<>();
        for (Instant time : List.of(now, now.minusSeconds(3600), now.plusNanos(100_000_000))) {
            byte[] two = new byte[32];
            Generator.plain(two, time);
            ids.add(Kuid.uuid(Arrays.copyOf(two, 16)));
            ids.add(Kuid.uuid(Arrays.copyOfRange(two, 16, 32)));
        }
        List<UUID> sorted = new ArrayList<>(new HashSet<>(ids));
        Collections.sort(sorted);
        check(sorted.equals(ids) && ids.get(5).version() == 7 && ids.get(5).variant() == 2, ids);
        check(Kuid.time(ids.get(4)).equals(now.plusNanos(100_000_000)), ids);
        for (long second : new long[] {Long.MIN_VALUE, -1, Long.MAX_VALUE / 1_000_000_000, (1L << 48) / 1000 + 1}) {
            Instant wrong = Instant.ofEpochSecond(Math.max(second, Instant.MIN.getEpochSecond()));
            fails(IllegalStateException.class, () -> {
                byte[] none = new byte[16];
                Generator.plain(none, wrong);
                return Kuid.uuid(none);
            });
        }
    }

    static void threadsTest() throws Exception {
        Generator plain = new Generator(Source.PLAIN);
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Future<List<UUID>>> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.add(threads.submit(() -> {
                List<UUID> ids = new ArrayList<>();
                for (int j = 0; j < 50_000; j++) {
                    ids.add(plain.uuid7());
                }
                return ids;
            }));
        }
        HashSet<UUID> ids = new HashSet<>();
        for (Future<List<UUID>> of : all) {
            List<UUID> sorted = new ArrayList<>(of.get());
            Collections.sort(sorted);
            check(sorted.equals(of.get()), "a thread got IDs out of order");
            ids.addAll(sorted);
        }
        threads.shutdown();
        check(ids.size() == 400_000, ids.size());
    }

    private static Device.Opener device(InputStream file) {
        return path -> file;
    }

    private static Device.Opener missing() {
        return path -> {
            throw new Device.MissingException(path + " (No such file or directory)");
        };
    }

    /** A device whose reads fail, or give one byte more in each ID, in pieces. */
    private static final class Fake extends InputStream {
        String error;
        int at;

        @Override
        public int read() throws IOException {
            if (error != null) {
                throw new IOException(error);
            }
            return at++ / 16 + 1;
        }

        @Override
        public int read(byte[] to, int from, int count) throws IOException {
            to[from] = (byte) read();
            return 1;
        }
    }

    /** No error of a device that was found leads to a lane of this process. */
    static void deviceStaysTest() {
        Fake fake = new Fake();
        Generator kuid = new Generator(Source.AUTO, false, path -> {
            check(path.startsWith("/dev/kuids/"), path);
            return path.endsWith("v6") ? missing().open(path) : fake;
        });
        check(kuid.source() == Source.AUTO);
        check(kuid.uuid7().equals(new UUID(0x0101010101010101L, 0x0101010101010101L)));
        check(kuid.source() == Source.DEVICE);
        Map<String, String> helped = Map.of(
                "Resource temporarily unavailable", "",
                "Stale file handle", "may be a clone", "No data available", "state=required",
                "Key has expired", "has ended",
                "Required key not available", "give this host a number",
                "Veralteter Griff", "");
        helped.forEach((error, advice) -> {
            fake.error = error;
            String message = fails(UncheckedIOException.class, kuid::uuid7).getMessage();
            check(message.startsWith("v7: " + error) && message.contains(advice), message);
        });
        String message =
                fails(UncheckedIOException.class, () -> kuid.uuid6()).getMessage();
        check(message.contains("/dev/kuids/v6") && message.contains("modprobe kuid"), message);
        check(kuid.source() == Source.DEVICE);
        fake.error = null;
        List<UUID> ids = kuid.batch(Format.V7, 3);
        check(ids.size() == 3 && ids.get(2).getLeastSignificantBits() == 0x0404040404040404L, ids);
        check(kuid.snowflake() == 0x0505050505050505L);
        check(kuid.bytes(Format.K96, 2).length == 24);
        kuid.close();
        fails(UncheckedIOException.class, kuid::uuid7);
        Generator empty = new Generator(Source.AUTO, false, device(new ByteArrayInputStream(new byte[15])));
        fails(UncheckedIOException.class, empty::uuid7);
    }

    /** A pipe that is empty in place of the device: waits end, and take no ID that comes later. */
    static void waitsEndTest() throws Exception {
        PipedInputStream pipe = new PipedInputStream();
        Generator kuid = new Generator(Source.DEVICE, false, device(pipe));
        try (OutputStream writer = new PipedOutputStream(pipe)) {
            for (int i = 0; i < 2; i++) {
                fails(TimeoutException.class, () -> kuid.bytes(Format.V7, 1, Duration.ofMillis(20)));
            }
            Thread.currentThread().interrupt();
            fails(InterruptedException.class, () -> kuid.bytes(Format.V7, 1, Duration.ofSeconds(30)));
            writer.write(new byte[31]);
            writer.write(2);
            check(kuid.bytes(Format.V7, 1, Duration.ofSeconds(30))[15] == 2, "taken by a call that has ended");
        }
        fails(UncheckedIOException.class, () -> kuid.bytes(Format.V7, 1, Duration.ofSeconds(30)));
        for (Duration none : List.of(Duration.ZERO, Duration.ofNanos(-1))) {
            fails(IllegalArgumentException.class, () -> kuid.bytes(Format.V7, 1, none));
        }
    }

    /** Without a device UUIDs are local, which is logged once for the process. */
    static void missingTest() {
        List<String> logged = new ArrayList<>();
        Logger logger = Logger.getLogger("kuid");
        logger.setUseParentHandlers(false);
        logger.addHandler(new Handler() {
            @Override
            public void publish(LogRecord line) {
                logged.add(line.getMessage() + List.of(line.getParameters()));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        });
        for (int i = 0; i < 2; i++) {
            Generator kuid = new Generator(Source.AUTO, false, missing());
            fails(UncheckedIOException.class, kuid::k64);
            check(kuid.source() == Source.AUTO);
            check(kuid.uuid7().version() == 7 && kuid.source() == Source.PLAIN);
            fails(UncheckedIOException.class, kuid::uuid1);
            check(kuid.guarantees(Format.V7).toString().equals(
                    "source plain, order file, unique true, ordered true, clones never, reboot-safe true"));
            fails(UncheckedIOException.class, kuid::k64);
        }
        check(logged.size() == 1 && logged.get(0).contains("/dev/kuids/v7"), logged);
        Generator device = new Generator(Source.DEVICE, false, missing());
        fails(UncheckedIOException.class, device::uuid7);
        Generator host = new Generator(Source.AUTO, true, missing());
        String message = fails(UncheckedIOException.class, host::uuid7).getMessage();
        check(message.contains("/dev/kuids/host/v7"), message);
        check(logged.size() == 1, logged);
    }

    static void sourcesTest() {
        fails(UnsupportedOperationException.class, () -> Generator.host(Source.PLAIN).uuid7());
        Generator plain = new Generator(Source.PLAIN, false, missing());
        check(plain.uuid7().version() == 7 && plain.source() == Source.PLAIN);
        for (Format format : Format.values()) {
            if (format != Format.V7) {
                fails(UnsupportedOperationException.class, () -> plain.bytes(format, 1));
            }
        }
        fails(IllegalArgumentException.class, () -> plain.batch(Format.K64, 1));
        fails(IllegalArgumentException.class, () -> plain.batch(Format.V7, -1));
        check(plain.batch(Format.V7, 0).isEmpty());
        fails(ArithmeticException.class, () -> plain.bytes(Format.V7, Integer.MAX_VALUE));
    }

    /** Other files in place of the device. */
    static void otherFilesTest() throws Exception {
        Path directory = Files.createTempDirectory("kuid");
        Path path = directory.resolve("v7");
        check(Device.isMissing(path), "no file");
        check(Device.isMissing(Files.createSymbolicLink(path, Path.of("nowhere"))), "no target");
        Files.delete(path);
        Files.createFile(path);
        check(path.toFile().setReadable(false) && Device.isMissing(path) != Files.isReadable(path));
        // A loop of links, another device, a directory: none of these leads to a lane.
        for (String target : List.of("v7", "/dev/zero", "/tmp")) {
            Files.delete(path);
            Files.createSymbolicLink(path, Path.of(target));
            check(!Device.isMissing(path), target);
            try {
                Device.open(path.toString()).close();
                check(false, target);
            } catch (IOException e) {
                check(!(e instanceof Device.MissingException), target, e);
            }
        }
        Files.delete(path);
        // A file without a driver, which only root can make. There is no driver 4095.
        Process mknod = new ProcessBuilder("mknod", path.toString(), "c", "4095", "1").start();
        if (mknod.waitFor() == 0) {
            check(Device.isMissing(path), "no driver");
            try (InputStream file = new FileInputStream(path.toString())) {
                check(false, file);
            } catch (IOException e) {
                check(e.getMessage().contains("No such device"), e);
            }
            Files.delete(path);
        }
        Files.delete(directory);
    }
}
