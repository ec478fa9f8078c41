// SPDX-License-Identifier: MIT

package kuid;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.UUID;

/**
 * Private lanes by libkuid. Its handles are for any number of threads and stay open. Calls of a
 * library are restricted, because a wrong one could crash the process.
 */
@SuppressWarnings("restricted")
final class PrivateLanes implements Maker {
    private static final int KUID_PRIVATE = 4;
    private static final int EINTR = 4;
    private static final int SIZE = 16;
    private static final ValueLayout.OfLong WORD =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO_OF =
            STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    /** The functions of libkuid and one of the C library, as they are in their headers. */
    private static final class Library {
        static final SymbolLookup KUID = find();

        static final MethodHandle OPEN = call(KUID, "kuid_open_flags",
                FunctionDescriptor.of(ADDRESS, JAVA_INT, JAVA_INT), ERRNO);
        static final MethodHandle ONE = call(KUID, "kuid_one",
                FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS), ERRNO);
        static final MethodHandle MANY = call(KUID, "kuid_many",
                FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG), ERRNO);
        static final MethodHandle ADVICE = call(KUID, "kuid_error_advice",
                FunctionDescriptor.of(ADDRESS, JAVA_INT));
        static final MethodHandle STRERROR = call(Linker.nativeLinker().defaultLookup(), "strerror",
                FunctionDescriptor.of(ADDRESS, JAVA_INT));

        /** Null if there is none. */
        private static SymbolLookup find() {
            try {
                return SymbolLookup.libraryLookup("libkuid.so.0", Arena.global());
            } catch (IllegalArgumentException e) {
                return null;
            }
        }

        /** Null if the library is older than this package. */
        private static MethodHandle call(
                SymbolLookup in, String name, FunctionDescriptor type, Linker.Option... options) {
            return Optional.ofNullable(in).flatMap(library -> library.find(name))
                    .map(function -> Linker.nativeLinker().downcallHandle(function, type, options))
                    .orElse(null);
        }
    }

    /** Memory of a thread for an ID and errno. */
    private static final class Memory {
        final MemorySegment id = Arena.ofAuto().allocate(SIZE);
        final MemorySegment state = Arena.ofAuto().allocate(STATE);
    }

    private static final ThreadLocal<Memory> MEMORY = ThreadLocal.withInitial(Memory::new);

    private final MemorySegment[] handles = new MemorySegment[Format.V7.ordinal() + 1];

    PrivateLanes() {
        if (Library.ADVICE == null) {
            throw new UnsupportedOperationException(
                    "private lanes need libkuid.so.0 of this version or a later one");
        }
    }

    private synchronized MemorySegment open(Format format, Memory memory) throws Throwable {
        int index = format.ordinal();
        while (handles[index] == null) {
            MemorySegment handle = (MemorySegment)
                    Library.OPEN.invokeExact(memory.state, index + 1, KUID_PRIVATE);
            if (handle.address() != 0) {
                handles[index] = handle;
            } else {
                retryOrThrow(format, memory);
            }
        }
        return handles[index];
    }

    private static void retryOrThrow(Format format, Memory memory) throws Throwable {
        int errno = (int) ERRNO_OF.get(memory.state, 0L);
        if (errno != EINTR) {
            MemorySegment error = (MemorySegment) Library.STRERROR.invokeExact(errno);
            MemorySegment advice = (MemorySegment) Library.ADVICE.invokeExact(errno);
            String message = format + ": " + text(error)
                    + (advice.address() != 0 ? ". " + text(advice) : "");
            throw new UncheckedIOException(new IOException(message));
        }
    }

    private static String text(MemorySegment text) {
        return text.reinterpret(Long.MAX_VALUE).getString(0);
    }

    private static UUID at(MemorySegment ids, long index) {
        return new UUID(ids.get(WORD, index * SIZE), ids.get(WORD, index * SIZE + WORD.byteSize()));
    }

    @Override
    public UUID one(Format format) {
        Memory memory = MEMORY.get();
        try {
            MemorySegment handle = open(format, memory);
            while ((int) Library.ONE.invokeExact(memory.state, handle, memory.id) != 0) {
                retryOrThrow(format, memory);
            }
        } catch (Throwable e) {
            throw unchecked(e);
        }
        return at(memory.id, 0);
    }

    @Override
    public UUID[] many(Format format, int count) {
        Memory memory = MEMORY.get();
        UUID[] ids = new UUID[count];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate((long) count * SIZE);
            MemorySegment handle = open(format, memory);
            for (long done = 0, made; done < count; done += Math.max(made, 0)) {
                made = (long) Library.MANY.invokeExact(
                        memory.state, handle, bytes.asSlice(done * SIZE), count - done);
                if (made < 0) {
                    retryOrThrow(format, memory);
                }
            }
            for (int i = 0; i < count; i++) {
                ids[i] = at(bytes, i);
            }
        } catch (Throwable e) {
            throw unchecked(e);
        }
        return ids;
    }

    private static RuntimeException unchecked(Throwable e) {
        if (e instanceof RuntimeException runtime) {
            return runtime;
        }
        throw new IllegalStateException(e);
    }
}
