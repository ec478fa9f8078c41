// SPDX-License-Identifier: MIT

package kuid;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;

/**
 * Prints IDs, one a line, in canonical text or as numbers:
 *
 * <pre>java -jar kuid.jar [OPTION]... [FORMAT [COUNT]]</pre>
 *
 * <p>-turns prints one, or its error, for each line of the standard input. -threads begins threads,
 * which print COUNT each after one ID that is not printed. Each ID is read by its text and its time, a
 * UUID by java.util.UUID. The source is printed to the standard error in the end.
 */
final class Ids {
    private static final String USAGE =
            "usage: [-from auto|device|plain] [-host] [-turns] [-threads N] [FORMAT [COUNT]]";

    private final Map<String, String> options = new HashMap<>(Map.of("-from", "auto", "-threads", "0"));
    private final Format format;
    private final int count;
    private final Generator kuid;

    private Ids(Queue<String> words) {
        while (!words.isEmpty() && words.peek().startsWith("-")) {
            String option = words.remove();
            switch (option) {
                case "-from", "-threads" -> options.put(option, words.remove());
                case "-host", "-turns" -> options.put(option, "");
                default -> throw new IllegalArgumentException(option);
            }
        }
        format = words.isEmpty() ? Format.V7 : Format.valueOf(words.remove().toUpperCase(Locale.ROOT));
        count = words.isEmpty() ? 1 : Integer.parseInt(words.remove());
        Source from = Source.valueOf(options.get("-from").toUpperCase(Locale.ROOT));
        kuid = options.containsKey("-host") ? Generator.host(from) : new Generator(from);
    }

    public static void main(String[] args) throws Exception {
        Ids ids = null;
        try {
            ids = new Ids(new ArrayDeque<>(Arrays.asList(args)));
        } catch (RuntimeException e) {
            System.err.println(USAGE);
            System.exit(2);
        }
        try {
            ids.run();
        } catch (UncheckedIOException | UnsupportedOperationException e) {
            fail(e);
        }
        System.err.println("source: " + ids.kuid.source());
    }

    private static void fail(Throwable e) {
        System.err.println(e.getMessage());
        System.exit(1);
    }

    private void run() throws IOException, InterruptedException {
        Thread[] threads = new Thread[Integer.parseInt(options.get("-threads"))];
        if (options.containsKey("-turns")) {
            takeTurns();
        } else if (threads.length == 0) {
            lines();
        } else {
            next();
            for (int i = 0; i < threads.length; i++) {
                threads[i] = new Thread(this::lines);
                threads[i].setUncaughtExceptionHandler((thread, e) -> fail(e));
                threads[i].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    private void takeTurns() throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        while (input.readLine() != null) {
            try {
                System.out.println(next());
            } catch (UncheckedIOException | UnsupportedOperationException e) {
                System.out.println("error: " + e.getMessage());
            }
        }
    }

    /** Prints IDs at once, so that those of several threads don't mix. */
    private void lines() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(next()).append('\n');
        }
        synchronized (System.out) {
            System.out.print(text);
            System.out.flush();
        }
    }

    private String next() {
        byte[] id = kuid.bytes(format, 1);
        String text = format.text(id);
        Duration age = Duration.between(format.time(format.parse(text)), Instant.now()).abs();
        if (age.getSeconds() > 10 || format.isUUID()
                && !Arrays.equals(Kuid.bytes(UUID.fromString(text)), id)) {
            throw new UnsupportedOperationException(text + " is wrong");
        }
        return text;
    }
}
