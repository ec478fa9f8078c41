// SPDX-License-Identifier: MIT

package kuid;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeoutException;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.Test;
import org.junit.function.ThrowingRunnable;

/** Tests that need no device. */
public final class Tests {
    private static void wrong(ThrowingRunnable call) {
        assertThrows(IllegalArgumentException.class, call);
    }

    private static String fails(ThrowingRunnable call) {
        return assertThrows(UncheckedIOException.class, call).getMessage();
    }

    private static void contains(String text, String part) {
        assertTrue(text, text.contains(part));
    }

    /**
     * Each published ID has its text, its time, and the bounds of that time. Each wrong text is
     * refused.
     */
    @Test
    public void published() throws IOException {
        HexFormat hex = HexFormat.of();
        for (String line : Files.readAllLines(Path.of("../ids.tsv"))) {
            String[] row = line.split("\t", -1);
            if (line.startsWith("#")) {
                continue;
            }
            Format format = Format.valueOf(row[0].toUpperCase(Locale.ROOT));
            if (row.length == 4) {
                wrong(() -> format.parse(row[2]));
                continue;
            }
            byte[] id = format.parse(row[2]);
            assertEquals(line, row[3] + row[2], hex.formatHex(id) + format.text(id));
            if (row[4].equals("-")) {
                continue; // of no clock
            }
            long[] setting = row[1].equals("-") ? new long[0]
                    : new long[] {row[1].equals("made_by_kuid") ? Format.MADE_BY_KUID : Long.parseLong(row[1])};
            Instant time = Instant.ofEpochSecond(0, Long.parseLong(row[4]));
            assertEquals(line, time, format.time(id, setting));
            assertEquals(line, time, format.isUUID() ? Kuid.time(Kuid.uuid(id), setting) : time);
            assertEquals(line, row[5] + row[6],
                    hex.formatHex(format.lowest(time, setting)) + hex.formatHex(format.highest(time, setting)));
        }
    }

    @Test
    public void badIds() {
        for (Format format : Format.values()) {
            wrong(() -> format.lowest(Instant.MIN));
            wrong(() -> format.lowest(Instant.parse("1582-10-14T23:59:59Z")));
            wrong(() -> format.highest(Instant.MAX));
            wrong(() -> format.text(new byte[format.size() + 1]));
            wrong(() -> format.time(new byte[0]));
        }
        wrong(() -> Format.K96.lowest(Instant.now(), 11));
        wrong(() -> Format.K128.time(new byte[16], 4));
        wrong(() -> Format.V7.lowest(Instant.now(), 2));
        wrong(() -> Format.SNOWFLAKE.text(new byte[] {-1, 0, 0, 0, 0, 0, 0, 0}));
        wrong(() -> Kuid.time(UUID.randomUUID()));
        wrong(() -> Kuid.uuid(new byte[15]));
    }

    private static void increase(Collection<UUID> ids) {
        assertEquals(new ArrayList<>(new TreeSet<>(ids)), new ArrayList<>(ids));
    }

    /** After the clock was set back, and within a nanosecond, times go on. */
    @Test
    public void plainIncreases() {
        Instant now = Instant.now();
        List<UUID> ids = new ArrayList<>();
        for (Instant time : List.of(now, now.minusSeconds(3600), now.plusNanos(100_000_000))) {
            ids.addAll(Generator.uuids(Generator.plain(2, time)));
        }
        increase(ids);
        assertEquals(now.plusNanos(100_000_000), Kuid.time(ids.get(4), Format.MADE_BY_KUID));
        for (long second : new long[] {Instant.MIN.getEpochSecond(), -1, Long.MAX_VALUE / 1_000_000_000,
                (1L << 48) / 1000 + 1}) {
            assertThrows(IllegalStateException.class, () -> Generator.plain(1, Instant.ofEpochSecond(second)));
        }
    }

    @Test
    public void threadsRepeatNothing() {
        Generator plain = new Generator(Source.PLAIN);
        Collection<UUID> all = new ConcurrentSkipListSet<>();
        IntStream.range(0, 8).parallel().forEach(thread -> {
            List<UUID> ids = new ArrayList<>();
            for (int i = 0; i < 50_000; i++) {
                ids.add(plain.uuid7());
            }
            increase(ids);
            all.addAll(ids);
        });
        assertEquals(400_000, all.size());
    }

    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** Ten million IDs leave not a byte each. */
    @Test
    public void nothingGrows() {
        Generator plain = new Generator(Source.PLAIN);
        long before = used();
        for (int i = 0; i < 10_000; i++) {
            plain.batch(Format.V7, 1000);
        }
        assertTrue(used() - before < 10_000_000);
    }

