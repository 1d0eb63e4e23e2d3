package io.holdfast.benchmarks.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A JDK on this machine. */
public record Jdk(Path home, Runtime.Version version) {

    private static final int FIRST_WITH_VIRTUAL_THREADS = 21;
    private static final Pattern VERSION = Pattern.compile("(?m)^JAVA_VERSION=\"([^\"]+)\"");

    /** The one that runs this. */
    public static Jdk current() {
        return new Jdk(Path.of(System.getProperty("java.home")), Runtime.version());
    }

    /** This one, if it has virtual threads, or else the newest of its neighbours that has. */
    public Optional<Jdk> withVirtualThreads() {
        return Stream.concat(Stream.of(this), hasVirtualThreads() ? Stream.empty() : neighbours())
                .filter(Jdk::hasVirtualThreads)
                .max(Comparator.comparing(Jdk::version));
    }

    /** The program that runs classes. */
    public Path java() {
        return home.resolve("bin/java");
    }

    private boolean hasVirtualThreads() {
        return version.feature() >= FIRST_WITH_VIRTUAL_THREADS;
    }

    private Stream<Jdk> neighbours() {
        try (Stream<Path> homes = Files.list(home.resolveSibling(""))) {
            return homes.flatMap(neighbour -> at(neighbour).stream()).toList().stream();
        } catch (IOException unreadable) {
            return Stream.empty();
        }
    }

    private static Optional<Jdk> at(Path home) {
        Path release = home.resolve("release");
        if (!Files.isRegularFile(release)) {
            return Optional.empty();
        }
        try {
            Matcher version = VERSION.matcher(Files.readString(release));
            return version.find()
                    ? Optional.of(new Jdk(home, Runtime.Version.parse(version.group(1))))
                    : Optional.empty();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        } catch (IllegalArgumentException unknownVersion) {
            return Optional.empty();
        }
    }
}
