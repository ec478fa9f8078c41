// SPDX-License-Identifier: MIT

package kuid;

import java.io.ByteArrayInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Tests that need no device: each method whose name ends in Test, or in the second argument. The
 * first one is the directory of published IDs. Prints KTAP.
 */
final class Tests {
    private static final long SECOND = Lanes.SECOND;

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

    private static <E extends RuntimeException> E fails(Class<E> type, Callable<?> call) {
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

    private static Instant instant(long ns) {
        return Instant.ofEpochSecond(ns / SECOND, ns % SECOND);
    }

    static void publishedUUIDsTest() throws IOException {
        for (Map<String, String> row : rows("uuid.tsv")) {
            long ns = Long.parseLong(row.get("unix_ns"));
            UUID id;
            if (row.get("version").equals("7")) {
                long low = hex(row.get("rand_b"));
                id = Lanes.v7(ns / Lanes.MS, hex(row.get("rand_a")) << 8 | low >>> 54 & 0xff, low);
            } else {
                long low = 1L << 63 | hex(row.get("clock_seq")) << 48 | hex(row.get("node"));
                Format format = Format.valueOf("V" + row.get("version"));
                id = new Lanes.Lane(low, 0, 0).pack(format, ns);
                check(Kuid.time(id).equals(instant(ns - ns % 100)), row, Kuid.time(id));
            }
            check(id.toString().equals(row.get("text")), id, row);
        }
    }

    static void publishedNumbersTest() throws IOException {
        for (Map<String, String> row : rows("kordered.tsv")) {
            if (!row.get("kind").equals("l")) {
                continue;
            }
            long id = hex(row.get("hex"));
            long mega = Long.parseLong(row.get("mega"));
            Instant time = Instant.ofEpochSecond(
                    mega * 1_000_000 + Long.parseLong(row.get("sec")),
                    Long.parseLong(row.get("usec")) * 1000);
            check(Kuid.k64Text(id).equals(row.get("text")), row, Kuid.k64Text(id));
            check(Kuid.k64Time(id).equals(time), row, Kuid.k64Time(id));
        }
        for (Map<String, String> row : rows("snowflake.tsv")) {
            long epoch = Long.parseLong(row.get("epoch_ms"));
            Instant time = Kuid.snowflakeTime(hex(row.get("hex")), epoch);
            check(time.toEpochMilli() == Long.parseLong(row.get("unix_ms")), row, time);
        }
    }

    static void hashTest() {
        // From the reference implementation: key 00 01 ... 0f, message 00 ... 07.
        long hash = Lanes.siphash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L, 0x0706050403020100L);
        check(hash == 0x93f5f5799a932462L, Long.toHexString(hash));
    }

    /** Clocks that a test sets. A sleep ends when it should. */
    private static class World implements Lanes.Clocks {
        long wall = 1_700_000_000_123_456_789L;
        long mono = 5 * SECOND;
        long slept;

        @Override
        public long wall() {
            return wall;
        }

        @Override
        public long mono() {
            return mono;
        }

        @Override
        public void sleep(long nanoseconds) throws InterruptedException {
            slept += nanoseconds;
            pass(nanoseconds);
        }

        void pass(long nanoseconds) {
            wall += nanoseconds;
            mono += nanoseconds;
        }
    }

    private static long stamp(Lanes lanes) {
        Instant time = Kuid.time(lanes.one(Format.V7));
        return time.getEpochSecond() * SECOND + time.getNano();
    }

    static void clockSetBackTest() {
        World world = new World();
        Lanes lanes = new Lanes(world);
        Lanes.Lane first = lanes.current;
        long before = stamp(lanes);
        check(before == world.wall, before);
        // Half speed: while the clock is behind, 2 s make 1 s.
        world.wall -= 5 * SECOND;
        long after = stamp(lanes);
        check(after == before + 1, after - before);
        world.pass(2 * SECOND);
        after = stamp(lanes);
        check(Math.abs(after - before - SECOND) < Lanes.JITTER, after - before);
        // It has caught up after twice the step.
        world.pass(9 * SECOND);
        check(stamp(lanes) == world.wall && lanes.current == first && world.slept == 0);
        // Steps add up to more than the limit: another lane, at the wall clock.
        world.wall -= 6 * SECOND;
        stamp(lanes);
        world.wall -= 6 * SECOND;
        check(stamp(lanes) == world.wall && lanes.current != first);
        world.wall += 3600 * SECOND;
        check(stamp(lanes) == world.wall);
    }

