package io.holdfast.internal;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * The engine with bugs in it, made by replacing pieces of its source text. It is hunted in a JVM of its own, because Lincheck
 * knows only one class of a name; bugs that do not meet may share one, because it takes seconds until Lincheck is warm.
 */
final class Mutant {

    private static final Path SOURCES =
            Path.of(System.getProperty("basedir", "."), "..", "..", "holdfast-core/src/main/java/io/holdfast/internal");

    private final Path scratch;

    Mutant(Path scratch) {
        this.scratch = scratch;
    }

    Mutant with(String className, String original, String mutated) throws IOException {
        String text = Files.readString(SOURCES.resolve(className + ".java"));
        if (!text.contains(original)) {
            throw new IllegalStateException(className + " does not contain the text to replace any more: " + original);
        }
        Path source = scratch.resolve(className + ".java");
        Files.writeString(source, text.replace(original, mutated));
        compile(source);
        return this;
    }

    /** What Lincheck finds in each of the places; an empty text if it finds nothing. */
    Map<Quarry, String> hunted(Quarry... quarries) throws IOException, InterruptedException {
        Path log = scratch.resolve("log");
        Process process = new ProcessBuilder(command(quarries))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            if (!process.waitFor(110, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IllegalStateException("The hunt did not end well: " + Files.readString(log));
            }
        } finally {
            process.destroyForcibly();
        }
        Map<Quarry, String> found = new LinkedHashMap<>();
        for (Quarry quarry : quarries) {
            found.put(quarry, Files.readString(scratch.resolve(quarry.file())));
        }
        return found;
    }

    private List<String> command(Quarry... quarries) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> each.startsWith("-X") || each.startsWith("--") || each.startsWith("-Dlincheck"))
                .forEach(command::add);
        command.add("-cp");
        command.add(scratch + File.pathSeparator + System.getProperty("java.class.path"));
        command.add(Quarry.class.getName());
        command.add(scratch.toString());
        for (Quarry quarry : quarries) {
            command.add(quarry.hunt().name());
            command.add(quarry.scenario().text());
        }
        return command;
    }

    private void compile(Path source) throws IOException {
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
                    scratch.toString());
            boolean done = compiler.getTask(null, files, null, options, null, files.getJavaFileObjects(source))
                    .call();
            if (!done) {
                throw new IllegalStateException("The mutant does not compile: " + source);
            }
        }
    }
}
