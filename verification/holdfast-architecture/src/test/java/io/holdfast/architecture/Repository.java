package io.holdfast.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The checked-out repository, found from the folder of this module. */
final class Repository {

    /** Surefire tells; elsewhere it is the working folder. */
    static final Path MODULE =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath().normalize();

    static final Path ROOT = MODULE.resolve("../..").normalize();

    static final Path CORE_SOURCES = ROOT.resolve("holdfast-core/src/main/java");

    private Repository() {}

    /** The files under {@code folder} whose names end with {@code suffix}; build output and hidden folders left out. */
    static List<Path> files(Path folder, String suffix) {
        List<Path> found = new ArrayList<>();
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path visited, BasicFileAttributes attributes) {
                    String name = Optional.ofNullable(visited.getFileName())
                            .map(Path::toString)
                            .orElse("");
                    boolean skipped = name.equals("target") || name.startsWith(".");
                    return skipped && !visited.equals(folder) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (file.toString().endsWith(suffix)) {
                        found.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        found.sort(null);
        return found;
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
