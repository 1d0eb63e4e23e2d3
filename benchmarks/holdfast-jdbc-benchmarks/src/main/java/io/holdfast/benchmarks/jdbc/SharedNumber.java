package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Inside;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Supplier;

/** A number beside a file of locks, in memory that processes share. Counting it up takes two steps, and next to no time. */
final class SharedNumber {

    private final MappedByteBuffer memory;

    /** @param address that of the file with the locks */
    SharedNumber(String address) {
        try (FileChannel channel = FileChannel.open(path(address), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static void create(String address) {
        try {
            Files.write(path(address), new byte[Long.BYTES]);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Path path(String address) {
        return Path.of(address.substring("file:".length())).resolveSibling("number");
    }

    void increment() {
        memory.putLong(0, memory.getLong(0) + 1);
    }

    long value() {
        return memory.getLong(0);
    }

    /** Counts it up. Loses updates if two do it at once. */
    record CountUp() implements Inside {

        @Override
        public Supplier<Runnable> open(String address) {
            SharedNumber number = new SharedNumber(address);
            return () -> number::increment;
        }
    }
}
