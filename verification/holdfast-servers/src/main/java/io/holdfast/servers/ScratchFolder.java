package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.stream.Stream;

/** A temporary folder that goes away when closed. */
record ScratchFolder(Path path) implements AutoCloseable {

    private static final Duration DELETE_LIMIT = Duration.ofSeconds(20);

    static ScratchFolder create(String name) {
        try {
            return new ScratchFolder(Files.createTempDirectory("holdfast-" + name + "-"));
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }

    Path write(String name, String content) {
        try {
            return Files.writeString(path.resolve(name), content);
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }

    /** Idempotent. */
    @Override
    public void close() {
        // What a killed server had forked may still write for a moment, so one try may not be enough.
        Await.until(DELETE_LIMIT, this::deleted, () -> path + " cannot be deleted");
    }

    private boolean deleted() {
        try (Stream<Path> content = Files.walk(path)) {
            for (Path each : content.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
            return true;
        } catch (NoSuchFileException gone) {
            return Files.notExists(path);
        } catch (IOException | UncheckedIOException stillWritten) {
            return false;
        }
    }
}
