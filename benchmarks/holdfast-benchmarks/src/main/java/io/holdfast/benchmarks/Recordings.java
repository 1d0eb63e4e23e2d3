package io.holdfast.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Flight recordings of what is measured, one file per row of a table. */
record Recordings(Path folder) implements Recorder {

    @Override
    public List<String> jvmArgs(Section section, Section.Setting setting, Section.Entrant entrant) {
        try {
            Files.createDirectories(folder);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return List.of(
                // The output of a measuring JVM is its outcome, so the recorder must not announce itself there.
                "-Xlog:jfr+startup=error",
                "-XX:StartFlightRecording:settings=profile,dumponexit=true,filename="
                        + file(section, setting, entrant));
    }

    /** Where the recording of a row is. */
    Path file(Section section, Section.Setting setting, Section.Entrant entrant) {
        String name = String.join(" ", section.key(), setting.name(), entrant.name());
        return folder.resolve(name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-") + ".jfr");
    }
}
