package io.holdfast.benchmarks.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;

/** Counts how often a virtual thread has blocked its carrier, by the JDK's own records. */
final class Pinnings implements AutoCloseable {

    private static final String EVENT = "jdk.VirtualThreadPinned";

    private final @Nullable Recording recording;

    private Pinnings(@Nullable Recording recording) {
        this.recording = recording;
    }

    /** Starts counting, if these threads have carriers. */
    static Pinnings watch(ThreadKind kind) {
        if (kind != ThreadKind.VIRTUAL) {
            return new Pinnings(null);
        }
        Recording recording = new Recording();
        recording.enable(EVENT).withThreshold(Duration.ZERO).withoutStackTrace();
        recording.start();
        return new Pinnings(recording);
    }

    /** How many there were until now. */
    long count() {
        if (recording == null) {
            return 0;
        }
        try {
            Path file = Files.createTempFile("pinnings", ".jfr");
            try {
                recording.dump(file);
                return RecordingFile.readAllEvents(file).stream()
                        .filter(event -> event.getEventType().getName().equals(EVENT))
                        .count();
            } finally {
                Files.delete(file);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void close() {
        if (recording != null) {
            recording.close();
        }
    }
}
