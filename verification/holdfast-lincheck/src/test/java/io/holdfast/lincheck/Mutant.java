package io.holdfast.lincheck;

import io.holdfast.testkit.PlantedBug;
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

/**
 * The engine with bugs in it, made by replacing pieces of its source text. It is hunted in a JVM of its own, because Lincheck
 * knows only one class of a name; bugs that do not meet may share one, because it takes seconds until Lincheck is warm.
 */
final class Mutant {

    private final Path scratch;

    Mutant(Path scratch) {
        this.scratch = scratch;
    }

    Mutant with(String className, String original, String mutated) throws IOException {
        new PlantedBug().plant(className, original, mutated, scratch, scratch);
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
}
