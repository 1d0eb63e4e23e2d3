package io.holdfast.benchmarks.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;

/** Numbers that two processes on one machine share, so that they can take turns without using what is measured. */
final class Board {

    /** The numbers. */
    enum Slot {
        /** How often the lock has been granted. */
        GRANTED(0),
        /** For which grant somebody waits, or is about to. */
        ASKED(1),
        /** How many grants there will be. */
        TOTAL(2),
        /** When the last release was called. */
        RELEASED_AT(3),
        /** The clock of the first process, and then that of the second. */
        FIRST_CLOCK(4),
        SECOND_CLOCK(5);

        private final int offset;

        Slot(int place) {
            offset = place * DISTANCE;
        }
    }

    /** Far enough apart that no two share a cache line. */
    private static final int DISTANCE = 128;

    private static final long LOOK_EVERY_NANOS = 100_000;

    private static final VarHandle NUMBERS =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer memory;

    /** Shares the numbers in that file, which start at zero. */
    Board(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) DISTANCE * Slot.values().length);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    long get(Slot slot) {
        return (long) NUMBERS.getVolatile(memory, slot.offset);
    }

    void set(Slot slot, long value) {
        NUMBERS.setVolatile(memory, slot.offset, value);
    }

    /** Waits until the number is as large as that. */
    long await(Slot slot, long value) {
        long found = get(slot);
        while (found < value) {
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
            found = get(slot);
        }
        return found;
    }
}
