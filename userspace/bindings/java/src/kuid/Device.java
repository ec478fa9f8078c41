// SPDX-License-Identifier: MIT

package kuid;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Opens device files. They are read by FileInputStream, because an interrupt of a thread that reads
 * a FileChannel closes it for all threads.
 *
 * <p>Java hides errno, and its messages are in the user's language. So what an error is about is
 * found out by looking at the file.
 */
final class Device {
    private static final int TYPE = 0170000;
    private static final int CHARACTER = 0020000;
    private static final Path DRIVERS = Path.of("/sys/dev/char");
    private static final Path STATUS = Path.of("/sys/class/kuid/kuid/status");

    private static final String LOAD = "Load the module on the host (modprobe kuid). In a container,"
            + " or a service with PrivateDevices=, make the device files visible.";
    private static final String READ = "Let this user read the device file.";

    /** As kuid_error_advice() in libkuid. Other languages only miss the advice. */
    private static final Map<String, String> ADVICE = Map.of(
            "No such file or directory", LOAD, "No such device or address", LOAD, "No such device", LOAD,
            "Permission denied", READ, "Operation not permitted", READ,
            "Stale file handle", "This machine may be a clone. An administrator must confirm or change"
                    + " its node or worker. A claimed number must be claimed again.",
            "No data available", "The module was loaded with state=required. An administrator must"
                    + " restore the saved state and keep it saved.",
            "Required key not available", "An administrator must give this host a number that no other"
                    + " host has, or claim one.",
            "Key has expired", "The claim of this host's number has ended. Look if the daemon that"
                    + " claims it runs and reaches its store.");

    /** What opens a device file. */
    interface Opener {
        InputStream open(String path) throws IOException;
    }

    /** There is no device that this process may read. */
    static final class MissingException extends IOException {
        private static final long serialVersionUID = 1;

        MissingException(String message) {
            super(message);
        }
    }

    private Device() {}

    static InputStream open(String name) throws IOException {
        Path path = Path.of(name);
        InputStream file;
        try {
            file = new FileInputStream(name);
        } catch (FileNotFoundException e) {
            if (isMissing(path)) {
                throw new MissingException(e.getMessage());
            }
            throw e;
        }
        try {
            if (!isKuid(path)) {
                throw new IOException(name + " is not a device of kuid");
            }
        } catch (IOException e) {
            file.close();
            throw e;
        }
        return file;
    }

    /** Whether a file that can't be opened doesn't exist, may not be read, or has no driver. */
    static boolean isMissing(Path path) {
        try {
            Files.getLastModifiedTime(path);
            return !Files.isReadable(path)
                    || isDevice(path) && Files.exists(DRIVERS) && !Files.exists(driver(path));
        } catch (NoSuchFileException | AccessDeniedException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isKuid(Path path) throws IOException {
        if (!isDevice(path)) {
            return false;
        }
        Path subsystem = driver(path).resolve("subsystem");
        // A sandbox may have no sysfs.
        return !Files.exists(DRIVERS) || Files.exists(subsystem, LinkOption.NOFOLLOW_LINKS)
                && Files.readSymbolicLink(subsystem).endsWith("kuid");
    }

    private static boolean isDevice(Path path) throws IOException {
        return ((Integer) Files.getAttribute(path, "unix:mode") & TYPE) == CHARACTER;
    }

    private static Path driver(Path path) throws IOException {
        long number = (Long) Files.getAttribute(path, "unix:rdev");
        long major = number >>> 8 & 0xfff | number >>> 32 & ~0xfffL;
        long minor = number & 0xff | number >>> 12 & ~0xffL & 0xffffffffL;
        return DRIVERS.resolve(major + ":" + minor);
    }

    /** Reads the status in sysfs, whose promises are the names of the formats that they hold for. */
    static Guarantees guarantees(Format format, boolean host) {
        try {
            String clones = reads("clones_seen", "1") ? "seen"
                    : reads("clones_told", "1") ? "told" : "never";
            return new Guarantees(Source.DEVICE, host ? "host" : "file",
                    reads("unique", format.toString()), reads("ordered", format.toString()), clones,
                    reads("reboot_safe", format.toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean reads(String name, String word) throws IOException {
        return List.of(Files.readString(STATUS.resolve(name)).split("\\s+")).contains(word);
    }

    /** Says what helps against an error. */
    static UncheckedIOException helped(String what, IOException error) {
        String message = String.valueOf(error.getMessage());
        String about = message.contains(what) ? message : what + ": " + message;
        // The system's text is all of the message, or stands in parentheses at its end.
        String advice = ADVICE.get(message.replaceAll(".*\\((.*)\\)$", "$1"));
        return new UncheckedIOException(advice == null ? about : about + ". " + advice, error);
    }
}
