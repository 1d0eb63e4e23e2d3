package io.holdfast.servers;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * The wall clock of servers that are started with it, to be set forward and back while they run. It takes libfaketime, which a
 * machine may have or not. Thread-safe.
 */
public final class ServerClock implements AutoCloseable {

    private static final String LIBRARY = "faketime/libfaketime.so.1";
    private static final String FILE = "offset";

    /*
     * The library keeps two files by the id of the process, which stay when that is killed, and refuses to start where it finds
     * them. The server takes over the id of the shell.
     */
    private static final String FRESH = "rm -f /dev/shm/faketime_shm_$$ /dev/shm/sem.faketime_sem_$$; exec env \"$@\"";

    private final ScratchFolder folder = ScratchFolder.create("clock");
    private final Path library;
    private final ReentrantLock lock = new ReentrantLock();
    private Duration offset = Duration.ZERO;

    private ServerClock(Path library) {
        this.library = library;
        // A server may run as another user.
        if (!folder.path().toFile().setExecutable(true, false)) {
            throw new ServerException(folder.path() + " cannot be opened to others");
        }
        write();
    }

    /** Why there can be no such clock on this machine; empty if there can. Tests show it when they skip. */
    public static Optional<String> obstacle() {
        return library().isPresent() ? Optional.empty() : Optional.of("libfaketime is not installed");
    }

    /** A clock that is right until it is set. */
    public static ServerClock create() {
        return new ServerClock(library().orElseThrow(() -> new ServerException("libfaketime is not installed")));
    }

    /** Sets the clock forward, or back if negative, from where it is. */
    public void step(Duration by) {
        lock.lock();
        try {
            offset = offset.plus(by);
            write();
        } finally {
            lock.unlock();
        }
    }

    /** How far the clock is ahead of the right time. */
    public Duration offset() {
        lock.lock();
        try {
            return offset;
        } finally {
            lock.unlock();
        }
    }

    /** Removes its file; its servers should be closed before. Idempotent. */
    @Override
    public void close() {
        folder.close();
    }

    /** The words to start a server with, in front of its own. */
    List<String> prefix() {
        return List.of(
                "sh",
                "-c",
                FRESH,
                "clock",
                "LD_PRELOAD=" + library,
                "FAKETIME_TIMESTAMP_FILE=" + folder.path().resolve(FILE),
                "FAKETIME_NO_CACHE=1",
                // A wall clock that is set does not move the clock that waiting goes by.
                "FAKETIME_DONT_FAKE_MONOTONIC=1");
    }

    private void write() {
        Path written = folder.write(FILE + ".next", String.format(Locale.ROOT, "%+.3f%n", offset.toMillis() / 1000.0));
        try {
            // At once, for a server may read at any time.
            Files.move(written, folder.path().resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }

    /** Found by the folders for libraries that the JVM knows, or in a folder of one of them that is named after the machine. */
    private static Optional<Path> library() {
        return Stream.of(System.getProperty("java.library.path", "").split(File.pathSeparator, -1))
                .filter(folder -> !folder.isEmpty())
                .map(Path::of)
                .flatMap(folder -> Stream.concat(Stream.of(folder), foldersOf(folder)))
                .map(folder -> folder.resolve(LIBRARY))
                .filter(Files::isRegularFile)
                .findFirst();
    }

    private static Stream<Path> foldersOf(Path folder) {
        try (Stream<Path> content = Files.list(folder)) {
            return content.filter(Files::isDirectory).toList().stream();
        } catch (IOException notThere) {
            return Stream.empty();
        }
    }
}