    static void windowTest() {
        World world = new World();
        Lanes lanes = new Lanes(world);
        lanes.current.last.set(world.wall + Lanes.MAX_AHEAD / 2 - 10);
        UUID[] ids = lanes.many(Format.V7, 110);
        check(world.slept >= 99 && world.slept <= 220, world.slept);
        for (int i = 1; i < ids.length; i++) {
            check(ids[i - 1].compareTo(ids[i]) < 0, ids[i - 1], ids[i]);
        }
        // A single may use all of the window.
        world.slept = 0;
        lanes.current.last.set(world.wall + Lanes.MAX_AHEAD - 1);
        check(stamp(lanes) == world.wall + Lanes.MAX_AHEAD && world.slept == 0, world.slept);
        check(stamp(lanes) <= world.wall + Lanes.MAX_AHEAD && world.slept > 0, world.slept);
        // Steps back while the window is used up don't widen it.
        for (int step = 1; step <= 5; step++) {
            lanes.current.last.set(lanes.at(world.mono) + Lanes.MAX_AHEAD);
            world.wall -= 2 * Lanes.JITTER;
            long ahead = stamp(lanes) - world.wall;
            check(ahead <= Lanes.MAX_AHEAD + step * 2 * Lanes.JITTER, step, ahead);
        }
    }

    /** A clock that is set at random: IDs of a lane increase, and are not too far ahead. */
    static void clockSetAtRandomTest() {
        long seed = System.nanoTime();
        System.out.println("# seed " + seed);
        Random random = new Random(seed);
        World world = new World();
        Lanes lanes = new Lanes(world);
        Lanes.Lane lane = null;
        long last = 0;
        for (int i = 0; i < 100_000; i++) {
            switch (random.nextInt(8)) {
                case 0:
                    world.wall += (long) (random.nextGaussian() * 2 * SECOND);
                    break;
                case 1:
                    lanes.current.last.addAndGet(random.nextInt((int) Lanes.MAX_AHEAD));
                    break;
                default:
                    world.pass(random.nextInt((int) SECOND / 5));
            }
            long now = stamp(lanes);
            check(now - world.wall <= Lanes.STEP_LIMIT + Lanes.MAX_AHEAD + Lanes.JITTER, i);
            check(lane != lanes.current || now > last, i, now - last);
            lane = lanes.current;
            last = now;
        }
    }

    static void stampAndNodeTest() {
        Lanes.Lane lane = Lanes.Lane.random();
        Lanes.Lane other = Lanes.Lane.random();
        check((lane.low << 16) != (other.low << 16) && lane.key0 != other.key0);
        check(lane.key1 != other.key1);
        int fell = 0;
        for (Format format : List.of(Format.V1, Format.V6, Format.V7)) {
            UUID last = new UUID(0, 0);
            for (long ns = 1_700_000_000_000_999_900L; ns < 1_700_000_000_001_000_300L; ns++) {
                UUID id = lane.pack(format, ns);
                check(format.name().equals("V" + id.version()) && id.variant() == 2, id);
                check(format == Format.V7 || (id.getLeastSignificantBits() & 1L << 40) != 0, id);
                long resolution = format == Format.V7 ? 1 : 100;
                check(Kuid.time(id).equals(instant(ns - ns % resolution)), id, ns);
                // compareTo() is right for these two.
                check(format == Format.V1 || last.compareTo(id) < 0, last, id);
                if (format == Format.V7 && (byte) last.getLeastSignificantBits()
                        > (byte) id.getLeastSignificantBits()) {
                    fell++;
                }
                last = id;
            }
        }
        // In v7, the bits below the time are a hash.
        check(fell > 100, fell);
    }

