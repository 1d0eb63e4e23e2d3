package io.holdfast.benchmarks.kit;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Another checkout of this repository, in which the jars of Holdfast are built: measured in the same rounds, it shows what changed. */
public record EarlierBuild(Path folder) {

    /** Deep enough for {@code stores/holdfast-jdbc/target/*.jar}. */
    private static final int DEPTH = 4;

    private static final Pattern JAR =
            Pattern.compile(".*[/\\\\]target[/\\\\]holdfast-(core|jdbc)-[^-]+(-SNAPSHOT)?\\.jar");

    public EarlierBuild {
        if (jars(folder).isEmpty()) {
            throw new IllegalArgumentException(
                    "--earlier takes the folder of another checkout that is built (mvn package); there is"
                            + " no holdfast-core or holdfast-jdbc jar in " + folder);
        }
    }

    /** This class path, with those jars of the other checkout that have the same names as ours. */
    String classPath(String ours) {
        Map<String, Path> theirs = jars(folder);
        return Arrays.stream(ours.split(File.pathSeparator, -1))
                .map(jar -> theirs.getOrDefault(name(Path.of(jar)), Path.of(jar)))
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The product, not what measures it. */
    private static Map<String, Path> jars(Path folder) {
        try (Stream<Path> files = Files.find(
                folder,
                DEPTH,
                (file, attributes) -> JAR.matcher(file.toString()).matches())) {
            return files.collect(Collectors.toMap(EarlierBuild::name, Function.identity()));
        } catch (IOException unreadable) {
            throw new IllegalArgumentException(
                    "--earlier takes the folder of another checkout: " + unreadable, unreadable);
        }
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }
}
