// SPDX-License-Identifier: MIT

package kuid;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Locale;
import java.util.Queue;

/**
 * Prints IDs, one a line, in canonical text or as numbers:
 *
 * <pre>java -jar kuid.jar [-from auto|device|local|private] [-host] [-turns] [FORMAT [COUNT]]</pre>
 *
 * <p>With -turns it prints one for each line of its standard input, so that programs can take turns.
 * In the end it prints where they came from.
 */
final class Ids {
    private static final String USAGE =
            "usage: [-from auto|device|local|private] [-host] [-turns] [FORMAT [COUNT]]";

    private Ids() {}

    public static void main(String[] args) throws IOException {
        Queue<String> words = new ArrayDeque<>(Arrays.asList(args));
        Source from = Source.AUTO;
        boolean host = false;
        boolean turns = false;
        Format format = Format.V7;
        int count = 1;
        try {
            while (!words.isEmpty() && words.peek().startsWith("-")) {
                String option = words.remove();
                if (option.equals("-from")) {
                    from = Source.valueOf(words.remove().toUpperCase(Locale.ROOT));
                } else if (option.equals("-host")) {
                    host = true;
                } else if (option.equals("-turns")) {
                    turns = true;
                } else {
                    throw new IllegalArgumentException(option);
                }
            }
            if (!words.isEmpty()) {
                format = Format.valueOf(words.remove().toUpperCase(Locale.ROOT));
            }
            if (!words.isEmpty()) {
                count = Integer.parseInt(words.remove());
            }
        } catch (RuntimeException e) {
            System.err.println(USAGE);
            System.exit(2);
        }
        BufferedReader input =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        try (Kuid kuid = new Kuid(from, host)) {
            for (int i = 0; turns ? input.readLine() != null : i < count; i++) {
                System.out.println(next(kuid, format));
            }
            System.err.println("source: " + kuid.source());
        } catch (UncheckedIOException | UnsupportedOperationException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    private static String next(Kuid kuid, Format format) {
        switch (format) {
            case V1:
            case V6:
            case V7:
                return kuid.generate(format).toString();
            case K64:
                return Kuid.k64Text(kuid.k64());
            case SNOWFLAKE:
                return Long.toString(kuid.snowflake());
            default:
                StringBuilder text = new StringBuilder();
                for (byte b : kuid.bytes(format, 1)) {
                    text.append(String.format("%02x", b));
                }
                return text.toString();
        }
    }
}
