// SPDX-License-Identifier: MIT

package kuid;

import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.Logger;
import com.fasterxml.uuid.impl.TimeBasedGenerator;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Prints the median cost of a UUID in nanoseconds of CPU time, beside the generators of the JDK and
 * of JUG.
 */
final class Bench {
    private static final int ROUNDS = 41;
    private static final int CALLS = 5_000;

    private static final ThreadMXBean TIMES = ManagementFactory.getThreadMXBean();

    /** What the compiler can't leave out. */
    static volatile UUID sink;

    private Bench() {}

    public static void main(String[] args) throws IOException {
        Generator plain = new Generator(Source.PLAIN);
        // It warns each time that it has to wait for its clock.
        Logger.setLogLevel(Logger.LOG_ERROR_AND_ABOVE);
        TimeBasedGenerator jug = Generators.timeBasedGenerator();
        print("plain v7", plain::uuid7);
        print("java.util.UUID.randomUUID", UUID::randomUUID);
        print("JUG v1", jug::generate);
        // Other devices in place of kuid's, which cost as much or more.
        read("/dev/urandom");
        read("/dev/zero");
        if (Files.exists(Path.of("/dev/kuids/v7"))) {
            Generator device = new Generator(Source.DEVICE);
            print("device v7", device::uuid7);
            print("device v6", device::uuid6);
        }
    }

    private static void read(String path) throws IOException {
        InputStream file = new FileInputStream(path);
        print("read of 16 bytes of " + path, () -> {
            try {
                file.readNBytes(new byte[16], 0, 16);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            return sink;
        });
    }

    private static void print(String what, Supplier<UUID> next) {
        long[] cost = new long[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            long before = TIMES.getCurrentThreadCpuTime();
            for (int i = 0; i < CALLS; i++) {
                sink = next.get();
            }
            cost[round] = (TIMES.getCurrentThreadCpuTime() - before) / CALLS;
        }
        Arrays.sort(cost);
        System.out.printf("%-40s %6d ns%n", what, cost[ROUNDS / 2]);
    }
}
