// SPDX-License-Identifier: MIT

package kuid;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.UUID;

/**
 * Prints IDs, one a line, in canonical text or as numbers:
 *
 * <pre>java -jar kuid.jar [OPTION]... [FORMAT [COUNT]]</pre>
 *
 * <p>-turns prints one, or its error, for each line of the standard input. -check decodes each UUID
 * by java.util.UUID. After one ID that is not printed, -workers begins processes which print COUNT
 * each, and -threads begins threads. The source is printed to the standard error in the end.
 */
final class Ids {
    private static final String USAGE = "usage: [-from auto|device|plain] [-host] [-turns]"
            + " [-check] [-workers N] [-threads N] [FORMAT [COUNT]]";

    private Source from = Source.AUTO;
    private boolean host;
    private boolean turns;
    private boolean check;
    private int workers;
    private int threads;
    private final int words; // FORMAT and COUNT
    private Format format = Format.V7;
    private int count = 1;
    private final Generator kuid;

    private Ids(Queue<String> words) {
        while (!words.isEmpty() && words.peek().startsWith("-")) {
            String option = words.remove();
            switch (option) {
                case "-from":
                    from = Source.valueOf(words.remove().toUpperCase(Locale.ROOT));
                    break;
                case "-host":
                    host = true;
                    break;
                case "-turns":
                    turns = true;
                    break;
                case "-check":
                    check = true;
                    break;
                case "-workers":
                    workers = Integer.parseInt(words.remove());
                    break;
                case "-threads":
                    threads = Integer.parseInt(words.remove());
                    break;
                default:
                    throw new IllegalArgumentException(option);
            }
        }
        this.words = words.size();
        if (!words.isEmpty()) {
            format = Format.valueOf(words.remove().toUpperCase(Locale.ROOT));
        }
        if (!words.isEmpty()) {
            count = Integer.parseInt(words.remove());
        }
        kuid = host ? Generator.host(from) : new Generator(from);
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
        if (turns) {
            takeTurns();
        } else if (workers > 0) {
            next();
            work();
        } else if (threads > 0) {
            next();
            Thread[] all = new Thread[threads];
            for (int i = 0; i < threads; i++) {
                all[i] = new Thread(this::lines);
                all[i].setUncaughtExceptionHandler((thread, e) -> fail(e));
                all[i].start();
            }
            for (Thread thread : all) {
                thread.join();
            }
        } else {
            lines();
        }
    }

    /** Begins processes that make the same IDs, and prints what they print. */
    private void work() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        ProcessHandle.Info self = ProcessHandle.current().info();
        command.add(self.command().orElseThrow());
        command.addAll(List.of(self.arguments().orElseThrow()));
        command.addAll(command.size() - words, List.of("-workers", "0"));
        List<Process> children = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            children.add(new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT).start());
        }
        for (Process child : children) {
            child.getInputStream().transferTo(System.out);
            if (child.waitFor() != 0) {
                throw new UncheckedIOException(new IOException("a process failed"));
            }
        }
        System.out.flush();
    }

    private void takeTurns() throws IOException {
        BufferedReader input =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
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
        if (check) {
            decode(Kuid.uuid(id));
        }
        return format.text(id);
    }

    /** Compares what java.util.UUID reads, which knows the time of version 1 only. */
    private void decode(UUID id) {
        Instant time = Kuid.time(id);
        Instant read = time;
        if (format == Format.V1) {
            Duration since1582 = Duration.ofSeconds(id.timestamp() / 10_000_000)
                    .plusNanos(id.timestamp() % 10_000_000 * 100);
            read = Instant.parse("1582-10-15T00:00:00Z").plus(since1582);
        }
        Duration age = Duration.between(time, Instant.now()).abs();
        if (!UUID.fromString(id.toString()).equals(id) || id.variant() != 2
                || !format.name().equals("V" + id.version())
                || !read.equals(time) || age.compareTo(Duration.ofSeconds(10)) > 0) {
            throw new UnsupportedOperationException(id + " is wrong");
        }
    }
}
