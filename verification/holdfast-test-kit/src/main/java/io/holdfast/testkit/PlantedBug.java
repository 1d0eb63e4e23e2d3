package io.holdfast.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Compiles a class of the core with a bug: a piece of its source text is replaced by another. The class is found by its simple name, in
 * whichever package it is, and white space does not matter: so moving and formatting a class does not move its bugs.
 */
public final class PlantedBug {

    private static final Pattern TOKEN = Pattern.compile("\\w+|[^\\w\\s]");

    private final Path sources;

    /** For a module two folders below the root of the repository. */
    public PlantedBug() {
        this(Path.of(System.getProperty("basedir", "."), "..", "..", "holdfast-core/src/main/java"));
    }

    PlantedBug(Path sources) {
        this.sources = sources;
    }

    /** Compiles the changed class into {@code classes}. */
    public void plant(String className, String original, String mutated, Path scratch, Path classes)
            throws IOException {
        Path source = source(className);
        Path mutant = Files.createDirectories(scratch).resolve(className + ".java");
        Files.writeString(mutant, replaced(className, Files.readString(source), original, mutated));
        compile(mutant, Files.createDirectories(classes));
    }

    private Path source(String className) throws IOException {
        try (Stream<Path> files = Files.walk(sources)) {
            List<Path> found =
                    files.filter(file -> file.endsWith(className + ".java")).toList();
            if (found.size() != 1) {
                throw new IllegalStateException("There is not one class " + className + " in the core: " + found);
            }
            return found.get(0);
        }
    }

    static String replaced(String className, String text, String original, String mutated) {
        Matcher matcher = pattern(original).matcher(text);
        if (!matcher.find()) {
            throw new IllegalStateException(
                    className + " does not contain the text to replace any more: plant the bug anew: " + original);
        }
        return matcher.replaceAll(Matcher.quoteReplacement(' ' + mutated + ' '));
    }

    private static Pattern pattern(String original) {
        StringBuilder regex = new StringBuilder();
        Matcher tokens = TOKEN.matcher(original);
        boolean afterWord = false;
        while (tokens.find()) {
            boolean word = Character.isJavaIdentifierPart(tokens.group().charAt(0));
            if (regex.length() > 0) {
                regex.append(afterWord && word ? "\\s+" : "\\s*");
            } else if (word) {
                regex.append("\\b");
            }
            regex.append(Pattern.quote(tokens.group()));
            afterWord = word;
        }
        return Pattern.compile(afterWord ? regex + "\\b" : regex.toString());
    }

    private static void compile(Path source, Path target) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of(
                    "-proc:none",
                    "-nowarn",
                    "--release",
                    "17",
                    "-classpath",
                    System.getProperty("java.class.path"),
                    "-d",
                    target.toString());
            boolean done = compiler.getTask(null, files, null, options, null, files.getJavaFileObjects(source))
                    .call();
            if (!done) {
                throw new IllegalStateException("The class with the planted bug does not compile: " + source);
            }
        }
    }
}
