package io.holdfast.benchmarks;

import java.nio.file.Path;

/** A JDK on this machine. */
record Jdk(Path home, Runtime.Version version) {

    /** The one that runs this. */
    static Jdk current() {
        return new Jdk(Path.of(System.getProperty("java.home")), Runtime.version());
    }

    Path java() {
        return home.resolve("bin/java");
    }
}
