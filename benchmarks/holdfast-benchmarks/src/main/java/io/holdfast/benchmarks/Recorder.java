package io.holdfast.benchmarks;

import java.util.List;

/** Watches the JVMs in which contestants are measured. */
interface Recorder {

    /** Watches nothing. */
    Recorder NONE = (section, setting, entrant) -> List.of();

    /** What the JVM of that row is started with. */
    List<String> jvmArgs(Section section, Section.Setting setting, Section.Entrant entrant);
}
