package io.holdfast.soak;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** What was done to the processes, and when; and what they had to complain about. Thread-safe. */
final class Logbook implements AutoCloseable {

    private final long start = System.nanoTime();
    private final PrintWriter out;

    Logbook(Path file) {
        try {
            Path folder = file.toAbsolutePath().getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
            this.out = new PrintWriter(Files.newBufferedWriter(file), true);
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }

    /** With the time since the beginning, and the clock that sections are measured by. */
    void say(String what) {
        long now = System.nanoTime();
        out.println(String.format(Locale.ROOT, "%10.3f %d %s", (now - start) / 1e9, now, what));
    }

    @Override
    public void close() {
        out.close();
    }
}