    private static InputStream missing(String path) throws IOException {
        throw new Device.MissingException(path + " (No such file or directory)");
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

    /** No error of a device that was found leads to an ID of this process. */
    @Test
    public void deviceStays() {
        Fake fake = new Fake();
        Generator kuid = new Generator(Source.AUTO, false, path -> {
            contains(path, "/dev/kuids/");
            return path.endsWith("v6") ? missing(path) : fake;
        });
        assertEquals(Source.AUTO, kuid.source());
        assertEquals(new UUID(0x0101010101010101L, 0x0101010101010101L), kuid.uuid7());
        Map.of("Resource temporarily unavailable", "", "Stale file handle", "may be a clone",
                "No data available", "state=required", "Key has expired", "has ended",
                "Required key not available", "give this host a number", "Veralteter Griff", "")
                .forEach((error, advice) -> {
                    fake.error = error;
                    String message = fails(kuid::uuid7);
                    assertTrue(message, message.startsWith("v7: " + error) && message.contains(advice));
                });
        contains(fails(kuid::uuid6), "/dev/kuids/v6");
        contains(fails(kuid::uuid6), "modprobe kuid");
        assertEquals(Source.DEVICE, kuid.source());
        fake.error = null;
        assertEquals(0x0404040404040404L, kuid.batch(Format.V7, 3).get(2).getLeastSignificantBits());
        assertEquals(0x0505050505050505L, kuid.snowflake());
        assertEquals(24, kuid.bytes(Format.K96, 2).length);
        fails(new Generator(Source.AUTO, false, path -> new ByteArrayInputStream(new byte[15]))::uuid7);
    }

    /** A pipe that is empty in place of the device: waits end, and take no ID that comes later. */
    @Test
    public void waitsEnd() throws Exception {
        PipedInputStream pipe = new PipedInputStream();
        Generator kuid = new Generator(Source.DEVICE, false, path -> pipe);
        ThrowingRunnable takes = () -> kuid.bytes(Format.V7, 1, Duration.ofSeconds(30));
        try (OutputStream writer = new PipedOutputStream(pipe)) {
            for (int i = 0; i < 2; i++) {
                assertThrows(TimeoutException.class, () -> kuid.bytes(Format.V7, 1, Duration.ofMillis(20)));
            }
            Thread.currentThread().interrupt();
            assertThrows(InterruptedException.class, takes);
            writer.write(new byte[31]);
            writer.write(2);
            assertEquals(2, kuid.bytes(Format.V7, 1, Duration.ofSeconds(30))[15]);
        }
        fails(takes);
        wrong(() -> kuid.bytes(Format.V7, 1, Duration.ZERO));
        wrong(() -> kuid.bytes(Format.V7, 1, Duration.ofNanos(-1)));
    }

    /** Without a device UUIDs are local, which is logged once for the process. */
    @Test
    public void missingDevice() {
        List<String> logged = new ArrayList<>();
        Logger.getLogger("kuid").setFilter(line -> {
            logged.add(line.getMessage() + List.of(line.getParameters()));
            return false;
        });
        for (int i = 0; i < 2; i++) {
            Generator kuid = new Generator(Source.AUTO, false, Tests::missing);
            fails(kuid::k64);
            assertEquals(Source.AUTO, kuid.source());
            assertEquals(7, kuid.uuid7().version());
            assertEquals(Source.PLAIN, kuid.source());
            fails(kuid::uuid1);
            assertEquals(new Guarantees(Source.PLAIN, "file", true, true, "never", true),
                    kuid.guarantees(Format.V7));
        }
        fails(new Generator(Source.DEVICE, false, Tests::missing)::uuid7);
        contains(fails(new Generator(Source.AUTO, true, Tests::missing)::uuid7), "/dev/kuids/host/v7");
        assertEquals(logged.toString(), 1, logged.size());
        contains(logged.get(0), "/dev/kuids/v7");
    }

    @Test
    public void sources() {
        assertThrows(UnsupportedOperationException.class, Generator.host(Source.PLAIN)::uuid7);
        Generator plain = new Generator(Source.PLAIN, false, Tests::missing);
        assertEquals(7, plain.uuid7().version());
        for (Format format : Format.values()) {
            if (format != Format.V7) {
                assertThrows(UnsupportedOperationException.class, () -> plain.bytes(format, 1));
            }
        }
        wrong(() -> plain.batch(Format.K64, 1));
        wrong(() -> plain.batch(Format.V7, -1));
        assertEquals(List.of(), plain.batch(Format.V7, 0));
        assertThrows(ArithmeticException.class, () -> plain.bytes(Format.V7, Integer.MAX_VALUE));
    }

    /** Other files in place of the device. None that is there leads to an ID of this process. */
    @Test
    public void otherFiles() throws Exception {
        Path directory = Files.createTempDirectory("kuid");
        Path path = directory.resolve("v7");
        assertTrue("no file", Device.isMissing(path));
        assertTrue("no target", Device.isMissing(Files.createSymbolicLink(path, Path.of("nowhere"))));
        Files.delete(path);
        Files.createFile(path);
        assertTrue(path.toFile().setReadable(false) && Device.isMissing(path) != Files.isReadable(path));
        // A loop of links, another device, a directory.
        for (String target : List.of("v7", "/dev/zero", "/tmp")) {
            Files.delete(path);
            Files.createSymbolicLink(path, Path.of(target));
            IOException error = assertThrows(target, IOException.class, () -> Device.open(path.toString()));
            assertTrue(target, !(error instanceof Device.MissingException) && !Device.isMissing(path));
        }
        Files.delete(path);
        // A file without a driver, which only root can make. There is no driver 4095.
        Process mknod = new ProcessBuilder("mknod", path.toString(), "c", "4095", "1").start();
        if (mknod.waitFor() == 0) {
            assertTrue("no driver", Device.isMissing(path));
            contains(assertThrows(IOException.class, () -> new FileInputStream(path.toString())).getMessage(),
                    "No such device");
            Files.delete(path);
        }
        Files.delete(directory);
    }
}
