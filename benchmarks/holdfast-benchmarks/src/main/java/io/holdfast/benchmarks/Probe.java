package io.holdfast.benchmarks;

/** Measures one contestant once, in a JVM of its own. */
@FunctionalInterface
interface Probe {

    Outcome measure();
}
