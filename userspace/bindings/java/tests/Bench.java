// SPDX-License-Identifier: MIT

package kuid;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.Callable;

/** Prints the median cost of an ID in nanoseconds, and of other reads of 16 bytes. */
final class Bench {
    private static final int CALLS = 5_000;

    /** What the compiler can't leave out. */
    static volatile Object sink;

    private Bench() {}

    public static void main(String[] args) throws Exception {
        print("plain v7", new Generator(Source.PLAIN)::uuid7);
        print("java.util.UUID.randomUUID", UUID::randomUUID);
        print("read of /dev/urandom", read("/dev/urandom"));
        print("read of /dev/zero", read("/dev/zero"));
        // The device is the last one: where there is none, that is an error.
        print("device v7", new Generator(Source.DEVICE)::uuid7);
        print("device v6", new Generator(Source.DEVICE)::uuid6);
    }

    private static Callable<Object> read(String path) throws IOException {
        InputStream file = new FileInputStream(path);
        return () -> file.readNBytes(new byte[16], 0, 16);
    }

    private static void print(String what, Callable<?> next) throws Exception {
        long[] cost = new long[41];
        for (int round = 0; round < cost.length; round++) {
            long before = System.nanoTime();
            for (int i = 0; i < CALLS; i++) {
                sink = next.call();
            }
            cost[round] = (System.nanoTime() - before) / CALLS;
        }
        Arrays.sort(cost);
        System.out.printf("%-30s %6d ns%n", what, cost[cost.length / 2]);
    }
}
