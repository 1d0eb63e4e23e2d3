package io.holdfast.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The folder of the files that the processes of the demo share. Closing it deletes them. */
record TemporaryFolder(Path folder) implements AutoCloseable {

    static TemporaryFolder create() {
        try {
            return new TemporaryFolder(Files.createTempDirectory("holdfast-demo"));
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }

    Path file(String name) {
        return folder.resolve(name);
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
