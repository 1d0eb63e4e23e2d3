package io.holdfast.benchmarks.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A folder for a file with locks, and for the number that is counted up under them. */
final class FileHost implements Host {

    private final Path folder;

    FileHost() {
        try {
            folder = Files.createTempDirectory("bench-file");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public String address() {
        return "file:" + folder.resolve("locks");
    }

    @Override
    public void clear() {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        SharedNumber.create(address());
    }

    @Override
    public long data() {
        return new SharedNumber(address()).value();
    }

    @Override
    public void close() {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
