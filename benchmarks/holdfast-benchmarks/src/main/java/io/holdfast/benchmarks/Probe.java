package io.holdfast.benchmarks;

import java.util.List;

/** Measures one contestant once, in a JVM of its own. */
@FunctionalInterface
interface Probe {

    /** Measures in a JVM that is started with these arguments. */
    Outcome measure(List<String> jvmArgs);
}
