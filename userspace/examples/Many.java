// SPDX-License-Identifier: MIT

import java.io.EOFException;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Reads a batch of IDs from kuid and prints them: java Many.java [DEVICE]
 *
 * <p>FileInputStream reads what it is asked for. A BufferedInputStream around it reads hundreds of
 * IDs ahead, which are lost when it is closed.
 */
public class Many {
    private static final int COUNT = 5;
    private static final int SIZE = 16;

    public static void main(String[] args) {
        String path = args.length > 0 ? args[0] : "/dev/kuids/v7";

        try {
            ByteBuffer batch = ByteBuffer.wrap(read(path)); // big-endian, as IDs are
            while (batch.hasRemaining()) {
                System.out.println(new UUID(batch.getLong(), batch.getLong()));
            }
        } catch (IOException e) {
            System.err.println("Many: " + e.getMessage());
            System.exit(1);
        }
    }

    private static byte[] read(String path) throws IOException {
        byte[] batch = new byte[COUNT * SIZE];

        try (FileInputStream device = new FileInputStream(path)) {
            int got = device.readNBytes(batch, 0, batch.length);
            if (got < batch.length) {
                throw new EOFException(path + " gave " + got + " of " + batch.length + " bytes");
            }
        }
        return batch;
    }
}
