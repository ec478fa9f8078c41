// SPDX-License-Identifier: MIT

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Reads a batch of IDs from kuid, and one more as text, and prints them:
 *
 * <pre>java Many.java [--fallback] [DEVICE]</pre>
 *
 * <p>If there is no device, it fails, or with --fallback makes the IDs itself.
 *
 * <p>The stream of Files.newInputStream() reads what it is asked for. A BufferedInputStream or a
 * BufferedReader around it reads hundreds of IDs ahead, which are lost when it is closed.
 *
 * <p>With the DEVICE /dev/kuids/host/v7 IDs are in order over all programs that read it.
 */
public class Many {
    private static final int COUNT = 5;
    private static final int SIZE = 16;
    private static final int LINE = 37;

    public static void main(String[] args) {
        boolean fallback = args.length > 0 && args[0].equals("--fallback");
        int next = fallback ? 1 : 0;
        String path = args.length > next ? args[next] : "/dev/kuids/v7";

        try {
            if (fallback && !Files.exists(Path.of(path))) {
                Stream.generate(Many::withoutKuid).limit(COUNT).forEach(System.out::println);
            } else {
                fromKuid(path).forEach(System.out::println);
            }
        } catch (NoSuchFileException e) {
            fail("no " + path + ": load the module kuid, or use --fallback");
        } catch (IOException e) {
            fail(e.getMessage());
        }
    }

    private static void fail(String reason) {
        System.err.println("Many: " + reason);
        System.exit(1);
    }

    private static List<UUID> fromKuid(String path) throws IOException {
        ByteBuffer batch = ByteBuffer.wrap(read(path, COUNT * SIZE)); // big-endian, as IDs are
        List<UUID> ids = new ArrayList<>();

        while (batch.hasRemaining()) {
            ids.add(new UUID(batch.getLong(), batch.getLong()));
        }
        String line = new String(read(path + ".txt", LINE), StandardCharsets.US_ASCII);
        ids.add(UUID.fromString(line.strip()));
        return ids;
    }

    private static byte[] read(String path, int size) throws IOException {
        try (InputStream device = Files.newInputStream(Path.of(path))) {
            byte[] data = device.readNBytes(size);
            if (data.length < size) {
                throw new EOFException(path + " gave " + data.length + " of " + size + " bytes");
            }
            return data;
        }
    }

    /** A UUID version 7: a random one that begins with the time in milliseconds. */
    private static UUID withoutKuid() {
        UUID random = UUID.randomUUID();
        long time = System.currentTimeMillis() << 16 | 7 << 12;
        long rest = random.getMostSignificantBits() & 0xfff;

        return new UUID(time | rest, random.getLeastSignificantBits());
    }
}