    static void uniqueOverThreadsTest() throws Exception {
        // While the clock stands still, all depends on the lane.
        Lanes lanes = new Lanes(new World());
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Future<List<UUID>>> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.add(threads.submit(() -> {
                List<UUID> ids = new ArrayList<>();
                for (int j = 0; j < 50_000; j++) {
                    ids.add(lanes.one(Format.V6));
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

    /** An interrupt neither ends a wait nor gets lost. */
    static void interruptTest() {
        World world = new World() {
            @Override
            public void sleep(long nanoseconds) throws InterruptedException {
                Thread.sleep(1);
                super.sleep(nanoseconds);
            }
        };
        Lanes lanes = new Lanes(world);
        lanes.current.last.set(world.wall + Lanes.MAX_AHEAD);
        Thread.currentThread().interrupt();
        stamp(lanes);
        check(Thread.interrupted() && world.slept > 0, world.slept);
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
        Kuid kuid = new Kuid(Source.AUTO, false, path -> {
            check(path.startsWith("/dev/kuids/"), path);
            return path.endsWith("v6") ? missing().open(path) : fake;
        });
        check(kuid.source() == Source.AUTO);
        check(kuid.generate().equals(new UUID(0x0101010101010101L, 0x0101010101010101L)));
        check(kuid.source() == Source.DEVICE);
        Map<String, String> helped = Map.of(
                "Resource temporarily unavailable", "",
                "Stale file handle", "may be a clone", "No data available", "state=required",
                "Key has expired", "has ended",
                "Required key not available", "give this host a number",
                "Veralteter Griff", "");
        helped.forEach((error, advice) -> {
            fake.error = error;
            String message = fails(UncheckedIOException.class, kuid::generate).getMessage();
            check(message.startsWith("v7: " + error) && message.contains(advice), message);
        });
        String message =
                fails(UncheckedIOException.class, () -> kuid.generate(Format.V6)).getMessage();
        check(message.contains("/dev/kuids/v6") && message.contains("modprobe kuid"), message);
        check(kuid.source() == Source.DEVICE);
        fake.error = null;
        List<UUID> ids = kuid.batch(Format.V7, 3);
        check(ids.size() == 3 && ids.get(2).getLeastSignificantBits() == 0x0404040404040404L, ids);
        check(kuid.snowflake() == 0x0505050505050505L);
        check(kuid.bytes(Format.K96, 2).length == 24);
        kuid.close();
        fails(UncheckedIOException.class, kuid::generate);
        Kuid empty = new Kuid(Source.AUTO, false, device(new ByteArrayInputStream(new byte[15])));
        fails(UncheckedIOException.class, empty::generate);
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
            Kuid kuid = new Kuid(Source.AUTO, false, missing());
            fails(UncheckedIOException.class, kuid::k64);
            check(kuid.source() == Source.AUTO);
            check(kuid.generate().version() == 7 && kuid.source() == Source.LOCAL);
            check(kuid.batch(Format.V1, 1000).get(999).version() == 1);
            fails(UncheckedIOException.class, kuid::k64);
        }
        check(logged.size() == 1 && logged.get(0).contains("/dev/kuids/v7"), logged);
        Kuid device = new Kuid(Source.DEVICE, false, missing());
        fails(UncheckedIOException.class, device::generate);
        Kuid host = new Kuid(Source.AUTO, true, missing());
        String message = fails(UncheckedIOException.class, host::generate).getMessage();
        check(message.contains("/dev/kuids/host/v7"), message);
        check(logged.size() == 1, logged);
    }

    static void sourcesTest() {
        fails(UnsupportedOperationException.class, () -> new Kuid(Source.PRIVATE, true).generate());
        fails(UnsupportedOperationException.class, () -> new Kuid(Source.PRIVATE, false).k64());
        fails(UnsupportedOperationException.class, () -> new Kuid(Source.LOCAL, true).generate());
        Kuid local = new Kuid(Source.LOCAL, false, missing());
        check(local.generate(Format.V6).version() == 6 && local.source() == Source.LOCAL);
        for (Format format : Format.values()) {
            if (!format.isUUID()) {
                fails(UnsupportedOperationException.class, () -> local.bytes(format, 1));
                fails(IllegalArgumentException.class, () -> local.batch(format, 1));
            } else {
                fails(IllegalArgumentException.class, () -> local.bytes(format, 1));
            }
        }
        fails(IllegalArgumentException.class, () -> local.batch(Format.V7, -1));
        fails(IllegalArgumentException.class, () -> local.bytes(Format.K64, -1));
        fails(IllegalArgumentException.class, () -> Kuid.time(UUID.randomUUID()));
    }

    /** A batch of a private lane, if there is a kernel that hands one out. */
    static void privateTest() {
        Kuid kuid = new Kuid(Source.PRIVATE, false);
        if (System.getenv("KUID_LANE_NODE") == null) {
            fails(RuntimeException.class, kuid::generate);
            return;
        }
        long node = hex(System.getenv("KUID_LANE_NODE"));
        List<UUID> ids = kuid.batch(Format.V6, 1000);
        for (UUID id : ids) {
            check((id.getLeastSignificantBits() & (1L << 48) - 1) == node, id);
        }
        List<UUID> sorted = new ArrayList<>(new HashSet<>(ids));
        Collections.sort(sorted);
        check(sorted.equals(ids) && ids.size() == 1000, ids);
        check(kuid.source() == Source.PRIVATE);
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
