package io.holdfast.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A place for a file of locks, removed in the end with what SQLite puts beside it. */
record LockFile(Path folder) implements AutoCloseable {

    static LockFile create() {
        try {
            return new LockFile(Files.createTempDirectory("holdfast-demo"));
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }

    Path path() {
        return folder.resolve("locks.db");
    }

    @Override
    public void close() {
        try (Stream<Path> all = Files.walk(folder)) {
            List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.delete(file);
            }
        } catch (IOException stays) {
            throw new UncheckedIOException(stays);
        }
    }
}
