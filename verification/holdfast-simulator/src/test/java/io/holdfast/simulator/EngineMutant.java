package io.holdfast.simulator;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** An engine in which one piece of source text is replaced by another, and what a check says to it. */
final class EngineMutant {

    private static final Path CORE = Path.of(System.getProperty("basedir", "."), "..", "..", "holdfast-core");

    private EngineMutant() {}

    /** A seed that finds the bug, and what it says. */
    record Find(long seed, String violation) {}

    /** The first seed whose history shows the bug; empty if {@code seeds} of them do not. */
    static Optional<Find> simulate(Path scratch, Mutation mutation, long seeds) throws Exception {
        try (URLClassLoader loader = mutant(scratch, mutation)) {
            Class<?> plants = loader.loadClass(Plant.class.getName());
            Object summary = loader.loadClass(Simulator.class.getName())
                    .getMethod("run", long.class, long.class, plants)
                    .invoke(null, 1L, seeds, plants.getEnumConstants()[0]);
            Long seed = (Long) summary.getClass().getMethod("failingSeed").invoke(summary);
            List<?> violations =
                    (List<?>) summary.getClass().getMethod("violations").invoke(summary);
            return seed == null ? Optional.empty() : Optional.of(new Find(seed, String.valueOf(violations.get(0))));
        }
    }

    /** The first seed for which the ledger and the model differ; empty if they do for none of {@code seeds}. */
    static Optional<Find> compare(Path scratch, Mutation mutation, long seeds) throws Exception {
        try (URLClassLoader loader = mutant(scratch, mutation)) {
            Method run = loader.loadClass(LedgerComparison.class.getName()).getDeclaredMethod("run", long.class);
            run.setAccessible(true);
            for (long seed = 1; seed <= seeds; seed++) {
                String difference = (String) run.invoke(null, seed);
                if (!difference.isEmpty()) {
                    return Optional.of(new Find(seed, difference));
                }
            }
            return Optional.empty();
        }
    }

    /** Everything, with the mutant in the place of the original. */
    private static URLClassLoader mutant(Path scratch, Mutation mutation) throws IOException {
        String className = mutation.className();
        Path source = CORE.resolve("src/main/java/io/holdfast/internal/" + className + ".java");
        String text = Files.readString(source);
        if (!text.contains(mutation.original())) {
            throw new IllegalStateException(
                    className + " does not contain the text to replace any more: " + mutation.original());
        }
        Path mutant = Files.createDirectories(scratch.resolve("source")).resolve(className + ".java");
        Files.writeString(mutant, text.replace(mutation.original(), mutation.mutated()));
        Path classes = Files.createDirectories(scratch.resolve("classes"));
        compile(mutant, classes);
        return loader(classes);
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
                throw new IllegalStateException("The mutant does not compile: " + source);
            }
        }
    }

    /** The mutant first, then the ordinary class path, and none of the classes loaded already. */
    private static URLClassLoader loader(Path mutant) throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        urls.add(mutant.toUri().toURL());
        for (String entry : Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .toList()) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }
}
